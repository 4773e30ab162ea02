"""Writes cases.json: pairs of generated tables with the TEDS that the published definition gives them.

Needs the packages apted, Distance and lxml of PyPI, and metric.py of PubTabNet (github.com/ibm-aur-nlp/PubTabNet,
folder src, Apache-2.0), which defines the measure:
    python3 make_cases.py FOLDER_OF_METRIC_PY >cases.json
A pair is a seeded random table and the same after random damage: cells, rows and columns changed, lost, doubled or
moved, spans changed. All texts are invented. Tags that octavo leaves out before it compares (thead, tbody) are taken
out of the reference's copy, and th is made td there.
"""

import json
import random
import sys

WORDS = (
    "rate total 12.5 3,480 n/a mean width Δt 0.05 fee north south 2021 2022 Q1 Q2 kg µm ratio error model base ours "
    "日本 数值 αβ item no. sum - + *"
).split()
INLINE = ("{}", "{}", "{}", "{}", "<b>{}</b>", "{}<sup>2</sup>", "{}<br>{}", "<i>{}</i> {}")
Cell = dict
Table = list


def cell_text(rng: random.Random) -> str:
    text = " ".join(rng.choice(WORDS) for _ in range(rng.choice([0, 1, 1, 1, 2, 3])))
    return rng.choice(INLINE).replace("{}", text) if text else ""


def new_cell(rng: random.Random) -> Cell:
    span = rng.random()
    return {
        "text": cell_text(rng),
        "colspan": 2 if span < 0.08 else 1,
        "rowspan": rng.randint(2, 3) if 0.08 <= span < 0.14 else 1,
    }


def new_table(rng: random.Random) -> Table:
    rows, columns = rng.randint(1, 8), rng.randint(1, 6)
    return [[new_cell(rng) for _ in range(columns)] for _ in range(rows)]


def damaged(rng: random.Random, table: Table, times: int) -> Table:
    table = json.loads(json.dumps(table))
    for _ in range(times):
        row = rng.choice(table) if table else None
        kind = rng.randrange(9)
        if kind == 0:
            table.insert(rng.randint(0, len(table)), [new_cell(rng) for _ in range(rng.randint(1, 5))])
        elif kind == 1 and table:
            table.remove(row)
        elif kind == 2 and table:
            table.insert(rng.randint(0, len(table)), json.loads(json.dumps(row)))
        elif kind == 3 and len(table) > 1:
            at = rng.randrange(len(table) - 1)
            table[at], table[at + 1] = table[at + 1], table[at]
        elif row:
            cell = rng.choice(row)
            if kind == 4:
                row.remove(cell)
            elif kind == 5:
                row.insert(rng.randint(0, len(row)), new_cell(rng))
            elif kind == 6:
                cell["colspan"] = rng.randint(1, 3)
            elif kind == 7:
                cell["text"] = cell_text(rng)
            else:
                cell["text"] = cell["text"][1:] + rng.choice("x0 ")
    return table


def to_html(table: Table, head: int = 0, cell_tag: str = "td") -> str:
    rows = []
    for index, row in enumerate(table):
        tag = cell_tag if index < head else "td"
        cells = ""
        for cell in row:
            spans = "".join(f' {name}="{cell[name]}"' for name in ("colspan", "rowspan") if cell[name] > 1)
            cells += f"<{tag}{spans}>{cell['text'].strip()}</{tag}>"
        rows.append(f"<tr>{cells}</tr>")
    if cell_tag == "th" and head:
        return "<table><thead>" + "".join(rows[:head]) + "</thead><tbody>" + "".join(rows[head:]) + "</tbody></table>"
    return "<table>" + "".join(rows) + "</table>"


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    import metric
    from lxml import html

    # metric.py hands the parser over by place, which lxml 6 takes for something else.
    fromstring = html.fromstring
    metric.html.fromstring = lambda text, parser: fromstring(text, parser=parser)
    rng = random.Random(20240)
    measures = {"teds": metric.TEDS(), "teds_structure": metric.TEDS(structure_only=True)}
    cases = []
    for index in range(120):
        table = new_table(rng)
        other = new_table(rng) if index % 10 == 9 else damaged(rng, table, index % 10)
        if not any(table) or not any(other):
            continue
        case = {"truth": to_html(table, head=1, cell_tag=("td", "th")[index % 4 == 0]), "found": to_html(other)}
        for name, measure in measures.items():
            page = "<html><body>{}</body></html>"
            case[name] = measure.evaluate(page.format(to_html(other)), page.format(to_html(table)))
        cases.append(case)
    json.dump({"cases": cases}, sys.stdout, ensure_ascii=False, indent=0)
    print()


if __name__ == "__main__":
    main()
