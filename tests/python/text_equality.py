"""Are two ModelProtos the same model? It does not matter how tensors are stored, and whether empty fields are present.

With `official`, what our text keeps in annotations (comments for the official parser) does not count.
"""
import re

import numpy as np
from onnx import TensorProto

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WORDS = {"seq", "map", "optional", "sparse_tensor", "opaque", "undefined", "nan", "inf", "infinity"}
WORDS |= {name.lower() for name in TensorProto.DataType.keys()}

ANNOTATIONS = {
    "ModelProto": {"configuration"},
    "GraphProto": {"doc_string", "metadata_props", "quantization_annotation"},
    "NodeProto": {"doc_string", "metadata_props", "device_configurations"},
    "FunctionProto": {"metadata_props"},
    "ValueInfoProto": {"doc_string", "metadata_props"},
    "TypeProto": {"denotation"},
    "Dimension": {"denotation"},
}
BITS = {TensorProto.INT4: 4, TensorProto.UINT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.INT2: 2, TensorProto.UINT2: 2,
        TensorProto.FLOAT6E2M3: 6, TensorProto.FLOAT6E3M2: 6}
WIDTH = {TensorProto.INT8: 1, TensorProto.UINT8: 1, TensorProto.BOOL: 1, TensorProto.INT32: 4, TensorProto.UINT32: 4,
         TensorProto.INT64: 8, TensorProto.UINT64: 8, TensorProto.INT16: 2, TensorProto.UINT16: 2, TensorProto.FLOAT16: 2,
         TensorProto.BFLOAT16: 2}


def is_plain(name):
    return bool(IDENTIFIER.fullmatch(name)) and name.lower() not in WORDS


def raw_bytes(tensor):
    """The elements as in raw_data."""
    if tensor.HasField("raw_data"):
        return tensor.raw_data
    if tensor.float_data:
        return np.array(tensor.float_data, dtype="<f4").tobytes()
    if tensor.double_data:
        return np.array(tensor.double_data, dtype="<f8").tobytes()
    numbers = list(tensor.int32_data) or list(tensor.int64_data) or list(tensor.uint64_data)
    if BITS.get(tensor.data_type) == 6:
        bits = sum((number & 63) << (6 * i) for i, number in enumerate(numbers))
        return bits.to_bytes((len(numbers) * 6 + 7) // 8, "little")
    width = WIDTH.get(tensor.data_type, 1)
    return b"".join((number & (256**width - 1)).to_bytes(width, "little") for number in numbers)


def tensor_form(tensor, official, in_attribute):
    form = {"type": tensor.data_type, "dims": list(tensor.dims), "name": tensor.name}
    if official and in_attribute and not is_plain(tensor.name):
        form["name"] = ""
    if not official:
        form["doc"] = tensor.doc_string
        form["metadata"] = [(entry.key, entry.value) for entry in tensor.metadata_props]
    if tensor.data_location == TensorProto.EXTERNAL:
        form["external"] = [(entry.key, entry.value) for entry in tensor.external_data]
    else:
        form["content"] = list(tensor.string_data) or raw_bytes(tensor)
    return form


def form_of(message, official, inside=""):
    """The content of a message as nested dicts. `inside` is the kind of message around it."""
    kind = message.DESCRIPTOR.name
    if kind == "TensorProto":
        return tensor_form(message, official, inside != "GraphProto")
    form = {}
    for field, value in message.ListFields():
        if official and field.name in ANNOTATIONS.get(kind, ()):
            continue
        if isinstance(value, (str, bytes, int, float)):
            if value == field.default_value and not (kind == "AttributeProto" and field.name == "type"):
                continue
            form[field.name] = repr(value)  # so that nan equals nan, and -0 is not 0
        elif hasattr(value, "DESCRIPTOR"):
            inner = form_of(value, official, kind)
            if inner or kind != "ValueInfoProto":  # an empty type means the same as none; an empty shape is that of a scalar
                form[field.name] = inner
        else:
            form[field.name] = [form_of(v, official, kind) if hasattr(v, "DESCRIPTOR") else repr(v) for v in value]
    if official and kind == "GraphProto" and inside == "AttributeProto" and not is_plain(message.name):
        form["name"] = repr("graph")
    return form


def difference(a, b, path="model"):
    """The first place where the two forms differ; None when they do not."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            found = difference(a.get(key), b.get(key), f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((found for i, pair in enumerate(zip(a, b)) if (found := difference(*pair, f"{path}[{i}]"))), None)
    return None if a == b else f"{path} is {str(a)[:200]}, but should be {str(b)[:200]}"


def same_model(found, expected, official=False):
    return difference(form_of(found, official), form_of(expected, official))
