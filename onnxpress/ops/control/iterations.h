// What ops with bodies share: conditions, facts that hold in every iteration, and arrays collected from all of them.
#pragma once

#include "onnxpress/ops/core/call.h"
#include "onnxpress/ops/core/inference.h"

namespace onnxpress::ops {

// The inputs of a body are: some that come before the carried values (Loop's iteration number), the carried values, and
// some after them (Scan's elements). Its outputs begin with the carried values.
struct BodyFacts {
  std::vector<Fact> before, carried, after;
};

// Widens the facts of the carried values, from their initial ones, until another iteration adds nothing. Returns the
// facts of all outputs of the body, which then hold in every iteration; empty when they cannot be found.
std::vector<Fact> infer_iterations(Inference& in, Graph& body, BodyFacts& facts);

// Contradicts and gives false when the body declares an input as something else than what it gets at first.
bool require_declared_inputs(Inference& in, const Graph& body, const BodyFacts& facts);

// A carried value after the last iteration; its unknown dims become symbols of their own.
void set_carried(Inference& in, std::size_t result, Fact fact);
// What all iterations made, put together along a new axis of this size.
void set_collected(Inference& in, std::size_t result, const Fact& each, std::int64_t axis, Dim count);

// The parts of all iterations along a new axis. Without iterations, an empty array: its other dims come from what the
// body makes of these inputs when it is run for a look, or are 0 when it cannot be run.
class Collector {
 public:
  explicit Collector(std::size_t outputs) : parts_(outputs) {}

  // Keeps the outputs of one iteration from `first` on; false when they are no arrays.
  bool add(std::span<const Datum> outputs, std::size_t first);
  // Of a body that was run for a look.
  void look(std::span<const Datum> outputs, std::size_t first);
  bool needs_look() const { return !parts_.empty() && parts_[0].empty(); }
  // nullopt when the parts do not fit together. `axis` counts those of the result.
  std::optional<Array> collected(std::size_t i, std::int64_t axis, bool backwards, const Type* declared) const;

 private:
  std::vector<std::vector<Array>> parts_;
  std::vector<Array> looked_;
};

// The condition in an array of one element.
std::optional<bool> truth_of(const Array& condition);

// Runs a body; false (and call.why()) when it fails or has other than the expected number of outputs.
bool run_iteration(Call& call, Graph& body, std::span<const Datum> inputs, std::size_t expected,
                   std::vector<Datum>& outputs);

}  // namespace onnxpress::ops
