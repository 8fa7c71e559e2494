# Targets for daily use: each installs what it needs (Debian, root or sudo), then calls cmake or scripts/.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
DEMO_MODEL := silero_vad_legacy
TIDIED := /(onnxpress|cli)/([a-z_0-9]+/)*[a-z_0-9]+\.(h|cpp)$$
SOURCES = $(shell find onnxpress cli include tests bench fuzz examples -name '*.h' -o -name '*.cpp' -o -name '*.c')

.PHONY: build wheel wasm web web-serve web-test npm demo test bench build-times api lint format install clean help
.DEFAULT_GOAL := build

build: ## build the release command: build/onnxpress
	@scripts/setup build
	cmake --preset release
	cmake --build --preset release

demo: build ## fetch one small real model, look at it, profile, optimize and shrink it
	@if scripts/setup models && scripts/fetch_models --only $(DEMO_MODEL); then \
	  cp models/$(DEMO_MODEL).onnx build/demo.onnx; \
	else \
	  echo "demo: no package registry can be reached, so a generated model is used"; \
	  build/onnxpress generate transformer --shared-layers 1 --duplicate-weights -o build/demo.onnx; \
	fi
	build/onnxpress info build/demo.onnx
	build/onnxpress profile build/demo.onnx
	build/onnxpress optimize build/demo.onnx -o build/demo.optimized.onnx --verify
	build/onnxpress shrink build/demo.onnx -o build/demo.shrunk.onnx --verify
	@printf '%s\n' '' 'Try next:' \
	  '  build/onnxpress info build/demo.onnx --tensors     every weight, largest first' \
	  '  build/onnxpress check build/demo.onnx              is it a valid model?' \
	  '  build/onnxpress quantize build/demo.onnx --to int8 --verify   weights in 8 bits, and their effect on the outputs' \
	  '  build/onnxpress convert build/demo.onnx demo.onnxtxt   to ONNX text, and back' \
	  '  build/onnxpress diff build/demo.onnx build/demo.shrunk.onnx    what changed between two models' \
	  '  build/onnxpress --help'

test: ## everything: unit, golden, model and Python tests under ASan and UBSan, then a short fuzz run
	@scripts/setup build test fuzz
	@scripts/setup shell web || printf '\n%s\n\n' '!!! SKIPPED: the tests that load a completion into zsh, or open a page in a browser.' >&2
	@{ scripts/setup models && scripts/fetch_models; } || \
	  printf '\n%s\n%s\n\n' '!!! SKIPPED: some real models could not be fetched (see above).' \
	    '!!! The tests on them will not run; everything else will.' >&2
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev -j $(JOBS)
	scripts/fuzz

bench: ## run the benchmarks (release build) and the comparisons with cp, xxhsum, the onnx package and scs4onnx
	@scripts/setup build bench test
	cmake --preset release -DONNXPRESS_BENCH=ON
	cmake --build --preset release
	@# Checked again, because this is another compiler than that of the tests.
	.venv/bin/python tests/run_goldens.py --onnxpress build/onnxpress
	@for program in $$(find build/bench -maxdepth 1 -type f -executable 2>/dev/null); do \
	  echo "== $$program"; $$program || exit 1; done
	@echo "== bench/compare.py"; .venv/bin/python bench/compare.py
	@echo "== bench/shrink.py"; .venv/bin/python bench/shrink.py
	@echo "== bench/weights.py"; .venv/bin/python bench/weights.py
	@if [ -x build/wheel/fresh/bin/python ]; then echo "== bench/python_load.py"; build/wheel/fresh/bin/python bench/python_load.py; \
	else echo "bench/python_load.py needs the package: make wheel"; fi

wheel: ## build the Python package (dist/*.whl), and test it in a fresh virtual environment
	@scripts/setup build test
	rm -rf dist
	.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w dist .
	.venv/bin/python scripts/try_wheel dist/onnxpress-*.whl

wasm: ## build the library as WebAssembly: build/wasm/web/bridge/onnxpress.wasm (needs 2 GB for the compiler)
	@scripts/setup build wasm
	cmake --preset wasm
	cmake --build --preset wasm

web: wasm ## build the page: web/dist, for any web server
	cd web && node_modules/.bin/tsc -p . && node scripts/build.mjs page

web-serve: web ## build the page and serve it on localhost:8017
	node web/scripts/serve.mjs 8017

npm: wasm ## build the npm package: build/onnxpress-*.tgz
	cd web && node scripts/build.mjs npm

web-test: $(if $(ONNXPRESS),,build) npm web ## test the npm package in Node, and the page in a headless Chromium (ONNXPRESS: a command of the same sources)
	@scripts/setup web
	@{ scripts/setup models && scripts/fetch_models; } || echo '!!! some real models could not be fetched: the tests on them will not run' >&2
	node web/tests/package.mjs
	node web/tests/page.mjs
	node web/tests/hostile.mjs

build-times: ## which files took longest to compile in the last release build, and the sum of all
	@scripts/build_times

api: ## the reference of the C++ and C interfaces: build/api/html/index.html
	@scripts/setup api
	scripts/api_reference

lint: ## formatting, clang-tidy, the layers, links, comments of public headers, and includes without precompiled headers
	@scripts/setup build lint api
	scripts/check_layers
	scripts/check_public_headers
	scripts/update_fields --check
	scripts/api_reference
	scripts/update_library --check
	scripts/check_links
	clang-format --dry-run -Werror $(SOURCES)
	scripts/check_includes
	cmake --preset lint
	@# clang-tidy takes the files of a unity build for headers, and would report them as suspicious includes.
	run-clang-tidy -quiet -p build/lint -checks=-bugprone-suspicious-include -header-filter='$(TIDIED)' '/(Unity|onnxpress|cli)/.*\.(cpp|cxx)$$'

format: ## rewrite the sources with clang-format
	@scripts/setup lint
	clang-format -i $(SOURCES)

install: build ## install command, library and headers to PREFIX (default /usr/local)
	cmake --install build --prefix "$(PREFIX)"

clean: ## remove build/ (fetched models and .venv stay)
	rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
