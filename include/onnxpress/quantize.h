/// \file
/// Stores weights in fewer bits, with a measured loss.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/engine.h"
#include "onnxpress/files.h"
#include "onnxpress/model.h"
#include "onnxpress/shrink.h"

namespace onnxpress {

/// How symmetric codes are stored: as uint8 around 128, or as int8 around 0. The products are the same, but x86 without
/// VNNI adds pairs of uint8 * int8 in 16 bits, where they overflow.
enum class IntegerCodes : std::uint8_t {
  kUint8,  ///< around 128: exact sums everywhere
  kInt8,   ///< around 0: faster with VNNI, wrong sums on x86 without it
};

/// Kinds of numbers that weights are stored as; kAuto: as few bits for each tensor as keep the outputs at 30 dB.
enum class Bits : std::uint8_t {
  kInt8,  ///< 8 bits, in blocks of 128; 12 bits for the smallest tensors
  kInt6,  ///< 6 bits, in blocks of 32
  kInt4,  ///< 4 bits, in blocks of 32
  kFp16,  ///< float16
  kBf16,  ///< bfloat16
  kAuto,  ///< as few bits as keep the outputs at 30 dB
};

/// What layers compute with.
enum class Activations : std::uint8_t {
  kFloat,    ///< floats: weights are decoded
  kDynamic,  ///< integers; ranges are found in each run
  kStatic,   ///< integers; ranges are measured in advance
};

/// Which layers compute with integers whose activations are rounded at run time. Inner: MatMul and Gemm, except the
/// first and the last.
enum class IntegerLayers : std::uint8_t {
  kInner,  ///< MatMul and Gemm, except the first and the last
  kConv,   ///< Conv as well
  kAll,    ///< also the first and the last
};

/// What QuantizeOptions::encoding can be.
enum class WeightEncoding : std::uint8_t {
  kFolded,    ///< nodes that ONNX Runtime computes when it loads the model
  kDq,        ///< DequantizeLinear
  kOrt,       ///< MatMulNBits and GatherBlockQuantized, where they fit
  kSimulate,  ///< rounded floats
};

/// Whether weights are rounded so that their errors cancel out in the results of their layers. That takes runs of the
/// model, which record the inputs of layers.
enum class Compensate : std::uint8_t {
  kAuto,  ///< where the model is run anyway, or there are samples
  kOn,    ///< yes
  kOff,   ///< no
};

/// How the range of an activation is chosen (weights/lossy/activation_range.h). Auto tries all ways and keeps the best.
enum class ActivationRanges : std::uint8_t {
  kAuto,        ///< the way that gives the best outputs
  kMinMax,      ///< smallest and largest element
  kPercentile,  ///< without the rarest elements
  kMse,         ///< least squared error
  kEntropy,     ///< least loss of information
};

/// What QuantizeOptions::optimize_for can be.
enum class OptimizeFor : std::uint8_t {
  kFile,    ///< the file itself
  kGzip,    ///< the file after gzip
  kBrotli,  ///< the file after brotli
  kZstd,    ///< the file after zstd
};

/// Options of quantize().
struct QuantizeOptions {
  /// store weights as: int8 (blocks of 128; 12 bits for the smallest tensors), int6, int4 (blocks of 32), fp16, bf16,
  /// or auto (as few bits as keep the outputs at 30 dB)
  std::optional<Bits> to;
  /// what layers compute with: float (default: weights are decoded to floats); dynamic: MatMul and Gemm with integers,
  /// activations rounded to 8 bits at run time; static: Conv, Gemm, MatMul, Add, Concat and pools with integers, with
  /// ranges measured in runs of the model
  Activations activations = Activations::kFloat;
  /// choose bits for each tensor so that every output keeps this SNR in dB, also for inputs of several kinds that were
  /// not used for the choice; with option `activations=static`, the layers that harm the outputs most stay floats
  double quality = 0;
  /// with option `quality` or option `to=auto`: percent of the inputs that may have less (default: none)
  double may_miss = 0;
  /// choose bits for each tensor so that the file gets this small
  std::uint64_t max_size = 0;
  /// choose bits for each tensor so that the download gets this small: 15MB:brotli (default), 15MB:gzip or 15MB:zstd
  std::optional<DownloadTarget> max_download;
  /// choose bits for each tensor so that the weights as a whole keep this SQNR in dB; the model is not run
  double weight_quality = 0;
  /// choose bits for each tensor so that no element is off by more than this fraction of the largest element
  double max_error = 0;
  /// write the result even if it does not keep the quality that was asked for
  bool best_effort = false;
  /// a folder of inputs (.npz, .npy, or folders with an .npy for each input) instead of made-up ones: half of them to
  /// choose bits, the others to check the choice
  std::string samples;
  /// how to store weights, in detail: 'int4 block=32 asym scale=mse', palette4, nf4, float8, levels=9, ...
  /// (docs/commands/quantize.md)
  std::string scheme;
  /// a file with a pattern and a scheme per line (.json: an object of them); the last one that matches counts
  std::string recipe;
  /// write the choice to this file, as a recipe
  std::string save_recipe;
  /// round only these: patterns (* and ?) of tensor names, node names or op types; they may name tensors that no known
  /// op takes as a weight
  Names include;
  /// do not round these: patterns as for option `include`
  Names exclude;
  /// leave tensors with fewer elements as they are (default 1024)
  std::uint64_t min_elements = 1024;
  /// the runtime that the result is for: ort (default), ort-web-gpu (fewer types), ort-format or any (no decoding
  /// nodes); or browser, phone, server, llm, which choose how weights are stored
  ShrinkTarget target = ShrinkTarget::kOrt;
  /// folded (default): nodes that ONNX Runtime computes when it loads the model; dq: DequantizeLinear; ort: MatMulNBits
  /// and GatherBlockQuantized, for less memory, where they fit; simulate: rounded floats
  std::optional<WeightEncoding> encoding;  // not set: what the target needs
  /// what to make small: the file itself (default), or the file after this compressor
  std::optional<OptimizeFor> optimize_for;
  /// with option `activations=dynamic`: inner (default: MatMul and Gemm, except the first and the last), conv (Conv as
  /// well) or all (also the first and the last)
  IntegerLayers layers = IntegerLayers::kInner;
  /// with option `activations=dynamic`: uint8 (default): exact sums everywhere; int8: faster with VNNI, but wrong sums
  /// on x86 without it
  IntegerCodes codes = IntegerCodes::kUint8;
  /// with option `activations=static`, how ranges are chosen: min-max, percentile, mse, entropy, or auto (default: the
  /// one with the best outputs)
  ActivationRanges ranges = ActivationRanges::kAuto;
  /// round weights so that their errors cancel out in the results of their layers, as recorded in runs of the model,
  /// and correct biases: on, off, or auto (default: with option `quality`, option `to=auto`, option `max_size` or
  /// option `samples`)
  Compensate compensate = Compensate::kAuto;
  /// turn initializers that are also inputs into plain constants, so that they can be rounded, too
  bool freeze = false;
  /// round weights and change nothing else; by default, everything else is stored as `shrink` stores it
  bool weights_only = false;
  /// run the model before and after on inputs of several kinds, and compare the outputs
  bool verify = false;
  /// write nothing, only report what would be saved
  bool dry_run = false;
  /// [] its fields stand here
  BindingOptions bindings;  // of the inputs that the model is run on
  /// [] its fields stand here
  LoadOptions load;  // not used by quantize()
  /// [] its fields stand here
  EngineOptions asked_engine;                     // for commands and calls by name, which turn it into `engine`
  std::shared_ptr<const engines::Engine> engine;  ///< runs the model; null: the built-in evaluator

