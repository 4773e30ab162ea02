"""Trains octavo-nano; see training/README.md for the stages and exact commands.

The state file holds everything but the drawing order; starting again with the same --state goes on from it. SIGTERM
saves and ends. One line of JSON a report goes to STATE.log.
"""

import argparse
import json
import math
import multiprocessing
import os
import random
import signal
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from itertools import islice
from queue import Empty

import numpy as np
import torch

from nano import batches, ranks, weights
from nano.losses import LossWeights, Truth, layout_loss, place_loss, prune, reading_loss, slot_loss
from nano.model import Nano
from nano.optimiser import Optimiser

_REPORT_STEPS = 25


@dataclass
class Progress:
    """Counters that are kept over restarts. seconds: wall time of training, which drives the learning rate."""

    steps: int = 0
    crops: int = 0
    characters: int = 0
    seconds: float = 0.0
    started: int = 0


@dataclass
class Report:
    """Sums of the logged numbers since the last report."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, task: str, parts: dict[str, torch.Tensor]) -> None:
        for name, value in parts.items():
            self.values[f"{task}.{name}"].append(float(value))

    def take(self) -> dict[str, float]:
        means = {name: round(float(np.mean(values)), 4) for name, values in sorted(self.values.items())}
        self.values.clear()
        return means


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--data", required=True, help="folder with corpus_train.txt and corpus_held.txt")
    add("--state", required=True, help="training state file; resumed when it is there")
    add("--from", dest="start", help="checkpoint folder to start from when there is no state (default: random weights)")
    add("--mixture", default="text", choices=sorted(batches.MIXTURES))
    add("--tokens", type=int, default=768, help="image tokens a batch")
    add("--rate", type=float, default=2e-3, help="peak learning rate")
    add("--end", type=float, default=0.03, help="last learning rate as a share of the peak")
    add("--minutes", type=float, default=60, help="length of the whole schedule, restarts included")
    add("--warm-up", type=int, default=60, help="steps of linear warm-up")
    add("--heads-first", type=int, default=0, help="first steps that move only the training-only heads")
    add("--vision-only", action="store_true", help="only the slot loss: the first stage")
    add("--detach", action="store_true", help="the vision part learns from the slots alone, not through the decoder")
    add("--penalty-share", type=float, default=0.3, help="share of batches with MinerU's penalties in the loss")
    add("--slot", type=float, default=0.3)
    add("--guide", type=float, default=0.3)
    add("--place", type=float, default=0.1)
    add("--layout", type=float, default=0.5, help="weight of the dense layout targets, on pages only")
    add("--prune-share", type=float, default=0.3, help="share of batches that lose some of their blank image tokens")
    add(
        "--precision",
        default="auto",
        choices=["auto", "float32", "bfloat16"],
        help="auto: bfloat16 where it is in hardware",
    )
    add("--threads", type=int, default=1, help="threads of each rank")
    add("--ranks", type=int, default=1, help="processes that train, each with a drawing process of its own")
    add("--seed", type=int, default=1)
    add("--save-minutes", type=float, default=4)
    return parser.parse_args()


def compute_type(name: str) -> torch.dtype:
    """bfloat16 pays only with its own instructions."""
    if name != "auto":
        return getattr(torch, name)
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as handle:
        return torch.bfloat16 if "avx512_bf16" in handle.read() else torch.float32


def draw_batches(queue: multiprocessing.Queue, arguments: argparse.Namespace, seed: int) -> None:
    """The drawing process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    np.random.seed(seed)
    for batch in batches.stream(arguments.data, "train", seed, batches.MIXTURES[arguments.mixture], arguments.tokens):
        queue.put(batch)


def to_truth(batch: batches.Batch) -> Truth:
    answer, cells = (torch.from_numpy(part.astype(np.int64)) for part in (batch.answer, batch.cells))
    layout = torch.from_numpy(batch.layout.astype(np.float32)) if batch.layout is not None else None
    slots = torch.from_numpy(batch.slots)
    return Truth(torch.from_numpy(batch.image), answer, cells, slots, batch.grid, batch.task, layout)


def next_batch(queue: multiprocessing.Queue, drawer: multiprocessing.Process) -> batches.Batch:
    """Waits for the drawing process, but not for a dead one."""
    while True:
        try:
            return queue.get(timeout=10)
        except Empty:
            if not drawer.is_alive():
                raise RuntimeError(f"the drawing process ended with status {drawer.exitcode}") from None


