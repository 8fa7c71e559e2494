// Starts with all constants that fit, and takes away those that some reader forbids until nothing changes.
#include "onnxpress/weights/narrow_types.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/ops/schema/schema_defaults.h"
#include "onnxpress/weights/lossless/converted_data.h"
#include "onnxpress/weights/scopes.h"

namespace onnxpress::weights {

namespace {

// Ops whose schema allows the narrow type but whose result, or whose kernels in ONNX Runtime, depend on it: the power
// of a float64 exponent is computed in float64, and OneHot has few combinations of types.
constexpr std::array<std::string_view, 2> kDependOnType = {"Pow", "OneHot"};

class Narrower {
 public:
  explicit Narrower(Model& model) : model_(model), scopes_(model), ops_(model) {
    for_each_graph(model.graph(), [this](Graph& graph) {
      for (Value* value : graph.initializers()) add(value, value->initializer());
      for (const Node& node : graph.nodes()) {
        const Attribute* attribute = node.is("Constant") ? node.attribute("value") : nullptr;
        auto* const* tensor = attribute ? std::get_if<Tensor*>(&attribute->value) : nullptr;
        if (tensor && node.output()) add(node.output(), *tensor);
      }
    });
  }

  std::uint64_t narrow() {
    drop_forbidden();
    // Reading weights comes late; one that does not fit keeps its type, and with it those that must have the same type.
    for (auto& [value, narrowing] : narrowed_) narrowing.fits = fits(*value, narrowing);
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
    if (!op || !is_standard_domain(node.domain()) || op->has(ops::kHasBodies)) return false;
    if (std::ranges::find(kDependOnType, node.op_type()) != kDependOnType.end()) return false;
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

  bool fits(const Value& value, const Narrowing& narrowing) const {
    try {
      const Candidate candidate(model_, *narrowing.tensor, value.name(), Target::kAny);
      using Limits = std::numeric_limits<std::int32_t>;
      return narrowing.type == ElementType::kFloat ? candidate.statistics().fits_float
                                                   : candidate.statistics().fits(Limits::min(), Limits::max());
    } catch (const Error&) {
      return false;  // cannot be read: whoever writes the model will say so
    }
  }

  void convert(Value& value, const Narrowing& narrowing) {
    const Candidate candidate(model_, *narrowing.tensor, value.name(), Target::kAny);
    Arena& arena = model_.arena();
    auto* tensor = arena.make<Tensor>();
    tensor->type = narrowing.type;
    tensor->storage = Storage::kMade;
    tensor->dims = arena.copy(narrowing.tensor->dims);
    tensor->content = std::make_shared<ConvertedData>(candidate, candidate.bytes().size() / 2,
                                                      cast_between(narrowing.tensor->type, narrowing.type));
    tensor->changed = true;
    Graph& graph = *value.graph();
    if (Node* node = value.producer()) {
      auto* attribute = arena.make<Attribute>();
      attribute->name = "value";
      attribute->type = AttributeType::kTensor;
      attribute->value = tensor;
      graph.set_attribute(*node, attribute);
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

}  // namespace onnxpress::weights
