// Inputs of several kinds: noise, images, speech, extremes. Measurements on all of them say more about real inputs than
// one random tensor does.
#pragma once

#include <cstdint>
#include <string_view>

#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::inputs {

enum class InputKind : std::uint8_t {
  kNormal,
  kUniform,
  kImage,
  kSpeech,
  kSaturated,
  kZeros,
  kText,
  kNormalizedImage,
  kNormalizedText
};
// Kinds that any model can be run on. Images of text are only for models that take images, and normalized ones are for
// models that take floats.
inline constexpr InputKind kInputKinds[] = {InputKind::kNormal, InputKind::kUniform,   InputKind::kImage,
                                            InputKind::kSpeech, InputKind::kSaturated, InputKind::kZeros};
std::string_view name_of(InputKind kind);
bool is_image(ElementType type, const ops::Sizes& sizes);  // with one, three or four channels

struct InputStyle {
  InputKind kind = InputKind::kNormal;
  std::uint64_t seed = 0;  // where there are two choices (a branch, a range), odd seeds take the other one
};

// Floats are noise, smooth fields with edges, lines of text, harmonics with pauses, clipped noise or zeros; images
// range from 0 to 1 or from -1 to 1 (normalized ones have the mean and deviation of photographs taken out), or range to
// 255 if the graph shows that the model expects that. Bytes are the same from 0 to 255, or areas of 0 and 255 for a
// mask; 16-bit integers are samples of sound. Other integers depend on how the graph uses them: indices within the
// range of what they select, constants that they are compared with (and others), masks that begin with ones.
// `usual_size` is for lengths. Throws Error for types that cannot be generated.
ops::Array styled_input(const Value& input, ElementType type, const ops::Sizes& sizes, const InputStyle& style,
                        std::int64_t usual_size, const analysis::Facts& facts);

}  // namespace onnxpress::inputs
