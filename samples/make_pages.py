"""Draws the sample pages and writes their truth beside them, both from one description.

Needs Pillow and the Debian packages fonts-liberation, fonts-dejavu-core and fonts-crosextra-carlito.
Run in this folder:
    python3 make_pages.py
All texts are invented for this purpose.
"""

from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

DPI = 200
A4 = (1654, 2339)
SERIF = "/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf"
SERIF_BOLD = "/usr/share/fonts/truetype/liberation/LiberationSerif-Bold.ttf"
SANS = "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"
SANS_BOLD = "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf"
CARLITO = "/usr/share/fonts/truetype/crosextra/Carlito-Regular.ttf"
CARLITO_BOLD = "/usr/share/fonts/truetype/crosextra/Carlito-Bold.ttf"
MONO = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"


@dataclass(frozen=True)
class Style:
    """regular and bold face, size of running text in points, left and right margin in pixels."""

    regular: str
    bold: str
    points: float
    margin: int


class Sheet:
    """A page that is filled from the top; `truth` collects its Markdown blocks."""

    def __init__(self, size: tuple[int, int], style: Style, top: int) -> None:
        self.image = Image.new("L", size, 255)
        self.draw = ImageDraw.Draw(self.image)
        self.style, self.y, self.truth = style, float(top), list[str]()
        self.right = size[0] - style.margin

    def font(self, bold: bool = False, scale: float = 1.0) -> ImageFont.FreeTypeFont:
        size = round(self.style.points * scale * DPI / 72)
        path = self.style.bold if bold else self.style.regular
        return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)

    def _lines(self, text: str, font: ImageFont.FreeTypeFont, left: float, lead: float = 1.35) -> None:
        line = ""
        for word in [*text.split(" "), None]:
            longer = f"{line} {word}".strip()
            if word is not None and font.getlength(longer) <= self.right - left:
                line = longer
                continue
            self.draw.text((left, self.y), line, font=font, fill=0)
            self.y += font.size * lead
            line = word or ""

    def gap(self, share: float = 0.7) -> None:
        """Blank space, as a share of the size of running text."""
        self.y += self.style.points * DPI / 72 * share

    def heading(self, text: str, level: int = 1) -> None:
        self._lines(text, self.font(True, 1.7 if level == 1 else 1.3), self.style.margin)
        self.truth.append("#" * level + " " + text)
        self.gap()

    def paragraph(self, text: str) -> None:
        self._lines(text, self.font(), self.style.margin)
        self.truth.append(text)
        self.gap()

    def lines(self, texts: list[str]) -> None:
        """Lines that stay apart, such as an address: one block each. The truth has one space where a run is drawn."""
        for text in texts:
            self.draw.text((self.style.margin, self.y), text, font=self.font(), fill=0)
            self.y += self.font().size * 1.35
            self.truth.append(" ".join(text.split()))
        self.gap()

    def items(self, texts: list[str], numbered: bool = False) -> None:
        block: list[str] = []
        for number, text in enumerate(texts, 1):
            mark = f"{number}." if numbered else "-"
            self.draw.text((self.style.margin + 20, self.y), mark, font=self.font(), fill=0)
            self._lines(text, self.font(), self.style.margin + 75)
            self.gap(0.25)
            block.append(f"{mark} {text}")
        self.truth.append("\n".join(block))
        self.gap()

    def table(self, rows: list[list[str]], widths: list[int]) -> None:
        """A ruled table, the first row bold; truth as the HTML that MinerU writes."""
        height = self.style.points * DPI / 72 * 1.9
        left, right = self.style.margin, self.style.margin + sum(widths)
        for index, row in enumerate(rows):
            self.draw.line((left, self.y, right, self.y), fill=0, width=2)
            x = left
            for text, width in zip(row, widths, strict=True):
                self.draw.text((x + 16, self.y + height * 0.2), text, font=self.font(index == 0), fill=0)
                x += width
            self.y += height
        self.draw.line((left, self.y, right, self.y), fill=0, width=2)
        for x in [left + sum(widths[:count]) for count in range(len(widths) + 1)]:
            self.draw.line((x, self.y - height * len(rows), x, self.y), fill=0, width=2)
        cells = "".join("<tr>" + "".join(f"<td>{text}</td>" for text in row) + "</tr>" for row in rows)
        self.truth.append(f"<table>{cells}</table>")
        self.gap(1.2)

    def save(self, name: str) -> None:
        self.image.point(lambda level: round(level / 17) * 17).save(f"{name}.png", optimize=True, dpi=(DPI, DPI))
        with open(f"{name}.md", "w", encoding="ascii") as handle:
            handle.write("\n\n".join(self.truth) + "\n")


def letter() -> Sheet:
    sheet = Sheet(A4, Style(SERIF, SERIF_BOLD, 12, 240), 260)
    sheet.lines(["Harbour Street Library", "14 Harbour Street", "Port Ellery"])
    sheet.gap(1.5)
    sheet.lines(["12 March 2024"])
    sheet.gap(1.5)
    sheet.lines(["Dear Ms Whitlock,"])
    sheet.paragraph(
        "Thank you for the box of letters that you left at our desk last week. We have read all of them with great "
        "pleasure. They cover the years from 1911 to 1926 and describe the building of the lighthouse, the winter of "
        "the long ice, and the first bus that ever came to our town. Two of them mention the library itself, which was "
        "then a single room above the bakery."
    )
    sheet.paragraph(
        "With your consent we would like to copy the letters and show six of them in the reading room this summer. "
        "The originals would be kept in a dry cabinet and returned to you in September. If you agree, please sign the "
        "enclosed form and send it back before the end of April. You may also call us on any weekday between nine and "
        "five."
    )
    sheet.gap()
    sheet.lines(["Yours sincerely,"])
    sheet.gap(3)
    sheet.lines(["Jonas Okafor", "Head of Collections"])
    return sheet


