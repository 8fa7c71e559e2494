// The difference between two runs in one output: none, or how far apart they are.
#pragma once

#include <cstdint>
#include <string>

#include "onnxpress/compare/distance.h"
#include "onnxpress/ir/node.h"
#include "onnxpress/ir/value.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::compare {

struct OutputDifference {
  bool same_bits = true;
  bool is_real = false;                       // both are floats, and `distance` is set
  std::string why;                            // says how kind, type or shape differ; empty when they do not
  std::uint64_t elements = 0, different = 0;  // how many were compared, and whose bits differ
  Distance distance;
  double epsilon = 0;  // of its float type
  // For class scores: rows, how many have the same best class, and the sum of the shares of equal ones in the best
  // five.
  std::uint64_t rows = 0, same_best = 0;
  double same_five = 0;
  bool has_five = false;

  void add(const OutputDifference& more);
  // Takes the larger of two changes of the same output, measure by measure.
  void widen(const OutputDifference& other);
};

// `classes`: the last axis holds scores of classes.
OutputDifference difference_of(const ops::Datum& right, const ops::Datum& other, bool classes = false);

// Are these scores of classes, in the last axis? True for [rows, classes], and for results of a layer or Softmax on
// sequences.
bool has_classes(const Value& output, const ops::Array& array);

// Is the difference at most a few roundings of the output, or at most `times` times `floor`, which is how much the
// reference changes after a small change? `epsilon` is that of the coarsest float type that the model computes with.
bool is_within_floor(const OutputDifference& difference, const OutputDifference& floor, double epsilon,
                     double times = 10);

}  // namespace onnxpress::compare