  /// Do layers compute with integers whose ranges are measured in advance?
  bool is_static() const { return activations == Activations::kStatic; }
  /// Do layers compute with integers whose ranges are found in each run?
  bool is_dynamic() const { return activations == Activations::kDynamic; }
  /// Is it said how weights are stored that are decoded to floats for the nodes that use them?
  bool rounds_weights() const { return to || !scheme.empty() || !recipe.empty() || has_goal(); }
  /// Should the codes be easy to compress?
  bool for_download() const { return optimize_for.value_or(OptimizeFor::kFile) != OptimizeFor::kFile || max_download; }
  /// Are bits chosen for each tensor so that a goal is met?
  bool has_goal() const { return quality > 0 || weight_quality > 0 || max_error > 0 || max_size > 0 || max_download; }
};

/// How one weight is stored now, and how far off it is (QuantizeReport::tensors).
struct WeightLine {
  /// name of the tensor
  std::string tensor;
  /// op that takes it as a weight; empty: no known op does
  std::string op;
  /// how it is stored now
  std::string scheme;
  /// what makes its errors matter less in the layer's results: activation-aware scales, equalization, error
  /// compensation, bias correction; empty: none of these
  std::string method;
  /// why it was not changed; empty if it was
  std::string kept;
  /// number of elements
  std::uint64_t elements = 0;
  /// bytes it took
  std::uint64_t before = 0;
  /// bytes it takes, with scales and nodes
  std::uint64_t after = 0;
  /// `after` in bits per element
  double bits = 0;
  /// energy of the weights over that of their errors, in dB; null: no error
  std::optional<double> sqnr;
  /// largest difference of an element
  std::optional<double> largest_error;
  /// cosine of the angle between the weight before and after
  std::optional<double> cosine;
};

/// How one output changed, over all inputs that the model was run on.
struct OutputLine {
  /// name of the output
  std::string output;
  /// energy of the output over that of its change, in dB; null: no change
  std::optional<double> snr;
  /// `snr` for the input where it is lowest
  std::optional<double> worst;
  /// cosine of the angle between the output before and after
  std::optional<double> cosine;
  /// largest difference of an element
  double largest_error = 0;
  /// mean of the differences
  double mean_error = 0;
  /// fraction of the rows whose largest element stays at the same place; null: the output is not class scores
  std::optional<double> top1;
};

/// How the outputs changed for inputs of one kind, or for one sample.
struct InputLine {
  /// kind of the inputs (normal, image, ...), or the file of a sample
  std::string kind;
  /// lowest SNR of any output for these inputs, in dB; null: no change
  std::optional<double> snr;
  /// the output with that SNR
  std::string output;
  /// how many inputs of that kind there were
  std::uint64_t inputs = 0;
  /// how many of them were not used for the choice
  std::uint64_t checked = 0;
  /// why there are no such inputs; empty if there are
  std::string note;
};

/// A bias that was changed to cancel the mean error that rounding its layer's weight causes.
struct CorrectedBias {
  /// name of the bias
  std::string tensor;
  /// name of the weight
  std::string weight;
  /// largest difference of an element
  double largest_change = 0;
};

/// A constant whose channels were scaled so that it, or weights after it, can be rounded with less error.
struct ScaledTensor {
  /// name of the constant
  std::string tensor;
  /// activation-aware scales, or equalization
  std::string method;
  /// largest difference of an element, before rounding
  double largest_change = 0;
};

/// The report of quantize().
struct QuantizeReport {
  /// path of the input
  std::string file;
  /// path of the result
  std::string output;
  /// size of the input (for text and JSON: of the .onnx file it would be)
  ModelBytes before;
  /// size of the result
  ModelBytes after;
  /// true if the model does not get smaller; the result is then a copy
  bool unchanged = false;
  /// true when nothing was written
  bool dry_run = false;
  /// bytes of initializers that are also inputs: callers may override them, so they stay as they are without option
  /// `freeze`
  std::uint64_t overridable = 0;
  /// why there is no result: the requested quality is not reached, and option `best_effort` was not given; empty if
  /// there is one
  std::string refused;
  /// with option `quality` or option `to=auto`: the `reached` that was asked for
  std::optional<double> asked;
  /// SNR of the worst output for the worst input, in dB; null: not measured, or no change
  std::optional<double> reached;
  /// inputs that the outputs were measured on
  std::uint64_t tried = 0;
  /// inputs for which some output has less than `asked`
  std::uint64_t missed = 0;
  /// tensors in fewer bits
  std::uint64_t rounded = 0;
  /// weights that stayed as they are
  std::uint64_t kept = 0;
  /// bits per weight over all weights
  double bits = 0;
  /// energy of all weights over that of all errors, in dB
  std::optional<double> sqnr;
  /// with option `optimize_for` or option `max_download`: size of the result after that compressor
  std::optional<std::uint64_t> download;
  /// what was chosen and why, where something had to be chosen
  std::string note;
  /// how each output changed; empty: not measured
  std::vector<OutputLine> outputs;
  /// how the outputs changed for each kind of input; empty: not measured
  std::vector<InputLine> inputs;
  /// made-up inputs: their types, such as `x float[1,3,128,128]`; dims that the model leaves open have a size that was
  /// chosen
  std::vector<std::string> shapes;
  /// inputs from option `samples` that the model was run on; 0: made-up ones
  std::uint64_t samples = 0;
  /// every weight, largest first
  std::vector<WeightLine> tensors;
  /// biases that were corrected
  std::vector<CorrectedBias> biases;
  /// constants whose channels were scaled, which changes no result by itself
  std::vector<ScaledTensor> scaled;
  /// what rounding (`weights`) and each lossless method saved, in the order in which they ran
  std::vector<MethodLine> methods;
  /// tensors that lossless methods made smaller, the largest savings first
  std::vector<SavingLine> others;
  /// files that were written, the model first
  std::vector<WrittenFile> files;
  /// how long it took
  double seconds = 0;
  /// peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell
  std::uint64_t peak_memory = 0;
  /// the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked up
  /// every 4 ms, so a shorter peak may be missed; 0 if the system does not tell
  std::uint64_t peak_anonymous = 0;
};

/// Changes the model, checks the result against the original, and leaves the model as it was if a goal is missed; the
/// report then says why (`refused`). Throws Error for options that make no sense or cannot be met; then, too, the model
/// is as it was.
QuantizeReport quantize(Model& model, const QuantizeOptions& options,
                        const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});

/// The report as JSON: what the command prints with --json.
std::string to_json(const QuantizeReport& report);

}  // namespace onnxpress
