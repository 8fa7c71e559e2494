"""Compares our table of messages (onnxpress/format/schema.cpp, onnx_fields.h) with the descriptors in the onnx package.

Fails when a new onnx version adds, removes or changes a message, a field or an enum that files can contain.
"""

import pathlib
import re
import sys
import unittest

try:
    from google.protobuf import descriptor_pb2
    from onnx import onnx_ml_pb2
except ImportError:
    print("SKIPPED: test_schema needs the onnx package (scripts/setup test)")
    sys.exit(77)

FORMAT = pathlib.Path(__file__).parents[2] / "onnxpress" / "format"
Proto = descriptor_pb2.FieldDescriptorProto
KINDS = {
    "kInt32": Proto.TYPE_INT32,
    "kInt64": Proto.TYPE_INT64,
    "kUint64": Proto.TYPE_UINT64,
    "kFloat": Proto.TYPE_FLOAT,
    "kDouble": Proto.TYPE_DOUBLE,
    "kString": Proto.TYPE_STRING,
    "kBytes": Proto.TYPE_BYTES,
}


def pascal(name):
    return "k" + "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def read_numbers():
    """onnx_fields.h: {(namespace, constant): number}."""
    text = (FORMAT / "onnx_fields.h").read_text()
    numbers = {}
    for namespace, body in re.findall(r"^namespace (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        for constant, number in re.findall(r"^inline constexpr std::uint32_t (k\w+) = (\d+);", body, re.M):
            numbers[namespace, constant] = int(number)
    return numbers


class OurTable:
    """schema.h and schema.cpp: {message: {field: (number, label, kind)}}, and the enums."""

    def __init__(self):
        header, source = (FORMAT / "schema.h").read_text(), (FORMAT / "schema.cpp").read_text()
        numbers = read_numbers()
        self.unused_numbers = set(numbers)
        self.enums = {
            name: [(value, int(number)) for value, number in re.findall(r'\{"(\w+)", (\d+)\}', body)]
            for name, body in re.findall(r"constexpr EnumValue k(\w+)Values\[\] = \{\n(.*?)^\};", source, re.M | re.S)
        }
        self.order = re.findall(r'^    message\("([\w.]+)", (k\w+)Fields\),$', source, re.M)
        names = {index: message for message, index in self.order}
        enum_body = re.search(r"enum class MessageIndex : std::uint8_t \{(.*?)\};", header, re.S).group(1)
        self.index_order = re.findall(r"\bk\w+", enum_body)
        self.messages = {}
        for index, body in re.findall(r"constexpr Field (k\w+)Fields\[\] = \{\n(.*?)^\};", source, re.M | re.S):
            fields = self.messages[names[index]] = {}
            for line in body.splitlines():
                label, field, namespace, constant, what = re.fullmatch(
                    r'    (one|many|packed|choice)\("(\w+)", (\w+)::(k\w+), ([\w:]+)\),', line
                ).groups()
                assert constant == pascal(field), line
                assert pascal(namespace) == index, line
                self.unused_numbers.discard((namespace, constant))
                if what.startswith("Message::"):
                    kind = names[what.removeprefix("Message::")]
                elif what.startswith("Kind::"):
                    kind = KINDS[what.removeprefix("Kind::")]
                else:
                    kind = "enum " + what[1 : -len("Values")]
                fields[field] = (numbers[namespace, constant], label, kind)


class OfficialTable:
    """The same from the descriptors of the onnx package."""

    def __init__(self):
        file = descriptor_pb2.FileDescriptorProto()
        onnx_ml_pb2.DESCRIPTOR.CopyToProto(file)
        self.messages, self.enums = {}, {}
        for message in file.message_type:
            self.add(message, message.name)

    def add(self, message, name):
        self.messages[name] = {field.name: self.field(field) for field in message.field}
        for enum in message.enum_type:
            self.enums[enum.name] = [(value.name, value.number) for value in enum.value]
        assert len(message.oneof_decl) <= 1, f"{name} has two oneof groups; FieldLabel::kChoice knows one"
        assert not message.extension_range, f"{name} has extensions"
        for nested in message.nested_type:
            self.add(nested, f"{name}.{nested.name}")

    @staticmethod
    def field(field):
        label = "one"
        if field.label == Proto.LABEL_REPEATED:
            label = "packed" if field.options.packed else "many"
        elif field.HasField("oneof_index"):
            label = "choice"
        assert field.label != Proto.LABEL_REQUIRED and not field.HasField("default_value"), field.name
        kind = field.type
        if field.type == Proto.TYPE_MESSAGE:
            kind = field.type_name.removeprefix(".onnx.")
        elif field.type == Proto.TYPE_ENUM:
            kind = "enum " + field.type_name.rsplit(".", 1)[1]
        return field.number, label, kind


class SchemaTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.ours, self.official = OurTable(), OfficialTable()

    def test_messages_and_fields_are_those_of_onnx(self):
        self.assertEqual(self.ours.messages, self.official.messages)

    def test_every_constant_is_in_the_table(self):
        self.assertEqual(self.ours.unused_numbers, set())

    def test_table_is_in_the_order_of_the_enum(self):
        self.assertEqual([index for _, index in self.ours.order], self.ours.index_order)

    def test_fields_are_in_the_order_of_their_numbers(self):
        for message, fields in self.ours.messages.items():
            numbers = [number for number, _, _ in fields.values()]
            self.assertEqual(numbers, sorted(numbers), message)

    def test_enums_are_those_of_onnx(self):
        # DataType is not the type of any field: element types are plain int32 in files.
        official = {name: values for name, values in self.official.enums.items() if name != "DataType"}
        self.assertEqual(self.ours.enums, official)


if __name__ == "__main__":
    unittest.main()
