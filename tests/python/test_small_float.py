"""Compares tests/unit/small_float_values.h, which the C++ unit test uses as its reference, with the ml_dtypes package.

Run with --write to write that file again. Bit patterns of floats are compared; all NaNs count as the same.
"""
import sys
import unittest
import zlib
from pathlib import Path

try:
    import ml_dtypes
    import numpy
except ImportError:
    print("SKIPPED: needs numpy and ml_dtypes (scripts/setup test installs them)")
    sys.exit(77)

TABLE = Path(__file__).resolve().parent.parent / "unit" / "small_float_values.h"

# Our name, the type of ml_dtypes, bits.
FORMATS = [
    ("Float16", numpy.float16, 16),
    ("Bfloat16", ml_dtypes.bfloat16, 16),
    ("Float8e4m3fn", ml_dtypes.float8_e4m3fn, 8),
    ("Float8e4m3fnuz", ml_dtypes.float8_e4m3fnuz, 8),
    ("Float8e5m2", ml_dtypes.float8_e5m2, 8),
    ("Float8e5m2fnuz", ml_dtypes.float8_e5m2fnuz, 8),
    ("Float8e8m0", ml_dtypes.float8_e8m0fnu, 8),
    ("Float6e2m3", ml_dtypes.float6_e2m3fn, 6),
    ("Float6e3m2", ml_dtypes.float6_e3m2fn, 6),
    ("Float4e2m1", ml_dtypes.float4_e2m1fn, 4),
]
QUIET_NAN = 0x7FC00000


def values(dtype, bits):
    """The float bit pattern of every value of a format, in the order of its own bit patterns."""
    patterns = numpy.arange(1 << bits, dtype=numpy.uint16 if bits == 16 else numpy.uint8)
    floats = patterns.view(dtype).astype(numpy.float32)
    result = floats.view(numpy.uint32).copy()
    result[numpy.isnan(floats)] = QUIET_NAN
    return result


def table():
    lines = [
        "// What every bit pattern of the small floating-point formats is worth, according to the ml_dtypes package.",
        "// Written by tests/python/test_small_float.py --write; the same script checks that it is up to date.",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace onnxpress::small_float_values {",
        "",
        "// clang-format off",
        "",
    ]
    for name, dtype, bits in FORMATS:
        numbers = values(dtype, bits)
        if bits == 16:
            checksum = zlib.crc32(numbers.astype("<u4").tobytes())
            lines += [f"// CRC-32 of the {1 << bits} floats, little-endian.",
                      f"inline constexpr std::uint32_t k{name}Checksum = {checksum:#010x};", ""]
            continue
        lines.append(f"inline constexpr std::uint32_t k{name}[{1 << bits}] = {{")
        for row in range(0, len(numbers), 8):
            lines.append("    " + ", ".join(f"0x{number:08x}" for number in numbers[row:row + 8]) + ",")
        lines += ["};", ""]
    lines += ["// clang-format on", ""]
    lines.append("}  // namespace onnxpress::small_float_values")
    return "\n".join(lines) + "\n"


class SmallFloat(unittest.TestCase):
    def test_table_is_what_ml_dtypes_says(self):
        self.assertEqual(TABLE.read_text(), table(), f"run {Path(__file__).name} --write")


if __name__ == "__main__":
    if "--write" in sys.argv:
        TABLE.write_text(table())
    else:
        unittest.main()