class Trainer:
    """Model, optimiser and schedule of one run. All ranks hold the same; rank 0 reports and saves."""

    def __init__(self, arguments: argparse.Namespace, rank: int = 0) -> None:
        self.arguments, self.rank = arguments, rank
        self.loss_weights = LossWeights(arguments.slot, arguments.guide, arguments.place, arguments.layout)
        self.progress = Progress()
        model = weights.from_hf(arguments.start) if arguments.start and not os.path.exists(arguments.state) else Nano()
        self.optimiser = Optimiser(model, arguments.rate)
        if os.path.exists(arguments.state):
            state = torch.load(arguments.state, weights_only=True)
            self.optimiser.load_state_dict(state["optimiser"])
            self.progress = Progress(**state["progress"])
        self.model = model.to(compute_type(arguments.precision))  # masters stay float32
        self.progress.started += 1
        self.seed = random.Random(f"{arguments.seed} {self.progress.started} {rank}").getrandbits(31)
        self.rng = random.Random(self.seed)
        self.generator = torch.Generator().manual_seed(self.seed)
        self.held: dict[str, list[Truth]] = {}
        if rank == 0:
            self.draw_held_out()

    def draw_held_out(self) -> None:
        kinds = [("piece", 320, 4), ("line", 320, 3), ("paragraph", 256, 3)]
        kinds += [kind for kind in (("formula", 320, 4), ("page", 1152, 3)) if kind[0] in self.mixture()]
        for kind, tokens, count in kinds:
            held = batches.stream(self.arguments.data, "held", 7, {kind: 1.0}, tokens)
            self.held[kind] = [to_truth(batch) for batch in islice(held, count)]

    def mixture(self) -> dict[str, float]:
        return batches.MIXTURES[self.arguments.mixture]

    def scale(self) -> float:
        """Warm-up of what moves, then a cosine over the whole schedule."""
        done = min(1.0, self.progress.seconds / (self.arguments.minutes * 60))
        cosine = self.arguments.end + (1 - self.arguments.end) * 0.5 * (1 + math.cos(math.pi * done))
        heads = self.arguments.heads_first
        begun = self.progress.steps - (heads if self.progress.steps >= heads else 0)
        return min(1.0, (begun + 1) / self.arguments.warm_up) * cosine

    def train_on(self, truth: Truth) -> dict[str, torch.Tensor]:
        """Gradients of one batch."""
        arguments = self.arguments
        only_heads = self.progress.steps < arguments.heads_first
        if self.rng.random() < arguments.prune_share:
            truth = prune(truth, self.rng.random(), self.generator)
        seen = self.model.see(truth.image, truth.kept)
        dense = seen.detach() if only_heads else seen
        parts: dict[str, torch.Tensor] = {}
        loss: torch.Tensor | float = 0.0
        if bool((truth.slots > 0).any()):
            slots, parts["slot_accuracy"] = slot_loss(self.model, dense, truth.slots)
            parts["slot"] = slots
            parts["seen_place"] = place_loss(self.model, dense, truth.grid, truth.kept)
            share = 1.0 if arguments.vision_only else self.loss_weights.slot
            loss = share * slots + self.loss_weights.place * parts["seen_place"]
        if truth.layout is not None:
            layout, parts["layout_type"], parts["layout_overlap"] = layout_loss(self.model, dense, truth.layout)
            parts["layout"] = layout
            parts["seen_place"] = place_loss(self.model, dense, truth.grid, truth.kept)
            loss = loss + self.loss_weights.layout * layout + self.loss_weights.place * parts["seen_place"]
        if not arguments.vision_only:
            penalty = 1.0 if self.rng.random() < arguments.penalty_share else 0.0
            hidden = seen.detach() if arguments.detach or only_heads else seen
            reading, more = reading_loss(self.model, truth, hidden, self.loss_weights, self.rng.random() < 0.7, penalty)
            loss = loss + reading
            parts |= more
        if isinstance(loss, torch.Tensor):
            loss.backward()
        return {name: value.detach() for name, value in parts.items()}

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Teacher-forced figures on held-out crops."""
        sums: dict[str, list[float]] = defaultdict(list)
        for kind, truths in self.held.items():
            for truth in truths:
                seen = self.model.see(truth.image)
                if truth.layout is None:
                    sums[f"{kind}.slot_accuracy"].append(float(slot_loss(self.model, seen, truth.slots)[1]))
                else:
                    _, right, overlap = layout_loss(self.model, seen, truth.layout)
                    sums[f"{kind}.layout_type"].append(float(right))
                    sums[f"{kind}.layout_overlap"].append(float(overlap))
                if not self.arguments.vision_only:
                    _, parts = reading_loss(self.model, truth, seen, self.loss_weights, True, 0.0)
                    sums[f"{kind}.accuracy"].append(float(parts["accuracy"]))
                    sums[f"{kind}.answer"].append(float(parts["answer"]))
        return {name: round(float(np.mean(values)), 4) for name, values in sums.items()}

    def save(self) -> None:
        state = {"optimiser": self.optimiser.state_dict(), "progress": asdict(self.progress)}
        torch.save(state, self.arguments.state + ".part")
        os.replace(self.arguments.state + ".part", self.arguments.state)

    def step(self, truth: Truth, report: Report, stop: bool = False) -> bool:
        """One step on a batch of each rank; whether rank 0 was told to stop."""
        parts = self.train_on(truth)
        only = weights.TRAINING_ONLY if self.progress.steps < self.arguments.heads_first else ()
        shared = ranks.Shared(self.scale(), stop, len(truth.image), int((truth.answer >= 0).sum()))
        if self.arguments.ranks > 1:
            shared = ranks.average(list(self.model.parameters()), shared, self.rank)
        parts["norm"] = torch.tensor(self.optimiser.step(shared.scale, only))
        report.add(truth.task, parts)
        self.progress.steps += 1
        self.progress.crops += shared.crops
        self.progress.characters += shared.characters
        return shared.stop

    def log(self, entry: dict[str, object]) -> None:
        if self.rank != 0:
            return
        line = json.dumps(entry)
        with open(self.arguments.state + ".log", "a", encoding="utf-8") as handle:
            handle.write(line + "\n")
        print(line, flush=True)

    def report_and_save(self, report: Report, saved: float) -> float:
        """Logs the means since the last report; now and then held-out figures, too, and a state. `saved`: when that
        was last; returns it, brought up to date."""
        entry: dict[str, object] = {
            **asdict(self.progress),
            "cpu": round(time.process_time()),
            "rate": round(self.scale() * self.arguments.rate, 6),
            **report.take(),
        }
        if self.rank == 0 and time.monotonic() - saved > self.arguments.save_minutes * 60:
            entry["held"] = self.evaluate()
            self.save()
            saved = time.monotonic()
        self.log(entry)
        return saved

    def run(self, queue: multiprocessing.Queue, drawer: multiprocessing.Process) -> None:
        asked: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
        report, saved = Report(), time.monotonic()
        stopped = self.progress.seconds >= self.arguments.minutes * 60  # all ranks hold the same state
        self.log({"start": vars(self.arguments), "precision": str(self.model.dtype), **asdict(self.progress)})
        while not stopped:
            begin = time.monotonic()
            stop = bool(asked) or self.progress.seconds >= self.arguments.minutes * 60
            stopped = self.step(to_truth(next_batch(queue, drawer)), report, stop)
            self.progress.seconds += time.monotonic() - begin
            if self.progress.steps % _REPORT_STEPS == 0:
                saved = self.report_and_save(report, saved)
        if self.rank == 0:
            self.save()
            self.log({"end": asdict(self.progress), "held": self.evaluate()})


def train(rank: int, arguments: argparse.Namespace) -> None:
    """One rank, with its drawing process."""
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    trainer = Trainer(arguments, rank)
    queue: multiprocessing.Queue = multiprocessing.Queue(8)
    drawer = multiprocessing.Process(target=draw_batches, args=(queue, arguments, trainer.seed), daemon=True)
    drawer.start()
    try:
        trainer.run(queue, drawer)
    finally:
        drawer.terminate()


def main() -> None:
    arguments = parse_arguments()
    ranks.run(arguments.ranks, os.path.abspath(arguments.state) + ".ranks", train, arguments)


if __name__ == "__main__":
    main()
