"""Several single-threaded processes (ranks) that train one model: each draws and reads batches of its own, and their
gradients are averaged before every step.

On two cores this is faster than one process of two threads, whose small matrix products wait for each other.
"""

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass
class Shared:
    """What the ranks tell each other besides gradients. scale and stop count where rank 0 says them; the counters add
    up."""

    scale: float
    stop: bool
    crops: int
    characters: int


def average(parameters: list[nn.Parameter], mine: Shared, rank: int) -> Shared:
    """Gradients become their mean over all ranks (a rank without one counts as 0); a parameter that no rank has a
    gradient for keeps none. Every rank has to call it with the same parameters, in the same order."""
    flat = [(p.grad if p.grad is not None else torch.zeros_like(p)).float().flatten() for p in parameters]
    present = torch.tensor([float(p.grad is not None) for p in parameters])
    said = [mine.scale, float(mine.stop)] if rank == 0 else [0.0, 0.0]
    numbers = torch.tensor([*said, float(mine.crops), float(mine.characters)])
    message = torch.cat([*flat, present, numbers])
    dist.all_reduce(message)
    sizes = [p.numel() for p in parameters]
    gradients, present, numbers = message.split([sum(sizes), len(sizes), len(numbers)])
    for parameter, gradient, has in zip(parameters, gradients.split(sizes), present.tolist(), strict=True):
        mean: Tensor = gradient.view_as(parameter) / dist.get_world_size()
        parameter.grad = mean.to(parameter.dtype) if has else None
    scale, stop, crops, characters = numbers.tolist()
    return Shared(scale, stop > 0, round(crops), round(characters))


def _join(rank: int, count: int, meeting: str, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    dist.init_process_group(
        "gloo", init_method=f"file://{meeting}", rank=rank, world_size=count, timeout=timedelta(minutes=30)
    )
    try:
        work(rank, *arguments)
    finally:
        dist.destroy_process_group()


def run(count: int, meeting: str, work: Callable[..., None], *arguments: Any) -> None:
    """work(rank, *arguments) in `count` processes, of which this one is rank 0. `meeting`: a path that is free to use
    for a file; the ranks find each other there."""
    if count == 1:
        work(0, *arguments)
        return
    if os.path.exists(meeting):
        os.remove(meeting)  # of a run that was killed
    spawn = multiprocessing.get_context("spawn")
    others = [spawn.Process(target=_join, args=(rank, count, meeting, work, arguments)) for rank in range(1, count)]
    for other in others:
        other.start()
    try:
        _join(0, count, meeting, work, arguments)
    finally:
        for other in others:
            other.join(timeout=60)
            other.kill()