def notice() -> Sheet:
    sheet = Sheet(A4, Style(SANS, SANS_BOLD, 11, 200), 220)
    sheet.heading("Garden Club: Spring Work Day")
    sheet.paragraph(
        "The spring work day is on Saturday, 20 April, from 9:30 to 15:00. Everybody is welcome, with or without "
        "a garden of their own. Tools and gloves are provided. In heavy rain we meet one week later."
    )
    sheet.heading("What we will do", 2)
    sheet.items(
        [
            "Clear the two old beds behind the greenhouse and carry the branches to the gate.",
            "Repair the fence along the canal path.",
            "Plant 40 young currant bushes, which arrive on Friday evening.",
            "Paint the benches if the weather stays dry.",
        ]
    )
    sheet.heading("What to bring", 2)
    sheet.items(["Strong shoes and old clothes", "A cup and a plate", "Something small for the shared lunch"])
    sheet.paragraph(
        "Questions? Ask Petra Lindqvist at the gate or write to the club. Children must come with an adult."
    )
    return sheet


def accounts() -> Sheet:
    sheet = Sheet(A4, Style(CARLITO, CARLITO_BOLD, 12, 220), 240)
    sheet.heading("Accounts of the Rowing Club, 2023")
    sheet.paragraph(
        "The club ended the year with a small surplus. Income from courses grew by 18%, while the cost of repairs was "
        "lower than planned. The table shows the main figures in euros."
    )
    sheet.table([
        ["Item", "2022", "2023", "Change"],
        ["Member fees", "12,480", "13,020", "+540"],
        ["Courses", "4,150", "4,897", "+747"],
        ["Donations", "900", "1,250", "+350"],
        ["Repairs", "-6,310", "-5,205", "+1,105"],
        ["Rent and power", "-7,800", "-8,140", "-340"],
        ["Total", "3,420", "5,822", "+2,402"],
    ], [420, 260, 260, 260])  # fmt: skip
    sheet.paragraph(
        "The board proposes to put 3,000 euros aside for a new boat and to keep the rest as a reserve. The vote takes "
        "place at the meeting in February."
    )
    return sheet


def receipt() -> Sheet:
    sheet = Sheet((760, 1180), Style(MONO, MONO, 9, 60), 60)
    rows = [
        "CORNER BAKERY", "5 Mill Lane", "Tel. 555 0142", "", "Receipt 00731", "02/05/2024 08:47", "",
        "2 Rye bread         7.80", "1 Apple cake        4.25", "3 Bread rolls       2.10", "1 Coffee            2.90",
        "", "Subtotal           17.05", "Tax 7%              1.19", "TOTAL              18.24",
        "Cash               20.00",         "Change              1.76", "", "Thank you!", "Open Mon-Sat 7:00-18:00",
    ]  # fmt: skip
    for row in rows:
        if row:
            sheet.lines([row])
            sheet.gap(-0.55)
        else:
            sheet.gap(0.9)
    return sheet


def article() -> Sheet:
    sheet = Sheet(A4, Style(SERIF, SERIF_BOLD, 11, 230), 230)
    sheet.heading("How the Tide Mill Worked")
    sheet.paragraph(
        "A tide mill is a water mill that is driven by the rise and fall of the sea. At high tide the water flows "
        "through a gate into a pond. When the tide turns, the gate closes under the weight of the water behind it, and "
        "the miller has a full pond at his disposal."
    )
    sheet.heading("Twice a day", 2)
    sheet.paragraph(
        "As soon as the sea has dropped below the wheel, the sluice is opened and the pond empties through a narrow "
        "channel. The wheel then turns for about five hours. Because the tide is roughly fifty minutes later each day, "
        "the miller had to work at all hours, and his neighbours heard the stones at three in the morning as often as "
        "at noon."
    )
    sheet.paragraph(
        "The mill at Oxney ground between 600 and 800 kilograms of wheat on a good tide. In dry summers, when the "
        "river mills stood still, farmers came from villages twenty miles away and waited in line on the bridge."
    )
    sheet.heading("What remains", 2)
    sheet.paragraph(
        "The last stones stopped in 1938. A storm broke the dam twelve years later, and the pond became a salt marsh. "
        "Today the house is a small museum. One of the two wheels was rebuilt in 1994 with oak from the old quay; it "
        "turns on the first Sunday of every month, if the tide allows."
    )
    return sheet


def recipe() -> Sheet:
    sheet = Sheet(A4, Style(CARLITO, CARLITO_BOLD, 13, 220), 240)
    sheet.heading("Lentil Soup with Lemon")
    sheet.paragraph("Serves four. Ready in 40 minutes.")
    sheet.heading("Ingredients", 2)
    sheet.items([
        "250 g red lentils", "1 large onion, 2 carrots", "2 tablespoons of olive oil", "1.2 litres of vegetable stock",
        "1 lemon, salt, pepper, half a teaspoon of cumin",
    ])  # fmt: skip
    sheet.heading("Method", 2)
    sheet.items([
        "Chop the onion and the carrots and fry them gently in the oil for ten minutes.",
        "Add the cumin, the lentils and the stock. Bring to the boil, then simmer for 20 minutes.",
        "Crush half of the lentils with a spoon so that the soup becomes thick.",
        "Season with salt, pepper and the juice of the lemon. Serve hot with bread.",
    ], numbered=True)  # fmt: skip
    return sheet


if __name__ == "__main__":
    for page in (letter, notice, accounts, receipt, article, recipe):
        page().save(page.__name__)
