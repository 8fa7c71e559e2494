// Counts memory and steps, and words the message when there are too many.
#include "onnxpress/ops/core/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace onnxpress::ops {

namespace {

// Valid for one call chain of one thread, like a parameter that every op and kernel passes on.
thread_local EvaluationMeter* meter_of_thread = nullptr;

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMost : result;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }

std::string size_text(std::uint64_t bytes) {
  const auto real = static_cast<double>(bytes);
  if (bytes >= std::uint64_t{1} << 30) return fmt::format("{:.1f} GiB", real / (1 << 30));
  if (bytes >= std::uint64_t{1} << 20) return fmt::format("{:.1f} MiB", real / (1 << 20));
  return fmt::format("{} bytes", bytes);
}

}  // namespace

EvaluationBudget EvaluationBudget::for_size(std::uint64_t weight_and_input_bytes) {
  const EvaluationBudget most;
  return {.live_bytes = std::min(most.live_bytes, sum(std::uint64_t{512} << 20, product(64, weight_and_input_bytes))),
          .steps = std::min(most.steps, sum(4'000'000'000, product(30'000, weight_and_input_bytes))),
          .trips = std::min(most.trips, sum(50'000, weight_and_input_bytes))};
}

EvaluationBudget EvaluationBudget::for_folding() {
  return {.live_bytes = std::uint64_t{256} << 20, .steps = 300'000'000, .trips = 1000};
}

void EvaluationMeter::spend(std::uint64_t steps) {
  if (steps > budget_.steps - steps_)
    throw OverBudget(
        OverBudget::Kind::kSteps,
        fmt::format("it takes {:.3g} steps, but only {:.3g} of {:.3g} are left", static_cast<double>(steps),
                    static_cast<double>(budget_.steps - steps_), static_cast<double>(budget_.steps)));
  steps_ += steps;
}

void EvaluationMeter::require_bytes(std::uint64_t bytes) const {
  const std::uint64_t live = live_bytes();
  if (bytes > budget_.live_bytes || live > budget_.live_bytes - bytes)
    throw OverBudget(OverBudget::Kind::kMemory,
                     fmt::format("it needs {}, but {} of {} are already in use", size_text(bytes), size_text(live),
                                 size_text(budget_.live_bytes)));
}

EvaluationMeter* current_meter() { return meter_of_thread; }

MeterScope::MeterScope(EvaluationMeter& meter) : outer_(meter_of_thread) { meter_of_thread = &meter; }
MeterScope::~MeterScope() { meter_of_thread = outer_; }

void spend_steps(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if (EvaluationMeter* meter = current_meter()) meter->spend(product(product(a, b), c));
}

void require_scratch(std::uint64_t count, std::uint64_t width) {
  if (const EvaluationMeter* meter = current_meter()) meter->require_bytes(product(count, width));
}

}  // namespace onnxpress::ops
