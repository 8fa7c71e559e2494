"""Compares `onnxpress info` with the onnx package, on every official and every fetched real model."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import onnx
    from onnx import AttributeProto
except ImportError:
    print("SKIPPED: test_models_info needs the onnx package (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
FOLDERS = [Path("/usr/share/libonnx-testdata/data"), Path(os.environ.get("MODELS", "models"))]
CONSTANT_VALUES = {"value_float", "value_floats", "value_int", "value_ints", "value_string", "value_strings"}


class Counts:
    """Nodes, tensors and their elements, as the onnx package sees them."""

    def __init__(self, model):
        self.nodes = self.tensors = self.elements = 0
        self.graph(model.graph)
        for function in model.functions:
            self.node_list(function.node)
            for attribute in function.attribute_proto:
                self.attribute(None, attribute)
        for training in model.training_info:
            self.graph(training.initialization)
            self.graph(training.algorithm)

    def graph(self, graph):
        for tensor in graph.initializer:
            self.tensor(tensor)
        for sparse in graph.sparse_initializer:
            self.sparse(sparse)
        self.node_list(graph.node)

    def node_list(self, nodes):
        for node in nodes:
            self.nodes += 1
            for attribute in node.attribute:
                self.attribute(node, attribute)

    def attribute(self, node, attribute):
        for tensor in [attribute.t] * attribute.HasField("t") + list(attribute.tensors):
            self.tensor(tensor)
        for sparse in [attribute.sparse_tensor] * attribute.HasField("sparse_tensor") + list(attribute.sparse_tensors):
            self.sparse(sparse)
        for graph in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
            self.graph(graph)
        is_constant = node is not None and node.op_type == "Constant" and node.domain in ("", "ai.onnx")
        if is_constant and attribute.name in CONSTANT_VALUES and not attribute.ref_attr_name:
            lists = {AttributeProto.FLOATS: attribute.floats, AttributeProto.INTS: attribute.ints, AttributeProto.STRINGS: attribute.strings}
            self.tensors += 1
            self.elements += len(lists[attribute.type]) if attribute.type in lists else 1

    def sparse(self, sparse):
        self.tensor(sparse.values)
        self.tensors += 1  # the indices, which are not parameters

    def tensor(self, tensor):
        count = 1
        for dim in tensor.dims:
            count *= dim
        self.tensors += 1
        self.elements += count


class Info(unittest.TestCase):
    def test_info_agrees_with_onnx(self):
        folders = [str(folder) for folder in FOLDERS if list(folder.rglob("*.onnx"))]
        for folder in FOLDERS:
            if str(folder) not in folders:
                print(f"SKIPPED: no models in {folder}", file=sys.stderr)
        if not folders:
            sys.exit(77)
        done = subprocess.run([ONNXPRESS, "info", "--json", *folders], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        reports = json.loads(done.stdout)["models"]
        for report in reports:
            with self.subTest(report["file"]):
                self.compare(report)
        print(f"info agrees with the onnx package on {len(reports)} models")

    def compare(self, report):
        size = os.path.getsize(report["file"])
        self.assertEqual(report["file_bytes"], size)
        self.assertEqual(report["bytes"]["total"], size)
        self.assertEqual(sum(part["bytes"] for part in report["bytes"]["parts"]), size)
        model = onnx.load(report["file"], load_external_data=False)
        self.assertEqual(report["ir_version"], model.ir_version)
        self.assertEqual([(o["domain"], o["version"]) for o in report["opsets"]], [(o.domain or "ai.onnx", o.version) for o in model.opset_import])
        defaults = {tensor.name for tensor in model.graph.initializer} | {sparse.values.name for sparse in model.graph.sparse_initializer}
        self.assertEqual([value["name"] for value in report["inputs"]], [i.name for i in model.graph.input if i.name not in defaults])
        self.assertEqual([value["name"] for value in report["outputs"]], [o.name for o in model.graph.output])
        counts = Counts(model)
        self.assertEqual(report["nodes"]["total"], counts.nodes)
        self.assertEqual(sum(op["nodes"] for op in report["nodes"]["by_op"]), counts.nodes)
        self.assertEqual(report["weights"]["tensors"], counts.tensors)
        self.assertEqual(report["weights"]["parameters"], counts.elements)


if __name__ == "__main__":
    unittest.main()
