// One row for each target.
#include "onnxpress/tasks/shrink/shrink_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/quantize/weight_presets.h"

namespace onnxpress::tasks {

namespace {

struct Row {
  ShrinkTarget target;
  weights::Target runtime;
  WeightEncoding encoding;  // default for this target
  OptimizeFor optimize_for;
};
constexpr Row kRows[] = {
    {ShrinkTarget::kOrt, weights::Target::kOrt, WeightEncoding::kFolded, OptimizeFor::kFile},
    {ShrinkTarget::kServer, weights::Target::kOrt, WeightEncoding::kFolded, OptimizeFor::kFile},
    {ShrinkTarget::kOrtWebGpu, weights::Target::kOrtWebGpu, WeightEncoding::kFolded, OptimizeFor::kFile},
    {ShrinkTarget::kBrowser, weights::Target::kOrtWebGpu, WeightEncoding::kFolded, OptimizeFor::kBrotli},
    {ShrinkTarget::kOrtFormat, weights::Target::kOrtFormat, WeightEncoding::kDq, OptimizeFor::kFile},
    {ShrinkTarget::kPhone, weights::Target::kOrtFormat, WeightEncoding::kDq, OptimizeFor::kFile},
    {ShrinkTarget::kAny, weights::Target::kAny, WeightEncoding::kDq, OptimizeFor::kFile},
    {ShrinkTarget::kLlm, weights::Target::kOrt, WeightEncoding::kOrt, OptimizeFor::kFile},
};

const Row& row_of(ShrinkTarget target) { return *std::ranges::find(kRows, target, &Row::target); }

[[noreturn]] void refuse(ShrinkTarget target, std::string_view what, std::string_view why, std::string hint) {
  throw Error("", fmt::format("option `target={}` and {} do not work together: {}", word_of(target), what, why),
              std::move(hint));
}

// Throws Error for schemes that DequantizeLinear cannot decode in any model.
void require_dequantizable(const CompressOptions& options) {
  const auto scheme = options.encoding == WeightEncoding::kDq ? one_scheme(options) : std::nullopt;
  if (!scheme) return;
  using weights::Codes;
  const bool is_table =
      scheme->codes == Codes::kPalette || scheme->codes == Codes::kNf4 || scheme->codes == Codes::kFloat8;
  if (is_table || scheme->offset || (scheme->codes == Codes::kInteger && scheme->bits > 8))
    throw Error(
        "",
        fmt::format(
            "option `encoding=dq` cannot store '{}': DequantizeLinear takes integer codes of up to 8 bits and integer "
            "zero points",
            weights::to_string(*scheme)),
        "use int2 to int8 with sym or asym, or option `encoding=folded`");
}

void require_working(ShrinkTarget target, const CompressOptions& options) {
  require_dequantizable(options);
  const weights::Target runtime = runtime_of(target);
  const WeightEncoding encoding = *options.encoding;
  if (encoding == WeightEncoding::kFolded && runtime == weights::Target::kOrtFormat)
    refuse(target, "option `encoding=folded`", "the conversion to .ort computes the nodes and stores the floats again",
           "use option `encoding=dq`, which is kept in .ort files");
  if (encoding == WeightEncoding::kFolded && runtime == weights::Target::kAny)
    refuse(target, "option `encoding=folded`", "not every runtime computes constant nodes once, at load",
           "use option `encoding=dq`, or option `target=ort`");
  if (encoding == WeightEncoding::kOrt && runtime == weights::Target::kAny)
    refuse(target, "option `encoding=ort`", "only ONNX Runtime has MatMulNBits and GatherBlockQuantized",
           "use option `encoding=dq`, or option `target=ort`");
  const bool four_bits = options.weights == WeightPreset::kInt4 || options.scheme.starts_with("int4");
  if (encoding == WeightEncoding::kDq && runtime == weights::Target::kOrtWebGpu && four_bits)
    refuse(target, "option `encoding=dq` with 4 bits", "the WebGPU builds of ONNX Runtime Web have no 4-bit types",
           "use option `encoding=folded`");
  const bool narrow_brain = options.weights == WeightPreset::kBf16 || options.scheme.starts_with("bfloat16");
  if (runtime == weights::Target::kOrtWebGpu && narrow_brain)
    refuse(target, "bfloat16", "the WebGPU builds of ONNX Runtime Web do not have this type",
           "use option `weights=fp16`");
}

}  // namespace

weights::Target runtime_of(ShrinkTarget target) { return row_of(target).runtime; }

CompressOptions options_for(ShrinkTarget target, CompressOptions options) {
  const Row& row = row_of(target);
  if (!options.encoding) options.encoding = row.encoding;
  if (!options.optimize_for) {
    // Codes that compress well make the file itself larger, so not if the size of the file was asked for.
    const bool file_said = options.max_size > 0 || *options.encoding != WeightEncoding::kFolded;
    options.optimize_for = file_said ? OptimizeFor::kFile : row.optimize_for;
  }
  if (options.is_lossy()) require_working(target, options);
  return options;
}

}  // namespace onnxpress::tasks
