// Chooses the names that reports show.
#include "onnxpress/tasks/profile/profile_names.h"

#include <fmt/format.h>

namespace onnxpress {

std::string op_name(const Node& node) {
  return is_standard_domain(node.domain()) ? std::string(node.op_type())
                                           : fmt::format("{}.{}", node.domain(), node.op_type());
}

std::string name_of(const Node& node) {
  return std::string(node.name().empty() && node.output() ? node.output()->name() : node.name());
}

std::string type_text(const analysis::Facts& facts, const Value& value) {
  const ops::Fact& known = facts.of(value);
  if (!known.is_tensor()) return analysis::to_string(known);
  ops::Fact fact = ops::Fact::tensor(known.element);  // only what the text shows; copying the whole fact is slow
  fact.shape = facts.shape_of(value);
  return analysis::to_string(fact);
}

std::string sized_type_text(const analysis::Facts& facts, const Value& value, const ops::DimMath::SizeOf& size_of) {
  ops::Fact fact = facts.of(value);
  fact.shape = facts.shape_of(value);
  if (fact.shape) {
    for (Dim& dim : *fact.shape) {
      if (const auto size = facts.dims().value_of(dim, size_of)) dim = Dim::size(*size);
    }
  }
  return analysis::to_string(fact);
}

}  // namespace onnxpress
