"""Whole pages with exact truth for `octavo eval`, in texts and font families that training never sees.

    python -m nano.held_pages DIR

writes ten pages NAME.png with NAME.md and NAME.layout.json. What is on each page, its font and its size are fixed in
PAGES; the texts are drawn from one seed. The texts are of the public domain: The Devil's Dictionary (1911) and the
Jargon File, from the Debian packages dict-devil and dict-jargon, which `nano.corpus` holds out. Formulas are random.
"""

import argparse
import json
import os
import random
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from nano.corpus import _dictionary
from nano.fonts import HELD_FAMILIES
from nano.formulas import new_formula, to_latex

SEED = 1
DPI = 150
SIZE = (1190, 1400)
_LEVELS = 16  # of gray in the files, which keeps them small
_REGULAR, _BOLD = ("Regular", "Medium", "Book"), ("Bold",)
Box = tuple[float, float, float, float]
#: Subjects that jokes of 1911, and of hackers, are better left out of.
_LEFT_OUT = re.compile(
    r"(?i)jew|hebrew|negro|nigg|indian|chinese|turk|african|heathen|savage|slave|\brac(e|ial)|wom[ae]n|\bwife|wives|female"
    r"|girl|virgin|maid|marri|husband|widow|sex|whore|god\b|christ|church|relig|priest|bishop|pray|bible|saint|infidel"
    r"|murder|kill|hang|death|dead|corpse|damn|hell\b|fuck|shit|crap|suck|screw|bitch|bastard|rape|drug|nazi|ass\b"
)


@dataclass(frozen=True)
class Page:
    name: str
    family: str
    points: float
    is_worn: bool = False  # slightly blurred, dark gray on light gray


PAGES = (
    Page("prose-1", "Caladea", 11), Page("prose-2", "Lato", 10.5, True),
    Page("columns-1", "Linux Libertine O", 10.5), Page("columns-2", "Noto Sans Display", 9.5),
    Page("sections-1", "CMU Sans Serif", 11, True), Page("list-1", "Noto Serif Display", 11),
    Page("list-2", "Cousine", 9.5), Page("table-1", "Lato", 10.5), Page("table-2", "Caladea", 11, True),
    Page("formula-1", "Linux Libertine O", 11),
)  # fmt: skip


def _face(family: str, styles: tuple[str, ...]) -> str:
    """The file of a family's first style of these that is installed."""
    command = ["fc-list", "--format", "%{file}|%{family[0]}|%{style[0]}|%{variable}\n", family]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    files: dict[str, str] = {}
    for line in sorted(listing.splitlines()):
        path, name, style, variable = line.split("|")
        if name == family and variable != "True":
            files.setdefault(style, path)
    for style in styles:
        if style in files:
            return files[style]
    raise RuntimeError(f"found no {styles[0]} face of {family}, expected the packages of training/packages.txt")


