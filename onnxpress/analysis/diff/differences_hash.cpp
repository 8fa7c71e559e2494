// Structural hashes, upwards and downwards. A collision may cause a poor match, but never a wrong answer, because
// matched nodes are compared.
#include "onnxpress/analysis/diff/differences_hash.h"

#include <xxhash.h>

#include "onnxpress/analysis/diff/differences_match.h"
#include "onnxpress/analysis/node_order.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/schema/schema_defaults.h"

namespace onnxpress::analysis {

namespace {

// Constants up to this size (axes, shapes, scales) are hashed with their content, larger ones only with type and shape,
// so that matching does not read weights.
constexpr std::uint64_t kSmallBytes = 64;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t both[2] = {a, b};
  return XXH3_64bits(both, sizeof both);
}

template <typename T>
std::uint64_t hash_list(std::span<const T> list) {
  return XXH3_64bits(list.data(), list.size_bytes());
}

std::uint64_t hash_tensor(const Tensor& tensor) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(tensor.type), hash_list(tensor.dims));
  const auto* raw = std::get_if<Bytes>(&tensor.content);
  if (raw && raw->size() <= kSmallBytes) hash = mix(hash, XXH3_64bits(raw->data(), raw->size()));
  return hash;
}

std::uint64_t hash_body(Graph& body) {
  std::uint64_t hash = 0;
  for_each_graph(body, [&hash](const Graph& graph) {
    for (const Node& node : graph.nodes()) hash = mix(hash, hash_text(node.op_type()));
  });
  return hash;
}

struct ValueHasher {
  std::uint64_t operator()(std::monostate) const { return 0; }
  std::uint64_t operator()(float value) const { return hash_list(std::span<const float>(&value, 1)); }
  std::uint64_t operator()(std::int64_t value) const { return mix(1, static_cast<std::uint64_t>(value)); }
  std::uint64_t operator()(std::string_view value) const { return hash_text(value); }
  std::uint64_t operator()(Tensor* tensor) const { return hash_tensor(*tensor); }
  std::uint64_t operator()(Graph* graph) const { return hash_body(*graph); }
  std::uint64_t operator()(SparseTensor* tensor) const { return hash_list(tensor->dims); }
  std::uint64_t operator()(const Type* type) const { return hash_text(to_string(type)); }
  std::uint64_t operator()(std::span<const float> list) const { return hash_list(list); }
  std::uint64_t operator()(std::span<const std::int64_t> list) const { return hash_list(list); }
  template <typename T>
  std::uint64_t operator()(std::span<T> list) const {
    std::uint64_t hash = list.size();
    for (const auto& each : list) hash = mix(hash, (*this)(each));
    return hash;
  }
};

std::uint64_t hash_op(const Node& node, const OpResolver& ops) {
  std::uint64_t hash = hash_text(node.op_type());
  if (!is_standard_domain(node.domain())) hash = mix(hash, hash_text(node.domain()));
  std::uint64_t attributes = 0;  // a sum, because their order does not matter
  for (const Attribute* attribute : node.attributes()) {
    if (goes_without(node, *attribute, ops)) continue;
    const std::uint64_t value =
        attribute->is_reference() ? hash_text(attribute->ref_name) : std::visit(ValueHasher(), attribute->value);
    attributes += mix(hash_text(attribute->name), value);
  }
  return mix(hash, attributes);
}

class Hasher {
 public:
  Hasher(const Graph& graph, const OpResolver& ops, const std::function<std::uint64_t(const Value&)>& token,
         std::vector<NodeHashes>& hashes)
      : graph_(graph), ops_(ops), token_(token), hashes_(hashes) {}

  void run() {
    // Nodes are sorted, except in cycles, where hashes that are not known yet count as zero.
    for (const Node& node : graph_.nodes()) {
      NodeHashes& own = hashes_[node.id()];
      own.op = hash_op(node, ops_);
      own.upstream = own.op;
      for (const Use& use : node.inputs()) own.upstream = mix(own.upstream, use.value() ? source(*use.value()) : 0);
    }
    for (const Node* node = graph_.nodes().back(); node; node = node->previous()) {
      std::uint64_t users = 0;
      for (const Value* output : node->outputs()) {
        if (output) users = mix(users, use_of(*output));
      }
      hashes_[node->id()].downstream = mix(hashes_[node->id()].op, users);
    }
  }

 private:
  // An initializer and a Constant node with the same tensor are the same source.
  std::uint64_t source(const Value& value) const {
    if (const Tensor* tensor = constant_of(value)) return hash_tensor(*tensor);
    const Node* producer = value.producer();
    if (producer && producer->graph() == &graph_) return mix(hashes_[producer->id()].upstream, value.output_index());
    return token_(value);
  }

  std::uint64_t use_of(const Value& value) const {
    std::uint64_t sum = value.is_output() ? hash_text(value.name()) : 0;
    for (const Use* use = value.first_use(); use; use = use->next()) {
      const Node* user = use->user();
      const std::uint64_t slot = use->index();
      const bool here = user->graph() == &graph_;
      const Node* at = here ? user : node_in(graph_, *user);
      if (at) sum += mix(hashes_[at->id()].downstream, here ? slot : ~slot);
    }
    return sum;
  }

  const Graph& graph_;
  const OpResolver& ops_;
  const std::function<std::uint64_t(const Value&)>& token_;
  std::vector<NodeHashes>& hashes_;
};

}  // namespace

std::uint64_t hash_text(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

void hash_nodes(const Graph& graph, const OpResolver& ops, const std::function<std::uint64_t(const Value&)>& token,
                std::vector<NodeHashes>& hashes) {
  Hasher(graph, ops, token, hashes).run();
}

bool goes_without(const Node& node, const Attribute& attribute, const OpResolver& ops) {
  const ops::Op* op = ops.plain_op_of(node);
  return op && op->schema && ops::means_the_same_as_absent(*op->schema, attribute);
}

}  // namespace onnxpress::analysis
