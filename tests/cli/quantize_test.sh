#!/usr/bin/env bash
# convert and quantize as their users meet them, and the files they write under every command.
#
#   quantize_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail

# shellcheck source=tests/cli/checks.sh
source "$(dirname "$0")/checks.sh"
nano=$OCTAVO_MODEL
page=$source_dir/samples/receipt.png
compute() { sed -n 's/^memory plan *compute \([a-z0-9]*\),.*/\1/p' stdout; }

# One file that says the same as the folder it was made of.
run convert "$nano" -o nano.octavo
check "convert succeeds" is "$code" 0
check "convert says what it wrote" has stdout "nano.octavo"
run inspect nano.octavo
check "inspect finds the file whole" is "$code" 0
check "inspect names the container" has stdout "octavo version 0"
check "a kept bf16 model runs in bf16" is "$(compute)" bf16
run parse "$page" -o folder
check "the folder reads a page" is "$code" 0
run parse "$page" -o file --model nano.octavo
check "the file reads a page" is "$code" 0
check "both read the same" cmp -s folder/receipt.md file/receipt.md
run ask "$page" "Text Recognition:" --model nano.octavo --max-tokens 4
check "ask takes the file" is "$code" 0
run convert nano.octavo -o again.octavo
check "a file converts" is "$code" 0
check "to the same bytes" cmp -s nano.octavo again.octavo
run convert "$nano" -o f32.octavo --weights f32
check "matrices are widened on wish" is "$code" 0
run inspect f32.octavo
check "a widened model runs in f32" is "$(compute)" f32

# Smaller, with a report, the same for any number of threads.
run quantize --model "$nano" --w_bit 4 --q_group_size 128 --output small --report report.json
check "quantize succeeds" is "$code" 0
check "quantize writes into the folder" [ -s small/model.octavo ]
check "quantize tells the error of each part" has stdout "rounding error"
check "quantize names its pages" has stdout "letter.png article.png recipe.png (built in)"
check "quantize tells what the search gained" has stdout "error at the outputs of 4-bit layers"
check "quantize names what it keeps" has stdout "kept as it is: visual.patch_embed.proj.weight"
check "the file is smaller" [ "$(stat -c %s small/model.octavo)" -lt "$(stat -c %s nano.octavo)" ]
check "the report has errors of tensors" has report.json '"relative_error"'
check "quantize compares with the source" has stdout "token agreement"
if python3 -c 'import json' 2>/dev/null; then # python3-minimal lacks it
  check "the report is JSON" python3 -c 'import json; json.load(open("report.json"))'
  check "the report has the comparison" python3 -c '
import json
quality = json.load(open("report.json"))["quality"]
assert quality["token_agreement"] > 0.9 and quality["tokens"] > 100, quality
assert quality["character_distance"] < 0.1 and len(quality["stages"]) > 8, quality'
  check "errors at outputs are below those of rounding to nearest" python3 -c '
import json
tensors = [t for t in json.load(open("report.json"))["tensors"] if "output_error" in t]
assert tensors and all(t["output_error"] <= t["output_error_rtn"] * 1.02 for t in tensors)'
else
  skip "no python3 with json to read the report with"
fi
run quantize --model "$nano" -o one.octavo --threads 1 --no-quality
check "one thread writes the same bytes" cmp -s one.octavo small/model.octavo
run quantize --model "$nano" -o rtn.octavo --method rtn --no-quality
check "rounding to nearest succeeds" is "$code" 0
check "to another model" [ "$(cksum <rtn.octavo)" != "$(cksum <one.octavo)" ]
run quantize --model "$nano" -o gptq.octavo --method gptq --report gptq.json
check "GPTQ succeeds" is "$code" 0
check "GPTQ tells what it gained" has stdout "error at the outputs of 4-bit layers"
check "GPTQ makes another model" [ "$(cksum <gptq.octavo)" != "$(cksum <rtn.octavo)" ]
check "of the same size" is "$(stat -c %s gptq.octavo)" "$(stat -c %s rtn.octavo)"
run quantize --model "$nano" -o gptq1.octavo --method gptq --threads 1 --no-quality
check "GPTQ with one thread writes the same bytes" cmp -s gptq.octavo gptq1.octavo
if python3 -c 'import json' 2>/dev/null; then
  check "GPTQ's errors at outputs are below those of rounding to nearest" python3 -c '
import json
report = json.load(open("gptq.json"))
tensors = [t for t in report["tensors"] if "output_error" in t]
gained = sum(t["output_error"] < 0.95 * t["output_error_rtn"] for t in tensors)
assert len(tensors) > 20 and gained > len(tensors) / 2, (gained, len(tensors))
assert all(t["relative_error"] > 0 for t in tensors)
assert report["method"] == "gptq" and report["quality"]["token_agreement"] > 0.9, report["quality"]'
fi
run quantize --model "$nano" -o own.octavo --no-quality \
  --calibration "$page" "$source_dir/samples/report.pdf"
