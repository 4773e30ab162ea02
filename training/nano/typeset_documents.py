"""Random one-page documents for groff with exact truth: Markdown, boxes, and the answer of every block.

Training uses the macros -ms and the training faces and texts; the held-out split uses -me and the held-out ones.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from nano import typeset
from nano.canvas import set_type
from nano.eqn import to_eqn
from nano.formulas import new_term, to_latex
from nano.groff_fonts import MATH_FAMILIES, GroffFonts, families
from nano.table_text import TableText, random_table
from nano.text_source import TextSource
from nano.typeset import Box, Glyph, Marked, Place, TypesetPage, between_lines, bounds, escape, mark

_PAPERS = ((595.0, 842.0), (612.0, 792.0), (595.0, 842.0), (420.0, 595.0), (842.0, 595.0))
#: Kinds whose text MinerU leaves out of Markdown.
_APART = frozenset({"header", "footer", "page_number"})


@dataclass
class Block:
    """A block: MinerU's type, groff source, and its truth. The mark in the source is `name`."""

    kind: str
    name: str
    source: str
    text: str = ""  # as answered: for lists with the mark of the item
    level: int = 0  # of a title
    tokens: list[str] = field(default_factory=list)  # of an equation
    table: TableText | None = None
    box: Box | None = None  # where no ink gives it
    fragments: list[Marked] = field(default_factory=list)  # more than one where a column ends inside

    def boxes(self) -> list[Box]:
        """The boxes of the fragments, in points."""
        if self.box:
            return [self.box]
        return [bounds([glyph.box for glyph in part.glyphs] + part.rules) for part in self.fragments]

    def markdown(self) -> str:
        """What Markdown has for the block; empty for what it leaves out."""
        if self.kind in _APART or self.kind == "image":
            return ""
        if self.kind == "title":
            return "#" * self.level + " " + self.text
        if self.kind == "equation":
            return f"$$\n{to_latex(self.tokens)}\n$$"
        return self.table.to_html() if self.table else self.text


@dataclass
class Document:
    """A page with its blocks in reading order; the items of each list; the family of its text."""

    page: TypesetPage
    blocks: list[Block]
    output: str  # groff's intermediate output
    lists: list[list[Block]]
    family: str

    def layout(self) -> list[tuple[str, Box]]:
        """(type, box in points); a list stands before its items."""
        first = {id(items[0]): items for items in self.lists}
        found: list[tuple[str, Box]] = []
        for block in self.blocks:
            if id(block) in first:
                found += [("list", box) for box in _by_column([b for item in first[id(block)] for b in item.boxes()])]
            found += [(block.kind, box) for box in block.boxes()]
        return found

    def markdown(self) -> str:
        inner = {id(item) for items in self.lists for item in items[1:]}
        text = ""
        for block in self.blocks:
            piece = block.markdown()
            if piece:
                text += ("\n" if id(block) in inner else "\n\n") + piece
        return text.strip() + "\n"


def _by_column(boxes: list[Box]) -> list[Box]:
    """The bounds of boxes in reading order, anew where the next one stands higher."""
    groups: list[list[Box]] = []
    for box in boxes:
        if groups and box[1] >= groups[-1][-1][1]:
            groups[-1].append(box)
        else:
            groups.append([box])
    return [bounds(group) for group in groups]


