#!/usr/bin/env bash
# The program as its users meet it: flags, stdout against stderr, files, exit codes.
#
#   cli_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail

octavo=$1
source_dir=$2
export OCTAVO_MODEL=$source_dir/models/octavo-nano
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir in
cp "$source_dir/samples/receipt.png" in/receipt.png
cp "$source_dir/samples/report.pdf" in/report.pdf

passed=0
failed=0
check() { # check NAME CONDITION...
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name (exit code $code)"
    sed 's/^/  stdout: /' stdout | head -5
    sed 's/^/  stderr: /' stderr | head -5
  fi
}
run() { # run ARGUMENTS...: sets code, stdout, stderr
  "$octavo" "$@" >stdout 2>stderr </dev/null
  code=$?
}
is() { [ "$1" = "$2" ]; }
has() { grep -qF -- "$2" "$1"; }
empty() { [ ! -s "$1" ]; }
one_line() { [ "$(wc -l <"$1")" = 1 ]; }
absent() { [ ! -e "$1" ]; }

# Help teaches; wrong wishes are refused on stderr with code 2.
run --help
check "--help succeeds" is "$code" 0
check "--help goes to stdout" empty stderr
for word in parse ask inspect bench "Exit codes" "octavo parse report.pdf -o out"; do
  check "--help names $word" has stdout "$word"
done
run --version
check "--version names a version" grep -q '^octavo [0-9]' stdout
run parse --help
for flag in --output --pages --password --dpi --layout --compute --threads --force --timings --json; do
  check "parse --help names $flag" has stdout "$flag"
done
for wrong in "nonsense" "parse" "parse in/receipt.png" "parse in/receipt.png -o out --dpi 1" \
  "parse in/receipt.png -o out --layout sideways" "parse in/receipt.png -o out --no-such-flag" \
  "parse in/receipt.png -o - --json"; do
  # shellcheck disable=SC2086
  run $wrong
  check "refuses: $wrong" is "$code" 2
  check "says nothing on stdout: $wrong" empty stdout
  check "says why on stderr: $wrong" [ -s stderr ]
done

# A folder to files; stdout stays empty; nothing but results and the journal's folder.
run parse in -o out
check "parse succeeds" is "$code" 0
check "parse says nothing on stdout" empty stdout
check "parse tells about pages" has stderr "report.pdf: page 1 (1 of 1)"
for file in receipt.md receipt_content_list.json receipt_model.json report.md; do
  check "parse writes $file" [ -s "out/$file" ]
done
check "no temporary file stays" is "$(find out -name '*.tmp*' -o -name '*.part' | wc -l)" 0
check "the JSON says who found the layout" has out/receipt_model.json '"layout": "whitespace"'

# The same run again repeats nothing; --force does; another input never replaces a result.
cp out/receipt.md first.md
run parse in -o out
check "the same run succeeds" is "$code" 0
check "the same run repeats nothing" has stderr "unchanged"
run parse in/receipt.png -o out --force
check "--force reads again" has stderr "page 1 (1 of 1)"
check "two runs give the same bytes" cmp -s first.md out/receipt.md
mkdir other
cp "$source_dir/samples/letter.png" other/receipt.png
run parse other/receipt.png -o out
check "another input is refused" is "$code" 2
check "another input says what to do" has stderr "--force"
check "another input changes nothing" cmp -s first.md out/receipt.md
run parse in/receipt.png other/receipt.png -o both
check "two inputs of one name succeed" is "$code" 0
check "two inputs of one name have two results" [ -s both/receipt.md -a -s both/receipt-2.md ]
echo "mine" >mine.md
mkdir foreign
cp mine.md foreign/receipt.md
run parse in/receipt.png -o foreign
check "a file of the user is refused" is "$code" 2
check "a file of the user stays" cmp -s mine.md foreign/receipt.md

# Markdown to stdout.
run parse in/receipt.png -o -
check "-o - succeeds" is "$code" 0
check "-o - writes the Markdown to stdout" cmp -s first.md stdout
check "-o - writes no file" absent ./-
run parse in/receipt.png -o threads --threads 1
check "one thread gives the same bytes" cmp -s first.md threads/receipt.md
run parse in/receipt.png -o events --json
check "--json writes events to stdout" grep -q '^{"event":"page"' stdout
check "--json ends with a sum" grep -q '^{"event":"end"' stdout
run parse in/receipt.png -o timed --timings --format md
check "--timings tells the stages" has stderr "seconds by stage"
check "--format md writes only Markdown" absent timed/receipt_model.json

# Bad input: one clear line, a code, and the rest of the batch is done.
: >in/empty.pdf
echo '<!DOCTYPE html><p>page' >in/page.pdf
head -c 2000 in/receipt.png >in/cut.png
head -c 20000 in/report.pdf >in/half.pdf
run parse in -o mixed
check "a batch with bad inputs fails" [ "$code" != 0 ]
check "the good inputs are done" [ -s mixed/receipt.md -a -s mixed/report.md ]
for name in empty page cut; do
  check "nothing is written for $name" absent "mixed/$name.md"
  check "the talk names $name" has stderr "/$name."
done
check "HTML is named" has stderr "found HTML"
for bad in "in/empty.pdf 4" "in/page.pdf 5" "in/cut.png 4" "in/absent.pdf 3"; do
  run parse "${bad% *}" -o single
  check "code of ${bad% *}" is "$code" "${bad#* }"
done
run parse "$source_dir/tests/data/pdf/encrypted.pdf" -o secret
check "a PDF without its password is refused" is "$code" 2
check "the password flag is named" has stderr "--password"
run parse "$source_dir/tests/data/pdf/encrypted.pdf" -o secret --password secret
check "the right password opens the PDF" is "$code" 0
run parse in/report.pdf -o range --pages 2
check "a page that is not there is refused" is "$code" 2
run parse in/receipt.png -o out3 --model "$work/in"
check "a folder without model is refused" [ "$code" != 0 ]
check "it is refused in one line" one_line stderr
if [ "$(id -u)" != 0 ]; then
  mkdir locked && chmod a-w locked
  run parse in/receipt.png -o locked/out
  check "an unwritable folder is an error of reading or writing" is "$code" 7
fi
if [ -e /dev/full ]; then
  "$octavo" parse in/receipt.png -o - >/dev/full 2>stderr
  code=$?
  check "a full disk behind stdout is noticed" is "$code" 7
fi

# Questions.
run ask in/receipt.png "What is this?"
check "a free question to octavo-nano is refused" is "$code" 5
check "octavo pull is named" has stderr "octavo pull"
run ask in/receipt.png "Text Recognition:" --max-tokens 8
check "a task's prompt is answered" is "$code" 0
check "the answer is on stdout" [ -s stdout ]
run ask in/absent.png "Text Recognition:"
check "a missing picture is not found" is "$code" 3

# Interrupted: the finished pages are kept, the same command goes on.
"$octavo" parse in/report.pdf -o stopped 2>stderr >stdout &
pid=$!
sleep 0.05
kill -INT "$pid" 2>/dev/null
wait "$pid"
code=$?
check "SIGINT ends with 130, or the run was done" [ "$code" = 130 -o "$code" = 0 ]
run parse in/report.pdf -o stopped
check "the same command goes on" is "$code" 0
check "the result is whole" cmp -s out/report.md stopped/report.md

run inspect "$OCTAVO_MODEL"
check "inspect succeeds" is "$code" 0
check "inspect names the family" grep -qi 'qwen2' stdout

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
