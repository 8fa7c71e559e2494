"""`onnxpress generate ARCHITECTURE`: `profile` counts the known multiply-adds and parameters, every model is valid, small ones run."""
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

from architectures import ROWS

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
RUN = ["squeezenet-1.1", "shufflenet-v2", "mobilenet-v2", "swin-tiny"]


def call(*arguments):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


class Architectures(unittest.TestCase):
    def test_counts(self):
        for row in ROWS:
            with self.subTest(name=row.name), tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "m.onnx"
                call("generate", row.name, "-o", path)
                self.assertLess(path.stat().st_size, 300_000)
                onnx.checker.check_model(str(path), full_check=False)
                dims = [word for name, size in row.dims.items() for word in ("--dim", f"{name}={size}")]
                report = json.loads(call("profile", path, *dims, "--json"))
                self.assertEqual(report["macs"]["value"], row.macs)
                self.assertFalse(report["macs"]["at_least"])
                self.assertEqual(report["loaded_parameters"], row.parameters)
                self.assertEqual(report["memory"]["unknown"], 0)
                if row.published_macs and row.name not in ("yolov4", "bidaf"):  # their elementwise operations may add this much
                    self.assertLess(abs(row.published_macs - row.macs / 1e6) / row.published_macs, 0.12)

    def test_resnet50_as_other_tools_count(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            call("generate", "resnet50", "-o", path)
            for count, expected in [("mac", 4_089_184_256), ("fvcore", 4_111_512_576), ("thop", 4_133_742_592), ("onnx-tool", 4_450_761_704)]:
                with self.subTest(count=count):
                    self.assertEqual(json.loads(call("profile", path, "--count", count, "--json"))["work"]["value"], expected)

    def test_published_table_is_covered(self):
        self.assertGreaterEqual(sum(row.published_macs is not None for row in ROWS), 26)

    def test_small_ones_run(self):
        for name in RUN:
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "m.onnx"
                call("generate", name, "-o", path)
                session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
                for each in session.run(None, {"input": numpy.ones((1, 3, 224, 224), numpy.float32)}):
                    self.assertTrue(numpy.isfinite(each).all())


if __name__ == "__main__":
    unittest.main()
