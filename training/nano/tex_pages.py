"""Held-out pages set by pdfTeX, a renderer that training never sees, with exact truth.

Every block has a colour of its own in a second run of the same source; the ink of that colour is the block's box.
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image

from nano.formulas import new_term, to_latex
from nano.table_text import random_table
from nano.text_source import TextSource
from nano.typeset import Box

DPI = 150
_UNWANTED = re.compile(r"[\\{}^~<>|_`]|--|''")
_PREAMBLE = r"""\documentclass[%spt]{article}
\usepackage{color}
\pdfpagewidth=%sin \pdfpageheight=%sin \textwidth=%sin \textheight=%sin
\oddsidemargin=%sin \topmargin=-0.4in \headheight=0pt \headsep=0pt \footskip=0.4in \columnsep=0.3in
\parindent=0pt \parskip=6pt plus 2pt \hyphenpenalty=10000 \tolerance=9999 \emergencystretch=3em \pagestyle{empty}
\begin{document}%s
"""


@dataclass
class TexBlock:
    kind: str
    source: str
    markdown: str


def _escape(text: str) -> str:
    shown = re.sub(r"([#$%&])", r"\\\1", text)
    return re.sub(r'(^|[ (\[])"', r"\1``", shown).replace('"', "''")


def _text(source: TextSource, shortest: int, longest: int) -> str:
    """Held-out prose without the characters that TeX's oldest fonts lack."""
    while True:
        text = " ".join(source.prose(source.rng.randint(shortest, longest)).split())
        if len(text) >= shortest // 2 and not _UNWANTED.search(text):
            return text


def _table(source: TextSource) -> TexBlock:
    table = random_table(source, 4, 44)
    table.spans = {place: tag for place, tag in table.spans.items() if tag == "<lcel>"}
    for row in table.cells:
        row[:] = [None if text and _UNWANTED.search(text) else text for text in row]
    rows = []
    for i, row in enumerate(table.cells):
        cells, j = [], 0
        while j < len(row):
            width = 1
            while table.spans.get((i, j + width)) == "<lcel>":
                width += 1
            shown = _escape(row[j] or "")
            border = "|" if j == 0 else ""
            cells.append(f"\\multicolumn{{{width}}}{{{border}c|}}{{{shown}}}" if width > 1 else shown)
            j += width
        rows.append(" & ".join(cells) + r" \\ \hline")
    for place in table.spans:
        table.cells[place[0]][place[1]] = None
    columns = "|" + "|".join("lr"[is_number] for is_number in table.numeric) + "|"
    body = "\n".join([f"\\begin{{tabular}}{{{columns}}}\\hline", *rows, r"\end{tabular}"])
    return TexBlock("table", f"{{%COLOUR%{body}}}\\par", table.to_html())


def _blocks(source: TextSource, count: int) -> list[TexBlock]:
    rng, blocks = source.rng, []
    title = _text(source, 16, 44)
    blocks.append(TexBlock("title", f"{{%COLOUR%\\raggedright\\Large\\bfseries {_escape(title)}\\par}}", f"# {title}"))
    for _ in range(count):
        kind = rng.choices(("text", "title", "list", "table", "equation"), (0.5, 0.15, 0.1, 0.1, 0.15))[0]
        if kind == "text":
            text = _text(source, 120, 600)
            blocks.append(TexBlock(kind, f"{{%COLOUR%{_escape(text)}\\par}}", text))
        elif kind == "title":
            text = _text(source, 10, 36)
            shown = f"{{%COLOUR%\\vskip4pt\\raggedright\\large\\bfseries {_escape(text)}\\par}}"
            blocks.append(TexBlock(kind, shown, f"## {text}"))
        elif kind == "list":
            for number in range(1, rng.randint(3, 5)):
                text = _text(source, 30, 140)
                shown = (
                    f"{{%COLOUR%\\hangindent=16pt\\hangafter=1\\hbox to 16pt{{{number}.\\hfil}}{_escape(text)}\\par}}"
                )
                blocks.append(TexBlock("item", "\\leavevmode" + shown, f"{number}. {text}"))
        elif kind == "table":
            blocks.append(_table(source))
        else:
            blocks.append(_equation(to_latex(new_term(rng).tokens)))
    return blocks


def _run(text: str, folder: str) -> int:
    """Pages that pdflatex makes of a source."""
    with open(os.path.join(folder, "page.tex"), "w", encoding="ascii") as handle:
        handle.write(text)
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "page.tex"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if run.returncode:
        with open(os.path.join(folder, "page.log"), encoding="latin-1") as handle:
            raise RuntimeError("pdflatex failed: " + handle.read()[-600:])
    with open(os.path.join(folder, "page.log"), encoding="latin-1") as handle:
        found = re.search(r"Output written on page\.pdf \((\d+) page", handle.read())
    return int(found.group(1)) if found else 0


