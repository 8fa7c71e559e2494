// The fields of the structs in onnxpress/quantize.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/quantize.h"
#include "onnxpress/tasks/report/field_lists/engine.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/field_lists/shrink.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<IntegerCodes> {
  static constexpr std::pair<std::string_view, IntegerCodes> kAll[] = {
      {"uint8", IntegerCodes::kUint8},
      {"int8", IntegerCodes::kInt8},
  };
};

template <>
struct Words<Bits> {
  static constexpr std::pair<std::string_view, Bits> kAll[] = {
      {"int8", Bits::kInt8},
      {"int6", Bits::kInt6},
      {"int4", Bits::kInt4},
      {"fp16", Bits::kFp16},
      {"bf16", Bits::kBf16},
      {"auto", Bits::kAuto},
  };
};

template <>
struct Words<Activations> {
  static constexpr std::pair<std::string_view, Activations> kAll[] = {
      {"float", Activations::kFloat},
      {"dynamic", Activations::kDynamic},
      {"static", Activations::kStatic},
  };
};

template <>
struct Words<IntegerLayers> {
  static constexpr std::pair<std::string_view, IntegerLayers> kAll[] = {
      {"inner", IntegerLayers::kInner},
      {"conv", IntegerLayers::kConv},
      {"all", IntegerLayers::kAll},
  };
};

template <>
struct Words<WeightEncoding> {
  static constexpr std::pair<std::string_view, WeightEncoding> kAll[] = {
      {"folded", WeightEncoding::kFolded},
      {"dq", WeightEncoding::kDq},
      {"ort", WeightEncoding::kOrt},
      {"simulate", WeightEncoding::kSimulate},
  };
};

template <>
struct Words<Compensate> {
  static constexpr std::pair<std::string_view, Compensate> kAll[] = {
      {"auto", Compensate::kAuto},
      {"on", Compensate::kOn},
      {"off", Compensate::kOff},
  };
};

template <>
struct Words<ActivationRanges> {
  static constexpr std::pair<std::string_view, ActivationRanges> kAll[] = {
      {"auto", ActivationRanges::kAuto},
      {"min-max", ActivationRanges::kMinMax},
      {"percentile", ActivationRanges::kPercentile},
      {"mse", ActivationRanges::kMse},
      {"entropy", ActivationRanges::kEntropy},
  };
};

template <>
struct Words<OptimizeFor> {
  static constexpr std::pair<std::string_view, OptimizeFor> kAll[] = {
      {"file", OptimizeFor::kFile},
      {"gzip", OptimizeFor::kGzip},
      {"brotli", OptimizeFor::kBrotli},
      {"zstd", OptimizeFor::kZstd},
  };
};

