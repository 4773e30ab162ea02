"""Formulas in the forms that books have: numbers, derivatives, integrals, limits, series, large brackets, accents.

Terms of `nano.formulas`' kind: LaTeX tokens, and the tokens of the visible glyphs in mathtext's order.
"""

import random
from collections.abc import Callable

from nano.terms import Term, joined, one

_VARIABLES = "xxxyyztuvwnnmkabcpqrsfghABCEFGHLMNPQRSTVXYZ"
_INDICES = "iiijkknnm012"
_GREEK = (
    "\\alpha", "\\beta", "\\gamma", "\\delta", "\\epsilon", "\\theta", "\\lambda", "\\mu", "\\nu", "\\pi",
    "\\rho", "\\sigma", "\\tau", "\\phi", "\\omega", "\\Delta", "\\Omega", "\\Phi", "\\Gamma", "\\Sigma",
)  # fmt: skip
_FUNCTIONS = ("\\sin", "\\cos", "\\tan", "\\log", "\\ln", "\\exp", "\\max", "\\min")
_RELATIONS = ("=", "=", "=", "=", "<", ">", "\\leq", "\\geq", "\\neq", "\\approx", "\\equiv", "\\sim", "\\propto")


def number(rng: random.Random) -> Term:
    """1 to 4 digits, at times with a decimal point."""
    digits = str(rng.choice([rng.randint(1, 9), rng.randint(2, 99), rng.randint(10, 9999)]))
    if rng.random() < 0.2:
        digits += "." + str(rng.randint(1, 99))
    return joined(*map(one, digits))


def _letter(rng: random.Random) -> Term:
    return one(rng.choice(_GREEK) if rng.random() < 0.25 else rng.choice(_VARIABLES))


def _accented(rng: random.Random) -> Term:
    """The accent is shipped before its letter."""
    return joined(one(rng.choice(("\\hat", "\\bar", "\\tilde", "\\vec", "\\dot"))), "{", _letter(rng), "}")


def _braced(mark: str, inner: Term) -> Term:
    return joined(mark, "{", inner, "}")


def _scripts(base: Term, low: Term | None, high: Term | None) -> Term:
    """Superscripts are shipped before subscripts."""
    if low is None or high is None:
        parts = [_braced(mark, inner) for mark, inner in (("_", low), ("^", high)) if inner is not None]
        return joined(base, *parts)
    term = joined(base, _braced("_", low), _braced("^", high))
    first, middle = len(base.order), len(base.order) + len(low.order)
    return Term(term.tokens, [*term.order[:first], *term.order[middle:], *term.order[first:middle]])


def _index(rng: random.Random) -> Term:
    if rng.random() < 0.75:
        return one(rng.choice(_INDICES))
    forms = (("i", "j"), ("n", "+", "1"), ("n", "-", "1"), ("i", ",", "j"), ("k", "+", "1"), ("m", "a", "x"))
    return joined(*map(one, rng.choice(forms)))


def variable(rng: random.Random) -> Term:
    """A letter, perhaps with an index, an accent or a prime."""
    kind = rng.random()
    if kind < 0.55:
        return _letter(rng)
    if kind < 0.85:
        return _scripts(_letter(rng), _index(rng), None)
    return _accented(rng) if kind < 0.94 else joined(_letter(rng), one("'"))


def _power(rng: random.Random) -> Term:
    high = rng.choice((one("2"), one("2"), one("3"), one("n"), one("k"), joined(one("-"), one("1")), variable(rng)))
    if rng.random() < 0.25:
        return _scripts(_letter(rng), one(rng.choice(_INDICES)), high)
    return _scripts(_letter(rng), None, high)


def _fraction(rng: random.Random, depth: int) -> Term:
    return joined("\\frac", "{", _sum_of(rng, depth - 1, 2), "}", "{", _sum_of(rng, depth - 1, 2), "}")


def _derivative(rng: random.Random, depth: int) -> Term:
    del depth
    mark = rng.choice(("d", "\\partial"))
    if rng.random() < 0.3:
        top = joined(_scripts(one(mark), None, one("2")), _letter(rng))
        return joined("\\frac", "{", top, "}", "{", one(mark), _scripts(_letter(rng), None, one("2")), "}")
    top = joined(one(mark), _letter(rng)) if rng.random() < 0.75 else one(mark)
    return joined("\\frac", "{", top, "}", "{", one(mark), _letter(rng), "}")


def _root(rng: random.Random, depth: int) -> Term:
    return joined(one("\\sqrt"), "{", _sum_of(rng, depth - 1, 2), "}")


def _brackets(rng: random.Random, depth: int) -> Term:
    """Large ones with \\left and \\right around what is high, simple ones around the rest."""
    left, right = rng.choice((("(", ")"), ("(", ")"), ("[", "]"), ("|", "|")))
    if depth > 0 and rng.random() < 0.5:
        inner = _fraction(rng, depth)
        term = joined("\\left", one(left), inner, "\\right", one(right))
    else:
        term = joined(one(left), _sum_of(rng, depth - 1, 2), one(right))
    return _scripts(term, None, one(rng.choice("23nk"))) if rng.random() < 0.35 else term


