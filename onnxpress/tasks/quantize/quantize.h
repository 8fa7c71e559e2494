// Stores weights in fewer bits, with a measured loss: the work behind `onnxpress shrink --weights`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/engines/engine.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/passes/integer/dynamic_ops.h"
#include "onnxpress/tasks/files/compressed_sizes.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"
#include "onnxpress/tasks/shrink/changes.h"
#include "onnxpress/weights/lossy/scheme.h"
#include "onnxpress/weights/target.h"

namespace onnxpress::tasks {

enum class WeightPreset : std::uint8_t { kInt8, kInt6, kInt4, kFp16, kBf16, kSmall, kTiny, kAuto };
template <>
struct Words<WeightPreset> {
  static constexpr std::pair<std::string_view, WeightPreset> kAll[] = {
      {"int8", WeightPreset::kInt8}, {"int6", WeightPreset::kInt6}, {"int4", WeightPreset::kInt4},
      {"fp16", WeightPreset::kFp16}, {"bf16", WeightPreset::kBf16}, {"small", WeightPreset::kSmall},
      {"tiny", WeightPreset::kTiny}, {"auto", WeightPreset::kAuto}};
};

enum class WeightEncoding : std::uint8_t { kFolded, kDq, kOrt, kSimulate };
template <>
struct Words<WeightEncoding> {
  static constexpr std::pair<std::string_view, WeightEncoding> kAll[] = {{"folded", WeightEncoding::kFolded},
                                                                         {"dq", WeightEncoding::kDq},
                                                                         {"ort", WeightEncoding::kOrt},
                                                                         {"simulate", WeightEncoding::kSimulate}};
};

// Whether weights are rounded so that their errors cancel out in the results of their layers. That takes runs of the
// model, which record the inputs of layers.
enum class Compensate : std::uint8_t { kAuto, kOn, kOff };
template <>
struct Words<Compensate> {
  static constexpr std::pair<std::string_view, Compensate> kAll[] = {
      {"auto", Compensate::kAuto}, {"on", Compensate::kOn}, {"off", Compensate::kOff}};
};

// How the range of an activation is chosen (weights/lossy/activation_range.h). Auto tries all ways and keeps the best.
enum class ActivationRanges : std::uint8_t { kAuto, kMinMax, kPercentile, kMse, kEntropy };
template <>
struct Words<ActivationRanges> {
  static constexpr std::pair<std::string_view, ActivationRanges> kAll[] = {
      {"auto", ActivationRanges::kAuto},
      {"min-max", ActivationRanges::kMinMax},
      {"percentile", ActivationRanges::kPercentile},
      {"mse", ActivationRanges::kMse},
      {"entropy", ActivationRanges::kEntropy}};
};

using passes::DynamicCodes;
template <>
struct Words<DynamicCodes> {
  static constexpr std::pair<std::string_view, DynamicCodes> kAll[] = {{"uint8", DynamicCodes::kUint8},
                                                                       {"int8", DynamicCodes::kInt8}};
};

enum class OptimizeFor : std::uint8_t { kFile, kGzip, kBrotli, kZstd };
template <>
struct Words<OptimizeFor> {
  static constexpr std::pair<std::string_view, OptimizeFor> kAll[] = {{"file", OptimizeFor::kFile},
                                                                      {"gzip", OptimizeFor::kGzip},
                                                                      {"brotli", OptimizeFor::kBrotli},
                                                                      {"zstd", OptimizeFor::kZstd}};
};

struct CompressOptions {
  static constexpr std::string_view kTitle = "Weights (lossy)";
  std::optional<WeightPreset> weights;
  std::string scheme, recipe, save_recipe, samples;
  std::optional<std::uint64_t> levels;
  std::optional<WeightEncoding> encoding;  // not set: what the target needs
  std::optional<OptimizeFor> optimize_for;
  std::uint64_t min_elements = 1024;
  Names include, exclude;
  double quality = 0, may_miss = 0, weight_quality = 0, max_error = 0;
  std::uint64_t max_size = 0;
  std::optional<DownloadTarget> max_download;
  bool dynamic = false, dynamic_conv = false, dynamic_all = false;
  DynamicCodes dynamic_codes = DynamicCodes::kUint8;
  bool is_static = false;
  ActivationRanges ranges = ActivationRanges::kAuto;
  Compensate compensate = Compensate::kAuto;
  bool measure = false, best_effort = false;
  BindingOptions bindings;                        // of the inputs that the model is run on
  std::shared_ptr<const engines::Engine> engine;  // runs the model; null: the built-in evaluator. shrink() sets it.