class _Macros:
    """The requests that differ between -ms and -me."""

    def __init__(self, name: str, family: str, math: list[str]) -> None:
        self.name = name
        self.room = 0.0  # width of a column in points, known after `preamble`
        self.start = [f".fam {family}", f".special {' '.join(math)}", ".ss 12 0", ".nh"]

    def preamble(self, rng: random.Random, paper: tuple[float, float], size: float, columns: int) -> list[str]:
        lead, margin = size * rng.uniform(1.12, 1.4), paper[0] * rng.uniform(0.08, 0.16)
        length, top = paper[0] - 2 * margin, rng.uniform(50, 80)
        self.room = (length - (columns - 1) * 24) / columns
        adjust = ".na" if rng.random() < 0.3 else ".ad b"
        if self.name == "ms":
            lines = [
                ".nr HY 0", f".nr PS {size}p", f".nr VS {lead:.1f}p", f".nr LL {length:.0f}p",
                f".nr PO {margin:.0f}p", f".nr HM {top:.0f}p", f".nr FM {top:.0f}p", ".nr PD 0.5v",
                ".nr MINGW 24p", f".pl {paper[1]:.0f}p", *self.start,
            ]  # fmt: skip
            return [*lines, ".LP", *([".2C"] if columns == 2 else []), adjust]
        lines = [
            f".pl {paper[1]:.0f}p", f".po {margin:.0f}p", f".xl {length:.0f}p", f".nr pp {size:.0f}",
            f".nr tp {size:.0f}", f".nr sp {size + 2:.0f}", f".sz {size:.0f}", f".nr hm {top / 2:.0f}p",
            f".nr tm {top:.0f}p", f".nr bm {top:.0f}p", f".nr fm {top / 2:.0f}p", *self.start,
        ]  # fmt: skip
        return [*lines, ".lp", *([".2c 24p"] if columns == 2 else []), adjust]

    def paragraph(self, rng: random.Random) -> str:
        return rng.choice((".LP", ".LP", ".PP")) if self.name == "ms" else rng.choice((".lp", ".lp", ".pp"))

    def heading(self, text: str, size: int) -> list[str]:
        if self.name == "ms":
            return [".SH", f".vs +{size}p", f"\\s+{size}{text}\\s-{size}"]
        return [".lp", ".ne 4v", f".vs +{size}p", f"\\fB\\s+{size}{text}\\s-{size}\\fP", ".br", f".vs -{size}p"]

    def item(self, label: str, text: str) -> list[str]:
        return [f'.{"IP" if self.name == "ms" else "ip"} "{label}" {2 if self.name == "ms" else "2n"}', text]


def _set(source: TextSource, path: str, text: str) -> str:
    """Words as they are printed: typographic characters, at times a bold or italic word."""
    rng, words = source.rng, set_type(source.rng, text, path).split()
    shown = [escape(word) for word in words]
    if rng.random() < 0.2:
        at = rng.randrange(len(shown))
        face = rng.choice("BI")
        for index in range(at, min(len(shown), at + rng.randint(1, 3))):
            shown[index] = f"\\f{face}{shown[index]}\\fP"
    return " ".join(shown)


