"""Whole pages for the layout task: one or two columns of headings, text, tables, pictures, formulas; boxes as truth."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from nano.canvas import SLOTS, TOKEN, Sample, degrade
from nano.formulas import pooled_formula
from nano.tables import cell_text
from nano.text_source import TextSource
from nano.vocabulary import ID

_SIZES = [(910, 1287), (935, 1210), (910, 1287), (1000, 1000), (1287, 910)]
_GRID = 24  # tokens on each side: 672 x 672, the largest picture of nano
Box = tuple[float, float, float, float]


@dataclass
class _Setting:
    """How text is put on one page."""

    font_path: str
    size: int
    leading: float
    gap: int


class _Sheet:
    """A page of about 110 dpi with its blocks (class, box) in reading order."""

    def __init__(self, source: TextSource) -> None:
        rng = source.rng
        self.source, self.rng = source, rng
        self.width, self.height = rng.choice(_SIZES)
        self.image = Image.new("L", (self.width, self.height), 255)
        self.draw = ImageDraw.Draw(self.image)
        size = rng.randint(14, 19)
        self.setting = _Setting(
            source.font_path(), size, size * rng.uniform(1.2, 1.5), rng.randint(int(size * 0.7), int(size * 1.6))
        )
        self.blocks: list[tuple[str, Box]] = []

    def write(
        self,
        words: list[str],
        room: tuple[float, float],
        y: float,
        most: int,
        scale: float = 1.0,
        leading: float | None = None,
        centred: bool = False,
    ) -> Box:
        """At most `most` lines of text between two x positions; returns the ink's box."""
        size = int(self.setting.size * scale)
        font = self.source.font(self.setting.font_path, size)
        box = font.getbbox("Ahgp")
        space, step = font.getlength(" "), leading or self.setting.leading
        left, right, top, at, lines = 1e9, 0.0, y, 0, 0
        while at < len(words) and lines < most:
            line: list[str] = []
            used = 0.0
            while at < len(words):
                width = float(self.source.advances(self.setting.font_path, size, words[at]).sum())
                if line and used + width + space * len(line) > room[1] - room[0]:
                    break
                line.append(words[at])
                used += width
                at += 1
            used = min(room[1] - room[0], used + space * (len(line) - 1))
            x = (room[0] + room[1] - used) / 2 if centred else room[0]
            self.draw.text((x, y - box[1]), " ".join(line), font=font, fill=0)
            left, right = min(left, x), max(right, x + used)
            y, lines = y + step, lines + 1
        return left, top, right, y - step + box[3] - box[1]

    def words(self, shortest: int, longest: int) -> list[str]:
        return self.source.text(self.rng.randint(shortest, longest)).split()


def _text(sheet: _Sheet, room: tuple[float, float], y: float, bottom: float) -> bool:
    lines = int((bottom - y) / sheet.setting.leading)
    sheet.blocks.append(("text", sheet.write(sheet.words(80, 700), room, y, lines)))
    return True


def _title(sheet: _Sheet, room: tuple[float, float], y: float, bottom: float) -> bool:
    del bottom
    number = [f"{sheet.rng.randint(1, 9)}.{sheet.rng.randint(1, 9)}"] if sheet.rng.random() < 0.5 else []
    box = sheet.write(number + sheet.words(10, 35), room, y, 1, sheet.rng.uniform(1.1, 1.4))
    sheet.blocks.append(("title", box))
    return True


def _picture(sheet: _Sheet, room: tuple[float, float], y: float, bottom: float) -> bool:
    rng, space = sheet.rng, bottom - y
    if space <= 160:
        return False
    height = rng.randint(90, int(min(330, space - 50)))
    width = (room[1] - room[0]) * rng.uniform(0.5, 1)
    left = room[0] + (room[1] - room[0] - width) / 2
    gray = rng.randint(120, 235)
    fill, outline = gray if rng.random() < 0.7 else 255, rng.choice([0, 120, gray])
    sheet.draw.rectangle((left, y, left + width, y + height), fill=fill, outline=outline)
    for _ in range(rng.randint(3, 14)):
        x1, x2 = sorted(left + rng.random() * width for _ in range(2))
        y1, y2 = sorted(y + rng.random() * height for _ in range(2))
        kind, shade = rng.randrange(3), rng.randint(0, 255)
        if kind == 0:
            sheet.draw.ellipse((x1, y1, x2, y2), fill=shade)
        elif kind == 1:
            sheet.draw.rectangle((x1, y1, x2, y2), fill=shade)
        else:
            sheet.draw.line((x1, y1, x2, y2), fill=shade)
    sheet.blocks.append(("image", (left, y, left + width, y + height)))
    if rng.random() < 0.85:
        words = f"Figure {rng.randint(1, 20)}: {sheet.source.text(rng.randint(20, 90))}".split()
        box = sheet.write(words, room, y + height + 8, 2, 0.9, sheet.setting.leading * 0.9, rng.random() < 0.6)
        sheet.blocks.append(("image_caption", box))
    return True


