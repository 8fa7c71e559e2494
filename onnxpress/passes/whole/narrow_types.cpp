// Starts with all constants that fit, and removes those that a reader does not allow until nothing changes.
#include "onnxpress/passes/whole/narrow_types.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/passes/whole/scopes.h"

namespace onnxpress::passes {

namespace {

// Visits the elements of the wide tensor one by one.
template <typename Wide, typename Visit>
void for_each_element(std::string_view bytes, Visit&& visit) {
  for (std::size_t at = 0; at + sizeof(Wide) <= bytes.size(); at += sizeof(Wide)) {
    Wide value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    visit(value);
  }
}

template <typename Wide, typename Narrow>
bool all_fit(std::string_view bytes) {
  bool fit = true;
  for_each_element<Wide>(bytes, [&fit](Wide value) {
    if constexpr (std::is_integral_v<Wide>) {
      fit = fit && value >= std::numeric_limits<Narrow>::min() && value <= std::numeric_limits<Narrow>::max();
    } else {  // bit by bit: -0.0 must stay -0.0, and a nan may have more bits than a float can hold
      const auto back = static_cast<Wide>(static_cast<Narrow>(value));
      fit = fit && back == value && std::signbit(back) == std::signbit(value);
    }
  });
  return fit;
}

// The elements of a tensor in the narrower type, converted while they are written.
template <typename Wide, typename Narrow>
class NarrowedData : public ByteStream {
 public:
  explicit NarrowedData(Bytes wide) : wide_(std::move(wide)) {}
  std::uint64_t size() const override { return wide_.size() / sizeof(Wide) * sizeof(Narrow); }
  void produce(const std::function<void(std::string_view piece)>& take) const override {
    constexpr std::size_t kPart = std::size_t{1} << 16;
    std::string piece;
    for (std::size_t at = 0; at < wide_.size(); at += kPart) {
      piece.clear();
      for_each_element<Wide>(wide_.view().substr(at, kPart), [&piece](Wide value) {
        const auto narrow = static_cast<Narrow>(value);
        piece.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
      });
      take(piece);
    }
  }

 private:
  Bytes wide_;
};

class Narrower {
 public:
  explicit Narrower(Model& model) : model_(model), scopes_(model), ops_(model) {
    for_each_graph(model.graph(), [this](Graph& graph) {
      for (Value* value : graph.initializers()) add(value, value->initializer());
      for (const Node& node : graph.nodes()) {
        const Tensor* tensor = node.is("Constant") && node.output() ? constant_tensor(*node.output()) : nullptr;
        if (tensor) add(node.output(), tensor);
      }
    });
  }

  std::uint64_t narrow() {
    drop_forbidden();
    // Weights are read only now. One that does not fit keeps its type, and so do those that must have the same type.
    for (auto& each : narrowed_) each.second.fits = fits(each.second);
    std::erase_if(narrowed_, [](const auto& each) { return !each.second.fits; });
    drop_forbidden();
    for (Value* value : order_) {
      if (const auto found = narrowed_.find(value); found != narrowed_.end()) convert(*value, found->second);
    }
    return narrowed_.size();
  }

 private:
  struct Narrowing {
    const Tensor* tensor;
    ElementType type;
    bool fits = false;
  };

  void add(Value* value, const Tensor* tensor) {
    if (!scopes_.is_constant(*value) || scopes_.must_stay(*value) || !value->first_use()) return;
    if (tensor->type != ElementType::kInt64 && tensor->type != ElementType::kDouble) return;
    if (!tensor->expected_bytes() || tensor->segmented || tensor->conflicting) return;
    const ElementType narrow = tensor->type == ElementType::kInt64 ? ElementType::kInt32 : ElementType::kFloat;
    if (narrowed_.emplace(value, Narrowing{tensor, narrow}).second) order_.push_back(value);
  }

  void drop_forbidden() {
    const auto forbidden = [this](const auto& each) { return !all_readers_allow(*each.first, each.second); };
    while (std::erase_if(narrowed_, forbidden) > 0) {
    }
  }

  bool all_readers_allow(const Value& value, const Narrowing& wanted) const {
    for (const Use* use = value.first_use(); use; use = use->next()) {
      if (!allows(*use->user(), use->index(), wanted)) return false;
    }
    return true;
  }

  bool allows(const Node& node, std::size_t slot, const Narrowing& wanted) const {
    const ops::Op* op = ops_.function_of(node) ? nullptr : ops_.op_of(node);
    if (!op || !is_standard_domain(node.domain()) || op->has_any(ops::kHasBodies | ops::kTypeMatters)) return false;
    const ops::Formal* formal = ops::formal_at(op->schema->operands, slot);
    if (!formal || !ops::allows(*op->schema, *formal, wanted.type)) return false;
    for (const ops::Formal& result : op->schema->results) {
      if (result.type.find(formal->type) != std::string_view::npos) return false;
    }
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      const ops::Formal* other = ops::formal_at(op->schema->operands, i);
      if (i == slot || !node.input(i) || !other || other->type != formal->type) continue;
      const auto found = narrowed_.find(node.input(i));
      if (found == narrowed_.end() || found->second.type != wanted.type) return false;
    }
    return true;
  }

  static bool fits(const Narrowing& narrowing) {
    try {
      const Bytes bytes = narrowing.tensor->bytes();
      return narrowing.type == ElementType::kFloat ? all_fit<double, float>(bytes.view())
                                                   : all_fit<std::int64_t, std::int32_t>(bytes.view());
    } catch (const Error&) {
      return false;  // cannot be read; writing the model will report it
    }
  }

  static std::shared_ptr<const ByteStream> narrowed(const Narrowing& narrowing) {
    const Bytes wide = narrowing.tensor->bytes();
    if (narrowing.type == ElementType::kFloat) return std::make_shared<NarrowedData<double, float>>(wide);
    return std::make_shared<NarrowedData<std::int64_t, std::int32_t>>(wide);
  }

  void convert(Value& value, const Narrowing& narrowing) {
    Arena& arena = model_.arena();
    Tensor* tensor = make_tensor(arena, narrowing.type, narrowing.tensor->dims, narrowed(narrowing));
    tensor->changed = true;
    Graph& graph = *value.graph();
    if (Node* node = value.producer()) {
      graph.set_attribute(*node, make_attribute(arena, "value", tensor));
    } else {
      graph.set_tensor(&value, tensor);
    }
    for (ValueInfo* info : graph.value_infos()) {
      if (info->value != &value || !info->type) continue;
      Type type = *info->type;
      type.element = narrowing.type;
      type.origin = {};
      graph.set_type(*info, arena.make<Type>(type));
    }
  }

  Model& model_;
  Scopes scopes_;
  analysis::OpResolver ops_;
  std::unordered_map<const Value*, Narrowing> narrowed_;
  std::vector<Value*> order_;
};

}  // namespace

std::uint64_t narrow_types(Model& model) { return model.training.empty() ? Narrower(model).narrow() : 0; }

}  // namespace onnxpress::passes
