// How often two models choose the same classes, for outputs that are scores of classes.
#pragma once

#include <cstdint>
#include <optional>

#include "onnxpress/ir/value.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::compare {

struct ClassAgreement {
  std::uint64_t rows = 0, same_best = 0;  // rows of scores, and those with the same best class
  double same_five = 0;                   // sum over the rows: the share of the best five that both have
  bool has_five = false;                  // there are more than five classes, and the best five were compared

  void add(const ClassAgreement& more);
  std::optional<double> top1() const;  // nullopt when there are no rows
  std::optional<double> top5() const;
};

// Are these scores of classes, in the last axis? True for [rows, classes], and for results of a layer or Softmax on
// sequences.
bool has_classes(const Value& output, const ops::Array& array);

// Compares the best class of each row. Both arrays have the same shape and type, and scores of classes in the last
// axis.
ClassAgreement same_best_of(const ops::Array& right, const ops::Array& other);
// The same, and the best five.
ClassAgreement same_five_of(const ops::Array& right, const ops::Array& other);

}  // namespace onnxpress::compare
