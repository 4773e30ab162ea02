#!/usr/bin/env bash
# Damaged, foreign and quantised models as their users meet them. The sections D48 to D55 are the
# situations of docs/quantization.md ("What is tested").
#
#   models_test.sh OCTAVO SOURCE_DIR
#
# One line for each failure; the closing line is "N passed, M failed".
set -uo pipefail

# shellcheck source=tests/cli/checks.sh
source "$(dirname "$0")/checks.sh"
nano=$OCTAVO_MODEL
page=$source_dir/samples/receipt.png
weights=$nano/model.safetensors
tensor=model.layers.1.mlp.up_proj.weight

# One line about what is wrong, whatever is said of the picture before it.
told_once() { [ "$(grep -vc 'the answer may be wrong' stderr)" = 1 ]; }
fresh() { # fresh NAME: a folder of nano's files, the weights to be made
  rm -rf "${1:?}" && mkdir "$1"
  cp "$nano"/* "$1"/
}
refuse() { # refuse NAME CODE WORDS ARGUMENTS...
  refused_with "$@"
  check "in one line: $1" told_once
}
refuse_model() { # refuse_model NAME CODE WORDS: the model in m, by every command that loads one
  refuse "$1 (ask)" "$2" "$3" ask "$page" "Text Recognition:" --model m --max-tokens 2
  refuse "$1 (quantize)" "$2" "$3" quantize --model m -o refused --method rtn --no-quality
  check "and writes nothing: $1" [ -z "$(ls -A refused 2>/dev/null)" ]
}
in_config() { sed -i "s/^{/{$1,/" m/config.json; } # in_config ENTRY
header_bytes() { od -An -tu8 -N8 "$weights" | tr -d ' '; }
header() { head -c $((8 + $(header_bytes))) "$weights" | tail -c +9; }
# Where a tensor's bytes begin and how many they are.
place() {
  local range
  range=$(header | grep -o "\"$1\":{[^}]*}" | sed 's/.*"data_offsets":\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/')
  echo $((8 + $(header_bytes) + ${range% *})) $((${range#* } - ${range% *}))
}

# D48: shards that are missing, twice there, or without what the index says.
fresh m
mv m/model.safetensors m/one.safetensors
index() { # index FILE_OF_ONE_TENSOR: every other tensor is in one.safetensors
  {
    printf '{"weight_map":{'
    header | grep -o '"[^"]*":{"dtype"' | sed 's/:.*//' | grep -v "\"$tensor\"" |
      sed 's/$/:"one.safetensors",/'
    printf '"%s":"%s"}}' "$tensor" "$1"
  } >m/model.safetensors.index.json
}
index one.safetensors
run inspect m
check "D48: an index with its shard is a model" is "$code" 0
index two.safetensors
refuse_model "D48: a missing shard" 3 "two.safetensors"
cp m/one.safetensors m/two.safetensors
refuse_model "D48: a tensor in two shards" 4 "twice"
rm m/two.safetensors
index one.safetensors
sed -i 's/}}$/,"model.absent.weight":"one.safetensors"}}/' m/model.safetensors.index.json
refuse_model "D48: an index that names a tensor no shard has" 4 "model.absent.weight"

# D49: containers that are not what they say.
fresh m
head -c 200000 "$weights" >m/model.safetensors
refuse_model "D49: a file that was cut" 4 "model.safetensors"
{
  printf '\0\0\0\0\0\0\0\020'
  tail -c +9 "$weights"
} >m/model.safetensors
refuse_model "D49: a header of 2^60 bytes" 4 "model.safetensors"
{
  head -c 8 "$weights"
  printf 'not JSON'
  tail -c +17 "$weights"
} >m/model.safetensors
refuse_model "D49: a header that is not JSON" 4 "model.safetensors"
: >m/model.safetensors
refuse_model "D49: an empty file" 4 "model.safetensors"
sed 's/"data_offsets":\[212992,213504\]/"data_offsets":[212990,213502]/' "$weights" >m/model.safetensors
refuse_model "D49: tensors that overlap" 4 "model.safetensors"
sed 's/"data_offsets":\[212992,213504\]/"data_offsets":[212992,213503]/' "$weights" >m/model.safetensors
refuse_model "D49: a size that is no whole number of elements" 4 "model.safetensors"

# D50: quantisations that are not what they say.
run quantize --model "$nano" -o awq --format awq --method rtn --no-quality
check "D50: the model that is damaged is whole" is "$code" 0
awq_with() { # awq_with SED_SCRIPT
  rm -rf m && cp -r awq m
  sed -i "$1" m/config.json
  check "D50: the config is another one: $1" [ "$(cksum <m/config.json)" != "$(cksum <awq/config.json)" ]
}
awq_with 's/"bits": *4/"bits": 3/'
refuse_model "D50: 3 bits" 5 "AWQ with 3 bits, octavo reads 4"
awq_with 's/"group_size": *128/"group_size": 100/'
refuse_model "D50: a group size of 100" 4 "no whole number of groups of 100"
awq_with 's/"version": *"gemm"/"version": "gemv"/'
refuse_model "D50: the version gemv" 5 "'gemv', octavo reads 'gemm'"
awq_with 's/"quant_method": *"awq"/"quant_method": "gptq"/'
run ask "$page" "Text Recognition:" --model m --max-tokens 2
check "D50: AutoAWQ's tensors called GPTQ's are refused" refused
check "D50: in one line" told_once
awq_with 's/"quant_method": *"awq"/"quant_method": "magic"/'
refuse_model "D50: an unknown method" 5 "magic"
awq_with 's/"quantization_config"/"other_config"/'
run ask "$page" "Text Recognition:" --model m --max-tokens 2
check "D50: packed tensors without a config are refused" refused
check "D50: and said in one line" told_once
fresh m
in_config '"quantization_config":{"quant_method":"awq","bits":4,"group_size":128,"zero_point":true,"version":"gemm"}'
run ask "$page" "Text Recognition:" --model m --max-tokens 2
check "D50: a config without packed tensors is refused" refused
check "D50: and in one line, too" told_once
awq_with 's/"modules_to_not_convert": *\[/"modules_to_not_convert": ["no.such.layer",/'
run inspect m
check "D50: names of layers that do not exist do no harm" is "$code" 0

