"""Held-out figures of a checkpoint folder or a training state: python -m nano.evaluate MODEL --data DIR."""

import argparse
import json
import os
import re
import subprocess
import tempfile
import time

import numpy as np
import torch
from PIL import Image

from nano import metrics, vocabulary, weights
from nano.canvas import Sample
from nano.held_out import held_out, page_samples
from nano.model import Nano

_FIGURES = {
    "text": metrics.text_figures,
    "table": metrics.table_figures,
    "formula": metrics.formula_figures,
    "layout": metrics.layout_figures,
}


def read(model: Nano, samples: list[Sample], penalty: float = 0.0, limit: int = 0) -> list[str]:
    """Greedy answers, batched by size. limit 0: 1.3 times the truth plus 20 tokens, which bounds loops."""
    answers = [""] * len(samples)
    groups: dict[tuple[tuple[int, int], str], list[int]] = {}
    for index, sample in enumerate(samples):
        groups.setdefault((sample.grid, sample.task), []).append(index)
    for (grid, task), members in groups.items():
        for at in range(0, len(members), 16):
            part = members[at : at + 16]
            longest = limit or int(max(len(samples[index].answer) for index in part) * 1.3) + 20
            images = torch.from_numpy(np.stack([samples[index].image for index in part]))
            for index, ids in zip(part, model.generate(images, grid, task, longest, penalty), strict=True):
                answers[index] = vocabulary.decode(ids)
    return answers


def plain_text(markdown: str) -> str:
    """What a page says: Markdown and table marks removed, white space collapsed."""
    text = re.sub(r"(?m)^#+ ", "", re.sub(r"<[^>]+>", " ", markdown))
    return " ".join(text.split())


def tesseract(samples: list[Sample], page_mode: int) -> list[str]:
    """Tesseract's answers on the same crops, with a margin of paper colour that it needs."""
    answers: list[str] = []
    for sample in samples:
        crop = Image.fromarray(sample.image)
        framed = Image.new("L", (crop.width + 40, crop.height + 40), int(np.median(sample.image)))
        framed.paste(crop, (20, 20))
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            framed.save(file.name, dpi=(300, 300))
            command = ["tesseract", file.name, "-", "--psm", str(page_mode), "-l", "eng"]
            environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
            output = subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout
        answers.append(" ".join(output.split()))
    return answers


def evaluate_pages(model: Nano, folder: str, penalty: float, pieces: bool, show: bool) -> dict[str, float]:
    """Character error of whole pages, read line by line as the white-space reading does."""
    errors: dict[str, float] = {}
    wrong = total = 0
    for name, (crops, truth) in page_samples(folder, pieces).items():
        lines = read(model, crops, penalty, 200)
        want, got = plain_text(truth), plain_text("\n".join(lines))
        error = metrics.edit_distance(want, got)
        errors[name] = round(error / len(want), 4)
        wrong, total = wrong + error, total + len(want)
        if show:
            print("\n".join(f"    {crop.grid} {line}" for crop, line in zip(crops, lines, strict=True)))
    return {**errors, "all": round(wrong / max(1, total), 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("model", help="checkpoint folder, training state file, or - for tesseract alone")
    add("--data", required=True)
    add("--sets", default="piece,line,paragraph")
    add("--count", type=int, default=60)
    add("--seed", type=int, default=77)
    add("--penalty", type=float, default=0.0, help="1: with MinerU's presence and frequency penalties")
    add("--pages", help="folder of page pictures with truth, such as samples/")
    add("--whole-lines", action="store_true", help="read pages by lines at natural size instead of pieces of one row")
    add("--tesseract", action="store_true")
    add("--show", type=int, default=0, help="print this many answers of each set")
    add("--dump", help="write the crops with truth and answers to this folder")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = weights.load(arguments.model) if arguments.model != "-" else None
    for name in filter(None, arguments.sets.split(",")):
        samples = held_out(arguments.data, name, arguments.count, arguments.seed)
        truth = [vocabulary.decode(sample.answer.tolist()) for sample in samples]
        answers = [""] * len(samples)
        if model:
            begin = time.monotonic()
            answers = read(model, samples, arguments.penalty)
            seconds = (time.monotonic() - begin) / len(samples)
            figures = _FIGURES[samples[0].task](truth, answers)
            print(name, json.dumps({**figures, "penalty": arguments.penalty, "seconds": round(seconds, 3)}), flush=True)
            for want, got in list(zip(truth, answers, strict=True))[: arguments.show]:
                print("    truth ", want, "\n    answer", got)
        if arguments.tesseract and samples[0].task == "text":
            figures = metrics.text_figures(truth, tesseract(samples, 6 if name == "paragraph" else 7))
            print(name, "tesseract", json.dumps(figures), flush=True)
        if arguments.dump:
            os.makedirs(arguments.dump, exist_ok=True)
            entries = []
            for index, (sample, want, got) in enumerate(zip(samples, truth, answers, strict=True)):
                Image.fromarray(sample.image).save(os.path.join(arguments.dump, f"{name}_{index:03d}.png"))
                entries.append({"file": f"{name}_{index:03d}.png", "task": sample.task, "truth": want, "answer": got})
            with open(os.path.join(arguments.dump, f"{name}.json"), "w", encoding="utf-8") as handle:
                json.dump(entries, handle, indent=1)
    if model and arguments.pages:
        print(
            "pages",
            json.dumps(
                evaluate_pages(model, arguments.pages, arguments.penalty, not arguments.whole_lines, arguments.show > 0)
            ),
        )


if __name__ == "__main__":
    main()
