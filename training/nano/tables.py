"""Tables with OTSL answers: ruled or open, with empty cells and spans over two columns or two rows."""

import random
from dataclasses import dataclass

from nano.canvas import TOKEN, Face, Page, Sample, pack, worn
from nano.text_source import TextSource
from nano.vocabulary import ID

_GRIDS = ((3, 8), (4, 12), (6, 12), (4, 16), (6, 16), (8, 20), (6, 20))  # rows, columns of image tokens


def cell_text(source: TextSource, numeric: bool) -> str:
    """A short cell: a number, a mark, or one to three words."""
    rng = source.rng
    kind = rng.random()
    if numeric and kind < 0.85:
        return source.number()
    if kind < 0.1:
        return rng.choice(["-", "N/A", "yes", "no", "0", "x"])
    words = [
        rng.choice(source.words) if rng.random() < 0.5 else rng.choice(source.paragraphs).split(" ")[0]
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))
    ]
    text = " ".join(words)[:18].strip() or "a"
    return text.capitalize() if rng.random() < 0.5 else text


@dataclass
class _Plan:
    """Cells (None = empty), column and row edges, and which cells continue a span (<lcel> or <ucel>)."""

    cells: list[list[str | None]]
    numeric: list[bool]
    columns: list[float]
    rows: list[float]
    spans: dict[tuple[int, int], str]
    padding: int


def _spans(rng: random.Random, cells: list[list[str | None]]) -> dict[tuple[int, int], str]:
    rows, columns = len(cells), len(cells[0])
    spans: dict[tuple[int, int], str] = {}
    if rng.random() < 0.3 and columns > 2:
        j = rng.randint(0, columns - 2)
        i = 0 if rng.random() < 0.7 else rng.randint(0, rows - 1)
        if cells[i][j] is not None:
            spans[i, j + 1] = "<lcel>"
    if rng.random() < 0.15 and rows > 2:
        i = rng.randint(0, rows - 2)
        if cells[i][0] is not None and (i, 1) not in spans and (i + 1, 1) not in spans:
            spans[i + 1, 0] = "<ucel>"
    return spans


def _plan(source: TextSource, face: Face, width: int, height: int) -> _Plan | None:
    """A table that fits, or None."""
    rng = source.rng
    box = source.font(face.path, face.size).getbbox("Ahgjpqy|")
    row_height = float(int(max(box[3] - box[1] + 3, face.size * rng.uniform(1.2, 2.1))))
    margin = rng.randint(2, 6)
    most = int((height - 2 * margin) / row_height)
    if most < 2:
        return None
    rows, columns = rng.randint(2, most), rng.randint(2, 5)
    numeric = [j > 0 and rng.random() < 0.6 for j in range(columns)]
    cells: list[list[str | None]] = [
        [None if (i or j) and rng.random() < 0.07 else cell_text(source, numeric[j] and i > 0) for j in range(columns)]
        for i in range(rows)
    ]
    padding = rng.randint(4, 12)
    needs = [
        max([12.0] + [float(source.advances(face.path, face.size, text).sum()) for row in cells if (text := row[j])])
        for j in range(columns)
    ]
    extra = width - 2 * margin - sum(needs) - 2 * padding * columns
    if extra < 0:
        return None
    shares = [rng.random() + 0.3 for _ in range(columns)]
    edges = [float(margin)]
    for need, share in zip(needs, shares, strict=True):
        edges.append(edges[-1] + need + 2 * padding + extra * share / sum(shares))
    row_height = min(row_height * rng.choice([1, 1, 1.3]), (height - 2 * margin) / rows)
    lines = [margin + i * row_height for i in range(rows + 1)]
    return _Plan(cells, numeric, edges, lines, _spans(rng, cells), padding)


def _rule(page: Page, plan: _Plan, style: str, rng: random.Random) -> None:
    """Draws the rules that the style has; none through a span."""
    scale = page.face.oversample
    ink, thickness = rng.choice([0, 0, 90]), rng.choice([1, 1, 2]) * scale
    x, y = [edge * scale for edge in plan.columns], [edge * scale for edge in plan.rows]
    for i in range(len(y)) if style != "none" else ():
        if style in ("grid", "rows") or i in (0, 1, len(y) - 1):
            for j in range(len(x) - 1):
                if plan.spans.get((i, j)) != "<ucel>":
                    page.draw.line((x[j], y[i], x[j + 1], y[i]), fill=ink, width=thickness)
    for j in range(len(x)) if style == "grid" else ():
        for i in range(len(y) - 1):
            if plan.spans.get((i, j)) != "<lcel>":
                page.draw.line((x[j], y[i], x[j], y[i + 1]), fill=ink, width=thickness)


def _write_cell(page: Page, plan: _Plan, i: int, j: int, align: str) -> None:
    left, top = plan.columns[j], plan.rows[i]
    right = plan.columns[j + 2 if plan.spans.get((i, j + 1)) == "<lcel>" else j + 1]
    bottom = plan.rows[i + 2 if plan.spans.get((i + 1, j)) == "<ucel>" else i + 1]
    text = plan.cells[i][j]
    if text is None:  # an empty cell is shown by its middle
        page.ink.add_answer(ID["<ecel>"], len(page.ink.characters))
        page.ink.characters.append((32, (left + right) / 2, (top + bottom) / 2))
        return
    length = page.length(text)
    if align == "mixed":
        align = "right" if plan.numeric[j] else "left"
    at = {"left": left + plan.padding, "centre": (left + right - length) / 2, "right": right - plan.padding - length}
    page.ink.add_answer(ID["<fcel>"], len(page.ink.characters))
    page.write(at[align], (top + bottom - page.bottom + page.top) / 2 - page.top, text)


def table(source: TextSource) -> Sample:
    """A table of 2 to 5 columns; min_pixels is one token, as everywhere in nano."""
    rng = source.rng
    rows, columns = rng.choice(_GRIDS)
    plan = None
    while plan is None:
        face = Face(source.font_path(), rng.randint(16, 26), 2 if rng.random() < 0.3 else 1)
        width, height = columns * TOKEN + rng.randint(-12, 12), rows * TOKEN + rng.randint(-13, 13)
        plan = _plan(source, face, width, height)
    height = int(plan.rows[-1] + plan.rows[0])
    page = Page(source, face, width, height)
    if rng.random() < 0.2:
        scale = face.oversample
        corners = (plan.columns[0] * scale, plan.rows[0] * scale, plan.columns[-1] * scale, plan.rows[1] * scale)
        page.draw.rectangle(corners, fill=rng.randint(190, 240))
    _rule(page, plan, rng.choice(["grid", "grid", "rows", "head", "none", "head"]), rng)
    align = rng.choice(["left", "centre", "mixed"])
    for i, row in enumerate(plan.cells):
        for j in range(len(row)):
            if (i, j) in plan.spans:
                page.ink.add_answer(ID[plan.spans[i, j]], len(page.ink.characters) - 1)
            else:
                _write_cell(page, plan, i, j, align)
        page.ink.add_answer(ID["<nl>"], len(page.ink.characters) - 1)
    return pack(worn(source, page.image(), page.ink), page.ink, "table")
