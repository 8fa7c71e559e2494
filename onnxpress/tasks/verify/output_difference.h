// The difference between two runs in one output: none, or how far apart they are.
#pragma once

#include <cstdint>
#include <string>

#include "onnxpress/ir/node.h"
#include "onnxpress/ir/value.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/tasks/verify/distance.h"

namespace onnxpress::tasks {

struct OutputDifference {
  bool same_bits = true;
  bool is_real = false;                       // floats, of which `distance` tells
  std::string why;                            // the kind, type or shape differs; empty when it does not
  std::uint64_t elements = 0, different = 0;  // how many were compared, and whose bits differ
  Distance distance;
  double epsilon = 0;  // of its float type
  // Of scores of classes: rows, how many have the same best class, and how many of the five best are the same.
  std::uint64_t rows = 0, same_best = 0;
  double same_five = 0;
  bool has_five = false;

  void add(const OutputDifference& more);
  // Two changes of the same output: what the larger one of them is, measure by measure.
  void widen(const OutputDifference& other);
};

// `classes`: the last axis holds scores of classes.
OutputDifference difference_of(const ops::Datum& right, const ops::Datum& other, bool classes = false);

// Scores of classes in the last axis: [rows, classes], or what a layer or a Softmax makes of sequences.
bool has_classes(const Value& output, const ops::Array& array);

// Is the difference no more than a few roundings of the output, or so many times `floor`, how much the right side
// changes by itself when something moves a little? `epsilon` is that of the coarsest float type that the model computes
// with.
bool is_within_floor(const OutputDifference& difference, const OutputDifference& floor, double epsilon,
                     double times = 10);

}  // namespace onnxpress::tasks
