// Finds the smallest choice of forms that reaches a quality on given inputs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "onnxpress/tasks/quantize/weight_plan.h"

namespace onnxpress {

// How a choice is tried.
struct ChoiceTrials {
  std::function<double(const std::vector<std::size_t>& probes)> measure;  // the quality on these inputs, in dB
  std::function<bool()> may_go_on;                                        // false if enough work was done
  std::function<double()> near;                                           // dB above the aim that are near enough
};

// One number controls the search: the harm that the sensitivities predict. The measured outputs say how to change it.
class ChoiceSearch {
 public:
  ChoiceSearch(std::vector<PlannedWeight>& planned, ChoiceTrials trials)
      : planned_(planned), trials_(std::move(trials)) {}

  // Makes the smallest choice whose predicted harm is at most -`decibels` dB.
  void choose_at(double decibels);
  // Makes the most precise choice: no weight is rounded, except for dynamic ones.
  void choose_without_rounding();

  // Makes the smallest choice that reaches the aim on these inputs, by changing the predicted harm only.
  void find(double aim, const std::vector<std::size_t>& probes) { find_above({}, aim, probes); }
  // The same, if the current choice is the one found before, and has only this quality.
  void find_better(double quality, double aim, const std::vector<std::size_t>& probes);
  // If the outputs are better than the aim, makes single weights smaller.
  void fill_slack(double aim, const std::vector<std::size_t>& probes);

  bool has_found() const { return best_.has_value(); }
  double quality() const { return best_quality_; }  // of the choice that was found, on the inputs of the search
  void restore_found() { restore(*best_); }
  void forget_found() { best_.reset(); }
  // The next search begins with the aim, not where the last one ended: sensitivities have changed.
  void start_over() { start_.reset(); }
  // How far the quality that was found is from the predicted one, in dB.
  double misprediction() const;

 private:
  using Choice = std::vector<std::optional<std::size_t>>;
  struct Point {
    double at = 0, quality = 0;
    Choice choice;
  };
  struct Group;

  Choice choice() const;
  void restore(const Choice& all);
  double lowest() const;
  void find_above(std::optional<Point> low, double aim, const std::vector<std::size_t>& probes);
  double next(const std::optional<Point>& low, const std::optional<Point>& high, double aim, double stride) const;
  bool is_close_enough(const Point& high, double aim, int trials_when_late) const;

  std::vector<PlannedWeight>& planned_;
  ChoiceTrials trials_;
  std::optional<Choice> best_;
  double best_quality_ = 0;
  std::optional<double> start_;
};

}  // namespace onnxpress
