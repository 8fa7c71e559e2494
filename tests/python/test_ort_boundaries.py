"""What `optimize --target ort` makes, ONNX Runtime must load and run, at the boundaries of what its kernels accept: heads of odd sizes, values
of another size, masks of every rank, one row, one batch, sizes that stay open. And the built-in evaluator must refuse a node of com.microsoft
where ONNX Runtime refuses it, because `--verify` without a runtime would otherwise call a broken model verified.
"""
import itertools
import os
import subprocess
import sys
import unittest
from pathlib import Path

try:
    import numpy
    import onnx
    import onnx.parser
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from test_optimize import ONNXPRESS, Optimized, distance, outputs_of  # noqa: E402

ALL_NORMS = ["--also", "ort-skip-every-norm"]


def attention(batch, heads, rows, columns, size, value_size, mask, swapped, split_keys):
    """Attention of merged heads; `mask` is the shape of the mask, `swapped` the form of the Transpose of the keys."""
    width, value_width = heads * size, heads * value_size
    keys = f"float[{batch},{heads},{columns},{size}] k, float[{batch},{heads},{columns},{value_size}] v" if split_keys else \
        f"float[{batch},{columns},{width}] c, float[{batch},{columns},{value_width}] e"
    text = ["q4 = Reshape (a, split) q = Transpose <perm = [0, 2, 1, 3]> (q4)"]
    if split_keys:
        text.append("t = Transpose <perm = [0, 1, 3, 2]> (k)")
    else:
        text.append("k4 = Reshape (c, split) v4 = Reshape (e, split_v) v = Transpose <perm = [0, 2, 1, 3]> (v4)")
        text.append("t = Transpose <perm = [0, 2, 3, 1]> (k4)" if swapped else
                    "k = Transpose <perm = [0, 2, 1, 3]> (k4) t = Transpose <perm = [0, 1, 3, 2]> (k)")
    text.append("m = MatMul (q, t) n = Mul (m, scale)")
    text.append("z = Add (n, mask) s = Softmax <axis = -1> (z)" if mask else "s = Softmax <axis = -1> (n)")
    text.append("o = MatMul (s, v) u = Transpose <perm = [0, 2, 1, 3]> (o) y = Reshape (u, merge)")
    return f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[{batch},{rows},{width}] a, {keys}{f", float[{','.join(map(str, mask))}] mask" if mask else ""}) => (float[{batch},{rows},{value_width}] y)
        <int64[4] split = {{0, 0, {heads}, {size}}}, int64[4] split_v = {{0, 0, {heads}, {value_size}}},
         int64[3] merge = {{0, 0, {value_width}}}, float scale = {{0.25}}> {{ {' '.join(text)} }}"""


def attentions():
    sizes = [(1, 1), (7, 7), (16, 16), (16, 32), (32, 16), (32, 32), (64, 64), (64, 32), (72, 8)]
    for (size, value_size), rows, swapped, split_keys in itertools.product(sizes, (1, 3), (False, True), (False, True)):
        batch, heads, columns = (2, 2, 5) if rows > 1 else ("B", 3, 4)
        masks = (None, (rows, columns), (1, rows, columns), (heads, rows, columns), (1, 1, rows, columns), (batch, heads, rows, columns))
        for mask in masks:
            name = "_".join(map(str, ("attention", size, value_size, rows, int(swapped), int(split_keys), *(mask or ("plain",)))))
            yield name, attention(batch, heads, rows, columns, size, value_size, mask, swapped, split_keys)


def norms():
    for op, opset, ir in (("LayerNormalization", 17, 8), ("RMSNormalization", 23, 10)):
        for shape, other, width in (("2,3,8", "2,3,8", 8), ("B,S,8", "B,S,8", 8), ("2,3,8", "1,3,8", 8), ("3,8", "3,8", 8), ("1,1,1", "1,1,1", 1),
                                    ("2,2,3,4", "2,2,3,4", 4)):
            for read in (False, True):
                numbers = ", ".join(["0.5"] * width)
                yield f"{op}_{shape}_{other}_{int(read)}".replace(",", "x"), f"""<ir_version: {ir}, opset_import: ["" : {opset}]>
                    g (float[{shape}] x, float[{other}] z) => (float[{shape}] y{f", float[{shape}] w" if read else ""})
                    <float[{width}] g = {{{numbers}}}> {{ s = Add (x, z) y = {op} (s, g) {"w = Relu (s)" if read else ""} }}"""


def activations():
    for shape, bias in (("8", "8"), ("2,8", "8"), ("2,3,8", "8"), ("2,3,8", "1"), ("2,8,8", "8,8"), ("1,1", "1"), ("B,1", "1")):
        for approximate in ("none", "tanh"):
            count = numpy.prod([int(each) for each in bias.split(",")])
            yield f"gelu_{shape}_{bias}_{approximate}".replace(",", "x"), f"""<ir_version: 9, opset_import: ["" : 20]>
                g (float[{shape}] x) => (float[{shape}] y) <float[{bias}] b = {{{", ".join(["0.5"] * count)}}}>
                {{ a = Add (x, b) y = Gelu <approximate = "{approximate}"> (a) }}"""
        yield f"swish_{shape}".replace(",", "x"), f"""<ir_version: 8, opset_import: ["" : 17]>
            g (float[{shape}] x) => (float[{shape}] y) <float k = {{1.702}}> {{ a = Mul (x, k) s = Sigmoid (a) y = Mul (x, s) }}"""


def products():
    for a, b, swap_a, swap_b in (("2,3", "3,4", "", "1,0"), ("2,3", "3,4", "1,0", ""), ("2,2,3", "2,3,4", "0,2,1", "0,2,1"), ("2,2,3", "3,4", "", "1,0"),
                                 ("B,2,3", "B,3,1", "0,2,1", "0,2,1")):
        swapped = lambda shape, perm: ",".join(shape.split(",")[int(i)] for i in perm.split(",")) if perm else shape  # noqa: E731
        lines = [f"t = Transpose <perm = [{swap_a}]> (a)" if swap_a else "t = Relu (a)", f"u = Transpose <perm = [{swap_b}]> (b)" if swap_b else "u = Relu (b)"]
        yield f"product_{a}_{b}_{swap_a}_{swap_b}".replace(",", "x"), f"""<ir_version: 8, opset_import: ["" : 17]>
            g (float[{swapped(a, swap_a)}] a, float[{swapped(b, swap_b)}] b) => (float y) <float k = {{0.5}}>
            {{ {' '.join(lines)} m = MatMul (t, u) n = Mul (m, k) y = ReduceSum <keepdims = 0> (n) }}"""


class OrtBoundaries(Optimized):
    def test_results_run(self):
        cases = []
        for name, text in itertools.chain(attentions(), norms(), activations(), products()):
            path = self.folder / f"{name}.onnx"
            onnx.save(onnx.parser.parse_model(text), path)
            ran = outputs_of(path)
            self.assertTrue(ran, f"{name}: ONNX Runtime refuses the model itself")
            cases.append((path, *ran))
        results = self.optimize([path for path, _, _ in cases], "--allow-growth", "--target", "ort", *ALL_NORMS)
        failed, found = [], set()
        for path, inputs, expected in cases:
            ran = outputs_of(results[path], inputs) if results[path].exists() else None
            if not ran:
                failed.append(f"{path.stem}: ONNX Runtime refuses the result")
            elif distance(expected, ran[1]) > 1e-5:
                failed.append(f"{path.stem}: outputs differ by {distance(expected, ran[1]):.2g}")
            if results[path].exists():
                found |= {node.op_type for node in onnx.load(results[path]).graph.node if node.domain == "com.microsoft"}
        print(f"{len(cases)} models, {len(found)} operators of com.microsoft")
        self.assertFalse(failed, "\n".join(failed))
        self.assertLessEqual({"MultiHeadAttention", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "BiasGelu", "QuickGelu",
                              "FusedMatMul"}, found)


def nodes():
    """(name, op, attributes, shapes of the operands): forms that the kernels accept, and forms that they refuse."""
    mha = "MultiHeadAttention", "num_heads = 2"
    yield "merged", *mha, ["1,3,8", "1,5,8", "1,5,8"]
    yield "merged, another size of values", *mha, ["1,3,8", "1,5,8", "1,5,12"]
    yield "merged, another width of keys", *mha, ["1,3,8", "1,5,12", "1,5,12"]
    yield "merged, values of another length", *mha, ["1,3,8", "1,5,8", "1,4,8"]
    yield "another batch", *mha, ["1,3,8", "2,5,8", "2,5,8"]
    yield "split", *mha, ["1,3,8", "1,2,5,4", "1,2,5,4"]
    yield "split, another size of values", *mha, ["1,3,8", "1,2,5,4", "1,2,5,6"]
    yield "split, another number of heads", *mha, ["1,3,8", "1,4,5,4", "1,4,5,4"]
    yield "split keys, merged values", *mha, ["1,3,8", "1,2,5,4", "1,5,8"]
    yield "split queries", *mha, ["1,2,3,4", "1,2,5,4", "1,2,5,4"]
    yield "bias", *mha, ["1,3,8", "1,5,8", "1,5,8", "24"]
    yield "long bias", *mha, ["1,3,8", "1,5,8", "1,5,8", "32"]
    for mask in ("1,1,3,5", "1,2,3,5", "2,2,3,5", "1,3,3,5", "1,1,3,4", "1,1,1,5", "3,5"):
        yield f"mask {mask}", *mha, ["1,3,8", "1,5,8", "1,5,8", "", "", mask]
    yield "cache", *mha, ["1,3,8", "1,3,8", "1,3,8", "", "", "", "1,2,5,4", "1,2,5,4"]
    yield "cache of other heads", *mha, ["1,3,8", "1,3,8", "1,3,8", "", "", "", "1,4,5,4", "1,4,5,4"]
    yield "cache of another length for values", *mha, ["1,3,8", "1,3,8", "1,3,8", "", "", "", "1,2,5,4", "1,2,4,4"]
    skip = "SkipLayerNormalization", "epsilon = 0.00001"
    for shapes in (["2,3,4", "2,3,4", "4"], ["2,3,4", "1,3,4", "4"], ["2,3,4", "3,4", "4"], ["3,4", "3,4", "4"], ["2,3,4", "2,3,1", "4"],
                   ["2,3,4", "2,3,4", "1,4"], ["2,3,4", "2,3,4", "1"], ["4", "4", "4"], ["2,2,3,4", "2,2,3,4", "4"], ["2,3,4", "2,3,4", "4", "4", "4"],
                   ["2,3,4", "2,3,4", "4", "1,4"]):
        yield f"skip {' '.join(shapes)}", *skip, shapes
    yield "simplified", "SkipSimplifiedLayerNormalization", "epsilon = 0.00001", ["2,3,4", "2,3,4", "4"]
    yield "simplified, two axes of gamma", "SkipSimplifiedLayerNormalization", "epsilon = 0.00001", ["2,3,4", "2,3,4", "3,4"]
    for op in ("BiasGelu", "FastGelu"):
        for shapes in (["2,3", "3"], ["2,3", "1"], ["3", "3"], ["2,3", "2,3"], ["2,3,4", "3,4"]):
            yield f"{op} {' '.join(shapes)}", op, "", shapes


class KernelRules(unittest.TestCase):
    def test_evaluator_refuses_what_the_runtime_refuses(self):
        wrong, refused, accepted = [], 0, 0
        folder = Path(os.environ.get("TMPDIR", "/tmp")) / f"kernel_rules_{os.getpid()}"
        folder.mkdir()
        try:
            for name, op, attributes, shapes in nodes():
                inputs = ", ".join(f"float[{shape}] x{i}" for i, shape in enumerate(shapes) if shape)
                operands = ", ".join(f"x{i}" if shape else '""' for i, shape in enumerate(shapes))
                outputs, results = ("float y", "y") if "cache" not in name else ("float y, float k, float v", "y, k, v")
                text = f"""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]> g ({inputs}) => ({outputs})
                    {{ {results} = com.microsoft.{op} {f"<{attributes}>" if attributes else ""} ({operands}) }}"""
                model = onnx.parser.parse_model(text)
                for output in model.graph.output:
                    output.type.tensor_type.ClearField("shape")
                path = folder / "model.onnx"
                onnx.save(model, path)
                theirs, ours = self.runs_there(path), self.runs_here(path)
                refused, accepted = refused + (not theirs), accepted + theirs
                if theirs != ours:
                    wrong.append(f"{name}: ONNX Runtime {'accepts' if theirs else 'refuses'} it, the evaluator {'accepts' if ours else 'refuses'} it")
        finally:
            for each in folder.iterdir():
                each.unlink()
            folder.rmdir()
        print(f"{accepted} forms accepted, {refused} refused")
        self.assertGreater(min(accepted, refused), 10)
        self.assertFalse(wrong, "\n".join(wrong))

    def runs_there(self, path):
        try:
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 4
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            random = numpy.random.default_rng(1)
            session.run(None, {each.name: random.normal(size=each.shape).astype("float32") for each in session.get_inputs()})
            return True
        except Exception:
            return False

    def runs_here(self, path):
        done = subprocess.run([ONNXPRESS, "run", path, "--json"], capture_output=True, text=True, env={**os.environ, "ONNXPRESS_ORT": "none"})
        return done.returncode == 0


if __name__ == "__main__":
    unittest.main()
