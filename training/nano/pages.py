"""Whole pages for the layout task: one or two columns of headings, text, lists, tables, pictures, formulas."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from nano.canvas import SLOTS, TOKEN, Sample, bullet, degrade, scan
from nano.formulas import pooled_formula
from nano.tables import cell_text
from nano.text_source import TextSource
from nano.vocabulary import ID

_SIZES = [(910, 1287), (935, 1210), (910, 1287), (1000, 1000), (1287, 910)]
_GRID = 24  # tokens on each side: 672 x 672, the largest picture of nano
#: MinerU's types that are drawn; the index, plus one, is the class of the dense layout targets (0: nothing).
TYPES = (
    "text", "title", "list", "table", "table_caption", "image", "image_caption", "equation", "header", "footer",
    "page_number", "page_footnote",
)  # fmt: skip
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
    joined = rng.randint(1, columns - 1) if rng.random() < 0.3 else 0  # the head's last cells are one
    frame = grid or rng.random() < 0.75
    for i in range(rows + 1):
        if frame and (grid or i in (0, 1, rows)):
            sheet.draw.line((left, y + i * row_height, left + width, y + i * row_height), fill=0)
        for j in range(columns) if i < rows else ():
            if i == 0 and joined and j > columns - 1 - joined:
                continue
            text = cell_text(sheet.source, j > 0)[: max(1, int(cell / font.size / 0.65))]
            sheet.draw.text((left + j * cell + 4, y + i * row_height + 3), text, font=font, fill=0)
    for j in range(columns + 1) if grid else ():
        top = y + row_height if joined and columns - joined <= j < columns else y
        sheet.draw.line((left + j * cell, top, left + j * cell, y + rows * row_height), fill=0)
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


def _list(sheet: _Sheet, room: tuple[float, float], y: float, bottom: float) -> bool:
    """A box for the list and one for each item."""
    rng, size = sheet.rng, sheet.setting.size
    numbered, indent, boxes = rng.random() < 0.4, size * rng.uniform(0, 1.5), []
    mark = bullet(rng, sheet.setting.font_path).strip()
    gap = size * rng.uniform(0.1, 0.7)
    for number in range(1, rng.randint(3, 7)):
        lines = int((bottom - y) / sheet.setting.leading)
        if lines < 2:
            break
        label = f"{number}." if numbered else mark
        left = sheet.write([label], (room[0] + indent, room[1]), y, 1)
        box = sheet.write(sheet.words(15, 160), (room[0] + indent + size * 1.8, room[1]), y, min(lines, 4))
        boxes.append((left[0], min(left[1], box[1]), box[2], box[3]))
        y = boxes[-1][3] + gap
    if not boxes:
        return False
    around = (boxes[0][0], boxes[0][1], max(box[2] for box in boxes), max(box[3] for box in boxes))
    sheet.blocks.append(("list", around))
    sheet.blocks += [("text", box) for box in boxes]
    return True


_BLOCKS: list[tuple[float, Callable[[_Sheet, tuple[float, float], float, float], bool]]] = [
    (0.49, _text), (0.15, _title), (0.09, _picture), (0.10, _table), (0.08, _equation), (0.09, _list),
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
        if rng.random() < 0.3:
            sheet.draw.line((whole[0], box[3] + 5, whole[1], box[3] + 5), fill=0, width=rng.choice((1, 1, 2)))
    if rng.random() < 0.4:
        box = sheet.write(
            sheet.words(20, 70), whole, y, 2, rng.uniform(1.4, 2.1), sheet.setting.size * 2.4, rng.random() < 0.6
        )
        sheet.blocks.append(("title", box))
        y = box[3] + rng.randint(20, 50)
    gap = rng.randint(24, 44)
    halves = [(whole[0], (sheet.width - gap) / 2), ((sheet.width + gap) / 2, whole[1])]
    note = sheet.setting.leading * 2.5 if rng.random() < 0.2 else 0.0
    rooms = halves if rng.random() < 0.45 else [whole]
    for room in rooms:
        _fill_column(sheet, room, y, bottom - note)
    if len(rooms) == 2 and rng.random() < 0.1:
        sheet.draw.line((sheet.width / 2, y, sheet.width / 2, bottom - note), fill=0)
    if note:
        at = bottom - note + sheet.setting.leading * 0.6
        sheet.draw.line((whole[0], at - 5, whole[0] + sheet.width * 0.2, at - 5), fill=0)
        words = [f"{rng.randint(1, 9)}", *sheet.words(30, 120)]
        sheet.blocks.append(("page_footnote", sheet.write(words, whole, at, 2, 0.8, sheet.setting.leading * 0.85)))
    if rng.random() < 0.15:
        box = sheet.write(sheet.words(15, 60), whole, sheet.height - top // 2 - 26, 1, 0.8, None, rng.random() < 0.5)
        sheet.blocks.append(("footer", box))
    if rng.random() < 0.6:
        box = sheet.write([str(rng.randint(1, 400))], whole, sheet.height - top // 2, 1, 0.85, None, True)
        sheet.blocks.append(("page_number", box))
    return sheet


def _turned(box: Box, angle: float, size: tuple[float, float]) -> Box:
    """The box around a box of a page that is turned about its middle."""
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    corners = [(x - size[0] / 2, y - size[1] / 2) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs = [x * cosine + y * sine + size[0] / 2 for x, y in corners]
    ys = [y * cosine - x * sine + size[1] / 2 for x, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def dense_targets(blocks: list[tuple[str, Box]], size: tuple[float, float], grid: tuple[int, int]) -> np.ndarray:
    """float16 [rows*columns, 5] for each image token: the class of the smallest block that its middle lies in (0: none;
    see TYPES), and how far that block reaches from there to the left, top, right and bottom, in tokens."""
    rows, columns = grid
    targets = np.zeros((rows, columns, 5), np.float16)
    largest_first = sorted(blocks, key=lambda block: -(block[1][2] - block[1][0]) * (block[1][3] - block[1][1]))
    for name, box in largest_first:
        left, right = box[0] / size[0] * columns, box[2] / size[0] * columns
        top, bottom = box[1] / size[1] * rows, box[3] / size[1] * rows
        # a block thinner than a token may miss every middle: it takes the tokens that hold its own middle line
        first_row, last_row = math.ceil(top - 0.5), math.floor(bottom - 0.5)
        first_column, last_column = math.ceil(left - 0.5), math.floor(right - 0.5)
        if last_row < first_row:
            first_row = last_row = min(rows - 1, int((top + bottom) / 2))
        if last_column < first_column:
            first_column = last_column = min(columns - 1, int((left + right) / 2))
        for row in range(max(0, first_row), min(rows - 1, last_row) + 1):
            for column in range(max(0, first_column), min(columns - 1, last_column) + 1):
                x, y = column + 0.5, row + 0.5
                targets[row, column] = (TYPES.index(name) + 1, x - left, y - top, right - x, bottom - y)
    return targets.reshape(rows * columns, 5)


def page(source: TextSource) -> Sample:
    """A page drawn by Pillow."""
    sheet = draw_page(source)
    return layout_sample(source, sheet.image, (sheet.width, sheet.height), sheet.blocks)


def layout_sample(
    source: TextSource, picture: Image.Image, size: tuple[float, float], blocks: list[tuple[str, Box]]
) -> Sample:
    """A page squeezed to the layout picture, with MinerU's layout grammar as answer and dense targets.

    `blocks` are in the units of `size`. In training some pages are turned or scanned. The cells of a box's two corners
    guide the attention: upper left for its first two numbers, lower right for the others.
    """
    rng, edge = source.rng, TOKEN * _GRID
    width, height = size
    if source.split == "train" and rng.random() < 0.15:
        angle = rng.uniform(-1.2, 1.2)
        picture = picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255)
        blocks = [(name, _turned(box, angle, size)) for name, box in blocks]
    squeezed = picture.resize((edge, edge), Image.Resampling.BICUBIC)
    if source.split == "train" and rng.random() < 0.15:
        squeezed = scan(rng, source.noise, squeezed)
    image = degrade(rng, source.noise, squeezed)
    answer: list[int] = []
    cells: list[int] = []

    def cell(x: float, y: float) -> int:
        column, row = int(x / width * _GRID), int(y / height * _GRID)
        return min(_GRID - 1, max(0, row)) * _GRID + min(_GRID - 1, max(0, column))

    def add(tokens: list[int], at: int) -> None:
        answer.extend(tokens)
        cells.extend([at] * len(tokens))

    margin = width / 450  # boxes stand a little off the ink
    kept: list[tuple[str, Box]] = []
    for index, (name, box) in enumerate(blocks):
        left, top = max(0.0, box[0] - margin), max(0.0, box[1] - margin)
        right, bottom = min(width, box[2] + margin), min(height, box[3] + margin)
        kept.append((name, (left, top, right, bottom)))
        first, last = cell(left, top), cell(right - 1, bottom - 1)
        if index:
            add([10], -1)
        add([ID["<|box_start|>"]], first)
        add(list(f"{round(left * 1000 / width):03d} {round(top * 1000 / height):03d}".encode()), first)
        add(list(f" {round(right * 1000 / width):03d} {round(bottom * 1000 / height):03d}".encode()), last)
        add([ID["<|box_end|>"], ID["<|ref_start|>"], *name.encode()], first)
        add([ID["<|ref_end|>"], ID["<|rotate_up|>"]], -1)
    slots = np.zeros((_GRID * _GRID, SLOTS), np.uint8)
    grid = (_GRID, _GRID)
    layout = dense_targets(kept, size, grid)
    return Sample(image, np.array(answer, np.int16), np.array(cells, np.int16), slots, grid, "layout", layout)
