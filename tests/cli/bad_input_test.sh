#!/usr/bin/env bash
# Inputs, folders, disks and models that are not as they should be: one clear line, a code, no crash,
# no partial file under a final name, and the rest of the batch is done. PDFs have pdf_test.sh.
#
#   bad_input_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail

# shellcheck source=tests/cli/checks.sh
source "$(dirname "$0")/checks.sh"
mkdir in
cp "$source_dir/samples/receipt.png" in/receipt.png
cp "$source_dir/tests/data/pdf/lines.pdf" in/lines.pdf
run parse in -o good
check "the sound batch is read" is "$code" 0

# Nothing in the file, something else in it, another type than the name says.
mkdir odd
: >odd/empty.pdf
: >odd/empty.png
echo '<!DOCTYPE html><p>page' >odd/page.pdf
printf '\n  <HTML><body>x' >odd/page2.pdf
echo 'hello' >odd/text.png
head -c 3000 /dev/zero >odd/zeros.jpg
printf 'PK\003\004zip' >odd/archive.pdf
printf '%%PDF-1.7\njunk' >odd/junk.pdf
for bad in "empty.pdf 4 empty_file" "empty.png 4 empty_file" "page.pdf 5 HTML" "page2.pdf 5 HTML" \
  "text.png 5 expected" "zeros.jpg 5 expected" "archive.pdf 5 expected" "junk.pdf 4 pdf_corrupt"; do
  read -r name expected word <<<"$bad"
  run parse "odd/$name" -o single
  check "code of $name" is "$code" "$expected"
  check "$name is named" has stderr "odd/$name"
  check "$name: what was found" has stderr "$word"
  check "$name: one line beside the sum" is "$(wc -l <stderr)" 2
  check "$name: nothing is written" absent "single/${name%.*}.md"
done
mkfifo odd/pipe.pdf
run parse odd/pipe.pdf -o single
check "a pipe is no document" is "$code" 2
check "a pipe is told so" has stderr "no regular file"
run parse odd/absent.pdf -o single
check "a missing file is not found" is "$code" 3
run parse odd/page.pdf odd/absent.pdf in/receipt.png odd/empty.pdf in/lines.pdf -o batch --json
check "a batch with bad inputs ends with the code of the first" is "$code" 3
check "the good inputs of the batch are done" cmp -s good/receipt.md batch/receipt.md
check "the good inputs of the batch are done, too" cmp -s good/lines.md batch/lines.md
check "failures are counted" grep -q '"event":"end","documents":5,"documents_failed":3' stdout
cp in/receipt.png odd/picture.pdf
cp in/lines.pdf odd/pages.jpeg
run parse odd/picture.pdf odd/pages.jpeg -o named
check "names are not trusted" is "$code" 0
check "a picture named as a PDF is read" cmp -s good/receipt.md named/picture.md
check "a PDF named as a picture is read" cmp -s good/lines.md named/pages.md

