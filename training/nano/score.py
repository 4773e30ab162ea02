"""Scores octavo, and tesseract beside it, on the evaluation sets, and prints the table of docs/nano.md.

    python -m nano.score SETS --octavo PROGRAM [--model DIR] [--sets ...] [--json FILE]

SETS holds one folder for each set (`nano.eval_sets`). Character errors, TEDS, formulas and layout are those of
`octavo eval`; tesseract's text is scored here by the same definition. Seconds are processor time a page.
"""

import argparse
import glob
import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from dataclasses import asdict, dataclass

from nano.canvas import plain
from nano.metrics import edit_distance
from nano.real_pages import join_lines


@dataclass
class Figures:
    """One program on one set; None where the set has no truth for it."""

    reader: str
    pages: int
    characters: int
    character_error: float
    median_error: float
    teds: float | None
    formulas: float | None
    layout_f1: float | None
    seconds: float  # of one processor, a page
    megabytes: int


def run_measured(command: list[str]) -> tuple[str, float, int]:
    """(stdout, processor seconds, peak resident megabytes) of a command that must succeed."""
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE, env=environment)
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        if process.returncode:
            raise RuntimeError(
                f"{command[0]} ended with {process.returncode}: {errors.decode(errors='replace')[-300:]}"
            )
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


def page_text(markdown: str) -> str:
    """What Markdown says without its marks, in `octavo eval`'s sense, for the Markdown that the sets have."""
    lines = []
    for line in markdown.splitlines():
        if line.strip() == "$$":
            continue
        lines.append(re.sub(r"^\s*(#+|[-*+]|\d{1,9}[.)])\s+", "", line))
    text = re.sub(r"</?(table|tr|td)[^>]*>", " ", "\n".join(lines))
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text) if "$$" not in markdown else text
    return " ".join(unicodedata.normalize("NFC", html.unescape(text)).split())


def _median(values: list[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else 0.0


def score_octavo(program: str, folder: str, model: str | None, options: list[str]) -> Figures:
    command = [program, "eval", folder, "--json", "--threads", "1", *options]
    output, seconds, megabytes = run_measured(command + (["--model", model] if model else []))
    found = json.loads(output.splitlines()[0])
    errors = [document["character_error"] for document in found["documents"]]
    return Figures(
        "octavo-nano", found["pages"], found["characters"], found["character_error"], _median(errors), found["teds"],
        found["formula_match"], found["layout_f1"], seconds / max(1, found["pages"]), megabytes,
    )  # fmt: skip


def read_by_tesseract(path: str) -> tuple[str, float, int]:
    """(text with paragraphs joined and typographic characters as ASCII, seconds, megabytes)."""
    output, seconds, megabytes = run_measured(["tesseract", path, "-", "-l", "eng"])
    paragraphs = [join_lines(part.split("\n")) for part in re.split(r"\n\s*\n", output.strip())]
    return "".join(map(plain, "\n".join(paragraphs))), seconds, megabytes


def score_tesseract(folder: str) -> Figures:
    """Character errors only: tesseract knows no tables, formulas or types of blocks."""
    errors: list[int] = []
    lengths: list[int] = []
    total_seconds, largest = 0.0, 0
    for path in sorted(glob.glob(os.path.join(folder, "*.png"))):
        with open(path[:-4] + ".md", encoding="utf-8") as handle:
            truth = page_text(handle.read())
        text, seconds, megabytes = read_by_tesseract(path)
        errors.append(edit_distance(truth, page_text(text)))
        lengths.append(len(truth))
        total_seconds, largest = total_seconds + seconds, max(largest, megabytes)
    shares = [error / max(1, length) for error, length in zip(errors, lengths, strict=True)]
    return Figures(
        "tesseract", len(errors), sum(lengths), sum(errors) / max(1, sum(lengths)), _median(shares), None, None, None,
        total_seconds / max(1, len(errors)), largest,
    )  # fmt: skip


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f} %"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def table(results: dict[str, list[Figures]]) -> str:
    """Markdown."""
    head = ["set", "pages", "characters", "reader", "character error", "median page", "layout F1", "TEDS", "formulas"]
    head += ["s/page", "MB"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, readers in results.items():
        for index, found in enumerate(readers):
            first = [f"`{name}`", str(found.pages), str(found.characters)] if index == 0 else ["", "", ""]
            cells = [
                *first, found.reader, _percent(found.character_error), _percent(found.median_error),
                _number(found.layout_f1), _number(found.teds), _percent(found.formulas), f"{found.seconds:.2f}",
                str(found.megabytes),
            ]  # fmt: skip
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folder", help="folder of sets")
    add("--octavo", default="octavo", help="the program")
    add("--model", help="model folder (default: octavo's own)")
    add("--sets", help="names of sets, default: all in the folder")
    add("--no-tesseract", action="store_true")
    add("--option", action="append", default=[], help="passed to octavo eval, such as --option=--layout=model")
    add("--json", help="write the figures to this file, too")
    arguments = parser.parse_args()
    names = arguments.sets.split(",") if arguments.sets else sorted(os.listdir(arguments.folder))
    results: dict[str, list[Figures]] = {}
    for name in names:
        folder = os.path.join(arguments.folder, name)
        results[name] = [score_octavo(arguments.octavo, folder, arguments.model, arguments.option)]
        if not arguments.no_tesseract:
            results[name].append(score_tesseract(folder))
        print(name, [asdict(found) for found in results[name]], file=sys.stderr, flush=True)
    print(table(results))
    if arguments.json:
        with open(arguments.json, "w", encoding="ascii") as handle:
            json.dump(
                {name: [asdict(found) for found in readers] for name, readers in results.items()}, handle, indent=1
            )


if __name__ == "__main__":
    main()
