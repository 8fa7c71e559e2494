// The difference between two runs in one output: none, or how far apart they are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/compare/class_agreement.h"
#include "onnxpress/compare/distance.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/ops/core/array.h"

namespace onnxpress::compare {

struct OutputDifference {
  bool same_bits = true;
  bool is_real = false;                       // both are floats, and `distance` is set
  std::string why;                            // says how kind, type or shape differ; empty when they do not
  std::uint64_t elements = 0, different = 0;  // how many were compared, and whose bits differ
  Distance distance;
  double epsilon = 0;  // of its float type
  ClassAgreement classes;

  void add(const OutputDifference& more);
  // Takes the larger of two changes of the same output, measure by measure.
  void widen(const OutputDifference& other);
};

// `classes`: the last axis holds scores of classes.
OutputDifference difference_of(const ops::Datum& right, const ops::Datum& other, bool classes = false);

// Outputs that are compared: their positions in a reference model and in another one.
using OutputPairs = std::vector<std::pair<std::size_t, std::size_t>>;

// By pair: how far the other model's outputs are from those of the reference, and whether both choose the same classes.
std::vector<OutputDifference> differences_of(const Model& reference, const OutputPairs& pairs,
                                             const std::vector<ops::Datum>& right,
                                             const std::vector<ops::Datum>& other);

// How many elements of two arrays of the same type and shape have other bits (or are other texts).
std::uint64_t different_elements(const ops::Array& a, const ops::Array& b);

// Is the difference at most a few roundings of the output, or at most `times` times `floor`, which is how much the
// reference changes after a small change? `epsilon` is that of the coarsest float type that the model computes with.
bool is_within_floor(const OutputDifference& difference, const OutputDifference& floor, double epsilon,
                     double times = 10);

}  // namespace onnxpress::compare
