"""Figures for each task; all compare two answer strings."""

import re
from statistics import median

from nano import vocabulary

Box = tuple[int, int, int, int]
Area = tuple[float, float, float, float]  # left, top, right, bottom as fractions of a page


def edit_distance(a: str | list[int], b: str | list[int]) -> int:
    """Levenshtein distance, by the bit-parallel method of G. Myers (1999) on whole Python integers."""
    if not a or not b:
        return len(a) or len(b)
    places: dict[str | int, int] = {}
    for at, x in enumerate(a):
        places[x] = places.get(x, 0) | 1 << at
    full, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    more, less, distance = full, 0, len(a)
    for y in b:
        equal = places.get(y, 0)
        stays = equal | less
        across = (((equal & more) + more) ^ more) | equal
        up, down = less | (full & ~(across | more)), more & across
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & full, (down << 1) & full
        more, less = down | (full & ~(stays | up)), up & stays
    return distance


def text_figures(truth: list[str], answers: list[str]) -> dict[str, float]:
    """Character error over all characters, its median over the crops, share of exact crops."""
    errors = [edit_distance(want, got) for want, got in zip(truth, answers, strict=True)]
    return {
        "character_error": round(sum(errors) / max(1, sum(map(len, truth))), 4),
        "median": round(median(error / max(1, len(want)) for error, want in zip(errors, truth, strict=True)), 4),
        "exact": round(sum(error == 0 for error in errors) / len(errors), 3),
        "crops": len(truth),
        "characters": sum(map(len, truth)),
    }


def otsl_rows(answer: str) -> list[list[tuple[str, str]]]:
    """(cell kind, text) by row of an OTSL answer."""
    rows = [re.findall(r"<(fcel|ecel|lcel|ucel|xcel)>([^<]*)", row) for row in answer.split("<nl>")]
    return [[(kind, text.strip()) for kind, text in row] for row in rows if row]


def table_figures(truth: list[str], answers: list[str]) -> dict[str, float]:
    """Share of tables with the right structure, of right cells, of exact answers; edit distance per truth character."""
    structure = hits = cells = exact = errors = 0
    for want, got in zip(truth, answers, strict=True):
        a, b = otsl_rows(want), otsl_rows(got)
        structure += [[kind for kind, _ in row] for row in a] == [[kind for kind, _ in row] for row in b]
        exact += want == got
        cell_a = {(i, j): cell for i, row in enumerate(a) for j, cell in enumerate(row)}
        cell_b = {(i, j): cell for i, row in enumerate(b) for j, cell in enumerate(row)}
        cells += max(len(cell_a), len(cell_b))
        hits += sum(cell == cell_b.get(at) for at, cell in cell_a.items())
        errors += edit_distance(want, got)
    return {
        "structure_exact": round(structure / len(truth), 3),
        "cells": round(hits / max(1, cells), 3),
        "exact": round(exact / len(truth), 3),
        "edit": round(errors / sum(map(len, truth)), 4),
        "crops": len(truth),
    }


def formula_figures(truth: list[str], answers: list[str]) -> dict[str, float]:
    """Edit distance in tokens and share of exact answers."""
    want = [vocabulary.encode_latex(text) for text in truth]
    got = [vocabulary.encode_latex(text) for text in answers]
    errors = [edit_distance(a, b) for a, b in zip(want, got, strict=True)]
    return {
        "edit": round(sum(errors) / sum(map(len, want)), 4),
        "exact": round(sum(error == 0 for error in errors) / len(errors), 3),
        "crops": len(truth),
    }


def layout_boxes(answer: str) -> list[tuple[Box, str]]:
    """(box in thousandths, class) of a layout answer."""
    pattern = r"<\|box_start\|>(\d+) (\d+) (\d+) (\d+)<\|box_end\|><\|ref_start\|>(\w+)<\|ref_end\|>"
    return [((int(a), int(b), int(c), int(d)), name) for a, b, c, d, name in re.findall(pattern, answer)]


def overlap(a: Box, b: Box) -> float:
    """Intersection over union."""
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared
    return shared / union if union > 0 else 0.0


def layout_figures(truth: list[str], answers: list[str]) -> dict[str, float]:
    """F1 of boxes at overlap 0.5, without and with the class."""
    found = named = total = 0
    for want, got in zip(truth, answers, strict=True):
        boxes, guesses = layout_boxes(want), layout_boxes(got)
        total += len(boxes) + len(guesses)
        free = list(range(len(guesses)))
        for box, name in boxes:
            best = max(free, key=lambda index: overlap(box, guesses[index][0]), default=None)
            if best is not None and overlap(box, guesses[best][0]) >= 0.5:
                free.remove(best)
                found += 1
                named += name == guesses[best][1]
    return {
        "f1": round(2 * found / max(1, total), 3),
        "f1_with_class": round(2 * named / max(1, total), 3),
        "pages": len(truth),
    }
