// Two profiles side by side: `profile NEW --against OLD`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/report/field_lists/profile.h"

namespace onnxpress {

struct ChangedFigure {
  std::string what;
  std::optional<std::uint64_t> before, after;

  // After / before - 1; nullopt when there was nothing before, or one is not known.
  std::optional<double> change() const;
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("what", &ChangedFigure::what, "the figure, operator or node");
    visit("before", &ChangedFigure::before, "in the other model; null if it is not there");
    visit("after", &ChangedFigure::after, "in this model; null if it is not there");
  }
};

struct ProfileDifference {
  std::string file, against;
  Count count = Count::kMac;
  std::vector<ChangedFigure> totals, ops, nodes;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &ProfileDifference::file, "this model");
    visit("against", &ProfileDifference::against, "the model that it is compared with");
    visit("count", &ProfileDifference::count, "what `count` asked for");
    visit("totals", &ProfileDifference::totals, "work, parameters, bytes and memory");
    visit("ops", &ProfileDifference::ops, "work of operators that differ, largest difference first");
    visit("nodes", &ProfileDifference::nodes,
          "work of nodes that differ or are in one model only, by name and results");
  }
};

// Nodes are matched by name or, if they have none, by the name of their first result.
ProfileDifference compare_profiles(const ProfileReport& before, const ProfileReport& after);
// The largest growth of any total, as a share: 0.02 for 2 %. Infinite if a total grows from zero.
double largest_growth(const ProfileDifference& difference);

std::string to_json(const ProfileDifference& difference);

}  // namespace onnxpress
