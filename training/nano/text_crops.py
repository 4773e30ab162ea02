"""Crops of running text, in the sizes that a page rendered at 100 to 200 dpi gives: single lines and paragraphs."""

import numpy as np
from PIL import Image

from nano.canvas import TOKEN, Face, Ink, Page, Sample, bullet, margins, pack, set_type, worn
from nano.tables import cell_text
from nano.text_source import TextSource

PIECE_COLUMNS = 20  # widest piece of a line, in tokens; line.max_width_px of octavo.json is 28 times this


def _face(source: TextSource, smallest: int, largest: int, usual: int) -> Face:
    rng = source.rng
    size = int(rng.triangular(smallest, largest + 1, usual))
    return Face(source.font_path(), size, 2 if rng.random() < 0.4 else 1)


def _line_columns(source: TextSource) -> int:
    """Half short pieces, half the widths of full lines on a page."""
    rng = source.rng
    return min(56, int(rng.triangular(2, 57, 8))) if rng.random() < 0.5 else rng.randint(16, 52)


def _fitting_text(source: TextSource, face: Face, room: float) -> str:
    """Text set in type that fills `room` pixels, mostly cut at a word."""
    rng = source.rng
    text = source.text(max(2, int(room / (face.size * 0.38))))
    if rng.random() < 0.04:
        text = bullet(rng, face.path) + text
    text = set_type(rng, text, face.path)
    fits = int(np.searchsorted(np.cumsum(source.advances(face.path, face.size, text)), room))
    if fits < len(text):
        cut = text[: max(1, fits)]
        if text[len(cut) :][:1] not in ("", " ") and " " in cut.strip() and rng.random() < 0.8:
            cut = cut.rsplit(" ", 1)[0]
        text = cut.strip() or text[:1]
    return text


def _draw_line(source: TextSource, face: Face, width: int) -> tuple[Image.Image, Ink]:
    """A line about `width` pixels wide, cropped close to its ink."""
    rng = source.rng
    left, right = rng.randint(1, 9), rng.randint(1, 9)
    text = _fitting_text(source, face, max(20, width - left - right))
    page = Page(source, face, width + 40, int(face.size * 2) + 40)
    end = page.write(left, 20.0, text)
    top, bottom = 20 + page.top, 20 + page.bottom
    if rng.random() < 0.5:  # close to this line's own ink: no room for ascenders and descenders that it has not
        box = page.font.getbbox(text)
        top, bottom = 20 + box[1] / face.oversample, 20 + max(box[3], box[1] + 4) / face.oversample
    pad = rng.choice([2, 5, 9])
    first, last = int(top) - rng.randint(0, pad), int(np.ceil(bottom)) + rng.randint(0, pad)
    right_edge = int(np.ceil(end)) + right if rng.random() < 0.85 else width
    image = page.image().crop((0, first, min(page.width, max(right_edge, left + 8)), last))
    page.ink.characters = [(code, x, y - first) for code, x, y in page.ink.characters]
    return image, page.ink


def line(source: TextSource, columns: int | None = None) -> Sample:
    """One printed line at its natural size, `columns` tokens of 28 px wide (default: 2 to 56)."""
    rng = source.rng
    face = _face(source, 13, 40, 27) if rng.random() < 0.95 else _face(source, 40, 64, 44)
    image, ink = _draw_line(source, face, (columns or _line_columns(source)) * TOKEN + rng.randint(-12, 12))
    return pack(worn(source, image, ink), ink, "text", common_width=source.split == "train")


def piece(source: TextSource, columns: int | None = None) -> Sample:
    """A line, or a piece of one, scaled to one row of tokens: what octavo sends for the hints in octavo.json.

    `columns` of the scaled piece default to 1 to PIECE_COLUMNS.
    """
    rng = source.rng
    face = _face(source, 10, 44, 28) if rng.random() < 0.93 else _face(source, 44, 72, 48)
    columns = columns or (rng.randint(1, 6) if rng.random() < 0.2 else rng.randint(4, PIECE_COLUMNS))
    natural = columns * TOKEN * face.size * 1.3 / TOKEN  # a crop is about 1.3 times as high as the size of its type
    image, ink = _draw_line(source, face, max(24, int(natural)))
    return one_row(source, image, ink)


def one_row(source: TextSource, image: Image.Image, ink: Ink) -> Sample:
    """Scales a crop to a height of one token, aspect kept."""
    crop = Image.fromarray(worn(source, image, ink))
    factor = TOKEN / crop.height
    width = max(TOKEN, round(crop.width * factor))
    ink.characters = [(code, x * width / crop.width, y * factor) for code, x, y in ink.characters]
    scaled = np.asarray(crop.resize((width, TOKEN), Image.Resampling.BICUBIC))
    return pack(scaled, ink, "text")


