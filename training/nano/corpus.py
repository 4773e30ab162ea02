"""Builds corpus_train.txt and corpus_held.txt (one paragraph a line, printable ASCII) from texts of Debian packages.

The Jargon File, The Devil's Dictionary and four fortune collections are held out. FOLDOC is not used at all: it quotes
the Jargon File, which would leak held-out text into training.
"""

import argparse
import glob
import gzip
import html
import os
import random
import re
from collections.abc import Iterator

_TO_ASCII = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2026": "...",
    "\u00a0": " ",
})  # fmt: skip
_HELD_FORTUNES = ("literature", "wisdom", "people", "love")


def to_ascii_line(text: str) -> str:
    """One line with quotes and dashes as ASCII; empty when other non-ASCII characters remain."""
    line = re.sub(r"\s+", " ", text.translate(_TO_ASCII)).strip()
    return line if line and all(32 <= ord(c) < 127 for c in line) else ""


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs that are mostly letters, cut at 3000 characters."""
    for block in re.split(r"\n\s*\n", text):
        line = to_ascii_line(block)
        if len(line) >= 40 and sum(c.isalpha() for c in line) > 0.6 * len(line):
            yield line[:3000]


def read_text(path: str) -> str:
    """Content of a plain or gzip file; undecodable bytes are replaced."""
    opener = gzip.open if path.endswith((".gz", ".dz")) else open
    with opener(path, "rb") as handle:
        return handle.read().decode("utf-8", "replace")


def strip_html(text: str) -> str:
    """Visible text of a page, a blank line after each block element."""
    text = re.sub(r"(?is)<(script|style|pre).*?</\1>", " ", text)
    text = re.sub(r"(?i)</(p|div|li|h\d|dd|dt|td)>", "\n\n", text)
    return html.unescape(re.sub(r"<[^>]+>", "", text))


def _fortunes() -> tuple[list[str], list[str]]:
    train: list[str] = []
    held: list[str] = []
    for path in sorted(glob.glob("/usr/share/games/fortunes/*")):
        name = os.path.basename(path)
        if "." not in name:
            target = held if name in _HELD_FORTUNES else train
            target += [to_ascii_line(quote)[:3000] for quote in re.split(r"\n%\n", read_text(path))]
    return train, held


def _dictionary(name: str) -> list[str]:
    found: list[str] = []
    for path in glob.glob(f"/usr/share/dictd/{name}.dict.dz"):
        found += paragraphs(re.sub(r"[{}]", "", read_text(path)))
    return found


def _manuals() -> list[str]:
    found: list[str] = []
    for path in sorted(glob.glob("/usr/share/perl/5*/pod/*.pod"))[:80]:
        prose = re.sub(r"(?m)^(=.*|[ \t].*)$", "", read_text(path))
        found += paragraphs(re.sub(r"[A-Z]<+([^<>]*)>+", r"\1", prose))
    pages: list[str] = []
    for root in ("/usr/share/doc/python3*/html", "/usr/share/debian-policy", "/usr/share/developers-reference"):
        pages += sorted(glob.glob(f"{root}/**/*.html", recursive=True))
    random.Random(2).shuffle(pages)
    for path in pages[:250]:
        found += paragraphs(strip_html(read_text(path)))
    return found


def build() -> tuple[list[str], list[str]]:
    """(training paragraphs, held-out paragraphs), shuffled with fixed seeds, without common entries."""
    train, held = _fortunes()
    for name in ("gcide", "vera"):
        entries = _dictionary(name)
        random.Random(1).shuffle(entries)
        train += entries[:30000]
    train += _manuals()
    held += _dictionary("devil") + _dictionary("jargon")
    held_set = {text for text in held if len(text) >= 30}
    train_set = {text for text in train if len(text) >= 30} - held_set
    train, held = sorted(train_set), sorted(held_set)
    random.Random(3).shuffle(train)
    random.Random(4).shuffle(held)
    return train, held


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", help="folder for the two files")
    out: str = parser.parse_args().out
    os.makedirs(out, exist_ok=True)
    for split, texts in zip(("train", "held"), build(), strict=True):
        with open(os.path.join(out, f"corpus_{split}.txt"), "w", encoding="ascii") as handle:
            handle.write("\n".join(texts))
        print(split, len(texts), "paragraphs,", sum(map(len, texts)), "characters")


if __name__ == "__main__":
    main()
