// EvaluationBudget: how much memory and work an evaluation may take. A few bytes of a hostile model can ask for any
// amount, so what goes beyond the budget is refused before it is allocated or begun.
//
// An evaluator counts with one EvaluationMeter and has a MeterScope open while ops run; arrays and loops that are made
// meanwhile, on that thread, are charged to it. Without a scope nothing is counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace onnxpress::ops {

struct EvaluationBudget {
  // The defaults are meant for models that one trusts.
  std::uint64_t live_bytes = std::uint64_t{16} << 30;  // all arrays at one time; weights used in place do not count
  std::uint64_t steps = 1'000'000'000'000'000;         // multiply-adds and elements made or read, over the whole run
  std::uint64_t trips = 1'000'000;                     // of one Loop

  // For a model whose weights and inputs take this many bytes: more than any real model of that size needs, and little
  // enough that a hostile file of a few kilobytes ends within seconds and half a gigabyte.
  static EvaluationBudget for_size(std::uint64_t weight_and_input_bytes);
  // For looking at a model: what constant folding and shape inference may compute on the way, in all.
  static EvaluationBudget for_folding();
};

// Steps that running a node costs in itself, however small its operands are.
inline constexpr std::uint64_t kStepsPerNode = 1000;

// Thrown inside a MeterScope only; evaluators turn it into "cannot be evaluated, because".
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

  // Throw OverBudget when there is not as much left.
  void spend(std::uint64_t steps);
  void require_bytes(std::uint64_t bytes) const;
  // Arrays outlive the evaluation that made them, so each takes and returns its bytes through the shared counter.
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
// The same for memory other than arrays; it is not counted while it lives.
void require_scratch(std::uint64_t count, std::uint64_t width);

}  // namespace onnxpress::ops