class _Sheet:
    """A page that is filled from the top of a column; collects its Markdown and its boxes."""

    def __init__(self, page: Page, texts: list[str], rng: random.Random) -> None:
        self.page, self.texts, self.rng = page, texts, rng
        self.image = Image.new("L", SIZE, 255)
        self.draw = ImageDraw.Draw(self.image)
        self.pixels = page.points * DPI / 72
        self.faces = _face(page.family, _REGULAR), _face(page.family, _BOLD)
        self.margin = rng.randint(110, 150)
        self.left, self.right = float(self.margin), float(SIZE[0] - self.margin)
        self.y = self.top = float(rng.randint(120, 160))
        self.bottom = SIZE[1] - 250.0
        self.markdown: list[str] = []
        self.blocks: list[dict[str, Any]] = []

    def font(self, is_bold: bool = False, scale: float = 1.0) -> ImageFont.FreeTypeFont:
        size = round(self.pixels * scale)
        return ImageFont.truetype(self.faces[is_bold], size, layout_engine=ImageFont.Layout.BASIC)

    def text(self, shortest: int, longest: int) -> str:
        """A paragraph of the texts that is used once."""
        while True:
            text = self.texts.pop()
            if shortest <= len(text) <= longest:
                return text

    def add_box(self, kind: str, box: Box) -> None:
        edges = [round(value / SIZE[axis % 2], 4) for axis, value in enumerate(box)]
        self.blocks.append({"type": kind, "bbox": edges, "angle": 0})

    def write(self, text: str, left: float, font: ImageFont.FreeTypeFont, lead: float = 1.35) -> Box:
        """Wraps the text into the column; returns the box of its ink."""
        lines: list[str] = []
        line = ""
        for word in text.split(" "):
            longer = f"{line} {word}".strip()
            if line and font.getlength(longer) > self.right - left:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
        box = (1e9, 1e9, 0.0, 0.0)
        for drawn in lines:
            self.draw.text((left, self.y), drawn, font=font, fill=0)
            ink = self.draw.textbbox((left, self.y), drawn, font=font)
            box = min(box[0], ink[0]), min(box[1], ink[1]), max(box[2], ink[2]), max(box[3], ink[3])
            self.y += font.size * lead
        return box

    def gap(self, share: float) -> None:
        self.y += self.pixels * share

    def heading(self, text: str, level: int) -> None:
        self.gap(0.5 if level > 1 else 0)
        self.add_box("title", self.write(text, self.left, self.font(True, 1.7 if level == 1 else 1.3)))
        self.markdown.append("#" * level + " " + text)
        self.gap(0.5)

    def paragraph(self, text: str) -> None:
        self.add_box("text", self.write(text, self.left, self.font()))
        self.markdown.append(text)
        self.gap(0.9)

    def items(self, texts: list[str], is_numbered: bool) -> None:
        """A box for the list and one for each item, as MinerU's layout has it."""
        boxes, lines = [], []
        for number, text in enumerate(texts, 1):
            mark = f"{number}." if is_numbered else "-"
            self.draw.text((self.left + 12, self.y), mark, font=self.font(), fill=0)
            box = self.write(text, self.left + self.pixels * 2.4, self.font())
            boxes.append((self.left + 12, *box[1:]))
            lines.append(f"{mark} {text}")
            self.gap(0.3)
        self.add_box("list", (boxes[0][0], boxes[0][1], max(box[2] for box in boxes), max(box[3] for box in boxes)))
        for box in boxes:
            self.add_box("text", box)
        self.markdown.append("\n".join(lines))
        self.gap(0.8)

    def table(self, rows: list[list[str]]) -> None:
        """Ruled in full, the first row bold."""
        height = self.pixels * 1.9
        widths = [
            max(self.font(index == 0).getlength(row[column]) for index, row in enumerate(rows)) + 36
            for column in range(len(rows[0]))
        ]
        edges = [self.left + sum(widths[:count]) for count in range(len(widths) + 1)]
        top = self.y
        for index, row in enumerate(rows):
            self.draw.line((edges[0], self.y, edges[-1], self.y), fill=0, width=2)
            for text, left in zip(row, edges, strict=False):
                self.draw.text((left + 16, self.y + height * 0.22), text, font=self.font(index == 0), fill=0)
            self.y += height
        self.draw.line((edges[0], self.y, edges[-1], self.y), fill=0, width=2)
        for edge in edges:
            self.draw.line((edge, top, edge, self.y), fill=0, width=2)
        self.add_box("table", (edges[0], top, edges[-1] + 2, self.y + 2))
        cells = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in rows)
        self.markdown.append(f"<table>{cells}</table>")
        self.gap(1.4)

    def formula(self) -> None:
        """A displayed formula in the middle of the column."""
        while True:
            drawn = new_formula(SimpleNamespace(rng=self.rng, split="held"))  # type: ignore[arg-type]
            if len(drawn.tokens) >= 8:
                break
        height, width = drawn.image.shape
        left = int((self.left + self.right - width) / 2)
        self.image.paste(Image.fromarray(drawn.image), (left, int(self.y)))
        self.add_box("equation", (left, int(self.y), left + width, int(self.y) + height))
        self.markdown.append(f"$$\n{to_latex(drawn.tokens)}\n$$")
        self.y += height
        self.gap(1.1)

    def page_number(self) -> None:
        """Stands in the layout, not in the Markdown."""
        text = str(self.rng.randint(2, 300))
        at = ((SIZE[0] - self.font().getlength(text)) / 2, SIZE[1] - 100)
        self.draw.text(at, text, font=self.font(), fill=0)
        self.add_box("page_number", self.draw.textbbox(at, text, font=self.font()))

    def has_room(self, lines: int) -> bool:
        return self.y + lines * self.pixels * 1.35 < self.bottom

    def number(self) -> str:
        kind = self.rng.randrange(4)
        if kind == 0:
            return f"{self.rng.randint(1000, 99999):,}"
        if kind == 1:
            return f"{self.rng.uniform(0, 100):.1f}%"
        return str(self.rng.randint(0, 999)) if kind == 2 else f"{self.rng.uniform(0, 50):.2f}"

    def words(self, count: int) -> str:
        """A few words from the beginning of an entry, for a heading or a cell."""
        found = [word for word in re.findall(r"[A-Za-z]{3,12}", self.text(60, 900)) if word.islower()]
        return " ".join(found[:count]).capitalize()


