"""Tables as text: cells and spans, and what they are in OTSL, in HTML and for groff's tbl."""

import html
import random
from dataclasses import dataclass

from nano.canvas import plain
from nano.tables import cell_text
from nano.text_source import TextSource
from nano.typeset import escape, mark


@dataclass
class TableText:
    """cells[row][column]: text, or None where empty or covered; spans: covered places with their OTSL tag."""

    cells: list[list[str | None]]
    numeric: list[bool]
    spans: dict[tuple[int, int], str]

    def otsl(self) -> list[tuple[str, str, tuple[int, int]]]:
        """(tag, text, place) in reading order; "<nl>" ends each row."""
        found: list[tuple[str, str, tuple[int, int]]] = []
        for i, row in enumerate(self.cells):
            for j, text in enumerate(row):
                tag = self.spans.get((i, j)) or ("<ecel>" if text is None else "<fcel>")
                found.append((tag, text or "" if tag == "<fcel>" else "", (i, j)))
            found.append(("<nl>", "", (i, len(row))))
        return found

    def _extent(self, i: int, j: int) -> tuple[int, int]:
        """(rows, columns) of the cell at a place that is not covered."""
        columns, rows = 1, 1
        while self.spans.get((i, j + columns)) == "<lcel>":
            columns += 1
        while self.spans.get((i + rows, j)) == "<ucel>":
            rows += 1
        return rows, columns

    def to_html(self) -> str:
        """MinerU's form: no head, spans as attributes."""
        text = "<table>"
        for i, row in enumerate(self.cells):
            text += "<tr>"
            for j, cell in enumerate(row):
                if (i, j) in self.spans:
                    continue
                rows, columns = self._extent(i, j)
                wide = f' colspan="{columns}"' if columns > 1 else ""
                high = f' rowspan="{rows}"' if rows > 1 else ""
                text += f"<td{wide}{high}>{html.escape(''.join(map(plain, cell or '')), quote=False)}</td>"
            text += "</tr>"
        return text + "</table>"

    def to_tbl(self, style: str, rng: random.Random) -> list[str]:
        """Input between .TS and .TE. style: allbox, box, lines (above, below, under the head), open."""
        align = rng.choice(("l", "c", "mixed"))
        keys = {"<lcel>": "s", "<ucel>": "^"}
        bold = "fB" if rng.random() < 0.4 else ""
        formats, rows = [], []
        for i, row in enumerate(self.cells):
            line, fields = [], []
            for j, cell in enumerate(row):
                key = ("r" if self.numeric[j] and i else "l") if align == "mixed" else align
                covered = self.spans.get((i, j))
                if self._extent(i, j)[1] > 1 and not covered:
                    key = "c"
                line.append(keys[covered] if covered else key + (bold if i == 0 else ""))
                shown = escape(cell).replace("@", "\\[x0040]") if cell else ""
                fields.append("" if covered == "<lcel>" else "\\^" if covered else f"{mark(f'{i}_{j}')}{shown}")
            formats.append(" ".join(line))
            rows.append("@".join(fields))
        if style == "lines":
            rows[:] = ["_", rows[0], "_", *rows[1:], "_"]
        options = ["tab(@)", *(option for option in (style,) if option in ("allbox", "box"))]
        if rng.random() < 0.4:
            options.append("center")
        return [" ".join(options) + ";", *formats[:-1], formats[-1] + ".", *rows]


def random_table(source: TextSource, columns_most: int, room: int) -> TableText:
    """2 to `columns_most` columns whose longest cells together have at most `room` characters (or are cut)."""
    rng = source.rng
    columns, rows = rng.randint(2, columns_most), rng.randint(2, 9)
    numeric = [j > 0 and rng.random() < 0.6 for j in range(columns)]
    share = max(4, room // columns - 2)
    cells: list[list[str | None]] = [
        [
            None if (i or j) and rng.random() < 0.06 else cell_text(source, numeric[j] and i > 0)[:share].strip() or "a"
            for j in range(columns)
        ]
        for i in range(rows)
    ]
    spans: dict[tuple[int, int], str] = {}
    if columns > 2 and rng.random() < 0.35:  # a head over several columns, or a row that is a title
        start = rng.randint(0, columns - 2)
        i = 0 if rng.random() < 0.7 else rng.randrange(rows)
        for j in range(start + 1, rng.randint(start + 1, columns - 1) + 1):
            spans[i, j] = "<lcel>"
    if rows > 3 and rng.random() < 0.25:  # one label for several rows
        start = rng.randint(1, rows - 2)
        for i in range(start + 1, rng.randint(start + 1, min(rows - 1, start + 2)) + 1):
            if not any(line in (i, start) and at in (0, 1) for line, at in spans):
                spans[i, 0] = "<ucel>"
            else:
                break
    for i, j in spans:
        cells[i][j] = None
    for i in range(rows):
        for j in range(columns):
            starts = (i, j) not in spans and ((i, j + 1) in spans or spans.get((i + 1, j)) == "<ucel>")
            if starts and cells[i][j] is None:
                cells[i][j] = cell_text(source, False)[:share].strip() or "a"
    return TableText(cells, numeric, spans)
