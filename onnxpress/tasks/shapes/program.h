// Program: the dims of a model as straight-line integer arithmetic over its symbols, without repeated steps. The shape
// engine runs it, and its generated forms are printed from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "onnxpress/ops/core/dim_math.h"

namespace onnxpress {

class Program {
 public:
  enum class Kind : std::uint8_t { kNumber, kSymbol, kAdd, kSubtract, kMultiply, kFloorDivide, kMin, kMax, kBroadcast };
  struct Step {
    Kind kind = Kind::kNumber;
    std::int64_t number = 0;  // kNumber: the number; kSymbol: the index of the symbol
    std::uint32_t a = 0, b = 0;
  };
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  explicit Program(ops::DimMath& dims) : dims_(dims) {}

  // Adds the steps that compute the dim and returns the last one; kUnknown if the dim is not known. What was parsed
  // from the text of the dim is checked against the dim itself at several sizes.
  std::uint32_t add(Dim dim);

  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<const Symbol*>& symbols() const { return symbols_; }

  // The result of every step for these sizes, in the order of the symbols; nullopt where it divides by 0 or overflows.
  std::vector<std::optional<std::int64_t>> run(const std::vector<std::int64_t>& sizes) const;

 private:
  struct Parser;
  std::uint32_t step(const Step& wanted);
  bool agrees(Dim dim, std::uint32_t found) const;

  ops::DimMath& dims_;
  std::vector<Step> steps_;
  std::vector<const Symbol*> symbols_;
  std::map<std::tuple<Kind, std::int64_t, std::uint32_t, std::uint32_t>, std::uint32_t> known_;
};

// "number", "symbol", "add", "subtract", "multiply", "floor_divide", "min", "max", "broadcast"
std::string_view name_of(Program::Kind kind);
Program::Kind kind_named(std::string_view name);  // one of those

// The result of every step for these sizes, in the order of the symbols; -1 where a step divides by 0 or overflows.
// Allocates nothing when `results` was used before.
void run_steps(const std::vector<Program::Step>& steps, const std::vector<std::int64_t>& sizes,
               std::vector<std::int64_t>& results);

}  // namespace onnxpress
