"""The scorer that reads tesseract's text, and the text layer of PDFs."""

import random
import unittest

from nano.metrics import edit_distance
from nano.real_pages import TextLine, escape_markdown, join_lines, split_edges
from nano.score import page_text


def _plain_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]


class EditDistance(unittest.TestCase):
    def test_is_that_of_the_table(self) -> None:
        rng = random.Random(1)
        for _ in range(500):
            a, b = ("".join(rng.choices("abcd", k=rng.randint(0, 25))) for _ in range(2))
            self.assertEqual(edit_distance(a, b), _plain_distance(a, b), (a, b))

    def test_takes_token_ids(self) -> None:
        self.assertEqual(edit_distance([1, 2, 3], [1, 300, 3, 4]), 2)


class PageText(unittest.TestCase):
    def test_marks_are_no_characters(self) -> None:
        markdown = "# A b\n\n- one\n- two\n\n1. three\n\n<table><tr><td>x</td><td>y &amp; z</td></tr></table>\n"
        self.assertEqual(page_text(markdown), "A b one two three x y & z")

    def test_escapes_are_undone(self) -> None:
        text = "a_b* <c> [d] #1 \\n `q` $5 | 6 & 7"
        self.assertEqual(page_text(escape_markdown(text)), text)


class TextLayer(unittest.TestCase):
    def test_hyphens_at_ends_go_before_small_letters_only(self) -> None:
        self.assertEqual(join_lines(["an exam-", "ple of X-", "Ray and 1-", "two"]), "an example of X- Ray and 1- two")

    def test_running_heads_and_page_numbers_are_told_from_text(self) -> None:
        head = TextLine("Manual", (0.1, 0.04, 0.3, 0.05), 0)
        first = TextLine("Text at the very top", (0.1, 0.080, 0.9, 0.084), 1)
        second = TextLine("goes on here", (0.1, 0.095, 0.9, 0.11), 1)
        number = TextLine("22", (0.48, 0.86, 0.52, 0.87), 2)
        body, edges = split_edges([head, first, second, number])
        self.assertEqual(body, [first, second])
        self.assertEqual(edges, [head, number])


if __name__ == "__main__":
    unittest.main()
