"""Formulas of `nano.formulas` as input of eqn, every visible token marked with its index."""

from nano.typeset import mark

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho finalsigma sigma tau"
    " upsilon phi chi psi omega"
).split()
#: Code points of LaTeX commands; lower-case phi and epsilon in the forms that TeX gives these names.
_CODES: dict[str, int] = {
    **{f"\\{name}": 0x3B1 + at for at, name in enumerate(_GREEK_NAMES)},
    **{f"\\{name.capitalize()}": 0x391 + at for at, name in enumerate(_GREEK_NAMES) if name != "finalsigma"},
    "\\phi": 0x3D5, "\\varphi": 0x3C6, "\\epsilon": 0x3F5, "\\varepsilon": 0x3B5, "\\infty": 0x221E,
    "\\partial": 0x2202, "\\nabla": 0x2207, "\\ell": 0x2113, "\\cdot": 0x22C5, "\\times": 0xD7, "\\pm": 0xB1,
    "\\leq": 0x2264, "\\geq": 0x2265, "\\neq": 0x2260, "\\approx": 0x2248, "\\equiv": 0x2261, "\\in": 0x2208,
    "\\to": 0x2192, "\\sim": 0x223C, "\\propto": 0x221D, "\\subset": 0x2282, "\\sum": 0x2211, "\\prod": 0x220F,
    "\\int": 0x222B, "-": 0x2212,
}  # fmt: skip
_BINARY = {"+", "-", "\\cdot", "\\times", "\\pm"}
_RELATION = {
    "=", "<", ">", "\\leq", "\\geq", "\\neq", "\\approx", "\\equiv", "\\in", "\\to", "\\sim", "\\propto", "\\subset",
}  # fmt: skip
_LARGE = {"\\sum": 5, "\\prod": 5, "\\int": 6}
_FUNCTIONS = {"\\sin", "\\cos", "\\log", "\\ln", "\\exp", "\\tan", "\\max", "\\min"}


class _Parser:
    """Recursive descent over the token list of a formula."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def leaf(self) -> str:
        """One visible token, whose index is its place."""
        token, place = self.tokens[self.at], mark(str(self.at))
        self.at += 1
        if token in _LARGE:
            grow = _LARGE[token]
            return f'"{place}\\s+{grow}\\[x{_CODES[token]:04X}]\\s-{grow}"'
        if token in _FUNCTIONS:
            return f'roman "{place}{token[1:]}"'
        shown = f"{place}\\[x{_CODES[token]:04X}]" if token in _CODES else place + token
        if token in _BINARY:
            return f'type "binary" "{shown}"'
        if token in _RELATION:
            return f'type "relation" "{shown}"'
        if token in "()":
            return f'type "{"opening" if token == "(" else "closing"}" roman "{shown}"'
        if token == ",":
            return f'type "punctuation" "{shown}"'
        return f'italic "{shown}"' if token.isalpha() else f'roman "{shown}"'

    def group(self) -> str:
        """What stands in braces, or one item."""
        if self.peek() != "{":
            return self.item()
        self.at += 1
        parts: list[str] = []
        while self.peek() != "}":
            parts.append(self.item())
        self.at += 1
        return "{ " + " ".join(parts) + " }"

    def item(self) -> str:
        """An atom with its scripts."""
        first = self.peek()
        if first == "\\frac":
            self.at += 1
            base = f"{{ {self.group()} over {self.group()} }}"
        elif first == "\\sqrt":
            self.at += 1
            base = f"sqrt {self.group()}"
        else:
            base = self.group() if first == "{" else self.leaf()
        scripts: dict[str, str] = {}
        while self.peek() in ("_", "^"):
            kind = self.peek()
            self.at += 1
            scripts[kind] = self.group()
        if not scripts:
            return base
        low, high = ("from", "to") if first in ("\\sum", "\\prod") else ("sub", "sup")
        under = [low, scripts["_"]] if "_" in scripts else []
        over = [high, scripts["^"]] if "^" in scripts else []
        return " ".join(["{", base, *under, *over, "}"])


def to_eqn(tokens: list[str]) -> str:
    """eqn's input for LaTeX tokens; KeyError or IndexError for what `nano.formulas` never makes."""
    parser = _Parser(tokens)
    parts: list[str] = []
    while parser.at < len(tokens):
        parts.append(parser.item())
    return " ".join(parts)
