"""Runs the test suite of onnxoptimizer with `onnxpress optimize` in its place:

  .venv/bin/python bench/onnxoptimizer_tests.py [--tests optimizer_test.py]

Its file is fetched from GitHub unless --tests names a copy; it does not become part of this repository. Tests whose failure is explained
below are listed with the reason, others as failures.
"""
import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import types
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
COMMIT = "96ddf599"  # 0.4.2
ADDRESS = f"https://raw.githubusercontent.com/onnx/optimizer/{COMMIT}/onnxoptimizer/test/optimizer_test.py"

# Part of a test's name -> why onnxpress gives another result.
FEWER = "the result has fewer nodes than the test expects: constants are computed, and unused nodes are removed"
FORM = "the same nodes in another form than the test expects"
REASONS = {
    "adjust_add": "not a rewrite here: patterns match operands of commutative operators in either order",
    "adjust_slice_and_matmul": "left out: it saves nothing",
    "eliminate_if_with_const": FEWER,
    "eliminate_nop_dropout": "the test expects that a Dropout stays or a value keeps its name; at inference it does nothing, so it is removed",
    "monotone_argmax": "left out: rounding can create ties, which changes the index",
    "eliminate_shape_gather": FEWER,
    "eliminate_shape_op": FEWER,
    "eliminate_shape_slice": FEWER,
    "eliminate_unused_initializer_input": "the initializer is an input, and inputs stay",
    "eliminate_unused_initializer_no_eliminate_used": FEWER,
    "fuse_add_bias_into_conv_use_conv_shape": "the bias is an input: a Squeeze instead of an Add saves nothing",
    "fuse_add_bias_into_conv_use_weight_shape": "the bias is an input: a Squeeze and a Tile instead of an Add save nothing",
    "fuse_add_bias_into_conv_use_move_constant": FEWER,
    "fuse_add_bias_into_conv_with_scalar_bias": "the bias is an input: a Squeeze and a Tile instead of an Add save nothing",
    "fuse_concat_and_reshape2": FEWER,
    "fuse_consecutive_slices": FEWER,
    "fuse_consecutive_squeezes_multi_uses": "something else reads the first Squeeze, so none can be removed",
    "fuse_consecutive_squeezes": FEWER,
    "must_keep_topological_order": FEWER,
    "with_notset_autopad": FORM,
    "fuse_pad_into_maxpool": "wrong: a MaxPool pads with the smallest number, not with 0",
    "fuse_qkv": "left out: ONNX Runtime fuses attention only if the three products are separate",
    "fuse_transpose_default_no_fuse": FEWER,
    "fuse_transpose_into_gemm": FEWER,
    "lift_lex": "left out: the result is not valid ONNX",
    "rename_input_output": "changes the interface: `onnxpress edit --rename` does it",
    "set_unique_name_for_node": "not an optimization: it only names nodes",
    "test_split": "left out: initial and predicting nets of Caffe2",
}


def optimize(model, passes=None, fixed_point=False, **ignored):
    """Replaces onnxoptimizer.optimize; `passes` are its own pass names."""
    import onnx
    if not isinstance(model, onnx.ModelProto):
        raise ValueError(f"Optimizer only accepts ModelProto, incorrect type: {type(model)}")
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.onnx", Path(folder) / "after.onnx"
        before.write_bytes(model.SerializeToString())
        command = [ONNXPRESS, "optimize", before, "-o", after, "--allow-growth", "--quiet"]
        if passes:
            command += ["--only", ",".join(passes)]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return onnx.load(after)


def shim():
    module = types.ModuleType("onnxoptimizer")
    module.optimize = optimize
    names = (ROOT / "onnxpress/tasks/optimize/other_names.cpp").read_text()
    module.get_available_passes = lambda: re.findall(r'{"([a-z_]+)"', names)
    module.get_fuse_and_elimination_passes = lambda: None  # all of ours
    return module


class Outcomes(unittest.TextTestResult):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.passed = []

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed.append(test)


def what_failed(text):
    """The last lines of a traceback as one line: the code, and what is wrong with it."""
    lines = [line.strip() for line in text.strip().splitlines() if set(line.strip()) - set("^~")]
    return " -> ".join(lines[-2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=Path, help="a copy of onnxoptimizer/test/optimizer_test.py")
    parser.add_argument("names", nargs="*", help="only tests whose names contain one of these")
    options = parser.parse_args()
    path = options.tests
    if not path:
        path = Path(tempfile.mkdtemp()) / "optimizer_test.py"
        path.write_bytes(urllib.request.urlopen(ADDRESS, timeout=60).read())
    sys.modules["onnxoptimizer"] = shim()
    spec = importlib.util.spec_from_file_location("optimizer_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = [test for test in unittest.TestLoader().loadTestsFromTestCase(module.TestOptimizer)
             if not options.names or any(name in test.id() for name in options.names)]
    with open(os.devnull, "w") as nowhere:
        outcomes = unittest.TextTestRunner(stream=nowhere, resultclass=Outcomes).run(unittest.TestSuite(tests))
    wrong = {test.id().split(".")[-1]: what_failed(text) for test, text in outcomes.failures + outcomes.errors}
    explained = {name: next(reason for part, reason in REASONS.items() if part in name) for name in wrong if any(part in name for part in REASONS)}
    print(f"{len(outcomes.passed)} of {len(tests)} pass, {len(outcomes.skipped)} are skipped, {len(explained)} fail for a reason, "
          f"{len(wrong) - len(explained)} fail")
    for name, why in wrong.items():
        print(f"{'explained' if name in explained else 'FAILED'}: {name}: {explained.get(name, why)}")
    return 1 if len(wrong) > len(explained) else 0


if __name__ == "__main__":
    sys.exit(main())