def _table(sheet: _Sheet, room: tuple[float, float], y: float, bottom: float) -> bool:
    rng = sheet.rng
    if bottom - y <= 170:
        return False
    if rng.random() < 0.7:
        words = f"Table {rng.randint(1, 20)}: {sheet.source.text(rng.randint(20, 60))}".split()
        box = sheet.write(words, room, y, 1, 0.9, None, rng.random() < 0.5)
        sheet.blocks.append(("table_caption", box))
        y = box[3] + 8
    columns, row_height = rng.randint(2, 6), sheet.setting.size * rng.uniform(1.4, 1.9)
    rows = rng.randint(3, max(3, min(9, int((bottom - y) / row_height) - 1)))
    width = (room[1] - room[0]) * rng.uniform(0.75, 1)
    left, cell, grid = room[0] + (room[1] - room[0] - width) / 2, width / columns, rng.random() < 0.5
    font = sheet.source.font(sheet.setting.font_path, int(sheet.setting.size * 0.85))
    for i in range(rows + 1):
        if grid or i in (0, 1, rows):
            sheet.draw.line((left, y + i * row_height, left + width, y + i * row_height), fill=0)
        for j in range(columns) if i < rows else ():
            text = cell_text(sheet.source, j > 0)[: max(1, int(cell / font.size / 0.65))]
            sheet.draw.text((left + j * cell + 4, y + i * row_height + 3), text, font=font, fill=0)
    for j in range(columns + 1) if grid else ():
        sheet.draw.line((left + j * cell, y, left + j * cell, y + rows * row_height), fill=0)
    sheet.blocks.append(("table", (left, y, left + width, y + rows * row_height)))
    return True


def _equation(sheet: _Sheet, room: tuple[float, float], y: float, bottom: float) -> bool:
    image = pooled_formula(sheet.source).image
    factor = sheet.setting.size / 26
    size = (max(1, int(image.shape[1] * factor)), max(1, int(image.shape[0] * factor)))
    if size[0] > room[1] - room[0] or size[1] > bottom - y:
        return False
    left = int(room[0] + (room[1] - room[0] - size[0]) / 2)
    sheet.image.paste(Image.fromarray(image).resize(size, Image.Resampling.BICUBIC), (left, int(y)))
    sheet.blocks.append(("equation", (left, int(y), left + size[0], int(y) + size[1])))
    return True


_BLOCKS: list[tuple[float, Callable[[_Sheet, tuple[float, float], float, float], bool]]] = [
    (0.55, _text), (0.15, _title), (0.10, _picture), (0.11, _table), (0.09, _equation),
]  # fmt: skip


def _fill_column(sheet: _Sheet, room: tuple[float, float], top: float, bottom: float) -> None:
    y, rng = top, sheet.rng
    for _ in range(40):
        if y >= bottom - 3 * sheet.setting.leading or (y > top + (bottom - top) * 0.6 and rng.random() < 0.12):
            return
        block = rng.choices([block for _, block in _BLOCKS], [share for share, _ in _BLOCKS])[0]
        if block(sheet, room, y, bottom):
            y = sheet.blocks[-1][1][3] + sheet.setting.gap


def draw_page(source: TextSource) -> _Sheet:
    """A filled page."""
    rng, sheet = source.rng, _Sheet(source)
    side, top = rng.randint(60, 110), rng.randint(70, 110)
    bottom, y = sheet.height - top, float(top)
    whole = (float(side), float(sheet.width - side))
    if rng.random() < 0.5:
        box = sheet.write(sheet.words(15, 50), whole, top // 2 - 8, 1, 0.8, None, rng.random() < 0.5)
        sheet.blocks.append(("header", box))
    if rng.random() < 0.4:
        box = sheet.write(
            sheet.words(20, 70), whole, y, 2, rng.uniform(1.4, 2.1), sheet.setting.size * 2.4, rng.random() < 0.6
        )
        sheet.blocks.append(("title", box))
        y = box[3] + rng.randint(20, 50)
    gap = rng.randint(24, 44)
    halves = [(whole[0], (sheet.width - gap) / 2), ((sheet.width + gap) / 2, whole[1])]
    for room in halves if rng.random() < 0.45 else [whole]:
        _fill_column(sheet, room, y, bottom)
    if rng.random() < 0.6:
        box = sheet.write([str(rng.randint(1, 400))], whole, sheet.height - top // 2, 1, 0.85, None, True)
        sheet.blocks.append(("page_number", box))
    return sheet


def page(source: TextSource) -> Sample:
    """A page squeezed to the layout picture, with MinerU's layout grammar as answer.

    The cells of a box's two corners guide the attention: upper left for its first two numbers, lower right for the
    others.
    """
    sheet = draw_page(source)
    edge = TOKEN * _GRID
    image = degrade(source.rng, source.noise, sheet.image.resize((edge, edge), Image.Resampling.BICUBIC))
    answer: list[int] = []
    cells: list[int] = []

    def cell(x: float, y: float) -> int:
        column, row = int(x / sheet.width * _GRID), int(y / sheet.height * _GRID)
        return min(_GRID - 1, max(0, row)) * _GRID + min(_GRID - 1, max(0, column))

    def add(tokens: list[int], at: int) -> None:
        answer.extend(tokens)
        cells.extend([at] * len(tokens))

    for index, (name, box) in enumerate(sheet.blocks):
        left, top = max(0.0, box[0] - 2), max(0.0, box[1] - 2)
        right, bottom = min(float(sheet.width), box[2] + 2), min(float(sheet.height), box[3] + 2)
        first, last = cell(left, top), cell(right - 1, bottom - 1)
        horizontal, vertical = 1000 / sheet.width, 1000 / sheet.height
        if index:
            add([10], -1)
        add([ID["<|box_start|>"]], first)
        add(list(f"{round(left * horizontal):03d} {round(top * vertical):03d}".encode()), first)
        add(list(f" {round(right * horizontal):03d} {round(bottom * vertical):03d}".encode()), last)
        add([ID["<|box_end|>"], ID["<|ref_start|>"], *name.encode()], first)
        add([ID["<|ref_end|>"], ID["<|rotate_up|>"]], -1)
    slots = np.zeros((_GRID * _GRID, SLOTS), np.uint8)
    return Sample(image, np.array(answer, np.int16), np.array(cells, np.int16), slots, (_GRID, _GRID), "layout")
