#!/usr/bin/env bash
# PDFs: encrypted, damaged, of odd shapes, and bombs. Each ends in time, with its pages or one clear
# line. tools/make_pdf_cases made the files.
#
#   pdf_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail

# shellcheck source=tests/cli/checks.sh
source "$(dirname "$0")/checks.sh"
pdfs=$source_dir/tests/data/pdf
first="summer of 2022" # in the first line of text of lines.pdf

# Passwords: every cipher; missing, wrong and right.
printf 'secret\n' >secret
printf 'a secret ä中\r\n' >words
for cipher in rc4_40 rc4_128 aes_128 aes_256 aes_256_r5; do
  run parse "$pdfs/$cipher.pdf" -o -
  check "$cipher without its password is refused" is "$code" 2
  check "$cipher without its password says so" has stderr pdf_password_required
  check "$cipher names the flag" has stderr --password-file
  run parse "$pdfs/$cipher.pdf" -o - --password mistaken
  check "$cipher with a wrong password is refused" is "$code" 2
  check "$cipher with a wrong password says so" has stderr pdf_password_wrong
  check "no password is repeated" lacks stderr mistaken
  run parse "$pdfs/$cipher.pdf" -o - --password-file secret
  check "$cipher with its password is read" is "$code" 0
  check "$cipher with its password has its text" has stdout "$first"
done
run parse "$pdfs/aes_256.pdf" -o - --password owner
check "the owner's password opens, too" has stdout "$first"
run parse "$pdfs/aes_256_words.pdf" -o - --password-file words
check "a password may have spaces and any letters" has stdout "$first"
run parse "$pdfs/owner_only.pdf" -o -
check "a PDF without a user's password opens" has stdout "$first"
run parse "$pdfs/owner_only.pdf" "$pdfs/lines.pdf" -o mixed --password secret
check "a password that some inputs do not need does no harm" is "$code" 0
run parse "$pdfs/aes_128.pdf" -o - --password-file absent
check "a missing password file is not found" is "$code" 3
"$octavo" parse "$pdfs/aes_128.pdf" -o - --password-file - <secret >stdout 2>stderr
code=$?
check "the password may come from stdin" has stdout "$first"
"$octavo" parse - -o - --password secret <"$pdfs/aes_128.pdf" >stdout 2>stderr
code=$?
check "an encrypted PDF may come from stdin" has stdout "$first"
run parse - -o - --password-file -
check "stdin cannot be both" is "$code" 2

# Nobody sees the password in a list of processes: a program that gets it as an argument fails here.
mkdir watched
for program in qpdf pdfinfo pdftoppm; do
  printf '#!/bin/sh\ncase "$*" in *secret*) exit 42 ;; esac\nexec %s "$@"\n' \
    "$(command -v "$program")" >"watched/$program"
  chmod +x "watched/$program"
done
PATH=$work/watched:$PATH "$octavo" parse "$pdfs/aes_128.pdf" -o - --password secret >stdout 2>stderr
code=$?
check "no child has the password on its command line" has stdout "$first"
mkfifo slow
"$octavo" parse - -o - --password secret <slow >stdout 2>stderr &
pid=$!
exec 9>slow
for _ in 1 2 3 4 5 6 7 8 9 10; do
  tr '\0' ' ' <"/proc/$pid/cmdline" >cmdline
  has cmdline '******' && break
  sleep 0.1
done
cat "$pdfs/aes_128.pdf" >&9
exec 9>&-
wait "$pid"
code=$?
check "octavo blanks its own command line" has cmdline '******'
check "octavo blanks all of the password" lacks cmdline secret
check "what was blanked still opens the PDF" has stdout "$first"

# Pages: order, choice.
run parse "$pdfs/lines.pdf" -o - --pages 1-3,5
check "pages are read in order" is "$(tr '\n' ' ' <stdout | cut -c1-20)" "In the summer of 202"
check "pages that were not asked for are left out" is "$(grep -c . stdout)" 4
run parse "$pdfs/lines.pdf" -o lines
check "a sound PDF gives no warning" lacks stderr pdf_repaired
for wrong in 0 6 3-2 x 6-9 , 1,,2; do
  run parse "$pdfs/lines.pdf" -o range --pages "$wrong"
  check "--pages $wrong is refused" is "$code" 2
done

# Page 3 of 5 damaged: four delivered, the third failed with a code, order kept.
for how in absent number picture content; do
  run parse "$pdfs/page3_$how.pdf" -o "page3_$how" --json
  check "page3_$how does not crash" done_or_refused
  check "page3_$how tells of five pages in order" is \
    "$(sed -n 's/.*"event":"page".*"page":\([0-9]\).*/\1/p' stdout | tr -d '\n')" 12345
  # poppler says nothing of a picture whose bytes are wrong; what it makes of them is read.
  [ "$how" = picture ] ||
    check "page3_$how tells of the damage" grep -q '"page":3,.*\(pdf_repaired\|"error"\)' stdout
  check "page3_$how keeps the first page" has "page3_$how/page3_$how.md" "$first"
done
grep . lines/lines.md | sed 3d >four
for how in number absent; do
  run parse "$pdfs/page3_$how.pdf" -o again --json
  check "page3_$how fails" is "$code" 4
  check "page3_$how is told as the third" grep -q '"page":3,.*"error":.*page 3' stdout
  check "page3_$how: the others are delivered, in order" cmp -s four <(grep . "again/page3_$how.md")
  check "page3_$how: nothing else fails" is "$(grep -c '"error"' stdout)" 1
