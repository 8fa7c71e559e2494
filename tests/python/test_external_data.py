#!/usr/bin/env python3
"""Moves weights out of and into model files, and checks the result with the `onnx` package and ONNX Runtime."""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress")).resolve()
PAGE, WINDOWS_MAPPING, LARGE = 4096, 65536, 1 << 20
GIB = 1 << 30


def entries_of(tensor):
    return {entry.key: entry.value for entry in tensor.external_data}


def without_data(path):
    return onnx.load(path, load_external_data=False)


def arrays(path):
    """Every initializer of the main graph, by name."""
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}


def make_model(sizes, constant=None):
    """y = sum of all weights times x, with weights w0, w1, ... that have these numbers of floats."""
    random = np.random.default_rng(5)
    weights = [numpy_helper.from_array(random.standard_normal(size, dtype=np.float32), f"w{i}") for i, size in enumerate(sizes)]
    nodes = [helper.make_node("ReduceSum", [f"w{i}"], [f"s{i}"], keepdims=0) for i in range(len(sizes))]
    names = [f"s{i}" for i in range(len(sizes))]
    if constant:
        value = numpy_helper.from_array(random.standard_normal(constant, dtype=np.float32))
        nodes += [helper.make_node("Constant", [], ["c"], value=value), helper.make_node("ReduceSum", ["c"], ["sc"], keepdims=0)]
        names.append("sc")
    nodes += [helper.make_node("Sum", names, ["t"]), helper.make_node("Mul", ["t", "x"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph(nodes, "sums", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, doc_string="a model to move weights of")


def run_model(path):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.array([1, 2], np.float32)})[0]


class ExternalData(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="onnxpress-external-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "out").mkdir()

    def onnxpress(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def saved(self, model, name="m.onnx", **options):
        onnx.save(model, self.folder / name, **options)
        return self.folder / name

    def assert_same_weights(self, one, other):
        first, second = arrays(one), arrays(other)
        self.assertEqual(first.keys(), second.keys())
        for name, array in first.items():
            np.testing.assert_array_equal(array, second[name], name)

    # --- moving weights out

    def test_moves_out_aligned(self):
        source = self.saved(make_model([4, 300, 1000, LARGE // 4, 5000, LARGE]))
        self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data", "w.data")
        placed = {tensor.name: entries_of(tensor) for tensor in without_data(self.folder / "out/e.onnx").graph.initializer}
        self.assertEqual(placed.pop("w0"), {}, "16 bytes stay inside")
        end = 0
        for i, floats in enumerate([300, 1000, LARGE // 4, 5000, LARGE], 1):
            entries = placed[f"w{i}"]
            offset, length = int(entries["offset"]), int(entries["length"])
            self.assertEqual(entries["location"], "w.data")
            self.assertEqual(length, 4 * floats)
            self.assertEqual(offset % (WINDOWS_MAPPING if length >= LARGE else PAGE), 0, f"w{i} at {offset}")
            self.assertGreaterEqual(offset, end)
            end = offset + length
        self.assertEqual((self.folder / "out/w.data").stat().st_size, end)
        self.assert_same_weights(source, self.folder / "out/e.onnx")
        onnx.checker.check_model(self.folder / "out/e.onnx")
        np.testing.assert_array_equal(run_model(source), run_model(self.folder / "out/e.onnx"))

    def test_threshold(self):
        self.saved(make_model([10, 100, 1000]))
        for threshold, outside in [("0", 3), ("400", 2), ("401", 1), ("4KB", 1), ("4001", 0)]:
            self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data", "w.data", "--external-threshold", threshold)
            moved = [tensor.name for tensor in without_data(self.folder / "out/e.onnx").graph.initializer if entries_of(tensor)]
            self.assertEqual(len(moved), outside, threshold)

    def test_name_by_default(self):
        self.saved(make_model([1000]))
        self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data")
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["e.onnx", "e.onnx.data"])

    def test_typed_fields_move_as_raw(self):
        model = make_model([1])
        del model.graph.initializer[:]
        model.graph.initializer.append(helper.make_tensor("w0", TensorProto.FLOAT, [500], np.arange(500, dtype=np.float32)))
        self.assertTrue(model.graph.initializer[0].float_data)
        source = self.saved(model)
        self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data", "w.data")
        self.assertEqual((self.folder / "out/w.data").stat().st_size, 2000)
        self.assert_same_weights(source, self.folder / "out/e.onnx")

    def test_strings_stay_inside(self):
        model = make_model([1000])
        model.graph.initializer.append(helper.make_tensor("texts", TensorProto.STRING, [2], [b"one" * 1000, b"two" * 1000]))
        source = self.saved(model)
        self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data", "w.data")
        self.assert_same_weights(source, self.folder / "out/e.onnx")

    def test_constants_stay_inside(self):
        source = self.saved(make_model([1000], constant=2000))
        self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data", "w.data")
        self.assertEqual((self.folder / "out/w.data").stat().st_size, 4000)
        np.testing.assert_array_equal(run_model(source), run_model(self.folder / "out/e.onnx"))

    # --- moving them back

    def test_round_trip(self):
        source = self.saved(make_model([4, 300, 70000]))
        self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data", "w.data")
        self.onnxpress("convert", "out/e.onnx", "back.onnx", "--single-file")
        self.assertEqual(onnx.load(source), without_data(self.folder / "back.onnx"))
        self.assertEqual([path.name for path in self.folder.glob("*.data")], [])

    def test_reads_what_onnx_wrote(self):
        for name, options in [("one", {"location": "all.bin"}), ("many", {"all_tensors_to_one_file": False})]:
            with self.subTest(name):
                model = make_model([4, 300, 70000])
                source = self.saved(model, f"{name}.onnx", save_as_external_data=True, size_threshold=0, **options)
                self.onnxpress("convert", source.name, f"out/{name}.onnx", "--single-file")
                self.assert_same_weights(source, self.folder / f"out/{name}.onnx")
                self.assertFalse([tensor for tensor in without_data(self.folder / f"out/{name}.onnx").graph.initializer if entries_of(tensor)])

    def test_offset_and_length_may_be_absent(self):
        model = make_model([300, 200])
        (self.folder / "w.bin").write_bytes(model.graph.initializer[0].raw_data + model.graph.initializer[1].raw_data)
        expected = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        for tensor, keys in zip(model.graph.initializer, [{}, {"offset": "1200"}]):
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in {"location": "w.bin", **keys}.items():
                tensor.external_data.add(key=key, value=value)
        self.saved(model)
        self.onnxpress("convert", "m.onnx", "out/single.onnx", "--single-file")
        for name, array in arrays(self.folder / "out/single.onnx").items():
            np.testing.assert_array_equal(array, expected[name])

    # --- moving files along with the model

    def several_files(self):
        model = make_model([4, 300, 70000])
        return self.saved(model, save_as_external_data=True, size_threshold=0, all_tensors_to_one_file=False)

    def test_files_are_copied_along(self):
        source = self.several_files()
        self.onnxpress("convert", "m.onnx", "out/m.onnx")
        self.assertEqual(source.read_bytes(), (self.folder / "out/m.onnx").read_bytes())
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["m.onnx", "w0", "w1", "w2"])
        self.assert_same_weights(source, self.folder / "out/m.onnx")
        self.onnxpress("convert", "m.onnx", "out/m.onnx")  # again, when the same files already exist

    def test_other_files_are_not_overwritten(self):
        self.several_files()
        (self.folder / "out" / "w1").write_bytes(b"mine")
        said = self.onnxpress("convert", "m.onnx", "out/m.onnx", code=3)
        self.assertIn("w1", said)
        self.assertEqual((self.folder / "out" / "w1").read_bytes(), b"mine")
        self.assertFalse((self.folder / "out" / "m.onnx").exists())
        self.onnxpress("convert", "m.onnx", "out/m.onnx", "--overwrite-external")
        self.assert_same_weights(self.folder / "m.onnx", self.folder / "out/m.onnx")

    def test_same_folder_keeps_files(self):
        source = self.several_files()
        before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in self.folder.glob("w*")}
        self.onnxpress("convert", "m.onnx", "other.onnx")
        self.assertEqual(before, {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in self.folder.glob("w*")})
        self.assert_same_weights(source, self.folder / "other.onnx")

    def test_in_place(self):
        """Reading and writing the same files: the model, then the model and its data file."""
        source = self.saved(make_model([4, 300, 70000]))
        expected = arrays(source)
        for options in [(), ("--external-data", "w.data"), (), ("--external-data", "w.data", "--external-threshold", "0"), ("--single-file",)]:
            self.onnxpress("convert", "m.onnx", "m.onnx", *options)
            for name, array in arrays(source).items():
                np.testing.assert_array_equal(array, expected[name], f"{name} after {options}")

    def test_subfolders(self):
        model = make_model([300])
        (self.folder / "a" / "b").mkdir(parents=True)
        source = self.saved(model, save_as_external_data=True, size_threshold=0, location="w.bin")
        shutil.move(self.folder / "w.bin", self.folder / "a/b/w.bin")
        moved = without_data(source)
        for entry in moved.graph.initializer[0].external_data:
            if entry.key == "location":
                entry.value = "a/b/w.bin"
        source.write_bytes(moved.SerializeToString())
        self.onnxpress("convert", "m.onnx", "out/m.onnx")
        self.assertTrue((self.folder / "out/a/b/w.bin").is_file())
        self.assert_same_weights(source, self.folder / "out/m.onnx")
        self.onnxpress("convert", "m.onnx", "out/n.onnx", "--external-data", "c/d/w.bin")
        self.assert_same_weights(source, self.folder / "out/n.onnx")

    def test_checksum_is_kept(self):
        source = self.several_files()
        model = without_data(source)
        digest = hashlib.sha1((self.folder / "w1").read_bytes()).hexdigest()
        model.graph.initializer[1].external_data.add(key="checksum", value=digest)
        source.write_bytes(model.SerializeToString())
        self.onnxpress("convert", "m.onnx", "out/m.onnx", "--strip", "docs")
        stripped = without_data(self.folder / "out/m.onnx")
        self.assertEqual(stripped.doc_string, "")
        self.assertEqual(entries_of(stripped.graph.initializer[1])["checksum"], digest)
        # When weights move, the checksum of the old file says nothing about the new one.
        self.onnxpress("convert", "m.onnx", "out/e.onnx", "--external-data", "w.data")
        for tensor in without_data(self.folder / "out/e.onnx").graph.initializer:
            self.assertEqual(sorted(entries_of(tensor)), ["length", "location", "offset"])

    def test_no_mmap(self):
        source = self.several_files()
        self.onnxpress("convert", "m.onnx", "out/m.onnx", "--no-mmap", "--single-file")
        self.assert_same_weights(source, self.folder / "out/m.onnx")

    # --- over 2 GiB

    def test_over_2_gib_becomes_external(self):
        if shutil.disk_usage(self.folder).free < 8 * GIB:
            self.skipTest("needs 8 GiB of disk")
        said = self.onnxpress("generate", "weights", "-o", "big.onnx", "--bytes", "2200MB", "--fill", "zeros")
        self.assertIn("2 GiB", said)
        big, data = self.folder / "big.onnx", self.folder / "big.onnx.data"
        self.assertLess(big.stat().st_size, 10_000)
        self.assertGreaterEqual(data.stat().st_size, 2_200_000_000)
        self.assertLess(data.stat().st_blocks * 512, 1_000_000, "zeros are holes")
        session = onnxruntime.InferenceSession(str(big), providers=["CPUExecutionProvider"])
        rows = session.run(None, {"index": np.array(1, np.int64)})
        self.assertTrue(all((row == 0).all() for row in rows))
        # The request cannot be fulfilled: the weights become external again, and the command says so.
        said = self.onnxpress("convert", "big.onnx", "out/single.onnx", "--single-file")
        self.assertIn("2 GiB", said)
        self.assertGreaterEqual((self.folder / "out/single.onnx.data").stat().st_size, 2_200_000_000)


if __name__ == "__main__":
    unittest.main()
