"""Tensors as NumPy arrays and back. NumPy, and ml_dtypes for types that NumPy lacks, are imported when needed."""

from __future__ import annotations

from typing import Any

from ._onnxpress import Error, Graph, Tensor, Value

_NUMPY = {
    "float": "float32",
    "double": "float64",
    "float16": "float16",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "uint8": "uint8",
    "uint16": "uint16",
    "uint32": "uint32",
    "uint64": "uint64",
    "bool": "bool",
    "complex64": "complex64",
    "complex128": "complex128",
}
_ML_DTYPES = {
    "bfloat16": "bfloat16",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "int4": "int4",
    "uint4": "uint4",
    "float4e2m1": "float4_e2m1fn",
    "int2": "int2",
    "uint2": "uint2",
}
_BITS = {"int4": 4, "uint4": 4, "float4e2m1": 4, "int2": 2, "uint2": 2}
_ONNX = {name: onnx for table in (_NUMPY, _ML_DTYPES) for onnx, name in table.items()}


def dtype_of(element_type: str) -> Any:
    """The NumPy type for an ONNX type; those that NumPy lacks come from ml_dtypes."""
    import numpy

    if element_type in _NUMPY:
        return numpy.dtype(_NUMPY[element_type])
    if element_type in _ML_DTYPES:
        try:
            import ml_dtypes
        except ImportError:
            raise Error(f"NumPy has no {element_type}\nhint: install ml_dtypes, or read tensor.buffer()") from None
        return numpy.dtype(getattr(ml_dtypes, _ML_DTYPES[element_type]))
    raise Error(f"NumPy has no {element_type}\nhint: read tensor.buffer()")


def from_bytes(element_type: str, shape: tuple[int, ...], content: Any) -> Any:
    """An array over the content, which is not copied, except for types of less than 8 bits, which are unpacked."""
    import numpy

    dtype = dtype_of(element_type)
    if element_type not in _BITS:
        return numpy.frombuffer(content, dtype=dtype).reshape(shape)
    bits = _BITS[element_type]
    packed = numpy.frombuffer(content, dtype=numpy.uint8)
    parts = [(packed >> shift) & ((1 << bits) - 1) for shift in range(0, 8, bits)]
    codes = numpy.stack(parts, axis=-1).reshape(-1)[: int(numpy.prod(shape, dtype=numpy.int64))]
    if element_type in ("int4", "int2"):
        sign = 1 << (bits - 1)
        unpacked = ((codes ^ sign).astype(numpy.int8) - sign).astype(dtype)
    elif element_type == "float4e2m1":
        unpacked = codes.view(dtype)
    else:
        unpacked = codes.astype(dtype)
    unpacked = unpacked.reshape(shape)
    unpacked.flags.writeable = False
    return unpacked


def array_of(tensor: Tensor) -> Any:
    """Implements Tensor.numpy()."""
    import numpy

    if tensor.element_type == "string":
        texts = numpy.array(tensor.strings(), dtype=object).reshape(tensor.shape)
        texts.flags.writeable = False
        return texts
    return from_bytes(tensor.element_type, tensor.shape, tensor.buffer())


def to_bytes(array: Any) -> tuple[str, list[int], bytes]:
    """Element type, sizes and content of anything that NumPy can make an array of."""
    import numpy

    array = numpy.asarray(array)
    name = _ONNX.get(array.dtype.name)
    if name is None:
        raise Error(f"ONNX has no type for NumPy's {array.dtype}")
    shape = [int(size) for size in array.shape]
    if name in _BITS:
        bits = _BITS[name]
        codes = (array.astype(numpy.int8) if name != "float4e2m1" else array).view(numpy.uint8).reshape(-1) & ((1 << bits) - 1)
        per_byte = 8 // bits
        codes = numpy.pad(codes, (0, -len(codes) % per_byte)).reshape(-1, per_byte)
        packed = numpy.zeros(len(codes), dtype=numpy.uint8)
        for i in range(per_byte):
            packed |= (codes[:, i] << (i * bits)).astype(numpy.uint8)
        return name, shape, packed.tobytes()
    return name, shape, numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def set_tensor(value: Value, array: Any) -> None:
    """Implements Value.set_tensor()."""
    value._set_tensor(*to_bytes(array))


def add_initializer(graph: Graph, name: str, array: Any) -> Value:
    """Implements Graph.add_initializer()."""
    return graph._add_initializer(name, *to_bytes(array))
