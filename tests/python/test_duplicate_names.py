#!/usr/bin/env python3
"""Models that define a name twice: ONNX Runtime decides what they mean, and they must mean the same after every change."""
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
X = np.array([1, 2], np.float32)


def constant(name, *numbers):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(numbers, np.float32)))


def node(op, inputs, output):
    return helper.make_node(op, inputs, [output])


def declared(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])


def weight(name, *numbers):
    return numpy_helper.from_array(np.array(numbers, np.float32), name)


def sparse(name, number, index):
    return helper.make_sparse_tensor(helper.make_tensor(name, TensorProto.FLOAT, [1], [number]),
                                     helper.make_tensor("", TensorProto.INT64, [1], [index]), [2])


def model_of(nodes, weights=(), sparse_weights=()):
    graph = helper.make_graph(list(nodes), "g", [declared("x")], [declared("y")], list(weights), sparse_initializer=list(sparse_weights))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def branches(then_nodes, else_nodes):
    graphs = [helper.make_graph(nodes, "b", [], [declared(nodes[-1].output[0])]) for nodes in (then_nodes, else_nodes)]
    condition = helper.make_node("Constant", [], ["condition"], value=numpy_helper.from_array(np.array(True)))
    return [condition, helper.make_node("If", ["condition"], ["y"], then_branch=graphs[0], else_branch=graphs[1])]


ACCEPTED = {
    "equal constants": model_of([constant("c", 1, 1), node("Add", ["x", "c"], "t"), constant("c", 1, 1), node("Add", ["t", "c"], "y")]),
    "the last constant counts": model_of([constant("c", 1, 1), node("Add", ["x", "c"], "t"), constant("c", 10, 10), node("Add", ["t", "c"], "y")]),
    "three constants": model_of([constant("c", 1, 1), constant("c", 2, 2), node("Add", ["x", "c"], "y"), constant("c", 3, 3)]),
    "a constant hides a weight": model_of([constant("c", 1, 1), node("Add", ["x", "c"], "y")], [weight("c", 5, 5)]),
    "the last weight counts": model_of([node("Add", ["x", "c"], "y")], [weight("c", 5, 5), weight("c", 7, 7)]),
    "a sparse weight hides a weight": model_of([node("Add", ["x", "c"], "y")], [weight("c", 5, 5)], [sparse("c", 9, 0)]),
    "a sparse weight hides a constant": model_of([constant("c", 1, 1), node("Add", ["x", "c"], "y")], [], [sparse("c", 9, 0)]),
    "branches of one node": model_of(branches([constant("k", 1, 1), node("Add", ["x", "k"], "o")], [constant("k", 2, 2), node("Add", ["x", "k"], "p")])),
    "a branch and the node itself": model_of(branches([node("Add", ["x", "x"], "y")], [node("Neg", ["x"], "y")])),
}
REFUSED = {
    "two nodes": model_of([node("Neg", ["x"], "t"), node("Abs", ["x"], "t"), node("Add", ["t", "t"], "y")]),
    "a node and a constant": model_of([constant("t", 1, 1), node("Abs", ["x"], "t"), node("Add", ["t", "t"], "y")]),
    "a node and a weight": model_of([node("Abs", ["x"], "t"), node("Add", ["t", "t"], "y")], [weight("t", 1, 1)]),
    "constants in a branch": model_of(branches([constant("k", 1, 1), constant("k", 2, 2), node("Add", ["x", "k"], "o")], [node("Neg", ["x"], "p")])),
}


def run_with_runtime(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, {"x": X})[0]


class DuplicateNames(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="onnxpress-names-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def onnxpress(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stderr}")
        return done.stderr

    def test_meaning_is_that_of_the_runtime(self):
        for title, model in ACCEPTED.items():
            with self.subTest(title):
                onnx.save(model, self.folder / "m.onnx")
                expected = run_with_runtime(self.folder / "m.onnx")
                np.save(self.folder / "x.npy", X)
                self.onnxpress("run", "m.onnx", "--input", "x=x.npy", "--output-dir", "out")
                np.testing.assert_array_equal(np.load(self.folder / "out" / "y.npy"), expected)

    def test_results_mean_the_same(self):
        ways = [["convert", "m.onnx", "r.onnx", "--encode-anew"], ["convert", "m.onnx", "r.onnx", "--strip", "names,value-info"],
                ["convert", "m.onnx", "r.onnx", "--external-data", "--external-threshold", "0"], ["shrink", "m.onnx", "-o", "r.onnx"],
                ["shrink", "m.onnx", "-o", "r.onnx", "--shorten-names"], ["infer", "m.onnx", "-o", "r.onnx"], ["expand", "m.onnx", "-o", "r.onnx"]]
        for title, model in ACCEPTED.items():
            for number, each in enumerate(model.graph.node):
                each.name = f"node{number}"
            onnx.save(model, self.folder / "m.onnx")
            expected = run_with_runtime(self.folder / "m.onnx")
            for way in ways:
                with self.subTest(title, way=way):
                    self.onnxpress(*way)
                    np.testing.assert_array_equal(run_with_runtime(self.folder / "r.onnx"), expected)
            with self.subTest(title, way="text"):
                self.onnxpress("convert", "m.onnx", "m.onnxtxt")
                self.onnxpress("convert", "m.onnxtxt", "r.onnx")
                np.testing.assert_array_equal(run_with_runtime(self.folder / "r.onnx"), expected)

    def test_copies_are_exact(self):
        for title, model in {**ACCEPTED, **REFUSED}.items():
            with self.subTest(title):
                onnx.save(model, self.folder / "m.onnx")
                self.onnxpress("convert", "m.onnx", "r.onnx")
                self.assertEqual((self.folder / "r.onnx").read_bytes(), (self.folder / "m.onnx").read_bytes())

    def test_what_the_runtime_refuses_is_not_mended_by_guessing(self):
        for title, model in REFUSED.items():
            with self.subTest(title):
                onnx.save(model, self.folder / "m.onnx")
                with self.assertRaises(Exception):
                    run_with_runtime(self.folder / "m.onnx")
                self.onnxpress("check", "m.onnx", code=1)
                for command in ("info", "infer"):
                    self.onnxpress(command, "m.onnx")
                self.assertIn("is the name of two values", self.onnxpress("infer", "m.onnx", "-o", "r.onnx", code=3))


if __name__ == "__main__":
    unittest.main()
