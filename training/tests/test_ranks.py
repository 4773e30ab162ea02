"""Two ranks that average gradients, against the mean worked out by hand."""

import os
import tempfile
import unittest

import torch

from nano import ranks


def _work(rank: int, folder: str) -> None:
    """Leaves in `folder` what a rank has after one exchange."""
    torch.set_num_threads(1)
    parameters = [torch.nn.Parameter(torch.zeros(2, 3)) for _ in range(3)]
    parameters[0].grad = torch.full((2, 3), 1.0 + 2 * rank)
    if rank == 1:
        parameters[1].grad = torch.ones(2, 3)
    shared = ranks.average(parameters, ranks.Shared(0.5 + rank, rank == 0, 10 + rank, 100 * rank), rank)
    torch.save([[p.grad for p in parameters], vars(shared)], os.path.join(folder, str(rank)))


class Ranks(unittest.TestCase):
    def test_every_rank_gets_the_mean(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            meeting = os.path.join(folder, "meeting")
            with open(meeting, "w", encoding="ascii") as handle:
                handle.write("of a run that was killed")
            ranks.run(2, meeting, _work, folder)
            for rank in range(2):
                gradients, shared = torch.load(os.path.join(folder, str(rank)), weights_only=True)
                self.assertTrue(torch.equal(gradients[0], torch.full((2, 3), 2.0)))
                self.assertTrue(torch.equal(gradients[1], torch.full((2, 3), 0.5)))
                self.assertIsNone(gradients[2])
                self.assertEqual(shared, {"scale": 0.5, "stop": True, "crops": 21, "characters": 100})

    def test_one_rank_needs_no_other(self) -> None:
        found: list[int] = []
        ranks.run(1, "unused", lambda rank, number: found.append(rank + number), 5)
        self.assertEqual(found, [5])


if __name__ == "__main__":
    unittest.main()
