#!/usr/bin/env python3
"""`verify MODEL --nodes`: our evaluator against ONNX Runtime, node by node.

Skips (exit code 77) without the Python packages onnx and onnxruntime.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime  # noqa: F401  (the command finds its library)
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/dev/onnxpress")


def model_of(nodes, inputs, outputs, initializers=(), opset=17):
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializer=initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


class CompareNodes(unittest.TestCase):
    def compare(self, model, *options, inputs=None):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            onnx.save(model, path)
            if inputs:
                sample = Path(folder) / "samples" / "one"
                sample.mkdir(parents=True)
                for name, array in inputs.items():
                    np.save(sample / f"{name}.npy", array)
                options += ("--samples", sample.parent)
            done = subprocess.run([ONNXPRESS, "verify", path, "--nodes", "--json", *options], capture_output=True)
            self.assertIn(done.returncode, (0, 1), done.stderr.decode())
            report = json.loads(done.stdout)
            self.assertEqual(done.returncode, 1 if report["suspicious"] else 0)
            return report

    def test_nodes_that_agree(self):
        weights = numpy_helper.from_array(np.random.default_rng(0).normal(size=(32, 16)).astype(np.float32), "w")
        model = model_of([helper.make_node("MatMul", ["x", "w"], ["a"], "product"),
                          helper.make_node("Softmax", ["a"], ["b"], "shares"),
                          helper.make_node("ArgMax", ["b"], ["y"], "best")],
                         [value("x", [4, 32])], [value("y", None, TensorProto.INT64)], [weights])
        report = self.compare(model)
        self.assertEqual((report["nodes"], report["compared"], report["suspicious"]), (3, 3, 0))
        lines = {line["node"]: line for line in report["lines"]}
        self.assertLessEqual(lines["shares"]["ours_ulps"], 1)
        self.assertGreater(lines["product"]["ours_snr"], 120)

    def test_ops_that_never_became_standard(self):
        nodes = [helper.make_node("ImageScaler", ["x"], ["a"], "a", scale=0.5, bias=[0.1, 0.2, 0.3]),
                 helper.make_node("Affine", ["a"], ["b"], "b", alpha=2.0, beta=0.25),
                 helper.make_node("ParametricSoftplus", ["b"], ["c"], "c", alpha=1.5, beta=0.7),
                 helper.make_node("ScaledTanh", ["c"], ["d"], "d", alpha=1.7, beta=0.6),
                 helper.make_node("Scale", ["d"], ["e"], "e", scale=3.0),
                 helper.make_node("Crop", ["e"], ["f"], "f", border=[1, 0, 2, 1]),
                 helper.make_node("Crop", ["f"], ["g"], "g", border=[1, 2, 9, 9], scale=[2, 2]),
                 helper.make_node("DynamicSlice", ["g", "start", "end", "axis"], ["y"], "y")]
        numbers = [numpy_helper.from_array(np.array([n]), name) for n, name in ((1, "start"), (9, "end"), (3, "axis"))]
        report = self.compare(model_of(nodes, [value("x", [2, 3, 5, 6])], [value("y", None)], numbers, opset=7))
        self.assertEqual((report["nodes"], report["compared"], report["suspicious"]), (8, 8, 0))
        self.assertLessEqual(max(line["ours_ulps"] for line in report["lines"]), 2.5)

    def test_finds_the_node_that_differs(self):
        # ONNX Runtime's Sigmoid stops at -18 (1.5e-8); the nodes before and after it are the same in both.
        model = model_of([helper.make_node("Neg", ["x"], ["a"], "before"),
                          helper.make_node("Sigmoid", ["a"], ["b"], "different"),
                          helper.make_node("Mul", ["b", "b"], ["y"], "behind")],
                         [value("x", [3])], [value("y", [3])])
        report = self.compare(model, inputs={"x": np.array([20, 30, 40], np.float32)})
        self.assertEqual(report["suspicious"], 1)
        self.assertEqual((report["lines"][0]["node"], report["lines"][0]["verdict"]), ("different", "runtime"))
        self.assertLessEqual(report["lines"][0]["ours_ulps"], 1)

    def test_looks_into_the_branch_that_is_taken(self):
        branches = {}
        for name, op in (("then_branch", "Exp"), ("else_branch", "Tanh")):
            branches[name] = helper.make_graph(
                [helper.make_node("Mul", ["x", "two"], ["t"], f"{op} twice"), helper.make_node(op, ["t"], ["r"], op)],
                name, [], [value("r", [2])], [numpy_helper.from_array(np.float32([2, 2]), "two")])
        model = model_of([helper.make_node("If", ["flag"], ["y"], "choice", **branches)],
                         [value("flag", [], TensorProto.BOOL), value("x", [2])], [value("y", [2])])
        for flag, inside in ((True, "Exp"), (False, "Tanh")):
            report = self.compare(model, inputs={"flag": np.array(flag), "x": np.float32([0.5, -0.25])})
            self.assertEqual((report["inlined"], report["suspicious"], report["skipped"]), (1, 0, []))
            self.assertIn(inside, [line["node"] for line in report["lines"]])

    def test_says_how_errors_grow(self):
        # Each step multiplies the error by four, so both are far off at the end, and no node is the cause.
        nodes, last = [], "x"
        for i in range(12):
            nodes += [helper.make_node("Mul", [last, last], [f"s{i}"]), helper.make_node("Sub", ["one", f"s{i}"], [f"d{i}"]),
                      helper.make_node("Mul", [f"d{i}", "two"], [f"m{i}"]), helper.make_node("Sub", [f"m{i}", "one"], [f"x{i}"]),
                      helper.make_node("Sin", [f"x{i}"], [f"n{i}"])]
            last = f"n{i}"
        nodes.append(helper.make_node("Identity", [last], ["y"]))
        constants = [numpy_helper.from_array(np.float32(v), n) for n, v in (("one", 1), ("two", 2))]
        report = self.compare(model_of(nodes, [value("x", [64])], [value("y", [64])], constants))
        self.assertEqual(report["suspicious"], 0)
        drift = report["outputs"][0]
        self.assertEqual(drift["output"], "y")
        self.assertLess(abs(drift["ours_snr"] - drift["runtime_snr"]), 20)


if __name__ == "__main__":
    unittest.main()
