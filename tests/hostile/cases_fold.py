"""Constants that expand from a few bytes to more than fits into any machine, and operands that no kernel may trust: they matter when a model is
folded, run, profiled or shrunk. The answer does not matter, but it must come quickly, with little memory, and without a crash."""
import struct

from case import ANY, MODEL, Case, Run
from onnx_bytes import (BOOL, FLOAT, INT64, attribute, graph, graph_attribute, int_attribute, model, node, number, tensor, tensor_attribute, text,
                        value_info)

HUGE = 2**62
MOST, LEAST = 2**63 - 1, -2**63


def ints(name, *values):
    return tensor(name, (len(values),), INT64, struct.pack(f"<{len(values)}q", *values))


def scalar(name, value):
    return tensor(name, (), INT64, struct.pack("<q", value))


def floats(name, dims, *values):
    return tensor(name, dims, FLOAT, struct.pack(f"<{len(values)}f", *values))


def int_list(name, *values):
    return text(1, name) + b"".join(number(8, value) for value in values) + number(20, 7)


def string(name, value):
    return attribute(name, 3, 4, value.encode())


RUNS = [
    Run(["optimize", MODEL, "-o", "out/optimized.onnx"], ANY),
    Run(["profile", MODEL], ANY),
    Run(["run", MODEL], ANY),
    Run(["quantize", MODEL, "-o", "out/quantized.onnx", "--to", "auto", "--min-elements", "1"], ANY),
]


def fold(name, nodes, initializers=(), kind=FLOAT, inputs=(), opsets=None):
    """The last node computes y. An unknown input keeps the whole graph from being a constant."""
    live = node("Identity", ["x"], ["z"])
    content = graph([*nodes, live], initializers, [value_info("x"), *inputs], [text(1, "y") + text(2, text(1, number(1, kind))), value_info("z")])
    return Case(f"fold/{name}", model(content, **({"opsets": opsets} if opsets else {})), RUNS)


def loop(trips, body_nodes, carried="v", extra_outputs=()):
    """y = Loop(trips, true, start) { v = ... }"""
    body = graph([node("Identity", ["keep"], ["go"]), *body_nodes], [],
                 [value_info("i", (), INT64), value_info("keep", (), BOOL), value_info("before", ())],
                 [value_info("go", (), BOOL), value_info(carried, ()), *extra_outputs], "body")
    return node("Loop", [trips, "", "start"], ["y", *[f"s{i}" for i in range(len(extra_outputs))]], [graph_attribute("body", body)])


def doubling(steps, op="Concat"):
    """Each node reads the last value twice: 2^steps elements."""
    nodes = []
    for i in range(steps):
        last = f"d{i - 1}" if i else "one"
        nodes.append(node(op, [last, last], [f"d{i}" if i + 1 < steps else "y"], [int_attribute("axis", 0)]))
    return nodes


def filled(result, *dims):
    """A tensor of zeros of that shape."""
    return node("ConstantOfShape", [f"shape_of_{result}"], [result]), ints(f"shape_of_{result}", *dims)


LEFT, RIGHT = filled("left", 100_000, 100_000), filled("right", 100_000, 100_000)
IMAGE, KERNEL = filled("image", 1, 64, 4096, 4096), filled("kernel", 64, 64, 63, 63)
ONE = floats("one", (1,), 1)

