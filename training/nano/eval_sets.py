"""Makes the evaluation sets, each a folder of NAME.png with NAME.md and, where boxes are known, NAME.layout.json.

    python -m nano.eval_sets OUT --data WORK [--sets lines,blocks,...]

Everything is drawn from fixed seeds; nothing in the sets is trained on. See docs/nano.md for what each set is.
"""

import argparse
import io
import json
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image, ImageFilter

from nano import held_out, held_pages, real_pages, tex_pages, typeset, vocabulary
from nano.canvas import plain
from nano.groff_fonts import GroffFonts
from nano.known_formulas import KNOWN
from nano.text_source import TextSource
from nano.typeset_documents import make_document

SEED = 78  # not that of the crops that are looked at while training goes on
TYPESET_DPI = 150
Boxes = list[tuple[str, tuple[float, float, float, float]]]


@dataclass
class Page:
    """A page of a set; boxes as fractions of the page, None where they are not known."""

    name: str
    image: Image.Image
    markdown: str
    boxes: Boxes | None = None


def _crops(data: str, kind: str, count: int) -> Iterator[Page]:
    """Crops on a page of paper that is a little larger."""
    for index, sample in enumerate(held_out.held_out(data, kind, count, SEED)):
        if ord("\\") in sample.answer:
            continue  # "\\(" would be read as the mark of a formula
        paper = int(np.median(sample.image))
        page = Image.new("L", (sample.image.shape[1] + 120, sample.image.shape[0] + 120), paper)
        page.paste(Image.fromarray(sample.image), (60, 60))
        text = real_pages.escape_markdown(vocabulary.decode(sample.answer.tolist()))
        yield Page(f"{kind}-{index:02d}", page, text + "\n")


def lines(data: str) -> Iterator[Page]:
    """Single lines at natural size, Pillow."""
    yield from _crops(data, "line", 48)


def blocks(data: str) -> Iterator[Page]:
    """Paragraphs of 2 to 6 lines, Pillow."""
    yield from _crops(data, "paragraph", 28)


def _held_page(sheet: held_pages._Sheet) -> Page:
    boxes = [(block["type"], tuple(block["bbox"])) for block in sheet.blocks]
    return Page(sheet.page.name, sheet.image, "\n\n".join(sheet.markdown) + "\n", boxes)


def pages(data: str) -> Iterator[Page]:
    """Whole pages, Pillow: as tests/data/eval/pages, other texts and numbers."""
    del data
    texts = held_pages.held_texts(SEED)
    for page in held_pages.PAGES:
        yield _held_page(held_pages.draw(page, texts, SEED))


