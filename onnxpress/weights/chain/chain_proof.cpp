// Decodes a chain with the evaluator, in a small separate model, and compares bits.
#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/release_pages.h"
#include "onnxpress/weights/chain/chain.h"
#include "onnxpress/weights/chain/chain_schema.h"

namespace onnxpress::weights {

namespace {

// Does every node fit its schema, and can the target run it on the types of its operands and its result?
bool types_fit(const Model& model, const std::vector<ElementType>& types, Target target) {
  const analysis::OpResolver ops(model);
  const TypeOf type_of = [&types](const Value& value) { return types[value.id()]; };
  for (const Node& node : model.graph().nodes()) {
    const ops::Op* op = ops.op_of(node);
    if (!op || op->schema->deprecated) return false;
    if (!fits_schema(node, op, type_of)) return false;
    if (node.is("Constant")) continue;
    if (!op->has(ops::kDecodes) || !runs(target, *op, type_of(*node.output()))) return false;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (!runs(target, *op, type_of(*node.input(i)))) return false;
    }
  }
  return true;
}

bool same_bits(const ops::Array& array, const Candidate& candidate) {
  if (array.type() != candidate.type() || !std::ranges::equal(array.sizes(), candidate.dims())) return false;
  // An array has whole bytes for each element; elements of fewer bits are packed in a tensor.
  Arena arena;
  const Bytes packed = bits_of(array.type()) < 8 ? array.to_tensor(arena, {})->bytes() : Bytes();
  const std::string_view found =
      bits_of(array.type()) < 8
          ? packed.view()
          : std::string_view(reinterpret_cast<const char*>(array.bytes()), array.count() * array.width());
  if (found.size() != candidate.bytes().size()) return false;
  // Part by part, so that the whole tensor is not in memory together with the array.
  bool same = true;
  std::size_t at = 0;
  for_each_part(candidate.model().files, candidate.tensor(), candidate.bytes(), [&](std::string_view part) {
    same = same && found.substr(at, part.size()) == part;
    at += part.size();
  });
  return same;
}

}  // namespace

bool decodes_exactly(const Chain& chain, const Candidate& candidate) {
  if (chain.steps.empty()) return false;
  Model scratch = model_of(chain, candidate);
  std::vector<ElementType> types(scratch.context().value_count, ElementType::kUndefined);
  for (const Value* value : scratch.graph().initializers()) types[value->id()] = value->initializer()->type;
  // The budget is for the size of the tensor, not of the chain: a few bytes may decode to gigabytes of zeros.
  analysis::Evaluator evaluator(scratch, ops::EvaluationBudget::for_size(candidate.bytes().size()));
  evaluator.observe = [&types](const Value& value, const ops::Datum& datum) {
    if (const ops::Array* array = datum.array()) types[value.id()] = array->type();
  };
  const auto results = evaluator.run({});
  if (!results || results->size() != 1 || !results->front().array()) return false;
  return types_fit(scratch, types, candidate.target()) && same_bits(*results->front().array(), candidate);
}

}  // namespace onnxpress::weights
