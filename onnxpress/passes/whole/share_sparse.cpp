// Groups sparse initializers by hash, compares them byte by byte, and redirects users to the first.
#include "onnxpress/passes/whole/share_sparse.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/whole/scopes.h"

namespace onnxpress::passes {

namespace {

bool same_part(const Tensor& a, const Tensor& b) {
  return a.type == b.type && std::ranges::equal(a.dims, b.dims) && a.type != ElementType::kString &&
         a.bytes().view() == b.bytes().view();
}

bool is_whole(const SparseTensor& sparse) {
  return sparse.values && sparse.indices && sparse.values->type != ElementType::kString;
}

// nullopt if it cannot be read.
std::optional<std::size_t> hash_of(const SparseTensor& sparse) {
  if (!is_whole(sparse)) return std::nullopt;
  try {
    const std::hash<std::string_view> hash;
    return hash(sparse.values->bytes().view()) * 31 + hash(sparse.indices->bytes().view());
  } catch (const Error&) {
    return std::nullopt;
  }
}

class SparseSharer {
 public:
  explicit SparseSharer(Model& model) : model_(model), scopes_(model) {}

  std::vector<Saving> share() {
    std::unordered_multimap<std::size_t, Value*> of_main;
    for_each_graph(model_.graph(), [&](Graph& graph) {
      std::unordered_multimap<std::size_t, Value*> of_body;
      auto& own = &graph == &model_.graph() ? of_main : of_body;
      for (Value* value : graph.sparse_initializers()) {
        const auto hash = value->is_input() ? std::nullopt : hash_of(*value->sparse_initializer());
        if (!hash) continue;
        Value* kept = find(own, *hash, *value);
        if (!kept && &graph != &model_.graph()) kept = find(of_main, *hash, *value);
        // A body that defines the same name itself would not see the value outside.
        const bool visible = kept && (kept->graph() == &graph || scopes_.has_own_name(*kept));
        if (visible && !scopes_.must_stay(*value) && !value->name().empty())
          redirect(*value, *kept);
        else
          own.emplace(*hash, value);
      }
    });
    for (auto& [graph, values] : unused_) graph->remove_initializers(values);
    return std::move(savings_);
  }

 private:
  static Value* find(const std::unordered_multimap<std::size_t, Value*>& among, std::size_t hash, const Value& value) {
    const auto [begin, end] = among.equal_range(hash);
    for (auto each = begin; each != end; ++each) {
      if (same_sparse(*each->second->sparse_initializer(), *value.sparse_initializer())) return each->second;
    }
    return nullptr;
  }

  void redirect(Value& value, Value& kept) {
    const SparseTensor& sparse = *value.sparse_initializer();
    savings_.push_back({value.name(), "share", sparse.values->stored_bytes() + sparse.indices->stored_bytes(), 0});
    value.graph()->replace_operands(&value, &kept);
    scopes_.remove_definition(value.name());
    unused_[value.graph()].push_back(&value);
  }

  Model& model_;
  Scopes scopes_;
  std::map<Graph*, std::vector<Value*>> unused_;
  std::vector<Saving> savings_;
};

}  // namespace

bool same_sparse(const SparseTensor& a, const SparseTensor& b) {
  return is_whole(a) && is_whole(b) && std::ranges::equal(a.dims, b.dims) && same_part(*a.values, *b.values) &&
         same_part(*a.indices, *b.indices);
}

std::vector<Saving> share_sparse(Model& model) {
  return model.training.empty() ? SparseSharer(model).share() : std::vector<Saving>();
}

}  // namespace onnxpress::passes