check "calibration pages of one's own are taken" is "$code" 0
check "and named" has stdout "report.pdf"
run inspect small
check "inspect finds the quantised model whole" is "$code" 0
check "inspect shows the groups" has stdout "W4 g128"
check "a quantised model runs in int8" is "$(compute)" int8
for arithmetic in int8 int16 f32 bf16; do
  run parse "$page" -o "small-$arithmetic" --model small --compute "$arithmetic" --layout whitespace
  check "the quantised model reads with $arithmetic" is "$code" 0
  check "and writes text with $arithmetic" [ -s "small-$arithmetic/receipt.md" ]
done
run bench --model small/model.octavo --image 56x56 --decode-steps 2 --crops 0 --json
check "bench takes the file" is "$code" 0
check "bench says int8" has stdout '"compute":"int8"'
check "bench says what form the weights have" has stdout '"language":"W4 g128"'
run bench --model small/model.octavo --compute int16 --image 56x56 --decode-steps 2 --crops 0 --json
check "bench runs packed weights in int16" is "$code" 0
check "bench says int16" has stdout '"compute":"int16"'
run bench --model "$nano" --weights w4 --image 56x56 --decode-steps 2 --batch 1,3 --crops 2 --csv
check "bench rounds a model in memory" is "$code" 0
check "bench writes CSV only" is "$(head -c 14 stdout)" "version,model,"
check "bench decodes each batch" is "$(grep -c ',decode,' stdout)" 2
check "bench reads crops together" is "$(grep -c ',crops,2,128,' stdout)" 1
check "bench runs rounded weights in int8" has stdout ",int8,"
printf '{"answer": "%s"}\n' "<|box_start|>100 200 300 400" "12" >answers.jsonl
run bench --synthetic tiny --image 56x56 --decode-steps 2 --crops 0 --replay answers.jsonl --json
check "bench replays answers" is "$code" 0
check "bench counts answers and tokens" has stdout '"replay":{"answers":2,"tokens":18,'
check "bench counts steps without drafts" has stdout '"without_drafts":{"steps":18,'
check "bench counts steps with drafts" has stdout '"with_drafts":{"steps":15,'
check "drafts change no choice" has stdout '"differing_choices":0'
echo '{"answer": 5}' >answers.jsonl
run bench --synthetic tiny --image 56x56 --replay answers.jsonl
check "bench refuses what is no answer" is "$code" 4
check "bench says where" has stderr 'answers.jsonl, line 1: "answer" is number, expected a string'
run bench --model "$nano" --vision w4 --image 56x56
check "bench wants --weights beside --vision" is "$code" 2

# A model that is too large is refused before it is loaded, with need and have.
refuses_for_memory() { # refuses_for_memory NAME ARGUMENTS...
  local name=$1
  shift
  run "$@" --memory-limit 20M
  check "--memory-limit refuses: $name" is "$code" 6
  check "--memory-limit says why: $name" has stderr "it may take 20 MB (--memory-limit)"
}
refuses_for_memory bench bench --model "$nano" --image 56x56 --decode-steps 2
refuses_for_memory ask ask "$page" "Text Recognition:"
refuses_for_memory parse parse "$page" -o refused
run ask "$page" "Text Recognition:" --memory-limit 500M --max-tokens 2
check "--memory-limit lets a model in that fits" is "$code" 0

# What is there stays; what cannot be is said in one line.
refuse() { # refuse NAME CODE WORDS ARGUMENTS...
  refused_with "$@"
  check "in one line: $1" one_line stderr
  check "says nothing on stdout: $1" empty stdout
}
before=$(cksum small/model.octavo)
refuse "calibration pages that are not there" 3 "absent.png" \
  quantize --model "$nano" -o x --calibration absent.png
refuse "to overwrite a model" 2 "not overwritten" quantize --model "$nano" -o small
refuse "to overwrite a report" 2 "not overwritten" \
  quantize --model "$nano" -o other --report report.json
refuse "a report in a folder that is not there" 3 "its folder does not exist" \
  quantize --model "$nano" -o unmade --report absent/report.json
refuse "a report that is a folder" 2 "is a folder" quantize --model "$nano" -o unmade --report small
check "before anything is made" absent unmade
refuse "the model's own folder" 2 "own folder" quantize --model "$nano" -o "$nano"
refuse "a file onto itself" 2 "model itself" convert nano.octavo -o nano.octavo --force
run quantize --model "$nano" -o x --method squeezellm
check "methods that are not there are wrong usage" is "$code" 2
check "and the others are named" has stderr "awq,rtn,gptq"
run quantize --model "$nano" -o x --format onnx
check "containers that are not there are wrong usage" is "$code" 2
check "and those that are there are named" has stderr "octavo,awq,gguf"
refuse "a model that is not there" 3 "no such model" quantize --model absent -o x
for arithmetic in int8 int16; do
  run ask "$page" "Text Recognition:" --compute "$arithmetic"
  check "refuses $arithmetic without quantised weights" is "$code" 2
  check "says why: $arithmetic" has stderr "compute $arithmetic needs quantised weights"