BOMBS = [
    fold("constantofshape_bomb", [node("ConstantOfShape", ["s"], ["y"])], [ints("s", 2**20, 2**20, 2**20)]),
    fold("constantofshape_2e31", [node("ConstantOfShape", ["s"], ["t"]), node("ReduceSum", ["t"], ["y"])], [ints("s", 2**31)]),
    fold("constantofshape_negative", [node("ConstantOfShape", ["s"], ["y"])], [ints("s", -1, 3)]),
    fold("constantofshape_many_dims", [node("ConstantOfShape", ["s"], ["y"])], [ints("s", *[2] * 4000)]),
    fold("expand_bomb", [node("Expand", ["one", "s"], ["t"]), node("Add", ["t", "one"], ["y"])], [ONE, ints("s", 2**20, 2**20, 2**22)]),
    fold("tile_bomb", [node("Tile", ["one", "s"], ["y"])], [ONE, ints("s", HUGE)]),
    fold("tile_overflow", [node("Tile", ["w", "s"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", HUGE)]),
    fold("range_bomb", [node("Range", ["a", "b", "c"], ["y"])], [scalar("a", LEAST), scalar("b", MOST), scalar("c", 1)], INT64),
    fold("range_zero_step", [node("Range", ["a", "b", "c"], ["y"])], [scalar("a", 0), scalar("b", 5), scalar("c", 0)], INT64),
    fold("pad_bomb", [node("Pad", ["one", "p"], ["y"])], [ONE, ints("p", HUGE, HUGE)]),
    fold("pad_negative", [node("Pad", ["one", "p"], ["y"])], [ONE, ints("p", LEAST, 0)]),
    fold("resize_bomb", [node("Resize", ["w", "", "", "sizes"], ["y"])], [floats("w", (1, 1, 1, 1), 1), ints("sizes", 1, 1, 2**31, 2**31)]),
    fold("resize_scale", [node("Resize", ["w", "", "scales"], ["y"])], [floats("w", (1, 1, 1, 1), 1), floats("scales", (4,), 1, 1, 1e30, 1e30)]),
    fold("onehot_bomb", [node("OneHot", ["one_index", "depth", "values"], ["y"])],
         [ints("one_index", 0), scalar("depth", HUGE), floats("values", (2,), 0, 1)]),
    fold("doubling_60", doubling(60), [ONE]),
    fold("doubling_2000", doubling(2000), [ONE]),
    fold("eyelike_bomb", [LEFT[0], node("EyeLike", ["left"], ["y"])], [LEFT[1]]),
    fold("matmul_bomb", [LEFT[0], RIGHT[0], node("MatMul", ["left", "right"], ["y"])], [LEFT[1], RIGHT[1]]),
    fold("conv_bomb", [IMAGE[0], KERNEL[0], node("Conv", ["image", "kernel"], ["y"])], [IMAGE[1], KERNEL[1]]),
    fold("einsum_bomb", [node("Einsum", ["w"] * 8, ["y"], [string("equation", "a,b,c,d,e,f,g,h->abcdefgh")])], [floats("w", (64,), *range(64))]),
    fold("loop_huge", [loop("trips", [node("Add", ["before", "one"], ["v"])])], [scalar("trips", MOST), floats("start", (), 0), ONE]),
    fold("loop_collects", [loop("trips", [node("Add", ["before", "one"], ["v"])], extra_outputs=[value_info("v", ())])],
         [scalar("trips", 10**9), floats("start", (), 0), ONE]),
    fold("loop_doubles", [loop("trips", [node("Concat", ["before", "before"], ["v"], [int_attribute("axis", 0)])])],
         [scalar("trips", 100), floats("start", (1,), 0)]),
    fold("cumsum_bomb", [LEFT[0], node("CumSum", ["left", "axis"], ["y"])], [LEFT[1], scalar("axis", 0)]),
    fold("topk_bomb", [LEFT[0], node("TopK", ["left", "k"], ["y", "i"])], [LEFT[1], ints("k", 100_000)]),
    fold("gathernd_bomb", [LEFT[0], node("Gather", ["left", "many"], ["y"])], [LEFT[1], ints("many", *range(4096))]),
    fold("string_split_bomb", [node("StringNormalizer", ["w"], ["y"])], [tensor("w", (1,), 8, extra=text(6, "a" * 100_000))], 8),
]

ODD = [
    fold("conv_rank_0", [node("Conv", ["w", "w"], ["y"])], [floats("w", (), 1)]),
    fold("conv_group_0", [node("Conv", ["w", "w"], ["y"], [int_attribute("group", 0)])], [floats("w", (1, 1, 1, 1), 1)]),
    fold("conv_group_huge", [node("Conv", ["w", "w"], ["y"], [int_attribute("group", MOST)])], [floats("w", (1, 1, 1, 1), 1)]),
    fold("conv_dilations", [node("Conv", ["w", "w"], ["y"], [int_list("dilations", MOST, LEAST), int_list("strides", 0, -1)])], [floats("w", (1, 1, 1, 1), 1)]),
    fold("conv_pads", [node("Conv", ["w", "w"], ["y"], [int_list("pads", MOST, MOST, MOST, MOST)])], [floats("w", (1, 1, 1, 1), 1)]),
    fold("pool_kernel", [node("MaxPool", ["w"], ["y"], [int_list("kernel_shape", MOST, MOST)])], [floats("w", (1, 1, 1, 1), 1)]),
    fold("pool_kernel_0", [node("AveragePool", ["w"], ["y"], [int_list("kernel_shape", 0, 0)])], [floats("w", (1, 1, 1, 1), 1)]),
    fold("gemm_scalar", [node("Gemm", ["w", "w"], ["y"])], [floats("w", (), 1)]),
    fold("slice_extreme", [node("Slice", ["w", "a", "b", "axes", "s"], ["y"])],
         [floats("w", (4,), 1, 2, 3, 4), ints("a", LEAST), ints("b", MOST), ints("axes", 0), ints("s", LEAST)]),
    fold("slice_step_0", [node("Slice", ["w", "a", "b", "axes", "s"], ["y"])],
         [floats("w", (4,), 1, 2, 3, 4), ints("a", 0), ints("b", 4), ints("axes", 0), ints("s", 0)]),
    fold("div_int64_min_by_minus_1", [node("Div", ["a", "b"], ["y"])], [ints("a", LEAST), ints("b", -1)], INT64),
    fold("div_by_0", [node("Div", ["a", "b"], ["y"])], [ints("a", 1), ints("b", 0)], INT64),
    fold("mod_int64_min_by_minus_1", [node("Mod", ["a", "b"], ["y"])], [ints("a", LEAST), ints("b", -1)], INT64),
    fold("neg_int64_min", [node("Neg", ["a"], ["t"]), node("Abs", ["t"], ["y"])], [ints("a", LEAST)], INT64),
    fold("pow_huge", [node("Pow", ["a", "a"], ["y"])], [ints("a", MOST)], INT64),
    fold("shift_far", [node("BitShift", ["a", "a"], ["y"], [string("direction", "LEFT")])], [tensor("a", (1,), 13, struct.pack("<Q", 2**63))], 13),
    fold("transpose_perm_oob", [node("Transpose", ["w"], ["y"], [int_list("perm", 5, 0)])], [floats("w", (1, 1), 1)]),
    fold("transpose_perm_twice", [node("Transpose", ["w"], ["y"], [int_list("perm", 0, 0)])], [floats("w", (1, 1), 1)]),
    fold("split_bad_sum", [node("Split", ["w", "s"], ["y", "t"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", 3, 3)]),
    fold("split_negative", [node("Split", ["w", "s"], ["y", "t"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", -4, 8)]),
    fold("gather_oob", [node("Gather", ["w", "i"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("i", MOST, LEAST, 4)]),
    fold("gatherelements_oob", [node("GatherElements", ["w", "i"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("i", 4)]),
    fold("scatternd_oob", [node("ScatterND", ["w", "i", "u"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), tensor("i", (1, 1), INT64, struct.pack("<q", 99)), floats("u", (1,), 9)]),
    fold("reshape_raw_short", [node("Reshape", ["w", "s"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), tensor("s", (2,), INT64, b"\1\0\0")]),
    fold("reshape_two_unknown", [node("Reshape", ["w", "s"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", -1, -1)]),
    fold("reshape_overflow", [node("Reshape", ["w", "s"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", HUGE, 4, 4)]),
    fold("unsqueeze_axes", [node("Unsqueeze", ["w", "s"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", *range(2000))]),
    fold("squeeze_axes", [node("Squeeze", ["w", "s"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", MOST)]),
    fold("constant_value_raw_short", [node("Constant", [], ["y"], [tensor_attribute("value", tensor("", (1000, 1000), FLOAT, b"\0\0"))])]),
    # If it were moved out of its node and encoded again, it would lose the number that does not fit its dims.
    fold("constant_value_too_long", [node("Constant", [], ["c"], [tensor_attribute("value", tensor("", (0,), INT64, extra=number(7, 1)))]),
                                     node("Unknown", ["x", "c"], ["y"])]),
    fold("constantofshape_value_empty", [node("ConstantOfShape", ["s"], ["y"], [tensor_attribute("value", tensor("", (0,), FLOAT, b""))])], [ints("s", 3)]),
    fold("cast_to_nothing", [node("Cast", ["w"], ["y"], [int_attribute("to", 99)])], [floats("w", (4,), 1, 2, 3, 4)]),
    fold("reduce_axes", [node("ReduceSum", ["w", "s"], ["y"])], [floats("w", (4,), 1, 2, 3, 4), ints("s", 0, 0, 7)]),
    fold("batchnorm_short", [node("BatchNormalization", ["w", "s", "s", "s", "s"], ["y"])], [floats("w", (1, 4), 1, 2, 3, 4), floats("s", (1,), 1)]),
    fold("depthtospace_0", [node("DepthToSpace", ["w"], ["y"], [int_attribute("blocksize", 0)])], [floats("w", (1, 4, 1, 1), 1, 2, 3, 4)]),
    fold("if_of_nothing", [node("If", ["w"], ["y"])], [floats("w", (1,), 1)]),
]

CASES = BOMBS + ODD
