// What ops with bodies share: conditions, facts that hold in every iteration, and arrays collected from all of them.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The inputs of a body are: values before the carried ones (Loop's iteration number), the carried values, and values
// after them (Scan's elements). Its outputs begin with the carried values.
struct BodyFacts {
  std::vector<Fact> before, carried, after;
};

// Widens the facts of the carried values, starting with the initial ones, until another iteration changes nothing.
// Returns the facts of all outputs of the body, which then hold in every iteration; empty when they cannot be found.
std::vector<Fact> infer_iterations(Inference& in, Graph& body, BodyFacts& facts);

// Reports a contradiction and returns false when the body declares an input of another type than it gets at first.
bool require_declared_inputs(Inference& in, const Graph& body, const BodyFacts& facts);

// Sets the fact of a carried value after the last iteration; unknown dims become new symbols.
void set_carried(Inference& in, std::size_t result, Fact fact);
// Sets the fact of the outputs of all iterations, stacked along a new axis of this size.
void set_collected(Inference& in, std::size_t result, const Fact& each, std::int64_t axis, Dim count);

// Stacks the outputs of all iterations along a new axis. Without iterations the result is empty: its other dims come
// from a trial run of the body with these inputs, or are 0 when the body cannot run.
class Collector {
 public:
  explicit Collector(std::size_t outputs) : parts_(outputs) {}

  // Keeps the outputs of one iteration from `first` on; false when one of them is not an array.
  bool add(std::span<const Datum> outputs, std::size_t first);
  // Takes the shapes from the outputs of a trial run.
  void look(std::span<const Datum> outputs, std::size_t first);
  bool needs_look() const { return !parts_.empty() && parts_[0].empty(); }
  // Nullopt when the parts have different shapes. `axis` is an axis of the result.
  std::optional<Array> collected(std::size_t i, std::int64_t axis, bool backwards, const Type* declared) const;

 private:
  std::vector<std::vector<Array>> parts_;
  std::vector<Array> looked_;
};

// The condition as a bool; nullopt unless the array has one element.
std::optional<bool> truth_of(const Array& condition);

// Runs a body. False (with call.why()) when it fails or does not have the expected number of outputs.
bool run_iteration(Call& call, Graph& body, std::span<const Datum> inputs, std::size_t expected,
                   std::vector<Datum>& outputs);

}  // namespace onnxpress::ops
