"""Endless batches of crops of one size, by a task mixture."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nano import formulas, pages, tables, text_crops, typeset_crops
from nano.canvas import Sample
from nano.text_source import TextSource

#: What can be drawn; each takes a TextSource.
KINDS: dict[str, Callable[[TextSource], Sample]] = {
    "short": text_crops.short_line,
    "piece": text_crops.piece,
    "row": text_crops.spaced_row,
    "line": text_crops.line,
    "paragraph": text_crops.paragraph,
    "unread": text_crops.unread_page,
    "table": tables.table,
    "formula": formulas.formula,
    "page": pages.page,
    "set piece": typeset_crops.piece,
    "set line": typeset_crops.line,
    "set paragraph": typeset_crops.paragraph,
    "set table": typeset_crops.table,
    "set formula": typeset_crops.formula,
    "set page": typeset_crops.page,
}

#: Share of the drawn crops by kind; "set" kinds are groff's. The order of the stages is in training/README.md.
MIXTURES: dict[str, dict[str, float]] = {
    "short": {"short": 1.0},
    "lines": {"line": 0.84, "set line": 0.12, "paragraph": 0.03, "unread": 0.01},
    "pieces": {
        "piece": 0.55, "set piece": 0.15, "row": 0.17, "line": 0.08, "set line": 0.03, "paragraph": 0.01,
        "unread": 0.01,
    },
    "text": {"line": 0.62, "set line": 0.18, "paragraph": 0.12, "set paragraph": 0.07, "unread": 0.01},
    "blocks": {"line": 0.45, "set line": 0.15, "paragraph": 0.22, "set paragraph": 0.17, "unread": 0.01},
    "wide": {
        "piece": 0.34, "set piece": 0.10, "row": 0.12, "line": 0.09, "set line": 0.03, "paragraph": 0.05,
        "set paragraph": 0.03, "table": 0.06, "set table": 0.04, "formula": 0.08, "set formula": 0.04, "unread": 0.02,
    },
    "formulas": {
        "piece": 0.23, "set piece": 0.06, "row": 0.08, "line": 0.05, "set line": 0.02, "formula": 0.38,
        "set formula": 0.179, "unread": 0.001,
    },
    "reading": {
        "piece": 0.38, "set piece": 0.10, "row": 0.10, "line": 0.06, "set line": 0.02, "formula": 0.23,
        "set formula": 0.109, "unread": 0.001,
    },
    "all": {
        "line": 0.36, "set line": 0.14, "paragraph": 0.11, "set paragraph": 0.09, "table": 0.07, "set table": 0.05,
        "formula": 0.11, "set formula": 0.06, "unread": 0.01,
    },
    "layout": {
        "piece": 0.20, "set piece": 0.08, "line": 0.14, "set line": 0.06, "paragraph": 0.08, "set paragraph": 0.06,
        "table": 0.06, "set table": 0.04, "formula": 0.08, "set formula": 0.04, "page": 0.10, "set page": 0.06,
    },
}  # fmt: skip

_POOL = 2  # batches that are collected per crop size before they are sorted by answer length
_SHUFFLE = 24  # finished batches among which the next one is drawn


@dataclass
class Batch:
    """Crops of one grid and task. answer and cells are padded with -1; see Sample for the fields."""

    image: np.ndarray
    answer: np.ndarray
    cells: np.ndarray
    slots: np.ndarray
    grid: tuple[int, int]
    task: str
    layout: np.ndarray | None = None


def collate(samples: list[Sample]) -> Batch:
    """Stacks samples of one grid and task."""
    length = max(len(sample.answer) for sample in samples)
    answer = np.full((len(samples), length), -1, np.int16)
    cells = np.full((len(samples), length), -1, np.int16)
    for row, sample in enumerate(samples):
        answer[row, : len(sample.answer)] = sample.answer
        cells[row, : len(sample.cells)] = sample.cells
    image = np.stack([sample.image for sample in samples])
    slots = np.stack([sample.slots for sample in samples])
    dense = [sample.layout for sample in samples if sample.layout is not None]
    layout = np.stack(dense) if len(dense) == len(samples) else None
    return Batch(image, answer, cells, slots, samples[0].grid, samples[0].task, layout)


def stream(data_dir: str, split: str, seed: int, mixture: dict[str, float], tokens: int) -> Iterator[Batch]:
    """Batches of about `tokens` image tokens (at least 2 crops), answers of similar length together."""
    source = TextSource(data_dir, split, seed)
    rng = random.Random(seed + 1)
    kinds, shares = list(mixture), list(mixture.values())
    waiting: dict[tuple[str, tuple[int, int]], list[Sample]] = {}
    ready: list[Batch] = []
    while True:
        sample = KINDS[rng.choices(kinds, shares)[0]](source)
        key = (sample.task + (" dense" if sample.layout is not None else ""), sample.grid)
        group = waiting.setdefault(key, [])
        group.append(sample)
        size = max(2, tokens // (sample.grid[0] * sample.grid[1]))
        pool = _POOL if size >= 8 else 1
        if len(group) < size * pool:
            continue
        del waiting[key]
        group.sort(key=lambda one: len(one.answer))
        ready += [collate(group[at : at + size]) for at in range(0, len(group), size)]
        while len(ready) > _SHUFFLE:
            yield ready.pop(rng.randrange(len(ready)))
