"""Compares ops that the official node tests do not cover, on our evaluator, with ONNX Runtime or, if its CPU provider has no kernel, with
the same formula in NumPy. Cases are small models of one node with seeded inputs.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"
RANDOM = np.random.default_rng(5)


def normal(*shape):
    return (RANDOM.standard_normal(shape) * 0.5).astype(np.float32)


def model_of(op, domain, inputs, outputs, attributes):
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], domain=domain, **attributes)
    values = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
              for n, x in zip(names, inputs) if x is not None]
    graph = helper.make_graph([node], "g", values, [helper.make_empty_tensor_value_info(f"y{i}") for i in range(outputs)])
    return helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1),
                                                                 helper.make_opsetid(ML, 3)])


def ours(model, inputs, folder):
    path = Path(folder) / "model.onnx"
    onnx.save(model, path)
    command = [ONNXPRESS, "run", path, "--output-dir", folder, "--json"]
    for i, x in enumerate(inputs):
        if x is None:
            continue
        (Path(folder) / f"in{i}").mkdir()
        np.save(Path(folder) / f"in{i}" / "x.npy", x)
        command += ["--input", f"x{i}={folder}/in{i}/x.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return [np.load(each["file"]) for each in json.loads(done.stdout)["outputs"]]


def inferred(folder):
    done = subprocess.run([ONNXPRESS, "infer", Path(folder) / "model.onnx", "--json"], capture_output=True, text=True, check=True)
    return [each["type"] for each in json.loads(done.stdout)["outputs"]]


def runtime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {f"x{i}": x for i, x in enumerate(inputs) if x is not None})


# --- Formulas of ops that have no CPU kernel

def conv_reference(x, w, b, pads):
    """Channels first, stride 1, two spatial axes."""
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    height, width = padded.shape[2] - w.shape[2] + 1, padded.shape[3] - w.shape[3] + 1
    y = np.zeros((x.shape[0], w.shape[0], height, width))
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            y += np.einsum("nchw,mc->nmhw", padded[:, :, i:i + height, j:j + width], w[:, :, i, j].astype(np.float64))
    return (y + b.reshape(1, -1, 1, 1)).astype(np.float32)


def nhwc_conv(x, w, b, z=None):
    y = conv_reference(x.transpose(0, 3, 1, 2), w, b, [1, 1, 1, 1]).transpose(0, 2, 3, 1)
    return [y if z is None else np.maximum(y + z, 0)]


def group_norm(x, gamma, beta):
    """Channels last, three groups, then SiLU."""
    n, h, w, c = x.shape
    grouped = x.astype(np.float64).reshape(n, h * w, 3, c // 3)
    mean, variance = grouped.mean((1, 3), keepdims=True), grouped.var((1, 3), keepdims=True)
    y = ((grouped - mean) / np.sqrt(variance + 1e-5)).reshape(x.shape) * gamma + beta
    return [(y / (1 + np.exp(-y))).astype(np.float32)]


def bias_split_gelu(x, bias):
    from math import erf
    left, right = np.split(x.astype(np.float64) + bias, 2, axis=-1)
    return [(left * 0.5 * right * (1 + np.vectorize(erf)(right / np.sqrt(2)))).astype(np.float32)]


def forest(ids, weights, **more):
    """Two stumps on features 0 and 1; each leaf votes as `ids` and `weights` say, leaf by leaf."""
    leaves = [(0, 1), (0, 2), (1, 1), (1, 2)]
    votes = [(tree, node, i, w) for (tree, node), (each_ids, each_w) in zip(leaves, zip(ids, weights)) for i, w in zip(each_ids, each_w)]
    return dict(nodes_treeids=[0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2], nodes_featureids=[0, 0, 0, 1, 0, 0],
                nodes_values=[0.1, 0.0, 0.0, -0.2, 0.0, 0.0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
                nodes_truenodeids=[1, 0, 0, 1, 0, 0], nodes_falsenodeids=[2, 0, 0, 2, 0, 0],
                class_treeids=[v[0] for v in votes], class_nodeids=[v[1] for v in votes], class_ids=[v[2] for v in votes],
                class_weights=[v[3] for v in votes], classlabels_int64s=[0, 1], **more)


TWO_SIDED = [[0, 1]] * 4
PROBABILITIES = [[0.4, 0.1], [0.05, 0.45], [0.3, 0.2], [0.1, 0.4]]


def tree_reference(x):
    """Both classes have votes: the highest score wins (ONNX Runtime takes label 1 whenever its score is above 0)."""
    leaves = np.stack([np.where(x[:, 0] <= np.float32(0.1), 0, 1), np.where(x[:, 1] <= np.float32(-0.2), 2, 3)], 1)
    scores = np.array(PROBABILITIES, dtype=np.float32)[leaves].sum(1)
    return [scores.argmax(1).astype(np.int64), scores]


def cases():
    x, w, b = normal(1, 5, 6, 4), normal(3, 4, 3, 3), normal(3)
    yield "NhwcConv", MICROSOFT, [x, w, b], 1, dict(pads=[1, 1, 1, 1]), nhwc_conv
    yield "NhwcFusedConv", MICROSOFT, [x, w, b, normal(1, 5, 6, 3)], 1, dict(pads=[1, 1, 1, 1], activation="Relu"), nhwc_conv
    yield "GroupNorm", MICROSOFT, [normal(2, 4, 5, 6), normal(6), normal(6)], 1, dict(groups=3, activation=1, epsilon=1e-5), group_norm
    yield "BiasSplitGelu", MICROSOFT, [normal(2, 3, 64), normal(64)], 1, {}, bias_split_gelu
    # MultiHeadAttention: separate, packed key and value, packed query, key and value.
    heads = dict(num_heads=2)
    yield "MultiHeadAttention", MICROSOFT, [normal(2, 3, 8), normal(2, 5, 8), normal(2, 5, 8), normal(24)], 1, heads, None
    yield "MultiHeadAttention", MICROSOFT, [normal(2, 3, 8), normal(2, 5, 8), normal(2, 5, 8)], 1, dict(num_heads=2, scale=0.3), None
    # The CPU has no kernel for packed operands; packing only changes the order, so the same numbers unpacked are the reference.
    q, k, v = normal(2, 3, 2, 4), normal(2, 5, 2, 4), normal(2, 5, 2, 4)
    flat = [t.reshape(t.shape[0], t.shape[1], -1) for t in (q, k, v)]
    yield "MultiHeadAttention", MICROSOFT, [flat[0], np.stack([k, v], 3)], 1, heads, ("MultiHeadAttention", flat)
    same = normal(2, 5, 2, 4)
    yield ("MultiHeadAttention", MICROSOFT, [np.stack([same, k, v], 3)], 1, heads,
           ("MultiHeadAttention", [same.reshape(2, 5, -1), flat[1], flat[2]]))
    bytes_ = RANDOM.integers(0, 255, (3, 7)).astype(np.uint8)
    scale, zero = np.array(0.05, dtype=np.float32), np.array(120, dtype=np.uint8)
    out = [np.array(1 / 256, dtype=np.float32), np.array(0, dtype=np.uint8)]
    yield "QLinearSoftmax", MICROSOFT, [bytes_, scale, zero, *out], 1, dict(axis=-1, opset=13), None
    rows = normal(9, 2)
    yield "TreeEnsembleClassifier", ML, [rows], 2, forest(TWO_SIDED, PROBABILITIES), tree_reference
    for transform in ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]:
        # Scores of both classes are those of ONNX Runtime, whatever the labels are; both choose the same label if only class 1 has a score above 0.
        signed = [[-0.4, 0.4], [0.3, -0.3], [-0.2, 0.2], [0.5, -0.5]]
        yield "TreeEnsembleClassifier", ML, [rows], 2, forest(TWO_SIDED, signed, post_transform=transform), None
        for side in (0, 1):
            for weights in ([[0.4], [0.1], [0.5], [0.2]], [[-0.4], [0.6], [0.5], [-0.2]]):
                yield "TreeEnsembleClassifier", ML, [rows], 2, forest([[side]] * 4, weights, post_transform=transform), None
    yield "TreeEnsembleClassifier", ML, [rows], 2, forest([[0]] * 4, [[0.4], [0.1], [0.5], [0.2]], base_values=[0.15]), None


def expected_of(reference, model, inputs):
    if reference is None:
        return runtime(model, inputs)
    if callable(reference):
        return reference(*inputs)
    op, others = reference
    node = model.graph.node[0]
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    return runtime(model_of(op, node.domain, others, 1, attributes), others)


def problem_of(op, domain, inputs, outputs, attributes, reference):
    model = model_of(op, domain, inputs, outputs, attributes)
    expected = expected_of(reference, model, inputs)
    with tempfile.TemporaryDirectory() as folder:
        found = ours(model, inputs, folder)
        types = inferred(folder)
    for i, (a, b) in enumerate(zip(found, expected)):
        b = np.asarray(b)
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {i} is {a.dtype}{a.shape}, not {b.dtype}{b.shape}"
        shape = types[i][types[i].find("[") + 1:-1] if "[" in types[i] else ""
        if shape != ",".join(map(str, b.shape)):
            return f"result {i} was inferred as {types[i]}, and is {b.shape}"
        allowed = 1 if op.startswith("QLinear") else 0 if b.dtype.kind == "i" else 2e-5
        far = np.abs(a.astype(np.float64) - b.astype(np.float64)).max(initial=0)
        if not far <= allowed:
            return f"result {i} differs by {far}, {allowed} is allowed"
    return None


def main():
    done = failed = 0
    for op, domain, inputs, outputs, attributes, reference in cases():
        done += 1
        try:
            problem = problem_of(op, domain, inputs, outputs, attributes, reference)
        except Exception as error:  # pylint: disable=broad-except
            problem = str(error)[:300]
        if problem:
            failed += 1
            shown = {k: v for k, v in attributes.items() if not k.startswith("nodes_")}
            print(f"FAILED {op} {[None if x is None else x.shape for x in inputs]} {shown}: {problem}")
    print(f"test_ops_runtime: {done - failed} of {done} cases agree with ONNX Runtime {onnxruntime.__version__} or its formula")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
