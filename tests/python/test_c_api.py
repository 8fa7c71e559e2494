"""libonnxpress_c.so: it exports what its header declares and nothing else, the example for other languages works, and results have the same
bytes as those of the command."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
LIBRARY = os.environ.get("C_LIBRARY")
EXAMPLE = ROOT / "examples/ctypes/shrink_and_optimize.py"
if not LIBRARY:
    print("SKIPPED: built without the C interface (-DONNXPRESS_C=ON)")
    sys.exit(77)

# Python is not built with sanitizers, whose runtime has to be loaded before the library.
ENVIRONMENT = {**os.environ, **({"LD_PRELOAD": os.environ["PRELOAD"]} if os.environ.get("PRELOAD") else {})}


def command(*arguments):
    subprocess.run([ONNXPRESS, *map(str, arguments)], check=True, capture_output=True)


def example(*arguments):
    return subprocess.run([sys.executable, EXAMPLE, LIBRARY, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT)


class Exports(unittest.TestCase):
    def test_are_the_functions_of_the_header(self):
        header = (ROOT / "include/onnxpress/onnxpress_c.h").read_text()
        declared = re.findall(r"^ONNXPRESS_API [^;(]*?(onnxpress_\w+)\(", header, re.M)
        self.assertGreater(len(declared), 25)
        listed = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
        exported = [line.split()[-1] for line in listed.splitlines()]
        self.assertEqual(sorted(exported), sorted(declared))


class Example(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_gives_the_bytes_of_the_commands(self):
        model, ours = self.folder / "model.onnx", self.folder / "ours.onnx"
        command("generate", "transformer", "-o", model, "--layers", 1, "--hidden", 64, "--heads", 2)
        done = example(model, ours)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^\d+ -> \d+ nodes, \d+ -> \d+ bytes$")
        optimized, expected = self.folder / "optimized.onnx", self.folder / "expected.onnx"
        command("optimize", model, "-o", optimized)
        command("shrink", optimized, "-o", expected)
        self.assertEqual(ours.read_bytes(), expected.read_bytes())

    def test_shows_the_message_of_a_failure(self):
        damaged = self.folder / "damaged.onnx"
        damaged.write_bytes(b"\x08\x08\x12\xff\xff")
        done = example(damaged, self.folder / "ours.onnx")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("RuntimeError: ", done.stderr)
        self.assertFalse((self.folder / "ours.onnx").exists())


if __name__ == "__main__":
    unittest.main()