done
check "the model is as it was" is "$(cksum small/model.octavo)" "$before"
check "nothing else was made" [ -z "$(ls -A x 2>/dev/null)" ]
run quantize --model "$nano" -o small --force --head w4 --vision keep --no-quality
check "--force overwrites" is "$code" 0
check "with another model" [ "$(cksum small/model.octavo)" != "$before" ]

# A result that is too far from its source is kept aside.
run quantize --model "$nano" -o far --method rtn --head w4 --vision w4 --min-agreement 1
check "too little agreement fails" is "$code" 4
check "and says how little" has stderr "expected at least 1.0000: the result is kept aside"
check "the result is kept" [ -s far/model.octavo.rejected ]
check "not under its name" absent far/model.octavo
run quantize --model "$nano" -o near.octavo --min-agreement 0.5
check "enough agreement succeeds" is "$code" 0

# AutoAWQ's form, read by octavo and by a reader of its own.
run quantize --model "$nano" -o awq --format awq --no-quality
check "AutoAWQ's form is written" is "$code" 0
run inspect awq
check "inspect finds it whole" is "$code" 0
check "and names the form" has stdout "AWQ int4 g128"
run parse "$page" -o awq-page --model awq --layout whitespace
check "the folder reads a page" is "$code" 0
run quantize --model "$nano" -o same.octavo --vision keep --head keep --no-quality
python3 "$source_dir/tools/check_awq" awq same.octavo >stdout 2>stderr
code=$?
if ! python3 -c 'import json' 2>/dev/null; then
  skip "no python3 with json to read AutoAWQ's form with"
elif [ "$code" = 77 ]; then
  skip "$(cat stdout)"
else
  check "an independent reader finds the same numbers" is "$code" 0
  check "in every tensor" has stdout "tensors are equal, 0 are not"
fi
refuse "forms that AutoAWQ does not have" 2 "keeps the vision tower" \
  quantize --model "$nano" -o x --format awq --vision w8
refuse "8 bits for AutoAWQ" 2 "4 bits only" quantize --model "$nano" -o x --format awq --w_bit 8
refuse "to overwrite a folder" 2 "not overwritten" quantize --model "$nano" -o awq --format awq

# GGUF's two files, read by octavo and by llama.cpp's own package.
run quantize --model "$nano" -o gguf --format gguf --method rtn --report gguf.json
check "GGUF is written" is "$code" 0
check "with its types" has stdout "Q4_1"
check "and agrees with its source" has gguf.json '"accepted": true'
check "the language file and the vision file" is "$(ls gguf)" "mmproj-model.gguf
model.gguf
octavo.json"
run inspect gguf
check "inspect finds them whole" is "$code" 0
run parse "$page" -o gguf-page --model gguf --layout whitespace
check "the two files read a page" is "$code" 0
check "and write text" [ -s gguf-page/receipt.md ]
run quantize --model "$nano" -o gguf8 --format gguf --w_bit 8 --no-quality
check "GGUF of 8 bits is written" is "$code" 0
run quantize --model "$nano" -o w8.octavo --w_bit 8 --no-quality
gguf_python=${OCTAVO_GGUF_PYTHON:-python3}
for pair in "gguf rtn.octavo" "gguf8 w8.octavo"; do
  # shellcheck disable=SC2086  # two names
  "$gguf_python" "$source_dir/tools/check_gguf" $pair >stdout 2>stderr
  code=$?
  if [ "$code" = 77 ]; then
    skip "$(cat stdout)"
  elif ! "$gguf_python" -c 'import json' 2>/dev/null; then
    skip "no python3 with json to read GGUF with"
  else
    check "llama.cpp's package finds the same numbers: $pair" is "$code" 0
    check "in every tensor: $pair" has stdout "tensors are equal, 0 are not"
  fi
done
refuse "to overwrite GGUF files" 2 "not overwritten" quantize --model "$nano" -o gguf --format gguf

