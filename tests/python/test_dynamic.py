"""`quantize --activations dynamic` in ONNX Runtime, with its optimizations on and off: small models of every variant (MatMul, Gemm, Conv, tied weights,
bodies), and real ones next to `onnxruntime.quantization.quantize_dynamic`, which must be neither smaller nor nearer to the float model.
"""
import logging
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ARGUMENTS, sys.argv = sys.argv[1:], sys.argv[:1]
from test_models_run import inputs_of  # noqa: E402
from test_weights import ONNXPRESS, add_tests, call, snr  # noqa: E402

logging.disable(logging.WARNING)  # warnings of quantize_dynamic about preparing models
FULL = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
PLAIN = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
DYNAMIC = ["--activations", "dynamic"]
ALL = [*DYNAMIC, "--layers", "all"]


def run(path, inputs, level, optimized=None):
    return run_all(path, [inputs], level, optimized)[0]


def run_all(path, inputs, level, optimized=None):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    options.intra_op_num_threads = 2
    if optimized:
        options.optimized_model_filepath = str(optimized)
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return [session.run(None, each) for each in inputs]


def ops_of(graph):
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from ops_of(attribute.g)


def stored_bytes(graph, of_type):
    return sum(len(tensor.raw_data) for tensor in graph.initializer if tensor.data_type == of_type)


class VariantsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.random = numpy.random.default_rng(5)

    def save(self, text, weights, opset=13, ir_version=8):
        graph = onnx.parser.parse_graph(text)
        for name, shape in weights.items():
            values = shape if isinstance(shape, numpy.ndarray) else self.random.standard_normal(shape).astype(numpy.float32) * 0.2
            graph.initializer.append(onnx.numpy_helper.from_array(values, name))
        return self.save_graph(graph, opset, ir_version)

    def save_graph(self, graph, opset, ir_version):
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=ir_version)
        model = onnx.shape_inference.infer_shapes(model)  # declares the outputs
        onnx.checker.check_model(model, full_check=True)
        path = self.folder / "model.onnx"
        onnx.save(model, path)
        return path

    def inputs(self, path):
        made = {}
        for each in onnx.load(path).graph.input:
            shape = [dim.dim_value for dim in each.type.tensor_type.shape.dim]
            if each.type.tensor_type.elem_type == onnx.TensorProto.BOOL:
                made[each.name] = numpy.ones(shape, bool)
            elif each.type.tensor_type.elem_type == onnx.TensorProto.INT64:
                made[each.name] = self.random.integers(0, 8, shape)
            else:  # not around 0, so that zero points and padding matter
                made[each.name] = (self.random.standard_normal(shape) + 1.5).astype(numpy.float32)
        return made

    def check(self, path, *arguments, floor=34, taken=1, reference=None):
        """Quantizes, runs and compares; returns the ops, those that ONNX Runtime turns them into, and the report."""
        small, optimized = self.folder / "small.onnx", self.folder / "optimized.onnx"
        report = call("quantize", path, "-o", small, "--min-elements", "64", "--verify", "--json",
                      *(arguments or ALL))
        self.assertEqual(sum(line["scheme"] == "int8 dynamic" for line in report["tensors"]), taken, report)
        # Only inputs like those below, because quiet parts of speech lose more when the whole input has one scale.
        by_kind = {line["kind"]: line["snr"] for line in report["inputs"]}
        self.assertGreater(by_kind["normal"], floor - 6, report)
        self.assertLessEqual(report["reached"], min(each for each in by_kind.values() if each is not None) + 1e-9, report)
        model = onnx.load(small)
        onnx.checker.check_model(model, full_check=True)
        subprocess.run([ONNXPRESS, "check", small], check=True, capture_output=True)
        inputs = self.inputs(path)
        expected = run(reference or path, inputs, PLAIN)
        for level in (FULL, PLAIN):
            found = snr(expected, run(small, inputs, level, optimized if level == FULL else None))
            self.assertGreater(found, floor, (path, arguments, level))
        again = self.folder / "expanded.onnx"  # rounded weights stay rounded
        subprocess.run([ONNXPRESS, "expand", small, "-o", again], check=True, capture_output=True)
        self.assertEqual(sum(op in ("MatMulInteger", "ConvInteger") for op in ops_of(onnx.load(again).graph)),
                         sum(op in ("MatMulInteger", "ConvInteger") for op in ops_of(model.graph)))
        self.assertGreater(snr(run(small, inputs, PLAIN), run(again, inputs, PLAIN)), 100)
        self.model = model
        return list(ops_of(model.graph)), list(ops_of(onnx.load(optimized).graph)), report

    def test_matmul(self):
        for x, w in (([5, 64], [64, 48]), ([2, 3, 64], [64, 48]), ([64], [64, 48]), ([2, 5, 64], [2, 64, 48]), ([3, 2, 5, 32], [2, 32, 48]),
                     ([4, 64], [64, 1])):
            path = self.save(f"g (float{x} x) => (y) {{ y = MatMul (x, w) }}", {"w": w})
            for codes in ("uint8", "int8"):
                ops, fused, _ = self.check(path, *ALL, "--codes", codes, floor=34 if codes == "uint8" else 15)
                self.assertEqual(ops.count("MatMulInteger"), 1)
                self.assertIn("DynamicQuantizeMatMul", fused, (x, w, codes))
                self.assertNotIn("MatMul", fused)

    def test_matmul_with_bias_is_one_node(self):
        path = self.save("g (float[5,64] x) => (y) { a = MatMul (x, w) y = Add (a, b) }", {"w": [64, 48], "b": [48]})
        self.assertEqual(self.check(path)[1], ["DynamicQuantizeMatMul"])

    def test_gemm(self):
        for attributes, x, w, c in (("", [5, 64], [64, 48], [48]), ("transB = 1", [5, 64], [48, 64], [48]),
                                    ("transA = 1", [64, 5], [64, 48], [5, 1]), ("transA = 1, transB = 1", [64, 5], [48, 64], [1]),
                                    ("alpha = 0.5, beta = 2.0, transB = 1", [5, 64], [48, 64], [5, 48]), ("beta = 0.0", [5, 64], [64, 48], [48]),
                                    ("alpha = -3.0", [5, 64], [64, 48], None)):
            inputs = "x, w" if c is None else "x, w, c"
            attributes = f"<{attributes}>" if attributes else ""
            path = self.save(f"g (float{x} x) => (y) {{ y = Gemm {attributes} ({inputs}) }}",
                             {"w": w} if c is None else {"w": w, "c": c})
            _, fused, _ = self.check(path)
            self.assertFalse({"Gemm", "MatMulInteger"} & set(fused), (attributes, fused))

    def test_conv(self):
        for attributes, x, w in (("pads = [1,1,1,1]", [2, 4, 9, 9], [12, 4, 3, 3]), ("auto_pad = \"SAME_UPPER\", strides = [2,2]", [2, 4, 9, 9], [12, 4, 3, 3]),
                                 ("pads = [0,2,1,0], dilations = [2,2]", [2, 4, 9, 9], [12, 4, 3, 3]), ("group = 2, pads = [1,1,1,1]", [2, 4, 9, 9], [12, 2, 3, 3]),
                                 ("group = 8, pads = [1,1,1,1]", [1, 8, 9, 9], [8, 1, 3, 3]), ("pads = [2,2]", [2, 4, 20], [12, 4, 5]),
                                 ("pads = [1,1,1,0,0,0]", [1, 4, 6, 6, 6], [8, 4, 3, 3, 3]), ("kernel_shape = [1,1]", [1, 32, 9, 9], [12, 32, 1, 1])):
            for bias in ("", ", b"):
                weights = {"w": w, "b": [w[0]]} if bias else {"w": w}
                path = self.save(f"g (float{x} x) => (y) {{ y = Conv <{attributes}> (x, w{bias}) }}", weights)
                for codes in ("uint8", "int8"):
                    ops, _, _ = self.check(path, *ALL, "--codes", codes)
                    self.assertIn("ConvInteger", ops)

    def test_conv_with_a_computed_bias(self):
        path = self.save("g (float[2,4,9,9] x, float[12] v) => (y) { b = Relu (v) y = Conv (x, w, b) }", {"w": [12, 4, 3, 3]})
        self.check(path, *ALL)

    def test_an_activation_is_quantized_once(self):
        path = self.save("""g (float[5,64] x) => (q, k, v) { h = Relu (x)
            q = MatMul (h, wq)  k = MatMul (h, wk)  v = Gemm <transB = 1> (h, wv) }""", {"wq": [64, 48], "wk": [64, 48], "wv": [48, 64]})
        ops, fused, _ = self.check(path, taken=3)
        self.assertEqual(ops.count("DynamicQuantizeLinear"), 1)
        self.assertEqual(fused.count("MatMulIntegerToFloat"), 3)

    def test_a_tied_weight_is_stored_once(self):
        for text in ("h = Gather (w, i)  s = Relu (h)  y = Gemm <transB = 1> (s, w)",
                     "h = Gather (w, i)  s = Relu (h)  t = Transpose <perm = [1,0]> (w)  y = MatMul (s, t)"):
            path = self.save(f"g (int64[6] i) => (y) {{ {text} }}", {"w": [80, 64]})
            for codes in ("uint8", "int8"):
                self.check(path, *ALL, "--codes", codes, floor=30 if codes == "uint8" else 20)
                self.assertEqual(stored_bytes(self.model.graph, getattr(onnx.TensorProto, codes.upper())), 80 * 64 + (codes == "uint8"))
                self.assertLess(stored_bytes(self.model.graph, onnx.TensorProto.FLOAT), 2 * 80 * 4 + 5)

    def test_a_weight_used_along_both_axes(self):
        path = self.save("g (float[5,64] x) => (y) { a = MatMul (x, w)  b = Relu (a)  y = Gemm <transB = 1> (b, w) }", {"w": [64, 48]})
        ops, _, _ = self.check(path)
        self.assertEqual((ops.count("MatMulInteger"), ops.count("Gemm") + ops.count("MatMul")), (1, 1))

    def test_a_weight_that_is_an_output(self):
        path = self.save("g (float[5,64] x) => (y, float[64,48] w) { y = MatMul (x, w) }", {"w": [64, 48]})
        self.check(path)

    def test_bodies(self):
        text = """g (bool c, float[5,64] x) => (y) {{ h = {0} (x)
            y = If (c) <then_branch = t () => (float[5,48] a) {{ a = MatMul (h, w) }},
                        else_branch = e () => (float[5,48] b) {{ g = Gemm (h, w, bias)  b = Relu (g) }}> }}"""
        path = self.save(text.format("Relu"), {"w": [64, 48], "bias": [48]})
        ops, _, _ = self.check(path)
        self.assertEqual((ops.count("DynamicQuantizeLinear"), ops.count("MatMulInteger")), (1, 2))
        path = self.save("""g (float[4,5,64] s) => (y) {
            y = Scan <num_scan_inputs = 1, body = b (float[5,64] one) => (float[5,48] out) { r = Relu (one) out = MatMul (r, w) }> (s) }""",
                         {"w": [64, 48]})
        self.check(path)

    def test_constants_in_old_formats(self):
        """In IR version 3, every initializer is an input, so codes are Constant nodes, before their readers."""
        values = self.random.standard_normal([48, 64]).astype(numpy.float32)
        graph = onnx.parser.parse_graph("g (int64[6] i) => (y) { h = Gather (w, i)  y = Gemm <transB = 1> (h, w) }")
        graph.node.insert(0, onnx.helper.make_node("Constant", [], ["w"], value=onnx.numpy_helper.from_array(values, "v")))
        self.check(self.save_graph(graph, 11, 3), floor=30)

    def test_places(self):
        path = self.save("""g (float[5,64] x) => (y, z) { a = MatMul (x, first)  b = MatMul (a, w)  c = Relu (b)
            y = MatMul (c, last)  d = Conv <pads = [1,1]> (e, conv)  s = Shape (d)  e = Reshape (c, shape)  z = MatMul (d, last2) }"""
                         .replace("d = Conv <pads = [1,1]> (e, conv)  s = Shape (d)  e = Reshape (c, shape)",
                                  "e = Reshape (c, shape)  d = Conv <pads = [1,1]> (e, conv)"),
                         {"first": [64, 64], "w": [64, 48], "last": [48, 32], "conv": [4, 5, 3], "last2": [48, 16],
                          "shape": numpy.array([1, 5, 48])})
        _, _, report = self.check(path, *DYNAMIC)
        why = {line["tensor"]: line["kept"] for line in report["tensors"]}
        self.assertIn("first layer", why["first"])
        self.assertIn("last layer", why["last"])
        self.assertIn("last layer", why["last2"])
        _, _, report = self.check(path, *DYNAMIC, "--to", "int8")  # the other weights are stored as usual
        self.assertEqual({line["scheme"] for line in report["tensors"] if not line["kept"]}, {"int8 block=128 asym", "int8 dynamic"})
        self.check(path, *ALL, "--exclude", "last*", taken=2)
        recipe = self.folder / "recipe.txt"
        first = call("quantize", path, "-o", self.folder / "a.onnx", *DYNAMIC, "--min-elements", "64", "--save-recipe", recipe, "--json")
        again = call("quantize", path, "-o", self.folder / "b.onnx", "--recipe", recipe, "--min-elements", "64", "--json")
        self.assertEqual([line["scheme"] for line in first["tensors"]], [line["scheme"] for line in again["tensors"]])
        recipe.write_text("w keep\nfirst int8 dynamic\n")
        report = call("quantize", path, "-o", self.folder / "b.onnx", *DYNAMIC, "--recipe", recipe, "--min-elements", "64", "--json")
        self.assertEqual([line["tensor"] for line in report["tensors"] if line["scheme"] == "int8 dynamic"], ["first"])


