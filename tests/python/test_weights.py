"""Real float models with `quantize --to`: results are valid, load and run in ONNX Runtime with its optimizations on and off, and
outputs have at least the SNR listed below. Includes models that a peer corrupts or cannot handle (PP-OCR, silero v5, htdemucs).

LARGEST=bytes runs larger models, too (default: 15 MB; ddddocr has 54 MB, htdemucs 174 MB).
"""
import gzip
import json
import os
import re
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
LARGEST = int(os.environ.get("LARGEST", "15000000"))

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
# Largest size relative to the original, for models that are mostly weights.
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
    """An image like text, in which a detector finds something; on noise its outputs are almost zero."""
    page = numpy.full((1, 3, 64, 96), 2, dtype=numpy.float32)
    for letter in range(8, 88, 8):
        page[:, :, 20:44:2, letter:letter + 5] = -2
        page[:, :, 20:44, letter + 2:letter + 4] = -2
    return page


def snr(reference, found):
    """The SNR in dB from the mean of noise over signal, over all float outputs."""
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
            report = call("quantize", path, "-o", small, "--to", preset, "--json")
            onnx.checker.check_model(str(small))
            found = snr(reference, outputs_of(small, inputs, full))
            ratio = small.stat().st_size / path.stat().st_size
            sqnr = report["sqnr"]
            print(f"{path.stem:<22} {preset}: {small.stat().st_size:>11,}  x {ratio:.3f}  weights {sqnr or 999:5.1f} dB  "
                  f"outputs {found:5.1f} dB", flush=True)
            self.assertGreater(found, floor, f"{path.stem} {preset}")
            if path.stat().st_size < 5_000_000:  # also without optimizations, where the chains are computed in each run
                self.assertGreater(snr(reference, outputs_of(small, inputs, plain)), floor)
            if path.stem in MOSTLY_WEIGHTS:
                self.assertLess(ratio, RATIOS[preset])


def add_tests(test_class, names, wanted):
    """Adds a test for each real model: check(path, folder) of the class. Prints which models are skipped."""
    for name in names:
        path = MODELS / f"{name}.onnx"
        if wanted and name not in wanted:
            continue
        if not path.exists():
            print(f"SKIPPED: {name} (scripts/fetch_models)", flush=True)
            continue
        if path.stat().st_size > LARGEST:
            print(f"SKIPPED: {name} is larger than LARGEST={LARGEST}", flush=True)
            continue

        def test(self, path=path):
            with tempfile.TemporaryDirectory() as folder:
                self.check(path, Path(folder))
        setattr(test_class, f"test_{name}", test)