  // Are weights stored in fewer bits at all?
  bool is_lossy() const { return rounds_weights() || wants_dynamic() || is_static; }
  bool wants_dynamic() const { return dynamic || dynamic_conv || dynamic_all; }
  // Are weights stored in fewer bits, but decoded to floats for the nodes that use them?
  bool rounds_weights() const { return weights || !scheme.empty() || !recipe.empty() || levels || has_goal(); }
  // Should the codes be easy to compress?
  bool for_download() const { return optimize_for.value_or(OptimizeFor::kFile) != OptimizeFor::kFile || max_download; }
  // Are bits chosen for each tensor so that a goal is met?
  bool has_goal() const { return quality > 0 || weight_quality > 0 || max_error > 0 || max_size > 0 || max_download; }

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("weights", &CompressOptions::weights,
          "store weights in fewer bits: int8 (blocks of 128; 12 bits for the smallest tensors), int6, int4 (blocks of "
          "32), fp16, bf16, small, tiny, or auto (as few as keep the outputs at 30 dB)");
    visit("scheme", &CompressOptions::scheme,
          "how to store weights, in detail: 'int4 block=32 asym scale=mse', palette4, nf4, float8, ... "
          "(docs/weights.md)");
    visit("levels", &CompressOptions::levels,
          "round weights to this many evenly spaced values per tensor, from the smallest to the largest");
    visit("encoding", &CompressOptions::encoding,
          "folded (default): nodes that ONNX Runtime computes when it loads the model; dq: DequantizeLinear; ort: "
          "MatMulNBits and GatherBlockQuantized, for less memory, where they fit; simulate: "
          "rounded floats");
    visit("optimize_for", &CompressOptions::optimize_for,
          "what to make small: the file itself (default), or the file after this compressor");
    visit("min_elements", &CompressOptions::min_elements,
          "leave tensors with fewer elements as they are (default 1024)");
    visit("include", &CompressOptions::include,
          "round only these: patterns (* and ?) of tensor names, node names or op types; they may name tensors that no "
          "known op takes as a weight");
    visit("exclude", &CompressOptions::exclude, "do not round these: patterns as for option `include`");
    visit(
        "quality", &CompressOptions::quality,
        "choose bits for each tensor so that every output keeps this SNR in dB, also for inputs of several kinds that "
        "were not used for the choice");
    visit("may_miss", &CompressOptions::may_miss,
          "with option `quality` or `auto`: percent of the inputs that may have less (default: none)");
    visit("best_effort", &CompressOptions::best_effort,
          "write the result even if it does not keep the quality that was asked for");
    visit("weight_quality", &CompressOptions::weight_quality,
          "choose bits for each tensor so that the weights as a whole keep this SQNR in dB; the model is not run");
    visit("max_error", &CompressOptions::max_error,
          "choose bits for each tensor so that no element is off by more than this fraction of the largest element");
    visit("max_size", &CompressOptions::max_size, "choose bits for each tensor so that the file gets this small");
    visit("max_download", &CompressOptions::max_download,
          "choose bits for each tensor so that the download gets this small: 15MB:brotli (default), 15MB:gzip or "
          "15MB:zstd");
    visit("dynamic", &CompressOptions::dynamic,
          "compute MatMul and Gemm with integers: weights in 8 bits per channel, activations rounded to 8 bits at run "
          "time; first and last layers stay floats (docs/weights.md)");
    visit("dynamic_conv", &CompressOptions::dynamic_conv, "like option `dynamic`, for Conv as well");
    visit("dynamic_all", &CompressOptions::dynamic_all, "like option `dynamic`, for first and last layers as well");
    visit("dynamic_codes", &CompressOptions::dynamic_codes,
          "uint8 (default): exact sums everywhere; int8: faster with VNNI, but wrong sums on x86 without it");
    visit("static", &CompressOptions::is_static,
          "compute Conv, Gemm, MatMul, Add, Concat and pools with integers: weights in 8 bits per channel, activations "
          "in 8 bits with ranges measured in runs of the model, between QuantizeLinear and DequantizeLinear; with "
          "option `quality`, the layers that harm the outputs most stay floats");
    visit("ranges", &CompressOptions::ranges,
          "with option `static`, how ranges are chosen: min-max, percentile, mse, entropy, or auto (default: the one "
          "with the best outputs)");
    visit("compensate", &CompressOptions::compensate,
          "round weights so that their errors cancel out in the results of their layers, as recorded in runs of the "
          "model, and correct biases: on, off, or auto (default: with option `quality`, `auto`, `max_size` or "
          "`samples`)");
    visit("recipe", &CompressOptions::recipe,
          "a file with a pattern and a scheme per line (.json: an object of them); the last one that matches counts");
    visit("save_recipe", &CompressOptions::save_recipe, "write the choice to this file, as a recipe");
    visit(
        "samples", &CompressOptions::samples,
        "a folder of inputs (.npz, .npy, or folders with an .npy for each input) instead of made-up ones: half of them "
        "to choose bits, the others to check the choice");
    visit("measure", &CompressOptions::measure,
          "run the model before and after on inputs of several kinds, and compare the outputs");
    visit("", &CompressOptions::bindings, "");
  }
};

