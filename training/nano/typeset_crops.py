"""Crops of pages that groff has set and poppler has drawn: the second renderer, beside Pillow and mathtext.

One page gives many crops; they wait in a pool by kind until they are asked for.
"""

import os
from collections import defaultdict
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image

from nano import typeset
from nano.canvas import TOKEN, Ink, Sample, pack, plain, worn
from nano.formulas import formula_ink, pack_formula
from nano.groff_fonts import GroffFonts
from nano.pages import layout_sample
from nano.text_crops import PIECE_COLUMNS, one_row
from nano.text_source import TextSource
from nano.typeset import Box, Glyph, Marked, bounds
from nano.typeset_documents import Block, Document, make_document
from nano.vocabulary import ID

_MOST_WAITING = 60  # crops of a kind; more are thrown away
_MOST_TOKENS = 300  # image tokens of a crop, which bounds the memory of a batch
_FOCUS = {"table": "table", "formula": "formula", "paragraph": "text"}


@dataclass(frozen=True)
class Letter:
    """A printed glyph and the letters that it answers; before: "" in a word, " " after a space, "\\n" on a new line."""

    glyph: Glyph
    letters: str
    before: str


def spell(glyphs: list[Glyph], text: str) -> list[Letter] | None:
    """Glyphs in order against the text that they print; None where they differ (a missing glyph, a hyphenation)."""
    found: list[Letter] = []
    at = 0
    for glyph in glyphs:
        if not glyph.char:
            continue
        before = ""
        while text[at : at + 1] == " ":
            before, at = " ", at + 1
        letters = plain(glyph.char)
        if not text.startswith(letters, at):
            return None
        if found and abs(glyph.y - found[-1].glyph.y) > 0.6 * glyph.size:
            before = "\n"
        found.append(Letter(glyph, letters, before))
        at += len(letters)
    return found if at == len(text) else None


def lines_of(letters: list[Letter]) -> list[list[Letter]]:
    """The letters by line."""
    lines: list[list[Letter]] = []
    for letter in letters:
        if not lines or letter.before == "\n":
            lines.append([])
        lines[-1].append(letter)
    return lines


class _Cutter:
    """Cuts a box of a page, with margins of white paper, and puts points into the crop's pixels."""

    def __init__(self, source: TextSource, document: Document, dpi: float) -> None:
        self.rng, self.scale = source.rng, dpi / 72
        assert document.page.image is not None
        self.image = Image.fromarray(document.page.image)

    def cut(self, box: Box, pads: tuple[float, float, float, float]) -> tuple[Image.Image, float, float]:
        """(crop, its left and top in pixels of the page); pads in pixels: left, top, right, bottom."""
        left, top = int(box[0] * self.scale - pads[0]), int(box[1] * self.scale - pads[1])
        right, bottom = int(np.ceil(box[2] * self.scale + pads[2])), int(np.ceil(box[3] * self.scale + pads[3]))
        crop = Image.new("L", (max(8, right - left), max(8, bottom - top)), 255)
        crop.paste(self.image, (-left, -top))
        return crop, left, top

    def ink(self, letters: list[Letter], left: float, top: float) -> Ink:
        """Characters and answer of running text."""
        ink = Ink()
        end = 0.0
        for index, letter in enumerate(letters):
            glyph = letter.glyph
            x, y = glyph.x * self.scale - left, (glyph.y - 0.25 * glyph.size) * self.scale - top
            if letter.before and index:
                ink.add_answer(32, len(ink.characters))
                if letter.before == " ":
                    ink.characters.append((32, (end + x) / 2, y))
            width = glyph.width * self.scale
            for at, char in enumerate(letter.letters):
                ink.add_character(char, x + width * (at + 0.5) / len(letter.letters), y)
            end = x + width
        return ink

    def pads(self, size: float) -> tuple[float, float, float, float]:
        """Random margins for type of `size` points: about what octavo's line finder leaves, seldom more."""
        room = size * self.scale
        top, bottom = self.rng.uniform(0, 0.12) * room, self.rng.uniform(0, 0.12) * room
        return self.rng.uniform(1, 9), top, self.rng.uniform(1, 9), bottom


@dataclass
class _Pool:
    waiting: dict[str, list[Sample]] = field(default_factory=lambda: defaultdict(list))


_POOLS: WeakKeyDictionary[TextSource, _Pool] = WeakKeyDictionary()
_FONTS: dict[str, GroffFonts] = {}


