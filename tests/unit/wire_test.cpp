// The wire reader with well-formed and lying messages. Every good case is read again, unaligned by one byte.
#include "onnxpress/format/wire.h"

#include <gtest/gtest.h>

#include <string>

#include "onnxpress/base/error.h"

namespace onnxpress::format {
namespace {

std::string hex(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

// The fields that a reader sees, as one line: "1:varint 150", "2:bytes abc", ...
std::string described(std::string_view message) {
  std::string out;
  for (WireReader in(message); in.next();) {
    if (!out.empty()) out += ", ";
    out += std::to_string(in.field()) + ":";
    switch (in.type()) {
      case WireType::kVarint:
        out += "varint " + std::to_string(in.varint());
        break;
      case WireType::kLength:
        out += "bytes " + std::string(in.bytes());
        break;
      case WireType::kFixed32:
        out += "float " + std::to_string(in.float32());
        break;
      case WireType::kFixed64:
        out += "double " + std::to_string(in.float64());
        break;
    }
  }
  return out;
}

struct Good {
  const char* bytes;
  const char* meaning;
};

TEST(Wire, ReadsFields) {
  const Good cases[] = {
      {"", ""},
      {"0800", "1:varint 0"},
      {"089601", "1:varint 150"},
      {"08ffffffffffffffffff01", "1:varint 18446744073709551615"},
      {"1203616263", "2:bytes abc"},
      {"1200", "2:bytes "},
      {"0d0000803f", "1:float 1.000000"},
      {"09000000000000f03f", "1:double 1.000000"},
      {"f8ffffff0f01", "536870911:varint 1"},
      {"080112016108020a00", "1:varint 1, 2:bytes a, 1:varint 2, 1:bytes "},
  };
  for (const Good& each : cases) {
    const std::string bytes = hex(each.bytes);
    EXPECT_EQ(described(bytes), each.meaning) << each.bytes;
    const std::string shifted = "x" + bytes;
    EXPECT_EQ(described(std::string_view(shifted).substr(1)), each.meaning) << each.bytes << " shifted";
  }
}

struct Bad {
  const char* bytes;
  const char* message;
};

TEST(Wire, RefusesDamage) {
  const Bad cases[] = {
      {"08", "at 0x0: a number runs past the end of its message"},
      {"0880", "at 0x0: a number runs past the end of its message"},
      {"80", "at 0x0: a number runs past the end of its message"},
      {"08ffffffffffffffffffff01", "at 0x0: a variable-length number takes more than 10 bytes"},
      {"1203", "at 0x0: field 2 claims 3 bytes, but its message has only 0 left"},
      {"0800120361", "at 0x2: field 2 claims 3 bytes, but its message has only 1 left"},
      {"128580808010616263646566", "at 0x0: field 2 claims 4294967301 bytes, but its message has only 6 left"},
      {"12ffffffffffffffffff01", "at 0x0: field 2 claims 18446744073709551615 bytes, but its message has only 0 left"},
      {"0d000080", "at 0x0: a number runs past the end of its message"},
      {"09000000000000f0", "at 0x0: a number runs past the end of its message"},
      {"0000", "at 0x0: field number 0 does not exist in protobuf"},
      {"8080808010", "at 0x0: field number 536870912 does not exist in protobuf"},
      {"0b0c", "at 0x0: field 1 is a protobuf group, which ONNX does not use"},
      {"0c", "at 0x0: field 1 is a protobuf group, which ONNX does not use"},
      {"0e", "at 0x0: field 1 has wire type 6, which does not exist"},
      {"0f", "at 0x0: field 1 has wire type 7, which does not exist"},
  };
  for (const Bad& each : cases) {
    try {
      ADD_FAILURE() << each.bytes << " was read as " << described(hex(each.bytes));
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), each.message) << each.bytes;
    }
  }
}

TEST(Wire, RefusesAnotherWireTypeThanAskedFor) {
  const std::string message = hex("0801");
  WireReader in(message);
  ASSERT_TRUE(in.next());
  EXPECT_THROW(in.bytes(), Error);
}

TEST(Wire, ReadsRepeatedNumbersPackedOrNot) {
  for (const char* bytes : {"08010802089601", "0a0401029601", "08010a03029601"}) {
    const std::string message = hex(bytes);
    std::string seen;
    for (WireReader in(message); in.next();) {
      in.each_varint([&](std::uint64_t value) { seen += std::to_string(value) + " "; });
    }
    EXPECT_EQ(seen, "1 2 150 ") << bytes;
  }
}

TEST(Wire, RefusesAPackedListWithACutElement) {
  const std::string fixed = hex("0a03000080"), varints = hex("0a020180");
  WireReader in(fixed);
  in.next();
  EXPECT_THROW(in.each_fixed<float>([](float) {}), Error);
  WireReader also(varints);
  also.next();
  EXPECT_THROW(also.each_varint([](std::uint64_t) {}), Error);
}

TEST(Wire, WritesWhatItReads) {
  std::string out;
  append_int(out, 1, -1);
  append_bytes(out, 2, "abc");
  append_float(out, 3, 1.0F);
  EXPECT_EQ(described(out), "1:varint 18446744073709551615, 2:bytes abc, 3:float 1.000000");
  EXPECT_EQ(varint_size(127), 1U);
  EXPECT_EQ(varint_size(128), 2U);
  EXPECT_EQ(varint_size(~std::uint64_t{0}), 10U);
}

TEST(Wire, GivesWholeFieldsForKeeping) {
  const std::string message = hex("0801120161");
  WireReader in(message);
  in.next();
  in.skip();
  EXPECT_EQ(in.whole_field(), std::string_view(message).substr(0, 2));
  in.next();
  in.skip();
  EXPECT_EQ(in.whole_field(), std::string_view(message).substr(2));
}

}  // namespace
}  // namespace onnxpress::format
