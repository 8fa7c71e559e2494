// Makes synthetic models of any size: for tests, benchmarks and bug reports, where a real model is too big, secret or
// slow to get. The weights are streams that exist only while they are written, so a 100 GB model needs no memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

enum class ModelKind : std::uint8_t {
  kChain,
  kTransformer,
  kWeights,
  kSubgraphs,
  kWide,
  kConstants,
  kFunctions,
  kMasks,
  kIndices,
  kSwin,
  kTied
};

enum class Fill : std::uint8_t {
  kZeros,   // written as holes: many GB in a second, and no disk
  kRandom,  // small numbers for float types (never NaN or infinite), all bit patterns for integers
  kHalf,    // like random, but rounded to bfloat16, as in models that were trained in 16 bits and exported in 32
  kArange,  // 0, 1, 2, ..., starting again before numbers would no longer be exact in this type
  kSplat,   // a single number, repeated by a ConstantOfShape: a model of any size is a small file
};

template <>
struct Words<ModelKind> {
  static constexpr std::pair<std::string_view, ModelKind> kAll[] = {{"chain", ModelKind::kChain},
                                                                    {"transformer", ModelKind::kTransformer},
                                                                    {"weights", ModelKind::kWeights},
                                                                    {"subgraphs", ModelKind::kSubgraphs},
                                                                    {"wide", ModelKind::kWide},
                                                                    {"constants", ModelKind::kConstants},
                                                                    {"functions", ModelKind::kFunctions},
                                                                    {"masks", ModelKind::kMasks},
                                                                    {"indices", ModelKind::kIndices},
                                                                    {"swin", ModelKind::kSwin},
                                                                    {"tied", ModelKind::kTied}};
};

template <>
struct Words<Fill> {
  static constexpr std::pair<std::string_view, Fill> kAll[] = {{"zeros", Fill::kZeros},
                                                               {"random", Fill::kRandom},
                                                               {"half", Fill::kHalf},
                                                               {"arange", Fill::kArange},
                                                               {"splat", Fill::kSplat}};
};

// Plain numbers with at least one byte.
template <>
struct Words<ElementType> {
  static constexpr std::pair<std::string_view, ElementType> kAll[] = {
      {"float", ElementType::kFloat},   {"float16", ElementType::kFloat16}, {"bfloat16", ElementType::kBfloat16},
      {"double", ElementType::kDouble}, {"bool", ElementType::kBool},       {"int8", ElementType::kInt8},
      {"uint8", ElementType::kUint8},   {"int16", ElementType::kInt16},     {"uint16", ElementType::kUint16},
      {"int32", ElementType::kInt32},   {"uint32", ElementType::kUint32},   {"int64", ElementType::kInt64},
      {"uint64", ElementType::kUint64}};
};

// How large the model is. Each kind uses some of these: see model_kinds().
struct GenerateSizes {
  static constexpr std::string_view kTitle = "Size";
  std::uint64_t nodes = 1000;
  std::uint64_t layers = 4;
  std::uint64_t hidden = 64;
  std::uint64_t heads = 4;
  std::uint64_t vocab = 1000;
  std::uint64_t shared_layers = 0;
  bool duplicate_weights = false;
  std::uint64_t bytes = 1'000'000;
  std::uint64_t tensors = 4;
  std::uint64_t depth = 8;
  bool value_info = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("nodes", &GenerateSizes::nodes, "chain: nodes in a row; wide: users of the one value (default 1000)");
    visit("value_info", &GenerateSizes::value_info, "chain: declare the type of every inner value");
    visit("layers", &GenerateSizes::layers, "transformer, constants, functions, masks, swin: how many (default 4)");
    visit("hidden", &GenerateSizes::hidden,
          "transformer, constants, functions, masks, tied: width of a layer (default 64)");
    visit("heads", &GenerateSizes::heads,
          "transformer, swin: attention heads, in a transformer a divisor of the width (default 4)");
    visit("vocab", &GenerateSizes::vocab, "transformer, tied: rows of the embedding (default 1000)");
    visit("shared_layers", &GenerateSizes::shared_layers,
          "transformer: make only this many different layers and repeat them (default 0: all differ)");
    visit("duplicate_weights", &GenerateSizes::duplicate_weights,
          "transformer: store weights that layers share once per layer, as equal copies");
    visit("bytes", &GenerateSizes::bytes,
          "weights: size of all tensors, such as 10GB, rounded up to whole rows; masks, indices: size of one tensor "
          "(default 1MB)");
    visit("tensors", &GenerateSizes::tensors, "weights, indices: how many (default 4)");
    visit("depth", &GenerateSizes::depth, "subgraphs: depth of nested bodies, up to 63 (default 8)");
  }
};

struct GenerateOptions {
  ModelKind kind = ModelKind::kChain;
  std::string architecture;  // one of architectures(), instead of a kind; empty: the kind
  GenerateSizes sizes;
  std::optional<Fill> fill;
  std::uint64_t seed = 0;
  ElementType type = ElementType::kFloat;  // of weights, inputs and outputs
  std::uint64_t opset = 21;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("", &GenerateOptions::sizes, "");
    visit("fill", &GenerateOptions::fill,
          "content of the weights (default random; splat for architectures); zeros become holes, which take no disk "
          "space; splat is a single repeated number, made by ConstantOfShape nodes");
    visit("seed", &GenerateOptions::seed, "the same seed makes the same model (default 0)");
    visit("type", &GenerateOptions::type, "element type (default float); integers only for kind weights");
    visit("opset", &GenerateOptions::opset, "version of the standard operators, 17 to 28 (default 21)");
  }
};

// Describes a kind to users: what it is, and which of the sizes it uses.
struct ModelKindRow {
  ModelKind kind;
  std::string_view summary;
  std::string_view sizes;  // names of the fields of GenerateSizes, separated by blanks
};
std::span<const ModelKindRow> model_kinds();

// A real architecture, rebuilt from public facts.
struct ArchitectureRow {
  std::string_view name, summary;
};
std::span<const ArchitectureRow> architectures();

// The fill that the options ask for, or the default of the kind.
Fill fill_of(const GenerateOptions& options);

// Throws Error when the options are not valid: a size is out of range, or the kind cannot have the type.
void require_valid(const GenerateOptions& options);
// The same options give the same model, byte for byte, on every machine. Throws Error as require_valid() does.
Model generate_model(const GenerateOptions& options);

}  // namespace onnxpress
