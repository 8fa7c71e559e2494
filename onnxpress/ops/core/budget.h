// EvaluationBudget: how much memory and work an evaluation may take. A few bytes of a hostile model can ask for any
// amount, so what goes beyond the budget is refused before it is allocated or begun.
//
// An evaluator counts with one EvaluationMeter and keeps a MeterScope open while ops run; arrays and loops on that
// thread are charged to it in the meantime. Without a scope nothing is counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace onnxpress::ops {

struct EvaluationBudget {
  // The defaults are for trusted models.
  std::uint64_t live_bytes = std::uint64_t{16} << 30;  // of all arrays at one time; weights used in place do not count
  std::uint64_t steps = 1'000'000'000'000'000;         // multiply-adds and elements written or read, in the whole run
  std::uint64_t trips = 1'000'000;                     // iterations of one Loop

  // For a model whose weights and inputs take this many bytes: more than any real model of that size needs, but small
  // enough that a hostile file of a few kilobytes ends within seconds and half a gigabyte.
  static EvaluationBudget for_size(std::uint64_t weight_and_input_bytes);
  // For inspecting a model: the total that constant folding and shape inference may compute.
  static EvaluationBudget for_folding();
};

// Steps charged for running a node, however small its operands are.
inline constexpr std::uint64_t kStepsPerNode = 1000;

// Thrown only inside a MeterScope. Evaluators turn it into a message that says why the node cannot be evaluated.
class OverBudget : public std::exception {
 public:
  enum class Kind { kMemory, kSteps };
  OverBudget(Kind kind, std::string why) : kind_(kind), why_(std::move(why)) {}
  Kind kind() const { return kind_; }
  const char* what() const noexcept override { return why_.c_str(); }

 private:
  Kind kind_;
  std::string why_;
};

class EvaluationMeter {
 public:
  explicit EvaluationMeter(const EvaluationBudget& budget = {})
      : budget_(budget), live_(std::make_shared<std::atomic<std::uint64_t>>(0)) {}

  const EvaluationBudget& budget() const { return budget_; }
  std::uint64_t live_bytes() const { return live_->load(); }
  std::uint64_t steps() const { return steps_; }

  // Throw OverBudget when less than this is left.
  void spend(std::uint64_t steps);
  void require_bytes(std::uint64_t bytes) const;
  // Arrays outlive the evaluation that made them, so each adds and subtracts its bytes in a shared counter.
  const std::shared_ptr<std::atomic<std::uint64_t>>& live_counter() const { return live_; }

 private:
  EvaluationBudget budget_;
  std::shared_ptr<std::atomic<std::uint64_t>> live_;
  std::uint64_t steps_ = 0;
};

// The meter of the evaluation that runs on this thread; null when there is none.
EvaluationMeter* current_meter();

class MeterScope {
 public:
  explicit MeterScope(EvaluationMeter& meter);
  ~MeterScope();
  MeterScope(const MeterScope&) = delete;
  MeterScope& operator=(const MeterScope&) = delete;

 private:
  EvaluationMeter* outer_;
};

// For ops whose work is not proportional to their operands and results: called before the work begins. The factors are
// multiplied without overflow.
void spend_steps(std::uint64_t a, std::uint64_t b = 1, std::uint64_t c = 1);
// The same for memory other than arrays; it is checked, but not counted as live.
void require_scratch(std::uint64_t count, std::uint64_t width);

}  // namespace onnxpress::ops
