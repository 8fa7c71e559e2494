"""What onnx refuses, place by place of its sources (onnx_refusals.tsv, written by scripts/update_refusals), and what `check` says about it.

A row names a golden and our code, or the reason why there is none. For rows with a node, onnx must refuse that node in the model of the
golden, and the golden must show our code for it. The other way round, nothing that `check` calls an error in these goldens is accepted
by onnx and by ONNX Runtime, and what it accepts there both of them accept.
"""
import collections
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import onnx
    import onnxruntime
except ImportError:
    print("SKIPPED: needs onnx and onnxruntime (scripts/setup test installs them)")
    sys.exit(77)

import refusals

# Goldens of rules of operators, in which every node is a case.
FAMILIES = ("reports_", "accepts_", "warns_of_pools_")


def alone(model, node):
    """The model with only this node and the constants before it."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.node[:], made.graph.output[:], made.graph.value_info[:]
    made.graph.node.extend([each for each in model.graph.node if each.op_type == "Constant" and each.name != node.name])
    made.graph.node.append(node)
    made.graph.output.extend([onnx.ValueInfoProto(name=name) for name in node.output if name])
    return made


def runs(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        path.write_bytes(model.SerializeToString())
        try:
            onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        except Exception as problem:  # the package raises several kinds
            return str(problem)
    return None


def case_goldens():
    """Goldens whose nodes are cases: written for this table, so that each node has a name and the last one is `out`."""
    for golden in refusals.goldens():
        nodes = golden.model.graph.node
        if nodes and nodes[-1].name == "out" and golden.name.startswith(FAMILIES):
            yield golden


class Refusals(unittest.TestCase):
    def setUp(self):
        onnxruntime.set_default_logger_severity(4)

    def test_every_place_has_an_answer(self):
        goldens = {golden.name: golden for golden in refusals.goldens()}
        said = {name: collections.defaultdict(list) for name in goldens}
        for name, golden in goldens.items():
            for node, message in refusals.said_by_inference(golden.model):
                said[name][node].append(message)
            if (message := refusals.said_by_checker(golden.model)) is not None:
                said[name]["model"].append(message)
        seen = set()
        for row in refusals.rows():
            with self.subTest(row[:3]):
                self.assertEqual(len(row), 8)
                self.assertNotIn(row[:3], seen)
                seen.add(row[:3])
                name, node, code, words = row[4:]
                self.assertGreater(len(words), 5, "a reason or a message")
                self.assertFalse(words.startswith(("TODO", "open:")), "no answer")
                if name == "-":
                    continue
                text = (refusals.GOLDENS / f"{name}.golden").read_text()
                shown = [found for found in refusals.findings(text) if found[0] == code]
                self.assertTrue(shown, f"{name} does not show {code}")
                if node not in ("file", "model"):
                    self.assertTrue(any(f"node '{node}'" in place for _, place, _ in shown), f"{name} shows no {code} for {node}")
                if node != "file":
                    self.assertTrue(said[name][node], f"onnx does not refuse {node} in {name}")
        print(f"{len(seen)} places")

    def test_errors_are_refused_and_the_rest_is_accepted(self):
        counts = collections.Counter()
        for golden in case_goldens():
            refused = {node for node, _ in refusals.said_by_inference(golden.model)}
            wrong = {name[1] for _, place, _ in golden.findings if (name := refusals.NODE.search(place))}
            for node in golden.model.graph.node:
                if not node.name or node.op_type == "Constant" and node.name.startswith("const"):
                    continue
                with self.subTest(golden=golden.name, node=node.name):
                    if node.name in wrong:
                        counts["refused"] += 1
                        self.assertTrue(node.name in refused or runs(alone(golden.model, node)), "onnx and ONNX Runtime accept it")
                    else:
                        counts["accepted"] += 1
                        self.assertNotIn(node.name, refused)
        print(dict(counts))
        self.assertGreater(counts["refused"], 150)
        self.assertGreater(counts["accepted"], 50)


if __name__ == "__main__":
    unittest.main()
