"""What ONNX Runtime recognizes in a model, it must also recognize in the result of `optimize`: no rewrite may take a constant out of a Gelu or
a normalization, move a part of it away, or share its nodes. Every way to write a block stands between every two neighbours that a rewrite could
fold into it, in several opsets. ONNX Runtime's extended level then must find as many blocks as before, and must not be left with more nodes.
"""
import collections
import itertools
import sys
import unittest
from pathlib import Path

try:
    import onnx
    import onnx.parser
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from test_optimize import Optimized  # noqa: E402

BLOCKS = ("Gelu", "BiasGelu", "FastGelu", "QuickGelu", "LayerNormalization", "SkipLayerNormalization", "SimplifiedLayerNormalization", "HardSigmoid",
          "HardSwish", "Softmax", "RotaryEmbedding")
ERF = "d = Div (x, root) e = Erf (d) f = Add (e, one) "
ERF_MUL = "d = Mul (x, inverse) e = Erf (d) f = Add (e, one) "
TANH = "c = Pow (x, three) d = Mul (c, small) e = Add (x, d) i = Mul (e, pi) t = Tanh (i) f = Add (t, one) "
MEAN = "u = ReduceMean <axes = [-1], keepdims = 1> (x) d = Sub (x, u) p = Pow (d, two) v = ReduceMean <axes = [-1], keepdims = 1> (p) " \
    "w = Add (v, epsilon) s = Sqrt (w) "
# Each makes y from x, [2, 6, 4, 4].
FORMS = {
    "gelu, half last": ERF + "h = Mul (x, f) y = Mul (h, half)",
    "gelu, half first": ERF_MUL + "h = Mul (x, half) y = Mul (h, f)",
    "gelu, half of the factor": ERF + "h = Mul (f, half) y = Mul (x, h)",
    "gelu, over two": ERF + "h = Mul (x, f) y = Div (h, two)",
    "fast gelu, half last": TANH + "h = Mul (x, f) y = Mul (h, half)",
    "fast gelu, half first": TANH + "h = Mul (half, x) y = Mul (h, f)",
    "quick gelu": "a = Mul (x, quick) s = Sigmoid (a) y = Mul (x, s)",
    "silu": "s = Sigmoid (x) y = Mul (x, s)",
    "hard sigmoid": "a = Add (x, three) c = Clip (a, zero, six) y = Div (c, six)",
    "hard swish": "a = Add (x, three) c = Clip (a, zero, six) m = Mul (x, c) y = Div (m, six)",
    "layer norm": MEAN + "n = Div (d, s) z = Mul (n, scale) y = Add (z, shift)",
    "rms norm": "p = Pow (x, two) v = ReduceMean <axes = [-1], keepdims = 1> (p) w = Add (v, epsilon) s = Sqrt (w) n = Div (x, s) y = Mul (n, scale)",
    "softmax": "a = Mul (x, half) y = Softmax <axis = -1> (a)",
}
BEFORE = {
    "nothing": "x = Identity (in)", "conv": "x = Conv (in, kernel)", "conv with bias": "x = Conv (in, kernel, channels)", "matmul": "x = MatMul (in, square)",
    "factor": "x = Mul (in, third)", "sum": "x = Add (in, shift)", "norm": "x = BatchNormalization (in, channels, channels, channels, channels)",
    "transpose": "x = Transpose <perm = [0, 1, 3, 2]> (in)", "reshape": "x = Reshape (in, same)", "linear": "m0 = MatMul (in, square) x = Add (m0, shift)",
}
AFTER = {
    "nothing": "out = Identity (y)", "conv": "out = Conv (y, kernel)", "matmul": "out = MatMul (y, square)", "factor": "out = Mul (y, third)",
    "factors": "out = Mul (y, scale)", "sum": "out = Add (y, shift)", "quotient": "out = Div (y, third)", "norm": "out = BatchNormalization (y, channels, channels, channels, channels)",
    "transpose": "out = Transpose <perm = [0, 1, 3, 2]> (y)", "scaled product": "z2 = Mul (in, third) out = MatMul (y, z2)",
    "pool": "out = AveragePool <kernel_shape = [2, 2]> (y)", "residual": "out = Add (y, in)",
}


def text_of(before, form, after, opset):
    numbers = {"root": 1.4142135, "inverse": 0.70710678, "one": 1, "half": 0.5, "two": 2, "three": 3, "six": 6, "zero": 0, "small": 0.044715,
               "pi": 0.7978845608, "quick": 1.702, "epsilon": 1e-5, "third": 0.3}
    tables = {"scale[4]": (1.5, 0.5, 2, 1.25), "shift[4]": (0.5, -0.25, 1, 0.125), "channels[6]": (0.5, 1.5, 0.75, 1, 1.25, 2),
              "kernel[6,6,1,1]": [0.1 * ((7 * i) % 11 - 5) for i in range(36)], "square[4,4]": [0.1 * ((5 * i) % 13 - 6) for i in range(16)]}
    constants = [f"float {name} = {{{value}}}" for name, value in numbers.items()]
    constants += [f"float[{key.split('[')[1]} {key.split('[')[0]} = {{{', '.join(map(str, values))}}}" for key, values in tables.items()]
    if "BatchNormalization (y" in after and "BatchNormalization (in" in before:
        return None
    return f"""<ir_version: 8, opset_import: ["" : {opset}]> g (float[2,6,4,4] in) => (float out)
        <{', '.join(constants)}, int64[4] same = {{2, 6, 4, 4}}> {{ {before} {form} {after} }}"""


def found_by_runtime(path, folder):
    """Blocks and all nodes after ONNX Runtime's extended level."""
    out = folder / "extended.onnx"
    out.unlink(missing_ok=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(out)
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    nodes = onnx.load(out).graph.node
    blocks = collections.Counter(node.op_type for node in nodes if node.op_type in BLOCKS)
    return sum(blocks.values()), len(nodes)


class KnownBlocks(Optimized):
    def test_blocks_survive(self):
        paths = []
        for number, ((i, before), (j, form), (k, after)) in enumerate(itertools.product(BEFORE.items(), FORMS.items(), AFTER.items())):
            opset = (13, 17, 17)[number % 3]
            text = text_of(before, form, after, opset)
            path = self.folder / f"{i} - {j} - {k} - {opset}.onnx".replace(",", "")
            if text:
                model = onnx.parser.parse_model(text)
                model.graph.output[0].type.tensor_type.ClearField("shape")
                onnx.save(model, path)
                paths.append(path)
        failed, blocks = [], 0
        for options in ([], ["--target", "ort"]):
            results = self.optimize(paths, "--allow-growth", *options)
            for path in paths:
                before, after = found_by_runtime(path, self.folder), found_by_runtime(results[path], self.folder)
                blocks += before[0]
                if after[0] < before[0] or after[1] > before[1]:
                    failed.append(f"{path.stem} {' '.join(options)}: {before[0]} blocks in {before[1]} nodes became {after[0]} in {after[1]}")
        print(f"{len(paths)} models, {blocks} blocks")
        self.assertGreater(blocks, len(paths))
        self.assertFalse(failed, f"{len(failed)}\n" + "\n".join(failed[:200]))


if __name__ == "__main__":
    unittest.main()
