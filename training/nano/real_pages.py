"""Pages of PDFs from Debian packages: pictures at 200 dpi, their text layer as truth. No page is in the repository."""

import gzip
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

from PIL import Image, ImageDraw

from nano.canvas import plain
from nano.corpus import to_ascii_line
from nano.metrics import Area

DPI = 200
_EDGE = 0.085  # share of the page's height in which running heads and page numbers are looked for


@dataclass(frozen=True)
class RealDocument:
    """A PDF of a Debian 12 package, by its path below /usr/share/doc; `pages` count from 1."""

    package: str
    path: str
    pages: tuple[int, ...]


#: Manuals of which training reads nothing. The pages are a random sample (seed 77) of `candidates`, none scored before.
DOCUMENTS: tuple[RealDocument, ...] = (
    RealDocument("bzip2-doc", "bzip2/manual.pdf.gz", (21, 25)),
    RealDocument("fontconfig", "fontconfig/fontconfig-user.pdf.gz", (4, 13)),
    RealDocument("liblcms2-dev", "liblcms2-dev/LittleCMS2.14 API.pdf.gz", (42, 69)),
    RealDocument("liblcms2-dev", "liblcms2-dev/LittleCMS2.14 tutorial.pdf.gz", (24, 37)),
    RealDocument("libtasn1-doc", "libtasn1-doc/libtasn1.pdf", (24, 26)),
    RealDocument("nettle-dev", "nettle-dev/nettle.pdf.gz", (25, 37)),
    RealDocument("shared-mime-info", "shared-mime-info/shared-mime-info-spec.pdf", (1, 17)),
    RealDocument("valgrind", "valgrind/valgrind_manual.pdf.gz", (24, 102, 166, 302)),
    RealDocument("zlib1g-dev", "zlib1g-dev/crc-doc.1.0.pdf.gz", (22, 23)),
)


@dataclass(frozen=True)
class TextLine:
    """A line of the text layer; area as fractions of the page."""

    text: str
    area: Area
    block: int


def read_pdf(path: str) -> bytes:
    """A PDF, packed or not."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as handle:
        return handle.read()


def text_lines(pdf_path: str, page: int) -> list[TextLine]:
    """The text layer in poppler's reading order."""
    command = ["pdftotext", "-bbox-layout", "-f", str(page), "-l", str(page), pdf_path, "-"]
    output = subprocess.run(command, capture_output=True, check=True).stdout
    root = ElementTree.fromstring(re.sub(rb'xmlns="[^"]*"|<!DOCTYPE[^>]*>', b"", output))
    lines: list[TextLine] = []
    for node in root.iter("page"):
        width, height = float(node.attrib["width"]), float(node.attrib["height"])
        for number, block in enumerate(node.iter("block")):
            for line in block.iter("line"):
                words = [word.text or "" for word in line.iter("word")]
                box = [float(line.attrib[name]) for name in ("xMin", "yMin", "xMax", "yMax")]
                area = (box[0] / width, box[1] / height, box[2] / width, box[3] / height)
                lines.append(TextLine(" ".join(words), area, number))
    return lines


def split_edges(lines: list[TextLine]) -> tuple[list[TextLine], list[TextLine]]:
    """(body, running heads and page numbers): lines at the edges of the page, at a distance from the others."""
    last = max((line.area[3] for line in lines), default=1.0)
    edge = [
        line
        for line in lines
        if line.area[3] < _EDGE
        or line.area[1] > 1 - _EDGE
        or (re.fullmatch(r"[ivxlc]+|\d+", line.text) and line.area[3] == last)
    ]
    body = [line for line in lines if line not in edge]
    near = [
        line
        for line in edge
        if any(min(abs(line.area[1] - other.area[3]), abs(other.area[1] - line.area[3])) < 0.012 for other in body)
    ]
    return [line for line in lines if line in body or line in near], [line for line in edge if line not in near]


def join_lines(lines: list[str]) -> str:
    """Lines as running text; a hyphen at an end goes where the next line begins with a small letter, as octavo does."""
    text = ""
    for line in lines:
        if re.search(r"[A-Za-z]-$", text) and re.match(r"[a-z]", line):
            text = text[:-1] + line
        else:
            text += (" " if text else "") + line
    return text


def real_page(pdf_path: str, page: int) -> tuple[Image.Image, str]:
    """(picture, Markdown). Running heads and page numbers are painted over: Markdown leaves them out, and the text
    layer does not say what they are."""
    body, edges = split_edges(text_lines(pdf_path, page))
    with tempfile.TemporaryDirectory() as folder:
        command = ["pdftoppm", "-r", str(DPI), "-f", str(page), "-l", str(page), "-singlefile", "-gray", "-png"]
        subprocess.run([*command, pdf_path, os.path.join(folder, "page")], check=True, stderr=subprocess.DEVNULL)
        with Image.open(os.path.join(folder, "page.png")) as image:
            picture = image.convert("L")
    draw = ImageDraw.Draw(picture)
    for line in edges:
        draw.rectangle([line.area[at] * picture.size[at % 2] + (-6, -6, 6, 6)[at] for at in range(4)], fill=255)
    paragraphs: list[str] = []
    for number in sorted({line.block for line in body}):
        text = join_lines([line.text for line in body if line.block == number])
        paragraphs.append("".join(map(plain, text)))
    return picture, "\n\n".join(map(escape_markdown, paragraphs)) + "\n"


def escape_markdown(text: str) -> str:
    """Running text that Markdown shall not read as marks; "\\[" would begin a formula, hence references for some."""
    text = re.sub(r"([\\`*_~$|#])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;").replace("[", "&#91;"))
    return text.replace("&\\#91;", "&#91;")


def candidates(pdf_path: str) -> list[int]:
    """Pages of running English: 700 to 4500 characters, nearly all of them known to octavo-nano."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "document.pdf")
        with open(path, "wb") as handle:
            handle.write(read_pdf(pdf_path))
        pages = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=True).stdout.decode()
    found: list[int] = []
    for number, text in enumerate(pages.split("\f"), 1):
        letters = sum(char.isalpha() for char in text)
        known = sum(bool(to_ascii_line(char)) or char.isspace() for char in text)
        if 700 <= len(text) <= 4500 and letters > 0.65 * len(text) and known > 0.995 * len(text):
            found.append(number)
    return found