struct WeightLine {
  std::string tensor, op, scheme, method, kept;
  std::uint64_t elements = 0, before = 0, after = 0;
  double bits = 0;
  std::optional<double> sqnr, largest_error, cosine;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensor", &WeightLine::tensor, "name of the tensor");
    visit("op", &WeightLine::op, "op that takes it as a weight; empty: no known op does");
    visit("scheme", &WeightLine::scheme, "how it is stored now");
    visit("method", &WeightLine::method,
          "what makes its errors matter less in the layer's results: activation-aware scales, equalization, error "
          "compensation, bias correction; empty: none of these");
    visit("kept", &WeightLine::kept, "why it was not changed; empty if it was");
    visit("elements", &WeightLine::elements, "number of elements");
    visit("before", &WeightLine::before, "bytes it took");
    visit("after", &WeightLine::after, "bytes it takes, with scales and nodes");
    visit("bits", &WeightLine::bits, "`after` in bits per element");
    visit("sqnr", &WeightLine::sqnr, "energy of the weights over that of their errors, in dB; null: no error");
    visit("largest_error", &WeightLine::largest_error, "largest difference of an element");
    visit("cosine", &WeightLine::cosine, "cosine of the angle between the weight before and after");
  }
};

// How one output changed, over all inputs that the model was run on.
struct OutputLine {
  std::string output;
  std::optional<double> snr, worst, cosine, top1;
  double largest_error = 0, mean_error = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("output", &OutputLine::output, "name of the output");
    visit("snr", &OutputLine::snr, "energy of the output over that of its change, in dB; null: no change");
    visit("worst", &OutputLine::worst, "`snr` for the input where it is lowest");
    visit("cosine", &OutputLine::cosine, "cosine of the angle between the output before and after");
    visit("largest_error", &OutputLine::largest_error, "largest difference of an element");
    visit("mean_error", &OutputLine::mean_error, "mean of the differences");
    visit("top1", &OutputLine::top1,
          "fraction of the rows whose largest element stays at the same place; null: the output is not class scores");
  }
};

// How the outputs changed for inputs of one kind, or for one sample.
struct InputLine {
  std::string kind, output, note;
  std::uint64_t inputs = 0, checked = 0;
  std::optional<double> snr;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("kind", &InputLine::kind, "kind of the inputs (normal, image, ...), or the file of a sample");
    visit("snr", &InputLine::snr, "lowest SNR of any output for these inputs, in dB; null: no change");
    visit("output", &InputLine::output, "the output with that SNR");
    visit("inputs", &InputLine::inputs, "how many inputs of that kind there were");
    visit("checked", &InputLine::checked, "how many of them were not used for the choice");
    visit("note", &InputLine::note, "why there are no such inputs; empty if there are");
  }
};

