#!/usr/bin/env bash
# Doing less work: --quality and its switches, the gate of octavo eval and what parse makes of it.
#
#   savings_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail
source "${BASH_SOURCE[0]%/*}/checks.sh"

export XDG_STATE_HOME=$work/state
cp -r "$OCTAVO_MODEL" model
export OCTAVO_MODEL=$work/model
page=$source_dir/samples/notice.png

# Wrong values: refused before anything is read, in one line.
for wrong in "--quality fastest" "--quality" "--layout-side 279" "--layout-side 1037" "--layout-side x" \
  "--line-height -1" "--line-height 201" "--line-height 5" "--prune-blank=maybe"; do
  # shellcheck disable=SC2086
  run parse "$page" -o wrong $wrong
  check "parse $wrong is refused" is "$code" 2
  check "parse $wrong writes nothing" absent wrong
done
mkdir truth
for name in notice letter article recipe receipt; do
  cp "$source_dir"/samples/$name.{png,md} truth
done
for wrong in "--gate best" "--gate" "--gate fast --quality fast" "--gate fast --prune-blank" \
  "--gate fast --layout auto,whitespace" "--gate fast --compute f32,bf16" \
  "--gate fast --layout whitespace" "--gate fast --max-pixels 100000" "--gate fast --dpi 100" \
  "--line-height 5" \
  "--gate fast --model $work/model --model $source_dir/models/octavo-nano"; do
  # shellcheck disable=SC2086
  run eval truth $wrong
  check "eval $wrong is refused" is "$code" 2
  check "eval $wrong prints nothing" empty stdout
done
check "no record was written" absent model/octavo-gate.json

# Off by default: the same bytes as best. Each quality reads.
run parse "$page" -o -
cp stdout plain
check "parse reads the page" [ "$code" = 0 -a -s plain ]
check "nothing is said of savings" lacks stderr quality
for quality in best balanced fast; do
  run parse "$page" -o - --quality $quality
  check "--quality $quality reads" [ "$code" = 0 -a -s stdout ]
  [ $quality = best ] && check "best is the default" cmp -s stdout plain
done
run parse "$page" -o - --quality fast --no-prune-blank --layout-side 1036 --line-height 0
check "single switches win over the word" cmp -s stdout plain
run parse "$page" -o - --prune-blank
check "--prune-blank reads" [ "$code" = 0 -a -s stdout ]
run parse "$page" -o kept
run parse "$page" -o kept --quality fast
check "other savings read again what another run wrote" lacks stderr "unchanged since"

# Figures say which savings they are of.
mkdir one
cp truth/notice.* one
run eval one --json --no-timing --quality fast
check "eval takes a quality" [ "$code" = 0 ]
check "eval names the savings" has stdout '"savings":"prune-blank, layout-side 728, line-height 28"'

# The gate: two lines, a record beside the model, of which parse tells.
run eval one --json --no-timing --gate fast
check "a gate of one page is judged" is "$code" 0
check "it is not passed" has stderr "gate fast: not passed"
check "few pages are named" has stderr "1 pages, expected at least 5"
run parse "$page" -o -
check "what has not passed is not used" cmp -s stdout plain
run eval truth --json --no-timing --gate balanced
check "a gate of five pages is judged" is "$code" 0
check "both results are printed" [ "$(wc -l <stdout)" = 2 ]
check "the first saves nothing" has <(head -1 stdout) '"savings":"nothing"'
check "the second does" has <(tail -1 stdout) '"savings":"prune-blank"'
check "the record lies beside the model" [ -s model/octavo-gate.json ]
if grep -q "gate balanced: passed" stderr; then
  run parse "$page" -o -
  check "parse uses what has passed" [ "$code" = 0 -a -s stdout ]
  check "and tells" has stderr "quality balanced (prune-blank)"
  run parse "$page" -o - --quality best
  check "--quality best does not" cmp -s stdout plain
else
  check "it says why not" has stderr "gate balanced: "
fi

# A record that passes by hand, damaged, of other files, and where the model cannot be written.
sed 's/"passed": false/"passed": true/' model/octavo-gate.json >passed.json
cp passed.json model/octavo-gate.json
run parse "$page" -o -
check "parse tells of the quality" has stderr "has passed its gate"
for damage in "" "{" "[]" "null" '{"format":"octavo-gate","version":2}'; do
  printf '%s' "$damage" >model/octavo-gate.json
  run parse "$page" -o -
  check "a damaged record ($damage) stops nothing" cmp -s stdout plain
  check "a damaged record ($damage) is told of" has stderr "record of the gate not used"
done
head -c 100000 /dev/zero >model/octavo-gate.json
run parse "$page" -o -
check "a record that is too large stops nothing" cmp -s stdout plain
rm model/octavo-gate.json
mkdir model/octavo-gate.json
run parse "$page" -o -
check "a folder in its place stops nothing" cmp -s stdout plain
run eval one --json --no-timing --gate fast
check "then the user's folder is taken" [ "$code" = 0 -a "$(ls state/octavo/gates | wc -l)" = 1 ]
rmdir model/octavo-gate.json
rm -r state
cp passed.json model/octavo-gate.json
echo "{}" >model/more.json
run parse "$page" -o -
check "a record of other files is not used" cmp -s stdout plain
check "which is told" has stderr "other model files"
rm model/more.json
if can_be_unprivileged && [ "$(id -u)" = 0 ]; then
  mkdir -m 777 state
  chmod -R a+rX truth one model
  rm model/octavo-gate.json
  run_unprivileged eval one --json --no-timing --gate fast
  check "who may not write the model's folder records in his own" \
    [ "$code" = 0 -a "$(ls state/octavo/gates | wc -l)" = 1 ]
else
  skip "a model folder of somebody else: needs root and a program that others can reach"
fi

finish
