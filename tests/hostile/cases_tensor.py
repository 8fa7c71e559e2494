"""Tensors whose data does not fit their type and dims."""
import struct

from case import ANY, BAD_INPUT, DONE, NO, Case, Run, check, convert, info, readable, refused
from onnx_bytes import (BOOL, FLOAT, FLOAT16, INT4, INT8, INT32, INT64, ONES, STRING, X, Y, fixed32, graph, model, node, number, plain_model,
                        sparse, tag, tensor, text, varint)


TEXT = "in/model.onnxtxt"


def weight_case(name, problem, **parts):
    """The file can be read and written; check says what is wrong with the weight."""
    return Case(f"tensor/{name}", plain_model(tensor(**parts)), readable(problem))


def floats(count):
    return text(4, struct.pack(f"<{count}f", *range(count)))


def huge(*dims):
    return {"dims": dims, "raw": ONES}


DATA = [
    weight_case("raw_unaligned", "float[2,2] needs 16 bytes, but has 15", raw=ONES[:15]),
    weight_case("raw_short", "float[2,2] needs 16 bytes, but has 12", raw=ONES[:12]),
    weight_case("raw_long", "float[2,2] needs 16 bytes, but has 32", raw=ONES * 2),
    weight_case("raw_empty", "float[2,2] needs 16 bytes, but has 0", raw=b""),
    weight_case("no_data", "float[2,2] needs 16 bytes, but has 0"),
    weight_case("int4_short", "int4[3] needs 2 bytes, but has 1", kind=INT4, dims=(3,), raw=b"\x11"),
    weight_case("int4_long", "int4[3] needs 2 bytes, but has 3", kind=INT4, dims=(3,), raw=b"\x11\x11\x11"),
    weight_case("float_data_short", "float[2,2] needs 16 bytes, but has 12", extra=floats(3)),
    weight_case("float_data_long", "float[2,2] needs 16 bytes, but has 20", extra=floats(5)),
    weight_case("raw_and_float_data", "has data in more than one field", raw=ONES, extra=floats(4)),
    weight_case("int32_data_for_float", "tensor-conflict", extra=text(5, varint(1) * 4)),
    weight_case("float_data_unpacked", None, extra=b"".join(fixed32(4, i) for i in range(4))),
    weight_case("float_data_in_two_parts", None, extra=floats(2) * 2),
    weight_case("type_missing", "has no element type", kind=None, raw=ONES),
    weight_case("type_0", "has no element type", kind=0, raw=ONES),
    weight_case("type_99", "element type 99 does not exist", kind=99, raw=ONES),
    weight_case("type_negative", "element type -1 does not exist", kind=-1, raw=ONES),
    weight_case("segment", "is only a segment of a tensor", raw=ONES, extra=text(3, number(1, 0) + number(2, 2))),
    weight_case("bool_2", "is bool, but Add", kind=BOOL, raw=b"\x02\xff\x00\x01"),
    Case("tensor/float_data_cut", plain_model(tensor(extra=text(4, ONES[:15]))), [check(NO), info(DONE), convert(DONE)]),
    Case("tensor/int64_data_cut", plain_model(tensor(kind=INT64, extra=text(7, b"\x01\x01\x01\x80"))),
         [check(NO, "the last element of a packed list is truncated"), info(DONE), convert(DONE)]),
    Case("tensor/int64_data_too_long", plain_model(tensor(kind=INT64, extra=text(7, b"\x80" * 30 + b"\x01\x01\x01\x01"))),
         [check(ANY), info(DONE), convert(DONE), convert(BAD_INPUT, "a variable-length number takes more than 10 bytes", ("--external-data", "w.data", "--external-threshold", "0"))]),
]

def elided_text(folder):
    """A few lines that stand for 3 TiB."""
    (folder / "in" / "model.onnxtxt").write_text("""<ir_version: 8, opset_import: ["" : 17]>
g (float[N] x) => (float[N] y)
<float[274877906944] v = {...}, float[274877906944] u = {...},
 sparse_tensor(float[137438953472]) w = {float[137438953472] {...}, int64[137438953472] {...}}>
{ y = Sum (x, u, v, w) }
""")


