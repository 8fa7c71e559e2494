"""`onnxpress shrink --verify` with ONNX Runtime: what it compares on real models, what it says when it cannot, and that it leaves no files
except the result. (tests/unit/shrink_test.cpp shows that a wrong result is not written.)"""
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

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/onnxpress")).resolve()
MODELS = Path(os.environ.get("MODELS", "models")).resolve()
LIBRARY = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
# ONNX Runtime is not built with sanitizers; the memory that it keeps until the process ends is not our leak.
SUPPRESSIONS = Path(__file__).resolve().parent.parent / "support" / "lsan_suppressions.txt"
ENVIRONMENT = {**os.environ, "ONNXPRESS_ORT": str(LIBRARY), "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99",
               "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:print_suppressions=0"}
SPLAT = "{" + ", ".join(["2"] * 64) + "}"


def text_of(body, inputs="float[N, 64] x", outputs="float[N, 64] y"):
    """A model that has something to shrink: 'w'."""
    return (f'<ir_version: 8, opset_import: ["" : 17]>\ng ({inputs}) => ({outputs})\n<float[1, 64] w = {SPLAT}>\n'
            f"{{\n  {body}\n}}\n")


class VerifyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="onnxpress_verify")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def call(self, *arguments, expect=0, **environment):
        done = subprocess.run([ONNXPRESS, "shrink", *map(str, arguments), "--verify"], capture_output=True, text=True,
                              cwd=self.folder, env={**ENVIRONMENT, **environment}, check=False)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def test_real_models(self):
        for name, outputs in [("silero_vad_legacy", 3), ("yolov8n", 1), ("moonshine_tiny_decoder_merged", 25), ("ppocr_v2_cls", 1),
                              ("moonshine_tiny_encoder", 1)]:
            path = MODELS / f"{name}.onnx"
            if not path.exists():
                print(f"!!! SKIPPED: {path.name} is not there (scripts/fetch_models)")
                continue
            with self.subTest(name):
                report = json.loads(self.call(path, "-o", "small.onnx", "--json").stdout)
                self.assertTrue(report["verified"])
                self.assertGreaterEqual(report["outputs"].pop("runs"), 1)
                self.assertEqual(report["outputs"], {"runtime": f"ONNX Runtime {onnxruntime.__version__}", "same": True,
                                                     "outputs": outputs, "reason": "", "hint": ""})
                self.assertEqual(self.files(), ["small.onnx"])

    def test_says_what_was_compared(self):
        self.write("m.onnxtxt", text_of("y = Mul (x, w) z = Neg (y)", outputs="float[N, 64] y, float[N, 64] z"))
        done = self.call("m.onnxtxt")
        self.assertIn("verified: every tensor is the same, bit for bit; ONNX Runtime "
                      f"{onnxruntime.__version__} gives the same bits in all 2 outputs\n", done.stdout)
        self.assertEqual(self.files(), ["m.onnxtxt", "m.shrunk.onnx"])

    def test_several_and_shared(self):
        for i in (1, 2):
            array = numpy.random.default_rng(1).standard_normal((64, 4096)).astype(numpy.float32)
            graph = onnx.helper.make_graph(
                [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], f"g{i}",
                [onnx.helper.make_tensor_value_info("x", 1, ["n", 64])], [onnx.helper.make_tensor_value_info("y", 1, ["n", 4096])],
                [onnx.numpy_helper.from_array(array, "w")], doc_string="text " * 50)
            onnx.save(onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)]),
                      self.folder / f"m{i}.onnx")
        (self.folder / "out").mkdir()
        done = self.call("m1.onnx", "m2.onnx", "-o", "out")
        self.assertIn("gives the same bits in the outputs of all of them\n", done.stdout)
        done = self.call("m1.onnx", "m2.onnx", "--share", "w.data", "-o", "shared")
        self.assertIn("gives the same bits in the outputs of all of them\n", done.stdout)
        self.assertEqual(sorted(p.name for p in (self.folder / "shared").iterdir()), ["m1.onnx", "m2.onnx", "w.data"])
        done = self.call("m1.onnx", "m2.onnx", "--share", "w.data", "-o", "nothing", "--dry-run")
        self.assertIn("gives the same bits in the outputs of all of them\n", done.stdout)
        self.assertFalse((self.folder / "nothing").exists())

    def test_external_data(self):
        generated = self.folder / "big.onnx"
        subprocess.run([ONNXPRESS, "generate", "tied", "-o", "inside.onnx"], cwd=self.folder, check=True, capture_output=True)
        subprocess.run([ONNXPRESS, "convert", "inside.onnx", generated, "--external-data", "--external-threshold", "0"],
                       cwd=self.folder, check=True, capture_output=True)
        before = self.files()
        report = json.loads(self.call(generated, "-o", "small.onnx", "--json").stdout)
        self.assertTrue(report["outputs"]["same"], report)
        self.assertLessEqual(set(before) | {"small.onnx"}, set(self.files()))
        self.assertFalse([name for name in self.files() if name.startswith(".")])

    def test_dry_run_is_verified_and_leaves_nothing(self):
        self.write("m.onnxtxt", text_of("y = Mul (x, w)"))
        done = self.call("m.onnxtxt", "--dry-run", TMPDIR=str(self.folder))
        self.assertIn("gives the same bits in the output\n", done.stdout)
        self.assertEqual(self.files(), ["m.onnxtxt"])

    def test_in_place_compares_with_what_was_there(self):
        self.write("m.onnxtxt", text_of("y = Mul (x, w)"))
        subprocess.run([ONNXPRESS, "convert", "m.onnxtxt", "m.onnx"], cwd=self.folder, check=True, capture_output=True)
        (self.folder / "m.onnx").chmod(0o640)
        size = (self.folder / "m.onnx").stat().st_size
        self.assertIn("gives the same bits", self.call("m.onnx", "-o", "m.onnx").stdout)
        self.assertLess((self.folder / "m.onnx").stat().st_size, size)
        self.assertEqual((self.folder / "m.onnx").stat().st_mode & 0o777, 0o640)

    def test_no_runtime_is_a_remark(self):
        self.write("m.onnxtxt", text_of("y = Mul (x, w)"))
        done = self.call("m.onnxtxt", ONNXPRESS_ORT="none")
        self.assertIn("verified: every tensor is the same, bit for bit; outputs were not compared: no ONNX Runtime was found\n",
                      done.stdout)
        self.assertIn("hint: pip install onnxruntime", done.stderr)

    def test_a_wrong_library_is_an_error(self):
        self.write("m.onnxtxt", text_of("y = Mul (x, w)"))
        done = self.call("m.onnxtxt", expect=3, ONNXPRESS_ORT=str(self.folder / "none.so"))
        self.assertIn("none.so: ONNXPRESS_ORT: cannot be loaded: ", done.stderr)
        self.assertEqual(self.files(), ["m.onnxtxt"])

    def test_finds_the_library_of_a_virtual_environment(self):
        self.write("m.onnxtxt", text_of("y = Mul (x, w)"))
        packages = self.folder / "env" / "lib" / "python3.11" / "site-packages" / "onnxruntime"
        packages.mkdir(parents=True)
        (packages / "capi").symlink_to(LIBRARY.parent)
        for variables in ({"VIRTUAL_ENV": str(self.folder / "env")}, {"HOME": str(self.folder)}):
            if "HOME" in variables:
                (self.folder / "env").rename(self.folder / ".local")
            self.assertIn("gives the same bits", self.call("m.onnxtxt", **{"ONNXPRESS_ORT": "", "VIRTUAL_ENV": "", **variables}).stdout)

    def test_says_why_an_original_is_not_compared(self):
        constant = f"c = Constant <value = float[1, 64] {SPLAT}> ()"
        for body, reason in [(f"{constant} r = RandomNormalLike (x) z = Add (c, r) y = Mul (z, x)", "the model draws random numbers"),
                             ("z = other.Op (x) y = Mul (z, w)", "the original does not load there: ")]:
            self.write("m.onnxtxt", text_of(body).replace('["" : 17]', '["" : 17, "other" : 1]'))
            self.assertIn(f"outputs were not compared: {reason}", self.call("m.onnxtxt", "-o", "small.onnx").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=1)
