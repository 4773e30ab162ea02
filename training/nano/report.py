"""Prints training logs as a Markdown table: python -m nano.report LOG...; --expect-rise NAME checks a run."""

import argparse
import json
import sys

_COLUMNS = ("text.slot_accuracy", "text.accuracy", "text.guide", "text.place", "text.reading")


def read_log(path: str) -> list[dict]:
    """The entries of a log."""
    with open(path, encoding="utf-8") as handle:
        return [json.loads(line) for line in handle]


def held_values(entries: list[dict], name: str) -> list[float]:
    """The held-out figure `name` over the run."""
    return [entry["held"][name] for entry in entries if name in entry.get("held", {})]


def print_table(path: str, every: int) -> None:
    print(f"\n{path}\n\n| steps | minutes | characters | {' | '.join(_COLUMNS)} | held-out |")
    print("|" + "---|" * (4 + len(_COLUMNS)))
    reports = [entry for entry in read_log(path) if "cpu" in entry]
    for index, entry in enumerate(reports):
        if index % every == every - 1 or "held" in entry:
            held = ", ".join(f"{name} {value}" for name, value in entry.get("held", {}).items())
            values = " | ".join(str(entry.get(column, "")) for column in _COLUMNS)
            minutes = entry["seconds"] / 60
            print(f"| {entry['steps']} | {minutes:.1f} | {entry['characters'] // 1000} k | {values} | {held} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("logs", nargs="+")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--expect-rise", help="fail unless this held-out figure is higher at the end than at first")
    arguments = parser.parse_args()
    for path in arguments.logs:
        print_table(path, arguments.every)
        if arguments.expect_rise:
            values = held_values(read_log(path), arguments.expect_rise)
            if len(values) < 2 or values[-1] <= values[0]:
                sys.exit(f"{path}: held-out {arguments.expect_rise} did not rise: {values}")
            print(f"\nheld-out {arguments.expect_rise} rose from {values[0]} to {values[-1]}")


if __name__ == "__main__":
    main()