def _prose(sheet: _Sheet) -> None:
    for _ in range(4):
        sheet.paragraph(sheet.text(200, 600))


def _columns(sheet: _Sheet) -> None:
    sheet.heading(sheet.words(4), 1)
    top, middle, gap = sheet.y, SIZE[0] / 2, 25
    for left, right in ((sheet.left, middle - gap), (middle + gap, sheet.right)):
        sheet.left, sheet.right, sheet.y = left, right, top
        while sheet.has_room(14):
            sheet.paragraph(sheet.text(120, 420))


def _sections(sheet: _Sheet) -> None:
    sheet.heading(sheet.words(4), 1)
    while sheet.has_room(16):
        sheet.heading(sheet.words(3), 2)
        for _ in range(sheet.rng.randint(1, 2)):
            sheet.paragraph(sheet.text(150, 400))


def _list(sheet: _Sheet) -> None:
    sheet.heading(sheet.words(3), 1)
    sheet.paragraph(sheet.text(150, 350))
    sheet.items([sheet.text(40, 160) for _ in range(5)], False)
    sheet.paragraph(sheet.text(100, 250))
    sheet.items([sheet.text(40, 110) for _ in range(4)], True)


def _table(sheet: _Sheet) -> None:
    sheet.heading(sheet.words(4), 1)
    sheet.paragraph(sheet.text(150, 400))
    columns = sheet.rng.randint(3, 5)
    rows = [[sheet.words(1) for _ in range(columns)]]
    for _ in range(sheet.rng.randint(5, 9)):
        rows.append([sheet.words(1), *(sheet.number() for _ in range(columns - 1))])
    sheet.table(rows)
    for _ in range(2):
        sheet.paragraph(sheet.text(150, 400))


def _formula(sheet: _Sheet) -> None:
    sheet.heading(sheet.words(3), 1)
    for _ in range(4):
        sheet.paragraph(sheet.text(120, 300))
        sheet.formula()


_KINDS: dict[str, Callable[[_Sheet], None]] = {
    "prose": _prose, "columns": _columns, "sections": _sections, "list": _list, "table": _table, "formula": _formula,
}  # fmt: skip


def draw(page: Page, texts: list[str], seed: int) -> _Sheet:
    """One page; `texts` loses what is used."""
    if page.family not in HELD_FAMILIES:
        raise ValueError(f"{page.family} is trained on")
    sheet = _Sheet(page, texts, random.Random(f"{seed} {page.name}"))
    _KINDS[page.name.split("-")[0]](sheet)
    sheet.page_number()
    if page.is_worn:
        blurred = sheet.image.filter(ImageFilter.GaussianBlur(0.6))
        sheet.image = blurred.point(lambda level: 60 + level * (235 - 60) // 255)
    return sheet


def held_texts(seed: int) -> list[str]:
    """Whole sentences of the two held-out dictionaries in a seeded order; nothing that would need escapes or offend."""
    texts = [
        text
        for text in sorted({*_dictionary("devil"), *_dictionary("jargon")})
        if re.match(r'[A-Z"][A-Za-z]', text)
        and re.search(r'[a-z][.!?]"?$', text)
        and not re.search(r"[|\\`*_<>$~#]|--|http", text)
        and not _LEFT_OUT.search(text)
    ]
    random.Random(seed).shuffle(texts)
    return texts


def _nearest_level(level: int) -> int:
    step = 255 // (_LEVELS - 1)
    return round(level / step) * step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    texts = held_texts(arguments.seed)
    for page in PAGES:
        sheet = draw(page, texts, arguments.seed)
        path = os.path.join(arguments.folder, page.name)
        sheet.image.point(_nearest_level).save(f"{path}.png", optimize=True, dpi=(DPI, DPI))
        with open(f"{path}.md", "w", encoding="ascii") as handle:
            handle.write("\n\n".join(sheet.markdown) + "\n")
        with open(f"{path}.layout.json", "w", encoding="ascii") as handle:
            handle.write("[\n" + ",\n".join(json.dumps(block) for block in sheet.blocks) + "\n]\n")
        print(page.name, page.family, sum(map(len, sheet.markdown)), "characters", os.path.getsize(f"{path}.png"))


if __name__ == "__main__":
    main()
