"""What groff's output says of a page against the picture of the same page. Needs groff, fontforge and poppler."""

import random
import shutil
import tempfile
import unittest

import numpy as np

from nano import typeset
from nano.eqn import to_eqn
from nano.formulas import new_term
from nano.groff_fonts import HELD_FAMILIES, MATH_FAMILIES, TRAIN_FAMILIES, GroffFonts, families
from nano.table_text import TableText
from nano.typeset import Glyph, bounds, escape, mark
from nano.typeset_crops import lines_of, spell

_TOOLS = ("groff", "gropdf", "fontforge", "pdftoppm")
_MISSING = [tool for tool in _TOOLS if shutil.which(tool) is None]


def _glyphs(text: str, y: float = 10) -> list[Glyph]:
    return [Glyph(char, 5.0 * at, y, 5, (5.0 * at, y - 7, 5.0 * at + 4, y), 10) for at, char in enumerate(text)]


class Spelling(unittest.TestCase):
    def test_ligatures_and_quotes_answer_in_ascii(self) -> None:
        letters = spell(_glyphs("\u201ca\ufb01t\u201d"), '"a fit"')
        assert letters is not None
        self.assertEqual([letter.letters for letter in letters], ['"', "a", "fi", "t", '"'])
        self.assertEqual([letter.before for letter in letters], ["", "", " ", "", ""])

    def test_a_missing_glyph_is_noticed(self) -> None:
        self.assertIsNone(spell(_glyphs("abd"), "abcd"))
        self.assertIsNone(spell(_glyphs("abcd"), "abc"))

    def test_lines_part_where_the_base_line_changes(self) -> None:
        letters = spell(_glyphs("ab") + _glyphs("cd", 25), "ab cd")
        assert letters is not None
        self.assertEqual(["".join(letter.letters for letter in line) for line in lines_of(letters)], ["ab", "cd"])


class Split(unittest.TestCase):
    def test_no_face_is_on_both_sides(self) -> None:
        self.assertFalse(TRAIN_FAMILIES & HELD_FAMILIES)
        self.assertFalse(set(MATH_FAMILIES["train"]) & set(MATH_FAMILIES["held"]))
        self.assertFalse(set(MATH_FAMILIES["held"]) & TRAIN_FAMILIES)
        train, held = (
            {path for styles in families(split).values() for path in styles.values()} for split in ("train", "held")
        )
        self.assertFalse(train & held)


class Tables(unittest.TestCase):
    def test_spans_become_attributes(self) -> None:
        table = TableText(
            [["a", None, "b"], ["c", "d", "e & f"], [None, "g", None]],
            [False] * 3,
            {(0, 1): "<lcel>", (2, 0): "<ucel>"},
        )
        self.assertEqual(
            table.to_html(),
            '<table><tr><td colspan="2">a</td><td>b</td></tr>'
            '<tr><td rowspan="2">c</td><td>d</td><td>e &amp; f</td></tr>'
            "<tr><td>g</td><td></td></tr></table>",
        )


@unittest.skipIf(_MISSING, f"not installed: {', '.join(_MISSING)}")
class Typesetting(unittest.TestCase):
    fonts: GroffFonts
    math: str
    family: str

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.fonts = GroffFonts(folder.name)
        cls.math = cls.fonts.math("DejaVu Math TeX Gyre")
        cls.family = cls.fonts.family("held", "Caladea")

    def _page(self, body: str) -> typeset.TypesetPage:
        head = f".fam {self.family}\n.special {self.math}\n.nr PS 10p\n.nr LL 300p\n.nr PO 50p\n.pl 400p\n.nr HY 0\n"
        output, pages = typeset.layout(head + body, self.fonts, "s", (400, 400))
        typeset.draw(output, self.fonts, pages, 144)
        return pages[0]

    def test_all_ink_lies_in_the_boxes_and_reaches_their_edges(self) -> None:
        body = f".LP\n{mark('+a')}{escape('Of all - the ' * 12)}{mark('-a')}\n"
        body += f'.EQ\n"{mark("+b")}" x over y "{mark("-b")}"\n.EN\n'
        page = self._page(body)
        image = page.image
        assert image is not None
        left = image.copy()
        for name in ("a", "b"):
            part = page.marked[name]
            x0, y0, x1, y1 = (value * 2 for value in bounds([glyph.box for glyph in part.glyphs] + part.rules))
            window = (slice(int(y0) - 2, int(y1) + 3), slice(int(x0) - 2, int(x1) + 3))
            rows, columns = np.nonzero(left[window] < 128)
            self.assertLess(np.ptp(rows) - (y1 - y0), 2)
            self.assertLess(abs(np.ptp(rows) - (y1 - y0)), 3)
            self.assertLess(abs(np.ptp(columns) - (x1 - x0)), 3)
            left[window] = 255
        self.assertEqual(int((left < 200).sum()), 0)

    def test_every_printed_character_of_ascii_comes_back(self) -> None:
        text = "".join(chr(code) for code in range(33, 127))
        page = self._page(f".LP\n{mark('+a')}{escape(text)} d\\[x00E9]j\\[x00E0]{mark('-a')}\n")
        self.assertEqual("".join(glyph.char for glyph in page.marked["a"].glyphs), text + "d\u00e9j\u00e0")

    def test_every_visible_token_of_a_formula_has_a_place(self) -> None:
        rng = random.Random(3)
        for _ in range(12):
            tokens = new_term(rng).tokens
            page = self._page(f'.LP\n.EQ\n"{mark("+f")}" {to_eqn(tokens)} "{mark("-f")}"\n.EN\n')
            places = sorted(int(name) for name, *_ in page.marked["f"].places)
            visible = [at for at, token in enumerate(tokens) if token not in ("{", "}", "_", "^", "\\frac", "\\sqrt")]
            self.assertEqual(places, visible)


if __name__ == "__main__":
    unittest.main()
