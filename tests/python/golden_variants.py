"""The models of the optimize goldens, with every element type that they can be given."""
import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import onnx
import onnx.parser
from onnx import TensorProto

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import run_goldens  # noqa: E402
from mutations import RANDOM, graphs_of  # noqa: E402

GOLDENS = Path(__file__).resolve().parent.parent / "golden/optimize"
ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
TYPES = [TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.INT8, TensorProto.INT16,
         TensorProto.INT32, TensorProto.INT64, TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64, TensorProto.BOOL,
         TensorProto.STRING]


def name_of(element_type):
    return TensorProto.DataType.Name(element_type).lower()


def goldens():
    """(folder, stem, model): the models before a rewrite that the onnx package can read."""
    found = []
    for path in sorted(GOLDENS.glob("*/*.golden")):
        section = run_goldens.parse(path.read_text()).find("before")
        try:
            model = onnx.parser.parse_model(section.text)
        except Exception:  # not a model, or syntax that only our parser knows
            continue
        if not draws(model):
            found.append((path.parent.name, path.stem, model))
    return found


def draws(model):
    """Does it draw random numbers? A Dropout does so only if it trains."""
    return any(node.op_type in RANDOM - {"Dropout"} or (node.op_type == "Dropout" and len(node.input) > 2)
               for graph in graphs_of(model.graph) for node in graph.node)


def tensors_of(graph):
    tensors = list(graph.initializer)
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                tensors.append(attribute.t)
    return tensors


def retyped(model, old, new, with_constants):
    """With the element type `new` instead of `old`; None where a constant cannot have it."""
    model = copy.deepcopy(model)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(new)
    for graph in graphs_of(model.graph):
        for info in [*graph.input, *graph.output, *graph.value_info]:
            if info.type.HasField("tensor_type") and info.type.tensor_type.elem_type == old:
                info.type.tensor_type.elem_type = new
        for tensor in tensors_of(graph) if with_constants else []:
            if tensor.data_type != old:
                continue
            if TensorProto.STRING in (old, new):
                return None
            array = onnx.numpy_helper.to_array(tensor)
            with numpy.errstate(all="ignore"):
                tensor.CopyFrom(onnx.numpy_helper.from_array(array.astype(dtype), tensor.name))
        for node in graph.node:
            for attribute in node.attribute:
                if with_constants and attribute.name == "to" and attribute.i == old:
                    attribute.i = new
    return model


def data_types(model):
    """The element types of its inputs, the first one first."""
    types = [value.type.tensor_type.elem_type for value in model.graph.input if value.type.HasField("tensor_type")]
    return list(dict.fromkeys(each for each in types if each != TensorProto.BOOL)) or types[:1]


def retypings(model, types=TYPES):
    """(name, model) for the model itself and each other type, valid or not."""
    yield "plain", model
    seen = {model.SerializeToString()}
    for old in data_types(model):
        for new in types:
            for with_constants in (True, False):
                made = None if new == old else retyped(model, old, new, with_constants)
                encoded = made.SerializeToString() if made else None
                if made is None or encoded in seen:
                    continue
                seen.add(encoded)
                yield f"{name_of(old)}_as_{name_of(new)}" + ("" if with_constants else "_beside_constants"), made


# Ops on single elements that goldens put around a pattern, mostly to show that its result is read.
ODD = {2: 3, 3: 5, 4: 7, 6: 9, 8: 11}  # what is computed eight at a time then leaves a rest
PLAIN_OPS = {"Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Exp", "Sqrt", "Identity"}


def with_op(model, op):
    """With this op instead of each plain one: Identity hides no bit and takes every type; what Sin rounds to may depend on the place."""
    model = copy.deepcopy(model)
    for graph in graphs_of(model.graph):
        for node in graph.node:
            if node.op_type in PLAIN_OPS and node.domain in ("", "ai.onnx"):
                node.op_type = op
    return model


def with_signed_zeros(model, all_of_them):
    """With negative zeros in place of some or all zeros of its constants."""
    model = copy.deepcopy(model)
    for graph in graphs_of(model.graph):
        for tensor in tensors_of(graph):
            if tensor.data_type not in (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16):
                continue
            array = onnx.numpy_helper.to_array(tensor).copy()
            zeros = [i for i, each in enumerate(array.ravel()) if each == 0]
            for i in zeros if all_of_them else zeros[1::2]:
                array.reshape(-1)[i] = -0.0
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    return model


def with_other_sizes(model, sizes):
    """With sizes[n] in place of each dim n, also of float weights; valid where no integer constant depends on the old ones."""
    model = copy.deepcopy(model)
    for graph in graphs_of(model.graph):
        for info in [*graph.input, *graph.output, *graph.value_info]:
            for dim in info.type.tensor_type.shape.dim:
                if dim.HasField("dim_value"):
                    dim.dim_value = sizes.get(dim.dim_value, dim.dim_value)
        for tensor in tensors_of(graph):
            if tensor.data_type in (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16) and any(each in sizes for each in tensor.dims):
                array = onnx.numpy_helper.to_array(tensor)
                other = numpy.resize(array, [sizes.get(each, each) for each in array.shape])
                tensor.CopyFrom(onnx.numpy_helper.from_array(other, tensor.name))
    return model


def all_variants(model):
    """(name, model): in each type, and with other sizes, numbers and ops around the pattern."""
    floats = [TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16]
    starts = [("", model, TYPES), ("identity_", with_op(model, "Identity"), TYPES), ("sin_", with_op(model, "Sin"), floats),
              ("odd_", with_other_sizes(model, ODD), floats), ("odd_sin_", with_other_sizes(with_op(model, "Sin"), ODD), floats),
              ("some_zeros_", with_signed_zeros(model, False), floats), ("all_zeros_", with_signed_zeros(model, True), floats)]
    seen = set()
    for prefix, start, types in starts:
        for name, made in retypings(start, types):
            encoded = made.SerializeToString()
            if encoded not in seen:
                seen.add(encoded)
                yield prefix + name, made


def valid(paths):
    """Those in which `check` finds no error."""
    good = []
    for begin in range(0, len(paths), 300):
        done = subprocess.run([ONNXPRESS, "check", "--json", *paths[begin:begin + 300]], capture_output=True, text=True, errors="replace")
        reports = json.loads(done.stdout)
        good += [row["file"] for row in reports.get("models", [reports]) if row["errors"] == 0]
    return [path for path in paths if str(path) in set(good)]