class EncodingsTest(unittest.TestCase):
    """All schemes and encodings on a small model, compared with the rounded floats of --encoding simulate."""

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
        report = call("quantize", self.path, "-o", small, *arguments, "--json")
        self.assertEqual(report["rounded"], 4, report)
        onnx.checker.check_model(str(small))
        return outputs_of(small, self.inputs, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)

    def test_folded_computes_what_simulate_says(self):
        for scheme in ["int8", "int8 asym", "int7 block=32 asym", "int7", "int6 block=32 asym", "int5", "int4 block=32", "int4 block=32 asym", "int3 block=16",
                       "int2 block=16 asym", "int16", "palette4", "palette3", "nf4", "float8", "float16", "bfloat16", "levels=100",
                       "levels=1000", "int4 block=32 offset", "int8 offset scale=hqq"]:
            simulated = self.outputs("--scheme", scheme, "--encoding", "simulate")
            self.assertGreater(snr(simulated, self.outputs("--scheme", scheme)), 100, scheme)

    def test_dq_runs(self):
        for scheme in ["int8", "int8 asym", "int8 per-tensor", "int4 block=32 asym", "int4"]:
            reference = outputs_of(self.path, self.inputs, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
            floor = 30 if "int8" in scheme else 8
            self.assertGreater(snr(reference, self.outputs("--scheme", scheme, "--encoding", "dq")), floor, scheme)

    def test_says_which_forms_the_opset_leaves_out(self):
        model = onnx.load(self.path)
        model.opset_import[0].version = 13
        onnx.save(model, self.path)
        small = Path(self.folder.name) / "small.onnx"
        for options, note in ((["--encoding", "dq"], "came with opset 21, and the model has 13"), ([], "")):
            weights = call("quantize", self.path, "-o", small, "--weight-quality", "22", *options, "--json")
            self.assertIn(note, weights["note"])
            self.assertEqual(bool(note), bool(weights["note"]))

    def test_choosing(self):
        report = call("quantize", self.path, "-o", Path(self.folder.name) / "a.onnx", "--quality", "35", "--json")
        self.assertGreaterEqual(report["reached"], 35)
        size = self.path.stat().st_size
        small = Path(self.folder.name) / "b.onnx"
        call("quantize", self.path, "-o", small, "--max-size", str(size // 5), "--json")
        self.assertLessEqual(small.stat().st_size, size // 5)
        report = call("quantize", self.path, "-o", small, "--max-error", "0.01", "--json")
        for line in report["tensors"]:
            self.assertEqual(line["kept"], "")
        recipe = Path(self.folder.name) / "recipe.txt"
        first = call("quantize", self.path, "-o", small, "--quality", "30", "--compensate", "off", "--save-recipe", recipe, "--json")
        again = call("quantize", self.path, "-o", small, "--recipe", recipe, "--json")
        for line in first["tensors"] + again["tensors"]:
            del line["kept"]  # differs: chosen, or given by the recipe
        self.assertEqual(first["tensors"], again["tensors"])
        self.assertLess(first["after"]["file"], size / 2)

    def test_weight_quality_is_met_and_not_much_more(self):
        small = Path(self.folder.name) / "small.onnx"
        for wanted in (20, 30, 40):
            report = call("quantize", self.path, "-o", small, "--weight-quality", wanted, "--json")
            self.assertGreaterEqual(report["sqnr"], wanted)
            self.assertLess(report["sqnr"], wanted + 6)

    def test_samples(self):
        """Samples of all kinds; the reported quality is what ONNX Runtime gives on them."""
        random = numpy.random.default_rng(5)
        sample = lambda: random.standard_normal((1, 8, 12, 12)).astype(numpy.float32)
        folder = Path(self.folder.name) / "samples"
        (folder / "one").mkdir(parents=True)
        arrays = [sample() for _ in range(4)]
        numpy.savez(folder / "a.npz", x=arrays[0])
        numpy.savez_compressed(folder / "b.npz", arrays[1])
        numpy.save(folder / "c.npy", arrays[2])
        numpy.save(folder / "one" / "x.npy", arrays[3])
        small = Path(self.folder.name) / "small.onnx"
        report = call("quantize", self.path, "-o", small, "--quality", 30, "--samples", folder, "--json")
        self.assertEqual(report["samples"], 4)
        self.assertGreaterEqual(report["reached"], 30)
        everything = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        before = numpy.stack([outputs_of(self.path, {"x": each}, everything)[0] for each in arrays])
        after = numpy.stack([outputs_of(small, {"x": each}, everything)[0] for each in arrays])
        line, = report["outputs"]
        self.assertAlmostEqual(line["snr"], snr([before], [after]), delta=0.05)
        self.assertAlmostEqual(line["largest_error"], numpy.abs(before - after).max(), delta=1e-4)
        self.assertAlmostEqual(line["mean_error"], numpy.abs(before - after).mean(), delta=1e-4)
        cosine = (before * after).sum() / numpy.sqrt((before ** 2).sum() * (after ** 2).sum())
        self.assertAlmostEqual(line["cosine"], cosine, delta=1e-5)
        self.assertAlmostEqual(line["top1"], (before.argmax(-1) == after.argmax(-1)).mean())

    def test_samples_that_do_not_fit(self):
        folder = Path(self.folder.name) / "samples"
        folder.mkdir()
        numpy.save(folder / "c.npy", numpy.zeros((1, 9, 12, 12), numpy.float32))
        damaged = {"shape": None, "zip": b"PK\x03\x04 nothing", "name": None}
        for what, content in damaged.items():
            if content:
                (folder / "c.npy").unlink(missing_ok=True)
                (folder / "d.npz").write_bytes(content)
            if what == "name":
                numpy.savez(folder / "d.npz", wrong=numpy.zeros(3), x=numpy.zeros(3))
            done = subprocess.run([ONNXPRESS, "quantize", self.path, "-o", folder / "out.onnx", "--to", "int8", "--samples", folder],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("error:", done.stderr)
            self.assertFalse((folder / "out.onnx").exists())

    def test_download(self):
        small = Path(self.folder.name) / "small.onnx"
        for compressor, compress in (("gzip", lambda data: len(gzip.compress(data, 9))), ("brotli", None), ("zstd", None)):
            report = call("quantize", self.path, "-o", small, "--max-download", f"4500:{compressor}", "--json")
            self.assertLessEqual(report["download"], 4500)
            self.assertGreater(report["download"], 3800)
            if compress:
                self.assertAlmostEqual(report["download"], compress(small.read_bytes()), delta=30)

    def test_targets(self):
        """Each target stores weights in its own way, and all results run."""
        small = Path(self.folder.name) / "small.onnx"
        reference = outputs_of(self.path, self.inputs, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
        for target, has, has_not in (("browser", "Cast", "DequantizeLinear"), ("phone", "DequantizeLinear", "Cast"), ("any", "DequantizeLinear", "Cast"),
                                     ("server", "Cast", "DequantizeLinear")):
            call("quantize", self.path, "-o", small, "--to", "int8", "--target", target, "--json")
            ops = {node.op_type for node in onnx.load(small).graph.node}
            self.assertIn(has, ops, target)
            self.assertNotIn(has_not, ops, target)
            found = snr(reference, outputs_of(small, self.inputs, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL))
            self.assertGreater(found, 30, target)

    def test_llm_target_keeps_codes_in_memory(self):
        random = numpy.random.default_rng(13)
        graph = onnx.parser.parse_graph("""
            g (int64[4] tokens) => (float[4,96] logits) {
              rows = Gather (embedding, tokens)
              hidden = MatMul (rows, up)
              logits = MatMul (hidden, down)
            }""")
        graph.initializer.extend([onnx.numpy_helper.from_array((random.standard_normal(shape) * 0.1).astype(numpy.float32), name)
                                  for name, shape in (("embedding", (50, 64)), ("up", (64, 128)), ("down", (128, 96)))])
        path, small = Path(self.folder.name) / "llm.onnx", Path(self.folder.name) / "small.onnx"
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10), path)
        call("quantize", path, "-o", small, "--to", "int4", "--target", "llm", "--json")
        ops = {node.op_type for node in onnx.load(small).graph.node}
        self.assertEqual(ops, {"GatherBlockQuantized", "MatMulNBits"})
        inputs = {"tokens": numpy.array([3, 0, 49, 17])}
        everything = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.assertGreater(snr(outputs_of(path, inputs, everything), outputs_of(small, inputs, everything)), 15)

    def test_levels_are_those_of_shrink_ray(self):
        """Levels are evenly spaced from the smallest to the largest value, include 0, and no weight moves by more than half a step."""
        small = Path(self.folder.name) / "small.onnx"
        before = {each.name: onnx.numpy_helper.to_array(each) for each in onnx.load(self.path).graph.initializer}
        for levels in (3, 100, 256, 1000):
            call("quantize", self.path, "-o", small, "--scheme", f"levels={levels}", "--encoding", "simulate", "--json")
            for each in onnx.load(small).graph.initializer:
                now, was = onnx.numpy_helper.to_array(each), before.get(each.name)
                if was is None:
                    continue
                step = (was.max() - was.min()) / (levels - 1)
                codes = now / step
                self.assertLess(numpy.abs(codes - codes.round()).max(), 1e-2)
                self.assertLessEqual(len(numpy.unique(now)), levels)
                # Rounding the zero point may cut the ends, by one step at most.
                self.assertLess(numpy.abs(now - was).max(), step * 1.01)


    def test_recipes_name_any_tensor(self):
        names = {"conv": "a*b", "up": "a?b", "dense": 'e\\*f "g"\\', "head": "#h i\\j"}
        model = onnx.load(self.path)
        for each in model.graph.initializer:
            each.name = names[each.name]
        for node in model.graph.node:
            node.input[:] = [names.get(name, name) for name in node.input]
        onnx.save(model, self.path)
        for ending in ("txt", "json"):
            recipe, small = (Path(self.folder.name) / name for name in (f"recipe.{ending}", "small.onnx"))
            call("quantize", self.path, "-o", small, "--scheme", "int4", "--save-recipe", recipe, "--json")
            text = recipe.read_text()
            self.assertEqual(text.count("int4"), 4, text)
            # Changes one line after the other to `keep`.
            places = [found.start() for found in re.finditer("int4", text)]
            kept = []
            for place in places:
                recipe.write_text(text[:place] + "keep" + text[place + 4:])
                report = call("quantize", self.path, "-o", small, "--recipe", recipe, "--json")
                kept += [line["tensor"] for line in report["tensors"] if line["kept"]]
            self.assertEqual(sorted(kept), sorted(names.values()), text)


class FunctionsTest(unittest.TestCase):
    """Weights in a function of the model, in a body inside it, and weights that are passed to a function."""

    TEXT = """
        <ir_version: 10, opset_import: ["" : 21, "my" : 1]>
        g (float[3,64] x, bool which) => (float[3,32] y, float[3,32] z)
        {
          y = my.twice (x, given, which)
          z = my.dense (x, given)
        }
        <domain: "my", opset_import: ["" : 21, "my" : 1]>
        twice (x, given, which) => (y)
        {
          inside = Constant <value = float[64,64] {WEIGHTS 4096}> ()
          a = MatMul (x, inside)
          b = If (which) <then_branch = t () => (c) {
              branch = Constant <value = float[64,64] {WEIGHTS 4096}> ()
              c = MatMul (a, branch)
            }, else_branch = e () => (d) { d = Relu (a) }>
          y = my.dense (b, given)
        }
        <domain: "my", opset_import: ["" : 21]>
        dense (x, w) => (y) { y = MatMul (x, w) }"""

    def test_all_are_rounded(self):
        random = numpy.random.default_rng(9)
        numbers = lambda count: ", ".join(f"{x:.6f}" for x in random.standard_normal(int(count)) * 0.1)
        model = onnx.parser.parse_model(re.sub(r"WEIGHTS (\d+)", lambda found: numbers(found[1]), self.TEXT))
        model.graph.initializer.append(
            onnx.numpy_helper.from_array((random.standard_normal((64, 32)) * 0.1).astype(numpy.float32), "given"))
        full = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        with tempfile.TemporaryDirectory() as folder:
            path, small = Path(folder) / "model.onnx", Path(folder) / "small.onnx"
            onnx.save(model, path)
            for which in (True, False):
                inputs = {"x": random.standard_normal((3, 64)).astype(numpy.float32), "which": numpy.array(which)}
                reference = outputs_of(path, inputs, full)
                for options, floor in ((["--to", "int8"], 35), (["--to", "int4"], 14), (["--scheme", "palette4"], 14),
                                       (["--to", "int8", "--encoding", "dq"], 35), (["--to", "fp16"], 60),
                                       (["--to", "int4", "--encoding", "ort"], 14), (["--to", "auto"], 29),
                                       (["--scheme", "int8", "--encoding", "simulate"], 35)):
                    report = call("quantize", path, "-o", small, *options, "--json")
                    self.assertEqual(report["rounded"], 3, options)
                    onnx.checker.check_model(str(small), full_check=True)
                    found = snr(reference, outputs_of(small, inputs, full))
                    self.assertGreater(found, floor, options)
                    self.assertLess(found, 120, f"{options}: nothing was rounded")
                    if "simulate" not in options:
                        self.assertLess(small.stat().st_size, 0.6 * path.stat().st_size, options)


class KeptTest(unittest.TestCase):
    """Weights that must not be rounded keep every bit, and are listed with the reason."""

    def test_special_tensors(self):
        random = numpy.random.default_rng(11)
        plain = (random.standard_normal((64, 64)) * 0.1).astype(numpy.float32)
        with_nan, with_infinity, mask = plain.copy(), plain.copy(), plain.copy()
        with_nan[3, 4], with_infinity[5, 6], mask[7, 8] = numpy.nan, -numpy.inf, -3.4e38
        tensors = {"plain": plain, "nan": with_nan, "infinity": with_infinity, "mask": mask, "zero": numpy.zeros_like(plain),
                   "constant": numpy.full_like(plain, 0.3), "few": random.choice([0.5, -0.25, 1], (64, 64)).astype(numpy.float32)}
        nodes = [onnx.helper.make_node("MatMul", ["x", name], [f"y_{name}"]) for name in tensors]
        graph = onnx.helper.make_graph(
            nodes, "g", [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 64])],
            [onnx.helper.make_tensor_value_info(f"y_{name}", onnx.TensorProto.FLOAT, [1, 64]) for name in tensors],
            [onnx.numpy_helper.from_array(value, name) for name, value in tensors.items()])
        with tempfile.TemporaryDirectory() as folder:
            path, small, plainly = (Path(folder) / name for name in ("model.onnx", "small.onnx", "expanded.onnx"))
            onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8), path)
            for options in (["--to", "int8"], ["--to", "int4"], ["--to", "auto"], ["--scheme", "levels=9"], ["--weight-quality", "34"]):
                report = call("quantize", path, "-o", small, *options, "--json")
                kept = {line["tensor"]: line["kept"] for line in report["tensors"]}
                self.assertEqual(kept.pop("plain"), "", options)
                self.assertEqual(len(kept), 6)
                for name, reason in kept.items():
                    self.assertNotEqual(reason, "", f"{name} {options}")
                session = onnxruntime.InferenceSession(str(small), providers=["CPUExecutionProvider"])
                one = numpy.eye(1, 64, dtype=numpy.float32)  # selects the first row, which has no special values
                for name, found in zip(tensors, session.run(None, {"x": one}), strict=True):
                    if name in ("zero", "constant", "few"):
                        numpy.testing.assert_array_equal(found[0], tensors[name][0], err_msg=f"{name} {options}")
                subprocess.run([ONNXPRESS, "expand", small, "-o", plainly], check=True, capture_output=True)
                for each in onnx.load(plainly).graph.initializer:
                    if each.name in tensors and each.name != "plain":
                        self.assertEqual(onnx.numpy_helper.to_array(each).tobytes(), tensors[each.name].tobytes(), f"{each.name} {options}")

    def test_other_float_types_keep_their_type(self):
        for dtype in (numpy.float64, numpy.float16):
            weight = numpy.random.default_rng(2).standard_normal((64, 48)).astype(dtype)
            kind = onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
            graph = onnx.helper.make_graph(
                [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [onnx.helper.make_tensor_value_info("x", kind, [2, 64])],
                [onnx.helper.make_tensor_value_info("y", kind, [2, 48])], [onnx.numpy_helper.from_array(weight, "w")])
            with tempfile.TemporaryDirectory() as folder:
                path, small = Path(folder) / "model.onnx", Path(folder) / "small.onnx"
                onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
                x = numpy.random.default_rng(4).standard_normal((2, 64)).astype(dtype)
                for preset, floor in (("int8", 35), ("int4", 15)):
                    report = call("quantize", path, "-o", small, "--to", preset, "--json")
                    self.assertEqual(report["rounded"], 1)
                    found = snr([x.astype(numpy.float64) @ weight.astype(numpy.float64)],
                                outputs_of(small, {"x": x}, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL))
                    self.assertGreater(found, floor, f"{dtype} {preset}")


if __name__ == "__main__":
    add_tests(WeightsTest, FLOORS, ARGUMENTS)
    unittest.main(verbosity=1)
