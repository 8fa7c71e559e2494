"""Runs the pattern tests of OnnxSlim and onnxscript, and compares results: each model that a test passes to its tool is also optimized by
onnxpress.

  .venv/bin/python bench/peer_tests.py --tests FOLDER [--python PEERS/bin/python] [--options "--target ort"] [--pairs FOLDER] [--largest 20000000]

FOLDER is tests/ of OnnxSlim's repository, or a folder with *_test.py of onnxscript's rewriter and optimizer; neither becomes part of this repository.
PEERS is a virtual environment with that tool, pytest and parameterized (and torch, for tests that export models). A model counts as passed if
the result of onnxpress gives the same outputs in ONNX Runtime and has no more nodes than that of the tool. Exit code 1 if a result is wrong;
models with more nodes are listed. --pairs keeps the models of the tests in a folder, and uses those of an earlier run without running the tests again.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import optimize

# A pytest plugin: saves the input and the result of each call that a test makes to its tool.
CAPTURE = r'''
import functools, itertools, os, pathlib, re
import onnx

FOLDER, numbers, current = pathlib.Path(os.environ["CAPTURE"]), itertools.count(), {"test": "", "depth": 0}


def pytest_runtest_setup(item):
    current["test"] = re.sub(r"\W+", "_", item.nodeid.split("/")[-1])


def keep(before, after):
    name = f"{current['test']}.{next(numbers)}"
    if before.ByteSize() + after.ByteSize() > int(os.environ["LARGEST"]):
        return
    onnx.save(before, FOLDER / f"{name}.before.onnx")
    onnx.save(after, FOLDER / f"{name}.after.onnx")


def wrap_slim(real):
    @functools.wraps(real)
    def slim(model, *args, **kwargs):
        before = onnx.ModelProto()
        before.CopyFrom(onnx.load(model) if isinstance(model, (str, os.PathLike)) else model)
        result = real(model, *args, **kwargs)
        if isinstance(result, onnx.ModelProto):
            keep(before, result)
        return result
    return slim


def wrap_ir(owner, name):
    from onnxscript import ir
    real = getattr(owner, name)

    @functools.wraps(real)
    def wrapped(self, model, *args, **kwargs):
        before = None if current["depth"] else ir.to_proto(model)
        current["depth"] += 1
        try:
            result = real(self, model, *args, **kwargs)
        finally:
            current["depth"] -= 1
        if before is not None:
            keep(before, ir.to_proto(model))
        return result
    setattr(owner, name, wrapped)


try:
    import onnxslim
    onnxslim.slim = wrap_slim(onnxslim.slim)
except ImportError:
    pass
try:
    from onnxscript.optimizer import _constant_folding
    from onnxscript.rewriter import _rewrite_rule
    wrap_ir(_rewrite_rule.RewriteRuleSet, "apply_to_model")
    wrap_ir(_constant_folding.FoldConstantsPass, "call")
except ImportError:
    pass
'''


def capture(arguments, folder):
    """Runs the tests; it does not matter whether they pass."""
    (folder / "capture_models.py").write_text(CAPTURE)
    environment = {**os.environ, "CAPTURE": str(folder), "LARGEST": str(arguments.largest), "PYTHONPATH": str(folder)}
    command = [arguments.python.absolute(), "-m", "pytest", "-q", "--no-header", "-o", "addopts=", "-p", "capture_models",
               "--continue-on-collection-errors", "--tb=no", "."]
    done = subprocess.run(command, cwd=arguments.tests, env=environment, capture_output=True, text=True)
    print("tests of the tool:", done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-300:])


def judge(before, after, options, result):
    """A word, and a line of numbers."""
    done = subprocess.run([optimize.ONNXPRESS, "optimize", before, "-o", result, *options], capture_output=True, text=True)
    if done.returncode:
        return "refused", done.stderr.strip().splitlines()[0]
    ours, theirs = optimize.described(result, before, False), optimize.described(after, before, False)
    numbers = f"{theirs.get('nodes')} nodes theirs, {ours.get('nodes')} ours"
    if ours["same"] is None:
        return "not run", "ONNX Runtime does not run the model of the test"
    if not ours["same"]:
        return "WRONG", f"{numbers}; {ours.get('problem') or ours.get('difference')}"
    if not theirs["same"]:
        return "passed", f"{numbers}; theirs is wrong"
    return ("passed" if ours["nodes"] <= theirs["nodes"] else "more nodes"), numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=optimize.PEERS / "bin" / "python")
    parser.add_argument("--options", default="", help="options of onnxpress optimize")
    parser.add_argument("--pairs", type=Path, help="a folder for the models of the tests")
    parser.add_argument("--largest", type=int, default=20_000_000, help="leave out models with more bytes than this, before and after together")
    arguments = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as name:
        folder = (arguments.pairs or Path(name)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        if not any(folder.glob("*.before.onnx")):
            capture(arguments, folder)
        for before in sorted(folder.glob("*.before.onnx")):
            word, line = judge(before, str(before).replace(".before.", ".after."), arguments.options.split(), Path(name) / "result.onnx")
            counts[word] = counts.get(word, 0) + 1
            if word != "passed":
                print(f"{word}: {before.name.removesuffix('.before.onnx')}: {line}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "no model was captured")
    return 1 if counts.get("WRONG") or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
