// The table of kinds, the checks of the options, and the frame around every generated model.
#include "onnxpress/tasks/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/generate_builder.h"
#include "onnxpress/tasks/generate/generate_fill.h"

namespace onnxpress {

namespace {

struct KindBuilder {
  ModelKind kind;
  void (*build)(ModelBuilder&);
};

constexpr ModelKindRow kRows[] = {
    {ModelKind::kChain, "elementwise nodes in a row", "nodes value_info"},
    {ModelKind::kTransformer, "a decoder-like stack: embedding, attention, feed-forward, logits",
     "layers hidden heads vocab shared_layers duplicate_weights"},
    {ModelKind::kWeights, "a few weights, as large as you like, and a node to look at each", "bytes tensors"},
    {ModelKind::kSubgraphs, "If in If in If, each using values of the graphs around it", "depth"},
    {ModelKind::kWide, "one value with many users", "nodes"},
    {ModelKind::kConstants, "layers whose weights are all in Constant nodes", "layers hidden"},
    {ModelKind::kFunctions, "layers that are calls of model-local functions", "layers hidden"},
    {ModelKind::kMasks, "the attention mask of shifted windows, a copy per layer", "layers hidden bytes"},
    {ModelKind::kIndices, "gather indices that an exporter has expanded", "tensors bytes"},
    {ModelKind::kSwin, "relative position tables, spread out", "layers heads"},
    {ModelKind::kTied, "an embedding, and its transpose as the last layer", "vocab hidden"},
};

constexpr KindBuilder kBuilders[] = {
    {ModelKind::kChain, build_chain},         {ModelKind::kTransformer, build_transformer},
    {ModelKind::kWeights, build_weights},     {ModelKind::kSubgraphs, build_subgraphs},
    {ModelKind::kWide, build_wide},           {ModelKind::kConstants, build_constants},
    {ModelKind::kFunctions, build_functions}, {ModelKind::kMasks, build_masks},
    {ModelKind::kIndices, build_indices},     {ModelKind::kSwin, build_swin},
    {ModelKind::kTied, build_tied},
};

// The oldest IR version that may hold each opset, from ONNX's own table of releases.
std::int64_t ir_version_for(std::uint64_t opset) {
  constexpr std::pair<std::uint64_t, std::int64_t> kLastOpsetOfIr[] = {{18, 8},  {20, 9},  {22, 10},
                                                                       {23, 11}, {24, 12}, {27, 13}};
  for (const auto& [last, ir] : kLastOpsetOfIr) {
    if (opset <= last) return ir;
  }
  return 14;
}

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw OptionError(std::move(message), std::move(hint));
}

void require_between(std::string_view option, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  refuse(fmt::format("option `{}` is {}", option, value), fmt::format("use a number from {} to {}", least, most));
}

// Only the kind `weights` may have any type: the others compute, and ONNX Runtime computes in few types.
void require_type(const GenerateOptions& options) {
  if (!options.architecture.empty()) {
    if (can_fill(options.type) && is_float(options.type)) return;
    refuse(fmt::format("option `type={}` does not work for architectures", name_of(options.type)), "use a float type");
  }
  const bool any = options.kind == ModelKind::kWeights;
  const bool fixed = options.kind == ModelKind::kMasks || options.kind == ModelKind::kIndices ||
                     options.kind == ModelKind::kSwin || options.kind == ModelKind::kTied;
  if (fixed && options.type != ElementType::kFloat) {
    refuse(fmt::format("option `type={}` does not work for kind '{}'", name_of(options.type), word_of(options.kind)),
           "it has its own types");
  }
  if (fill_of(options) == Fill::kHalf && options.type != ElementType::kFloat && options.type != ElementType::kDouble) {
    refuse(fmt::format("option `fill=half` does not work for option `type={}`", name_of(options.type)),
           "use float or double");
  }
  if (any ? can_fill(options.type) : can_fill(options.type) && is_float(options.type)) return;
  refuse(fmt::format("option `type={}` does not work for kind '{}'", name_of(options.type), word_of(options.kind)),
         any ? "use bool, a float type from float16 to double, or an integer type from int8 to uint64"
             : "use float, float16, bfloat16 or double");
}

}  // namespace

std::span<const ModelKindRow> model_kinds() { return kRows; }

void require_valid(const GenerateOptions& options) {
  constexpr std::uint64_t kMostNodes =
      4'000'000;  // stays below format::kMaxObjects, as each node has a value, a name and a declaration
  constexpr std::uint64_t kMostLayers = 100'000, kMostWidth = 1'000'000;
  require_type(options);
  require_between("opset", options.opset, 17, 28);
  require_between("nodes", options.sizes.nodes, 1, kMostNodes);
  require_between("layers", options.sizes.layers, 1, kMostLayers);
  require_between("hidden", options.sizes.hidden, 1, kMostWidth);
  require_between("heads", options.sizes.heads, 1, kMostWidth);
  require_between("vocab", options.sizes.vocab, 1, kMostWidth * 10);
  require_between("shared_layers", options.sizes.shared_layers, 0, kMostLayers);
  require_between("bytes", options.sizes.bytes, 1, std::uint64_t{1} << 50);
  require_between("tensors", options.sizes.tensors, 1, 100'000);
  require_between("depth", options.sizes.depth, 1, format::kMaxGraphDepth - 1);  // the main graph counts
  if (options.architecture.empty() && options.kind == ModelKind::kTransformer &&
      options.sizes.hidden % options.sizes.heads != 0) {
    refuse(fmt::format("option `hidden={}` cannot be divided into {} heads", options.sizes.hidden, options.sizes.heads),
           "choose a multiple");
  }
}

Fill fill_of(const GenerateOptions& options) {
  return options.fill.value_or(options.architecture.empty() ? Fill::kRandom : Fill::kSplat);
}

Model empty_model(const GenerateOptions& options, std::string_view graph_name) {
  Model model;
  model.ir_version = ir_version_for(options.opset);
  model.producer_name = "onnxpress generate";
  model.opsets.push_back({"", static_cast<std::int64_t>(options.opset), {}});
  model.graph().set_name(model.arena().text(graph_name));
  return model;
}

Model generate_model(const GenerateOptions& options) {
  require_valid(options);
  if (!options.architecture.empty()) return build_architecture(options);
  Model model = empty_model(options, word_of(options.kind));
  ModelBuilder builder(model, options);
  for (const KindBuilder& each : kBuilders) {
    if (each.kind == options.kind) each.build(builder);
  }
  return model;
}

}  // namespace onnxpress
