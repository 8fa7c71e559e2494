"""Fills protobuf messages with random content in every field, by their descriptors."""

import struct

from google.protobuf.descriptor import FieldDescriptor

TEXTS = ["conv", "/layer.1/", '"', "\\", "\n", "\x01", "\x7f", "ü", "重み", "🙂", "\u2028", "</script>"]
FLOATS = ["00000000", "00000080", "0000803f", "0000c07f", "0000807f", "000080ff", "ffff7f7f", "ffff7fff", "01000000", "cdcccc3d"]


def fields_in(message):
    """The names of all fields that are set somewhere in `message`: "NodeProto.name"."""
    names = set()
    for field, value in message.ListFields():
        names.add(field.full_name)
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if field.is_repeated else [value]:
                names |= fields_in(inner)
    return names


def all_fields(descriptor, names=None):
    """The same for everything that a message of this kind can contain."""
    names = set() if names is None else names
    for field in descriptor.fields:
        if field.full_name not in names:
            names.add(field.full_name)
            if field.message_type:
                all_fields(field.message_type, names)
    return names


class Filler:
    def __init__(self, random, messages, keep=0.7):
        self.random, self.left, self.keep = random, messages, keep

    def fill(self, message):
        """Sets about `keep` of the fields; at most `messages` inner messages are made."""
        chosen = {oneof.name: self.random.choice(oneof.fields).name for oneof in message.DESCRIPTOR.oneofs}
        fields = list(message.DESCRIPTOR.fields)
        self.random.shuffle(fields)  # otherwise the first fields would use up the inner messages
        for field in fields:
            if field.containing_oneof and chosen[field.containing_oneof.name] != field.name:
                continue
            if self.random.random() > self.keep:
                continue
            if field.is_repeated:
                for _ in range(self.random.randrange(4)):
                    self.add(message, field)
            elif field.type == FieldDescriptor.TYPE_MESSAGE:
                if self.take():
                    inner = getattr(message, field.name)
                    inner.SetInParent()
                    self.fill(inner)
            else:
                setattr(message, field.name, self.scalar(field))
        return message

    def add(self, message, field):
        container = getattr(message, field.name)
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            container.append(self.scalar(field))
        elif self.take():
            self.fill(container.add())

    def take(self):
        self.left -= 1
        return self.left >= 0

    def scalar(self, field):
        random, kind = self.random, field.type
        if kind == FieldDescriptor.TYPE_STRING:
            return "".join(random.choice(TEXTS) for _ in range(random.randrange(4)))
        if kind == FieldDescriptor.TYPE_BYTES:
            return random.randbytes(random.choice([0, 1, 2, 3, 20, 200]))
        if kind == FieldDescriptor.TYPE_FLOAT:
            return self.real("<f", random.choice([bytes.fromhex(random.choice(FLOATS)), random.randbytes(4)]))
        if kind == FieldDescriptor.TYPE_DOUBLE:
            return self.real("<d", random.choice([struct.pack("<d", random.uniform(-9, 9)), random.randbytes(8)]))
        if kind == FieldDescriptor.TYPE_ENUM:
            return random.choice(field.enum_type.values).number
        bits = {FieldDescriptor.TYPE_INT32: 31, FieldDescriptor.TYPE_INT64: 63, FieldDescriptor.TYPE_UINT64: 64}[kind]
        number = random.getrandbits(random.choice([1, 7, 14, bits]))
        return number if bits == 64 or random.random() < 0.5 else -number - 1

    @staticmethod
    def real(form, raw):
        number = struct.unpack(form, raw)[0]
        return number if number == number else float("nan")  # JSON cannot hold the payload of a NaN
