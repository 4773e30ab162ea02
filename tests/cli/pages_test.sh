#!/usr/bin/env bash
# Pages of unusual shape: long strips, tiny ones, blank and noisy ones, pages that stand on their side
# or head, pictures with several pages.
#
#   pages_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail

# shellcheck source=tests/cli/checks.sh
source "$(dirname "$0")/checks.sh"
if ! command -v python3 >/dev/null; then
  skip "no python3 to make pages with"
  finish
  exit
fi
pdftoppm -r 150 -singlefile "$source_dir/samples/report.pdf" report
python3 - <<'PY'
import random, struct
def save(name, width, rows):
    with open(name + ".ppm", "wb") as file:
        file.write(b"P6 %d %d 255\n" % (width, len(rows)) + b"".join(rows))
def pixels(row):
    return [row[i:i + 3] for i in range(0, len(row), 3)]
magic, size, _, data = open("report.ppm", "rb").read().split(b"\n", 3)
width, height = map(int, size.split())
page = [data[3 * width * y:3 * width * (y + 1)] for y in range(height)]
def cut(top, left, wide):
    return [row[3 * left:3 * (left + wide)] for row in page[top:top + 27]]
white = b"\xff\xff\xff"
# Five lines of the page, 22 pieces of them beside each other.
lines = [cut(top, 180, 880) for top in (260, 288, 453, 481, 838)]
strip = [white * 20000] * 80
for y in range(27):
    row = b"".join(lines[i % 5][y] + white * 25 for i in range(22))
    strip.append(row + white * (20000 - len(row) // 3))
save("strip", 20000, strip + [white * 20000] * 93)
# The beginnings of these lines, 400 below each other.
receipt = []
for i in range(400):
    receipt += [row + white * 10 for row in cut((260, 288, 453, 481, 838)[i % 5], 180, 190)]
    receipt += [white * 200] * 48
save("receipt", 200, receipt)
# One line as a picture of its own, once to six times as large, with little paper around it.
for factor in (1, 2, 3, 4, 6):
    rows = []
    for row in lines[0]:
        wide = b"".join(row[i:i + 3] * factor for i in range(0, len(row), 3))
        rows += [white * 10 + wide + white * 10] * factor
    margin = [white * (len(rows[0]) // 3)] * (4 * factor)
    save(f"one_line{factor}", len(rows[0]) // 3, margin + rows + margin)
    dark = [bytes(255 - value for value in row) for row in margin + rows + margin]
    save(f"dark_line{factor}", len(rows[0]) // 3, dark)
# A line as a title: four to seven times the text.
for factor in (4, 7):
    title = []
    for row in cut(260, 180, 120):
        title += [b"".join(row[i:i + 3] * factor for i in range(0, 360, 3))] * factor
    wide = [row + white * (width - len(row) // 3) for row in title]
    save(f"title{factor}", width, [white * width] * 20 + wide + page[240:1000])
# Pictures of few bytes and many pixels, and a large one with a line of text.
import zlib
def png(name, width, height, rows, level=1, turn=None):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    exif = b"" if turn is None else chunk(b"eXIf", b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01"
                                          + struct.pack(">HH", turn, 0) + bytes(4))
    packer = zlib.compressobj(level)
    data = b"".join(packer.compress(b"\0" + row) for row in rows) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    open(name + ".png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + exif
                                    + chunk(b"IDAT", data) + chunk(b"IEND", b""))
png("blank_bomb", 22000, 22000, (b"\xff" * 22000 for _ in range(22000)), 9)
stripes = (b"\xff" * 12 + b"\0" * 12) * 1000
png("stripe_bomb", 22000, 22000, (stripes[:22000] if y % 24 < 12 else b"\xff" * 22000
                                 for y in range(22000)), 9)
# A blank picture without loss: a header, and codes of no length.
open("blank_whole.webp", "wb").write(
    b"RIFF" + struct.pack("<I", 42) + b"WEBPVP8L" + struct.pack("<IBI", 30, 0x2f, 7999 | 7999 << 14)
    + bytes(25))
open("canvas_bomb.gif", "wb").write(
    b"GIF89a" + struct.pack("<HH", 13000, 13000) + b"\x80\0\0\0\0\0\xff\xff\xff"
    b",\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;")
# 20000 x 19000 of grey, D13 of the users' situations, once upside down by its EXIF tag. Noise at the
# edge makes it as large a file as a scan is.
large = [b"\xff" * 20000] * 19000
for y in range(27 * 20):
    row = b"".join(bytes([lines[0][y // 20][i]]) * 20 for i in range(0, 2640, 3))
    large[8000 + y] = b"\xff" * 2000 + row + b"\xff" * (18000 - len(row))
noise = random.Random(5)
for y in range(20, 60):
    large[y] = bytes(230 + value % 16 for value in noise.randbytes(20000))
png("large", 20000, 19000, large)
png("large_turned", 20000, 19000, large, turn=3)
# The five lines as five pages of one TIFF; the strip of the third page lies behind the end.
def tiff(name, damaged=None):
    data = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for number, line in enumerate(lines, 1):
        rows = [b"\xff" * 960] * 30 + [b"\xff" * 40 + row[::3] + b"\xff" * 40 for row in line]
        pixels_at = len(data)
        data += b"".join(rows + [b"\xff" * 960] * 30)
        at = 10**9 if number == damaged else pixels_at
        tags = ((256, 960), (257, len(rows) + 30), (258, 8), (259, 1), (262, 1), (273, at),
                (277, 1), (278, len(rows) + 30), (279, 960 * (len(rows) + 30)))
        struct.pack_into("<I", data, link, len(data))
        data += struct.pack("<H", len(tags))
        for tag, value in tags:
            data += struct.pack("<HHII", tag, 4, 1, value)
        link = len(data)
        data += bytes(4)
    open(name + ".tif", "wb").write(data)
tiff("pages")
tiff("pages_damaged", 3)
turned = page
for angle in (90, 180, 270):
    columns = [pixels(row) for row in reversed(turned)]
    turned = [b"".join(row[x] for row in columns) for x in range(len(columns[0]))]
    save(f"turned{angle}", len(turned[0]) // 3, turned)
for name, wide, high in (("tiny1x1", 1, 1), ("tiny1x500", 1, 500), ("tiny500x1", 500, 1),
                         ("tiny27x27", 27, 27)):
    save(name, wide, [b"\x80\x80\x80" * wide] * high)
save("white", 1700, [white * 1700] * 2200)
save("black", 1700, [bytes(5100)] * 2200)
chance = random.Random(3)
save("noise", 800, [chance.randbytes(2400) for _ in range(1000)])
save("dirt", 800, [b"".join(b"\0\0\0" if chance.random() < 0.01 else white for _ in range(800))
                   for _ in range(1000)])
PY

# Long strips: every word once, in order, in little memory.
starts='In the summer|Each of them|The gauges stood|were emptied once|Most of the rain'
run parse strip.ppm -o strip --json --format md
check "a strip of 20000 x 200 is read" is "$code" 0
grep -oE "$starts" strip/strip.md >found
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
  echo "$starts" | cut -d'|' -f$((i % 5 + 1))
done >expected
check "each piece of the strip is there once, in order" cmp -s found expected
check_memory "a strip takes little memory" 150
SECONDS=0
run parse receipt.ppm -o receipt --json --format md
check "a receipt of 200 x 30000 is read" is "$code" 0
check_time "a receipt is read in time" 120
grep -oE 'In the|Each of|The gauges|were emptied|Most of' receipt/receipt.md >found
for _ in $(seq 80); do printf '%s\n' 'In the' 'Each of' 'The gauges' 'were emptied' 'Most of'; done \
  >expected
check "each line of the receipt is there once, in order" cmp -s found expected
check_memory "a receipt takes little memory" 200

# Lines of any size are read, on a picture of their own, light on dark, as a title.
for factor in 1 2 3 4 6; do
  run parse "one_line$factor.ppm" -o -
  check "a picture of one line, $factor times as large, is read" has stdout "In the summer"
  run parse "dark_line$factor.ppm" -o -
  check "a line in white on black, $factor times as large, is read" has stdout "In the summer"
done
for factor in 4 7; do
  run parse "title$factor.ppm" -o "title$factor" --format md
  check "a title $factor times as large has its words" has <(head -1 "title$factor/title$factor.md") "# In the"
  check "a title $factor times as large is no picture" lacks "title$factor/title$factor.md" '![]'
done

# Pages on their side or head: the same text, and the angle is told.
run parse report.ppm -o turned --format md,model
check "the upright page is read" is "$code" 0
check "an upright page is not turned" lacks stderr page_turned
for angle in 90 180 270; do
  run parse "turned$angle.ppm" -o turned --format md,model
  check "a page turned by $angle gives the same text" cmp -s turned/report.md "turned/turned$angle.md"
  check "a page turned by $angle says so" has stderr page_turned
  check "a page turned by $angle has its angle" has "turned/turned${angle}_model.json" \
    "\"angle\": $angle"
done

# A picture with pages: as a PDF, page by page; one that is damaged fails alone.
run parse pages.tif -o tiff --json
check "a TIFF of five pages is read" is "$code" 0
check "all its pages are told" is "$(grep -c '"event":"page"' stdout)" 5
check "its pages are in order" is "$(grep -oE "$starts" tiff/pages.md | cut -d' ' -f1 | tr '\n' ' ')" \
  "In Each The were Most "
run parse pages.tif -o - --pages 2,5
check "pages of a TIFF are chosen" is "$(grep -oE "$starts" stdout | cut -d' ' -f1 | tr '\n' ' ')" \
  "Each Most "
run parse pages.tif -o - --pages 6
check "a page that a TIFF has not is refused" is "$code" 2
"$octavo" parse - -o - <pages.tif >stdout 2>stderr
code=$?
check "a TIFF from stdin has all its pages" cmp -s stdout tiff/pages.md
run parse pages_damaged.tif -o tiff --json
check "a TIFF with a damaged page fails" is "$code" 4
check "its damaged page is told" grep -q '"page":3,.*"error"' stdout
check "its other pages are read" is \
  "$(grep -oE "$starts" tiff/pages_damaged.md | cut -d' ' -f1 | tr '\n' ' ')" "In Each were Most "
for file in "$source_dir"/tests/data/images/files/*; do
  run parse "$file" -o formats --force
  check "$(basename "$file") is read" is "$code" 0
done

# Nothing to read: no words are made up.
for name in tiny1x1 tiny1x500 tiny500x1 tiny27x27 white black noise dirt; do
  run parse "$name.ppm" -o "$name" --format md
  check "$name is read" is "$code" 0
  check "$name has no words" is "$(grep -cE '[[:alnum:]]{2}' <(grep -v '!\[\]' "$name/$name.md"))" 0
done
run parse noise.ppm -o - --force
check "ink without words is told" has stderr nothing_read
run parse white.ppm -o - --force
check "a blank page is not" lacks stderr nothing_read
for name in tiny1x1 tiny1x500 tiny500x1; do
  run parse "$name.ppm" -o - --force
  check "$name says that it is too small" has stderr image_too_small
done

# What accepted pictures take: no more for their pixels than for their bytes.
run parse report.ppm -o plain --json --format md
plain_mb=$(peak_mb)
for name in blank_bomb.png stripe_bomb.png canvas_bomb.gif; do
  run parse "$name" -o bombs --json
  check "$name is read" is "$code" 0
  check "$name is read smaller" grep -q page_downscaled stdout
  check_memory "$name takes little memory" $((plain_mb + 64))
done
run parse blank_whole.webp -o bombs --json
check "a blank WebP of 64 million pixels is refused" grep -q image_too_large stdout
check_memory "it takes little memory" $((plain_mb + 64))
for name in large large_turned; do
  SECONDS=0
  run parse "$name.png" -o large --json --format md
  check "$name of 20000 x 19000 is read" is "$code" 0
  check_time "$name is read in time" 60
  check_memory "$name takes little memory" 450
done
check "the line of the large picture is read" has large/large.md "In the summer"

# Cancelled while a picture is decoded or turned: at once.
"$octavo" parse large_turned.png -o cancelled >stdout 2>stderr </dev/null &
pid=$!
sleep 0.7
kill -INT "$pid"
started=$(date +%s%N)
wait "$pid"
code=$?
check "decoding stops within a second" [ $((($(date +%s%N) - started) / 1000000)) -lt 1000 ]

finish
