"""Formulas with LaTeX answers, drawn by matplotlib's mathtext.

A formula is a token list with the order in which mathtext ships its visible glyphs, so each glyph's place is known.
"""

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image

from nano.canvas import TOKEN, Ink, Sample, pack, smart_resize, worn
from nano.terms import Term, joined, one
from nano.text_source import TextSource
from nano.textbook import textbook_term
from nano.vocabulary import ID, LATEX

_GREEK = LATEX[LATEX.index("\\alpha") : LATEX.index("\\Omega") + 1]
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_RELATIONS = [
    "=",
    "=",
    "=",
    "<",
    ">",
    r"\leq",
    r"\geq",
    r"\neq",
    r"\approx",
    r"\equiv",
    r"\in",
    r"\to",
    r"\sim",
    r"\propto",
    r"\subset",
]
_OPERATORS = ["+", "+", "-", "-", r"\cdot", r"\times", r"\pm", "", ""]
_TRAIN_FONTS, _HELD_FONTS = ["cm", "cm", "stix", "dejavuserif", "dejavusans"], ["cm", "stixsans"]
_POOL_SIZE, _FRESH_SHARE = 20000, 0.2
_ENLARGED_SHARE, _MOST_ENLARGED, _WIDEST = 0.8, 1.6, 672


@dataclass
class Drawn:
    """A formula's tokens, its picture (uint8, black on white) and glyph places (x, y, token index)."""

    tokens: list[str]
    image: np.ndarray
    glyphs: list[tuple[float, float, int]]


@dataclass
class _Pool:
    """Parsing is slow, so a formula is used about 1/_FRESH_SHARE times, with other margins and wear."""

    drawn: list[Drawn] = field(default_factory=list)
    parser: object = None


_POOL = _Pool()
logging.getLogger("matplotlib.mathtext").setLevel(logging.ERROR)  # accents are "underfull"


def _symbol(rng: random.Random) -> Term:
    kind = rng.random()
    if kind < 0.5:
        return one(rng.choice(_LETTERS))
    if kind < 0.72:
        return one(rng.choice(_GREEK))
    if kind < 0.97:
        return one(rng.choice("0123456789"))
    return one(rng.choice([r"\infty", r"\partial", r"\nabla", r"\ell"]))


def _script(rng: random.Random, depth: int, mark: str) -> Term:
    return joined(_symbol(rng), mark, "{", _expression(rng, depth - 2), "}")


def _both_scripts(rng: random.Random, depth: int) -> Term:
    term = joined(_symbol(rng), "_", "{", _symbol(rng), "}", "^", "{", _symbol(rng), "}")
    first, low, high = term.order
    return Term(term.tokens, [first, high, low])


def _fraction(rng: random.Random, depth: int) -> Term:
    return joined(r"\frac", "{", _expression(rng, depth - 1), "}", "{", _expression(rng, depth - 1), "}")


def _root(rng: random.Random, depth: int) -> Term:
    return joined(one(r"\sqrt"), "{", _expression(rng, depth - 1), "}")


def _sum(rng: random.Random, depth: int) -> Term:
    low = joined(one(rng.choice("ijkn")), one("="), one(rng.choice("01")))
    term = joined(one(rng.choice([r"\sum", r"\prod"])), "_", "{", low, "}", "^", "{", _symbol(rng), "}")
    return joined(Term(term.tokens, [term.order[-1], *term.order[:-1]]), _expression(rng, depth - 1))


def _integral(rng: random.Random, depth: int) -> Term:
    term = joined(one(r"\int"), "_", "{", _symbol(rng), "}", "^", "{", _symbol(rng), "}")
    sign, low, high = term.order
    return joined(Term(term.tokens, [sign, high, low]), _expression(rng, depth - 1))


def _named_function(rng: random.Random, depth: int) -> Term:
    name = rng.choice([r"\sin", r"\cos", r"\log", r"\ln", r"\exp"])
    return joined(one(name, len(name) - 1), one("("), _expression(rng, depth - 1), one(")"))


def _call(rng: random.Random, depth: int) -> Term:
    del depth
    if rng.random() < 0.4:
        return joined(_symbol(rng), one("("), _symbol(rng), one(","), _symbol(rng), one(")"))
    return joined(_symbol(rng), one("("), _symbol(rng), one(")"))


