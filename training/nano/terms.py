"""Parts of formulas: LaTeX tokens, and which of them each visible glyph belongs to."""

from dataclasses import dataclass


@dataclass
class Term:
    """LaTeX tokens, and for each visible glyph in ship order the index of its token."""

    tokens: list[str]
    order: list[int]


def one(token: str, glyphs: int = 1) -> Term:
    """A token that shows itself, in one or more glyphs."""
    return Term([token], [0] * glyphs)


def joined(*parts: "str | Term") -> Term:
    """Concatenation; plain strings show nothing of their own (braces, carets)."""
    tokens: list[str] = []
    order: list[int] = []
    for part in parts:
        if isinstance(part, str):
            tokens.append(part)
        else:
            order += [at + len(tokens) for at in part.order]
            tokens += part.tokens
    return Term(tokens, order)
