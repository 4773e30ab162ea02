"""The fonts that the crops are drawn in: text faces of Debian packages with full ASCII, found through fontconfig."""

import os
import subprocess
from dataclasses import dataclass
from functools import cache

TRAIN_FAMILIES: frozenset[str] = frozenset({
    "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "Liberation Sans", "Liberation Serif", "Liberation Mono",
    "Liberation Sans Narrow", "FreeSans", "FreeSerif", "FreeMono", "TeX Gyre Termes", "TeX Gyre Pagella",
    "TeX Gyre Bonum", "TeX Gyre Schola", "TeX Gyre Heros", "TeX Gyre Adventor", "TeX Gyre Cursor", "TeX Gyre Heros Cn",
    "Latin Modern Roman", "Latin Modern Sans", "Latin Modern Mono", "CMU Serif", "CMU Concrete", "CMU Bright",
    "Noto Sans", "Noto Serif", "Open Sans", "Roboto", "Roboto Condensed", "Inter", "Cabin", "Cantarell",
    "Linux Biolinum O", "Arimo", "STIX", "Carlito", "EB Garamond", "Tinos",
})  # fmt: skip
#: Never trained on; the evaluation draws in these.
HELD_FAMILIES: frozenset[str] = frozenset({
    "Lato", "Caladea", "Linux Libertine O", "Cousine", "CMU Sans Serif", "Noto Sans Display", "Noto Serif Display",
})  # fmt: skip
_STYLE_WEIGHT: dict[str, float] = {
    "Regular": 3, "Book": 3, "Roman": 3, "Medium": 1, "Bold": 1, "Italic": 1, "Oblique": 1, "Bold Italic": 0.3,
    "10 Regular": 3, "12 Regular": 3, "10 Bold": 1, "10 Italic": 1,
}  # fmt: skip
_LATIN_MODERN_FILES = ("lmroman10", "lmroman12", "lmsans10", "lmmono10")


@dataclass(frozen=True)
class FontFile:
    """One face; `weight` is its share among the faces of its family."""

    path: str
    family: str
    weight: float


def _style_weight(family: str, style: str, path: str) -> float:
    if family.startswith("Latin Modern") and not os.path.basename(path).startswith(_LATIN_MODERN_FILES):
        return 0.0  # the optical sizes of one face would crowd out the other families
    name = style if style in _STYLE_WEIGHT or not style[:1].isdigit() else style.split(" ", 1)[-1]
    return _STYLE_WEIGHT.get(name, 0.0)


@cache
def find_fonts() -> dict[str, list[FontFile]]:
    """Installed faces by split ("train", "held"), in a fixed order."""
    pattern = "%{file}|%{family}|%{style}|%{variable}|%{index}\n"
    listing = subprocess.run(["fc-list", "--format", pattern], capture_output=True, text=True, check=True).stdout
    found: dict[str, list[FontFile]] = {"train": [], "held": []}
    for line in sorted(listing.splitlines()):
        path, family, style, variable, index = (line.split("|") + [""] * 5)[:5]
        family, style = family.split(",")[0], style.split(",")[0]
        if variable == "True" or index not in ("0", "") or not path.endswith((".ttf", ".otf")):
            continue
        weight = _style_weight(family, style, path)
        for split, families in (("train", TRAIN_FAMILIES), ("held", HELD_FAMILIES)):
            if family in families and weight > 0:
                found[split].append(FontFile(path, family, weight))
    return found


@cache
def typographic_characters(path: str) -> frozenset[str]:
    """Which of the quotes, dashes, bullets and ligatures the face can draw."""
    from fontTools.ttLib import TTFont

    with TTFont(path, lazy=True) as font:
        cmap = font.getBestCmap() or {}
    return frozenset(
        c
        for c in "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\u25aa\ufb00\ufb01\ufb02\ufb03\ufb04"
        if ord(c) in cmap
    )


if __name__ == "__main__":
    for split, faces in find_fonts().items():
        print(split, len(faces), sorted({face.family for face in faces}))
