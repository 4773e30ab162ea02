"""Random texts and fonts for the crops of one split."""

import os
import random

import numpy as np
from PIL import ImageFont

from nano.fonts import find_fonts

_WORD_LIST = "/usr/share/dict/american-english-large"


_ACCENTS = {
    "a": "\u00e0\u00e1\u00e2\u00e3\u00e4\u00e5\u00e6", "c": "\u00e7", "e": "\u00e8\u00e9\u00ea\u00eb\u00e9\u00e9",
    "i": "\u00ec\u00ed\u00ee\u00ef", "n": "\u00f1", "o": "\u00f2\u00f3\u00f4\u00f5\u00f6\u00f8", "s": "\u00df",
    "u": "\u00f9\u00fa\u00fb\u00fc", "y": "\u00fd\u00ff", "d": "\u00f0", "t": "\u00fe",
}  # fmt: skip


def accented(rng: random.Random, text: str) -> str:
    """`text` with about every third word given an accented Latin-1 letter."""
    words = text.split(" ")
    for at, word in enumerate(words):
        places = [index for index, char in enumerate(word) if char.lower() in _ACCENTS]
        if places and rng.random() < 0.35:
            index = rng.choice(places)
            new = rng.choice(_ACCENTS[word[index].lower()])
            upper = new.upper() if len(new.upper()) == 1 and ord(new.upper()) < 256 else new
            words[at] = word[:index] + (upper if word[index].isupper() else new) + word[index + 1 :]
    return " ".join(words)


class TextSource:
    """Texts, words, numbers and fonts of one split, all drawn from one seeded generator.

    `split` is "train" or "held"; `faces` may name the other split, to tell unseen texts from unseen fonts.
    """

    accents = True  # whether training texts have some; faces of all families have Latin-1

    def __init__(self, data_dir: str, split: str, seed: int, faces: str | None = None) -> None:
        self.rng = random.Random(seed)
        self.noise = np.random.default_rng(seed)
        self.split = split
        self.data_dir = data_dir
        with open(os.path.join(data_dir, f"corpus_{split}.txt"), encoding="ascii") as handle:
            self.paragraphs = handle.read().split("\n")
        with open(_WORD_LIST, encoding="utf-8") as handle:
            self.words = [word for word in handle.read().split() if word.isascii()]
        fonts = find_fonts()[faces or split]
        if not fonts:
            raise RuntimeError(
                f"no font of split {faces or split!r} found, expected the packages of training/README.md"
            )
        family_total: dict[str, float] = {}
        for font in fonts:
            family_total[font.family] = family_total.get(font.family, 0.0) + font.weight
        self._paths = [font.path for font in fonts]
        self._weights = [font.weight / family_total[font.family] ** 0.5 for font in fonts]
        names = [(path, os.path.basename(path).lower()) for path in self._paths]
        self._monospaced = [path for path, name in names if "mono" in name or "cursor" in name] or self._paths
        self._fonts: dict[tuple[str, int], ImageFont.FreeTypeFont] = {}
        self._advances: dict[tuple[str, int], dict[str, float]] = {}

    def font_path(self) -> str:
        """A random face; families with many faces count less than in proportion."""
        return self.rng.choices(self._paths, self._weights)[0]

    def monospaced_path(self) -> str:
        """A random face of fixed pitch, where the split has one."""
        return self.rng.choice(self._monospaced)

    def font(self, path: str, size: int) -> ImageFont.FreeTypeFont:
        """The face at a pixel size, cached."""
        key = (path, size)
        if key not in self._fonts:
            if len(self._fonts) > 4000:  # each open face holds memory
                self._fonts.clear()
                self._advances.clear()
            self._fonts[key] = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
            self._advances[key] = {}
        return self._fonts[key]

    def advances(self, path: str, size: int, text: str) -> np.ndarray:
        """Advance of each character in pixels, without kerning."""
        font = self.font(path, size)
        known = self._advances[path, size]
        widths = np.empty(len(text))
        for index, char in enumerate(text):
            width = known.get(char)
            if width is None:
                width = known[char] = font.getlength(char)
            widths[index] = width
        return widths

    def number(self) -> str:
        """A number as documents write them: plain, decimal, grouped, percent, money, year, date."""
        rng, kind = self.rng, self.rng.random()
        if kind < 0.3:
            return str(rng.randint(0, 10 ** rng.randint(1, 6)))
        if kind < 0.5:
            return f"{rng.uniform(0, 10 ** rng.randint(0, 4)):.{rng.randint(1, 3)}f}"
        if kind < 0.6:
            return f"{rng.randint(0, 10**7):,}"
        if kind < 0.7:
            return f"{rng.randint(0, 100)}%"
        if kind < 0.8:
            return f"${rng.randint(0, 10**5):,}.{rng.randint(0, 99):02d}"
        if kind < 0.9:
            return f"({rng.randint(1800, 2030)})"
        return f"{rng.randint(1, 31)}/{rng.randint(1, 12)}/{rng.randint(1900, 2030)}"

    def prose(self, length: int) -> str:
        """At most `length` characters of running text, cut at words where possible."""
        rng = self.rng
        text = rng.choice(self.paragraphs)
        while len(text) < length:
            text += " " + rng.choice(self.paragraphs)
        start = rng.randint(0, len(text) - length)
        start = 0 if start == 0 or rng.random() < 0.3 else text.find(" ", start) + 1
        piece = text[start : start + length]
        if len(text) > start + length and text[start + length] != " " and " " in piece:
            piece = piece.rsplit(" ", 1)[0]
        return piece

    def word_salad(self, length: int) -> str:
        """Dictionary words with random case, punctuation and numbers: keeps the decoder from guessing by grammar."""
        rng, text = self.rng, ""
        while len(text) < length:
            word, case, extra = rng.choice(self.words), rng.random(), rng.random()
            if case < 0.2:
                word = word.capitalize()
            elif case < 0.27:
                word = word.upper()
            if extra > 0.9:
                word = self.number()
            elif extra > 0.8:
                word += rng.choice(",.;:!?)")
            elif extra > 0.77:
                word = rng.choice("(\"['") + word + rng.choice(")\"]'")
            text += word + " "
        return text

    def text(self, length: int) -> str:
        """About `length` characters: prose; in training also 18 % word salad, 9 % numbers, 7 % random characters."""
        rng, kind = self.rng, self.rng.random()
        if self.split != "train" or kind < 0.66:
            text = self.prose(length)
        elif kind < 0.84:
            text = self.word_salad(length)
        elif kind < 0.93:
            text = ""
            while len(text) < length:
                text += self.number() + rng.choice([" ", " ", " ", ", ", " - "])
        else:
            text = ""
            while len(text) < length:
                text += "".join(chr(rng.randint(33, 126)) for _ in range(rng.randint(1, 9))) + " "
        if kind < 0.84 and rng.random() < 0.05:
            text = text.upper()
        if self.split == "train" and self.accents and kind < 0.84 and rng.random() < 0.06:
            text = accented(rng, text)
        return text.strip()[:length].strip() or "a"
