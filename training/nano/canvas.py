"""Drawing with known character positions, and the packing of a drawing into a training sample."""

import io
import math
import random
from dataclasses import dataclass, field

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from nano.fonts import typographic_characters
from nano.text_source import TextSource

TOKEN = 28  # pixels on each side of a merged image token
SLOTS = 7  # characters that a token's training-only target can hold
MIN_EDGE = 28  # thinner crops are enlarged first, as MinerU's client does


@dataclass
class Sample:
    """One crop after the preprocessor's resize, with dense truth.

    image: uint8 [28*rows, 28*columns]; answer: int16 token ids; cells: for each answer token the image token that shows
    it, -1 = none; slots: uint8 [rows*columns, SLOTS], the characters whose centre lies in the token, left to right;
    layout: pages.dense_targets, of pages only.
    """

    image: np.ndarray
    answer: np.ndarray
    cells: np.ndarray
    slots: np.ndarray
    grid: tuple[int, int]
    task: str
    layout: np.ndarray | None = None


def slot_class(char: str) -> int:
    """A printed character's class in the training-only slots: ASCII and the letters of Latin-1 are themselves."""
    code = ord(char)
    return code if 32 <= code < 127 or 0xC0 <= code <= 0xFF else 127


@dataclass
class Ink:
    """Characters in drawing order (slot class, x, y); answer tokens, each with the index of its character."""

    characters: list[tuple[int, float, float]] = field(default_factory=list)
    answer: list[int] = field(default_factory=list)
    shown_by: list[int] = field(default_factory=list)

    def add_answer(self, token: int, shown_by: int) -> None:
        self.answer.append(token)
        self.shown_by.append(shown_by)

    def add_character(self, letter: str, x: float, y: float) -> None:
        """A printed letter that is answered by its bytes."""
        for token in letter.encode():
            self.add_answer(token, len(self.characters))
        self.characters.append((slot_class(letter), x, y))


@dataclass(frozen=True)
class Face:
    """A face at a pixel size; drawn `oversample` times larger and reduced: unhinted, finely placed glyphs."""

    path: str
    size: int
    oversample: int = 1


def smart_resize(
    height: int, width: int, min_pixels: int = TOKEN * TOKEN, max_pixels: int = 1 << 30
) -> tuple[int, int]:
    """The preprocessor's rule: both sides multiples of 28, area within the limits, aspect kept as far as possible."""
    rows = max(TOKEN, round(height / TOKEN) * TOKEN)
    columns = max(TOKEN, round(width / TOKEN) * TOKEN)
    if rows * columns > max_pixels:
        shrink = math.sqrt(height * width / max_pixels)
        rows = max(TOKEN, math.floor(height / shrink / TOKEN) * TOKEN)
        columns = max(TOKEN, math.floor(width / shrink / TOKEN) * TOKEN)
    elif rows * columns < min_pixels:
        grow = math.sqrt(min_pixels / (height * width))
        rows = math.ceil(height * grow / TOKEN) * TOKEN
        columns = math.ceil(width * grow / TOKEN) * TOKEN
    return rows, columns


def turn(rng: random.Random, image: Image.Image, ink: Ink, most: float = 1.5) -> Image.Image:
    """Turns a crop slightly, by at most `most` degrees and a third of its height over its width; moves its ink too."""
    limit = min(most, math.degrees(math.atan(0.3 * image.height / image.width)))
    angle = rng.uniform(-limit, limit)
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    middle_x, middle_y = image.width / 2, image.height / 2
    ink.characters = [
        (
            code,
            middle_x + (x - middle_x) * cosine + (y - middle_y) * sine,
            middle_y - (x - middle_x) * sine + (y - middle_y) * cosine,
        )
        for code, x, y in ink.characters
    ]
    return image.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)