ELIDED = [
    Case("tensor/elided_text_of_3_tib", elided_text,
         [Run(["check", TEXT], NO, "4 tensors are elided in the text"), Run(["info", TEXT], DONE), Run(["info", TEXT, "--tensors", "--duplicates"], ANY),
          Run(["diff", TEXT, TEXT], ANY), Run(["convert", TEXT, "out/converted.onnxtxt"], DONE)]),
]

DIMS = [
    weight_case("dims_negative", "shape [-2,-2] has a negative dimension", **huge(-2, -2)),
    weight_case("dims_int64_min", "shape [-9223372036854775808] has a negative dimension", **huge(-2**63)),
    weight_case("dims_2e63_minus_1", "[9223372036854775807]", **huge(2**63 - 1)),
    weight_case("dims_overflow_to_0", "shape [4294967296,4294967296] has more than 2^64 elements", **huge(2**32, 2**32)),
    weight_case("dims_overflow_to_4", "shape [4294967297,4294967297,4] has more than 2^64 elements", **huge(2**32 + 1, 2**32 + 1, 4)),
    weight_case("dims_bytes_overflow", "[4611686018427387904]", **huge(2**62)),
    weight_case("dims_pb", "float[1125899906842624] needs 4503599627370496 bytes, but has 16", **huge(2**50)),
    weight_case("dims_0_and_huge", "cannot be broadcast", dims=(0, 2**62, 2**62), raw=b""),
    weight_case("dims_many", "but Add returns", dims=(1,) * 1000, raw=ONES[:4]),
    Case("tensor/dims_too_many", plain_model(tensor(dims=(1,) * 1025, raw=ONES[:4])), refused("a tensor has more than 1024 dimensions")),
    Case("tensor/dims_1m_packed", plain_model(tensor(dims=(), raw=ONES[:4], extra=text(1, b"\x01" * 1_000_000))),
         refused("a tensor has more than 1024 dimensions")),
    Case("tensor/shape_too_many", model(graph([], [], [text(1, "x") + text(2, text(1, number(1, 1) + text(2, text(1, number(1, 1)) * 1025)))])),
         refused("a shape has more than 1024 dimensions")),
    Case("tensor/shape_negative", model(graph([node("Relu", ["x"], ["y"])], [], [text(1, "x") + text(2, text(1, number(1, 1) + text(2, text(1, number(1, -1)))))], [Y])),
         [info(DONE), convert(DONE)]),
    Case("tensor/shape_int64_max", model(graph([node("Relu", ["x"], ["y"])], [], [text(1, "x") + text(2, text(1, number(1, 1) + text(2, text(1, number(1, 2**63 - 1)))))], [Y])),
         [info(DONE), convert(DONE)]),
]


def strings(count):
    return b"".join(text(6, f"text {i}") for i in range(count))


STRINGS = [
    weight_case("strings_ok", "is string, but Add", kind=STRING, extra=strings(4)),
    weight_case("strings_short", "string[2,2] needs 4 strings, but has 3", kind=STRING, extra=strings(3)),
    weight_case("strings_long", "string[2,2] needs 4 strings, but has 5", kind=STRING, extra=strings(5)),
    weight_case("strings_none", "string[2,2] needs 4 strings, but has 0", kind=STRING),
    weight_case("strings_as_raw", "tensor-conflict", kind=STRING, raw=ONES),
    weight_case("strings_not_utf8", "is string, but Add", kind=STRING, dims=(1,), extra=text(6, b"\xff\x00\xfe")),
    weight_case("strings_in_float", "tensor-conflict", extra=strings(4)),
]


def indices(*values, dims=None):
    return tensor("", dims or (len(values),), INT64, struct.pack(f"<{len(values)}q", *values))


