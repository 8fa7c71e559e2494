"""Real models of floats with `shrink --weights`: valid, they load and run in ONNX Runtime with its optimizations on and off, and the
outputs stay as near as the floors below say. Where a peer corrupts or cannot take a model (PP-OCR, silero v5, htdemucs), we can.

LARGEST=bytes runs larger models, too (default: 60 MB; htdemucs has 174 MB).
"""
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

ARGUMENTS, sys.argv = sys.argv[1:], sys.argv[:1]
from test_models_run import inputs_of  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
LARGEST = int(os.environ.get("LARGEST", "60000000"))

# Output SNR in dB on normal inputs, by ONNX Runtime: floors, a little below what was measured.
FLOORS = {
    "yolov8n": {"int8": 35, "int4": 12, "fp16": 65},
    "ddddocr_det": {"int8": 42, "int4": 20, "fp16": 65},
    "ddddocr": {"int8": 35, "int4": 18, "fp16": 65},
    "retinaface_mnet25_v1": {"int8": 29, "int4": 6, "fp16": 60},
    "retinaface_mnet25_v2": {"int8": 29, "int4": 12, "fp16": 60},
    "silero_vad_legacy": {"int8": 36, "int4": 16, "fp16": 60},
    "silero_vad_v5": {"int8": 33, "int4": 8, "fp16": 55},
    "ppocr_v2_cls": {"int8": 29, "int4": 12, "fp16": 60},
    "ppocr_v4_det": {"int8": 10, "fp16": 50},  # 4 bits for all weights destroy it: -7 dB
    "ppocr_v4_rec": {"int8": 19, "int4": 7, "fp16": 52},
    "htdemucs": {"int8": 20, "int4": 5, "fp16": 45},
}
# Bytes over those of the original, at most: models that are mostly weights.
RATIOS = {"int8": 0.30, "int4": 0.20, "fp16": 0.54}
MOSTLY_WEIGHTS = {"yolov8n", "ddddocr_det", "ddddocr", "htdemucs"}


def call(*arguments):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return json.loads(done.stdout)


def outputs_of(path, inputs, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs or inputs_of(path.stem, session, False, numpy.random.default_rng(7)))


def striped_page():
    """Something like text, in which a detector finds something: on noise its outputs are all but zero."""
    page = numpy.full((1, 3, 64, 96), 2, dtype=numpy.float32)
    for letter in range(8, 88, 8):
        page[:, :, 20:44:2, letter:letter + 5] = -2
        page[:, :, 20:44, letter + 2:letter + 4] = -2
    return page


def snr(reference, found):
    """The mean of noise over signal of all outputs of floats, in dB."""
    ratios = []
    for a, b in zip(reference, found, strict=True):
        if a.dtype.kind != "f" or a.shape != b.shape or not numpy.any(a):
            continue
        a, b = a.astype(numpy.float64), b.astype(numpy.float64)
        ratios.append(((a - b) ** 2).sum() / (a ** 2).sum())
    return -10 * numpy.log10(max(numpy.mean(ratios), 1e-30))


class WeightsTest(unittest.TestCase):
    def check(self, path, folder):
        full = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        plain = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        inputs = inputs_of(path.stem, session, False, numpy.random.default_rng(7))
        if path.stem == "ppocr_v4_det":
            inputs = {name: striped_page() for name in inputs}
        reference = session.run(None, inputs)
        for preset, floor in FLOORS[path.stem].items():
            small = folder / f"{path.stem}.{preset}.onnx"
            report = call("shrink", path, "-o", small, "--weights", preset, "--json")
            onnx.checker.check_model(str(small))
            found = snr(reference, outputs_of(small, inputs, full))
            ratio = small.stat().st_size / path.stat().st_size
            sqnr = report["weights"]["sqnr"]
            print(f"{path.stem:<22} {preset}: {small.stat().st_size:>11,}  x {ratio:.3f}  weights {sqnr or 999:5.1f} dB  "
                  f"outputs {found:5.1f} dB", flush=True)
            self.assertGreater(found, floor, f"{path.stem} {preset}")
            if path.stat().st_size < 5_000_000:  # and where the chains are computed at each run
                self.assertGreater(snr(reference, outputs_of(small, inputs, plain)), floor)
            if path.stem in MOSTLY_WEIGHTS:
                self.assertLess(ratio, RATIOS[preset])


