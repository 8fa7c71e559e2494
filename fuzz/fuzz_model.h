// What fuzz targets that take a model have in common: promises, reading with small limits, choices from the first
// bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/ir/verify.h"

namespace onnxpress::fuzz {

inline void require(bool holds, std::string_view promise, std::string_view detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s %.*s\n", static_cast<int>(promise.size()), promise.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

// Small enough that no input makes the fuzzer think that we hang. The folder does not exist: nothing outside may be
// opened.
inline Model read(std::string_view encoded) {
  format::ReadOptions options;
  options.limits.objects = 20'000;
  options.limits.graph_depth = 32;
  return format::read_model(Bytes::borrowed(encoded), "/no/such/folder", options);
}

// Bits from the front of the input, one choice after the other; zeros behind the end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size() && i < sizeof(bits_); ++i)
      bits_ |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bool flag() { return below(2) == 1; }
  std::uint64_t below(std::uint64_t end) {
    const std::uint64_t chosen = bits_ % end;
    bits_ /= end;
    return chosen;
  }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace onnxpress::fuzz
