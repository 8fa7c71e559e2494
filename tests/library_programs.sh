#!/usr/bin/env bash
# Runs the programs of examples/library, which docs/library.md shows, and compares what they write with what the command
# writes. tests/find_package.sh builds them with an installed library, and calls this.
#
#   tests/library_programs.sh <folder of the programs> <onnxpress command>
set -euo pipefail
programs=$(realpath "$1")
onnxpress=$(realpath "$2")
model=$(realpath "$(dirname "$0")/../examples/library/model.onnxtxt")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

die() { echo "error: $1" >&2; exit 1; }

# result EXPECTED COMMAND...: runs it with its messages in ./message, and fails if its exit code is another one.
result() {
  local expected=$1 code=0
  shift
  "$@" > output 2> message || code=$?
  [[ $code -eq $expected ]] || { cat output message >&2; die "exit code $code instead of $expected: $*"; }
}

# says FILE TEXT: a line of the file has this text.
says() { grep -qF -- "$2" "$1" || { cat "$1" >&2; die "no line with: $2"; }; }

# from_json FILE EXPRESSION: the value of a Python expression over the report r.
from_json() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

"$onnxpress" generate transformer -o transformer.onnx --layers 1 --hidden 64 --heads 2 --quiet > /dev/null
"$onnxpress" generate tied -o tied.onnx --hidden 16 --vocab 100 --quiet > /dev/null

# shrink: the bytes that the command writes, and the sizes that it says.
result 0 "$programs/shrink" transformer.onnx shrunk.onnx
says output "$(stat -c %s transformer.onnx) -> $(stat -c %s shrunk.onnx) bytes"
"$onnxpress" shrink transformer.onnx -o expected.onnx --quiet > /dev/null
cmp shrunk.onnx expected.onnx

# quantize: a quality that can be kept, one that cannot, and none.
result 0 "$programs/quantize" tied.onnx quantized.onnx 30
says output "$(stat -c %s tied.onnx) -> $(stat -c %s quantized.onnx) bytes"
says output "worst output: 3"
"$onnxpress" quantize tied.onnx -o expected.onnx --quality 30 --quiet > /dev/null
cmp quantized.onnx expected.onnx
result 1 "$programs/quantize" tied.onnx nothing.onnx 60 int4
says message "refused: 60.0 dB were asked for"
result 3 "$programs/quantize" tied.onnx nothing.onnx loud
says message "error: "

# optimize: fewer nodes, and the same outputs, with ONNX Runtime and without.
for runtime in "" none; do
  ONNXPRESS_ORT=$runtime result 0 "$programs/optimize" transformer.onnx optimized.onnx
  says output "compared on "
  ONNXPRESS_ORT=$runtime "$onnxpress" optimize transformer.onnx -o expected.onnx --target ort --quiet > /dev/null
  cmp optimized.onnx expected.onnx
done

# profile: the numbers of the command, at both sizes.
result 0 "$programs/profile" transformer.onnx batch=1 batch=8
[[ $(grep -c MACs output) -eq 2 && $(grep -c "assumed: sequence=" output) -eq 2 ]] || die "profile did not print two sizes"
for size in batch=1 batch=8; do
  "$onnxpress" profile transformer.onnx --dim $size --json > profile.json
  says output "$size: $(from_json profile.json 'r["macs"]["value"]') MACs"
  says output "$(from_json profile.json 'r["memory"]["pool"]') bytes of activations"
done

# edit: a batch of any size, no Identity, and one output more.
result 0 "$programs/edit" "$model" edited.onnx bent
"$onnxpress" info edited.onnx --json > info.json
[[ $(from_json info.json '[(o["name"], o["type"]) for o in r["outputs"]]') == "[('y', 'float[batch,4]'), ('inside', 'float[batch,4]')]" ]] ||
  die "edited outputs: $(from_json info.json 'r["outputs"]')"
[[ $(from_json info.json '"Identity" in [o["op"] for o in r["nodes"]["by_op"]]') == False ]] || die "Identity is still there"
"$onnxpress" check edited.onnx --quiet > /dev/null
result 3 "$programs/edit" "$model" nothing.onnx unheard
says message "unheard"

# rewrite: of two divisions, the one by a power of two.
result 0 "$programs/rewrite" "$model" rewritten.onnx
says output "1 divisions replaced"
"$onnxpress" info rewritten.onnx --json > info.json
[[ $(from_json info.json 'sorted(o["op"] for o in r["nodes"]["by_op"])') == "['Div', 'Identity', 'MatMul', 'Mul', 'Relu']" ]] ||
  die "rewritten: $(from_json info.json 'r["nodes"]["by_op"]')"
"$onnxpress" verify "$model" rewritten.onnx --engine onnxpress > verified
says verified identical

# server: three models and one that does not exist, by two workers.
for i in 1 2 3; do cp transformer.onnx "$i.onnx"; done
"$onnxpress" shrink transformer.onnx -o expected.onnx --quiet > /dev/null
result 1 "$programs/server" 2 < <(printf '%s\n' 1.onnx nowhere.onnx 2.onnx 3.onnx)
says output "error: nowhere.onnx"
[[ $(wc -l < output) -eq 4 ]] || die "not one line for each job"
for i in 1 2 3; do
  says output "$i.onnx: "
  cmp "$i.onnx.small.onnx" expected.onnx
done
result 0 "$programs/server" 4 < <(echo 1.onnx)

# Every program says what is wrong, and writes nothing then.
for program in shrink quantize optimize edit rewrite; do
  arguments=(nowhere.onnx nothing.onnx)
  case $program in quantize) arguments+=(30) ;; edit) arguments+=(y) ;; esac
  result 3 "$programs/$program" "${arguments[@]}"
  says message "error: nowhere.onnx"
done
result 3 "$programs/profile" nowhere.onnx batch=1
says message "error: nowhere.onnx"
result 3 "$programs/profile" transformer.onnx height=1
says message "error: "
for program in shrink quantize optimize profile edit rewrite server; do
  result 2 "$programs/$program"
  says message "usage: $program "
done
[[ ! -e nothing.onnx ]] || die "a program that failed wrote a file"
