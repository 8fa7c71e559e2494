"""Files that are not protobuf, are cut, lie about lengths, or nest without end."""
import io
import random
import zipfile

from case import ANY, BAD_INPUT, DONE, MODEL, NO, Case, Run, check, convert, info, readable, refused
from onnx_bytes import (ONES, X, Y, attribute, claimed, fixed32, graph, graph_attribute, model, nested, node, number, opset, plain_model,
                        tag, tensor, tensor_attribute, text, value_info, varint)

PLAIN = plain_model()
DAMAGED = "hint: the file is damaged, or it is not an ONNX model"


def many_files(contents):
    """Each content is a separate model, all in the folder in/."""
    def make(folder):
        for i, content in enumerate(contents):
            (folder / "in" / f"{i}.onnx").write_bytes(content)
    return make


def each_file(count, command="check"):
    return [Run([command, f"in/{i}.onnx"], ANY) for i in range(count)]


def empty_zip():
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("model.onnx", PLAIN)
    return memory.getvalue()


def random_files(count=40):
    generator = random.Random(2024)
    return [generator.randbytes(generator.choice([1, 7, 64, 1000])) for _ in range(count)]


NOT_MODELS = [
    Case("wire/empty_file", b"", refused("the file is empty")),
    Case("wire/text_file", b"Once upon a time there was a model.\n" * 10, refused("")),
    Case("wire/html_file", b"<!DOCTYPE html><html><body>404 not found</body></html>\n", refused("")),
    Case("wire/lfs_pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n", refused("")),
    Case("wire/zip_file", empty_zip(), refused("")),
    Case("wire/zeros", bytes(4096), refused("field number 0 does not exist in protobuf")),
    Case("wire/all_ff", b"\xff" * 4096, refused("a variable-length number takes more than 10 bytes")),
    Case("wire/random_bytes", many_files(random_files()), each_file(40)),
    Case("wire/missing_file", lambda folder: None, refused("cannot open: No such file or directory")),
    Case("wire/folder", lambda folder: (folder / "in" / "model.onnx").mkdir(), [convert(BAD_INPUT, "is a folder, not a file")]),
    Case("wire/only_unknown_fields", text(99, "x") * 3, refused("not an ONNX model: it has no graph")),
    Case("wire/no_graph", model(), readable("no graph")),
]

CUTS = [
    Case("wire/cut_at_every_byte", many_files([PLAIN[:n] for n in range(1, len(PLAIN))]), each_file(len(PLAIN) - 1)),
    Case("wire/cut_in_graph", PLAIN[:40], refused("but its message has only")),
    Case("wire/cut_in_tag", PLAIN + b"\xfa", refused("a number runs past the end of its message")),
    Case("wire/cut_in_length", PLAIN + tag(14, 2) + b"\x80", refused("a number runs past the end of its message")),
]


def lying(length):
    return model(graph([node("Relu", ["x"], ["y"])], [], [X], [Y], extra=claimed(5, length, b"12345")))


LENGTHS = [
    Case("wire/length_over", lying(6), refused("field 5 claims 6 bytes, but its message has only 5 left")),
    Case("wire/length_2e31", lying(2**31), refused("field 5 claims 2147483648 bytes")),
    Case("wire/length_2e32_and_5", lying(2**32 + 5), refused("field 5 claims 4294967301 bytes")),
    Case("wire/length_2e63", lying(2**63), refused("field 5 claims 9223372036854775808 bytes")),
    Case("wire/length_2e64_minus_1", lying(2**64 - 1), refused("field 5 claims 18446744073709551615 bytes")),
    Case("wire/length_over_in_name", model(graph(extra=claimed(2, 100))), refused("field 2 claims 100 bytes, but its message has only 0 left")),
    Case("wire/length_beyond_file", claimed(7, 10**15), refused("field 7 claims 1000000000000000 bytes")),
    Case("wire/packed_cut", plain_model(tensor(extra=text(1, b"\x80"))), refused("a number runs past the end of its message")),
]

