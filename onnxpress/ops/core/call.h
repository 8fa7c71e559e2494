// Call: one evaluation of one node: parameters and operands in, results out.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "onnxpress/ops/core/array.h"
#include "onnxpress/ops/core/params.h"

namespace onnxpress::ops {

class Call : public ConstantOperands {
 public:
  // Runs a body with these inputs; false (with the reason in `why`) when it cannot. Set by the evaluator, for If, Loop
  // and Scan.
  using RunBody =
      std::function<bool(Graph& body, std::span<const Datum> inputs, std::vector<Datum>& outputs, std::string& why)>;

  // `operands` holds one entry per input of the node, null for omitted ones.
  Call(const Node& node, const Op& op, std::span<const Datum* const> operands, const AttributeScope* scope = nullptr)
      : params(node, op, *this, scope), operands_(operands), results_(node.output_count()) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Params params;
  RunBody run_body;

  std::size_t operand_count() const { return operands_.size(); }
  bool has(std::size_t i) const { return i < operands_.size() && operands_[i]; }
  const Datum& datum(std::size_t i) const { return *operands_[i]; }  // has(i)
  // The array of operand i; an empty one of undefined type when it is omitted or not an array.
  const Array& array(std::size_t i) const;
  const Array& array(std::string_view name) const;  // the operand of that name in the schema

  std::size_t result_count() const { return results_.size(); }
  // Does the node use result i?
  bool wants(std::size_t i) const { return i < results_.size() && params.node().output(i); }
  void set(std::size_t i, Datum value) {
    if (i < results_.size()) results_[i] = std::move(value);
  }
  bool done(Datum only) {  // for ops with one result: `return call.done(x);`
    set(0, std::move(only));
    return true;
  }
  std::vector<Datum>& results() { return results_; }

  // Used as `return call.fail("...");`. The reason is in lower case and includes the numbers.
  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool fail_type();  // "operands of type float, int64 are not supported"
  const std::string& why() const { return why_; }

  const Array* constant(std::size_t i) const override { return has(i) ? operands_[i]->array() : nullptr; }

 private:
  std::span<const Datum* const> operands_;
  std::vector<Datum> results_;
  std::string why_;
};

}  // namespace onnxpress::ops