def fonts_of(source: TextSource) -> GroffFonts:
    """The groff fonts beside the corpus."""
    root = os.path.join(os.path.abspath(source.data_dir), "groff-fonts")
    if root not in _FONTS:
        _FONTS[root] = GroffFonts(root)
    return _FONTS[root]


def _piece(source: TextSource, cutter: _Cutter, line: list[Letter]) -> Sample:
    """Some words of a line in one row of tokens."""
    starts = [0] + [at for at, letter in enumerate(line) if letter.before == " "]
    size = line[0].glyph.size
    most = PIECE_COLUMNS * size * 1.2 * source.rng.uniform(0.25, 1)
    first = source.rng.choice(starts)
    last = first + 1
    for end in [*starts[1:], len(line)]:
        if end > first and line[end - 1].glyph.box[2] - line[first].glyph.x <= most:
            last = max(last, end)
    part = line[first:last]
    crop, left, top = cutter.cut(bounds([letter.glyph.box for letter in part]), cutter.pads(size))
    return one_row(source, crop, cutter.ink(part, left, top))


def _text_crops(source: TextSource, cutter: _Cutter, block: Block, pool: _Pool) -> None:
    rng = source.rng
    letters = spell([glyph for part in block.fragments for glyph in part.glyphs], block.text)
    if not letters:
        return
    lines = lines_of(letters)
    size = letters[0].glyph.size
    for line in lines:
        if len(line) < 2 and rng.random() < 0.8:
            continue
        pool.waiting["piece"].append(_piece(source, cutter, line))
        crop, left, top = cutter.cut(bounds([letter.glyph.box for letter in line]), cutter.pads(size))
        if crop.width <= 56 * TOKEN:
            image = worn(source, crop, ink := cutter.ink(line, left, top))
            pool.waiting["line"].append(pack(image, ink, "text", common_width=True))
    if len(lines) < 2 or len(block.fragments) > 1:
        return
    most = min(len(lines), rng.choice((2, 3, 3, 4, 5, 7, 9)))
    start = rng.randint(0, len(lines) - most)
    for count in range(most, 1, -1):
        part = [letter for line in lines[start : start + count] for letter in line]
        crop, left, top = cutter.cut(bounds([letter.glyph.box for letter in part]), cutter.pads(size))
        if crop.width * crop.height <= _MOST_TOKENS * TOKEN * TOKEN and crop.width <= 52 * TOKEN:
            image = worn(source, crop, ink := cutter.ink(part, left, top))
            pool.waiting["paragraph"].append(pack(image, ink, "text", common_width=True))
            return


def table_answer(block: Block, part: Marked) -> list[tuple[int, str, tuple[float, float] | None, list[Letter]]] | None:
    """(token, text, its place in points, letters) in OTSL order; None where a cell was not found as it should be."""
    assert block.table is not None
    where: dict[str, tuple[int, int, float, float]] = {}
    for index, (name, start, x, y) in enumerate(part.places):
        end = part.places[index + 1][1] if index + 1 < len(part.places) else len(part.glyphs)
        where[name] = (start, end, x, y)
    found: list[tuple[int, str, tuple[float, float] | None, list[Letter]]] = []
    for tag, text, (i, j) in block.table.otsl():
        if tag not in ("<fcel>", "<ecel>"):
            found.append((ID[tag], "", None, []))
            continue
        if f"{i}_{j}" not in where:
            return None
        start, end, x, y = where[f"{i}_{j}"]
        letters = spell(part.glyphs[start:end], "".join(map(plain, text)))
        if letters is None:
            return None
        found.append((ID[tag], text, (x, y), letters))
    return found


