// The lossless steps that make a model small, in the order in which they run. `shrink` runs all of them; `quantize`
// runs some before and some after it rounds weights.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/weights/target.h"

namespace onnxpress {

// Which steps run.
struct StepWish {
  weights::Target runtime = weights::Target::kOrt;
  Names only = {}, skip = {};  // methods, by name
  bool freeze = false, pack = false, shorten_names = false;
  bool encodes = true;  // may nodes decode tensors?
};

enum class StepGroup : std::uint8_t { kAll, kBeforeWeights, kAfterWeights };

struct StepResults {
  std::vector<MethodLine> methods;
  std::vector<SavingLine> savings;                                   // of single tensors, in no order
  std::vector<std::pair<std::string_view, std::string_view>> names;  // new and old names, if they were shortened
};

// Adds to the results. A step that would make the file larger is left out. Throws Error; the model may then have
// changed.
void run_steps(Model& model, StepGroup group, const StepWish& wish, StepResults& results,
               const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

// Largest savings first.
void sort_savings(std::vector<SavingLine>& savings);

// Throws Error unless steps can work on the model: its nodes are in order, its names mean one thing, it has outputs.
void require_usable(const Model& model);

// Throws OptionError if options `only` and `skip` name methods that do not exist.
void require_methods(const ShrinkOptions& options);

// The bytes of a model that did not change, as in its files.
ModelBytes size_of_files(const Model& model);
ModelBytes size_as_written(const Model& model);

struct ShrunkModel {
  ShrinkReport report;
  std::vector<std::pair<std::string_view, std::string_view>> names;  // new and old names of values with shortened names
};

// Runs all steps that the options ask for. The report has the methods, the largest savings and the sizes before and
// after. Throws Error; the model may then have changed.
ShrunkModel run_pipeline(Model& model, const ShrinkOptions& options,
                         const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace onnxpress
