"""Constants that become inputs, fed from .npy files, and constants in narrower types: each result is a valid model for the onnx
package, loads in ONNX Runtime, and computes the same bits.
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
    import onnxruntime  # noqa: F401
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

from test_shrink import bits, session_of

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")


def call(*arguments, code=0):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.returncode}: {done.stderr}"
    return done.stdout if code == 0 else done.stderr


class AsInputs(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        random = numpy.random.default_rng(1)
        w = random.standard_normal((32, 32), dtype=numpy.float32)
        graph = helper.make_graph(
            [helper.make_node("MatMul", ["x", "a/w"], ["h"], name="first"),
             helper.make_node("Constant", [], ["c_w"], value=numpy_helper.from_array(w)),
             helper.make_node("MatMul", ["h", "c_w"], ["g"], name="second"),
             helper.make_node("Gather", ["g", "rows"], ["k"], name="pick"),
             helper.make_node("Add", ["k", "bias"], ["y"], name="last")],
            "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [32, 32])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [32, 32])],
            [numpy_helper.from_array(w, "a/w"), numpy_helper.from_array(random.permutation(32).astype(numpy.int64), "rows"),
             numpy_helper.from_array(random.standard_normal((1, 32), dtype=numpy.float32), "bias")])
        self.model = self.folder / "m.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.model)
        self.x = random.standard_normal((32, 32), dtype=numpy.float32)
        self.expected = session_of(self.model).run(None, {"x": self.x})[0]

    def run_with_files(self, *arguments, model=None):
        out = self.folder / "out" / "small.onnx"
        out.parent.mkdir(exist_ok=True)
        call("tensors", model or self.model, "-o", out, "--as-inputs", *arguments)
        onnx.checker.check_model(str(out))
        manifest = json.loads(out.with_suffix(".npy.json").read_text())
        inputs = {each["input"]: numpy.load(out.parent / each["file"]) for each in manifest["inputs"]}
        session = session_of(out)
        self.assertEqual({each.name for each in session.get_inputs()}, {"x", *inputs})
        result = session.run(None, {"x": self.x, **inputs})[0]
        self.assertEqual(bits(result), bits(self.expected))
        return {each["input"]: each["file"] for each in manifest["inputs"]}, inputs

    def test_repeated(self):
        files, inputs = self.run_with_files()
        self.assertEqual(files, {"a/w": "small.a_w.npy"})
        self.assertEqual((self.folder / "out" / "small.a_w.npy").read_bytes()[6:8], b"\x01\x00")

    def test_chosen(self):
        files, inputs = self.run_with_files("--names", "bias,rows")
        self.assertEqual(set(files), {"bias", "rows"})
        self.assertEqual(inputs["rows"].dtype, numpy.int64)
        self.assertEqual(set(self.run_with_files("--nodes", "last,pick")[0]), {"bias", "rows"})

    def test_unknown(self):
        self.assertIn("did you mean 'bias'?", call("tensors", self.model, "-o", self.folder / "o.onnx", "--as-inputs", "--names", "bais", code=3))
        self.assertIn("did you mean 'last'?", call("tensors", self.model, "-o", self.folder / "o.onnx", "--as-inputs", "--nodes", "lats", code=3))

    def test_narrow_types(self):
        narrow = self.folder / "narrow.onnx"
        call("optimize", self.model, "-o", narrow, "--only", "narrow-types")
        files, inputs = self.run_with_files("--names", "rows", model=narrow)
        self.assertEqual(inputs["rows"].dtype, numpy.int32)

    def test_narrow_types_keeps_what_readers_need(self):
        """Reshape's shape is int64 by schema; Add's operand has the type of a computed one; a large number does not fit."""
        graph = helper.make_graph(
            [helper.make_node("Reshape", ["i", "shape"], ["r"]), helper.make_node("Add", ["r", "one"], ["a"]),
             helper.make_node("Gather", ["table", "a"], ["t"]), helper.make_node("Cast", ["big"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("Cast", ["small"], ["s"], to=TensorProto.FLOAT), helper.make_node("Cast", ["d"], ["e"], to=TensorProto.FLOAT),
             helper.make_node("Sum", ["t", "f", "s", "e"], ["y"])],
            "g", [helper.make_tensor_value_info("i", TensorProto.INT64, [4])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
            [numpy_helper.from_array(numpy.array([4], numpy.int64), "shape"), numpy_helper.from_array(numpy.array([1], numpy.int64), "one"),
             numpy_helper.from_array(numpy.arange(9, dtype=numpy.float32) / 7, "table"),
             numpy_helper.from_array(numpy.array([1 << 40] * 4, numpy.int64), "big"),
             numpy_helper.from_array(numpy.array([3, 1, -7, 2], numpy.int64), "small"),
             numpy_helper.from_array(numpy.array([0.5, 0.25, 3, 1], numpy.float64), "d")])
        model, out = self.folder / "types.onnx", self.folder / "narrow.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
        call("optimize", model, "-o", out, "--only", "narrow-types", "--allow-growth", "--verify")
        types = {t.name: t.data_type for t in onnx.load(out).graph.initializer}
        expected = {"shape": TensorProto.INT64, "one": TensorProto.INT64, "table": TensorProto.FLOAT, "big": TensorProto.INT64,
                    "small": TensorProto.INT32, "d": TensorProto.FLOAT}
        self.assertEqual(types, expected)
        onnx.checker.check_model(str(out), full_check=True)
        inputs = {"i": numpy.array([0, 3, 5, 7], numpy.int64)}
        self.assertEqual(bits(session_of(model).run(None, inputs)[0]), bits(session_of(out).run(None, inputs)[0]))


if __name__ == "__main__":
    unittest.main()