def spaced_row(source: TextSource) -> Sample:
    """A row of a receipt or a table: two to four cells with wide gaps, at times ruled. A gap is answered by a space."""
    rng = source.rng
    path = source.monospaced_path() if rng.random() < 0.5 else source.font_path()
    face = Face(path, int(rng.triangular(12, 40, 27)), 2 if rng.random() < 0.4 else 1)
    cells = [cell_text(source, index > 0) for index in range(rng.choice((2, 2, 2, 3, 4)))]
    if rng.random() < 0.3:  # a count before the first word
        cells[0] = f"{rng.choice((1, 1, rng.randint(0, 99)))}{rng.choice(('', '.'))} {cells[0]}"
    room = PIECE_COLUMNS * face.size * 1.3
    page = Page(source, face, int(room) + 60, int(face.size * 2) + 40)
    x = float(rng.randint(2, 8))
    ruled, thickness = rng.random() < 0.4, rng.choice((1, 1, 2)) * face.oversample
    for index, text in enumerate(cells):
        gap = face.size * rng.uniform(0.8, 5)
        if index and x + gap + page.length(text) > room:
            break
        if index:
            page.space(x + gap / 2, 20.0)
            rule = (x + gap * rng.uniform(0.25, 0.75)) * face.oversample
            if ruled:
                page.draw.line((rule, 0, rule, page.height * face.oversample), fill=0, width=thickness)
            x += gap
        x = page.write(x, 20.0, text)
    pad = rng.choice([2, 5, 9])
    top, bottom = int(20 + page.top) - rng.randint(0, pad), int(np.ceil(20 + page.bottom)) + rng.randint(0, pad)
    page.ink.characters = [(code, cx, y - top) for code, cx, y in page.ink.characters]
    image = page.image().crop((0, top, min(page.width, int(np.ceil(x)) + rng.randint(2, 8)), bottom))
    return one_row(source, image, page.ink)


def short_line(source: TextSource) -> Sample:
    """A line of 8, 12 or 16 tokens: the first thing that a model learns from nothing."""
    return line(source, source.rng.choice((8, 12, 16)))


def _break_lines(source: TextSource, face: Face, text: str, room: float, count: int) -> list[str]:
    """Greedy line breaking of `text` into at most `count` lines."""
    space = float(source.advances(face.path, face.size, " ")[0])
    lines: list[str] = []
    current, used = "", 0.0
    for word in (word for word in text.split(" ") if word):
        width = float(source.advances(face.path, face.size, word).sum())
        if width > room:
            continue
        if current and used + space + width > room:
            lines.append(current)
            current, used = "", 0.0
            if len(lines) == count:
                break
        current, used = (f"{current} {word}", used + space + width) if current else (word, width)
    if current and len(lines) < count:
        lines.append(current)
    return lines or ["a"]


def _write_justified(page: Page, x: float, y: float, text: str, room: float) -> None:
    words = text.split(" ")
    gap = (room - sum(page.length(word) for word in words)) / (len(words) - 1)
    for index, word in enumerate(words):
        if index:
            page.space(x - gap / 2, y)
        x = page.write(x, y, word) + gap


def paragraph(source: TextSource, columns: int | None = None, lines: int | None = None) -> Sample:
    """A text block of `lines` lines (default 2 to 7, mostly few), about `columns` tokens wide (default 6 to 50)."""
    rng = source.rng
    face = _face(source, 14, 36, 26)
    columns = columns or 2 * int(rng.triangular(3, 26, 7))
    count = lines or int(rng.triangular(2, 8, 2))
    width = columns * TOKEN + rng.randint(-12, 12)
    left, right, above = rng.randint(1, 8), rng.randint(1, 8), rng.randint(0, 6)
    room = width - left - right
    if lines is None:  # bounds the tokens of a crop, and with them the memory of a batch
        count = min(count, max(2, int(260 * TOKEN / columns / (face.size * 1.3))))
    text = set_type(rng, source.text(int(count * room / (face.size * 0.4))), face.path)
    broken = _break_lines(source, face, text, room - 2, count)
    page = Page(source, face, width, 64 + int(face.size * 1.6 * (count + 1)))
    leading = max(page.bottom - page.top, face.size * rng.uniform(1.05, 1.5))
    justified, centred = rng.random() < 0.4, rng.random() < 0.05
    indent = rng.randint(10, 40) if rng.random() < 0.2 and page.length(broken[0]) + 42 < room else 0
    y = above - page.top
    for index, text in enumerate(broken):
        length = page.length(text)
        x = float(left + (indent if index == 0 else 0))
        if centred:
            x = left + max(0.0, (room - length) / 2)
        if index:
            page.space_before_next()
        if justified and not centred and index < len(broken) - 1 and " " in text and length > 0.7 * room and x == left:
            _write_justified(page, x, y, text, room)
        else:
            page.write(x, y, text)
        y += leading
    bottom = int(np.ceil(y - leading + page.bottom)) + rng.randint(0, 6)
    image = page.image().crop((0, 0, width, bottom))
    if source.split == "train" and lines is None and rng.random() < 0.06:
        image = margins(rng, image, page.ink)
    return pack(worn(source, image, page.ink), page.ink, "text", common_width=source.split == "train")


def unread_page(source: TextSource) -> Sample:
    """A picture for the layout prompt with an empty answer.

    As long as layout is not trained, silence is the useful answer: octavo takes it as unusable and reads by white
    space.
    """
    sample = paragraph(source, lines=source.rng.randint(2, 4))
    n = source.rng.choice([6, 8, 12, 16, 24])
    image = np.asarray(Image.fromarray(sample.image).resize((n * TOKEN, n * TOKEN), Image.Resampling.BICUBIC))
    empty = np.zeros(0, np.int16)
    return Sample(image, empty, empty, np.zeros((n * n, sample.slots.shape[1]), np.uint8), (n, n), "layout")