# For each model: our options, the ops that quantize_dynamic handles, and the least output SNR in dB, a little below what was measured.
MATMUL, CONV = ["MatMul", "Gemm"], ["MatMul", "Gemm", "Conv"]
NO_CONV = [*ALL, "--exclude", "Conv"]
REAL = {
    "silero_vad_legacy": [([*DYNAMIC, "--layers", "conv"], None, 30), (ALL, CONV, 34)],
    "silero_vad_v5": [(ALL, CONV, 12)],
    "ddddocr": [(NO_CONV, MATMUL, 46), (ALL, CONV, 35), ([*ALL, "--to", "int8"], None, 35)],
    "ppocr_v4_rec": [(DYNAMIC, None, 46), (NO_CONV, MATMUL, 37)],
    "yolov8n": [([*DYNAMIC, "--layers", "conv"], CONV, 38)],
    "htdemucs": [(DYNAMIC, MATMUL, 29)],
}


def mean_snr(path, inputs, expected, level):
    """SNR from the mean of noise over signal."""
    each = [snr(one, found) for one, found in zip(expected, run_all(path, inputs, level), strict=True)]
    return -10 * numpy.log10(numpy.mean(10 ** (-numpy.array(each) / 10)))


class RealModelsTest(unittest.TestCase):
    def prepared(self, path, folder):
        """PP-OCR has opset 9, which is refused; the onnx package can convert it."""
        model = onnx.load(path)
        if model.opset_import[0].version > 10:
            return path
        done = subprocess.run([ONNXPRESS, "quantize", path, "-o", folder / "no.onnx", *DYNAMIC], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("opset 11 or later", done.stderr)
        raised = folder / path.name
        onnx.save(onnx.version_converter.convert_version(model, 13), raised)
        return raised

    def check(self, path, folder):
        path = self.prepared(path, folder)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        seeds = range(7, 13) if path.stat().st_size < 60_000_000 else [7]  # one input says little about small outputs
        inputs = [inputs_of(path.stem, session, False, numpy.random.default_rng(seed)) for seed in seeds]
        expected = [session.run(None, each) for each in inputs]
        for arguments, op_types, floor in REAL[path.stem]:
            ours = folder / "ours.onnx"
            report = call("quantize", path, "-o", ours, *arguments, "--json")
            onnx.checker.check_model(str(ours))
            subprocess.run([ONNXPRESS, "check", ours], check=True, capture_output=True)
            found, plain = mean_snr(ours, inputs, expected, FULL), mean_snr(ours, inputs, expected, PLAIN)
            taken = sum(line["scheme"] == "int8 dynamic" for line in report["tensors"])
            print(f"{path.stem:<18} {' '.join(arguments):<32} {taken:>3} weights  {path.stat().st_size:>11,} -> {ours.stat().st_size:>11,}  "
                  f"{found:5.1f} dB, unoptimized {plain:5.1f} dB", end="", flush=True)
            size, peer = self.peer(path, folder, inputs, expected, op_types) if op_types else (None, None)
            print(f";  quantize_dynamic {size:,}  {peer:5.1f} dB" if size else "", flush=True)
            self.assertGreater(min(found, plain), floor, (path, arguments))
            if size:
                self.assertLess(ours.stat().st_size, size, (path, arguments))
                self.assertGreater(found, peer - 0.1, (path, arguments))  # sums differ a little between processors

    def peer(self, path, folder, inputs, expected, op_types):
        """Bytes and SNR of quantize_dynamic, which needs help with Constant nodes; None if it cannot handle the model."""
        plain, theirs = folder / "plain.onnx", folder / "theirs.onnx"
        call("shrink", path, "-o", plain, "--only", "storage-form", "--json")
        try:
            quantize_dynamic(plain, theirs, op_types_to_quantize=op_types, per_channel=True, weight_type=QuantType.QInt8,
                             extra_options={"EnableSubgraph": True})
        except ValueError as error:
            print(f";  quantize_dynamic fails: {error}"[:60], end="")
            return None, None
        self.assertTrue({"MatMulInteger", "ConvInteger"} & set(ops_of(onnx.load(theirs).graph)))
        return theirs.stat().st_size, mean_snr(theirs, inputs, expected, FULL)


if __name__ == "__main__":
    add_tests(RealModelsTest, REAL, ARGUMENTS)
    unittest.main(verbosity=1)