def _table_crop(source: TextSource, cutter: _Cutter, block: Block, pool: _Pool) -> None:
    part = block.fragments[0]
    answer = table_answer(block, part)
    if answer is None:
        return
    rng = source.rng
    pads = (rng.uniform(2, 9), rng.uniform(2, 9), rng.uniform(2, 9), rng.uniform(2, 9))
    crop, left, top = cutter.cut(block.boxes()[0], pads)
    wide, high = -(-crop.width // (2 * TOKEN)) * 2 * TOKEN, -(-crop.height // TOKEN) * TOKEN
    if not TOKEN < high * wide / TOKEN <= _MOST_TOKENS * TOKEN or wide > 40 * TOKEN:
        return
    if rng.random() < 0.7:  # white paper to a size that other crops have too
        wider = Image.new("L", (wide, high), 255)
        wider.paste(crop, (0, 0))
        crop = wider
    ink = Ink()
    for token, _, place, letters in answer:
        if place:
            ink.add_answer(token, len(ink.characters))
            if not letters:
                x, y = place[0] * cutter.scale - left, (place[1] - 3) * cutter.scale - top
                ink.characters.append((32, min(max(x, 0.0), crop.width - 1.0), min(max(y, 0.0), crop.height - 1.0)))
        else:
            ink.add_answer(token, len(ink.characters) - 1)
        inner = cutter.ink(letters, left, top)
        shift = len(ink.characters)
        ink.characters += inner.characters
        for answered, shown_by in zip(inner.answer, inner.shown_by, strict=True):
            ink.add_answer(answered, shown_by + shift)
    sample = pack(worn(source, crop, ink), ink, "table")
    pool.waiting["table"].append(sample)


def _formula_crop(source: TextSource, cutter: _Cutter, block: Block, pool: _Pool) -> None:
    part, rng = block.fragments[0], source.rng
    roots = [at for at, token in enumerate(block.tokens) if token == "\\sqrt"]
    signs = [glyph for glyph in part.glyphs if glyph.char == "\u221a"]
    letters = [glyph for glyph in part.glyphs if glyph.char and glyph.char not in "\u221a\ue000"]
    if len(roots) != len(signs):
        return
    pads = (rng.uniform(2, 9), rng.uniform(2, 9), rng.uniform(2, 9), rng.uniform(2, 9))
    crop, left, top = cutter.cut(block.boxes()[0], pads)
    if crop.width > 540 or crop.height > 112:
        return
    middles: list[tuple[float, float, int]] = []

    def add(glyph: Glyph, token: int) -> None:
        x, y = (glyph.box[0] + glyph.box[2]) / 2, (glyph.box[1] + glyph.box[3]) / 2
        middles.append((x * cutter.scale - left, y * cutter.scale - top, token))

    marked = [int(name) for name, *_ in part.places]
    shown = [token for token in marked for _ in range(_glyphs(block.tokens[token]))]
    if len(shown) != len(letters):
        return
    for glyph, token in zip(letters, shown, strict=True):
        add(glyph, token)
    for glyph, token in zip(signs, roots, strict=True):
        add(glyph, token)
    pool.waiting["formula"].append(pack_formula(source, crop, formula_ink(block.tokens, middles)))


def _glyphs(token: str) -> int:
    """How many glyphs a token prints: the letters of \\sin, one for all others."""
    return len(token) - 1 if token in ("\\sin", "\\cos", "\\log", "\\ln", "\\exp") else 1


def _fill(source: TextSource, pool: _Pool, kind: str) -> None:
    """Sets one page and cuts it up."""
    rng = source.rng
    document = make_document(source, fonts_of(source), _FOCUS.get(kind) if rng.random() < 0.8 else None)
    dpi = rng.triangular(80, 230, 140)
    typeset.draw(document.output, fonts_of(source), [document.page], dpi)
    cutter = _Cutter(source, document, dpi)
    for block in document.blocks:
        if block.table:
            _table_crop(source, cutter, block, pool)
        elif block.tokens:
            _formula_crop(source, cutter, block, pool)
        elif block.text:
            _text_crops(source, cutter, block, pool)
    size = (document.page.width, document.page.height)
    pool.waiting["page"].append(layout_sample(source, cutter.image, size, document.layout()))
    for name, waiting in pool.waiting.items():
        rng.shuffle(waiting)
        del waiting[1 if name == "page" else _MOST_WAITING :]


def _take(source: TextSource, kind: str) -> Sample:
    pool = _POOLS.setdefault(source, _Pool())
    while not pool.waiting[kind]:
        _fill(source, pool, kind)
    return pool.waiting[kind].pop()


def piece(source: TextSource) -> Sample:
    """Words of a line, scaled to one row of tokens."""
    return _take(source, "piece")


def line(source: TextSource) -> Sample:
    """A line at its natural size."""
    return _take(source, "line")


def paragraph(source: TextSource) -> Sample:
    """Two to nine lines of a paragraph."""
    return _take(source, "paragraph")


def table(source: TextSource) -> Sample:
    """A table of tbl."""
    return _take(source, "table")


def formula(source: TextSource) -> Sample:
    """A displayed formula of eqn."""
    return _take(source, "formula")


def page(source: TextSource) -> Sample:
    """A whole page with its boxes."""
    return _take(source, "page")
