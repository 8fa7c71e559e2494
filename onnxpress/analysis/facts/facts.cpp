// Facts: passes questions to the engine.
#include "onnxpress/analysis/facts/facts.h"

#include "onnxpress/analysis/facts/constants.h"
#include "onnxpress/analysis/facts/fact_engine.h"

namespace onnxpress::analysis {

using ops::Fact;

Facts::Facts(const Model& model, FactSettings settings)
    : engine_(std::make_unique<FactEngine>(model, std::move(settings))) {}

Facts::~Facts() = default;

const Fact& Facts::of(const Value& value) const { return engine_->of(value); }
ops::DimMath& Facts::dims() const { return engine_->dims(); }
const OpResolver& Facts::ops() const { return engine_->ops(); }
const std::vector<Contradiction>& Facts::contradictions() const { return engine_->contradictions(); }
const std::vector<BrokenRule>& Facts::broken_rules() const { return engine_->broken_rules(); }
const std::vector<BrokenRule>& Facts::warnings() const { return engine_->warnings(); }
const std::vector<std::string>& Facts::refused() const { return engine_->refused(); }
bool Facts::relies_on_declaration(const Value& value) const { return engine_->relies_on_declaration(value); }
bool Facts::in_call(const Node& call, const ops::AttributeScope* scope, const VisitCall& visit) const {
  return engine_->visit_call(call, scope, visit);
}
bool Facts::is_left_out(const Value& value) const { return engine_->is_left_out(value); }
void Facts::follow() { engine_->follow(); }
void Facts::update(const Node& node) { engine_->touch(node); }

std::optional<ops::Shape> Facts::shape_of(const Value& value) const {
  const Fact& fact = of(value);
  if (!fact.shape) return std::nullopt;
  return ops::resolved(dims(), *fact.shape);
}

bool Facts::is_complete(const Value& value) const {
  const Fact& fact = of(value);
  if (fact.kind == Fact::Kind::kUnknown) return false;
  if (!fact.is_tensor()) return true;
  if (fact.element == ElementType::kUndefined || !fact.shape) return false;
  for (const Dim dim : *fact.shape) {
    if (dims().resolve(dim).is_unknown()) return false;
  }
  return true;
}

std::optional<ops::Array> Facts::constant(const Value& value, std::uint64_t most) const {
  return ConstantReader(*this, engine_->constant_work()).read(value, most);
}

}  // namespace onnxpress::analysis
