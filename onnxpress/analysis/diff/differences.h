// What differs between two models, in plain words: nodes added, removed, changed or renamed, tensors with their largest
// difference, interface, functions and texts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/diff.h"
#include "onnxpress/ir/model.h"

namespace onnxpress::analysis {

inline constexpr std::size_t kChangeCount = 5;

inline constexpr std::size_t kSubjectCount = 10;

std::string_view name_of(Change change);  // "added", "removed", "changed", "renamed", "reordered"

std::string_view name_of(Subject subject);  // "model", "metadata", "input", ...

// How far apart two tensors are. Elements that are NaN on one side only have no distance.
struct TensorDistance {
  std::uint64_t elements = 0, differing = 0;
  double max_absolute = 0;  // |a - b|, for complex numbers the magnitude of the difference
  double max_relative = 0;  // |a - b| / max(|a|, |b|)
  std::uint64_t at = 0;     // linear index of the largest absolute difference
  std::uint64_t one_sided_nans = 0;
  bool has_distance = false;  // elements are numbers, and at least one pair of them differs
};

// One property of the subject that differs: "attribute 'pads'", "[0,0]" -> "[1,1]".
struct Detail {
  std::string what, before, after;
};

struct Difference {
  Change change;
  Subject subject;
  std::string where;  // body or function that contains it; empty for the main graph and the model
  std::string what;   // "node 'conv1' (Conv) #3", "input 'x'"
  std::vector<Detail> details;
  std::optional<TensorDistance> distance;
  std::vector<std::int64_t> dims;  // with a distance: the shape of the tensor
};

struct DiffSettings {
  bool names = true, docs = true, metadata = true, value_info = true, order = true;  // what to compare
  double tolerance = 0;                // tensor elements that differ by at most this are the same
  std::size_t kept_differences = 100;  // per subject; further ones are only counted
};

struct Differences {
  std::vector<Difference> kept;  // by subject, in the order above
  std::array<std::array<std::size_t, kChangeCount>, kSubjectCount> counts = {};
  std::size_t total = 0;

  bool empty() const { return total == 0; }
  std::size_t count(Subject subject, Change change) const {
    return counts[static_cast<std::size_t>(subject)][static_cast<std::size_t>(change)];
  }
};

// The changes from `before` to `after`. Reads the weights of tensors that both models have; a tensor that cannot be
// read is a difference. O(n log n) in the size of the graphs, and linear in the weights.
Differences find_differences(const Model& before, const Model& after, const DiffSettings& settings = {});

// Compares two tensors of the same shape element by element, in blocks. If their types differ, values are compared, not
// bits. Nullopt when the shapes differ, or only one of them has strings.
std::optional<TensorDistance> distance_between(const Tensor& before, const Tensor& after, double tolerance = 0);

}  // namespace onnxpress::analysis
