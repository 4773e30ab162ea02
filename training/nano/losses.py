"""The training losses: the answer itself, and the dense targets that make a small model learn fast."""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from nano import vocabulary
from nano.model import MAX_COLUMNS, MAX_ROWS, SLOT_CLASSES, Nano


@dataclass(frozen=True)
class LossWeights:
    """The answer counts 1. slot: characters in image tokens; guide: attention to the token read; place: positions;
    layout: blocks in the image tokens of pages."""

    slot: float = 0.3
    guide: float = 0.3
    place: float = 0.1
    layout: float = 0.5


@dataclass(frozen=True)
class Truth:
    """One batch as tensors; see batches.Batch."""

    image: Tensor
    answer: Tensor
    cells: Tensor
    slots: Tensor
    grid: tuple[int, int]
    task: str
    layout: Tensor | None = None
    kept: Tensor | None = None  # int64 [B, K]: image tokens that are left; cells, slots and layout are of these


def blank_tokens(image: Tensor) -> Tensor:
    """bool [B, N]: image tokens of one shade, whose neighbours are of one shade too: paper at a distance from ink."""
    count, height, width = image.shape
    tokens = image.view(count, height // 28, 28, width // 28, 28).float()
    even = (tokens.amax((2, 4)) - tokens.amin((2, 4))) <= 24
    inked = F.max_pool2d((~even).float()[:, None], 3, 1, 1)[:, 0] > 0
    return ~inked.flatten(1)


def prune(truth: Truth, share: float, generator: torch.Generator) -> Truth:
    """Leaves out about `share` of the blank tokens that every crop can spare, at random; positions are kept."""
    blank = blank_tokens(truth.image)
    spare = int(blank.sum(1).min())
    number = int(spare * share)
    if number == 0 or number == blank.shape[1]:
        return truth
    chance = torch.rand(blank.shape, generator=generator).masked_fill(~blank, -1)
    gone = torch.zeros_like(blank).scatter_(1, chance.topk(number, 1).indices, True)
    kept = (~gone).nonzero()[:, 1].view(len(blank), -1)
    new_index = torch.where(gone, -1, (~gone).long().cumsum(1) - 1)
    cells = torch.where(truth.cells >= 0, new_index.gather(1, truth.cells.clamp(min=0)), -1)

    def left(values: Tensor) -> Tensor:
        return values.gather(1, kept[..., None].expand(-1, -1, values.shape[-1]))

    layout = left(truth.layout) if truth.layout is not None else None
    return replace(truth, cells=cells, slots=left(truth.slots), layout=layout, kept=kept)


def layout_loss(model: Nano, seen: Tensor, layout: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Dense targets of pages (pages.dense_targets): (loss, share of right types in blocks, mean overlap there).

    The type is a cross entropy in which paper counts a quarter; the distances are -log of the overlap of the box that
    they give with the true one, which is the same for large and small blocks.
    """
    output = model.layout_head(seen).float()
    kind, sides = layout[..., 0].long(), layout[..., 1:].float()
    weight = torch.where(kind > 0, 1.0, 0.25)
    types = F.cross_entropy(output[..., :-4].flatten(0, 1), kind.flatten(), reduction="none")
    loss = (types * weight.flatten()).sum() / weight.sum()
    inside = kind > 0
    if not bool(inside.any()):
        return loss, torch.ones(()), torch.ones(())
    # the middle of a token may lie outside a thin block; a box that holds it is then the best that can be said
    true = sides[inside].clamp(min=0.05)
    told = F.softplus(output[..., -4:][inside]) + 0.01
    shared = torch.minimum(true, told)
    shared_area = (shared[:, 0] + shared[:, 2]) * (shared[:, 1] + shared[:, 3])
    true_area = (true[:, 0] + true[:, 2]) * (true[:, 1] + true[:, 3])
    told_area = (told[:, 0] + told[:, 2]) * (told[:, 1] + told[:, 3])
    overlap = shared_area / (true_area + told_area - shared_area)
    right = (output[..., :-4].argmax(-1) == kind)[inside].float().mean().detach()
    return loss - overlap.log().mean(), right, overlap.mean().detach()


def slot_loss(model: Nano, seen: Tensor, slots: Tensor) -> tuple[Tensor, Tensor]:
    """Cross entropy of each token's characters, and the share of visible characters named rightly.

    Tokens without characters count 0.15, or blank paper would drown the rest.
    """
    logits = model.slot_head(seen).float().view(-1, SLOT_CLASSES)
    target = slots.long().flatten()
    busy = slots.sum(-1, keepdim=True, dtype=torch.int32) > 0
    weight = torch.where(busy, 1.0, 0.15).expand(slots.shape).flatten()
    loss = (F.cross_entropy(logits, target, reduction="none") * weight).sum() / weight.sum()
    with torch.no_grad():
        shown = target > 0
        accuracy = (logits.argmax(-1) == target)[shown].float().mean() if shown.any() else torch.ones(())
    return loss, accuracy


def _place_loss(logits: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """logits [..., rows+columns]; row and column int64, -1 = ignore."""
    flat = logits.float().flatten(0, -2)
    rows = F.cross_entropy(flat[:, :MAX_ROWS], row.flatten(), ignore_index=-1)
    return rows + F.cross_entropy(flat[:, MAX_ROWS:], column.flatten(), ignore_index=-1)


def place_loss(model: Nano, seen: Tensor, grid: tuple[int, int], kept: Tensor | None = None) -> Tensor:
    """Loss of each image token's own row and column; `kept` as in Nano.see.

    Rotary positions are relative: without this, a token's place in the picture is learnt only by accident, and long
    lines and row changes get lost.
    """
    own = kept if kept is not None else torch.arange(seen.shape[1], device=seen.device).expand(len(seen), -1)
    return _place_loss(model.place_head(seen), *_split_cell(own, grid[1]))


def _split_cell(cell: Tensor, columns: int) -> tuple[Tensor, Tensor]:
    known = cell >= 0
    return torch.where(known, cell.div(columns, rounding_mode="floor"), -1), torch.where(known, cell % columns, -1)


def _penalise(logits: Tensor, target: Tensor, penalty: float) -> Tensor:
    """Subtracts what MinerU's client subtracts (presence 1.0, frequency 0.05), so that margins learn to survive it."""
    hot = F.one_hot(target.clamp(min=0), vocabulary.SIZE).to(torch.int16)
    before = hot.cumsum(1) - hot
    return logits - penalty * ((before > 0) * 1.0 + before * 0.05)


def reading_loss(
    model: Nano, truth: Truth, seen: Tensor, weights: LossWeights, system: bool, penalty: float
) -> tuple[Tensor, dict[str, Tensor]]:
    """Loss of answer, guided attention and positions for image embeddings `seen`, and its parts for the log."""
    count = len(seen)
    end = truth.answer.new_full((count, 1), -1)
    target = torch.cat([truth.answer, end], 1)
    target[torch.arange(count), (truth.answer >= 0).sum(1)] = vocabulary.IM_END
    cells = torch.cat([truth.cells, end], 1)
    x, rope, first, image_start = model.sequence(seen, truth.grid, truth.task, truth.answer, system, truth.kept)
    image_end = image_start + seen.shape[1]
    known = cells >= 0
    places = cells if truth.kept is None else torch.where(known, truth.kept.gather(1, cells.clamp(min=0)), -1)
    row, column = _split_cell(places, truth.grid[1])
    place = reading = guide = torch.zeros(())
    fits = truth.grid[0] <= MAX_ROWS and truth.grid[1] <= MAX_COLUMNS and bool(known.any())
    for index, block in enumerate(model.decoder_blocks):
        guided = index in model.config.guided_layers and bool(known.any())
        x, look = block(x, rope, guided=(first, image_start, image_end) if guided else None)
        if look is not None:
            picked = look.gather(2, cells.clamp(min=0)[..., None])[..., 0][known]
            guide = guide - picked.clamp(min=-12).mean() / len(model.config.guided_layers)
        if fits and index == 0:  # image tokens know where they are ...
            place = place_loss(model, x[:, image_start:image_end], truth.grid, truth.kept)
        if fits and index in model.config.guided_layers:  # ... and answer tokens where they read
            reading = reading + _place_loss(model.reading_head(x[:, first:]), row, column)
    logits = model.logits(x[:, first:])
    scored = _penalise(logits, target, penalty) if penalty else logits
    answer = F.cross_entropy(scored.flatten(0, 1), target.flatten(), ignore_index=-1)
    with torch.no_grad():
        accuracy = (scored.argmax(-1) == target)[target >= 0].float().mean()
    loss = answer + weights.guide * guide + weights.place * (place + reading)
    return loss, {"answer": answer, "accuracy": accuracy, "guide": guide, "place": place, "reading": reading}
