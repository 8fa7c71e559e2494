#!/usr/bin/env python3
"""Every kind of generated model passes the checker of the `onnx` package and runs in ONNX Runtime."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress")).resolve()
KINDS = {
    "chain": ["--nodes", "50", "--value-info"],
    "transformer": ["--layers", "2", "--hidden", "16", "--vocab", "30"],
    "weights": ["--bytes", "100KB"],
    "subgraphs": ["--depth", "30"],
    "wide": ["--nodes", "40"],
    "constants": ["--layers", "3", "--hidden", "8"],
    "functions": ["--layers", "3", "--hidden", "8"],
}
NO_KERNEL = {("transformer", "double"), ("functions", "double")}  # ONNX Runtime has no Erf and LeakyRelu of double
NUMPY = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(bool)": bool}


class Generate(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="onnxpress-generate-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def generate(self, kind, *options, name="m.onnx"):
        path = self.folder / name
        done = subprocess.run([PROGRAM, "generate", kind, "-o", path, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def run_model(self, path):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        feeds = {each.name: np.ones([2 if isinstance(dim, str) else dim for dim in each.shape], NUMPY[each.type]) for each in session.get_inputs()}
        return session.run(None, feeds)

    def assert_valid(self, path):
        onnx.checker.check_model(path, full_check=True)
        done = subprocess.run([PROGRAM, "check", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_kind_is_valid_and_runs(self):
        for kind, sizes in KINDS.items():
            for more in ([], ["--external-data", "w.data", "--external-threshold", "100"], ["--opset", "17"]):
                with self.subTest(kind=kind, options=more):
                    path = self.generate(kind, *sizes, *more)
                    self.assert_valid(path)
                    for array in self.run_model(path):
                        self.assertTrue(np.isfinite(array).all())

    def test_types(self):
        for kind in ("chain", "transformer", "constants", "functions", "subgraphs"):
            for element in ("float16", "double"):
                with self.subTest(kind=kind, type=element):
                    path = self.generate(kind, *KINDS[kind], "--type", element)
                    self.assert_valid(path)
                    if (kind, element) not in NO_KERNEL:
                        self.assertTrue(all(np.isfinite(array).all() for array in self.run_model(path)))
        for element in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "double"):
            with self.subTest(kind="weights", type=element):
                self.assert_valid(self.generate("weights", "--bytes", "10KB", "--type", element))

    def test_content(self):
        path = self.generate("weights", "--bytes", "40KB", "--tensors", "1", "--fill", "arange")
        weight = onnx.numpy_helper.to_array(onnx.load(path).graph.initializer[0])
        np.testing.assert_array_equal(weight.ravel(), np.arange(weight.size, dtype=np.float32))
        path = self.generate("weights", "--bytes", "4MB", "--tensors", "1", "--type", "float16")
        weight = onnx.numpy_helper.to_array(onnx.load(path).graph.initializer[0]).astype(np.float32)
        self.assertTrue(((np.abs(weight) >= 2**-7) & (np.abs(weight) < 2**-5)).all())
        self.assertLess(abs(weight.mean()), 1e-4)

    def test_same_seed_same_bytes(self):
        for kind, sizes in KINDS.items():
            first = self.generate(kind, *sizes, "--seed", "7", name="a.onnx").read_bytes()
            self.assertEqual(first, self.generate(kind, *sizes, "--seed", "7", name="b.onnx").read_bytes(), kind)

    def test_large_and_sparse(self):
        started = time.monotonic()
        path = self.generate("weights", "--bytes", "50GB", "--fill", "zeros")
        self.assertLess(time.monotonic() - started, 20)
        data = path.with_name("m.onnx.data")
        self.assertGreaterEqual(data.stat().st_size, 50_000_000_000)
        self.assertLess(data.stat().st_blocks * 512, 10_000_000)


if __name__ == "__main__":
    unittest.main()
