// Facts: what is known about every value of a model before it runs, from one walk over the graph with the `infer` rows
// of ops/. Shapes are symbolic; small integer tensors are followed element by element; constants are folded where they
// are small.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/dim_math.h"
#include "onnxpress/ops/core/fact.h"
#include "onnxpress/ops/core/params.h"
#include "onnxpress/ops/core/shape_rules.h"

namespace onnxpress::analysis {

struct FactSettings {
  std::vector<std::pair<std::string, std::vector<Dim>>> shapes;  // of inputs, instead of what the file declares
  std::vector<std::pair<std::string, std::int64_t>> dims;        // symbols that have this size
  std::vector<std::pair<std::string, ops::Array>> values;        // inputs that always have this value
  const ops::ShapeRules* rules = nullptr;                        // of ops that we do not know; null: none
  bool trust_value_info = false;                                 // take declared types where nothing is inferred
};

// What the file declares cannot be true.
struct Contradiction {
  const Value* value;
  std::string declared, inferred;
};

class Facts {
 public:
  // Infers the whole model. Context (for symbols) is the only thing of the model that changes.
  explicit Facts(Model& model, FactSettings settings = {});
  ~Facts();
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  const ops::Fact& of(const Value& value) const;
  // The shape in terms of what was proved equal; nullopt when not even the rank is known.
  std::optional<ops::Shape> shape_of(const Value& value) const;
  ops::DimMath& dims() const { return *dims_; }
  const OpResolver& ops() const { return ops_; }

  // A tensor with a rank whose dims are all sizes or expressions; sequences and the like when their kind is known.
  bool is_complete(const Value& value) const;
  const std::vector<Contradiction>& contradictions() const { return contradictions_; }
  // Requests of the settings that do not fit the model ("'x' has 4 dims, not 3"); empty when all is well.
  const std::vector<std::string>& refused() const { return refused_; }

 private:
  using Fact = ops::Fact;

  void infer_model();
  void declare_inputs(const Graph& graph);
  void know_initializers(const Graph& graph);
  void apply_settings();
  void infer_nodes(const Graph& graph, const ops::AttributeScope* scope);
  void infer_node(const Node& node, const ops::AttributeScope* scope);
  void infer_function(const Node& node, const Function& function, const ops::AttributeScope* scope);
  std::vector<Fact> infer_body(const Graph& body, std::span<const Fact> inputs, const ops::AttributeScope* scope);
  void fold(const Node& node, const ops::Op& op, std::span<const Fact* const> operands,
            const ops::AttributeScope* scope, std::vector<Fact>& results);
  void check_declared(const Graph& graph);
  void set(const Value& value, Fact fact);

  Model& model_;
  FactSettings settings_;
  OpResolver ops_;
  std::unique_ptr<ops::DimMath> dims_;
  std::vector<Fact> facts_;     // by value id
  std::vector<bool> left_out_;  // by value id: an input of a function that the call does not give
  std::vector<Contradiction> contradictions_;
  std::vector<std::string> refused_;
  std::size_t depth_ = 0;
  std::size_t visits_ = 0, most_visits_ = 0;
};

// The declared type as a fact, with nothing assumed about dims that are not named.
ops::Fact fact_of(const Type* type);
// As types are written everywhere: "float[batch,3]", "float" (a scalar), "float[]" (any rank); "?" for nothing known.
std::string to_string(const ops::Fact& fact);

}  // namespace onnxpress::analysis
