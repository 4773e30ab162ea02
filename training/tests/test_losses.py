"""Dense layout targets, pruning of blank tokens, and states that are older than a head."""

import unittest

import numpy as np
import torch

from nano.losses import Truth, blank_tokens, layout_loss, prune
from nano.model import LAYOUT_CLASSES, Config, Nano
from nano.optimiser import Optimiser
from nano.pages import TYPES, dense_targets

_SMALL = Config(
    vision_width=48, vision_depth=1, vision_heads=2, vision_mlp=64, width=64, depth=3, heads=1, kv_heads=1, ffn=64
)  # fmt: skip


def _truth(image: torch.Tensor, cells: list[int]) -> Truth:
    tokens = image.shape[1] // 28 * (image.shape[2] // 28)
    slots = torch.zeros(1, tokens, 7, dtype=torch.uint8)
    slots[0, :, 0] = torch.arange(tokens)
    grid = (image.shape[1] // 28, image.shape[2] // 28)
    answer = torch.tensor([[65 + at for at in range(len(cells))]])
    return Truth(image, answer, torch.tensor([cells]), slots, grid, "text")


class DenseTargets(unittest.TestCase):
    def test_gives_type_and_distances_of_the_token_middle(self) -> None:
        targets = dense_targets([("title", (10, 20, 50, 40))], (100, 100), (10, 10)).reshape(10, 10, 5)
        np.testing.assert_allclose(targets[2, 1], [TYPES.index("title") + 1, 0.5, 0.5, 3.5, 1.5])
        self.assertEqual(int((targets[..., 0] > 0).sum()), 8)

    def test_the_smaller_block_wins(self) -> None:
        blocks = [("text", (0, 0, 20, 20)), ("list", (0, 0, 60, 60))]
        targets = dense_targets(blocks, (100, 100), (10, 10)).reshape(10, 10, 5)
        self.assertEqual(int(targets[0, 0, 0]), TYPES.index("text") + 1)
        self.assertEqual(int(targets[5, 5, 0]), TYPES.index("list") + 1)

    def test_a_block_thinner_than_a_token_is_not_lost(self) -> None:
        targets = dense_targets([("page_number", (41, 91, 44, 93))], (100, 100), (10, 10)).reshape(10, 10, 5)
        self.assertEqual(list(zip(*np.nonzero(targets[..., 0]), strict=True)), [(9, 4)])


class LayoutLoss(unittest.TestCase):
    def test_is_near_zero_for_the_truth_and_large_for_another_box(self) -> None:
        model = Nano(_SMALL)
        layout = torch.zeros(1, 2, 5)
        layout[0, 0] = torch.tensor([1.0, 2.0, 1.0, 3.0, 1.0])
        wanted = torch.full((1, 2, LAYOUT_CLASSES + 4), -20.0)
        wanted[0, 0, 1] = wanted[0, 1, 0] = 20.0
        wanted[0, 0, -4:] = torch.log(torch.expm1(layout[0, 0, 1:] - 0.01))  # softplus turned round
        model.layout_head = _Fixed(wanted)
        loss, right, overlap = layout_loss(model, torch.zeros(1, 2, 64), layout)
        self.assertLess(float(loss), 1e-3)
        self.assertEqual(float(right), 1.0)
        self.assertGreater(float(overlap), 0.999)
        wanted[0, 0, -4:] = torch.log(torch.expm1(torch.tensor([0.5, 0.5, 0.5, 0.5])))
        self.assertGreater(float(layout_loss(model, torch.zeros(1, 2, 64), layout)[0]), 1.0)

    def test_falls_and_the_overlap_rises_when_trained(self) -> None:
        torch.manual_seed(0)
        model = Nano(_SMALL)
        blocks = [("title", (0, 0, 168, 28)), ("text", (0, 56, 168, 168))]
        layout = torch.from_numpy(dense_targets(blocks, (168, 168), (6, 6)).astype(np.float32))[None]
        image = torch.full((1, 168, 168), 255, dtype=torch.uint8)
        image[0, 4:24:2, 4:164] = 0
        image[0, 60:164:7, 4:164] = 0
        optimiser = torch.optim.Adam(model.parameters(), 3e-3)
        losses, overlaps = [], []
        for _ in range(60):
            loss, _, overlap = layout_loss(model, model.see(image), layout)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            overlaps.append(float(overlap))
        self.assertLess(losses[-1], 0.5 * losses[0])
        self.assertGreater(overlaps[-1], overlaps[0] + 0.1)


class _Fixed(torch.nn.Module):
    """A head that says the same for every input."""

    def __init__(self, output: torch.Tensor) -> None:
        super().__init__()
        self.output = output

    def forward(self, _: torch.Tensor) -> torch.Tensor:
        return self.output


class Pruning(unittest.TestCase):
    def setUp(self) -> None:
        self.image = torch.full((1, 84, 168), 250, dtype=torch.uint8)
        self.image[0, 10, 5] = 0  # ink in token 0 alone

    def test_paper_beside_ink_is_not_blank(self) -> None:
        blank = blank_tokens(self.image).view(3, 6)
        self.assertFalse(bool(blank[:2, :2].any()))
        self.assertTrue(bool(blank[2].all() and blank[:, 2:].all()))

    def test_cells_and_slots_follow_their_tokens(self) -> None:
        truth = _truth(self.image, [0, 1, 17, -1])
        pruned = prune(truth, 1.0, torch.Generator().manual_seed(1))
        assert pruned.kept is not None
        self.assertEqual(pruned.kept.tolist(), [[0, 1, 6, 7]])
        self.assertEqual(pruned.cells.tolist(), [[0, 1, -1, -1]])
        self.assertEqual(pruned.slots[0, :, 0].tolist(), [0, 1, 6, 7])

    def test_nothing_kept_back_is_the_same_as_no_pruning(self) -> None:
        torch.manual_seed(0)
        model = Nano(_SMALL).eval()
        image = torch.randint(0, 255, (2, 56, 84), dtype=torch.uint8)
        kept = torch.arange(6).expand(2, -1)
        torch.testing.assert_close(model.see(image, kept), model.see(image))

    def test_positions_are_kept(self) -> None:
        model = Nano(_SMALL)
        answer = torch.zeros(1, 3, dtype=torch.long)
        whole = model.sequence(torch.zeros(1, 6, 64), (2, 3), "text", answer)
        kept = torch.tensor([[0, 4]])
        part = model.sequence(torch.zeros(1, 2, 64), (2, 3), "text", answer, kept=kept)
        first = whole[3]
        rows = [*range(first), first, first + 4, *range(first + 6, whole[0].shape[1])]
        torch.testing.assert_close(part[1][0][0, 0], whole[1][0][rows])
        self.assertEqual(part[0].shape[1], len(rows))


class OlderState(unittest.TestCase):
    def test_a_head_that_was_added_begins_anew_and_the_rest_goes_on(self) -> None:
        torch.manual_seed(0)
        before = Optimiser(Nano(_SMALL), 1e-3)
        for parameter in before.model.parameters():
            parameter.grad = torch.ones_like(parameter)
        before.step(1.0)
        state = before.state_dict()
        masters = state["masters"]
        old = {name: value for name, value in masters.items() if not name.startswith("layout_head")}
        old["slot_head.weight"], old["slot_head.bias"] = torch.zeros(896, 64), torch.zeros(896)
        numbers = [name for name, m in masters.items() if name not in state["muon"] and m.dim() > 1]
        numbers += [name for name, m in masters.items() if name not in state["muon"] and m.dim() < 2]
        adam = {name: state["adam"]["state"][number] for number, name in enumerate(numbers)}
        old_numbers = [name for name in numbers if name in old]
        state["masters"] = old
        state["adam"] = {"state": {number: adam[name] for number, name in enumerate(old_numbers)}}
        after = Optimiser(Nano(_SMALL), 1e-3)
        after.load_state_dict(state)
        masters_after = {name: master for name, _, master in after.pairs}
        torch.testing.assert_close(masters_after["embed.weight"], masters["embed.weight"])
        moments = after._adam.state[masters_after["embed.weight"]]["exp_avg"]
        torch.testing.assert_close(moments, adam["embed.weight"]["exp_avg"])
        self.assertNotIn(masters_after["slot_head.weight"], after._adam.state)
        for parameter in after.model.parameters():
            parameter.grad = torch.ones_like(parameter)
        self.assertTrue(np.isfinite(after.step(1.0)))


if __name__ == "__main__":
    unittest.main()