LONG_VARINT = b"\xff" * 10 + b"\x01"

TAGS = [
    Case("wire/varint_too_long", tag(1, 0) + LONG_VARINT, refused("a variable-length number takes more than 10 bytes")),
    Case("wire/tag_too_long", LONG_VARINT, refused("a variable-length number takes more than 10 bytes")),
    Case("wire/length_too_long", tag(7, 2) + LONG_VARINT, refused("a variable-length number takes more than 10 bytes")),
    Case("wire/varint_padded", tag(1, 0) + b"\x88\x80\x80\x80\x80\x80\x80\x80\x80\x00" + PLAIN[2:], readable()),
    Case("wire/field_number_0", number(0, 5), refused("field number 0 does not exist in protobuf")),
    Case("wire/field_number_2e29", varint((2**29) << 3) + b"\x00", refused("field number 536870912 does not exist in protobuf")),
    Case("wire/field_number_2e61", varint(2**64 - 8) + b"\x00", refused("does not exist in protobuf")),
    Case("wire/wire_type_6", tag(7, 6) + b"\x00", refused("field 7 has wire type 6, which does not exist")),
    Case("wire/wire_type_7", tag(7, 7) + b"\x00", refused("field 7 has wire type 7, which does not exist")),
    Case("wire/group", PLAIN + tag(30, 3) + tag(30, 4), refused("field 30 is a protobuf group, which ONNX does not use")),
    Case("wire/group_end_alone", PLAIN + tag(30, 4), refused("field 30 is a protobuf group, which ONNX does not use")),
    Case("wire/group_nested_100k", tag(30, 3) * 100_000 + tag(30, 4) * 100_000, refused("field 30 is a protobuf group")),
    Case("wire/unknown_fields_everywhere", plain_model(tensor(raw=ONES, extra=number(500, 1)), extra=text(501, "kept") + fixed32(502, 1)),
         readable()),
]

WRONG_TYPES = [
    Case("wire/graph_as_number", number(7, 5), refused("field 7 has wire type 0, expected 2")),
    Case("wire/version_as_text", text(1, "8") + PLAIN, refused("field 1 has wire type 2, expected 0")),
    Case("wire/version_as_fixed", fixed32(1, 8) + PLAIN, refused("field 1 has wire type 5, expected 0")),
    Case("wire/node_as_number", model(graph(extra=number(1, 1))), refused("field 1 has wire type 0, expected 2")),
    Case("wire/op_type_as_number", model(graph([number(4, 1)])), refused("field 4 has wire type 0, expected 2")),
    Case("wire/dims_as_fixed", plain_model(tensor(extra=fixed32(1, 2))), refused("field 1 has wire type 5, expected 2")),
    Case("wire/raw_as_number", plain_model(tensor(extra=number(9, 2))), refused("field 9 has wire type 0, expected 2")),
    Case("wire/float_attribute_as_number", model(graph([node("Elu", ["x"], ["y"], [text(1, "alpha") + number(2, 1) + number(20, 1)])])),
         refused("field 2 has wire type 0, expected 5")),
]


def subgraphs(depth):
    """If in If in If: each body is the last part of its graph, so only lengths come before it."""
    def wrap(size):
        body = varint(size)  # attribute g { body }
        attribute_size = len(text(1, "then_branch") + number(20, 5)) + 1 + len(body) + size
        before_node = text(4, "If") + text(1, "c") + text(2, "o")
        node_size = len(before_node) + 1 + len(varint(attribute_size)) + attribute_size
        return (tag(1, 2) + varint(node_size) + before_node + tag(5, 2) + varint(attribute_size) +
                text(1, "then_branch") + number(20, 5) + tag(6, 2) + body)
    return model(nested(depth, wrap, text(2, "innermost")))