template <>
struct Fields<QuantizeOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("to", &QuantizeOptions::to, "store weights as: int8 (blocks of 128; 12 bits for the smallest tensors), int6, int4 (blocks of 32), fp16, bf16, or auto (as few bits as keep the outputs at 30 dB)");
    visit("activations", &QuantizeOptions::activations, "what layers compute with: float (default: weights are decoded to floats); dynamic: MatMul and Gemm with integers, activations rounded to 8 bits at run time; static: Conv, Gemm, MatMul, Add, Concat and pools with integers, with ranges measured in runs of the model");
    visit("quality", &QuantizeOptions::quality, "choose bits for each tensor so that every output keeps this SNR in dB, also for inputs of several kinds that were not used for the choice; with option `activations=static`, the layers that harm the outputs most stay floats");
    visit("may_miss", &QuantizeOptions::may_miss, "with option `quality` or option `to=auto`: percent of the inputs that may have less (default: none)");
    visit("max_size", &QuantizeOptions::max_size, "choose bits for each tensor so that the file gets this small");
    visit("max_download", &QuantizeOptions::max_download, "choose bits for each tensor so that the download gets this small: 15MB:brotli (default), 15MB:gzip or 15MB:zstd");
    visit("weight_quality", &QuantizeOptions::weight_quality, "choose bits for each tensor so that the weights as a whole keep this SQNR in dB; the model is not run");
    visit("max_error", &QuantizeOptions::max_error, "choose bits for each tensor so that no element is off by more than this fraction of the largest element");
    visit("best_effort", &QuantizeOptions::best_effort, "write the result even if it does not keep the quality that was asked for");
    visit("samples", &QuantizeOptions::samples, "a folder of inputs (.npz, .npy, or folders with an .npy for each input) instead of made-up ones: half of them to choose bits, the others to check the choice");
    visit("scheme", &QuantizeOptions::scheme, "how to store weights, in detail: 'int4 block=32 asym scale=mse', palette4, nf4, float8, levels=9, ... (docs/commands/quantize.md)");
    visit("recipe", &QuantizeOptions::recipe, "a file with a pattern and a scheme per line (.json: an object of them); the last one that matches counts");
    visit("save_recipe", &QuantizeOptions::save_recipe, "write the choice to this file, as a recipe");
    visit("include", &QuantizeOptions::include, "round only these: patterns (* and ?) of tensor names, node names or op types; they may name tensors that no known op takes as a weight");
    visit("exclude", &QuantizeOptions::exclude, "do not round these: patterns as for option `include`");
    visit("min_elements", &QuantizeOptions::min_elements, "leave tensors with fewer elements as they are (default 1024)");
    visit("target", &QuantizeOptions::target, "the runtime that the result is for: ort (default), ort-web-gpu (fewer types), ort-format or any (no decoding nodes); or browser, phone, server, llm, which choose how weights are stored");
    visit("encoding", &QuantizeOptions::encoding, "folded (default): nodes that ONNX Runtime computes when it loads the model; dq: DequantizeLinear; ort: MatMulNBits and GatherBlockQuantized, for less memory, where they fit; simulate: rounded floats");
    visit("optimize_for", &QuantizeOptions::optimize_for, "what to make small: the file itself (default), or the file after this compressor");
    visit("layers", &QuantizeOptions::layers, "with option `activations=dynamic`: inner (default: MatMul and Gemm, except the first and the last), conv (Conv as well) or all (also the first and the last)");
    visit("codes", &QuantizeOptions::codes, "with option `activations=dynamic`: uint8 (default): exact sums everywhere; int8: faster with VNNI, but wrong sums on x86 without it");
    visit("ranges", &QuantizeOptions::ranges, "with option `activations=static`, how ranges are chosen: min-max, percentile, mse, entropy, or auto (default: the one with the best outputs)");
    visit("compensate", &QuantizeOptions::compensate, "round weights so that their errors cancel out in the results of their layers, as recorded in runs of the model, and correct biases: on, off, or auto (default: with option `quality`, option `to=auto`, option `max_size` or option `samples`)");
    visit("freeze", &QuantizeOptions::freeze, "turn initializers that are also inputs into plain constants, so that they can be rounded, too");
    visit("weights_only", &QuantizeOptions::weights_only, "round weights and change nothing else; by default, everything else is stored as `shrink` stores it");
    visit("verify", &QuantizeOptions::verify, "run the model before and after on inputs of several kinds, and compare the outputs");
    visit("dry_run", &QuantizeOptions::dry_run, "write nothing, only report what would be saved");
    visit("", &QuantizeOptions::bindings, "");
    visit("", &QuantizeOptions::load, "");
    visit("", &QuantizeOptions::asked_engine, "");
  }
};

template <>
struct Fields<WeightLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("tensor", &WeightLine::tensor, "name of the tensor");
    visit("op", &WeightLine::op, "op that takes it as a weight; empty: no known op does");
    visit("scheme", &WeightLine::scheme, "how it is stored now");
    visit("method", &WeightLine::method, "what makes its errors matter less in the layer's results: activation-aware scales, equalization, error compensation, bias correction; empty: none of these");
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

template <>
struct Fields<OutputLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("output", &OutputLine::output, "name of the output");
    visit("snr", &OutputLine::snr, "energy of the output over that of its change, in dB; null: no change");
    visit("worst", &OutputLine::worst, "`snr` for the input where it is lowest");
    visit("cosine", &OutputLine::cosine, "cosine of the angle between the output before and after");
    visit("largest_error", &OutputLine::largest_error, "largest difference of an element");
    visit("mean_error", &OutputLine::mean_error, "mean of the differences");
    visit("top1", &OutputLine::top1, "fraction of the rows whose largest element stays at the same place; null: the output is not class scores");
  }
};

