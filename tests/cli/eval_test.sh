#!/usr/bin/env bash
# octavo eval: figures on stdout, talk on stderr, equal bytes, what is missing or cannot be read.
#
#   eval_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail
source "${BASH_SOURCE[0]%/*}/checks.sh"

pages=$source_dir/tests/data/eval/pages
mkdir truth
cp "$source_dir"/samples/receipt.{png,md} "$pages"/sections-1.{png,md,layout.json} truth
figure() { # figure NAME: of the whole run, from the JSON line
  sed -n "s/^[^[]*\"$1\":\([^,]*\),.*/\1/p" stdout | head -1
}
is_share_below() { awk -v most="$1" -v share="$2" 'BEGIN { exit !(share != "" && share >= 0 && share < most) }'; }

# One setting: a table for people, a line for programs.
run eval truth --no-timing
check "eval succeeds" is "$code" 0
check "the table has a row for each page" [ "$(grep -c '^receipt \|^sections-1 ' stdout)" = 2 ]
check "the table ends with all pages" grep -q '^all, 2 pages ' stdout
check "the pages are told on stderr" has stderr "sections-1"
run eval truth --json
check "eval --json succeeds" is "$code" 0
check "eval --json writes one line" one_line stdout
for key in character_error teds formula_match layout_f1 seconds_per_page model compute attention kv_cache_dtype layout digest documents; do
  check "the line has $key" has stdout "\"$key\":"
done
check "two pages were read" is "$(figure pages)" 2
check "none failed" is "$(figure failed)" 0
check "the character error is small" is_share_below 0.05 "$(figure character_error)"
check "no truth has tables" is "$(figure teds)" null
check "no truth has formulas" is "$(figure formula_match)" null
check "the layout of one page is scored" grep -q '"layout_f1":\(1.0\|0\.[5-9]\)' stdout
check "time is told" grep -q '"seconds_per_page":[0-9]' stdout

# Equal results, equal bytes: twice, and with one thread and two.
run eval truth --json --no-timing --threads 1
cp stdout first
check "--no-timing tells no time" lacks stdout '"seconds_per_page":0'
run eval truth --json --no-timing --threads 1
check "two runs give the same bytes" cmp -s stdout first
run eval truth --json --no-timing --threads 2
check "two threads give the same bytes" cmp -s stdout first
rm truth/receipt.md
cp truth/sections-1.md truth/receipt.md
run eval truth --json --no-timing --threads 2
check "another truth gives other bytes" [ "$code" = 0 -a "$(cmp stdout first 2>&1 | wc -l)" = 1 ]
check "what was read is the same" is "$(grep -o '"digest":"[0-9a-f]*"' stdout)" \
  "$(grep -o '"digest":"[0-9a-f]*"' first)"

# Settings side by side.
cp "$source_dir/samples/receipt.md" truth/receipt.md
run eval truth --no-timing --layout auto,whitespace --compute f32,bf16
check "four settings succeed" is "$code" 0
check "each has a column" grep -Eq '^all documents +f32 f32 auto +f32 f32 whitespace +bf16 (f32|int16) auto +bf16 (f32|int16) whitespace$' stdout
check "each page has a row" [ "$(grep -c '^receipt \|^sections-1 ' stdout)" = 2 ]
cp -r "$OCTAVO_MODEL" other-model
run eval truth --json --no-timing --model other-model --model "$OCTAVO_MODEL"
check "two models succeed" is "$code" 0
check "each has a line" [ "$(grep -c '^{"model":"other-model"\|^{"model":"octavo-nano"' stdout)" = 2 ]

# The figures of the model card are those of the weights beside it. Kernel tables differ in the last bits, so a
# character here and there may differ.
run eval "$pages" --json --no-timing
check "the held-out pages are read" is "$code" 0
check "there are ten" is "$(figure pages)" 10
card=$(sed -n 's/^| `tests\/data\/eval\/pages`[^|]*| *\([0-9.]*\) % | *\([0-9.]*\) |.*| *\([0-9.]*\) |$/\1 \2 \3/p' \
  "$OCTAVO_MODEL/README.md")
check "the model card has figures of them" [ -n "$card" ]
check "the model card's figures are reproduced" awk -v card="$card" \
  -v found="$(figure character_error) $(figure teds) $(figure layout_f1)" 'BEGIN {
    split(card, a, " "); split(found, b, " "); b[1] *= 100
    exit !(near(a[1], b[1], 0.1) && near(a[2], b[2], 0.01) && near(a[3], b[3], 0.02)) }
  function near(x, y, most) { return x != "" && y != "" && x - y <= most && y - x <= most }'

# What has no partner is told, counted and left out.
cp truth/receipt.png truth/lonely.png
echo "words" >truth/lost.md
run eval truth --json
check "missing partners are no failure" is "$code" 0
check "a page without truth is told" has stderr "lonely.png: left out"
check "a truth without page is told" has stderr "lost.md: left out"
check "a page without truth is counted" is "$(figure without_truth)" 1
check "a truth without page is counted" is "$(figure truth_without_page)" 1
check "only pairs are scored" is "$(figure pages)" 2
rm truth/lonely.png truth/lost.md

# A page that cannot be read is wrong in all its characters, and the others are scored.
head -c 2000 truth/receipt.png >truth/cut.png
echo "These words are on the page." >truth/cut.md
run eval truth --json
check "a damaged page ends with its code" is "$code" 4
check "it is told in a line" [ "$(grep -c 'cut.png' stderr)" = 1 ]
check "it counts as failed" is "$(figure failed)" 1
check "all its characters are wrong" grep -q '"name":"cut","pages":1,"failed":1,"character_error":1.0' stdout
check "the others are scored" is "$(figure pages)" 3
run eval truth
check "the table marks it" grep -q '^cut (failed) ' stdout
rm truth/cut.*

# A truth that cannot be read leaves its page out.
printf 'caf\xe9\n' >truth/receipt.md
run eval truth --json
check "a truth that is no UTF-8 ends with its code" is "$code" 4
check "it is named" has stderr "receipt.md: not UTF-8"
check "it is counted" is "$(figure truth_unreadable)" 1
cp "$source_dir/samples/receipt.md" truth/receipt.md
echo '[[], []]' >truth/receipt.layout.json
run eval truth --json
check "boxes of another number of pages end with a code" is "$code" 4
check "the numbers are told" has stderr "found blocks of 2 pages, expected 1"
echo '{"type": "text"}' >truth/receipt.layout.json
run eval truth --json
check "boxes in another form end with a code" is "$code" 4
check "the form is told" has stderr "receipt.layout.json: expected a list of blocks"

# Wrong wishes.
mkdir bare
cp truth/receipt.png bare
for wrong in "eval bare 3" "eval absent 3" "eval 2" "eval truth --layout sideways 2" "eval truth --compute int1 2" "eval truth --attention int8 2" \
  "eval truth --model absent 3"; do
  # shellcheck disable=SC2086
  run ${wrong% *}
  check "code of ${wrong% *}" is "$code" "${wrong##* }"
  check "says nothing on stdout: ${wrong% *}" empty stdout
done
if [ -e /dev/full ]; then
  "$octavo" eval bare/../truth --model "$OCTAVO_MODEL" >/dev/full 2>stderr
  code=$?
  check "a full disk behind stdout is noticed" is "$code" 7
fi

finish