# D51: numbers that are none, and zeros.
fresh m
read -r offset size <<<"$(place $tensor)"
printf '\300\177' | dd of=m/model.safetensors bs=1 seek="$offset" conv=notrunc 2>/dev/null
for method in rtn awq gptq; do
  refuse "D51: a NaN among the weights ($method)" 4 "$tensor contains a NaN" \
    quantize --model m -o nan --method $method --no-quality
  check "D51: nothing is written ($method)" [ -z "$(ls -A nan | grep -v resume)" ]
  rm -rf nan
done
run inspect m
check "D51: inspect tells" has stdout "$tensor"
run ask "$page" "Text Recognition:" --model m --max-tokens 8
check "D51: a model of NaNs gives an error, no empty text" refused
check "D51: and says so in one line" told_once
cp "$weights" m/model.safetensors
dd if=/dev/zero of=m/model.safetensors bs=1 seek="$offset" count="$size" conv=notrunc 2>/dev/null
for method in rtn gptq; do
  run quantize --model m -o "zero-$method.octavo" --method $method --no-quality
  check "D51: a layer of zeros is quantised ($method)" is "$code" 0
  run ask "$page" "Text Recognition:" --model "zero-$method.octavo" --max-tokens 4
  check "D51: and answers ($method)" is "$code" 0
done

# D52: another family, other sizes, files that are not there.
fresh m
sed -i 's/"model_type": "qwen2_vl"/"model_type": "qwen2"/' m/config.json
refuse_model "D52: a language model only" 5 "model_type is \"qwen2\", octavo runs"
fresh m
sed -i 's/"vocab_size": 416/"vocab_size": 417/' m/config.json
refuse_model "D52: another size of the vocabulary" 4 "shape [416, 256], expected [417, 256]"
for file in preprocessor_config.json tokenizer.json config.json; do
  fresh m
  rm m/$file
  refuse "D52: a model without $file" 3 "$file" ask "$page" "Text Recognition:" --model m
done

# D53: the same bytes and the same report for any number of threads; rounding to nearest on every
# kernel table. (For AWQ and GPTQ between tables see docs/quantization.md.)
tensors_of() { sed -n '/"tensors"/,$p' "$1"; }
for method in rtn awq gptq; do
  for threads in 1 3; do
    run quantize --model "$nano" -o $method$threads.octavo --method $method --threads $threads \
      --no-quality --report $method$threads.json
    check "D53: $method with $threads threads" is "$code" 0
  done
  check "D53: $method writes the same bytes" cmp -s ${method}1.octavo ${method}3.octavo
  check "D53: $method reports the same" is "$(tensors_of ${method}1.json)" "$(tensors_of ${method}3.json)"
done
OCTAVO_ISA=scalar "$octavo" quantize --model "$nano" -o plain.octavo --method rtn --no-quality \
  >stdout 2>stderr </dev/null
code=$?
check "D53: plain kernels round" is "$code" 0
check "D53: to the same bytes" cmp -s plain.octavo rtn1.octavo

# D54: nothing is overwritten, nothing is lost, pages are named.
refuse "D54: a file that is there" 2 "--force" quantize --model "$nano" -o rtn1.octavo --no-quality
cp -r "$nano" own
refuse "D54: the model's own folder" 2 "own folder" quantize --model own -o own --force --no-quality
run quantize --model "$nano" -o named.octavo --method gptq --no-quality
check "D54: built-in pages are used and named" has stdout "letter.png article.png recipe.png (built in)"
mkdir killed
"$octavo" quantize --model "$nano" -o killed/a.octavo --method gptq --no-quality >stdout 2>stderr &
pid=$!
until [ -s killed/a.octavo.resume ] || [ -e killed/a.octavo ]; do sleep 0.05; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -e killed/a.octavo.resume ]; then
  refuse "D54: to mix up methods" 2 "of another model" \
    quantize --model "$nano" -o killed/a.octavo --method awq --resume --no-quality
  run quantize --model "$nano" -o killed/a.octavo --method gptq --resume --no-quality
  check "D54: a killed search is resumed" is "$code" 0
fi
check "D54: to the same bytes" cmp -s killed/a.octavo gptq1.octavo
check "D54: and nothing else is left" is "$(ls killed)" a.octavo

# D55: a result that is too far from its source is kept aside.
run quantize --model "$nano" -o far --method rtn --head w4 --vision w4 --min-agreement 1 \
  --report far.json
check "D55: too little agreement fails" is "$code" 4
check "D55: and says how little" has stderr "expected at least 1.0000: the result is kept aside"
check "D55: the result is kept" [ -s far/model.octavo.rejected ]
check "D55: not under its name" absent far/model.octavo
check "D55: the report says so" has far.json '"accepted": false'

finish