def _bracket(rng: random.Random, depth: int) -> Term:
    return joined(one("("), _sequence(rng, depth - 1, 2), one(")"))


_FORMS: list[tuple[float, Callable[[random.Random, int], Term]]] = [
    (0.15, lambda rng, depth: _script(rng, depth, "^")), (0.15, lambda rng, depth: _script(rng, depth, "_")),
    (0.07, _both_scripts), (0.12, _fraction), (0.05, _root), (0.05, _sum), (0.03, _integral), (0.03, _named_function),
    (0.05, _call), (0.05, _bracket),
]  # fmt: skip


def _expression(rng: random.Random, depth: int) -> Term:
    if depth <= 0 or rng.random() < 0.25:
        return _symbol(rng)
    return rng.choices([form for _, form in _FORMS], [share for share, _ in _FORMS])[0](rng, depth)


def _sequence(rng: random.Random, depth: int, count: int) -> Term:
    parts = [_expression(rng, depth)]
    for _ in range(count - 1):
        operator = rng.choice(_OPERATORS)
        if operator:
            parts.append(one(operator))
        parts.append(_expression(rng, depth))
    return joined(*parts)


def needs_space(token: str, following: str) -> bool:
    """Whether a command would swallow the letter that follows."""
    return len(token) > 1 and token[0] == "\\" and following[:1].isalpha()


def to_latex(tokens: list[str]) -> str:
    """LaTeX source, with a space where a command would swallow the next letter."""
    text = ""
    for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
        text += token + (" " if needs_space(token, following) else "")
    return text


def _ship(term: Term, size: int, font_set: str) -> Any:
    """What mathtext makes of a term, to be drawn; None where it fails."""
    import matplotlib
    from matplotlib import _mathtext, mathtext
    from matplotlib.font_manager import FontProperties
    from matplotlib.ft2font import LoadFlags

    matplotlib.rcParams["mathtext.fontset"] = font_set
    if _POOL.parser is None:
        _POOL.parser = _mathtext.Parser()
    faces = mathtext.MathTextParser._font_type_mapping  # type: ignore[attr-defined]
    fonts = faces[font_set](FontProperties(size=size), LoadFlags.DEFAULT)
    try:
        box = _POOL.parser.parse(f"${to_latex(term.tokens)}$", fonts, size, 72)  # type: ignore[attr-defined]
        return _mathtext.ship(box)
    except (ValueError, RuntimeError):
        return None


def glyph_codes(term: Term, font_set: str) -> list[int]:
    """The font's codes of the visible glyphs, in ship order."""
    shipped = _ship(term, 24, font_set)
    return [] if shipped is None else [glyph[2] for glyph in shipped.to_vector().glyphs]


def render(term: Term, size: int, font_set: str) -> Drawn | None:
    """One parse, shipped twice: as a raster and as glyph places. None where mathtext fails."""
    shipped = _ship(term, size, font_set)
    if shipped is None:
        return None
    vector, image = shipped.to_vector(), 255 - np.asarray(shipped.to_raster(antialiased=True).image)
    glyphs: list[tuple[float, float, int]] = []
    if len(vector.glyphs) == len(term.order):
        for glyph, token in zip(vector.glyphs, term.order, strict=True):
            half = glyph[1] * 0.25
            glyphs.append((glyph[-2] + half + 1, vector.height - glyph[-1] - half + 1, token))
    return Drawn(term.tokens, image, glyphs)


def new_term(rng: random.Random) -> Term:
    """A formula of 2 to 60 tokens."""
    while True:
        term = _sequence(rng, rng.choice([1, 1, 2, 2, 3]), rng.randint(1, 3))
        if rng.random() < 0.7:
            term = joined(term, one(rng.choice(_RELATIONS)), _sequence(rng, rng.choice([0, 1, 2]), rng.randint(1, 2)))
        if 2 <= len(term.tokens) <= 60:
            return term


