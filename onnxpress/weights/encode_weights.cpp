// Finds candidates, tries all encodings on each (on all cores), and puts the chains that won into the graph.
#include "onnxpress/weights/encode_weights.h"

#include <algorithm>
#include <mutex>

#include "onnxpress/analysis/model_ops.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ir/forget_pages.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/defaults.h"
#include "onnxpress/weights/encoding.h"

namespace onnxpress::weights {

namespace {

constexpr std::uint64_t kLeastBytes = 64;  // no chain is smaller than that

struct Found {
  Value* value;
  const Tensor* tensor;
  const Encoding* encoding = nullptr;  // null: stays as it is
  Chain chain = {};
  std::uint64_t before = 0, after = 0;
};

const Tensor* tensor_of(const Value& value) {
  if (value.initializer()) return value.initializer();
  const Attribute* attribute = value.producer() ? value.producer()->attribute("value") : nullptr;
  auto* const* tensor = attribute ? std::get_if<Tensor*>(&attribute->value) : nullptr;
  return tensor ? *tensor : nullptr;
}

bool is_encodable(const Tensor& tensor) {
  const auto bytes = tensor.expected_bytes();
  return bytes && *bytes >= kLeastBytes && *bytes <= kMostFoldedBytes && !tensor.segmented && !tensor.conflicting;
}

// Whether all of its users take any value there, not only a plain initializer.
bool is_data(const Value& value, const analysis::ModelOps& ops) {
  for (const Use* use = value.first_use(); use; use = use->next()) {
    const Node& user = *use->user();
    const ops::Op* op = ops.function_of(user) ? nullptr : ops.op_of(user);
    if (!op) return false;
    const auto slot = static_cast<std::size_t>(use - user.inputs().data());
    if (ops::is_parameter(*op->schema, slot)) return false;
  }
  return true;
}

std::vector<Found> find_candidates(const Model& model, const Scopes& scopes) {
  std::vector<Found> found;
  const analysis::ModelOps ops(model);
  const auto add = [&](Value* value) {
    const Tensor* tensor = scopes.is_constant(*value) ? tensor_of(*value) : nullptr;
    if (tensor && is_encodable(*tensor) && is_data(*value, ops)) found.push_back({value, tensor});
  };
  for_each_graph(model.graph(), [&](Graph& graph) {
    for (Value* value : graph.initializers()) add(value);
    for (Node& node : graph.nodes()) {
      if (node.is("Constant") && node.output()) add(node.output());
    }
  });
  return found;
}

// The smallest chain that is smaller than the plain tensor and proved. Proving costs more than finding, so it comes
// last.
void choose(Found& found, const Model& model, const EncodeOptions& options) {
  const Candidate candidate(model, *found.tensor, found.value->name(), options.target);
  struct Offer {
    const Encoding* encoding;
    Chain chain;
    std::uint64_t bytes;
  };
  std::vector<Offer> offers;
  found.before = candidate.plain_bytes();
  for (const Encoding* encoding : all_encodings()) {
    if (options.wants && !options.wants(encoding->name)) continue;
    auto chain = encoding->find(candidate);
    if (!chain) continue;
    const std::uint64_t bytes = chain->serialized_bytes(candidate.name());
    if (bytes < found.before) offers.push_back({encoding, std::move(*chain), bytes});
  }
  std::ranges::stable_sort(offers, {}, &Offer::bytes);
  for (Offer& offer : offers) {
    if (!proves(offer.chain, candidate)) continue;
    found.encoding = offer.encoding;
    found.chain = std::move(offer.chain);
    found.after = offer.bytes;
    return;
  }
}

class Inserter {
 public:
  Inserter(Model& model, Scopes& scopes) : model_(model), scopes_(scopes), order_(model.context().node_count, 0) {
    std::uint32_t position = 0;
    for (const Node& node : model.graph().nodes()) order_[node.id()] = position++;
  }

  void insert_all(std::vector<Found>& all) {
    std::vector<Value*> plain;
    for (const Found& found : all) {
      if (found.value->initializer() && found.value->graph() == &model_.graph()) plain.push_back(found.value);
    }
    model_.graph().remove_initializers(plain);
    for (Found& found : all) insert_one(found);
  }

 private:
  void insert_one(Found& found) {
    Value* value = found.value;
    Graph& root = model_.graph();
    Node* position = first_user(*value);
    if (Node* constant = value->producer()) {
      if (constant->graph() == &root) position = constant->next();
      value->graph()->erase(*constant);
    } else if (value->graph() != &root) {
      value->graph()->remove_initializer(value);
    }
    if (value->graph() != &root) value = moved_to_root(value);
    insert(found.chain, model_, position, value);
  }

  // Chains stand in the main graph, so a value of a body is replaced by one there: of the same name, if it is the only
  // one of that name.
  Value* moved_to_root(Value* value) {
    const bool free = scopes_.definitions(value->name()) == 1;
    Value* outside = model_.graph().create_value(free ? value->name() : std::string_view());
    value->graph()->replace_uses(value, outside);
    if (!free) scopes_.forget_definition(value->name());
    return outside;
  }

  Node* first_user(const Value& value) {
    Node* first = nullptr;
    for (const Use* use = value.first_use(); use; use = use->next()) {
      Node& user = outermost(*use->user(), model_.graph());
      if (!first || order_[user.id()] < order_[first->id()]) first = &user;
    }
    return first;
  }

  Model& model_;
  Scopes& scopes_;
  std::vector<std::uint32_t> order_;  // of the main graph's nodes, by id
};

}  // namespace

std::vector<Saving> encode_weights(Model& model, const EncodeOptions& options) {
  if (!decodes_chains(options.target) || !model.training.empty()) return {};
  Scopes scopes(model);
  std::vector<Found> found = find_candidates(model, scopes);
  std::uint64_t total = 0, done = 0;
  for (const Found& each : found) total += *each.tensor->expected_bytes();
  std::mutex mutex;
  parallel_for(found.size(), [&](std::size_t i) {
    const Tensor& tensor = *found[i].tensor;
    try {
      choose(found[i], model, options);
      if (std::holds_alternative<Bytes>(tensor.content)) forget_pages(model.files, tensor, tensor.bytes().view());
    } catch (const Error&) {
      found[i].encoding = nullptr;  // cannot be read: whoever writes the model will say so
    }
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    options.progress(done += *tensor.expected_bytes(), total);
  });
  std::erase_if(found, [](const Found& each) { return !each.encoding; });
  std::vector<Saving> savings;
  for (const Found& each : found) savings.push_back({each.value->name(), each.encoding->name, each.before, each.after});
  Inserter(model, scopes).insert_all(found);
  return savings;
}

}  // namespace onnxpress::weights
