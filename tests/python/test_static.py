"""`quantize --activations static`: layers between QuantizeLinear and DequantizeLinear load and run in ONNX Runtime at all optimization levels, become
integer kernels there, and reach the requested quality."""
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
    from onnx import TensorProto
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

from fresh_inputs import Fresh  # noqa: E402
from strange_models import Net  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
LEVELS = onnxruntime.GraphOptimizationLevel


def model():
    """Convolutions (one with groups), a residual, pools, Concat, Gemm with a bias, MatMul."""
    net = Net(3)
    x = net.conv(net.input("x", [1, 3, 24, 24]), 3, 16, stride=2)
    y = net.conv(net.conv(x, 16, 16, groups=16), 16, 16, size=1, relu=False)
    x = net.op("Relu", net.op("Add", x, y))
    x = net.op("Concat", net.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]),
               net.op("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2]), axis=1)
    x = net.op("Flatten", net.op("GlobalAveragePool", net.conv(x, 32, 48)))
    x = net.op("Relu", net.op("Gemm", x, net.weight([32, 48], 48), net.bias(32), transB=1))
    net.output(net.op("MatMul", x, net.weight([32, 10], 32, channel_axis=1)), "y")
    return net.model()


class StaticTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path, self.made = self.folder / "model.onnx", self.folder / "made.onnx"
        onnx.save(model(), self.path)

    def quantize(self, *options, code=0):
        done = subprocess.run([ONNXPRESS, "quantize", self.path, "-o", self.made, *options, "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    def test_runs_at_all_levels_as_integers(self):
        random = numpy.random.default_rng(5)
        x = random.standard_normal((1, 3, 24, 24)).astype(numpy.float32)
        expected = onnxruntime.InferenceSession(str(self.path)).run(None, {"x": x})[0]
        for ranges in ("min-max", "entropy"):  # the other test tries all
            report = self.quantize("--activations", "static", "--ranges", ranges)
            self.assertIn(f"6 of 6 layers compute with integers, with ranges of activations by {ranges}", report["note"])
            by_tensor = [line["sqnr"] for line in report["tensors"]]
            self.assertTrue(min(by_tensor) <= report["sqnr"] <= max(by_tensor), report["sqnr"])  # it used to be "exact" by mistake
            for level in (LEVELS.ORT_DISABLE_ALL, LEVELS.ORT_ENABLE_BASIC, LEVELS.ORT_ENABLE_EXTENDED, LEVELS.ORT_ENABLE_ALL):
                options = onnxruntime.SessionOptions()
                options.graph_optimization_level = level
                options.optimized_model_filepath = str(self.folder / "optimized.onnx")
                session = onnxruntime.InferenceSession(str(self.made), options, providers=["CPUExecutionProvider"])
                y = session.run(None, {"x": x})[0]
                snr = 10 * numpy.log10((expected ** 2).sum() / ((expected - y) ** 2).sum())
                self.assertGreater(snr, 22, f"{ranges} {level}")
        ops = {node.op_type for node in onnx.load(self.folder / "optimized.onnx").graph.node}
        for op in ("QLinearConv", "QLinearAdd", "QLinearConcat", "QLinearAveragePool", "QLinearGlobalAveragePool", "QGemm"):
            self.assertIn(op, ops)

    def test_keeps_the_quality(self):
        fresh = Fresh(self.path, 2)
        plain = self.quantize("--activations", "static")
        asked = round(plain["reached"]) + 6
        report = self.quantize("--activations", "static", "--quality", str(asked))
        self.assertEqual((report["refused"], report["asked"]), ("", asked), report["note"])
        self.assertRegex(report["note"], "[1-5] of 6 layers compute with integers.*these stay floats")
        self.assertGreater(fresh.worst(self.made)[1], asked - 0.5)

    def test_needs_opset_13(self):
        old = model()
        old.opset_import[0].version = 11
        onnx.save(old, self.path)
        self.assertIn("opset 11 has no DequantizeLinear by channel", self.quantize("--activations", "static", code=3))


if __name__ == "__main__":
    unittest.main()