def _function(rng: random.Random, depth: int) -> Term:
    name = rng.choice(_FUNCTIONS)
    head = Term([name], [0] * (len(name) - 1))
    if rng.random() < 0.3 and name in ("\\sin", "\\cos", "\\tan"):
        head = _scripts(head, None, one("2"))
    if rng.random() < 0.5:
        return joined(head, variable(rng))
    return joined(head, one("("), _sum_of(rng, depth - 1, 2), one(")"))


def _call(rng: random.Random, depth: int) -> Term:
    del depth
    name = joined(one(rng.choice("fghFGPQTuvy")), *([one("'")] if rng.random() < 0.15 else []))
    left, right = rng.choice((("(", ")"), ("(", ")"), ("(", ")"), ("[", "]")))
    inside = [variable(rng)]
    for _ in range(rng.choice((0, 0, 1, 2))):
        inside += [one(rng.choice((",", ",", ",", "|"))), variable(rng)]
    return joined(name, one(left), *inside, one(right))


def _series(rng: random.Random, depth: int) -> Term:
    """Sums and products: the upper limit is shipped before the sign, the lower one behind it."""
    mark = one(rng.choice(("\\sum", "\\sum", "\\prod")))
    low = joined(one(rng.choice("ijkn")), one("="), one(rng.choice("01")))
    if rng.random() < 0.25:
        low = joined(one(rng.choice("ijkn")), *([one("\\in"), one(rng.choice("ANSX"))] if rng.random() < 0.5 else []))
        term = joined(mark, _braced("_", low))
    else:
        high = rng.choice((one("n"), one("N"), one("\\infty"), one("m"), joined(one("n"), one("-"), one("1"))))
        both = joined(mark, _braced("_", low), _braced("^", high))
        upper = both.order[1 + len(low.order) :]
        term = Term(both.tokens, [*upper, both.order[0], *both.order[1 : 1 + len(low.order)]])
    return joined(term, _item(rng, depth - 1))


def _integral(rng: random.Random, depth: int) -> Term:
    limits: tuple[Term | None, Term | None] = (None, None)
    if rng.random() < 0.7:
        endless = rng.random() < 0.3
        low = joined(one("-"), one("\\infty")) if endless and rng.random() < 0.5 else one(rng.choice("0a01t"))
        limits = (low, one("\\infty") if endless else one(rng.choice("1bTxt")))
    body = _item(rng, depth - 1)
    return joined(_scripts(one("\\int"), *limits), body, one("d"), one(rng.choice("xxxytuzs")))


def _limit(rng: random.Random, depth: int) -> Term:
    goal = rng.choice((one("0"), one("\\infty"), one("a"), one("1")))
    under = joined(one(rng.choice("xnht")), one("\\to"), goal)
    return joined(Term(["\\lim"], [0, 0, 0]), _braced("_", under), _item(rng, depth - 1))


def _listing(rng: random.Random, depth: int) -> Term:
    """a_1 + a_2 + ... + a_n."""
    del depth
    letter, last = _letter(rng), one(rng.choice("nmkN"))
    dots, between = rng.choice((("\\cdots", "+"), ("\\ldots", ",")))
    ends = [_scripts(letter, index, None) for index in (one("1"), one("2"), last)]
    return joined(ends[0], one(between), ends[1], one(between), one(dots), one(between), ends[2])


def _factorial(rng: random.Random, depth: int) -> Term:
    del depth
    return joined(one(rng.choice("nkmr23456")), one("!"))


_FORMS: list[tuple[float, Callable[[random.Random, int], Term]]] = [
    (0.17, lambda rng, depth: variable(rng)), (0.12, lambda rng, depth: number(rng)),
    (0.15, lambda rng, depth: _power(rng)), (0.11, _fraction), (0.05, _derivative), (0.05, _root), (0.08, _brackets),
    (0.06, _function), (0.07, _call), (0.05, _series), (0.04, _integral), (0.02, _limit), (0.02, _listing),
    (0.01, _factorial),
]  # fmt: skip


def _item(rng: random.Random, depth: int) -> Term:
    if depth <= 0:
        return rng.choice((variable, variable, number, _power))(rng)
    return rng.choices([form for _, form in _FORMS], [share for share, _ in _FORMS])[0](rng, depth)


def _factor(rng: random.Random, depth: int) -> Term:
    """An item, at times with a number or letter before it."""
    item = _item(rng, depth)
    if rng.random() < 0.25 and not item.tokens[0].isdigit():
        return joined(number(rng) if rng.random() < 0.5 else _letter(rng), item)
    return item


def _sum_of(rng: random.Random, depth: int, most: int) -> Term:
    parts = [one("-")] if rng.random() < 0.08 else []
    parts.append(_factor(rng, depth))
    for _ in range(rng.randint(1, most) - 1):
        parts += [one(rng.choice(("+", "+", "-", "-", "\\cdot", "\\times", "\\pm", "/"))), _factor(rng, depth)]
    return joined(*parts)


def textbook_term(rng: random.Random) -> Term:
    """A formula of 3 to 70 tokens, mostly an equation."""
    while True:
        depth = rng.choice((0, 1, 1, 2, 2))
        parts = [rng.choice((variable(rng), _call(rng, 0), _item(rng, depth)))]
        for _ in range(rng.choices((0, 1, 2), (0.12, 0.78, 0.1))[0]):
            parts += [one(rng.choice(_RELATIONS)), _sum_of(rng, depth, 3)]
        term = joined(*parts)
        if 3 <= len(term.tokens) <= 70:
            return term
