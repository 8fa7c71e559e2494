// Runs a model with the built-in evaluator: arrays in, arrays out. The report behind `onnxpress run`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/inputs/input_kinds.h"
#include "onnxpress/ops/core/array.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/settings/bindings.h"

namespace onnxpress {

struct RunOptions {
  std::vector<std::string> input;
  std::uint64_t seed = 0;
  std::optional<std::string> output_dir, custom_ops;
  std::uint64_t max_memory_bytes = 0;  // 0: chosen by the size of the model and its inputs
  double max_steps = 0;
  BindingOptions bindings;
  LoadOptions load;
  std::vector<std::pair<std::string, ops::Array>> arrays;  // inputs that callers of the library provide as arrays
  std::int64_t assumed_size = 1;                           // of dims that were not given, except for the batch
  std::optional<inputs::InputStyle> style;                 // of generated inputs; if empty, `input` decides

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("input", &RunOptions::input, "an input: x=file.npy, x=random, x=ones or x=zeros (default: random)");
    visit("seed", &RunOptions::seed, "seed of the random inputs (default 0)");
    visit("output_dir", &RunOptions::output_dir,
          "write each output and each generated input as a .npy file into this folder");
    visit("custom_ops", &RunOptions::custom_ops,
          "a model (.onnxtxt, .onnx) whose functions define ops that are not built in");
    visit("max_memory_bytes", &RunOptions::max_memory_bytes,
          "memory limit for all arrays together (default: depends on the size of the model and its inputs)");
    visit("max_steps", &RunOptions::max_steps,
          "limit of multiplications and elements for a run, such as 1e12 (default: depends on the size, as above)");
    visit("", &RunOptions::bindings, "");
    visit("", &RunOptions::load, "");
  }
};

struct RunValue {
  std::string name, type, from, file;
  double low = 0, high = 0, mean = 0;
  std::uint64_t not_finite = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &RunValue::name, "name of the input or output");
    visit("type", &RunValue::type, "element type and shape that it had");
    visit("from", &RunValue::from, "inputs: `file`, `random`, `ones`, `zeros` or `value`");
    visit("file", &RunValue::file, "the file it was read from or written to; empty if there is none");
    visit("low", &RunValue::low, "its smallest number");
    visit("high", &RunValue::high, "its largest number");
    visit("mean", &RunValue::mean, "the mean of its numbers");
    visit("not_finite", &RunValue::not_finite, "how many are infinite or not a number");
  }
};

struct RunReport {
  std::string file;
  std::vector<RunValue> inputs, outputs;
  std::vector<std::string> assumed;
  double seconds = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &RunReport::file, "path of the model, as given");
    visit("inputs", &RunReport::inputs, "the inputs that the model got");
    visit("outputs", &RunReport::outputs, "the outputs that it computed");
    visit("assumed", &RunReport::assumed, "dims that were not given and were taken as 1");
    visit("seconds", &RunReport::seconds, "how long the run took");
  }
};

// Throws Error when an input does not fit, or when the model cannot be run, with the node and the reason. `progress`
// gets the number of nodes that are done and their total number.
RunReport run(const Model& model, const RunOptions& options,
              const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

// The inputs that a run with these options gets. Throws Error when one cannot be made.
analysis::Evaluator::Inputs made_inputs(const Model& model, const RunOptions& options, RunReport& report);

std::string to_json(const RunReport& report);

}  // namespace onnxpress
