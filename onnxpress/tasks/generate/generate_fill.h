// The numbers in generated weights: streams that are made while they are written, and the bits of single numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "onnxpress/ir/tensor.h"
#include "onnxpress/tasks/generate/generate.h"

namespace onnxpress {

// `count` elements. Equal arguments give equal bytes. The type must be one that can_fill() knows.
std::shared_ptr<const ByteStream> make_fill(Fill fill, ElementType type, std::uint64_t count, std::uint64_t seed);

// Types of one byte and more with plain numbers: no strings, complex, float8 or packed types.
bool can_fill(ElementType type);

// The little-endian bytes of one number in the given type: a float type (rounded to nearest) or an integer.
std::string encode_number(double number, ElementType type);

// One step of the splitmix64 generator: scatters neighbouring inputs all over the 64 bits.
constexpr std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace onnxpress
