// Shared by fuzz targets that take a model: promises, reading with small limits, and options from the first bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ops/core/budget.h"

namespace onnxpress::fuzz {

inline void require(bool holds, std::string_view promise, std::string_view detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s %.*s\n", static_cast<int>(promise.size()), promise.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

constexpr ops::EvaluationBudget kBudget{.live_bytes = 16 << 20, .steps = 3'000'000, .trips = 100};

// Limits are small, so that no input takes so long that the fuzzer reports a hang. The folder does not exist, because
// no external file may be opened.
inline Model read(std::string_view encoded, std::size_t most_objects = 20'000) {
  format::ReadOptions options;
  options.limits.objects = most_objects;
  options.limits.graph_depth = 32;
  return format::read_model(Bytes::borrowed(encoded), "/no/such/folder", options);
}

// An input may have a default value that does not fit its declared type; facts are only about what callers provide.
inline bool defaults_fit(const Model& model) {
  return std::ranges::all_of(model.graph().inputs(), [](const ValueInfo* input) {
    const Tensor* tensor = input->value->initializer();
    if (!tensor || !input->type || !input->type->is_tensor() || !input->type->has_shape) return true;
    return std::ranges::equal(tensor->dims, input->type->dims,
                              [](std::int64_t size, Dim dim) { return !dim.is_size() || dim.size() == size; });
  });
}

// Takes bits from the front of the input, one choice after the other; zeros after its end.
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

extern const std::size_t kOptionBytes;  // each target defines how many bytes choose its options

// Calls the target with the model that follows these bytes. Models that cannot be read are not a finding.
template <typename Target>
int try_with_options(const std::uint8_t* data, std::size_t size, const Target& target) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t front = std::min(size, kOptionBytes);
  Choices choices(input.substr(0, front));
  try {
    target(input.substr(front), choices);
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace onnxpress::fuzz