# Every kind of file, cut and overwritten.
mkdir cut
for file in "$source_dir"/tests/data/images/files/* in/receipt.png; do
  name=$(basename "$file")
  size=$(wc -c <"$file")
  head -c $((size / 2)) "$file" >"cut/half_$name"
  head -c $((size - 1)) "$file" >"cut/last_$name"
  { head -c $((size / 2)) "$file" && head -c 64 /dev/zero && tail -c +$((size / 2 + 65)) "$file"; } \
    >"cut/over_$name"
done
run parse cut/* -o cut_out --json
check "damaged pictures do not end the program" done_or_refused
check "each damaged picture is told of" is \
  "$(grep -c -E '"event":"(done|failed)"' stdout)" "$(find cut -type f | wc -l)"
check "damaged pictures leave nothing half written" nothing_temporary cut_out

# Bombs: refused by their headers, in no more memory than another picture takes.
run parse in/receipt.png -o plain --json
plain_mb=$(peak_mb)
if command -v python3 >/dev/null; then
  python3 - <<'PY'
import struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(width, height, depth, rows):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0))
            + chunk(b"IDAT", rows) + chunk(b"IEND", b""))
deflate = zlib.compressobj(9)
rows = b"".join(deflate.compress(bytes(3751)) for _ in range(30000)) + deflate.flush()
open("bomb30000.png", "wb").write(png(30000, 30000, 1, rows))
open("bomb65535.png", "wb").write(png(65535, 65535, 8, zlib.compress(b"")))
open("bombmax.png", "wb").write(png(2**31 - 1, 2**31 - 1, 8, zlib.compress(b"")))
# Few pixels, but a row of gigabytes.
open("bombwide.png", "wb").write(png(2**29, 1, 1, zlib.compress(bytes(1 + 2**26), 9)))
for samples in (1, 10):
    tags = [(256, 4, 2**29), (257, 4, 1), (258, 3, 1), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, samples),
            (278, 4, 1), (279, 4, 1)]
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    open(f"bombwide{samples}.tif", "wb").write(
        b"II*\0" + struct.pack("<I", 10) + b"\0\0" + struct.pack("<H", len(tags)) + entries + bytes(4))
PY
  for bomb in bomb30000.png bomb65535.png bombmax.png bombwide.png bombwide1.tif bombwide10.tif; do
    name=${bomb%.*}
    run parse "$bomb" in/lines.pdf -o "$name" --json
    check "$name is refused" refused
    check "$name is told" grep -q "\"event\":\"failed\",\"input\":\"$bomb\"" stdout
    check_memory "$name takes no more memory than another" $((plain_mb + 64))
    check "$name: the rest of the batch is done" [ -s "$name/lines.md" ]
  done
else
  skip "no python3 to make picture bombs with"
fi

# No memory for an input: it fails alone.
if grep -qa __asan_init "$octavo"; then
  skip "a sanitizer needs more address space than the limit leaves"
else
  head -c 400000000 /dev/zero | (
    ulimit -v 300000
    "$octavo" parse - odd/empty.png -o memory --json >stdout 2>stderr
    echo $? >code.memory
  )
  code=$(cat code.memory)
  check "an input without memory for it has its code" is "$code" 6
  check "an input without memory for it is told" has stderr "standard input: not enough memory"
  check "the input behind it is opened" has stdout '"failed","input":"odd/empty.png"'
  check "the run ends with its sum" has stdout '"event":"end","documents":2,"documents_failed":2'
fi

# Folders that may not be searched or written, files that may not be read.
mkdir -p tree/sub tree/locked
cp in/lines.pdf tree/sub/lines.pdf
cp in/lines.pdf tree/locked/hidden.pdf
cp in/lines.pdf tree/secret.pdf
mkdir none locked
run parse none -o single
check "an empty folder is not found" is "$code" 3
ln -s .. tree/sub/circle
if can_be_unprivileged; then
  mkdir -m 777 free
  chmod 000 tree/locked tree/secret.pdf
  chmod 755 locked
  [ "$(id -u)" = 0 ] || chmod a-w locked
  run_unprivileged parse tree -o free/out
  check "an unreadable folder is an error of reading" is "$code" 7
  check "an unreadable folder is named" has stderr "tree/locked"
  check "an unreadable file is named" has stderr "tree/secret.pdf"
  check "the rest of the folder is done" [ -s free/out/sub/lines.md ]
  run_unprivileged parse in/lines.pdf -o locked/out
  check "an unwritable folder is an error of writing" is "$code" 7
  check "an unwritable folder is told in one line" has stderr "octavo: input/output error: locked"
  chmod 755 tree/locked && chmod 644 tree/secret.pdf
else
  skip "no user without rights can run the program here"
fi
run parse in/lines.pdf -o ""
check "a folder without a name is refused" is "$code" 2
: >file
run parse in/lines.pdf -o file/out
check "a file where the folder is to be" is "$code" 7

# A full disk: nothing under a final name, and the next run with room goes on.
(
  ulimit -f 1
  "$octavo" parse in/receipt.png -o full 2>stderr.full
  echo $? >code.full
) >/dev/null
cp stderr.full stderr
code=$(cat code.full)
check "a file-size limit is an error of writing" is "$code" 7
check "a file-size limit leaves nothing half written" nothing_temporary full
check "a file-size limit leaves no result" is "$(find full -maxdepth 1 -type f -size +0 | wc -l)" 0
run parse in/receipt.png -o full
check "with room again the run is finished" cmp -s good/receipt.md full/receipt.md
mkdir tmpfs
if mount -t tmpfs -o size=64k tmpfs tmpfs 2>/dev/null; then
  head -c 60000 /dev/zero >tmpfs/filler
  run parse in/receipt.png -o tmpfs/out
  check "a full disk is an error of writing" is "$code" 7
  check "a full disk leaves nothing half written" nothing_temporary tmpfs
  check "a full disk leaves no result" absent tmpfs/out/receipt.md
  rm tmpfs/filler
  umount tmpfs
else
  skip "no file system may be mounted here; the file-size limit stands for the full disk"
fi
if [ -e /dev/full ]; then
  "$octavo" parse in/lines.pdf -o - >/dev/full 2>stderr
  code=$?
  check "a full disk behind stdout is noticed" is "$code" 7
  "$octavo" parse in/lines.pdf -o events --json >/dev/full 2>stderr
  code=$?
  check "a full disk behind the events is noticed" is "$code" 7
  mkdir scored
  cp in/lines.pdf good/lines.md scored/
  full_stdout() { # full_stdout ARGUMENTS...
    "$octavo" "$@" >/dev/full 2>stderr
    code=$?
    check "a full disk behind $1 is noticed" is "$code" 7
    check "a full disk behind $1 is told" has stderr "stdout cannot be written"
  }
  full_stdout --help
  full_stdout --version
  full_stdout inspect "$OCTAVO_MODEL"
  full_stdout inspect "$OCTAVO_MODEL" --json
  full_stdout ask "$source_dir/tests/data/cli/line.png" "Text Recognition:"
  full_stdout eval scored
fi

# A folder of results that cannot be: the run ends, and says so to people and programs.
run parse in/lines.pdf in/receipt.png -o file/out --json
check "a broken output folder has its code" is "$code" 7
check "a broken output folder is told once" is "$(grep -c '^octavo: ' stderr)" 1
check "a broken output folder is an event" grep -q '"event":"failed","input":"in/lines.pdf"' stdout
check "a broken output folder ends with the sum" grep -q \
  '"event":"end","documents":2,"documents_failed":1,.*"documents_unfinished":1' stdout
check "a broken output folder ends with the closing line" has stderr "1 failed, 1 not finished"

# Names: the longest that there are, one that is too long for its results, no UTF-8.
mkdir long
part=$(printf 'n%.0s' $(seq 23))
longest=$part$part$part$part$part$part$part$part$part$part # 230 bytes
cp in/receipt.png "long/$longest.png"
cp in/receipt.png "long/${longest}nnnnnnnnnnnnnnnnn.png"
cp in/receipt.png long/z.png
run parse long -o long_out --json
check "a name too long for its results has its code" is "$code" 2
check "a name too long for its results is told" has stderr "the name is too long"
check "a long name has its results" cmp -s good/receipt.md "long_out/$longest.md"
check "the input behind a long name is done" cmp -s good/receipt.md long_out/z.md
mkdir taken taken/receipt.md
run parse in -o taken --force
check "a folder where a result is to be has its code" is "$code" 2
check "the input behind it is done" cmp -s good/lines.md taken/lines.md
mkdir $'u\xff' $'u\xfe'
cp in/receipt.png $'u\xff/doc.png'
cp in/lines.pdf $'u\xfe/doc.png'
run parse $'u\xff/doc.png' -o bytes --json
check "a name that is no UTF-8 is read" is "$code" 0
check "a name that is no UTF-8 is spelt out" has stdout '"input":"u\\xFF/doc.png"'
run parse $'u\xfe/doc.png' -o bytes
check "another name that is no UTF-8 is another input" is "$code" 2
check "the result of the first stays" cmp -s good/receipt.md bytes/doc.md
run parse $'u\xff/doc.png' -o bytes
check "the first is known again" has stderr unchanged

# A picture that is cut while it is read: read as it was or reported, never the end of the program.
for delay in 0 0.02 0.05; do
  cp in/receipt.png shrinks.png
  (sleep "$delay" && truncate -s 100 shrinks.png) &
  run parse shrinks.png in/lines.pdf -o "shrinks$delay"
  wait
  check "a picture that is cut meanwhile does not end the program" done_or_refused
  check "the input behind it is done" cmp -s good/lines.md "shrinks$delay/lines.md"
done

# Programs that are not there.
PATH=$work/none "$octavo" parse in/lines.pdf in/receipt.png -o bare >stdout 2>stderr
code=$?
check "a PDF without poppler has its code" is "$code" 3
check "what to install is named" has stderr "in/lines.pdf: program 'pdfinfo' is not installed: install poppler-utils"
check "pictures are read without poppler" cmp -s good/receipt.md bare/receipt.md

# A model file, which is mapped, that is cut while pages are read: one line and a code, no signal.
run convert "$OCTAVO_MODEL" -o cut.octavo
mkdir many
for i in 1 2 3 4 5 6 7 8; do cp in/receipt.png "many/$i.png"; done
"$octavo" parse many -o many_out --model cut.octavo >stdout 2>stderr </dev/null &
pid=$!
for _ in $(seq 3000); do
  grep -q ' -> ' stderr || ! kill -0 "$pid" 2>/dev/null && break
  sleep 0.01
done
truncate -s 4096 cut.octavo
wait "$pid"
code=$?
# 4: noticed between two inputs, when what the model was trained for is looked up.
check "a model that is cut meanwhile has its code" [ "$code" = 7 -o "$code" = 4 ]
check "a model that is cut meanwhile is told in a line" is "$(grep -c '^octavo: ' stderr)" 1
check "a model that is cut meanwhile leaves the results before" [ -e many_out/1.md ]

# Closed standard streams, as daemons start programs: no line lands in a file.
head -c $(($(wc -c <in/lines.pdf) / 2)) in/lines.pdf >half.pdf
for stream in 1 2; do
  rm -rf closed
  if [ "$stream" = 1 ]; then
    "$octavo" parse half.pdf -o closed --json 2>stderr >&-
  else
    "$octavo" parse half.pdf -o closed >stdout 2>&-
  fi
  code=$?
  check "a closed stream $stream leaves the journal clean" is \
    "$(grep -vc '"input":\|"page":\|"written":' closed/.octavo/half.jsonl)" 0
done
check "a closed stderr leaves the code of the damaged pages" is "$code" 4
"$octavo" parse in/lines.pdf -o - 2>stderr >&-
code=$?
check "results to a closed stdout are an error" is "$code" 7
"$octavo" parse "$source_dir/tests/data/pdf/aes_256.pdf" -o - --password secret >stdout 2>stderr <&-
code=$?
check "a decrypted PDF is read while stdin is closed" is "$code" 0

# Models: missing, of another kind, damaged.
run parse in/lines.pdf -o no_model --model absent
check "a missing model is not found" is "$code" 3
run parse in/lines.pdf in/receipt.png -o no_model --model in --json
check "a folder without a model is refused" refused
check "it is told once" is "$(grep -c '^octavo: ' stderr)" 1
check "a folder without a model ends the run with events" grep -q \
  '"event":"end","documents":2,"documents_failed":1,.*"documents_unfinished":1' stdout
for part in config.json tokenizer.json octavo.json model.safetensors; do
  rm -rf model && mkdir model
  ln -s "$OCTAVO_MODEL"/* model/
  [ -e "model/$part" ] || { skip "octavo-nano has no $part" && continue; }
  rm "model/$part"
  head -c 100 "$OCTAVO_MODEL/$part" >"model/$part"
  run parse in/lines.pdf in/receipt.png -o no_model --model model
  check "a cut $part is damaged data" is "$code" 4
  check "a cut $part is told once" is "$(grep -c '^octavo: ' stderr)" 1
  check "a cut $part gives no result" absent no_model/lines.md
done
rm -rf model && mkdir model
ln -s "$OCTAVO_MODEL"/* model/
rm model/config.json
echo '{"model_type": "llama", "hidden_size": 64}' >model/config.json
run parse in/lines.pdf -o no_model --model model
check "a model of another family is refused" refused
check "a model of another family is told in one line" is "$(grep -c '^octavo: ' stderr)" 1

finish
