// Counts the rows of scores whose best class, or best five classes, are the same in both arrays.
#include "onnxpress/compare/class_agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "onnxpress/compare/array_numbers.h"
#include "onnxpress/ir/node.h"
#include "onnxpress/ops/core/op.h"

namespace onnxpress::compare {

namespace {

constexpr std::size_t kFive = 5;

// A row of scores. Equal ones are in their order, and NaN is the worst.
template <typename Numbers>
struct Row {
  const Numbers& number;
  std::size_t begin, width;

  double score(std::size_t i) const {
    const double found = number(begin + i);
    return std::isnan(found) ? -INFINITY : found;
  }
  std::size_t best() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < width; ++i) best = score(best) < score(i) ? i : best;
    return best;
  }
  // Largest first.
  std::vector<std::size_t> best_five() const {
    std::vector<std::size_t> order(width);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t count = std::min(width, kFive);
    const auto better = [this](std::size_t a, std::size_t b) {
      const double x = score(a), y = score(b);
      return x > y || (x == y && a < b);
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), better);
    order.resize(count);
    return order;
  }
};

// Calls `compare` with both rows of scores, for each row.
template <typename Compare>
ClassAgreement by_row(const ops::Array& right, const ops::Array& other, const Compare& compare) {
  ClassAgreement found;
  if (right.count() == 0) return found;
  const auto width = static_cast<std::size_t>(right.size(right.rank() - 1));
  with_numbers(right, other, [&]<typename Numbers>(const Numbers& x, const Numbers& y) {
    for (std::size_t begin = 0; begin < right.count(); begin += width, ++found.rows)
      compare(Row<Numbers>{x, begin, width}, Row<Numbers>{y, begin, width}, found);
  });
  return found;
}

// The node that computes the first operand that is not constant; null if there is none.
const Node* computed_operand(const Node& node) {
  for (const Use& use : node.inputs()) {
    const Node* producer = use.value() ? use.value()->producer() : nullptr;
    if (producer && !producer->is("Constant")) return producer;
  }
  return nullptr;
}

}  // namespace

void ClassAgreement::add(const ClassAgreement& more) {
  rows += more.rows, same_best += more.same_best, same_five += more.same_five;
  has_five |= more.has_five;
}

std::optional<double> ClassAgreement::top1() const {
  if (rows == 0) return std::nullopt;
  return static_cast<double>(same_best) / static_cast<double>(rows);
}

std::optional<double> ClassAgreement::top5() const {
  if (!has_five) return std::nullopt;
  return same_five / static_cast<double>(rows);
}

bool has_classes(const Value& output, const ops::Array& array) {
  if (array.rank() < 1 || array.rank() > 3 || array.size(array.rank() - 1) < 2) return false;
  if (array.rank() <= 2) return true;
  const Node* node = output.producer();
  for (int depth = 0; node && depth < 4; ++depth) {
    const ops::Op* op = ops::newest_op(node->domain(), node->op_type());
    if (!op || op->has(ops::kScoresClasses)) return op != nullptr;
    if (!op->has_any(ops::kElementwise | ops::kView)) return false;
    node = computed_operand(*node);
  }
  return false;
}

ClassAgreement same_best_of(const ops::Array& right, const ops::Array& other) {
  return by_row(right, other, [](const auto& x, const auto& y, ClassAgreement& found) {
    found.same_best += x.best() == y.best() ? 1 : 0;
  });
}

ClassAgreement same_five_of(const ops::Array& right, const ops::Array& other) {
  return by_row(right, other, [](const auto& x, const auto& y, ClassAgreement& found) {
    const auto a = x.best_five(), b = y.best_five();
    found.same_best += a.front() == b.front() ? 1 : 0;
    const auto shared = std::ranges::count_if(a, [&b](std::size_t i) { return std::ranges::find(b, i) != b.end(); });
    found.same_five += static_cast<double>(shared) / static_cast<double>(a.size());
    found.has_five = x.width > kFive;
  });
}

}  // namespace onnxpress::compare
