"""ONNX messages as bytes, written by hand, because the official writers refuse to make the broken files that the tests need.

Every function returns encoded bytes. Nothing is checked; any field can be left out, repeated or given nonsense.
"""
import struct

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, FLOAT16, INT4 = 1, 2, 3, 6, 7, 8, 9, 10, 22
OPSET = 17


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(field, wire_type):
    return varint(field << 3 | wire_type)


def number(field, value):
    return tag(field, 0) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return tag(field, 2) + varint(len(value)) + value


def claimed(field, length, content=b""):
    """A length-delimited field that claims to have `length` bytes, whatever it really has."""
    return tag(field, 2) + varint(length) + content


def fixed32(field, value):
    return tag(field, 5) + struct.pack("<f", value)


def nested(depth, wrap, innermost):
    """wrap(length of what follows) returns the bytes before the nested message. Built from the inside out, in linear time."""
    parts, size = [innermost], len(innermost)
    for _ in range(depth):
        before = wrap(size)
        parts.append(before)
        size += len(before)
    return b"".join(reversed(parts))


def entries(field, pairs):
    return b"".join(text(field, text(1, key) + text(2, value)) for key, value in pairs)


def opset(version=OPSET, domain=None):
    return (text(1, domain) if domain is not None else b"") + number(2, version)


def tensor(name="w", dims=(2, 2), kind=FLOAT, raw=None, external=None, extra=b""):
    """`external` is a dict or a list of pairs: the external_data entries."""
    out = b"".join(number(1, dim) for dim in dims) + (number(2, kind) if kind is not None else b"") + text(8, name)
    if raw is not None:
        out += text(9, raw)
    if external is not None:
        out += entries(13, external.items() if isinstance(external, dict) else external) + number(14, 1)
    return out + extra


def sparse(values, indices=None, dims=(4,)):
    """By default two elements at linear positions 0 and 1."""
    if indices is None:
        indices = tensor("", (2,), INT64, struct.pack("<2q", 0, 1))
    return text(1, values) + text(2, indices) + b"".join(number(3, dim) for dim in dims)


def tensor_type(dims=(2, 2), kind=FLOAT):
    shape = b"".join(text(1, number(1, dim)) for dim in dims)
    return text(1, number(1, kind) + text(2, shape))


def value_info(name, dims=(2, 2), kind=FLOAT):
    return text(1, name) + text(2, tensor_type(dims, kind))


def node(op, inputs=(), outputs=(), attributes=(), name=None, domain=None, extra=b""):
    out = b"".join(text(1, each) for each in inputs) + b"".join(text(2, each) for each in outputs)
    out += (text(3, name) if name is not None else b"") + text(4, op)
    out += b"".join(text(5, each) for each in attributes) + (text(7, domain) if domain is not None else b"")
    return out + extra


def attribute(name, kind, field, content):
    """`content` is an int for a number, bytes for a message."""
    value = number(field, content) if isinstance(content, int) else text(field, content)
    return text(1, name) + value + number(20, kind)


def int_attribute(name, value):
    return attribute(name, 2, 3, value)


def tensor_attribute(name, content):
    return attribute(name, 4, 5, content)


def graph_attribute(name, content):
    return attribute(name, 5, 6, content)


def sparse_attribute(name, content):
    return attribute(name, 11, 22, content)


def reference_attribute(name, kind, ref):
    return text(1, name) + number(20, kind) + text(21, ref)


def graph(nodes=(), initializers=(), inputs=(), outputs=(), name="g", extra=b""):
    out = b"".join(text(1, each) for each in nodes) + text(2, name)
    out += b"".join(text(5, each) for each in initializers)
    out += b"".join(text(11, each) for each in inputs) + b"".join(text(12, each) for each in outputs)
    return out + extra


def function(name, nodes, inputs=("x",), outputs=("y",), domain="local", opsets=None, extra=b""):
    out = text(1, name) + b"".join(text(4, each) for each in inputs) + b"".join(text(5, each) for each in outputs)
    out += b"".join(text(7, each) for each in nodes)
    out += b"".join(text(9, each) for each in (opsets if opsets is not None else [opset(), opset(1, "local")]))
    return out + text(10, domain) + extra


def model(content=None, functions=(), opsets=None, extra=b""):
    out = number(1, 8) + (text(7, content) if content is not None else b"")
    out += b"".join(text(8, each) for each in (opsets if opsets is not None else [opset()]))
    return out + b"".join(text(25, each) for each in functions) + extra


X, Y = value_info("x"), value_info("y")
ONES = struct.pack("<4f", 1, 1, 1, 1)


def plain_model(weight=None, extra=b""):
    """y = x + w, a valid model; `weight` replaces the encoded tensor."""
    weight = tensor(raw=ONES) if weight is None else weight
    return model(graph([node("Add", ["x", "w"], ["y"])], [weight], [X], [Y]), extra=extra)


def calling_model(functions, first, nodes=None):
    """y = first(x), with these functions in the model."""
    nodes = nodes if nodes is not None else [node(first, ["x"], ["y"], domain="local")]
    return model(graph(nodes, [], [X], [Y]), functions, [opset(), opset(1, "local")])
