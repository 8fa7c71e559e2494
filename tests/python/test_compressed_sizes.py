"""Sizes that `info --compressed` computes, compared with those of the compressors themselves."""
import gzip
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")


def call(*arguments):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.returncode}: {done.stderr}"
    return done.stdout


class CompressedSizes(unittest.TestCase):
    def test_sizes(self):
        with tempfile.TemporaryDirectory() as folder:
            model, out = Path(folder) / "m.onnx", Path(folder) / "s.onnx"
            call("generate", "transformer", "--layers", 2, "--fill", "half", "-o", model)
            call("shrink", model, "-o", out)
            reports = json.loads(call("info", model, out, "--compressed", "--json"))["models"]
            for report, path in zip(reports, (model, out), strict=True):
                sizes = report["compressed"]
                self.assertAlmostEqual(sizes["gzip"], len(gzip.compress(path.read_bytes(), 9)), delta=0.001 * path.stat().st_size)
                self.assertLessEqual(sizes["brotli"], sizes["gzip"])
                self.assertLess(sizes["zstd"], path.stat().st_size)
                for name, command in (("brotli", ["brotli", "-q", "11", "-c"]), ("zstd", ["zstd", "-19", "-c", "-q"])):
                    if shutil.which(command[0]):
                        theirs = len(subprocess.run([*command, str(path)], capture_output=True, check=True).stdout)
                        self.assertAlmostEqual(sizes[name], theirs, delta=0.01 * theirs)

    def test_external_files_count(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "m.onnx"
            call("generate", "weights", "--bytes", "100KB", "--external-data", "w.data", "-o", model)
            sizes = json.loads(call("info", model, "--compressed", "--json"))["compressed"]
            theirs = sum(len(gzip.compress(path.read_bytes(), 9)) for path in Path(folder).iterdir())
            self.assertAlmostEqual(sizes["gzip"], theirs, delta=0.01 * theirs)


if __name__ == "__main__":
    unittest.main()