def types(depth):
    """A sequence of sequences: TypeProto { sequence_type { elem_type: TypeProto } }."""
    def wrap(size):
        inner = tag(1, 2) + varint(size)
        return tag(4, 2) + varint(len(inner) + size) + inner
    deep = nested(depth, wrap, text(1, number(1, 1)))
    return model(graph([node("Identity", ["x"], ["y"])], [], [text(1, "x") + text(2, deep)], [Y]))


TOO_DEEP = "graphs are nested more than 64 deep"
TYPES_TOO_DEEP = "types are nested more than 64 deep"

NESTING = [
    Case("wire/nested_subgraph_30", subgraphs(30), [info(DONE), convert(DONE), check(NO)]),
    Case("wire/nested_subgraph_63", subgraphs(63), [info(DONE), convert(DONE), check(NO)]),
    Case("wire/nested_subgraph_64", subgraphs(64), refused(TOO_DEEP)),
    Case("wire/nested_subgraph_100", subgraphs(100), refused(TOO_DEEP)),
    Case("wire/nested_subgraph_1000", subgraphs(1000), refused(TOO_DEEP)),
    Case("wire/nested_subgraph_100k", subgraphs(100_000), refused(TOO_DEEP)),
    Case("wire/nested_type_64", types(64), [info(DONE), convert(DONE)]),
    Case("wire/nested_type_65", types(65), refused(TYPES_TOO_DEEP)),
    Case("wire/nested_type_100k", types(100_000), refused(TYPES_TOO_DEEP)),
]


def merged(depth):
    """Every body occurs twice. Protobuf merges the two, so a careless reader copies everything below at each level."""
    inner = graph([node("Relu", ["x"], ["o"])], [tensor("w", (25_000,), raw=bytes(100_000))])
    for _ in range(depth):
        twice = text(1, "then_branch") + text(6, text(2, "first half")) + text(6, inner) + number(20, 5)
        inner = text(1, node("If", ["c"], ["o"], [twice]))
    return model(inner, extra=text(7, text(2, "second half")))


def bad_name(message, **where):
    """A name of a megabyte in a file that is refused: messages show only its beginning, its end and its length."""
    return refused(message)


LONG = "n" * 1_000_000
BAD_TENSOR = tensor(extra=claimed(9, 1000))
SHORTENED = "nnn...(1000000 bytes)...nnn"

NAMES = [
    Case("wire/name_1mb", model(graph([node("Constant", [], ["y"], [tensor_attribute("value", BAD_TENSOR)], LONG)])), refused(SHORTENED)),
    Case("wire/op_type_1mb", model(graph([node(LONG, [], ["y"], [tensor_attribute("value", BAD_TENSOR)])])), refused(SHORTENED)),
    Case("wire/graph_name_1mb", model(graph([], [BAD_TENSOR], name=LONG)), refused(SHORTENED)),
    Case("wire/tensor_name_1mb", model(graph([node("Relu", [LONG], ["y"])], [tensor(LONG, raw=b"")], [], [Y])),
         [check(NO, SHORTENED), info(DONE), convert(DONE)]),
    Case("wire/name_control_characters", model(graph([node("Re\x1b[31mlu\n", [], ["y"], [tensor_attribute("value", BAD_TENSOR)], "a\nb\x07")])),
         refused("a\\x0ab\\x07")),
    Case("wire/name_not_utf8", model(graph([node(b"\xff\xfe", ["x"], [b"\x80y"], name=b"\xc0\xaf")], [], [X], [value_info(b"\x80y")])),
         [info(DONE), convert(DONE), Run(["info", "--json", MODEL], DONE), check(ANY)]),
    Case("wire/name_with_nul", model(graph([node("Relu", ["x"], ["y\0z"])], [], [X], [value_info("y\0z")])), [info(DONE), convert(DONE), check(ANY)]),
    Case("wire/merged_60_deep", merged(60), [info(DONE), convert(DONE)]),
]

CASES = NOT_MODELS + CUTS + LENGTHS + TAGS + WRONG_TYPES + NESTING + NAMES
