"""Where mathtext draws the signs of a formula, against what its terms say."""

import random
import re
import unittest

from nano import vocabulary
from nano.formulas import glyph_codes, new_term, to_latex
from nano.known_formulas import KNOWN
from nano.textbook import textbook_term


class Terms(unittest.TestCase):
    def test_glyphs_come_in_the_order_that_terms_say(self) -> None:
        rng = random.Random(1)
        letters = 0
        for index in range(160):
            term = textbook_term(rng) if index % 2 else new_term(rng)
            codes = glyph_codes(term, "dejavuserif")  # its glyphs are Unicode's
            self.assertEqual(len(codes), len(term.order), to_latex(term.tokens))
            for code, token in zip(codes, term.order, strict=True):
                if term.tokens[token].isalnum():
                    self.assertEqual(chr(code), term.tokens[token], to_latex(term.tokens))
                    letters += 1
        self.assertGreater(letters, 500)

    def test_every_command_is_a_token(self) -> None:
        rng = random.Random(2)
        for latex in [*KNOWN, *(to_latex(textbook_term(rng).tokens) for _ in range(300))]:
            for command in re.findall(r"\\[a-zA-Z]+", latex):
                self.assertIn(command, vocabulary.LATEX, latex)
            self.assertEqual(vocabulary.decode(vocabulary.encode_latex(latex)), latex)


if __name__ == "__main__":
    unittest.main()
