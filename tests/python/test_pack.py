"""`shrink --pack` and tensors quantized twice: smaller, and the same bits in ONNX Runtime with and without folding."""
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
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
LEVELS = (onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)


def model_of(constants, opset=17):
    """Makes each constant an output, to see the bits that a runtime gets."""
    nodes, outputs = [], []
    for name, array in constants.items():
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        nodes.append(helper.make_node("Transpose", [name], [f"{name}_out"], perm=list(range(array.ndim))))
        outputs.append(helper.make_tensor_value_info(f"{name}_out", kind, array.shape))
    graph = helper.make_graph(nodes, "g", [], outputs, [numpy_helper.from_array(array, name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8 if opset > 8 else 4)


def outputs_of(path, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, {})


class PackTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.random = numpy.random.default_rng(1)

    def shrink(self, constants, *options, opset=17, **expected):
        """Returns the methods that were used, by name. Compares bits in ONNX Runtime, and after `expand`."""
        before, after, back = (self.folder / name for name in ("before.onnx", "after.onnx", "back.onnx"))
        onnx.save(model_of(constants, opset), before)
        done = subprocess.run([ONNXPRESS, "shrink", before, "-o", after, "--json", *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(after.stat().st_size, before.stat().st_size)
        self.ratio = after.stat().st_size / before.stat().st_size
        self.report = json.loads(done.stdout)
        for level in LEVELS:
            for array, found in zip(constants.values(), outputs_of(after, level), strict=True):
                self.assertEqual(array.tobytes(), found.tobytes(), level)
        subprocess.run([ONNXPRESS, "expand", after, "-o", back], check=True, capture_output=True)
        stored = {each.name: numpy_helper.to_array(each).tobytes() for each in onnx.load(back).graph.initializer}
        for name, array in constants.items():
            self.assertEqual(stored.get(name, stored.get(f"{name}_out")), array.tobytes(), name)  # expand also computes Transpose
        return {line["method"]: line["count"] for line in self.report["methods"]}

    def floats(self, *shape):
        return (self.random.standard_normal(shape) * 0.05).astype(numpy.float32)

    def strange_floats(self):
        w = self.floats(96, 97)
        odd = numpy.array([0x7fc12345, 0xffc00001, 0x7f800000, 0xff800000, 0x80000000, 0, 1, 0x807fffff, 0x00800000, 0x0b7fffff,
                           0x7f7fffff, 0x7f000000], numpy.uint32).view(numpy.float32)
        w.reshape(-1)[::700][:len(odd)] = odd
        w[-1, -1] = numpy.float32(numpy.nan)
        return w

    def test_packs_floats(self):
        methods = self.shrink({"w": self.floats(128, 129)}, "--pack")
        self.assertIn("packed-floats", methods)
        self.assertLess(self.ratio, 0.9)
        self.assertGreater(self.report["load_seconds"]["after"], 0)

    def test_keeps_every_bit_of_strange_floats(self):
        for opset in (7, 9, 11, 13, 21):
            with self.subTest(opset=opset):
                methods = self.shrink({"w": self.strange_floats()}, "--pack", opset=opset)
                # Before opset 11 there is no op that puts exceptions into their places.
                self.assertEqual("packed-floats" in methods, opset >= 11)
        zeros = self.floats(100, 100)
        zeros[self.random.random(zeros.shape) < 0.3] = 0
        zeros[self.random.random(zeros.shape) < 0.1] *= -0.0
        self.assertIn("packed-floats", self.shrink({"w": zeros}, "--pack", opset=7))

    def test_packs_codes_with_outliers(self):
        for kind in (numpy.int8, numpy.uint8):
            for spread, bits in ((1.0, 3), (3.0, 4), (6.0, 5), (12.0, 6)):
                codes = numpy.clip(numpy.round(self.random.standard_normal((90, 101)) * spread), -128, 127)
                codes[0, :4] = (-128, 127, 100, -100)
                codes = (codes if kind is numpy.int8 else codes + 128).astype(kind)
                methods = self.shrink({"w": codes}, "--pack")
                self.assertIn("packed-codes", methods)
                self.assertLess(self.ratio, (bits + 1.2) / 8)

    def test_packs_only_when_asked(self):
        methods = self.shrink({"w": self.floats(128, 129)})
        self.assertFalse([each for each in methods if each.startswith("packed")])

    def twice(self, shape):
        """Like a tied embedding that two tools quantized: uint8 with a zero point, and int8, transposed."""
        w = self.random.standard_normal(shape)
        low, high = w.min(), w.max()
        first = numpy.clip(numpy.round((w - low) / (high - low) * 255), 0, 255).astype(numpy.uint8)
        second = numpy.clip(numpy.round(w / numpy.abs(w).max() * 127), -128, 127).astype(numpy.int8)
        return first, second

    def test_stores_what_was_quantized_twice_once(self):
        first, second = self.twice((120, 64))
        for other in (second, numpy.ascontiguousarray(second.T)):
            methods = self.shrink({"a": first, "b": other})
            self.assertEqual(methods.get("mapped"), 1)
            self.assertLess(self.ratio, 0.75)  # of the second tensor, one bit in eight is left, and a table

    def test_computes_floats_from_codes_and_leaves_what_has_exceptions(self):
        _, codes = self.twice((120, 64))
        floats = (codes.astype(numpy.float32) * numpy.float32(0.0371)).T.copy()
        floats[5, 7] = 3.25  # one number that fits no code
        self.assertEqual(self.shrink({"a": codes, "b": floats}, "--skip", "exact-codes", "--skip", "palette").get("mapped"), 1)
        self.assertLess(self.ratio, 0.35)
        shuffled = self.random.permutation(codes.reshape(-1)).reshape(codes.shape).view(numpy.uint8)
        self.assertNotIn("mapped", self.shrink({"a": codes, "b": shuffled}))


if __name__ == "__main__":
    unittest.main()
