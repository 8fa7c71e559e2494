"""Small generated look-alikes of published models: each becomes as small as it should, computes the same bits in ONNX Runtime
with optimizations off and on (when the decoding nodes are folded), and expands to the same tensors.

FULL=1 makes them at full size (gigabytes, minutes), without running them.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
FULL = os.environ.get("FULL") == "1"

# Kind and options (small, full), share of the size that may be left, the method that must have been used.
CASES = {
    "albert": (["transformer", "--layers", "12", "--shared-layers", "1", "--duplicate-weights", "--hidden", "64"],
               ["transformer", "--layers", "12", "--shared-layers", "1", "--duplicate-weights", "--hidden", "768", "--heads", "12",
                "--vocab", "2700"], 46.9 / 358, "share"),
    "gmflow": (["masks", "--bytes", "131072", "--layers", "6", "--hidden", "16"],
               ["masks", "--bytes", "46080000", "--layers", "6", "--hidden", "4437"], 22.8 / 298, "label-mask"),
    "hitnet": (["indices", "--bytes", "200000", "--tensors", "2"],
               ["indices", "--bytes", "884736000", "--tensors", "2"], 2.3 / 1800, "affine"),
    "swin": (["swin", "--heads", "6", "--layers", "2"], ["swin", "--heads", "24", "--layers", "24"], 0.2, "repeated-slices"),
    "tied": (["tied", "--vocab", "500", "--hidden", "64"], ["tied", "--vocab", "50000", "--hidden", "768"], 0.51, "transposed"),
    "half": (["transformer", "--fill", "half", "--layers", "2"], ["transformer", "--fill", "half", "--hidden", "768", "--heads", "12"],
             0.55, "cast-"),
}
SMALL_LEFT = {"albert": 0.35, "gmflow": 0.05, "hitnet": 0.01}  # small models have relatively more names and nodes


def call(*arguments):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def session_of(path, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    # Weights that come from a node, or from the graph around a body, are not packed; packed weights are summed in another order.
    options.add_session_config_entry("session.disable_prepacking", "1")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def inputs_of(session):
    random = numpy.random.default_rng(3)
    made = {}
    for each in session.get_inputs():
        shape = [d if isinstance(d, int) else 5 for d in each.shape]
        is_integer = each.type == "tensor(int64)"
        made[each.name] = random.integers(0, 50, shape) if is_integer else random.standard_normal(shape, dtype=numpy.float32)
    return made


class LookalikeTest(unittest.TestCase):
    def check_outputs(self, model, small):
        levels = onnxruntime.GraphOptimizationLevel
        for level in (levels.ORT_DISABLE_ALL, levels.ORT_ENABLE_ALL):
            before, after = session_of(model, level), session_of(small, level)
            inputs = inputs_of(before)
            for a, b in zip(before.run(None, inputs), after.run(None, inputs)):
                self.assertEqual((a.dtype, a.shape, a.tobytes()), (b.dtype, b.shape, b.tobytes()))

    def check_tensors(self, model, back):
        expected = {t.name: t for t in onnx.load(model).graph.initializer}
        found = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(back).graph.initializer}
        self.assertTrue(found)
        for name, array in found.items():
            original = onnx.numpy_helper.to_array(expected[name])
            self.assertEqual((array.dtype, array.shape, array.tobytes()), (original.dtype, original.shape, original.tobytes()))

    def check(self, name, options, left, method, folder):
        model, small, back = (folder / f"{name}{end}.onnx" for end in ("", ".small", ".back"))
        call("generate", *options, "-o", model)
        report = json.loads(call("shrink", model, "-o", small, "--verify", "--json"))
        before, after = model.stat().st_size, small.stat().st_size
        print(f"{name:<8} {before:>14,} -> {after:>12,}  {100 * after / before:.2f} % left", flush=True)
        self.assertTrue(report["verified"])
        self.assertLessEqual(after, before * left)
        self.assertTrue(any(line["method"].startswith(method) for line in report["methods"]), report["methods"])
        if FULL:
            return
        self.check_outputs(model, small)
        call("expand", small, "-o", back)
        self.check_tensors(model, back)

    def test_lookalikes(self):
        for name, (small, full, left, method) in CASES.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.check(name, full if FULL else small, left if FULL else SMALL_LEFT.get(name, left), method, Path(folder))


if __name__ == "__main__":
    unittest.main()
