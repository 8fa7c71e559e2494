// Walks a model and lists its weights with their places.
#include "onnxpress/analysis/tensor_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

// Typed fields take at least one byte per eight bytes of raw data (an int64 below 128). A shape that needs more is
// false.
constexpr std::uint64_t kMostBytesPerEncodedByte = 8;

std::uint64_t believable_bytes(const Tensor& tensor) {
  const auto need = tensor.expected_bytes();
  // Counting the entries of a typed field means reading it, so a plausible shape is trusted.
  const bool plausible = need && *need / kMostBytesPerEncodedByte <= tensor.origin.size();
  if (tensor.storage == Storage::kTyped && plausible) return *need;
  try {
    return tensor.stored_bytes();
  } catch (const Error&) {
    return 0;
  }
}

// Whether this attribute holds the value of a Constant: its type matches its name, and it is not a reference.
bool is_constant_value(const Attribute& attribute) {
  struct Kind {
    std::string_view name;
    AttributeType type;
  };
  constexpr Kind kKinds[] = {{"value", AttributeType::kTensor},        {"sparse_value", AttributeType::kSparseTensor},
                             {"value_float", AttributeType::kFloat},   {"value_floats", AttributeType::kFloats},
                             {"value_int", AttributeType::kInt},       {"value_ints", AttributeType::kInts},
                             {"value_string", AttributeType::kString}, {"value_strings", AttributeType::kStrings}};
  return !attribute.is_reference() && std::ranges::any_of(kKinds, [&attribute](const Kind& kind) {
    return kind.name == attribute.name && kind.type == attribute.type;
  });
}

bool has_wrong_size(const Tensor& tensor, std::uint64_t bytes) {
  if (tensor.storage == Storage::kStrings) return tensor.element_count() != tensor.strings().size();
  return tensor.expected_bytes() != bytes;
}

// Op, attribute and function names are short in real files; longer ones are cut.
std::string_view word(std::string_view text) { return text.substr(0, 80); }

class Lister {
 public:
  explicit Lister(TensorList& list) : list_(list) {}

  // The new scope's index.
  std::uint32_t add_scope(TensorScope scope) {
    list_.scopes.push_back(std::move(scope));
    return static_cast<std::uint32_t>(list_.scopes.size() - 1);
  }

  void add_graph(const Graph& graph, std::uint32_t index) {
    for (Value* value : graph.initializers()) {
      add({.tensor = value->initializer(),
           .name = value->name(),
           .role = TensorRole::kInitializer,
           .scope = index,
           .value = value});
    }
    for (const Value* value : graph.sparse_initializers()) {
      add_sparse(*value->sparse_initializer(), {.name = value->name(), .scope = index});
    }
    for (const Node& node : graph.nodes()) {
      for (const Attribute* attribute : node.attributes()) add_attribute(&node, *attribute, index);
    }
  }

  void add_attribute(const Node* node, const Attribute& attribute, std::uint32_t scope) {
    const bool constant = node && node->is("Constant") && is_constant_value(attribute);
    TensorEntry entry{.role = constant ? TensorRole::kConstant : TensorRole::kAttribute,
                      .scope = scope,
                      .node = node,
                      .attribute = &attribute};
    if (constant && node->output()) {
      entry.value = node->output();
      entry.name = entry.value->name();
    }
    const auto sparse = [&](const SparseTensor& tensor) { add_sparse(tensor, entry); };
    const auto dense = [&](const Tensor& tensor) {
      TensorEntry one = entry;
      one.tensor = &tensor;
      if (!constant) one.name = tensor.name;
      add(one);
    };
    const Attribute::Value& value = attribute.value;
    if (const auto* tensor = std::get_if<Tensor*>(&value)) dense(**tensor);
    if (const auto* tensors = std::get_if<std::span<Tensor* const>>(&value)) {
      for (const Tensor* each : *tensors) dense(*each);
    }
    if (const auto* one = std::get_if<SparseTensor*>(&value)) sparse(**one);
    if (const auto* many = std::get_if<std::span<SparseTensor* const>>(&value)) {
      for (const SparseTensor* each : *many) sparse(*each);
    }
    if (constant) {
      if (const Tensor* plain = made_from(value)) dense(*plain);
    }
    if (node) add_bodies(*node, attribute, scope);
  }

 private:
  void add(TensorEntry entry) {
    entry.elements = entry.tensor->element_count();
    entry.bytes = believable_bytes(*entry.tensor);
    entry.wrong_size = has_wrong_size(*entry.tensor, entry.bytes);
    list_.entries.push_back(entry);
  }

  void add_sparse(const SparseTensor& sparse, TensorEntry entry) {
    for (const bool values : {true, false}) {
      entry.tensor = values ? sparse.values : sparse.indices;
      entry.role = values ? TensorRole::kSparseValues : TensorRole::kSparseIndices;
      if (entry.tensor) add(entry);
    }
  }

