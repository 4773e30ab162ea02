"""The faces of `nano.fonts` as groff fonts: subset by fontTools, made Type 1 by fontforge, described for gropdf.

Glyphs beyond ASCII are named by their code point ("xE9", "x03B1"), so that groff's intermediate output says which
character stands where. A folder of fonts is filled as faces are asked for and is kept; several processes may share it.
"""

import json
import logging
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache

from fontTools import agl, subset
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from nano.fonts import HELD_FAMILIES, TRAIN_FAMILIES

_LATIN = "".join(chr(code) for code in range(0xC0, 0x100) if code not in (0xD7, 0xF7))
TEXT_CHARACTERS = (
    "".join(map(chr, range(32, 127)))
    + _LATIN
    + "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\ufb00\ufb01\ufb02\ufb03\ufb04"
)
#: What formulas need beyond the italic and upright letters of a text face.
MATH_CHARACTERS = (
    "".join(chr(code) for code in range(0x391, 0x3CA) if code != 0x3A2)
    + "+=<>()[]|\u2212\u2211\u220f\u222b\u221e\u2202\u2207\u22c5\u00d7\u00b1\u2264\u2265\u2260\u2248\u2261\u2192\u2208"
    + "\u2282\u223c\u221d\u221a\u2113\u03d1\u03d5\u03f5\ue000"
)
#: U+E000 is the bar of a root, which `_add_root_bar` makes. The families are TrueType.
#: The family of the mathematical glyphs by split.
MATH_FAMILIES: dict[str, tuple[str, ...]] = {"train": ("FreeSerif", "DejaVu Serif"), "held": ("DejaVu Math TeX Gyre",)}
#: groff's own names of ASCII glyphs and ligatures.
_ALIASES: dict[int, tuple[str, ...]] = {
    0x2D: ("hy", "\\-"), 0xFB00: ("ff",), 0xFB01: ("fi",), 0xFB02: ("fl",), 0xFB03: ("Fi",), 0xFB04: ("Fl",),
    0x221A: ("sr", "sqrt"), 0xE000: ("radicalex",), 0x22: ("dq",), 0x5C: ("rs",), 0x5E: ("ha",), 0x7E: ("ti",),
    0x60: ("ga",),
}  # fmt: skip
_STYLES = {"R": ("Regular", "Book", "Roman", "Medium"), "I": ("Italic", "Oblique"), "B": ("Bold",),
           "BI": ("Bold Italic", "Bold Oblique", "BoldItalic")}  # fmt: skip
GlyphBox = tuple[float, float, float, float, float]


@dataclass(frozen=True)
class GroffFace:
    """Thousandths of the type size: glyph name -> (width, left, bottom, right, top) of its ink."""

    name: str
    glyphs: dict[str, GlyphBox]


def glyph_name(char: str) -> str:
    """groff's name of a character in these fonts."""
    return char if char.isascii() else f"x{ord(char):04X}"


def character(name: str) -> str:
    """The character of a glyph name in groff's output; ligatures of groff's own names included."""
    for code, names in _ALIASES.items():
        if name in names:
            return chr(code)
    if re.fullmatch(r"x[0-9A-F]{4}", name):
        return chr(int(name[1:], 16))
    return name if len(name) == 1 else ""


@cache
def families(split: str) -> dict[str, dict[str, str]]:
    """Family -> style (R, I, B, BI) -> file, for the families of a split that have all of R, I and B."""
    wanted = TRAIN_FAMILIES if split == "train" else HELD_FAMILIES
    pattern = "%{file}|%{family[0]}|%{style[0]}|%{variable}|%{index}\n"
    listing = subprocess.run(["fc-list", "--format", pattern], capture_output=True, text=True, check=True).stdout
    files: dict[str, dict[str, str]] = {}
    for line in sorted(listing.splitlines()):
        path, family, style, variable, index = (line.split("|") + [""] * 5)[:5]
        if family not in wanted or variable == "True" or index not in ("0", "") or not path.endswith((".ttf", ".otf")):
            continue
        for short, names in _STYLES.items():
            if style in names or re.sub(r"^1[02] ", "", style) in names:
                files.setdefault(family, {}).setdefault(short, path)
    return {family: styles for family, styles in sorted(files.items()) if {"R", "I", "B"} <= styles.keys()}


