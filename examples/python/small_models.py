"""Small networks with the structure of large ones, for the other examples: built as ONNX text."""

import numpy as np

import onnxpress

_random = np.random.default_rng(1)


def _weight(name: str, *shape: int) -> str:
    numbers = ", ".join(f"{x:.4g}" for x in (_random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1)).ravel())
    return f"float[{','.join(map(str, shape))}] {name} = {{{numbers}}}"


def _positive(name: str, size: int) -> str:
    return f"float[{size}] {name} = {{{', '.join(f'{x:.4g}' for x in _random.uniform(0.5, 1.5, size))}}}"


def residual_network(blocks: int = 2, channels: int = 8) -> onnxpress.Model:
    """Maps images of any size to 10 scores: residual blocks of Conv, BatchNormalization and Relu."""
    weights = [_weight("stem_w", channels, 3, 3, 3), _weight("fc_w", channels, 10)]
    nodes = ["[stem_conv] x0 = Conv <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (data, stem_w)"]
    for b in range(1, blocks + 1):
        weights += [_weight(f"block{b}_w", channels, channels, 3, 3)]
        weights += [_positive(f"block{b}_{part}", channels) for part in ("gamma", "beta", "mean", "var")]
        nodes += [
            f"[block{b}_conv] c{b} = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x{b - 1}, block{b}_w)",
            f"[block{b}_bn] n{b} = BatchNormalization <epsilon = 0.00001> "
            f"(c{b}, block{b}_gamma, block{b}_beta, block{b}_mean, block{b}_var)",
            f"[block{b}_relu] r{b} = Relu (n{b})",
            f"[block{b}_add] x{b} = Add (r{b}, x{b - 1})",
        ]
    nodes += [f"[pool] p = GlobalAveragePool (x{blocks})", "[flatten] f = Flatten (p)", "[dropout] d = Dropout (f)",
              "[fc] scores = MatMul (d, fc_w)"]
    return onnxpress.Model.parse(
        '<ir_version: 8, opset_import: ["" : 17]> residual (float[batch,3,height,width] data) => (float[batch,10] scores)\n'
        f"<{', '.join(weights)}>\n{{\n" + "\n".join(nodes) + "\n}")


def transformer(layers: int = 3, hidden: int = 8, heads: int = 2) -> onnxpress.Model:
    """Self-attention as exporters write it: with nodes that compute the shapes of every Reshape."""
    weights = ["int64[1] zero = {0}", "int64[1] two = {2}", f"int64[2] split = {{{heads}, {hidden // heads}}}", f"int64[1] joined = {{{hidden}}}",
               f"float scale = {{{(hidden // heads) ** -0.5}}}"]
    nodes = []
    for i in range(layers):
        weights += [_weight(f"w{part}{i}", hidden, hidden) for part in "qkvo"]
        nodes += [f"shape{i} = Shape (h{i})", f"ends{i} = Slice (shape{i}, zero, two)",
                  f"split{i} = Concat <axis = 0> (ends{i}, split)", f"join{i} = Concat <axis = 0> (ends{i}, joined)"]
        for part in "qkv":
            perm = "[0, 2, 3, 1]" if part == "k" else "[0, 2, 1, 3]"
            nodes += [f"{part}{i}a = MatMul (h{i}, w{part}{i})", f"{part}{i}b = Reshape ({part}{i}a, split{i})",
                      f"{part}{i} = Transpose <perm = {perm}> ({part}{i}b)"]
        nodes += [f"s{i}a = MatMul (q{i}, k{i})", f"s{i}b = Mul (s{i}a, scale)", f"s{i} = Softmax <axis = -1> (s{i}b)", f"c{i}a = MatMul (s{i}, v{i})",
                  f"c{i}b = Transpose <perm = [0, 2, 1, 3]> (c{i}a)", f"c{i}c = Reshape (c{i}b, join{i})", f"o{i} = MatMul (c{i}c, wo{i})",
                  f"h{i + 1} = Add (o{i}, h{i})"]
    return onnxpress.Model.parse(
        f'<ir_version: 8, opset_import: ["" : 17]> transformer (float[batch,seq,{hidden}] h0) => (float[batch,seq,{hidden}] h{layers})\n'
        f"<{', '.join(weights)}>\n{{\n" + "\n".join(nodes) + "\n}")