done
run parse "$pdfs/page3_absent.pdf" -o again --json
check "the same command tries the damaged page again" is "$(grep -c '"event":"page"' stdout)" 1

# Cut and overwritten: read as far as it is there, with a warning; never a hang.
size=$(wc -c <"$pdfs/lines.pdf")
for bytes in $((size / 2)) $((size - 40)) $((size - 300)); do
  head -c "$bytes" "$pdfs/lines.pdf" >cut.pdf
  run parse cut.pdf -o - --pages 1
  check "a PDF cut at $bytes bytes is repaired" has stdout "$first"
  check "a PDF cut at $bytes bytes says so" has stderr pdf_repaired
done
sed 's/^[0-9]\{10\} 00000 n/0000000007 00000 n/' "$pdfs/lines.pdf" >xref.pdf
run parse xref.pdf -o xref
check "a broken table of objects is repaired" cmp -s xref/xref.md lines/lines.md
sed 's/^startxref/startxxxx/' "$pdfs/lines.pdf" >start.pdf
run parse start.pdf -o -
check "a missing startxref is repaired" has stdout "$first"
tail -c +3000 "$pdfs/lines.pdf" >headless.pdf
run parse headless.pdf -o -
check "a PDF without its head is refused" refused
report=$source_dir/samples/report.pdf
head -c -40 "$report" >streams.pdf
run parse "$report" -o whole --format md
run parse streams.pdf -o whole --format md
check "a PDF with object streams is repaired" cmp -s whole/report.md whole/streams.md
head -c 20000 "$report" >half.pdf
run parse half.pdf -o half
check "a PDF of which no page is left is refused" is "$code" 4
check "it is refused in a line that says so" has stderr pdf_corrupt

run parse "$pdfs/picture_cut.pdf" -o -
check "a page whose picture is cut is read" is "$code" 0
check "a page whose picture is cut says so" has stderr picture_cut

# Structure: loops, depth, counts. In time, with a page or a refusal.
for name in xref_prev_loop tree_loop tree_circle tree_count deep_arrays form_loop length_loop; do
  SECONDS=0
  run parse "$pdfs/$name.pdf" -o "$name"
  check "$name is read or refused" done_or_refused
  check "$name ends in time" [ "$SECONDS" -lt 60 ]
done
for name in xref_prev_loop tree_loop tree_circle tree_count; do
  check "$name: the page is found" has "$name/$name.md" "$first"
done
run parse "$pdfs/no_pages.pdf" -o -
check "a PDF without pages is refused" is "$code" 4
check "a PDF without pages says so" has stderr pdf_no_pages
run parse "$pdfs/xfa.pdf" -o -
check "a form made by a program is read with a warning" has stderr xfa_unsupported

# Shapes of pages: clamped, none too large, none lost.
run parse "$pdfs/boxes.pdf" -o boxes --json
check "odd boxes do not fail" is "$code" 0
check "odd boxes give all pages" is "$(grep -c '"event":"page"' stdout)" 15
for page in 1 2 9; do
  check "page $page is scaled down" grep -q "\"page\":$page,.*page_downscaled" stdout
done
for page in 3 4 5 6 7 8; do
  check "page $page is read" lacks <(grep "\"page\":$page," stdout) '"error"'
done

cat >long.py <<'PY'
import zlib
rows = open("line.pgm", "rb").read().split(b"\n", 3)[3]
image = zlib.compress(rows)
page = b"".join(b"q 211 0 0 6.5 8 %d cm /L Do Q\n" % (2960 - 40 * i) for i in range(72))
objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
           b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 226 3000]/Contents 4 0 R"
           b"/Resources<</XObject<</L 5 0 R>>>>>>",
           b"<</Length %d>>stream\n%s\nendstream" % (len(page), page),
           b"<</Type/XObject/Subtype/Image/Width 880/Height 27/ColorSpace/DeviceGray/BitsPerComponent 8"
           b"/Filter/FlateDecode/Length %d>>stream\n%s\nendstream" % (len(image), image)]
body = b"".join(b"%d 0 obj\n%s\nendobj\n" % item for item in enumerate(objects, 1))
open("long.pdf", "wb").write(b"%PDF-1.4\n" + body
                             + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
PY
if command -v python3 >/dev/null; then
  pdftoppm -gray -r 150 -x 180 -y 260 -W 880 -H 27 -singlefile "$report" line
  python3 long.py
  run parse long.pdf -o - --dpi 300
  check "a receipt of 226 x 3000 points is read" is "$code" 0
  check "each line of the receipt is read" is "$(grep -o 'In the summer' stdout | wc -l)" 72
else
  skip "no python3 to make a receipt with"
fi

# Bombs: within memory and time.
run parse "$pdfs/lines.pdf" -o plain --json --pages 1
plain_mb=$(peak_mb)
for name in bomb_picture bomb_content; do
  SECONDS=0
  run parse "$pdfs/$name.pdf" -o "$name" --json
  check "$name is read or refused" done_or_refused
  check "$name ends in time" [ "$SECONDS" -lt 120 ]
  check_memory "$name takes no more memory than another" $((plain_mb + 64))
done

finish