def new_formula(source: TextSource, make: Callable[[random.Random], Term] = new_term) -> Drawn:
    """A formula that fits 540 x 104 pixels."""
    rng = source.rng
    while True:
        term = make(rng)
        drawn = render(term, rng.randint(18, 30), rng.choice(_TRAIN_FONTS if source.split == "train" else _HELD_FONTS))
        if drawn and drawn.glyphs and drawn.image.shape[1] <= 540 and drawn.image.shape[0] <= 104:
            return drawn


def pooled_formula(source: TextSource, fresh_share: float = _FRESH_SHARE) -> Drawn:
    """A new formula, or in training mostly one that was drawn before; every other one in a form of books."""
    rng, pool = source.rng, _POOL.drawn
    if source.split == "train" and len(pool) >= 200 and rng.random() >= fresh_share:
        return rng.choice(pool)
    drawn = new_formula(source, textbook_term if source.split == "train" and rng.random() < 0.5 else new_term)
    pool.append(drawn)
    if len(pool) > _POOL_SIZE:
        pool.pop(rng.randrange(len(pool)))
    return drawn


_COMMAND_CLASSES = (*range(1, 32), *range(128, 192))  # what canvas.slot_class leaves free: one for each command


def slot_class(token: str) -> int:
    """A glyph's slot class: its own code, or the command's."""
    return ord(token) if len(token) == 1 else _COMMAND_CLASSES[LATEX.index(token)]


def formula(source: TextSource) -> Sample:
    """A formula crop by mathtext."""
    rng, drawn = source.rng, pooled_formula(source)
    above, below, left, right = (rng.randint(2, 8) for _ in range(4))
    height, width = drawn.image.shape
    columns = max(4, 2 * round((width + left + right) / (2 * TOKEN)))
    if rng.random() < 0.5:
        right = max(right, columns * TOKEN - width - left)
    picture = np.full((height + above + below, width + left + right), 255, np.uint8)
    picture[above : above + height, left : left + width] = drawn.image
    ink = formula_ink(drawn.tokens, [(left + x, above + y, token) for x, y, token in drawn.glyphs])
    return pack_formula(source, Image.fromarray(picture), ink)


def formula_ink(tokens: list[str], glyphs: list[tuple[float, float, int]]) -> Ink:
    """Characters and answer of a formula from its glyph places (x, y, token index)."""
    ink = Ink()
    shown_by = [-1] * len(tokens)
    for x, y, token in glyphs:
        ink.characters.append((slot_class(tokens[token]), x, y))
        if shown_by[token] < 0:
            shown_by[token] = len(ink.characters) - 1
    for index, text in enumerate(tokens):
        ink.add_answer(ID[text] if len(text) > 1 else ord(text), shown_by[index])
        if needs_space(text, tokens[index + 1] if index + 1 < len(tokens) else ""):
            ink.add_answer(32, -1)
    return ink


def pack_formula(source: TextSource, image: Image.Image, ink: Ink) -> Sample:
    """A formula's sample; the width becomes a multiple of two tokens, so that batches fill.

    Most are enlarged, with paper below up to whole tokens, as octavo does it with the hints in octavo.json: signs of
    scripts are small, and a squeeze to whole rows makes them smaller. The rest goes through the preprocessor's resize.
    """
    rng = source.rng
    crop = Image.fromarray(worn(source, image, ink))
    if rng.random() < _ENLARGED_SHARE:
        factor = rng.uniform(1.0, min(_MOST_ENLARGED, max(1.0, _WIDEST / crop.width)))
        wide, high = round(crop.width * factor), round(crop.height * factor)
        columns, rows = max(4, 2 * -(-wide // (2 * TOKEN))), -(-high // TOKEN) * TOKEN
        paper = int(np.median(np.asarray(crop)))
        resized = Image.new("L", (columns * TOKEN, rows), paper)
        resized.paste(crop.resize((wide, high), Image.Resampling.BICUBIC), (0, 0))
        across = down = factor
    else:
        columns = max(4, 2 * round(crop.width / (2 * TOKEN)))
        rows, _ = smart_resize(crop.height, crop.width)
        resized = crop.resize((columns * TOKEN, rows), Image.Resampling.BICUBIC)
        across, down = columns * TOKEN / crop.width, rows / crop.height
    ink.characters = [(code, x * across, y * down) for code, x, y in ink.characters]
    return pack(np.asarray(resized), ink, "formula")
