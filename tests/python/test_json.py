"""Compares our JSON form of models with protobuf's own (google.protobuf.json_format), in both directions.

On official models and on models with random content in every field of every message.
"""

import concurrent.futures
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import onnx
    from google.protobuf import json_format
except ImportError:
    print("SKIPPED: test_json needs the onnx package (scripts/setup test)")
    sys.exit(77)

from random_proto import Filler, all_fields, fields_in

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
RANDOM_MODELS = 40
OFFICIAL_MODELS = 75


def convert(source, target):
    done = subprocess.run([ONNXPRESS, "convert", str(source), str(target)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"convert {source} {target}: exit code {done.returncode}\n{done.stderr}")


def official_models():
    """Models of Debian's libonnx-testdata, evenly picked."""
    try:
        listed = subprocess.run(["dpkg", "-L", "libonnx-testdata"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    models = sorted(line for line in listed.splitlines() if line.endswith(".onnx"))
    return models[:: max(1, len(models) // OFFICIAL_MODELS)]


def as_float(number):
    return struct.pack("<f", number)


def first_difference(ours, theirs, path="$"):
    """None when two parsed JSON values mean the same. Floats may have different digits as long as they parse to the same float."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if ours.keys() != theirs.keys():
            return f"{path}: fields {sorted(ours)} but protobuf has {sorted(theirs)}"
        inner = ((ours[key], theirs[key], f"{path}.{key}") for key in ours)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        inner = ((a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(ours, theirs)))
    else:
        same = ours == theirs
        if not same and isinstance(ours, (int, float)) and isinstance(theirs, float) and "doubleData" not in path:
            same = as_float(ours) == as_float(theirs)
        return None if same else f"{path}: {ours!r} but protobuf has {theirs!r}"
    return next((found for found in (first_difference(*each) for each in inner) if found), None)


class JsonTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def check_model(self, model, name):
        """Converts `model` with both implementations of JSON, both ways. Bytes are compared, because NaN is not equal to NaN."""
        source, ours = self.path(f"{name}.onnx"), self.path(f"{name}.json")
        expected = model.SerializeToString(deterministic=True)
        source.write_bytes(expected)
        convert(source, ours)
        text = ours.read_text(encoding="utf-8")
        theirs = json_format.MessageToJson(model)
        self.assertIsNone(first_difference(json.loads(text), json.loads(theirs)), name)

        parsed = json_format.Parse(text, onnx.ModelProto())
        self.assertEqual(parsed.SerializeToString(deterministic=True), expected, f"{name}: protobuf reads our JSON otherwise")

        self.check_reading(text, expected, f"{name}_ours")
        self.check_reading(theirs, expected, f"{name}_theirs")

    def check_reading(self, text, expected, name):
        source, target = self.path(f"{name}.json"), self.path(f"{name}.onnx")
        source.write_text(text, encoding="utf-8")
        convert(source, target)
        read = onnx.ModelProto.FromString(target.read_bytes())
        self.assertEqual(read.SerializeToString(deterministic=True), expected, name)
        for file in (source, target):
            file.unlink()

    def check_models(self, models):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda each: self.check_model(each[1], f"model{each[0]}"), enumerate(models)))

    def test_random_models_with_every_field(self):
        models = [Filler(random.Random(i), messages=200).fill(onnx.ModelProto()) for i in range(RANDOM_MODELS)]
        for model in models:  # without these two it would not be recognized as a model
            model.graph.SetInParent()
            model.ir_version = model.ir_version or 8
        self.assertEqual(set.union(*map(fields_in, models)), all_fields(onnx.ModelProto.DESCRIPTOR), "fields in the test")
        self.check_models(models)

    def test_official_models(self):
        files = official_models()
        if not files:
            self.skipTest("libonnx-testdata is not installed")
        self.check_models(onnx.ModelProto.FromString(pathlib.Path(file).read_bytes()) for file in files)
        print(f"JSON form equal to protobuf's for {len(files)} official models")

    def test_reads_the_other_spellings_of_protobuf(self):
        model = Filler(random.Random(5), messages=200, keep=0.9).fill(onnx.ModelProto())
        model.graph.SetInParent()
        model.ir_version = model.ir_version or 8
        expected = model.SerializeToString(deterministic=True)
        self.check_reading(json_format.MessageToJson(model, preserving_proto_field_name=True), expected, "snake_case")
        self.check_reading(json_format.MessageToJson(model, use_integers_for_enums=True), expected, "enum_numbers")
        self.check_reading(json_format.MessageToJson(model, indent=None, ensure_ascii=False), expected, "compact")

    def test_says_what_is_lost(self):
        unknown = onnx.ModelProto(ir_version=8, graph=onnx.GraphProto(name="g")).SerializeToString() + b"\x9a\x06\x01x"  # field 99
        source, target = self.path("unknown.onnx"), self.path("unknown.json")
        source.write_bytes(unknown)
        done = subprocess.run([ONNXPRESS, "convert", str(source), str(target)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("field 99", done.stderr)

    def test_error_names_the_place(self):
        source = self.path("wrong.json")
        source.write_text('{"graph": {"node": [{}, {"opType": 5}]}}', encoding="utf-8")
        done = subprocess.run(
            [ONNXPRESS, "convert", str(source), str(self.path("x.onnx"))], capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("$.graph.node[1].opType: expected a text, found 5", done.stderr)
        self.assertFalse(self.path("x.onnx").exists())


if __name__ == "__main__":
    unittest.main()