def formulas(data: str) -> Iterator[Page]:
    """Pages with four formulas each by mathtext in held-out mathematical faces, between held-out texts; every third one
    worn."""
    del data
    texts = held_pages.held_texts(SEED + 2)
    for index in range(12):
        family = ("Linux Libertine O", "Caladea", "Lato", "CMU Sans Serif")[index % 4]
        sheet = held_pages.Page(f"formula-{index:02d}", family, (11, 10.5, 9.5)[index // 4], index % 3 == 2)
        yield _held_page(held_pages.draw(sheet, texts, SEED))


def typeset_pages(data: str) -> Iterator[Page]:
    """Whole pages by groff with the macros -me, which training does not use, in held-out faces."""
    source, fonts = TextSource(data, "held", SEED), GroffFonts(os.path.join(os.path.abspath(data), "groff-fonts"))
    for index in range(16):
        document = make_document(source, fonts)
        typeset.draw(document.output, fonts, [document.page], TYPESET_DPI)
        assert document.page.image is not None
        width, height = document.page.width, document.page.height
        boxes: Boxes = [
            (kind, (box[0] / width, box[1] / height, box[2] / width, box[3] / height))
            for kind, box in document.layout()
        ]
        yield Page(f"me-{index:02d}", Image.fromarray(document.page.image), document.markdown(), boxes)


def tex(data: str) -> Iterator[Page]:
    """Whole pages by pdfTeX, which training does not use at all."""
    source = TextSource(data, "held", SEED + 1)
    for index in range(8):
        yield Page(f"tex-{index:02d}", *tex_pages.tex_page(source))


def known(data: str) -> Iterator[Page]:
    """Pages by pdfTeX with formulas that every book has; no generator made them."""
    source = TextSource(data, "held", SEED + 3)
    for index in range(0, len(KNOWN), 6):
        blocks = partial(tex_pages.formula_blocks, formulas=KNOWN[index : index + 6])
        yield Page(f"known-{index // 6}", *tex_pages.tex_page(source, blocks))


def real(data: str) -> Iterator[Page]:
    """Pages of manuals in Debian packages."""
    del data
    for document in real_pages.DOCUMENTS:
        path = os.path.join("/usr/share/doc", document.path)
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path} is missing, expected the package {document.package}")
        with _named_file(real_pages.read_pdf(path)) as name:
            for number in document.pages:
                image, markdown = real_pages.real_page(name, number)
                short = os.path.basename(document.path).split(".pdf")[0].replace(" ", "-").lower()
                yield Page(f"{short}-{number:03d}", image, markdown)


@contextmanager
def _named_file(content: bytes) -> Iterator[str]:
    """The path of a file for programs that read no standard input."""
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(content)
        file.flush()
        yield file.name


def _jpeg(image: Image.Image) -> Image.Image:
    packed = io.BytesIO()
    image.save(packed, "JPEG", quality=25)
    return Image.open(packed).convert("L")


def _noise(image: Image.Image) -> Image.Image:
    noise = np.random.default_rng(SEED).normal(0, 22, (image.height, image.width))
    return Image.fromarray(np.clip(np.asarray(image, float) * 0.85 + 20 + noise, 0, 255).astype(np.uint8))


WEAR: dict[str, Callable[[Image.Image], Image.Image]] = {
    "blur": lambda image: image.filter(ImageFilter.GaussianBlur(1.3)),
    "noise": _noise,
    "jpeg": _jpeg,
    "turn": lambda image: image.rotate(0.8, Image.Resampling.BICUBIC, fillcolor=255),
    "contrast": lambda image: image.point(lambda level: 110 + level * 85 // 255),
    "small": lambda image: image.resize((image.width * 2 // 3, image.height * 2 // 3), Image.Resampling.BOX),
}


def degraded(data: str) -> Iterator[Page]:
    """Twins of four pages: blurred, noisy, JPEG of quality 25, turned by 0.8 degrees, faint, at 100 dpi."""
    wanted = ("prose-1", "columns-1", "list-2", "table-1")
    for page in pages(data):
        if page.name in wanted:
            for name, wear in WEAR.items():
                boxes = None if name == "turn" else page.boxes
                yield Page(f"{page.name}-{name}", wear(page.image.convert("L")), page.markdown, boxes)


SETS: dict[str, Callable[[str], Iterator[Page]]] = {
    "lines": lines, "blocks": blocks, "pages": pages, "formulas": formulas, "typeset": typeset_pages, "tex": tex,
    "known": known, "real": real, "degraded": degraded,
}  # fmt: skip


def write(page: Page, folder: str) -> None:
    path = os.path.join(folder, page.name)
    page.image.convert("L").save(f"{path}.png")
    with open(f"{path}.md", "w", encoding="utf-8") as handle:
        handle.write("".join(map(plain, page.markdown)))
    if page.boxes is not None:
        blocks = [
            {"type": kind, "bbox": [min(1.0, max(0.0, round(edge, 4))) for edge in box], "angle": 0}
            for kind, box in page.boxes
        ]
        with open(f"{path}.layout.json", "w", encoding="ascii") as handle:
            handle.write("[\n" + ",\n".join(map(json.dumps, blocks)) + "\n]\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="folder for the sets")
    parser.add_argument("--data", required=True, help="folder with corpus_held.txt")
    parser.add_argument("--sets", default=",".join(SETS))
    arguments = parser.parse_args()
    for name in arguments.sets.split(","):
        folder = os.path.join(arguments.out, name)
        os.makedirs(folder, exist_ok=True)
        random.seed(SEED)
        count = 0
        for page in SETS[name](arguments.data):
            write(page, folder)
            count += 1
        print(name, count, "pages", flush=True)


if __name__ == "__main__":
    main()
