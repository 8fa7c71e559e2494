#!/usr/bin/env python3
"""What `quantize` and `shrink` write is valid if the model was, at every opset from 7 to 24 and in every way of storing weights.

The judges are onnx's checker with full check and, where it loads the original, ONNX Runtime. Where an opset has no form for what was
asked, the error says so and what would help, and nothing is written.

Skips (exit code 77) without the Python packages onnx and onnxruntime.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import onnx
    import onnxruntime

    from valid_models import OPSETS, FLOAT, HALF, body, function, layers, storable
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/dev/onnxpress")).resolve()
LIBRARY = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
SUPPRESSIONS = Path(__file__).resolve().parent.parent / "support" / "lsan_suppressions.txt"
ENVIRONMENT = {**os.environ, "ONNXPRESS_ORT": str(LIBRARY),
               "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:print_suppressions=0"}

# Errors that are right: the opset has no such form, or there is nothing that may be changed.
RIGHT_ERRORS = ("and the model has ", "which option `activations", "applies to none of the ", "callers may override", "has nothing to change",
                "has no float weights")

SCHEMES = ["int2", "int3", "int4 block=32 asym", "int5 per-tensor", "int6 offset", "int7 scale=mse", "int8", "int10", "int12 block=16", "int16",
           "palette1", "palette2", "palette4", "palette8", "nf4", "float8", "float16", "bfloat16", "levels=9", "levels=256"]
PRESETS = ["int8", "int6", "int4", "fp16", "bf16"]
ENCODINGS = ["dq", "ort", "simulate"]  # the others use folded
ACTIVATIONS = [["--activations", "dynamic", "--layers", "all"], ["--activations", "dynamic", "--layers", "all", "--codes", "int8"],
               ["--activations", "static", "--ranges", "min-max"]]


def ways_to_round():
    for preset in PRESETS:
        yield ["--to", preset]
        for encoding in ENCODINGS:
            yield ["--to", preset, "--encoding", encoding]
    for scheme in SCHEMES:
        yield ["--scheme", scheme, "--compensate", "off"]
    for encoding in ENCODINGS:
        for scheme in "int8 per-tensor asym", "int4 block=16", "int3":
            yield ["--scheme", scheme, "--encoding", encoding]
    for target in "any", "ort-web-gpu", "ort-format":
        yield ["--to", "int8", "--target", target]
    yield ["--to", "int8", "--weights-only", "--freeze"]
    yield ["--weight-quality", "30"]
    yield ["--max-error", "0.01"]
    yield from ACTIVATIONS


WAYS_TO_SHRINK = [[], ["--pack"], ["--freeze"], ["--target", "any"], ["--target", "ort-web-gpu"], ["--target", "ort-format"], ["--shorten-names"]]


def loads(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return True
    except Exception:  # of many types; unknown to its stubs
        return False


def models_to_round():
    for opset in OPSETS:
        yield f"layers_{opset}", layers(opset)
    for opset in 7, 8, 9, 12, 13, 20, 23:  # where something about constants, types or DequantizeLinear begins or ends
        yield f"body_{opset}", body(opset)
        yield f"function_{opset}", function(opset)
    for opset in 11, 19, 24:
        yield f"layers_half_{opset}", layers(opset, HALF)
    for opset in 7, 8:
        yield f"layers_ir4_{opset}", layers(opset, ir_version=4)
    for opset, other in (17, 13), (13, 17), (18, 13), (22, 21):
        yield f"function_mixed_{opset}_{other}", function(opset, function_opset=other)


def models_to_shrink():
    kinds = [onnx.TensorProto.INT64, onnx.TensorProto.BOOL, HALF, onnx.TensorProto.DOUBLE, onnx.TensorProto.INT32, onnx.TensorProto.UINT8]
    for opset in OPSETS:
        yield f"float_{opset}", storable(opset, FLOAT)
        kind = kinds[opset % len(kinds)]
        yield f"type{kind}_{opset}", storable(opset, kind)
    for opset in 7, 8:
        yield f"float_ir4_{opset}", storable(opset, FLOAT, 4)


class ValidResults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="onnxpress_valid")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.written, self.refused = 0, 0

    def write(self, models):
        (self.folder / "in").mkdir()
        self.runs = {}
        for name, model in models:
            path = self.folder / "in" / f"{name}.onnx"
            path.write_bytes(model.SerializeToString())
            self.runs[name] = loads(path)

    def judge(self, command, way):
        out = self.folder / "out"
        for old in out.glob("*"):
            old.unlink()
        done = subprocess.run([ONNXPRESS, command, "in", "-o", "out", "--json", "--quiet", *way], capture_output=True, text=True, cwd=self.folder,
                              env=ENVIRONMENT, check=False)
        self.assertIn(done.returncode, (0, 3), done.stderr[-2000:])
        reports = json.loads(done.stdout)["models"]
        self.assertEqual(len(reports), len(self.runs))
        for report in reports:
            name = Path(report["file"]).stem
            results = list(out.glob(f"{name}.*onnx"))
            with self.subTest(command=command, way=" ".join(way), model=name):
                if "error" in report:
                    self.assertTrue(any(right in report["error"] for right in RIGHT_ERRORS), report["error"])
                    self.assertEqual(results, [])
                    self.refused += 1
                    continue
                self.assertEqual(len(results), 1)
                onnx.checker.check_model(onnx.load(results[0]), full_check=True)
                if self.runs[name]:
                    self.assertTrue(loads(results[0]), "ONNX Runtime loads the original, but not the result")
                self.written += 1

    def test_rounded_models_are_valid(self):
        self.write(models_to_round())
        for way in ways_to_round():
            self.judge("quantize", way)
        print(f"rounded: {self.written} written, {self.refused} refused")
        self.assertGreater(self.written, 2 * self.refused)

    def test_shrunk_models_are_valid(self):
        self.write(models_to_shrink())
        for way in WAYS_TO_SHRINK:
            self.judge("shrink", way)
        print(f"shrunk: {self.written} written, {self.refused} refused")
        self.assertEqual(self.refused, 0)

    def test_errors_say_what_would_help(self):
        self.write([("a", layers(10))])
        done = subprocess.run([ONNXPRESS, "quantize", "in/a.onnx", "-o", "b.onnx", "--to", "bf16"], capture_output=True, text=True,
                              cwd=self.folder, env=ENVIRONMENT, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("need opset 13, and the model has 10", done.stderr)
        self.assertIn("hint: use float16 instead, or convert the model to that opset first: `optimize` has --opset", done.stderr)
        self.assertFalse((self.folder / "b.onnx").exists())


if __name__ == "__main__":
    unittest.main()
