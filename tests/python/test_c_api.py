"""libonnxpress_c.so: it exports what its header declares and nothing else, the example for other languages works, and results have the same
bytes as those of the command."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
LIBRARY = os.environ.get("C_LIBRARY")  # an absolute path
EXAMPLE = ROOT / "examples/ctypes/shrink_and_optimize.py"
if not LIBRARY:
    print("SKIPPED: built without the C interface (-DONNXPRESS_C=ON)")
    sys.exit(77)

# Stores weights in 8 bits; the arguments are those of the example.
QUANTIZE = """
import ctypes, sys
from shrink_and_optimize import Onnxpress, c_char_p, c_int64, c_size_t, c_void_p

class QuantizeOptions(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("threads", c_int64), ("progress", c_void_p), ("progress_data", c_void_p), ("to", c_char_p)]

onnxpress = Onnxpress(sys.argv[1])
model = onnxpress.load(open(sys.argv[2], "rb").read())
onnxpress.change("quantize", model, QuantizeOptions(ctypes.sizeof(QuantizeOptions), to=b"int8"))
open(sys.argv[3], "wb").write(onnxpress.save(model))
onnxpress.library.onnxpress_model_free(model)
"""

# Python is not built with sanitizers, whose runtime has to be loaded before the library.
ENVIRONMENT = {**os.environ, **({"LD_PRELOAD": os.environ["PRELOAD"]} if os.environ.get("PRELOAD") else {})}


def command(*arguments):
    subprocess.run([ONNXPRESS, *map(str, arguments)], check=True, capture_output=True)


def python(program, *arguments):
    return subprocess.run([sys.executable, *program, LIBRARY, *map(str, arguments)], capture_output=True, text=True, cwd=EXAMPLE.parent,
                          env={**ENVIRONMENT, "PYTHONDONTWRITEBYTECODE": "1"})


def example(*arguments):
    return python([EXAMPLE], *arguments)


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

    def test_quantizes_to_the_bytes_of_the_command(self):
        model, ours, expected = (self.folder / name for name in ("model.onnx", "ours.onnx", "expected.onnx"))
        command("generate", "transformer", "-o", model, "--layers", 1, "--hidden", 64, "--heads", 2)
        done = python(["-c", QUANTIZE], model, ours)
        self.assertEqual(done.returncode, 0, done.stderr)
        command("quantize", model, "-o", expected, "--to", "int8")
        self.assertEqual(ours.read_bytes(), expected.read_bytes())
        self.assertLess(ours.stat().st_size, model.stat().st_size / 3)

    def test_shows_the_message_of_a_failure(self):
        damaged = self.folder / "damaged.onnx"
        damaged.write_bytes(b"\x08\x08\x12\xff\xff")
        done = example(damaged, self.folder / "ours.onnx")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("RuntimeError: ", done.stderr)
        self.assertFalse((self.folder / "ours.onnx").exists())


@unittest.skipIf(os.environ.get("PRELOAD"), "other compilers would link without the sanitizer")
class Languages(unittest.TestCase):
    """The programs of docs/c_api.md, as far as their compilers are installed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.model = Path(folder.name), Path(folder.name) / "model.onnx"
        command("generate", "transformer", "-o", self.model, "--layers", 1, "--hidden", 64, "--heads", 2)

    def source(self, language, name):
        page = (ROOT / "docs/c_api.md").read_text()
        path = self.folder / name
        path.write_text(re.search(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)[1])
        return path

    def shrinks(self, program):
        environment = {**os.environ, "LD_LIBRARY_PATH": str(Path(LIBRARY).parent)}
        done = subprocess.run([program, self.model], capture_output=True, text=True, env=environment)
        self.assertRegex(done.stdout, r"^\d+ -> \d+ bytes$", done.stderr)
        before, after = map(int, re.findall(r"\d+", done.stdout))
        self.assertEqual(before, self.model.stat().st_size)
        self.assertLess(after, before)
        failed = subprocess.run([program, __file__], capture_output=True, text=True, env=environment)
        self.assertNotEqual(failed.returncode, 0)
        self.assertGreater(len(failed.stderr), 10)

    def compile(self, *words, **environment):
        done = subprocess.run(list(map(str, words)), cwd=self.folder, capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(shutil.which("rustc"), "needs rustc")
    def test_rust(self):
        self.compile("rustc", "--edition", "2021", "-L", Path(LIBRARY).parent, "-o", "program", self.source("rust", "main.rs"))
        self.shrinks(self.folder / "program")

    @unittest.skipUnless(shutil.which("go") and shutil.which("pkg-config"), "needs go and pkg-config")
    def test_go(self):
        (self.folder / "onnxpress_c.pc").write_text(
            f"Name: onnxpress_c\nDescription: -\nVersion: 0\nLibs: -L{Path(LIBRARY).parent} -lonnxpress_c\nCflags: -I{ROOT}/include\n")
        (self.folder / "go.mod").write_text("module program\n\ngo 1.20\n")
        self.source("go", "main.go")
        self.compile("go", "build", "-o", "program", ".", PKG_CONFIG_PATH=str(self.folder), GOFLAGS="-mod=mod", GOTOOLCHAIN="local")
        self.shrinks(self.folder / "program")


if __name__ == "__main__":
    unittest.main()