// A bias that was changed to cancel the mean error that rounding its layer's weight causes.
struct CorrectedBias {
  std::string tensor, weight;
  double largest_change = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensor", &CorrectedBias::tensor, "name of the bias");
    visit("weight", &CorrectedBias::weight, "name of the weight");
    visit("largest_change", &CorrectedBias::largest_change, "largest difference of an element");
  }
};

// A constant whose channels were scaled so that it, or weights after it, can be rounded with less error.
struct ScaledTensor {
  std::string tensor, method;
  double largest_change = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensor", &ScaledTensor::tensor, "name of the constant");
    visit("method", &ScaledTensor::method, "activation-aware scales, or equalization");
    visit("largest_change", &ScaledTensor::largest_change, "largest difference of an element, before rounding");
  }
};

struct WeightReport {
  std::vector<WeightLine> tensors;
  std::uint64_t compressed = 0, kept = 0;
  double bits = 0;
  std::optional<double> sqnr, output_snr;
  std::optional<double> asked;
  std::optional<bool> kept_promise;
  std::uint64_t tried = 0, missed = 0;
  std::vector<OutputLine> outputs;
  std::vector<InputLine> inputs;
  std::vector<std::string> shapes;
  std::uint64_t samples = 0;
  std::vector<CorrectedBias> biases;
  std::vector<ScaledTensor> scaled;
  std::string note;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensors", &WeightReport::tensors, "every weight, largest first");
    visit("compressed", &WeightReport::compressed, "tensors in fewer bits");
    visit("kept", &WeightReport::kept, "weights that stayed as they are");
    visit("bits", &WeightReport::bits, "bits per weight over all weights");
    visit("sqnr", &WeightReport::sqnr, "energy of all weights over that of all errors, in dB");
    visit("output_snr", &WeightReport::output_snr,
          "SNR of the worst output for the worst input, in dB; null: not measured, or no change");
    visit("asked", &WeightReport::asked, "with option `quality` or `auto`: the `output_snr` that was asked for");
    visit(
        "kept_promise", &WeightReport::kept_promise,
        "whether `output_snr` is at least `asked`, or enough inputs have that SNR for option `may_miss`; null: nothing "
        "was asked");
    visit("tried", &WeightReport::tried, "inputs that the outputs were measured on");
    visit("missed", &WeightReport::missed, "inputs for which some output has less than `asked`");
    visit("inputs", &WeightReport::inputs, "how the outputs changed for each kind of input; empty: not measured");
    visit("outputs", &WeightReport::outputs, "how each output changed; empty: not measured");
    visit(
        "shapes", &WeightReport::shapes,
        "made-up inputs: their types, such as `x float[1,3,128,128]`; dims that the model leaves open have a size that "
        "was chosen");
    visit("samples", &WeightReport::samples, "inputs from option `samples` that the model was run on; 0: made-up ones");
    visit("biases", &WeightReport::biases, "biases that were corrected");
    visit("scaled", &WeightReport::scaled, "constants whose channels were scaled, which changes no result by itself");
    visit("note", &WeightReport::note, "what was chosen and why, where something had to be chosen");
  }
};

struct CompressedWeights {
  WeightReport report;
  Changes changes;
  std::string missed;  // why the quality that was asked for is not reached; empty if it is, or if none was asked for
};

// Changes the model, also if the quality that was asked for is missed. Throws Error for options that make no sense or
// cannot be met. Options that are not set are chosen as for ONNX Runtime (options_for() in shrink_target.h).
// `estimated_bytes` is what option `max_download` aims for: the estimated size of the compressed file (0: the size that
// was asked for).
CompressedWeights compress_weights(Model& model, const CompressOptions& options, weights::Target target,
                                   const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {},
                                   std::uint64_t estimated_bytes = 0);

}  // namespace onnxpress::tasks