template <>
struct Fields<InputLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("kind", &InputLine::kind, "kind of the inputs (normal, image, ...), or the file of a sample");
    visit("snr", &InputLine::snr, "lowest SNR of any output for these inputs, in dB; null: no change");
    visit("output", &InputLine::output, "the output with that SNR");
    visit("inputs", &InputLine::inputs, "how many inputs of that kind there were");
    visit("checked", &InputLine::checked, "how many of them were not used for the choice");
    visit("note", &InputLine::note, "why there are no such inputs; empty if there are");
  }
};

template <>
struct Fields<CorrectedBias> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("tensor", &CorrectedBias::tensor, "name of the bias");
    visit("weight", &CorrectedBias::weight, "name of the weight");
    visit("largest_change", &CorrectedBias::largest_change, "largest difference of an element");
  }
};

template <>
struct Fields<ScaledTensor> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("tensor", &ScaledTensor::tensor, "name of the constant");
    visit("method", &ScaledTensor::method, "activation-aware scales, or equalization");
    visit("largest_change", &ScaledTensor::largest_change, "largest difference of an element, before rounding");
  }
};

template <>
struct Fields<QuantizeReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &QuantizeReport::file, "path of the input");
    visit("output", &QuantizeReport::output, "path of the result");
    visit("before", &QuantizeReport::before, "size of the input (for text and JSON: of the .onnx file it would be)");
    visit("after", &QuantizeReport::after, "size of the result");
    visit("unchanged", &QuantizeReport::unchanged, "true if the model does not get smaller; the result is then a copy");
    visit("dry_run", &QuantizeReport::dry_run, "true when nothing was written");
    visit("overridable", &QuantizeReport::overridable, "bytes of initializers that are also inputs: callers may override them, so they stay as they are without option `freeze`");
    visit("refused", &QuantizeReport::refused, "why there is no result: the requested quality is not reached, and option `best_effort` was not given; empty if there is one");
    visit("asked", &QuantizeReport::asked, "with option `quality` or option `to=auto`: the `reached` that was asked for");
    visit("reached", &QuantizeReport::reached, "SNR of the worst output for the worst input, in dB; null: not measured, or no change");
    visit("tried", &QuantizeReport::tried, "inputs that the outputs were measured on");
    visit("missed", &QuantizeReport::missed, "inputs for which some output has less than `asked`");
    visit("rounded", &QuantizeReport::rounded, "tensors in fewer bits");
    visit("kept", &QuantizeReport::kept, "weights that stayed as they are");
    visit("bits", &QuantizeReport::bits, "bits per weight over all weights");
    visit("sqnr", &QuantizeReport::sqnr, "energy of all weights over that of all errors, in dB");
    visit("download", &QuantizeReport::download, "with option `optimize_for` or option `max_download`: size of the result after that compressor");
    visit("note", &QuantizeReport::note, "what was chosen and why, where something had to be chosen");
    visit("outputs", &QuantizeReport::outputs, "how each output changed; empty: not measured");
    visit("inputs", &QuantizeReport::inputs, "how the outputs changed for each kind of input; empty: not measured");
    visit("shapes", &QuantizeReport::shapes, "made-up inputs: their types, such as `x float[1,3,128,128]`; dims that the model leaves open have a size that was chosen");
    visit("samples", &QuantizeReport::samples, "inputs from option `samples` that the model was run on; 0: made-up ones");
    visit("tensors", &QuantizeReport::tensors, "every weight, largest first");
    visit("biases", &QuantizeReport::biases, "biases that were corrected");
    visit("scaled", &QuantizeReport::scaled, "constants whose channels were scaled, which changes no result by itself");
    visit("methods", &QuantizeReport::methods, "what rounding (`weights`) and each lossless method saved, in the order in which they ran");
    visit("others", &QuantizeReport::others, "tensors that lossless methods made smaller, the largest savings first");
    visit("files", &QuantizeReport::files, "files that were written, the model first");
    visit("seconds", &QuantizeReport::seconds, "how long it took");
    visit("peak_memory", &QuantizeReport::peak_memory, "peak resident memory of the process so far, in bytes, with pages of mapped files; 0 if the system does not tell");
    visit("peak_anonymous", &QuantizeReport::peak_anonymous, "the most memory that the process had allocated during the call, in bytes, without pages of mapped files; looked up every 4 ms, so a shorter peak may be missed; 0 if the system does not tell");
  }
};

}  // namespace onnxpress
