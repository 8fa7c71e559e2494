"""Real models: shrunk files are never larger, load in ONNX Runtime, and give the same outputs bit for bit; expanding a shrunk
model gives back every tensor bit for bit. The tensors are compared with the onnx package, not by our own reader.

LARGEST=bytes takes larger models, too (default: 30 MB; htdemucs has 174 MB).
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ARGUMENTS, sys.argv = sys.argv[1:], sys.argv[:1]
from test_models_run import MERGED, inputs_of  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
LARGEST = int(os.environ.get("LARGEST", "30000000"))


def call(*arguments):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return json.loads(done.stdout)


def session_of(path):
    """A session without optimizations, also without packing weights at load: ONNX Runtime packs those of the graph itself and of the one
    around it, but not those from further out, and the packed kernels round differently."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.disable_prepacking", "1")
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def bits(array):
    return str(array.dtype), array.shape, array.tobytes()


def constants_of(graph):
    """{name: bits} of the initializers and Constant nodes of one graph, without initializers that are inputs."""
    overridable = {value.name for value in graph.input}
    found = {t.name: bits(onnx.numpy_helper.to_array(t)) for t in graph.initializer if t.name not in overridable}
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            found[node.output[0]] = bits(onnx.numpy_helper.to_array(node.attribute[0].t))
        elif node.op_type == "Constant" and node.attribute[0].name in ("value_int", "value_ints"):
            found[node.output[0]] = bits(numpy.array(onnx.helper.get_attribute_value(node.attribute[0]), numpy.int64))
        elif node.op_type == "Constant" and node.attribute[0].name in ("value_float", "value_floats"):
            found[node.output[0]] = bits(numpy.array(onnx.helper.get_attribute_value(node.attribute[0]), numpy.float32))
    return found


def operands_of(graph, outer=None, path=()):
    """{(place, op, name of the first result): constant operands by position} of all nodes, bodies included."""
    known = {**(outer or {}), **constants_of(graph)}
    found = {}
    for node in graph.node:
        if node.op_type == "Constant":
            continue
        key = (*path, node.op_type, node.output[0])
        found[key] = [known.get(name) for name in node.input]
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found |= operands_of(attribute.g, known, (*key, attribute.name))
    return found


class ShrinkTest(unittest.TestCase):
    def check_model(self, path, folder):
        small, back = folder / "small.onnx", folder / "back.onnx"
        report = call("shrink", path, "-o", small, "--json")
        before, after = path.stat().st_size, small.stat().st_size
        self.assertEqual((report["before"]["file"], report["after"]["file"]), (before, after))
        self.assertLess(after, before + 1)
        onnx.checker.check_model(str(small))
        self.assertGreaterEqual(min(m["saved"] for m in report["methods"]), 0, "a method that does not save is left out")
        call("expand", small, "-o", back, "--json")
        expected, found = operands_of(onnx.load(path).graph), operands_of(onnx.load(back).graph)
        self.assertLessEqual(set(found), set(expected))
        compared = 0
        for key, operands in found.items():
            for operand, original in zip(operands, expected[key], strict=True):
                # The exporter's own nodes on constants are folded as well; for those there is nothing to compare.
                if original is not None:
                    self.assertEqual(operand, original, f"{key} has other constants")
                    compared += 1
        self.assertGreater(compared, 0)
        print(f"{path.name:<36} {before:>12,} -> {after:>12,}  -{100 * (before - after) / before:.2f} %", flush=True)
        return small

    def check_outputs(self, path, small):
        session, shrunk = session_of(path), session_of(small)
        for use_cache in MERGED if "decoder_merged" in path.stem else [False]:
            inputs = inputs_of(path.stem, session, use_cache, numpy.random.default_rng(7))
            for a, b in zip(session.run(None, inputs), shrunk.run(None, inputs)):
                self.assertEqual(bits(a), bits(b))
        onnxruntime.InferenceSession(str(small), providers=["CPUExecutionProvider"])  # with all optimizations

    def check(self, path):
        with tempfile.TemporaryDirectory() as folder:
            self.check_outputs(path, self.check_model(path, Path(folder)))

    def test_report_tells_own_memory_from_mapped_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "large.onnx"
            subprocess.run([ONNXPRESS, "generate", "weights", "-o", path, "--bytes", "300MB", "--fill", "zeros"], check=True, capture_output=True)
            report = call("shrink", path, "-o", Path(folder) / "small.onnx", "--json")
            self.assertGreater(report["peak_anonymous"], 1_000_000)
            self.assertGreater(report["peak_memory"] - report["peak_anonymous"], 100_000_000)  # pages of the file

    def test_models(self):
        paths = [p for p in MODELS.glob("*.onnx") if p.stat().st_size <= LARGEST and (not ARGUMENTS or p.stem in ARGUMENTS)]
        if not paths:
            self.skipTest("no models (scripts/fetch_models)")
        paths.sort(key=lambda path: -path.stat().st_size)  # the largest first, so that no core waits for it at the end
        with ThreadPoolExecutor(2) as pool:
            checks = {path: pool.submit(self.check, path) for path in paths}
            for path, check in checks.items():
                with self.subTest(path.name):
                    check.result()


if __name__ == "__main__":
    unittest.main(verbosity=1)