class _Writer:
    """Collects blocks until a page is likely full."""

    def __init__(self, source: TextSource, fonts: GroffFonts, focus: str | None) -> None:
        rng = source.rng
        self.source, self.rng, self.focus = source, rng, focus
        self.family = rng.choice(list(families(source.split)))
        self.path = families(source.split)[self.family]["R"]
        math = [fonts.math(family) for family in MATH_FAMILIES[source.split]]
        rng.shuffle(math)
        self.macros = _Macros("ms" if source.split == "train" else "me", fonts.family(source.split, self.family), math)
        self.paper = rng.choice(_PAPERS)
        self.columns = 2 if rng.random() < 0.35 and self.paper[0] > 500 else 1
        self.size = round(rng.triangular(8.5, 13, 10) * 2) / 2
        self.head = self.macros.preamble(rng, self.paper, self.size, self.columns)
        self.blocks: list[Block] = []
        self.lists: list[list[Block]] = []

    def add(self, kind: str, source: Callable[[str, str], list[str]], **truth: object) -> Block:
        """`source` gets the opening and the closing mark and gives the lines."""
        name = f"b{len(self.blocks)}"
        lines = source(mark("+" + name), mark("-" + name))
        block = Block(kind, name, "\n".join(lines), **truth)  # type: ignore[arg-type]
        self.blocks.append(block)
        return block

    def text(self) -> None:
        words = self.source.text(self.rng.randint(60, 640))
        shown = _set(self.source, self.path, words)
        self.add("text", lambda a, b: [self.macros.paragraph(self.rng), a + shown + b], text=" ".join(words.split()))

    def title(self) -> None:
        words = " ".join(self.source.text(self.rng.randint(8, 46)).split())
        level = self.rng.choice((1, 2, 2, 3))
        if self.rng.random() < 0.4:
            words = f"{'.'.join(str(self.rng.randint(1, 9)) for _ in range(level))} {words}"
        shown = escape(set_type(self.rng, words, self.path))
        grow = {1: 5, 2: 3, 3: 1}[level]
        self.add("title", lambda a, b: self.macros.heading(a + shown + b, grow), text=words, level=level)

    def items(self) -> None:
        numbered, items = self.rng.random() < 0.4, []
        bullet = self.rng.choice(("\u2022", "\u2022", "\u2013", "-"))
        for number in range(1, self.rng.randint(3, 6)):
            words = " ".join(self.source.text(self.rng.randint(20, 150)).split())
            label = f"{number}." if numbered else escape(bullet)
            shown = _set(self.source, self.path, words)
            make = partial(self._item, label, shown)
            items.append(self.add("text", make, text=f"{label if numbered else '-'} {words}"))
        self.lists.append(items)

    def _item(self, label: str, shown: str, begin: str, end: str) -> list[str]:
        return self.macros.item(begin + label, shown + end)

    def caption(self, kind: str, word: str) -> None:
        words = f"{word} {self.rng.randint(1, 20)}: {' '.join(self.source.text(self.rng.randint(16, 70)).split())}"
        shown = escape(set_type(self.rng, words, self.path))
        first = self.macros.paragraph(random.Random(0))
        self.add(kind, lambda a, b: [first, f"{a}\\s-1{shown}\\s+1{b}", ".br"], text=words)

    def table(self) -> None:
        if self.rng.random() < 0.6:
            self.caption("table_caption", "Table")
        room = int(self.macros.room / (self.size * 0.58))  # characters
        table = random_table(self.source, max(2, min(6, room // 12)), room - 4)
        style = self.rng.choice(("allbox", "allbox", "box", "lines", "open"))
        lines = table.to_tbl(style, self.rng)
        self.add(
            "table",
            lambda a, b: [".sp 0.4v", ".br", between_lines(a), ".TS", *lines, ".TE", between_lines(b), ".sp 0.5v"],
            table=table,
        )

    def equation(self) -> None:
        tokens = new_term(self.rng).tokens
        place = self.rng.choice(("", "", "", " L"))
        self.add("equation", lambda a, b: [f".EQ{place}", f'"{a}" {to_eqn(tokens)} "{b}"', ".EN"], tokens=tokens)

    def picture(self) -> None:
        """A frame with shapes in it."""
        rng = self.rng
        width, height = self.macros.room * rng.uniform(0.4, 1), rng.uniform(60, 170)
        shapes = []
        for _ in range(rng.randint(2, 9)):
            x, y = rng.uniform(0, width * 0.8), rng.uniform(0, height * 0.8)
            w, h = rng.uniform(4, width - x), rng.uniform(4, height - y)
            gray, kind = rng.uniform(0.1, 0.95), rng.randrange(3)
            draw = (
                f"\\D'P {w:.1f}p 0 0 {h:.1f}p -{w:.1f}p 0'" if kind == 0 else
                f"\\v'{h / 2:.1f}p'\\D'E {w:.1f}p {h:.1f}p'" if kind == 1 else f"\\D'l {w:.1f}p {h:.1f}p'"
            )  # fmt: skip
            shapes.append(f"\\Z~\\h'{x:.1f}p'\\v'{y:.1f}p'\\D'Fg {gray:.2f}'{draw}\\D'Fd'~")
        wide, high = f"{width:.1f}p", f"{height:.1f}p"
        frame = f"\\D'l {wide} 0'\\D'l 0 {high}'\\D'l -{wide} 0'\\D'l 0 -{high}'"
        self.add(
            "image",
            lambda a, b: [
                self.macros.paragraph(random.Random(0)), f".ne {height + 30:.0f}p",
                f"{a}\\Z~{frame}~{b}{''.join(shapes)}", ".br", f".sp {high}",
            ],
        )  # fmt: skip
        if rng.random() < 0.8:
            self.caption("image_caption", "Figure")

    def running(self) -> None:
        """Header, footer and page number, as strings of the macros."""
        rng, top, bottom = self.rng, "", ""
        if rng.random() < 0.5:
            words = " ".join(self.source.text(rng.randint(10, 40)).split())
            block = self.add("header", lambda a, b: [], text=words)
            top = mark("+" + block.name) + escape(words).replace("'", "\\[x0027]") + mark("-" + block.name)
        if rng.random() < 0.6:
            words = str(rng.randint(1, 400))
            block = self.add("page_number", lambda a, b: [], text=words)
            bottom = mark("+" + block.name) + words + mark("-" + block.name)
        if self.macros.name == "ms":
            place = rng.choice(("LH", "CH", "RH"))
            strings = [f".ds {name}" for name in ("LH", "CH", "RH", "CF")]
            self.head[:0] = [*strings, f".ds {place} {top}", f".ds CF {bottom}"]
        else:
            self.head += [f".he ^{top}^^^", f".fo ^^{bottom}^^"]

    def fill(self) -> None:
        self.running()
        chances: list[tuple[float, Callable[[], None]]] = [
            (0.50, self.text), (0.15, self.title), (0.09, self.items), (0.10, self.table), (0.10, self.equation),
            (0.06, self.picture),
        ]  # fmt: skip
        favourite = {"table": self.table, "formula": self.equation, "text": self.text}.get(self.focus or "")
        if self.rng.random() < 0.5:
            self.title()
        area = self.paper[0] * self.paper[1] * 0.75
        for _ in range(int(area / (self.size**2 * 1.25 * 0.5) / 130) + 6):
            if favourite and self.rng.random() < 0.75:
                favourite()
            else:
                self.rng.choices([write for _, write in chances], [share for share, _ in chances])[0]()


def _fragments(glyphs: list[Glyph], rules: list[Box], places: list[Place]) -> list[Marked]:
    """Cuts a block where the text jumps upwards by more than a line: a column has ended."""
    cuts = [0]
    for at in range(1, len(glyphs)):
        if glyphs[at].y < glyphs[at - 1].y - 4 * glyphs[at].size:
            cuts.append(at)
    if len(cuts) == 1:
        return [Marked(glyphs, rules, places)]
    ends = [*cuts[1:], len(glyphs)]
    return [
        Marked(glyphs[start:end], [], [(name, at - start, x, y) for name, at, x, y in places if start <= at < end])
        for start, end in zip(cuts, ends, strict=True)
    ]


def _order(blocks: list[Block]) -> list[Block]:
    """Header first, page number last."""
    rank = {"header": 0, "footer": 2, "page_number": 2}
    return sorted(blocks, key=lambda block: rank.get(block.kind, 1))


def make_document(source: TextSource, fonts: GroffFonts, focus: str | None = None) -> Document:
    """A page; `focus` ("text", "table", "formula") makes most blocks of one kind."""
    while True:
        writer = _Writer(source, fonts, focus)
        writer.fill()
        kept = writer.blocks
        for _ in range(4):
            text = "\n".join([*writer.head, *(block.source for block in kept if block.source)]) + "\n"
            output, pages = typeset.layout(text, fonts, writer.macros.name, writer.paper)
            later = {name for page in pages[1:] for name in page.marked}
            over = [at for at, block in enumerate(kept) if block.kind not in _APART and
                    (block.name in later or block.name not in pages[0].marked)]  # fmt: skip
            if not over and len(pages) == 1:
                break
            kept = kept[: min(over)] if over else kept[:-1]
        else:
            continue
        page = pages[0]
        for block in kept:
            found = page.marked.get(block.name, Marked())
            cut_up = block.kind in ("text", "title") or block.kind.endswith("caption")
            block.fragments = _fragments(found.glyphs, found.rules, found.places) if cut_up else [found]
        kept = [block for block in kept if all(part.glyphs or part.rules for part in block.fragments)]
        present = {id(block) for block in kept}
        lists = [[item for item in items if id(item) in present] for items in writer.lists]
        if any(block.kind not in _APART for block in kept):
            return Document(page, _order(kept), output, [items for items in lists if items], writer.family)