def _math_file(family: str) -> str:
    command = ["fc-match", "-f", "%{file}|%{family[0]}", f"{family}:style=Regular"]
    path, found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("|")
    if found != family:
        raise RuntimeError(f"found no face of {family}, expected the packages of training/packages.txt")
    return path


def _add_root_bar(font: TTFont) -> None:
    """A bar of half an em at the height of the root sign's top; eqn repeats it over what is under the root."""
    table, root = font["glyf"], font.getBestCmap()[0x221A]
    em, top = font["head"].unitsPerEm, table[root].yMax
    pen = TTGlyphPen(None)
    left, right, low = 0.48 * em, 1.09 * em, top - 0.05 * em  # as in Adobe's Symbol, from which eqn has its moves
    corners = ((left, low), (left, top), (right, top), (right, low))
    pen.moveTo(corners[0])
    for corner in corners[1:]:
        pen.lineTo(corner)
    pen.closePath()
    font.setGlyphOrder([*font.getGlyphOrder(), "radicalex"])
    bar = table["radicalex"] = pen.glyph(round=round)
    bar.recalcBounds(table)
    font["hmtx"]["radicalex"] = (em // 2, 0)
    for subtable in font["cmap"].tables:
        if subtable.isUnicode():
            subtable.cmap[0xE000] = "radicalex"


def _to_type1(path: str, characters: str, folder: str, name: str) -> str:
    """Writes folder/name.pfa with these characters and returns its AFM."""
    options = subset.Options()
    options.layout_features = ["kern"]
    options.glyph_names = options.notdef_outline = True
    options.drop_tables += ["FFTM", "MATH", "GSUB", "DSIG"]
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it names every table that it drops
    font = subset.load_font(path, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    if characters == MATH_CHARACTERS:
        _add_root_bar(font)
    with tempfile.TemporaryDirectory() as work:
        reduced = os.path.join(work, "face" + os.path.splitext(path)[1])
        subset.save_font(font, reduced, options)
        script = 'Open($1); ScaleToEm(1000); SetFontNames($3); Generate($2, "", 0x1001)'
        command = ["fontforge", "-lang=ff", "-c", script, reduced, os.path.join(work, "face.pfa"), f"Octavo-{name}"]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"fontforge could not convert {path}: {run.stderr.strip()[-300:]}")
        os.replace(_copied(os.path.join(work, "face.pfa"), folder, name), os.path.join(folder, f"{name}.pfa"))
        with open(os.path.join(work, "face.afm"), encoding="latin-1") as handle:
            return handle.read()


def _copied(path: str, folder: str, name: str) -> str:
    part = os.path.join(folder, f"{name}.{os.getpid()}.part")
    with open(path, "rb") as source, open(part, "wb") as target:
        target.write(source.read())
    return part


def _describe(afm: str, path: str, name: str, characters: str) -> tuple[str, dict[str, GlyphBox]]:
    """groff's font description and the glyph boxes, from an AFM."""
    with TTFont(path, lazy=True) as font:
        named = {glyph: code for code, glyph in sorted((font.getBestCmap() or {}).items(), reverse=True)}
    lines, boxes, codes, space = [], {}, iter(c for c in range(128, 256)), 250.0
    names_of: dict[str, list[str]] = {}
    is_special = characters == MATH_CHARACTERS
    pattern = r"C (-?\d+) ; WX (-?[\d.]+) ; N (\S+) ; B (-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+)"
    for given, width, glyph, *edges in re.findall(pattern, afm):
        unicode = agl.toUnicode(glyph)
        code = named.get(glyph) or max(0, int(given)) or (ord(unicode) if len(unicode) == 1 else 0)
        if glyph == "radicalex":
            code = 0xE000
        if code == 32:
            space = float(width)
            lines.append(f"space\t{round(float(width))},0,0\t0\t32\t{glyph}")
        if code <= 32 or chr(code) not in characters or glyph in names_of:
            continue
        if code > 126 and (slot := next(codes, None)) is None:
            continue
        left, bottom_edge, right, top_edge = (float(edge) for edge in edges)
        box = (float(width), left, bottom_edge, right, top_edge)
        groff_names = [glyph_name(chr(code)), *_ALIASES.get(code, ())]
        names_of[glyph] = groff_names
        for at, groff_name in enumerate(groff_names):
            boxes[groff_name] = box
            metrics = f"{round(box[0])},{max(0, round(top_edge))},{max(0, round(-bottom_edge))}"
            if at == 0:
                lines.append(f"{groff_name}\t{metrics}\t3\t{code if code < 127 else slot}\t{glyph}")
            else:
                lines.append(f'{groff_name}\t"')
    kerns = [
        f"{names_of[a][0]} {names_of[b][0]} {round(float(kern))}"
        for a, b, kern in re.findall(r"KPX (\S+) (\S+) (-?[\d.]+)", afm)
        if a in names_of and b in names_of and not is_special
    ]
    ligatures = [name for name in ("fi", "fl", "ff", "Fi", "Fl") if name in boxes]
    head = [f"name {name}", f"internalname Octavo-{name}", f"spacewidth {round(space)}"]
    if is_special:
        head.append("special")
    elif ligatures:
        head.append(f"ligatures {' '.join(ligatures).replace('Fi', 'ffi').replace('Fl', 'ffl')} 0")
    if kerns:
        head += ["kernpairs", *kerns]
    return "\n".join([*head, "charset", *lines]) + "\n", boxes


class GroffFonts:
    """A folder for groff's -F, filled on demand."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.folder = os.path.join(root, "devpdf")
        os.makedirs(self.folder, exist_ok=True)
        self._faces: dict[str, GroffFace] = {}

    def _face(self, name: str, path: str, characters: str) -> str:
        described = os.path.join(self.folder, name)
        if not os.path.exists(f"{described}.json"):
            afm = _to_type1(path, characters, self.folder, name)
            text, boxes = _describe(afm, path, name, characters)
            for end, content in (("", text), (".json", json.dumps(boxes))):
                part = f"{described}.{os.getpid()}.part"
                with open(part, "w", encoding="ascii") as handle:
                    handle.write(content)
                os.replace(part, described + end)
        return name

    def face(self, name: str) -> GroffFace:
        """What is known of a font that was made before."""
        if name not in self._faces:
            with open(os.path.join(self.folder, f"{name}.json"), encoding="ascii") as handle:
                boxes = {glyph: tuple(box) for glyph, box in json.load(handle).items()}
            self._faces[name] = GroffFace(name, boxes)
        return self._faces[name]

    def family(self, split: str, family: str) -> str:
        """groff's name of a family, its faces made where they are missing (a missing BI is the B)."""
        short = "F" + re.sub("[^A-Za-z]", "", family)
        files = families(split)[family]
        for style in _STYLES:
            self._face(short + style, files.get(style, files["B"]), TEXT_CHARACTERS)
        return short

    def math(self, family: str) -> str:
        """groff's name of a special font with the mathematical glyphs of a family."""
        return self._face("M" + re.sub("[^A-Za-z]", "", family), _math_file(family), MATH_CHARACTERS)

    def write_download(self) -> None:
        """The list from which groff's PDF driver embeds fonts; call after the fonts of a document are made."""
        names = sorted(name[:-4] for name in os.listdir(self.folder) if name.endswith(".pfa"))
        part = os.path.join(self.folder, f"download.{os.getpid()}.part")
        with open(part, "w", encoding="utf-8") as handle:
            handle.writelines(f"\tOctavo-{name}\t{self.folder}/{name}.pfa\n" for name in names)
        os.replace(part, os.path.join(self.folder, "download"))
