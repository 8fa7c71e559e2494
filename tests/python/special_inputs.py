"""Inputs with the numbers that rewrites get wrong: zeros of both signs, NaN, infinities, subnormals, and the extremes of integers."""
import math

import numpy
import onnx

KINDS = ("special", "zeros", "tiny", "strange", "ordinary")
STRINGS = ["", "a", "cat", "dog", "7", "a"]


def floats(kind, dtype, count, numbers):
    """As many numbers of this kind, in any order."""
    info = onnx_finfo(dtype)
    least, tiny, most = float(info.smallest_subnormal), float(info.tiny), float(info.max)
    choices = {"special": [0.0, -0.0, math.nan, math.inf, -math.inf, least, -least, tiny, most, -most, 1.0, -1.5, 0.1],
               "zeros": [0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 1.0, -1.0],
               "tiny": [least, -least, 3 * least, tiny, -tiny, tiny - least, 0.0, -0.0, 1.0],
               "strange": [math.nan, math.nan, math.inf, -math.inf, -0.0, -2.0]}
    drawn = numbers.choice(choices[kind], count) if kind in choices else 2 * numbers.standard_normal(count)
    with numpy.errstate(all="ignore"):
        return numpy.asarray(drawn).astype(dtype)


def onnx_finfo(dtype):
    if numpy.dtype(dtype).kind == "f":
        return numpy.finfo(dtype)
    import ml_dtypes  # comes with the onnx package
    return ml_dtypes.finfo(dtype)


def integers(kind, dtype, shape, numbers):
    """Extremes for data; small numbers where they may be sizes, counts or indices."""
    info = numpy.iinfo(dtype)
    if kind in ("special", "strange") and (len(shape) > 1 or info.bits < 32):
        return numbers.choice(numpy.asarray([info.min, info.max, info.min + 1, info.max - 1, 0, 1, 2, 3], dtype), shape)
    low = -2 if kind == "tiny" and info.min < 0 else 0
    return numbers.integers(low, 3, shape).astype(dtype)


def array_of(kind, element_type, shape, numbers):
    """None for a type that we do not make."""
    if element_type == onnx.TensorProto.STRING:
        return numbers.choice(STRINGS, shape).astype(object)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(element_type)
    if element_type == onnx.TensorProto.BOOL:
        return numbers.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return integers(kind, dtype, shape, numbers)
    if dtype.kind == "f" or element_type == onnx.TensorProto.BFLOAT16:
        return floats(kind, dtype, int(numpy.prod(shape, dtype=int)), numbers).reshape(shape)
    return None


def inputs_of(model, kind, seed, sizes=(2, 3)):
    """name -> array for the inputs that have no initializer; open dims get one of `sizes`. None if we cannot make one."""
    numbers = numpy.random.default_rng([seed, KINDS.index(kind)])
    given = {tensor.name for tensor in model.graph.initializer}
    symbols, made = {}, {}
    for value in model.graph.input:
        if value.name in given:
            continue
        kind_of = value.type.tensor_type
        if not value.type.HasField("tensor_type") or not kind_of.HasField("shape"):
            return None
        shape = [each.dim_value if each.HasField("dim_value") else
                 symbols.setdefault(each.dim_param or (value.name, i), int(numbers.choice(sizes)))
                 for i, each in enumerate(kind_of.shape.dim)]
        if any(size < 0 for size in shape) or math.prod(shape) > 1_000_000:
            return None
        made[value.name] = array_of(kind, kind_of.elem_type, shape, numbers)
        if made[value.name] is None:
            return None
    return made


def input_sets(model, seed):
    """One set of each kind, with several sizes for open dims."""
    sets = [inputs_of(model, kind, seed, [(2, 3), (1,), (2,), (3, 4), (4,)][i]) for i, kind in enumerate(KINDS)]
    return [each for each in sets if each is not None]


def write_sets(folder, model, sets):
    """As in the official test data: test_data_set_0/input_0.pb."""
    for i, inputs in enumerate(sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir(parents=True)
        for j, value in enumerate(model.graph.input):
            if value.name in inputs:
                tensor = onnx.numpy_helper.from_array(inputs[value.name], value.name)
                (data / f"input_{j}.pb").write_bytes(tensor.SerializeToString())
