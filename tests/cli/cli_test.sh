#!/usr/bin/env bash
# The program as its users meet it: flags, stdout against stderr, files, exit codes.
#
#   cli_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail

# shellcheck source=tests/cli/checks.sh
source "$(dirname "$0")/checks.sh"
mkdir in
cp "$source_dir/samples/receipt.png" in/receipt.png
cp "$source_dir/samples/report.pdf" in/report.pdf

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
for flag in --output --memory-limit --password-file --pages --password --dpi --layout --compute --attention --threads --force --timings --json; do
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
  check "in one line: $wrong" one_line stderr
done
run parse --no-such-flag=1
check "a flag that no one knows is named, whatever else is missing" has stderr "no flag --no-such-flag=1; octavo parse --help"
run --no-such-flag
check "and before any command" has stderr "no flag --no-such-flag; octavo --help"

run foo
check "an unknown command is refused" is "$code" 2
check "an unknown command is named" has stderr "no command 'foo'"

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

# Two runs at once: one of them has the name, the other says so.
"$octavo" parse in/receipt.png -o at_once >/dev/null 2>stderr.1 &
pid=$!
"$octavo" parse other/receipt.png -o at_once >stdout 2>stderr
codes=$?
wait "$pid"
codes="$codes $?"
code=$codes
check "of two runs at once one is refused" [ "$codes" = "0 2" -o "$codes" = "2 0" ]
check "of two runs at once one tells of a result" is \
  "$(cat stderr stderr.1 | grep -c -- '-> at_once/receipt.md')" 1
check "the other one names what is in the way" is \
  "$(cat stderr stderr.1 | grep -c '^octavo: invalid argument: at_once/receipt.md')" 1
case $codes in
  "2 0") check "the result is the first's" cmp -s first.md at_once/receipt.md ;;
  *) check "the result is the other's" has at_once/.octavo/receipt.jsonl other/receipt.png ;;
esac
check "no lock stays" is "$(find at_once -name '*.lock' | wc -l)" 0

# A blank page is done, too.
{ printf 'P6 200 200 255\n' && head -c 120000 /dev/zero | tr '\0' '\377'; } >blank.ppm
run parse blank.ppm -o blank
check "a blank page is read" is "$code" 0
check "a blank page gives an empty Markdown file" [ -e blank/blank.md -a ! -s blank/blank.md ]
run parse blank.ppm -o blank
check "a blank page is not read again" has stderr "unchanged"

# Pages: those that there are; the example of the help, with documents of one page.
run parse in/ in/report.pdf --pages 1-3 -o some_pages --json
check "--pages takes the pages that there are" is "$code" 0
check "--pages says what is left out" has stderr "report.pdf: has 1 page; the others of --pages 1-3"
check "the result is that of the page" cmp -s first.md some_pages/receipt.md
run parse in/receipt.png in/report.pdf --pages 2 -o no_pages
check "a document without the pages fails" is "$code" 2
check "a document without the pages says what it has" has stderr "report.pdf: found 1 page, none of"
for wrong in "3-1 runs backwards" "0 page 0" "x expected page numbers"; do
  read -r pages why <<<"$wrong"
  run parse in/receipt.png in/report.pdf --pages "$pages" -o no_pages
  check "--pages $pages is refused" is "$code" 2
  check "--pages $pages is refused once" one_line stderr
  check "--pages $pages: why" has stderr "$why"
done

# A password through a pipe of the shell.
run parse "$source_dir/tests/data/pdf/aes_256.pdf" -o - --password-file <(echo secret)
check "a password comes through a pipe" is "$code" 0

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
check "--timings tells the stages" grep -qE \
  'seconds by stage.*render [0-9.]+, layout.*encode 0*[1-9.][0-9.]*, prefill.*decode' stderr
check "--format md writes only Markdown" absent timed/receipt_model.json
run parse in/receipt.png -o formats --format middle,content_list_v2
check "--format middle writes middle.json" has formats/receipt_middle.json pdf_info
check "--format content_list_v2 writes it" [ -s formats/receipt_content_list_v2.json ]
check "--format leaves out what was not named" absent formats/receipt.md

# Standard input: a picture or a PDF, by content; the same inputs in files give the same results.
"$octavo" parse - -o - <in/receipt.png >stdout 2>stderr
code=$?
check "a picture from stdin is read" cmp -s first.md stdout
"$octavo" parse - in/receipt.png -o piped <in/report.pdf >stdout 2>stderr
code=$?
check "a PDF from stdin is read" cmp -s out/report.md piped/stdin.md
check "a file beside stdin is read" cmp -s first.md piped/receipt.md
"$octavo" parse - -o piped <in/report.pdf >stdout 2>stderr
code=$?
check "the same stdin is not read again" has stderr unchanged
"$octavo" parse - -o piped <in/receipt.png >stdout 2>stderr
code=$?
check "another stdin never replaces a result" is "$code" 2
check "the result stays" cmp -s out/report.md piped/stdin.md
run parse - -o -
check "an empty stdin is damaged data" is "$code" 4
check "an empty stdin is named" has stderr "standard input: empty_file"

# Questions.
if grep -q '"layout"' "$OCTAVO_MODEL/octavo.json"; then
  skip "octavo-nano knows layout: nothing to refuse with --layout model"
else
  run parse in/receipt.png -o by_model --layout model
  check "--layout model with a model that does not know layout is refused" is "$code" 5
  check "models that know layout are named" has stderr "octavo pull"
fi
run parse in/receipt.png -o analysed --image-analysis
check "--image-analysis with a model that was not trained for it is refused" is "$code" 5
run ask in/receipt.png "What is this?"
check "a free question to octavo-nano is refused" is "$code" 5
check "octavo pull is named" has stderr "octavo pull"
run ask "$source_dir/tests/data/cli/line.png" "Text Recognition:"
check "a task's prompt is answered" is "$code" 0
check "a line is read" is "$(cat stdout)" "Yours sincerely,"
check "nothing is said of a line" empty stderr
run ask in/receipt.png "Text Recognition:" --max-tokens 8
check "a page is answered" is "$code" 0
check "a page to a model of lines is told" has stderr "octavo parse reads pages"
check "a page to a model of lines is told in a line" is "$(grep -c 'receipt.png' stderr)" 1
run ask "Text Recognition:" in/receipt.png
check "a question before the picture is refused" is "$code" 2
check "it is said what comes last" has stderr "the question comes last"
run ask in/receipt.png
check "a picture without a question is refused" is "$code" 2
check "a picture without a question is named" has stderr "in/receipt.png"
# Question after question, from standard input; the second finds the picture in the cache.
"$octavo" chat "$source_dir/tests/data/cli/line.png" >stdout 2>stderr <<<$'Text Recognition:\n\nText Recognition:'
code=$?
check "a chat ends with its input" is "$code" 0
check "its first question is answered" is "$(head -n 1 stdout)" "Yours sincerely,"
check "each answer has its line" is "$(wc -l <stdout)" 2
check "nothing is said of it" empty stderr
"$octavo" chat "$source_dir/tests/data/cli/line.png" >stdout 2>stderr <<<$'What is this?\nText Recognition:'
code=$?
check "a question that was not trained for is refused" is "$code" 5
check "and said to be" has stderr "octavo pull"
check "the next one is answered" is "$(cat stdout)" "Yours sincerely,"
"$octavo" chat in/absent.png >stdout 2>stderr </dev/null
check "a chat about a picture that is not there ends" is "$?" 3
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

finish
