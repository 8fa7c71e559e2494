"""`quantize --compensate`: rounding errors that cancel out improve outputs at the same size, on inputs that were never seen; and the
same command writes the same bytes, whatever the number of threads."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import onnx
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

import strange_models  # noqa: E402
from fresh_inputs import Fresh  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")


class CompensationTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def save(self, name):
        path = self.folder / f"{name}.onnx"
        onnx.save(strange_models.build(name, 1), path)
        return path

    def quantize(self, path, *options):
        made = self.folder / "made.onnx"
        done = subprocess.run([ONNXPRESS, "quantize", path, "-o", made, *options, "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return made, json.loads(done.stdout)

    def test_same_size_and_better_outputs(self):
        for name in ("residual",):
            path = self.save(name)
            fresh = Fresh(path, 2)
            found = {}
            for how in ("off", "on"):
                made, report = self.quantize(path, "--to", "int4", "--compensate", how)
                found[how] = made.stat().st_size, fresh.worst(made)[1]
                methods = {line["method"] for line in report["tensors"]}
                self.assertEqual(any("compensation" in each for each in methods), how == "on")
            print(name, found, flush=True)
            self.assertLessEqual(found["on"][0], found["off"][0] * 1.01)
            self.assertGreater(found["on"][1], found["off"][1] + 1.5, name)

    def test_same_bytes_each_time(self):
        path = self.save("branches")
        written = set()
        for threads in ("1", "2", "2"):
            made, _ = self.quantize(path, "--quality", "25", "--threads", threads)
            written.add(made.read_bytes())
        self.assertEqual(len(written), 1)


if __name__ == "__main__":
    unittest.main()