def add_tests():
    for name in FLOORS:
        path = MODELS / f"{name}.onnx"
        if not path.exists() or path.stat().st_size > LARGEST or (ARGUMENTS and name not in ARGUMENTS):
            continue

        def test(self, path=path):
            with tempfile.TemporaryDirectory() as folder:
                self.check(path, Path(folder))
        setattr(WeightsTest, f"test_{name}", test)


class EncodingsTest(unittest.TestCase):
    """All schemes and encodings on a small model, against the rounded floats of --encoding simulate."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        random = numpy.random.default_rng(3)
        weight = lambda name, *shape: onnx.numpy_helper.from_array(
            (random.standard_normal(shape) * 0.1).astype(numpy.float32), name)
        graph = onnx.parser.parse_graph("""
            g (float[1,8,12,12] x) => (float[1,16] y) {
              a = Conv <pads = [1,1,1,1]> (x, conv)
              b = ConvTranspose <strides = [2,2]> (a, up)
              c = GlobalAveragePool (b)
              shape = Constant <value_ints = [1, 12]> ()
              d = Reshape (c, shape)
              e = MatMul (d, dense)
              f = Relu (e)
              y = Gemm <transB = 1> (f, head)
            }""")
        graph.initializer.extend([weight("conv", 20, 8, 3, 3), weight("up", 20, 12, 3, 3), weight("dense", 12, 100),
                                  weight("head", 16, 100)])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
        self.path = Path(self.folder.name) / "model.onnx"
        onnx.save(model, self.path)
        self.inputs = {"x": random.standard_normal((1, 8, 12, 12)).astype(numpy.float32)}

    def outputs(self, *arguments):
        small = Path(self.folder.name) / "small.onnx"
        report = call("shrink", self.path, "-o", small, *arguments, "--json")
        self.assertEqual(report["weights"]["compressed"], 4, report["weights"])
        onnx.checker.check_model(str(small))
        return outputs_of(small, self.inputs, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)

    def test_folded_computes_what_simulate_says(self):
        for scheme in ["int8", "int8 asym", "int6 block=32 asym", "int5", "int4 block=32", "int4 block=32 asym", "int3 block=16",
                       "int2 block=16 asym", "int16", "palette4", "palette3", "nf4", "float8", "float16", "bfloat16", "levels=100",
                       "levels=1000"]:
            simulated = self.outputs("--scheme", scheme, "--encoding", "simulate")
            self.assertGreater(snr(simulated, self.outputs("--scheme", scheme)), 100, scheme)

    def test_dq_runs(self):
        for scheme in ["int8", "int8 asym", "int8 per-tensor", "int4 block=32 asym", "int4"]:
            reference = outputs_of(self.path, self.inputs, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
            floor = 30 if "int8" in scheme else 8
            self.assertGreater(snr(reference, self.outputs("--scheme", scheme, "--encoding", "dq")), floor, scheme)

    def test_choosing(self):
        report = call("shrink", self.path, "-o", Path(self.folder.name) / "a.onnx", "--quality", "35", "--json")
        self.assertGreaterEqual(report["weights"]["output_snr"], 35)
        size = self.path.stat().st_size
        small = Path(self.folder.name) / "b.onnx"
        call("shrink", self.path, "-o", small, "--target-size", str(size // 5), "--json")
        self.assertLessEqual(small.stat().st_size, size // 5)
        report = call("shrink", self.path, "-o", small, "--max-error", "0.01", "--json")
        for line in report["weights"]["tensors"]:
            self.assertEqual(line["kept"], "")
        recipe = Path(self.folder.name) / "recipe.txt"
        first = call("shrink", self.path, "-o", small, "--quality", "30", "--save-recipe", recipe, "--json")
        again = call("shrink", self.path, "-o", small, "--recipe", recipe, "--json")
        self.assertEqual(first["weights"]["tensors"], again["weights"]["tensors"])


add_tests()
if __name__ == "__main__":
    unittest.main(verbosity=1)
