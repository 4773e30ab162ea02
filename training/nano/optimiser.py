"""Muon for the hidden matrices, AdamW for the rest, over float32 masters of a model that may compute in bfloat16."""

import torch
from torch import Tensor

from nano.model import Nano

_A, _B, _C = 3.4445, -4.7750, 2.0315  # quintic Newton-Schulz step of Muon
_MOMENTUM, _WEIGHT_DECAY = 0.95, 0.01


def orthogonalise(matrices: Tensor, steps: int = 4) -> Tensor:
    """Approximate polar factor of each matrix [n, rows, columns], in the dtype of the input."""
    tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.mT
        x = _A * x + (_B * gram + _C * gram @ gram) @ x
    return x.mT if tall else x


class Optimiser:
    """Holds the float32 masters of `model`, and writes them back into it after each step."""

    def __init__(self, model: Nano, rate: float) -> None:
        self.model, self.rate = model, rate
        self.pairs = [(name, p, p.detach().float().clone()) for name, p in model.named_parameters()]
        hidden = ("vision_blocks", "decoder_blocks")
        self._muon = [
            (name, m, torch.zeros_like(m)) for name, _, m in self.pairs if m.dim() == 2 and name.startswith(hidden)
        ]
        muon_names = {name for name, _, _ in self._muon}
        rest = [m for name, _, m in self.pairs if name not in muon_names]
        groups = [
            {"params": [m for m in rest if m.dim() > 1], "weight_decay": _WEIGHT_DECAY},
            {"params": [m for m in rest if m.dim() < 2], "weight_decay": 0.0},
        ]
        self._adam = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98))

    @torch.no_grad()
    def step(self, scale: float, only: tuple[str, ...] = ()) -> float:
        """One step at `scale` times the rate; returns the gradient norm before clipping at 1.

        only: name prefixes of the parameters that move (all when empty). Parameters without gradient stay as they are.
        """
        for name, parameter, master in self.pairs:
            moves = not only or name.startswith(only)
            master.grad = parameter.grad.float() if moves and parameter.grad is not None else None
            parameter.grad = None
        norm = torch.nn.utils.clip_grad_norm_([m for _, _, m in self.pairs], 1.0)
        if not torch.isfinite(norm):
            return float(norm)  # a broken batch moves nothing
        for group in self._adam.param_groups:
            group["lr"] = self.rate * scale
        muon_masters = {id(m) for _, m, _ in self._muon}
        muon_grads = {id(m): m.grad for _, m, _ in self._muon}
        for _, _, master in self.pairs:
            if id(master) in muon_masters:
                master.grad = None
        self._adam.step()
        self._muon_step(scale, muon_grads)
        for _, parameter, master in self.pairs:
            master.grad = None
            parameter.copy_(master)
        return float(norm)

    def _muon_step(self, scale: float, grads: dict[int, Tensor | None]) -> None:
        by_shape: dict[torch.Size, list[tuple[Tensor, Tensor]]] = {}
        for name, master, momentum in self._muon:
            grad = grads[id(master)]
            if grad is None:
                continue
            momentum.mul_(_MOMENTUM).add_(grad, alpha=1 - _MOMENTUM)
            update = grad.lerp(momentum, _MOMENTUM)
            parts = 3 if "qkv" in name else 1  # query, key and value are three matrices
            for piece, target in zip(update.chunk(parts), master.chunk(parts), strict=True):
                by_shape.setdefault(piece.shape, []).append((piece, target))
        for shape, entries in by_shape.items():
            stacked = torch.stack([piece for piece, _ in entries])
            factors = orthogonalise(stacked.to(self.model.dtype)).float()
            size = 0.2 * max(shape) ** 0.5  # root mean square of an AdamW step
            for factor, (_, target) in zip(factors, entries, strict=True):
                target.mul_(1 - self.rate * scale * _WEIGHT_DECAY).add_(factor, alpha=-self.rate * scale * size)

    def state_dict(self) -> dict[str, object]:
        masters = {name: master for name, _, master in self.pairs}
        return {"masters": masters, "adam": self._adam.state_dict(), "muon": {name: b for name, _, b in self._muon}}

    def load_state_dict(self, state: dict) -> None:
        """Takes a state back. Parameters that it lacks, or has in another shape, begin anew: training-only heads that
        were added or have grown since."""
        known = {name for name, _, master in self.pairs if _same_shape(state["masters"].get(name), master)}
        with torch.no_grad():
            for name, parameter, master in self.pairs:
                if name in known:
                    master.copy_(state["masters"][name])
                parameter.copy_(master)
            for name, _, momentum in self._muon:
                momentum.copy_(state["muon"][name])
        if len(known) == len(self.pairs):
            self._adam.load_state_dict(state["adam"])
            return
        # AdamW numbers its parameters in the order of its groups; the old numbers go by the names of then
        muon_names = {name for name, _, _ in self._muon}
        rest = [(name, master) for name, master in state["masters"].items() if name not in muon_names]
        old = [name for name, m in rest if m.dim() > 1] + [name for name, m in rest if m.dim() < 2]
        masters = {name: master for name, _, master in self.pairs}
        for number, moments in state["adam"]["state"].items():
            if old[number] in known:
                copied = {key: value.clone() for key, value in moments.items()}
                self._adam.state[masters[old[number]]] = copied


def _same_shape(a: Tensor | None, b: Tensor) -> bool:
    return a is not None and a.shape == b.shape
