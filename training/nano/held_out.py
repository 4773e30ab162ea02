"""The held-out sets: texts and font families that training never sees, from fixed seeds; and crops of page pictures."""

import glob
import os

import numpy as np
from PIL import Image

from nano import formulas, pages, tables, text_crops
from nano.canvas import TOKEN, Ink, Sample, pack
from nano.text_source import TextSource

_LINE_COLUMNS = (6, 10, 14, 20, 28, 36, 44, 52)
_SHORT_COLUMNS = (8, 12, 16, 20)
_PIECE_COLUMNS = (5, 9, 12, 15, 17, 19, 20, 20)
_BLOCKS = ((12, 2), (16, 3), (20, 4), (30, 3), (40, 2), (46, 4), (24, 6))
SETS = ("piece", "row", "line", "short", "trainfont", "paragraph", "table", "formula", "layout")


def held_out(data_dir: str, name: str, count: int, seed: int = 77) -> list[Sample]:
    """`count` crops of one of SETS: pieces, lines of all widths, short lines, lines in trained fonts, paragraphs ..."""
    source = TextSource(data_dir, "held", seed, "train" if name == "trainfont" else None)
    samples: list[Sample] = []
    for index in range(count):
        if name in ("line", "trainfont"):
            samples.append(text_crops.line(source, _LINE_COLUMNS[index % len(_LINE_COLUMNS)]))
        elif name == "piece":
            samples.append(text_crops.piece(source, _PIECE_COLUMNS[index % len(_PIECE_COLUMNS)]))
        elif name == "row":
            samples.append(text_crops.spaced_row(source))
        elif name == "short":
            samples.append(text_crops.line(source, _SHORT_COLUMNS[index % len(_SHORT_COLUMNS)]))
        elif name == "paragraph":
            columns, lines = _BLOCKS[index % len(_BLOCKS)]
            samples.append(text_crops.paragraph(source, columns, lines))
        elif name == "table":
            samples.append(tables.table(source))
        elif name == "formula":
            samples.append(formulas.formula(source))
        elif name == "layout":
            samples.append(pages.page(source))
        else:
            raise ValueError(f"unknown set {name!r}, expected one of {', '.join(SETS)}")
    return samples


def _runs(busy: np.ndarray, gap: int) -> list[tuple[int, int]]:
    """Ranges [start, end) of true values, joined over gaps of less than `gap`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], busy.astype(np.int8), [0]])))
    runs: list[tuple[int, int]] = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if runs and start - runs[-1][1] < gap:
            runs[-1] = (runs[-1][0], int(end))
        else:
            runs.append((int(start), int(end)))
    return runs


def page_lines(image: np.ndarray, margin: int = 4) -> list[np.ndarray]:
    """Line crops of a one-column page by its blank rows, each cut to its ink plus a margin; rules are left out."""
    ink = image < 160
    long_rule = ink.sum(1) > 0.55 * (np.ptp(np.flatnonzero(ink.any(0))) + 1)
    crops: list[np.ndarray] = []
    for top, bottom in _runs(ink.any(1) & ~long_rule, 3):
        if bottom - top < 8:
            continue
        columns = np.flatnonzero(ink[top:bottom].any(0))
        left, right = columns[0], columns[-1] + 1
        crops.append(image[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin])
    return crops


def cut_line(crop: np.ndarray) -> list[np.ndarray]:
    """A line crop scaled to one row of tokens and cut at word gaps into pieces, as octavo does with nano's hints."""
    width = max(TOKEN, round(crop.shape[1] * TOKEN / crop.shape[0]))
    scaled = np.asarray(Image.fromarray(crop).resize((width, TOKEN), Image.Resampling.BICUBIC))
    count = -(-width // (text_crops.PIECE_COLUMNS * TOKEN))
    blank = np.asarray((scaled > 200).all(0))
    gaps = [(start + end) // 2 for start, end in _runs(blank, 1) if end - start >= 5 and start > 0 and end < width]
    cuts = {0, width}
    for part in range(1, count):
        if gaps:
            cuts.add(min(gaps, key=lambda gap: abs(gap - part * width / count)))
    edges = sorted(cuts)
    return [scaled[:, start:end] for start, end in zip(edges, edges[1:], strict=False)]


def page_samples(folder: str, pieces: bool = True) -> dict[str, tuple[list[Sample], str]]:
    """(crops of lines or of their pieces, truth Markdown) by page name for the PNG pages of a folder."""
    found: dict[str, tuple[list[Sample], str]] = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.png"))):
        name = os.path.splitext(os.path.basename(path))[0]
        truth = os.path.join(folder, f"{name}.md")
        if not os.path.exists(truth):
            continue
        image = np.asarray(Image.open(path).convert("L"))
        crops: list[np.ndarray] = []
        for crop in page_lines(image):
            crops += cut_line(crop) if pieces else [crop]
        with open(truth, encoding="utf-8") as handle:
            found[name] = ([pack(crop, Ink(), "text") for crop in crops], handle.read())
    return found
