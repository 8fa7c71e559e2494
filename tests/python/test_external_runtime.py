#!/usr/bin/env python3
"""Moves out all weights that may be moved: if ONNX Runtime loads a model, it must also load the result."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress")).resolve()
MODELS = Path(os.environ.get("MODELS", ROOT / "models"))
OFFICIAL = Path(os.environ.get("OFFICIAL_MODELS", "/usr/share/libonnx-testdata/data"))
MOST_BYTES = 3 << 20
EVERY = 4  # of the official models, because there are many similar ones
onnxruntime.set_default_logger_severity(4)


def loads(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return ""
    except Exception as error:  # the runtime's exceptions have no common base
        return str(error)


def has_constants(path):
    graph = onnx.load(path, load_external_data=False).graph
    return bool(graph.initializer) or any(node.op_type == "Constant" for node in graph.node)


class EverythingOutside(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="onnxpress-outside-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def moved(self, source, *options):
        target = self.folder / "moved.onnx"
        done = subprocess.run([PROGRAM, "convert", source, target, "--external-data", "--external-threshold", "0", *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return target, done.stderr

    def require_loading(self, source):
        if not has_constants(source) or loads(source):
            return False
        for options in ([], ["--external-attributes"]):
            self.assertEqual(loads(self.moved(source, *options)[0]), "", f"{source} {options}")
        return True

    def test_real_models(self):
        for source in sorted(MODELS.glob("*.onnx")):
            if source.stat().st_size <= MOST_BYTES:
                with self.subTest(source.name):
                    self.require_loading(source)

    def test_official_models(self):
        sources = [source for source in sorted(OFFICIAL.rglob("model.onnx")) if source.stat().st_size <= MOST_BYTES]
        with_constants = [source for source in sources if has_constants(source)]
        tried = sum(self.require_loading(source) for source in with_constants[::EVERY])
        print(f"{tried} of {len(with_constants)} official models with constants")

    def test_operands_that_shapes_depend_on(self):
        """One model for each op, with the operand as an initializer and as a Constant."""
        cases = {
            "Reshape": (np.array([3, 2], np.int64), ["x", "k"]), "Expand": (np.array([4, 2, 3], np.int64), ["x", "k"]),
            "Tile": (np.array([2, 1], np.int64), ["x", "k"]), "Unsqueeze": (np.array([0], np.int64), ["x", "k"]),
            "ReduceSum": (np.array([1], np.int64), ["x", "k"]), "Pad": (np.array([0, 1, 0, 1], np.int64), ["x", "k"]),
            "Resize": (np.array([1, 2], np.float32), ["x", "", "k"]), "TopK": (np.array([2], np.int64), ["x", "k"]),
            "Slice": (np.array([0, 1], np.int64), ["x", "k", "k"]), "Split": (np.array([1, 1], np.int64), ["x", "k"]),
        }
        for op, (array, inputs) in cases.items():
            for as_constant in (False, True):
                with self.subTest(op, as_constant=as_constant):
                    tensor = numpy_helper.from_array(array, "k")
                    outputs = ["y", "z"] if op in ("TopK", "Split") else ["y"]
                    nodes = [helper.make_node("Constant", [], ["k"], value=tensor)] if as_constant else []
                    nodes.append(helper.make_node(op, inputs, outputs))
                    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
                    graph = helper.make_graph(nodes, "g", [x], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [] if as_constant else [tensor])
                    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
                    source = self.folder / "m.onnx"
                    onnx.save(model, source)
                    self.assertTrue(self.require_loading(source))
                    self.assertIn("stays inside", self.moved(source, "--external-attributes")[1])

    def test_external_shapes_come_inside(self):
        """A file that ONNX Runtime refuses because a shape is in an external file can be loaded after we write it again."""
        x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in (("x", [2, 3]), ("y", None)))
        tensors = [numpy_helper.from_array(np.array([3, 2], np.int64), "k"), numpy_helper.from_array(np.ones((2, 3), np.float32), "w")]
        nodes = [helper.make_node("Add", ["x", "w"], ["t"]), helper.make_node("Reshape", ["t", "k"], ["y"])]
        model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], tensors), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        source = self.folder / "m.onnx"
        onnx.save_model(model, source, save_as_external_data=True, size_threshold=0, location="all.bin")
        self.assertIn("external", loads(source))
        target, said = self.moved(source)
        self.assertEqual(loads(target), "")
        self.assertIn("1 tensor stays inside", said)


if __name__ == "__main__":
    unittest.main()