def sparse_case(name, problem, encoded):
    content = graph([node("Identity", ["w"], ["y"])], [], [], [Y], extra=text(15, encoded))
    return Case(f"tensor/{name}", model(content), readable(problem))


TWO = tensor("w", (2,), FLOAT, ONES[:8])

SPARSE = [
    sparse_case("sparse_ok", None, sparse(TWO, indices(0, 3), (2, 2))),
    sparse_case("sparse_ok_rank_2", None, sparse(TWO, indices(0, 0, 1, 1, dims=(2, 2)), (2, 2))),
    sparse_case("sparse_dims_overflow", "shape [4294967296,4294967296] has more than 2^64 elements", sparse(TWO, indices(0, 3), (2**32, 2**32))),
    sparse_case("sparse_dims_2e63", "has more than 2^64 elements", sparse(TWO, indices(0, 3), (2**62, 2**62, 2**62))),
    sparse_case("sparse_dims_negative", "a sparse tensor cannot have the shape [-2,-2]", sparse(TWO, indices(0, 3), (-2, -2))),
    sparse_case("sparse_oob", "index 1 is 4, outside of the 4 elements", sparse(TWO, indices(0, 4), (2, 2))),
    sparse_case("sparse_index_negative", "index 0 is -1, outside of the 4 elements", sparse(TWO, indices(-1, 1), (2, 2))),
    sparse_case("sparse_index_int64_min", "index 0 is -9223372036854775808, outside of the 4 elements", sparse(TWO, indices(-2**63, 2**63 - 1), (2, 2))),
    sparse_case("sparse_oob_rank_2", "index 1 is 2 on axis 1, which has size 2", sparse(TWO, indices(0, 0, 0, 2, dims=(2, 2)), (2, 2))),
    sparse_case("sparse_unsorted", "index 1 is smaller than the one before it", sparse(TWO, indices(3, 0), (2, 2))),
    sparse_case("sparse_duplicate", "index 1 is the same as the one before it", sparse(TWO, indices(1, 1), (2, 2))),
    sparse_case("sparse_nnz_gt_dense", "2 values do not fit in shape [1]", sparse(TWO, indices(0, 0), (1,))),
    sparse_case("sparse_counts_differ", "indices must be int64[2] or int64[2,2], not int64[3]", sparse(TWO, indices(0, 1, 2), (2, 2))),
    sparse_case("sparse_indices_rank_3", "indices must be int64[2] or int64[2,2], not int64[1,2,1]", sparse(TWO, indices(0, 1, dims=(1, 2, 1)), (2, 2))),
    sparse_case("sparse_indices_int32", "indices must be int64[2] or int64[2,2], not int32[2]", sparse(TWO, tensor("", (2,), INT32, bytes(8)), (2, 2))),
    sparse_case("sparse_indices_short", "indices: int64[2] needs 16 bytes, but has 8", sparse(TWO, tensor("", (2,), INT64, bytes(8)), (2, 2))),
    sparse_case("sparse_values_short", "values: float[2] needs 8 bytes, but has 7", sparse(tensor("w", (2,), FLOAT, ONES[:7]), indices(0, 1), (2, 2))),
    sparse_case("sparse_values_rank_2", "values must be a list, but have the shape [1,2]", sparse(tensor("w", (1, 2), FLOAT, ONES[:8]), indices(0, 1), (2, 2))),
    sparse_case("sparse_no_indices", "there are 2 values, but no indices", text(1, TWO) + number(3, 4)),
    sparse_case("sparse_no_values", "the sparse tensor has no values", text(2, indices(0, 1)) + number(3, 4)),
    sparse_case("sparse_huge_claim", "float[1099511627776] needs 4398046511104 bytes, but has 16", sparse(tensor("w", (2**40,), FLOAT, ONES), tensor("", (2**40,), INT64, bytes(8)), (2**41,))),
]

CASES = DATA + ELIDED + DIMS + STRINGS + SPARSE