# Killed at any moment, it goes on to the same bytes and leaves nothing beside them.
mkdir killed
for moment in 1 2 3 4; do
  rm -f killed/*
  "$octavo" quantize --model "$nano" -o killed/a.octavo --no-quality >/dev/null 2>&1 &
  pid=$!
  sleep "0.$((RANDOM % 10))"
  [ "$moment" -gt 2 ] && until [ -s killed/a.octavo.resume ] || [ -e killed/a.octavo ]; do sleep 0.05; done
  kill -9 "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  if [ -e killed/a.octavo.resume ]; then
    refuse "to mix up two runs ($moment)" 2 "--resume goes on" \
      quantize --model "$nano" -o killed/a.octavo --no-quality
  fi
  if [ ! -e killed/a.octavo ] || [ -e killed/a.octavo.resume ]; then
    run quantize --model "$nano" -o killed/a.octavo --resume --no-quality
    check "a killed run is resumed ($moment)" is "$code" 0
  fi
  check "to the same bytes ($moment)" cmp -s killed/a.octavo one.octavo
  check "and nothing else is left ($moment)" is "$(ls killed)" "a.octavo"
done

# Killed while it is compared with its source: not complete before that is done.
rm -f killed/*
"$octavo" quantize --model "$nano" -o killed/a.octavo >/dev/null 2>stderr &
pid=$!
until grep -q "comparing with the source" stderr || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
check "what was not judged is not complete" [ -e killed/a.octavo.resume ]
check "and has not its name" absent killed/a.octavo
run quantize --model "$nano" -o killed/a.octavo --resume --min-agreement 0.5
check "it is resumed and judged" is "$code" 0
check "which is told" has stdout "token agreement"
check "and is the same" cmp -s killed/a.octavo one.octavo
check "and leaves nothing but itself" is "$(ls killed)" "a.octavo"
"$octavo" quantize --model "$nano" -o killed/a.octavo --method rtn --force >/dev/null 2>stderr &
pid=$!
until grep -q "comparing with the source" stderr || ! kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
kill -9 "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
check "the model before stands until the new one is judged" cmp -s killed/a.octavo one.octavo
cp -r killed again
run quantize --model "$nano" -o again/a.octavo --method rtn --resume --min-agreement 0.5
check "what was killed unjudged is resumed, too" is "$code" 0
check "to the new model" cmp -s again/a.octavo rtn.octavo
check "and nothing else is left of it" is "$(ls again)" "a.octavo"
run quantize --model "$nano" -o killed/a.octavo --method rtn --force --min-agreement 1
check "or for good, if it is not near enough" cmp -s killed/a.octavo one.octavo
check "then beside it" is "$(ls killed)" "a.octavo
a.octavo.rejected"
rm killed/a.octavo.rejected

# A report that cannot be written, which shows at the end only.
long_name=$(printf 'n%.0s' {1..300})
run quantize --model "$nano" -o told.octavo --no-quality --report "$long_name"
check "a report that cannot be written is an error" is "$code" 7
run quantize --model "$nano" -o told.octavo --no-quality --resume --report told.json
check "the run is resumed to write it" is "$code" 0
check "which it does" [ -s told.json ]

# Two runs do not write one file at once.
"$octavo" quantize --model "$nano" -o killed/b.octavo --no-quality >/dev/null 2>&1 &
pid=$!
until [ -e killed/b.octavo.lock ] || [ -e killed/b.octavo ]; do sleep 0.02; done
if [ -e killed/b.octavo ]; then
  skip "the first run was done before the second began"
else
  refuse "to write what another run writes" 2 "another run is writing it" \
    quantize --model "$nano" -o killed/b.octavo --force --no-quality
fi
wait "$pid"
refuse "to resume what is complete" 2 "nothing to resume" \
  quantize --model "$nano" -o killed/b.octavo --resume --no-quality
check "the first run is not disturbed" cmp -s killed/b.octavo one.octavo

# A full disk: the limit on a file's size fails as one does.
mkdir full
(
  ulimit -f 1000
  "$octavo" quantize --model "$nano" -o full/a.octavo --method rtn >stdout 2>stderr </dev/null
  echo $? >status
)
code=$(cat status)
check "a full disk is an error of writing" is "$code" 7
check "in one line of its own" has stderr "full/a.octavo.unjudged.tmp: cannot write"
check "and leaves nothing" [ -z "$(ls -A full)" ]

# Damage: in the index at once, in the data when inspect reads all of it.
cp nano.octavo damaged.octavo
printf 'X' | dd of=damaged.octavo bs=1 seek=100 conv=notrunc 2>/dev/null
refuse "a damaged index" 4 "the index is damaged" ask "$page" "Text Recognition:" --model damaged.octavo
cp nano.octavo damaged.octavo
printf 'XXXXXXXX' | dd of=damaged.octavo bs=1 seek=3000000 conv=notrunc 2>/dev/null
run inspect damaged.octavo
check "inspect finds damaged data" is "$code" 4
check "and names the tensor" has stdout "does not have its checksum"
head -c 2000000 nano.octavo >damaged.octavo
refuse "a file that was cut" 4 "of which 2000000 are there" convert damaged.octavo -o x.octavo
check "nothing temporary stays" nothing_temporary .

finish
