"""Runs the golden tests of every rewrite numerically: the models before and after the rewrite must compute the same in ONNX Runtime;
also with other element types, in newer opsets, and with an inner value as an additional output.

ONLY=text takes the folders with this text in their names.
"""
import os
import re
import sys
import unittest
from pathlib import Path

try:
    import numpy
    import onnx
    import onnx.parser
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))
import run_goldens  # noqa: E402
from test_optimize import Optimized, distance, outputs_of  # noqa: E402

GOLDENS = Path(__file__).resolve().parent.parent / "golden/optimize"
ONLY = os.environ.get("ONLY", "")
TYPES = (onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16)
NEWEST_OPSET = 22  # the newest that ONNX Runtime runs for every op


def parsed(text):
    try:
        model = onnx.parser.parse_model(text)
        onnx.checker.check_model(model)
        return model
    except Exception:  # this variant is not a valid model
        return None


def variants(text, types):
    """(name, model): the model as it is, and variants of it."""
    yield "plain", parsed(text)
    for kind in types:
        if re.search(r"\bfloat\b", text) and "to = 1>" not in text:
            yield onnx.TensorProto.DataType.Name(kind).lower(), with_type(parsed(text), kind)
    opset = int(re.search(r'"" : (\d+)', text)[1])
    if opset < NEWEST_OPSET:
        yield "newest", parsed(re.sub(r'"" : \d+', f'"" : {NEWEST_OPSET}', text).replace("ir_version: 8", "ir_version: 10"))
    yield "watched", watched(parsed(text))


def with_type(model, kind):
    """With this element type instead of float."""
    if model is None:
        return None
    dtype = onnx.helper.tensor_dtype_to_np_dtype(kind)

    def change(graph):
        for info in [*graph.input, *graph.output, *graph.value_info]:
            if info.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
                info.type.tensor_type.elem_type = kind
        tensors = list(graph.initializer)
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    change(attribute.g)
                elif attribute.type == onnx.AttributeProto.TENSOR:
                    tensors.append(attribute.t)
        for tensor in tensors:
            if tensor.data_type == onnx.TensorProto.FLOAT:
                tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor).astype(dtype), tensor.name))

    change(model.graph)
    return model


def watched(model):
    """With the first inner value of known type as an additional output."""
    if model is None:
        return None
    try:
        types = {info.name: info for info in onnx.shape_inference.infer_shapes(model).graph.value_info}
    except Exception:
        return None
    outputs = {info.name for info in model.graph.output}
    for node in model.graph.node:
        if node.output and node.output[0] in types and node.output[0] not in outputs:
            model.graph.output.append(types[node.output[0]])
            return model
    return None


def is_random(text):
    return "Random" in text or "training" in text or "Dropout (x, r, t)" in text


class RewriteTest(Optimized):
    def test_rewrites_compute_the_same(self):
        failed, compared = [], 0
        for folder in sorted(path for path in GOLDENS.iterdir() if path.is_dir() and ONLY in path.name):
            cases = self.cases_of(folder)
            compared += len(cases)
            if cases:
                options = ["--allow-growth"]
                options += ["--only", folder.name.replace("_", "-")] if folder.name != "mistakes_of_others" else []
                options += ["--target", "ort"] if folder.name.startswith("ort_") else []
                results = self.optimize([path for path, _, _ in cases], *options)
                failed += [why for case in cases if (why := self.difference(case, results))]
        print(f"{compared} models compared")
        self.assertGreater(compared, 0 if ONLY else 500)
        self.assertFalse(failed, "\n".join(failed))

    def cases_of(self, folder):
        cases = []
        for golden in sorted(folder.glob("*.golden")):
            text = run_goldens.parse(golden.read_text()).find("before").text
            if is_random(text):
                continue
            for name, model in variants(text, () if folder.name.startswith("ort_") else TYPES):
                if model is None:
                    continue
                path = self.folder / f"{folder.name}.{golden.stem}.{name}.onnx"
                path.write_bytes(model.SerializeToString())
                ran = outputs_of(path)
                if ran:
                    cases.append((path, *ran))
        return cases

    def difference(self, case, results):
        path, inputs, expected = case
        found = outputs_of(results[path], inputs) if results[path].exists() else None
        if not found:
            return f"{path.name}: ONNX Runtime refuses the result"
        half = any(isinstance(each, numpy.ndarray) and each.dtype == numpy.float16 for each in expected)
        far = distance(expected, found[1])
        return f"{path.name}: outputs differ by {far:.2g}" if far > (5e-3 if half else 1e-5) else None


if __name__ == "__main__":
    unittest.main()
