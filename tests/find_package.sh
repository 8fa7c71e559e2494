#!/usr/bin/env bash
# Installs a build into a fresh folder, then uses it as a new user would: each public header alone, and the programs of
# examples/find_package, examples/library, examples/shape_engine and examples/c. CXX, CXXFLAGS and those of C come from ctest: programs that link a sanitized
# library need the same flags.
#
#   tests/find_package.sh <build folder> <onnxpress command>
set -euo pipefail
build=$(realpath "$1")
onnxpress=$(realpath "$2")
cd "$(dirname "$0")/.."

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
prefix=$temporary/prefix

cmake --install "$build" --prefix "$prefix" >/dev/null
"$prefix/bin/onnxpress" --version

# A public header must need neither a private one nor anything that its users would have to install.
(cd "$prefix/include" && find onnxpress -name '*.h' | sort) > "$temporary/headers"
while read -r header; do
  echo "#include \"$header\"" > "$temporary/alone.cpp"
  "${CXX:-c++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I "$prefix/include" "$temporary/alone.cpp" ||
    { echo "error: $header does not compile alone from the installed headers" >&2; exit 1; }
done < "$temporary/headers"
count=$(wc -l < "$temporary/headers")
[[ "$count" -ge 30 && "$count" -le 50 ]] || { echo "error: $count public headers; about 40 are promised" >&2; exit 1; }

cmake -G Ninja -S examples/find_package -B "$temporary/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$temporary/build"

"$onnxpress" generate transformer -o "$temporary/before.onnx" --layers 1 --hidden 64 --heads 2
"$temporary/build/smaller" "$temporary/before.onnx" "$temporary/after.onnx" | tee "$temporary/counts"

# What it counts and writes must be what the command counts and writes.
nodes=$("$onnxpress" info "$temporary/before.onnx" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["nodes"]["main_graph"])')
counted=$(awk -F'\t' 'NF == 2 { total += $1 } END { print total }' "$temporary/counts")
[[ "$counted" == "$nodes" ]] || { echo "error: counted '$counted' nodes instead of $nodes" >&2; exit 1; }
"$onnxpress" shrink "$temporary/before.onnx" -o "$temporary/expected.onnx" >/dev/null
cmp "$temporary/after.onnx" "$temporary/expected.onnx"
# With the same engine, also where it decides about bits; and without ONNX Runtime. On a model with few weights, because each
# run searches.
"$onnxpress" generate tied -o "$temporary/few.onnx" --hidden 16 --vocab 100
for runtime in "" none; do
  ONNXPRESS_ORT=$runtime "$temporary/build/smaller" "$temporary/few.onnx" "$temporary/after.onnx" 30 >/dev/null
  ONNXPRESS_ORT=$runtime "$onnxpress" quantize "$temporary/few.onnx" -o "$temporary/expected.onnx" --quality 30 >/dev/null
  cmp "$temporary/after.onnx" "$temporary/expected.onnx"
done

# The programs of docs/library.md.
cmake -G Ninja -S examples/library -B "$temporary/library" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$temporary/library"
tests/library_programs.sh "$temporary/library" "$onnxpress"

# The worked example of the shape engine: three input sizes in one arena, each compared with the evaluator.
cmake -G Ninja -S examples/shape_engine -B "$temporary/engine" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$temporary/engine"
"$temporary/engine/engine" examples/shape_engine/model.onnxtxt

# The C interface: the header in strict C, and a program that finds the library by CMake, and by pkg-config.
if [[ -e "$prefix/include/onnxpress/onnxpress_c.h" ]]; then
  echo '#include "onnxpress/onnxpress_c.h"' > "$temporary/alone.c"
  "${CC:-cc}" -std=c99 -fsyntax-only -Wall -Wextra -pedantic -Werror -I "$prefix/include" "$temporary/alone.c"
  cmake -G Ninja -S examples/c -B "$temporary/c" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
  cmake --build "$temporary/c"
  "$temporary/c/shrink_in_memory" "$temporary/before.onnx" "$temporary/after.onnx"
  "$onnxpress" shrink "$temporary/before.onnx" -o "$temporary/expected.onnx" >/dev/null
  cmp "$temporary/after.onnx" "$temporary/expected.onnx"
  if "$temporary/c/shrink_in_memory" "$temporary/counts" "$temporary/nothing.onnx" 2> "$temporary/message"; then
    echo "error: a file that is no model was shrunk" >&2
    exit 1
  fi
  grep -q '^error: ' "$temporary/message" && [[ ! -e "$temporary/nothing.onnx" ]]
  if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name onnxpress_c.pc)")
    export PKG_CONFIG_PATH
    read -ra flags <<< "$(pkg-config --cflags --libs onnxpress_c)"
    # shellcheck disable=SC2086  # flags are words
    "${CC:-cc}" -std=c99 ${CFLAGS:-} examples/c/shrink_in_memory.c ${LDFLAGS:-} "${flags[@]}" \
      -Wl,-rpath,"$(pkg-config --variable=libdir onnxpress_c)" -o "$temporary/by_pkg_config"
    "$temporary/by_pkg_config" "$temporary/before.onnx" "$temporary/again.onnx" >/dev/null 2>&1
    cmp "$temporary/again.onnx" "$temporary/expected.onnx"
  fi
fi
