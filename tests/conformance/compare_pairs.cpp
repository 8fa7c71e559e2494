// Runs pairs of models in our evaluator and compares their outputs bit by bit, for tests of the rewrites.
//
//   compare_pairs FILE     each line of FILE: BEFORE AFTER FOLDER, separated by tabs
//
// FOLDER has sets of inputs as the official tests do: test_data_set_*/input_*.pb. For each pair and set prints one
// line: the number of the pair, the number of the set, a word, how far the outputs are apart, `odd` if an output was
// not finite before, and where they differ. The word is `same` (every bit, but any NaN is as good as another),
// `differs`, `unfit` (the first model does not run on these inputs), or `broken` (only the second does not).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "tests/conformance/read_data.h"

namespace fs = std::filesystem;
using namespace onnxpress;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Enough for a small model, and an end to one that a mutation made large.
constexpr ops::EvaluationBudget kBudget{.live_bytes = 256 << 20, .steps = 100'000'000, .trips = 1000};

struct Difference {
  bool odd = false;     // whether a number was infinite or NaN before
  double distance = 0;  // as a share of the largest element; infinite for NaN against a number and the like
  std::string where;    // empty: every bit is the same
};

using Floats = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                             ElementType::kFloat8e4m3fn, ElementType::kFloat8e4m3fnuz, ElementType::kFloat8e5m2,
                             ElementType::kFloat8e5m2fnuz, ElementType::kFloat8e8m0, ElementType::kFloat6e2m3,
                             ElementType::kFloat6e3m2, ElementType::kFloat4e2m1>;

template <typename T>
void compare_floats(const ops::Array& before, const ops::Array& after, Difference& difference) {
  double largest = 1e-30, far = 0;
  for (std::size_t i = 0; i < before.count(); ++i) {
    const auto was = static_cast<double>(static_cast<ops::Computed<T>>(before.data<T>()[i]));
    const auto is = static_cast<double>(static_cast<ops::Computed<T>>(after.data<T>()[i]));
    difference.odd |= !std::isfinite(was);
    if (std::isfinite(was)) largest = std::max(largest, std::abs(was));
    const bool same = was == is ? std::signbit(was) == std::signbit(is) : std::isnan(was) && std::isnan(is);
    if (same) continue;
    if (difference.where.empty()) difference.where = fmt::format("element {} was {}, is {}", i, was, is);
    far = std::max(far, std::isfinite(was) && std::isfinite(is) ? std::abs(was - is) : kInfinite);
  }
  difference.distance = std::max(difference.distance, far / largest);
}

void compare(const ops::Datum& before, const ops::Datum& after, Difference& difference);

void compare_arrays(const ops::Array& before, const ops::Array& after, Difference& difference) {
  if (before.type() != after.type() || before.sizes() != after.sizes()) {
    difference = {false, kInfinite, fmt::format("it was {}, is {}", type_text(before), type_text(after))};
    return;
  }
  if (ops::dispatch(Floats(), before.type(), [&]<typename T>() { compare_floats<T>(before, after, difference); }))
    return;
  const bool same = before.is_string() ? std::ranges::equal(before.data<std::string>(), after.data<std::string>())
                                       : before.count() == 0 || std::memcmp(before.bytes(), after.bytes(),
                                                                            before.count() * before.width()) == 0;
  if (!same) difference = {false, kInfinite, fmt::format("elements of {} differ", type_text(before))};
}

void compare(const ops::Datum& before, const ops::Datum& after, Difference& difference) {
  const ops::Sequence *left = before.sequence(), *right = after.sequence();
  if (before.array() && after.array()) {
    compare_arrays(*before.array(), *after.array(), difference);
  } else if (left && right && left->size() == right->size()) {
    for (std::size_t i = 0; i < left->size(); ++i) compare((*left)[i], (*right)[i], difference);
  } else if (!before.empty() || !after.empty()) {
    difference = {false, kInfinite, fmt::format("it was {}, is {}", type_text(before), type_text(after))};
  }
}

struct Line {
  const char* word = "same";
  Difference difference;
};

Line compare_on(const Model& before, const Model& after, const fs::path& set) {
  std::vector<std::unique_ptr<Model>> holders;
  analysis::Evaluator::Inputs inputs;
  const auto declared = before.graph().inputs();
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const fs::path path = set / fmt::format("input_{}.pb", i);
    if (!fs::exists(path)) continue;
    holders.push_back(std::make_unique<Model>());
    inputs.emplace(declared[i]->value->name(), tests::read_datum(path, declared[i]->type, *holders.back()));
  }
  analysis::Evaluator first(before, kBudget), second(after, kBudget);
  const auto expected = first.run(inputs);
  if (!expected) return {"unfit", {false, 0, first.why()}};
  const auto found = second.run(inputs);
  if (!found) return {"broken", {false, kInfinite, second.why()}};
  Line line;
  for (std::size_t i = 0; i < expected->size() && line.difference.where.empty(); ++i) {
    compare((*expected)[i], (*found)[i], line.difference);
    if (line.difference.where.empty()) continue;
    line.word = "differs";
    line.difference.where = fmt::format("output {}: {}", i, line.difference.where);
  }
  return line;
}

void compare_pair(std::size_t number, const fs::path& before_path, const fs::path& after_path, const fs::path& folder) {
  const Model before = format::read_model(before_path), after = format::read_model(after_path);
  for (int set = 0;; ++set) {
    const fs::path data = folder / fmt::format("test_data_set_{}", set);
    if (!fs::is_directory(data)) break;
    Line line = compare_on(before, after, data);
    std::ranges::replace_if(
        line.difference.where, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", number, set, line.word, line.difference.distance,
               line.difference.odd ? "odd" : "", line.difference.where);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "");
  if (!in) {
    fmt::print(stderr, "usage: compare_pairs FILE\n");
    return 2;
  }
  std::string line;
  for (std::size_t number = 0; std::getline(in, line); ++number) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (second == std::string::npos) return 2;
    try {
      compare_pair(number, line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1));
    } catch (const Error& error) {
      fmt::print("{}\t0\tbroken\tinf\t\t{}\n", number, error.what());
    }
  }
}