  void add_bodies(const Node& node, const Attribute& attribute, std::uint32_t scope) {
    std::uint32_t number = 0;
    for_each_graph_in(attribute, [&](const Graph& body) {
      add_graph(body, add_scope({.parent = scope, .owner = &node, .attribute = &attribute, .number = number++}));
    });
  }

  // A tensor that refers to the content of value_float(s), value_int(s) or value_string(s); null for other types.
  const Tensor* made_from(const Attribute::Value& value) {
    if (const auto* one = std::get_if<float>(&value)) return made(ElementType::kFloat, std::span(one, 1), true);
    if (const auto* one = std::get_if<std::int64_t>(&value)) return made(ElementType::kInt64, std::span(one, 1), true);
    if (const auto* one = std::get_if<std::string_view>(&value)) return made_strings(std::span(one, 1), true);
    if (const auto* all = std::get_if<std::span<const float>>(&value)) return made(ElementType::kFloat, *all, false);
    if (const auto* all = std::get_if<std::span<const std::int64_t>>(&value))
      return made(ElementType::kInt64, *all, false);
    if (const auto* all = std::get_if<std::span<const std::string_view>>(&value)) return made_strings(*all, false);
    return nullptr;
  }

  template <typename T>
  const Tensor* made(ElementType type, std::span<const T> elements, bool scalar) {
    Tensor& tensor = made_of_length(type, elements.size(), scalar);
    tensor.storage = Storage::kRaw;
    tensor.content = Bytes::borrowed({reinterpret_cast<const char*>(elements.data()), elements.size_bytes()});
    return &tensor;
  }

  const Tensor* made_strings(std::span<const std::string_view> texts, bool scalar) {
    Tensor& tensor = made_of_length(ElementType::kString, texts.size(), scalar);
    tensor.storage = Storage::kStrings;
    tensor.content = texts;
    return &tensor;
  }

  Tensor& made_of_length(ElementType type, std::size_t length, bool scalar) {
    Tensor& tensor = list_.made.emplace_back();
    tensor.type = type;
    if (!scalar) tensor.dims = std::span(&list_.made_lengths.emplace_back(static_cast<std::int64_t>(length)), 1);
    return tensor;
  }

  TensorList& list_;
};

}  // namespace

std::string_view name_of(TensorRole role) {
  switch (role) {
    case TensorRole::kInitializer:
      return "initializer";
    case TensorRole::kSparseValues:
      return "sparse values";
    case TensorRole::kSparseIndices:
      return "sparse indices";
    case TensorRole::kConstant:
      return "Constant node";
    case TensorRole::kAttribute:
      return "attribute";
  }
  return "";
}

namespace {

// A node without a name goes by the name of its output.
std::string body_text(const TensorScope& scope) {
  const Node& owner = *scope.owner;
  const std::string_view name = owner.name().empty() && owner.output() ? owner.output()->name() : owner.name();
  constexpr std::size_t kLongestName = 120;
  std::string text = fmt::format("{}/{}", name.empty() ? word(owner.op_type()) : name.substr(0, kLongestName),
                                 word(scope.attribute->name));
  if (scope.attribute->type == AttributeType::kGraphs) text += fmt::format("[{}]", scope.number);
  return text;
}

}  // namespace

std::string scope_text(const TensorList& list, std::uint32_t scope) {
  constexpr std::size_t kShownInner = 3;
  std::vector<std::string> parts;  // innermost first
  std::size_t left_out = 0;
  while (list.scopes[scope].owner) {
    if (parts.size() < kShownInner) {
      parts.push_back(body_text(list.scopes[scope]));
    } else {
      ++left_out;
    }
    scope = list.scopes[scope].parent;
  }
  if (left_out > 0) parts.push_back(fmt::format("({} more)", left_out));
  if (!list.scopes[scope].root.empty()) parts.push_back(list.scopes[scope].root);
  return fmt::format("{}", fmt::join(parts.rbegin(), parts.rend(), "/"));
}

TensorList list_tensors(const Model& model) {
  TensorList list;
  Lister lister(list);
  lister.add_graph(model.graph(), lister.add_scope({}));
  for (const Function* function : model.functions) {
    const std::string domain = function->domain.empty() ? "" : fmt::format("{}:", word(function->domain));
    const auto scope = lister.add_scope({.root = fmt::format("function {}{}", domain, word(function->name))});
    lister.add_graph(*function->body, scope);
    for (const Attribute* attribute : function->attribute_defaults) lister.add_attribute(nullptr, *attribute, scope);
  }
  for (std::size_t i = 0; i < model.training.size(); ++i) {
    const TrainingInfo& training = *model.training[i];
    const auto add = [&](const Graph* graph, std::string_view which) {
      if (graph) lister.add_graph(*graph, lister.add_scope({.root = fmt::format("training {} {}", i, which)}));
    };
    add(training.initialization, "initialization");
    add(training.algorithm, "algorithm");
  }
  return list;
}

}  // namespace onnxpress::analysis