def scan(rng: random.Random, noise: np.random.Generator, image: Image.Image) -> Image.Image:
    """Marks of a scanner or copier: specks, lost ink, uneven light, thicker or thinner strokes."""
    if rng.random() < 0.3:
        larger = image.resize((image.width * 2, image.height * 2), Image.Resampling.BICUBIC)
        spread = ImageFilter.MinFilter(3) if rng.random() < 0.6 else ImageFilter.MaxFilter(3)
        image = larger.filter(spread).resize(image.size, Image.Resampling.BOX)
    pixels = np.asarray(image, np.float32).copy()
    height, width = pixels.shape
    if rng.random() < 0.6:  # light falls off to one side
        slope = np.linspace(0, rng.uniform(-50, 50), width, dtype=np.float32)[None, :]
        tilt = np.linspace(0, rng.uniform(-40, 40), height, dtype=np.float32)[:, None]
        shade = slope + tilt
        pixels += shade - shade.max()
    for _ in range(rng.randint(0, 1 + height * width // 12000)):
        x, y, side = rng.randrange(width), rng.randrange(height), rng.randint(1, 3)
        pixels[y : y + side, x : x + side] = rng.choice((20, 60, 120, 255))
    if rng.random() < 0.3:  # grain that is coarser than a pixel
        grain = noise.standard_normal((height // 2 + 1, width // 2 + 1), np.float32) * rng.uniform(3, 14)
        pixels += grain.repeat(2, 0).repeat(2, 1)[:height, :width]
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def margins(rng: random.Random, image: Image.Image, ink: Ink, most: int = 40) -> Image.Image:
    """Blank paper around a crop."""
    left, top = rng.randint(0, most), rng.randint(0, most // 2)
    right, bottom = rng.randint(0, most), rng.randint(0, most // 2)
    wider = Image.new("L", (left + image.width + right, top + image.height + bottom), 255)
    wider.paste(image, (left, top))
    ink.characters = [(code, x + left, y + top) for code, x, y in ink.characters]
    return wider


def worn(source: TextSource, image: Image.Image, ink: Ink) -> np.ndarray:
    """A crop as documents reach us: in training sometimes turned, sometimes scanned; then `degrade`."""
    rng, is_training = source.rng, source.split == "train"
    if is_training and rng.random() < 0.12:
        image = turn(rng, image, ink)
    if is_training and rng.random() < 0.12:
        image = scan(rng, source.noise, image)
    return degrade(rng, source.noise, image)


def degrade(rng: random.Random, noise: np.random.Generator, image: Image.Image) -> np.ndarray:
    """Light wear: blur, ink and paper levels, noise, JPEG. Black on white in, uint8 array out."""
    if rng.random() < 0.35:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 0.8)))
    pixels = np.asarray(image, np.float32)
    ink = rng.choice([0, 0, rng.uniform(0, 90)])
    paper = rng.choice([255, 255, rng.uniform(215, 255)])
    pixels = ink + pixels * ((paper - ink) / 255)
    if rng.random() < 0.3:
        pixels = pixels + noise.standard_normal(pixels.shape, np.float32) * rng.uniform(1, 8)
    worn = np.clip(pixels, 0, 255).astype(np.uint8)
    if rng.random() < 0.06:
        packed = io.BytesIO()
        Image.fromarray(worn).save(packed, "JPEG", quality=rng.randint(35, 90))
        worn = np.asarray(Image.open(packed).convert("L"))
    return worn


#: What stands in a document for the ASCII that the answer holds. The model's answers are plain ASCII.
_LIGATURES = (("ffi", "\ufb03"), ("ffl", "\ufb04"), ("ff", "\ufb00"), ("fi", "\ufb01"), ("fl", "\ufb02"))
_ASCII_OF: dict[str, str] = {
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-", "\u2026": "...",
    "\u2022": "-", "\u25aa": "-", **{shown: plain for plain, shown in _LIGATURES},
}  # fmt: skip


def plain(char: str) -> str:
    """The answer for a printed character."""
    return _ASCII_OF.get(char, char)


def set_type(rng: random.Random, text: str, path: str) -> str:
    """`text` as a typesetter prints it: sometimes curly quotes, dashes, ellipses and ligatures that the face has."""
    has = typographic_characters(path)
    if rng.random() < 0.35 and {"\u2018", "\u2019", "\u201c", "\u201d"} <= has:
        chars = list(text)
        for index, char in enumerate(chars):
            if char in "'\"":
                opens = index == 0 or chars[index - 1] in " ([-"
                chars[index] = ("\u2018" if opens else "\u2019") if char == "'" else ("\u201c" if opens else "\u201d")
        text = "".join(chars)
    dashes = [dash for dash in ("\u2013", "\u2014") if dash in has]
    if dashes and rng.random() < 0.35:
        text = text.replace(" - ", f" {rng.choice(dashes)} ")
    if "\u2026" in has and rng.random() < 0.2:
        text = text.replace("...", "\u2026")
    if rng.random() < 0.25:
        for plain, shown in _LIGATURES:
            if shown in has:
                text = text.replace(plain, shown)
    return text


def bullet(rng: random.Random, path: str) -> str:
    """A list mark; its answer is "- "."""
    marks = [mark for mark in ("\u2022", "\u2022", "\u25aa", "\u2013") if mark in typographic_characters(path)] + ["-"]
    return rng.choice(marks) + " "


class Page:
    """A white picture to draw on, in the crop's own pixels; it is held `oversample` times larger until `image`."""

    def __init__(self, source: TextSource, face: Face, width: int, height: int) -> None:
        self.source, self.face, self.width, self.height = source, face, width, height
        self.ink = Ink()
        scale = face.oversample
        self._picture = Image.new("L", (width * scale, height * scale), 255)
        self.draw = ImageDraw.Draw(self._picture)
        self.font = source.font(face.path, face.size * scale)
        box = self.font.getbbox("Ahgjpqy|")
        self.top, self.bottom = box[1] / scale, box[3] / scale
        x_box = self.font.getbbox("x")
        self.x_middle = (x_box[1] + x_box[3]) / 2 / scale

    def length(self, text: str) -> float:
        """Width of `text` in pixels, with kerning."""
        return self.font.getlength(text) / self.face.oversample

    def write(self, x: float, y: float, text: str) -> float:
        """Draws `text` with its ascent box at y, records characters and answer, returns the right end."""
        scale = self.face.oversample
        self.draw.text((x * scale, y * scale), text, font=self.font, fill=0)
        widths = self.source.advances(self.face.path, self.face.size * scale, text)
        widths = widths * (self.length(text) / max(1e-6, widths.sum()))
        ends = x + np.cumsum(widths)
        for char, end, width in zip(text, ends, widths, strict=True):
            letters = plain(char)
            for index, letter in enumerate(letters):
                centre = end - width + width * (index + 0.5) / len(letters)
                self.ink.add_character(letter, float(centre), y + self.x_middle)
        return float(ends[-1])

    def space(self, x: float, y: float) -> None:
        """Records a space at x that is not drawn by `write` (justified text)."""
        self.ink.add_answer(32, len(self.ink.characters))
        self.ink.characters.append((32, x, y + self.x_middle))

    def space_before_next(self) -> None:
        """The space of a line break, shown by the first character of the next line."""
        self.ink.add_answer(32, len(self.ink.characters))

    def image(self) -> Image.Image:
        """The picture at its own size."""
        if self.face.oversample == 1:
            return self._picture
        return self._picture.resize((self.width, self.height), Image.Resampling.BOX)


def _common_columns(columns: int) -> int:
    """The nearest width that many crops share: a stretch of at most a few percent, and batches fill sooner."""
    step = 1 if columns <= 12 else 2 if columns <= 28 else 4
    return step * round(columns / step)


def pack(image: np.ndarray, ink: Ink, task: str, min_pixels: int = TOKEN * TOKEN, common_width: bool = False) -> Sample:
    """Sends a crop through the preprocessor's resize and puts characters and answer tokens into image tokens."""
    height, width = image.shape
    grown_height, grown_width = height, width
    if min(height, width) < MIN_EDGE:
        grow = MIN_EDGE / min(height, width)
        grown_height, grown_width = math.ceil(height * grow), math.ceil(width * grow)
    to_height, to_width = smart_resize(grown_height, grown_width, min_pixels)
    if common_width:
        to_width = _common_columns(to_width // TOKEN) * TOKEN
    if (height, width) != (to_height, to_width):
        image = np.asarray(Image.fromarray(image).resize((to_width, to_height), Image.Resampling.BICUBIC))
    rows, columns = to_height // TOKEN, to_width // TOKEN
    slots = np.zeros((rows * columns, SLOTS), np.uint8)
    filled = [0] * (rows * columns)
    cell_of: list[int] = []
    for code, x, y in ink.characters:
        column = min(columns - 1, max(0, int(x * columns / width)))
        row = min(rows - 1, max(0, int(y * rows / height)))
        cell = row * columns + column
        cell_of.append(cell)
        if filled[cell] < SLOTS:
            slots[cell, filled[cell]] = code
        filled[cell] += 1
    cells = np.array([cell_of[i] if i >= 0 else -1 for i in ink.shown_by], np.int16)
    return Sample(image, np.array(ink.answer, np.int16), cells, slots, (rows, columns), task)
