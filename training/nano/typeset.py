"""Runs groff and says where everything stands: a document's pages as pictures, with the place of every glyph and rule.

groff's intermediate output names each glyph with its position, and goes to its PDF driver unchanged; poppler draws the
PDF. Truth and picture are therefore of one layout. Sources mark what they want to find again by `mark`.
"""

import os
import subprocess
import tempfile
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from nano.groff_fonts import GroffFonts, character, glyph_name

Box = tuple[float, float, float, float]
Place = tuple[str, int, float, float]  # name, index of the glyph that follows, where it is in points
_RESOLUTION = 72000.0  # of groff's PDF device: 1000 units a point
_RAW = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,;:()!?+=/*&%$#<>|[]{}@-.'_")


@dataclass(frozen=True)
class Glyph:
    """A character on a page, in points from the upper left corner: its origin, its advance, the box of its ink."""

    char: str
    x: float
    y: float
    width: float
    box: Box
    size: float


@dataclass
class Marked:
    """What stands between the two marks of one name: glyphs in order, rules (boxes), inner places by name."""

    glyphs: list[Glyph] = field(default_factory=list)
    rules: list[Box] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


@dataclass
class TypesetPage:
    """Size in points; what stands between marks, by name; the picture where it was asked for."""

    width: float
    height: float
    marked: dict[str, Marked] = field(default_factory=dict)
    image: np.ndarray | None = None


def escape(text: str) -> str:
    """`text` as groff input, for running text and for quoted strings of eqn alike."""
    shown = "".join(
        char if char in _RAW else "\\[rs]" if char == "\\" else f"\\[{glyph_name(char)}]" if not char.isascii() else
        f"\\[{_ASCII_NAMES[char]}]"
        for char in text
    )  # fmt: skip
    return "\\&" + shown if shown[:1] in (".", "'") else shown


_ASCII_NAMES = {'"': "dq", "^": "ha", "~": "ti", "`": "ga"}


def mark(name: str) -> str:
    """An invisible mark. "+NAME" opens, "-NAME" closes; any other is a place inside what is open."""
    return f"\\X'octavo {name}'"


def between_lines(inline: str) -> str:
    """A `mark` for use between requests, where an inline one would begin a line of text."""
    return "\\!x X " + inline[3:-1]


def bounds(boxes: list[Box]) -> Box:
    """The smallest box around boxes."""
    return (
        min(box[0] for box in boxes), min(box[1] for box in boxes),
        max(box[2] for box in boxes), max(box[3] for box in boxes),
    )  # fmt: skip


class _Reader:
    """Interprets groff's intermediate output (groff_out(5)), the commands that the PDF device gets."""

    def __init__(self, fonts: GroffFonts, width: float, height: float) -> None:
        self.fonts, self.size_of_page = fonts, (width, height)
        self.pages: list[TypesetPage] = []
        self.open: list[str] = []
        self.mounted: dict[int, str] = {}
        self.x = self.y = 0
        self.font, self.size = "", 10.0

    def _targets(self) -> list[Marked]:
        """Only the innermost open mark: a running title that is set amid a paragraph is no part of it."""
        return [self.pages[-1].marked.setdefault(self.open[-1], Marked())] if self.open else []

    def _glyph(self, name: str, advances: bool) -> None:
        known = self.fonts.face(self.font).glyphs.get(name) if self.font[:1] in "FM" else None
        if known is None:
            return
        scale, x, y = self.size / 1000, self.x / 1000, self.y / 1000
        box = (x + known[1] * scale, y - known[4] * scale, x + known[3] * scale, y - known[2] * scale)
        for target in self._targets():
            target.glyphs.append(Glyph(character(name), x, y, known[0] * scale, box, self.size))
        if advances:
            self.x += round(known[0] * self.size)

    def _draw(self, words: list[str]) -> None:
        moves = [int(word) for word in words[1:] if word.lstrip("-").isdigit()]
        if words[0] in "cCeE":
            self.x += moves[0]
        elif words[0] in "pP~a":
            self.x, self.y = self.x + sum(moves[0::2]), self.y + sum(moves[1::2])
        elif words[0] == "l":
            x, y = self.x + moves[0], self.y + moves[1]
            box = (min(self.x, x) / 1000, min(self.y, y) / 1000, max(self.x, x) / 1000, max(self.y, y) / 1000)
            for target in self._targets():
                target.rules.append(box)
            self.x, self.y = x, y

    def _control(self, words: list[str]) -> None:
        if words[0] == "font":
            self.mounted[int(words[1])] = words[2]
        elif words[0] == "X" and words[1:2] == ["octavo"]:
            name = words[2]
            if name[0] == "+":
                self.open.append(name[1:])
                self._targets()
            elif name[0] == "-":
                if name[1:] in self.open:
                    self.open.remove(name[1:])
            else:
                for target in self._targets():
                    target.places.append((name, len(target.glyphs), self.x / 1000, self.y / 1000))

    def read(self, output: str) -> list[TypesetPage]:
        for line in output.splitlines():
            self._line(line)
        return self.pages

    def _line(self, line: str) -> None:
        at = 0
        while at < len(line):
            code, rest = line[at], line[at + 1 :]
            if code in "xDtuC#+":
                argument = rest if code in "xD#+" else rest.split(" ")[0]
                self._long(code, argument)
                at += 1 + len(argument)
            elif code == "c":
                self._glyph(rest[:1], False)
                at += 2
            elif code.isdigit():
                self.x += int(line[at : at + 2])
                self._glyph(line[at + 2], False)
                at += 3
            elif code in "nNHVhvsfpm":
                number = ""
                for char in rest.lstrip() if code != "m" else "":
                    if not (char.isdigit() or (char == "-" and not number)):
                        break
                    number += char
                if code in "nm":
                    return
                self._number(code, int(number or 0))
                at += 1 + len(rest) - len(rest.lstrip()) + len(number)
            else:  # w, blanks
                at += 1

    def _long(self, code: str, argument: str) -> None:
        if code == "x":
            words = argument.split()
            if words and words[0][0] in "fX":
                self._control(["font", *words[1:]] if words[0][0] == "f" else ["X", *words[1:]])
        elif code == "D":
            self._draw([argument[0], *argument[1:].split()])
        elif code == "t":
            for char in argument:
                self._glyph(char, True)
        elif code == "C":
            self._glyph(argument, False)

    def _number(self, code: str, value: int) -> None:
        if code == "H":
            self.x = value
        elif code == "V":
            self.y = value
        elif code == "h":
            self.x += value
        elif code == "v":
            self.y += value
        elif code == "s":
            self.size = value / 1000
        elif code == "f":
            self.font = self.mounted.get(value, "")
        elif code == "p":
            self.pages.append(TypesetPage(*self.size_of_page))


def layout(source: str, fonts: GroffFonts, macros: str, size: tuple[float, float]) -> tuple[str, list[TypesetPage]]:
    """(intermediate output, pages without pictures) of a groff source with tables and equations."""
    command = ["groff", "-t", "-e", "-Z", "-Tpdf", f"-m{macros}", "-F", fonts.root]
    run = subprocess.run(command, input=source, capture_output=True, text=True, encoding="latin-1")
    if run.returncode:
        raise RuntimeError(f"groff failed: {run.stderr.strip()[-300:]}")
    return run.stdout, _Reader(fonts, *size).read(run.stdout)


def draw(output: str, fonts: GroffFonts, pages: list[TypesetPage], dpi: float) -> None:
    """Draws an intermediate output through PDF and puts the pictures (uint8, black on white) into the pages."""
    fonts.write_download()
    with tempfile.TemporaryDirectory() as work:
        pdf = to_pdf(output, fonts, pages[0].width, pages[0].height)
        command = ["pdftoppm", "-gray", "-r", str(dpi), "-", os.path.join(work, "page")]
        subprocess.run(command, input=pdf, check=True, stderr=subprocess.DEVNULL)
        for page, name in zip(pages, sorted(os.listdir(work)), strict=False):
            page.image = np.asarray(Image.open(os.path.join(work, name)).convert("L"))


def to_pdf(output: str, fonts: GroffFonts, width: float, height: float) -> bytes:
    """The PDF of an intermediate output; the driver wants the length of the paper first."""
    fonts.write_download()
    command = ["gropdf", f"-F{fonts.root}:/usr/share/groff/current/font", f"-p{height / 72}i,{width / 72}i"]
    run = subprocess.run(command, input=output.encode("latin-1"), capture_output=True)
    if run.returncode or not run.stdout.startswith(b"%PDF"):
        raise RuntimeError(f"gropdf failed: {run.stderr.decode(errors='replace').strip()[-300:]}")
    return run.stdout
