#!/usr/bin/env bash
# Installs a build into a fresh folder, then builds and runs examples/find_package against it as a stranger would.
# CXX and CXXFLAGS come from ctest: a consumer of a sanitized library has to be linked with the same flags.
#
#   tests/find_package.sh <build folder> <onnxpress command>
set -euo pipefail
build=$(realpath "$1")
onnxpress=$(realpath "$2")
cd "$(dirname "$0")/.."

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

cmake --install "$build" --prefix "$temporary/prefix" >/dev/null
"$temporary/prefix/bin/onnxpress" --version

cmake -G Ninja -S examples/find_package -B "$temporary/build" -DCMAKE_PREFIX_PATH="$temporary/prefix" >/dev/null
cmake --build "$temporary/build"

"$onnxpress" generate chain -o "$temporary/chain.onnx" --nodes 10
"$temporary/build/count_ops" "$temporary/chain.onnx" | tee "$temporary/counts"

# Ten nodes were asked for, so ten have to be counted, whatever their ops.
total=$(awk '{ total += $1 } END { print total }' "$temporary/counts")
[[ "$total" == 10 ]] || { echo "error: counted '$total' nodes instead of 10" >&2; exit 1; }