def _picture(folder: str, *options: str) -> Image.Image:
    command = ["pdftoppm", "-r", str(DPI), "-singlefile", "-png", *options, "page.pdf", "page"]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    with Image.open(os.path.join(folder, "page.png")) as image:
        image.load()
        return image


def _colour(index: int) -> tuple[int, int, int]:
    """Far enough apart to be told from each other: steps of 40 in three channels."""
    return 10 + 40 * (index % 5), 10 + 40 * (index // 5 % 5), 10 + 40 * (index // 25)


def _equation(latex: str) -> TexBlock:
    return TexBlock("equation", f"{{%COLOUR%\\[ {latex} \\]}}", f"$$\n{latex}\n$$")


def formula_blocks(source: TextSource, formulas: tuple[str, ...]) -> list[TexBlock]:
    """Each formula below a paragraph of one or two lines."""
    blocks: list[TexBlock] = []
    for latex in formulas:
        text = _text(source, 60, 140)
        blocks += [TexBlock("text", f"{{%COLOUR%{_escape(text)}\\par}}", text), _equation(latex)]
    return blocks


def tex_page(
    source: TextSource, make_blocks: Callable[[TextSource], list[TexBlock]] | None = None
) -> tuple[Image.Image, str, list[tuple[str, Box]]]:
    """(picture, Markdown, boxes as fractions of the page) of one page; what does not fit on it is left out."""
    rng = source.rng
    columns, size = rng.choice((1, 1, 2)), rng.choice((10, 11, 12))
    width, height = rng.choice(((8.27, 11.69), (8.5, 11.0)))
    text_width = round(width - 2 * rng.uniform(0.8, 1.3), 2)
    face = "\\sffamily" if rng.random() < 0.3 else ""
    blocks = make_blocks(source) if make_blocks else _blocks(source, 26)
    with tempfile.TemporaryDirectory() as folder:

        def source_of(coloured: bool) -> str:
            start = face + ("\\twocolumn" if columns == 2 else "")
            margin = round((width - text_width) / 2 - 1, 2)
            head = _PREAMBLE % (size, width, height, text_width, height - 1.8, margin, "\n" + start)
            body = []
            for index, block in enumerate(blocks):
                colour = ",".join(map(str, _colour(index))) if coloured else "0,0,0"
                body.append(block.source.replace("%COLOUR%", f"\\color[RGB]{{{colour}}}"))
            return head + "\n".join(body) + "\n\\end{document}\n"

        while (pages := _run(source_of(False), folder)) > 1:
            del blocks[min(len(blocks) - 1, max(2, round(len(blocks) / pages) + 1)) :]
        picture = _picture(folder, "-gray")
        _run(source_of(True), folder)
        painted = np.asarray(_picture(folder, "-aa", "no", "-aaVector", "no").convert("RGB")).astype(int)
    boxes = [_find(painted, _colour(index), 2 if columns == 2 else 1) for index in range(len(blocks))]
    return picture.convert("L"), _markdown(blocks), _layout(blocks, boxes)


def _find(painted: np.ndarray, colour: tuple[int, int, int], columns: int) -> list[Box]:
    """The ink of a colour as fractions of the page, a box for each column that has some."""
    hit = np.abs(painted - np.array(colour)).max(2) <= 4
    height, width = hit.shape
    boxes: list[Box] = []
    for column in range(columns):
        left, right = column * width // columns, (column + 1) * width // columns
        rows, across = np.nonzero(hit[:, left:right])
        if len(rows):
            across = across + left
            box = (across.min() / width, rows.min() / height, (across.max() + 1) / width, (rows.max() + 1) / height)
            boxes.append((float(box[0]), float(box[1]), float(box[2]), float(box[3])))
    return boxes


def _layout(blocks: list[TexBlock], boxes: list[list[Box]]) -> list[tuple[str, Box]]:
    """Items become text, with a list around each run of them in a column."""
    found: list[tuple[str, Box]] = []
    at = 0
    while at < len(blocks):
        if blocks[at].kind != "item":
            found += [(blocks[at].kind, box) for box in boxes[at]]
            at += 1
            continue
        run: list[Box] = []
        while at < len(blocks) and blocks[at].kind == "item" and (not run or blocks[at].markdown[:2] != "1."):
            run += boxes[at]
            at += 1
        start = 0
        for end in range(1, len(run) + 1):
            if end == len(run) or run[end][1] < run[end - 1][1]:
                part = run[start:end]
                around = (
                    min(b[0] for b in part), min(b[1] for b in part), max(b[2] for b in part), max(b[3] for b in part),
                )  # fmt: skip
                found += [("list", around), *(("text", box) for box in part)]
                start = end
    return found


def _markdown(blocks: list[TexBlock]) -> str:
    text = ""
    for index, block in enumerate(blocks):
        same_list = block.kind == "item" and index and blocks[index - 1].kind == "item"
        text += ("\n" if same_list and block.markdown[:2] != "1." else "\n\n") + block.markdown
    return text.strip() + "\n"
