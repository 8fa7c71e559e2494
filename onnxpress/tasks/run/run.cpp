// Generates the inputs, runs the graph, and writes the outputs.
#include "onnxpress/tasks/run/run.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/clock.h"
#include "onnxpress/base/error.h"
#include "onnxpress/inputs/made_inputs.h"
#include "onnxpress/inputs/npy.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/settings/custom_ops.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// What the report shows about an array.
RunValue seen(const std::string& name, const ops::Array& array) {
  RunValue value;
  value.name = name;
  value.type = type_text(array);
  double sum = 0;
  std::uint64_t count = 0;
  using Types = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                              ElementType::kUint8, ElementType::kInt8, ElementType::kUint16, ElementType::kInt16,
                              ElementType::kUint32, ElementType::kInt32, ElementType::kUint64, ElementType::kInt64,
                              ElementType::kBool>;
  ops::dispatch(Types(), array.type(), [&]<typename T>() {
    for (const T& each : array.data<T>()) {
      const auto number = static_cast<double>(static_cast<ops::Computed<T>>(each));
      if (!std::isfinite(number)) {
        ++value.not_finite;
        continue;
      }
      value.low = count == 0 ? number : std::min(value.low, number);
      value.high = count == 0 ? number : std::max(value.high, number);
      sum += number;
      ++count;
    }
  });
  value.mean = count == 0 ? 0 : sum / static_cast<double>(count);
  return value;
}

// Makes unique file names from names of values: '/' and the like become '_'.
class FileNames {
 public:
  std::string of(std::string_view name) {
    std::string made;
    for (const char c : name.substr(0, 200))
      made += (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_') ? c : '_';
    if (made.empty() || made.front() == '.') made.insert(0, "_");
    std::string unique = made;
    for (int i = 2; !used_.insert(unique).second; ++i) unique = fmt::format("{}_{}", made, i);
    return unique + ".npy";
  }

 private:
  std::set<std::string> used_;
};

std::string write_array(const fs::path& folder, const std::string& name, const ops::Array& array) {
  const fs::path path = folder / name;
  write_file(path, inputs::encode_npy(array));
  return path.string();
}

struct Request {
  std::string name, how;
};

std::vector<Request> requests_of(const RunOptions& options, const Model& model) {
  std::vector<Request> requests;
  for (const std::string& text : options.input) {
    auto [name, how] = split_binding("input", text);
    bool known = false;
    for (const ValueInfo* input : model.graph().inputs()) known |= input->value->name() == name;
    if (!known) throw Error("", fmt::format("there is no input {}", quote_name(name)), names_of_inputs(model));
    requests.push_back({name, how});
  }
  return requests;
}

std::string hint_for(std::optional<ops::OverBudget::Kind> over) {
  if (!over) return {};
  const bool memory = *over == ops::OverBudget::Kind::kMemory;
  return fmt::format("if you trust the model, allow more with option `{}`", memory ? "max_memory_bytes" : "max_steps");
}

class Inputs {
 public:
  Inputs(const Model& model, const RunOptions& options, RunReport& report)
      : model_(model),
        options_(options),
        report_(report),
        settings_(settings_of(options.bindings, model)),
        facts_(model, settings_) {
    require_fitting(facts_, model);
    requests_ = requests_of(options, model);
    bind_files();
  }

  analysis::Evaluator::Inputs make() {
    // Limits the memory, because a model may ask for inputs of any size.
    ops::EvaluationMeter meter({.live_bytes = options_.max_memory_bytes > 0 ? options_.max_memory_bytes : kMostMadeUp});
    const ops::MeterScope counting(meter);
    try {
      return make_all();
    } catch (const ops::OverBudget& over) {
      throw Error("", fmt::format("the inputs are too large to be generated: {}", over.what()), hint_for(over.kind()));
    }
  }

 private:
  static constexpr std::uint64_t kMostMadeUp = std::uint64_t{1} << 30;

  analysis::Evaluator::Inputs make_all() {
    analysis::Evaluator::Inputs made;
    for (const ValueInfo* info : model_.graph().inputs()) {
      const Value& input = *info->value;
      std::string from;
      std::optional<ops::Array> array = given(input, from);
      if (!array) continue;  // its initializer is used, or it is optional
      report_.inputs.push_back(seen(std::string(input.name()), *array));
      report_.inputs.back().from = from;
      made.emplace(input.name(), *array);
    }
    return made;
  }

  // Files come first, because the sizes of their dims also apply to generated inputs.
  void bind_files() {
    for (const Request& request : requests_) {
      if (!is_word(request.how)) bind(request.name, inputs::read_npy(request.how));
    }
    for (const auto& [name, array] : options_.arrays) bind(name, array);
    if (files_.empty()) return;
    with_files_ = std::make_unique<analysis::Facts>(model_, settings_);
    require_fitting(*with_files_, model_);
  }

  void bind(const std::string& name, const ops::Array& array) {
    files_.emplace(name, array);
    std::vector<Dim> shape;
    for (const std::int64_t size : array.sizes()) shape.push_back(Dim::size(size));
    settings_.shapes.emplace_back(name, shape);
  }

  static bool is_word(std::string_view how) { return how == "random" || how == "ones" || how == "zeros"; }

  std::optional<ops::Array> given(const Value& input, std::string& from) {
    for (const auto& [name, array] : settings_.values) {
      if (name != input.name()) continue;
      from = "value";
      return array;
    }
    std::string how;
    for (const Request& request : requests_) {
      if (request.name == input.name()) how = request.how;
    }
    const analysis::Facts& facts = with_files_ ? *with_files_ : facts_;
    const ops::Fact& fact = facts.of(input);
    if (const auto file = files_.find(std::string(input.name())); file != files_.end()) {
      from = "file";
      if (fact.element != ElementType::kUndefined && fact.element != file->second.type()) {
        throw Error(how,
                    fmt::format("it has elements of type {}, but input {} takes {}", name_of(file->second.type()),
                                quote_name(input.name()), name_of(fact.element)),
                    "");
      }
      return file->second;
    }
    if (how.empty() && input.initializer()) return std::nullopt;
    from = how.empty() ? "random" : how;
    if (fact.kind == ops::Fact::Kind::kOptional && how.empty()) return std::nullopt;
    if (!fact.is_tensor())
      throw Error("", fmt::format("input {} is not a tensor", quote_name(input.name())), "only tensors can be given");
    const ops::Sizes sizes = inputs::sizes_to_make(
        input, facts, inputs::open_dims(model_, facts, 1, options_.assumed_size), report_.assumed);
    if (options_.style && how.empty())
      return inputs::styled_input(input, fact.element, sizes, *options_.style, options_.assumed_size, facts);
    return inputs::made_input(input, fact.element, sizes, from, options_.seed, facts);
  }

  const Model& model_;
  const RunOptions& options_;
  RunReport& report_;
  analysis::FactSettings settings_;
  analysis::Facts facts_;
  std::unique_ptr<analysis::Facts> with_files_;
  std::vector<Request> requests_;
  std::map<std::string, ops::Array> files_;
};

ops::EvaluationBudget budget_of(const RunOptions& options, const Model& model,
                                const analysis::Evaluator::Inputs& inputs) {
  ops::EvaluationBudget budget = analysis::budget_for(model, inputs);
  if (options.max_memory_bytes > 0) budget.live_bytes = options.max_memory_bytes;
  if (options.max_steps > 0) budget.steps = static_cast<std::uint64_t>(std::min(options.max_steps, 1e18));
  return budget;
}

void take_output(const std::string& name, const ops::Datum& datum, const fs::path& folder, FileNames& names,
                 RunReport& report) {
  if (const ops::Sequence* sequence = datum.sequence()) {
    for (std::size_t i = 0; i < sequence->size(); ++i)
      take_output(fmt::format("{}.{}", name, i), (*sequence)[i], folder, names, report);
    return;
  }
  if (!datum.array()) {
    report.outputs.push_back({.name = name, .type = type_text(datum), .from = "", .file = ""});
    return;
  }
  report.outputs.push_back(seen(name, *datum.array()));
  if (!folder.empty()) report.outputs.back().file = write_array(folder, names.of(name), *datum.array());
}

// The folder for the outputs; empty if they are not wanted.
fs::path made_folder(const RunOptions& options) {
  if (!options.output_dir) return {};
  const fs::path folder = options.output_dir->empty() ? "." : *options.output_dir;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(folder.string(), "the folder cannot be created: " + failed.message(), "");
  return folder;
}

}  // namespace

RunReport run(const Model& given, const RunOptions& options,
              const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  RunReport report;
  report.file = given.path.string();
  const CustomOps custom(given, options.custom_ops);
  const Model& model = custom.model();
  if (custom.rules()) {
    throw Error("", fmt::format("{} describes shapes of ops, not what they compute", quote_name(*options.custom_ops)),
                "use a model with functions: .onnxtxt, .onnx or .json");
  }
  Inputs inputs(model, options, report);
  const analysis::Evaluator::Inputs made = inputs.make();
  analysis::Evaluator evaluator(model, budget_of(options, model, made));
  std::uint64_t done = 0;
  evaluator.before_node = [&](const Node&) {
    if (progress) progress(done++, model.graph().nodes().size());
  };
  const auto begin = Clock::now();
  const auto results = evaluator.run(made);
  report.seconds = seconds_since(begin);
  if (!results) throw Error("", evaluator.why(), hint_for(evaluator.over_budget()));
  const fs::path folder = made_folder(options);
  FileNames names;
  for (std::size_t i = 0; i < results->size(); ++i)
    take_output(std::string(model.graph().outputs()[i]->value->name()), (*results)[i], folder, names, report);
  for (RunValue& input : report.inputs) {
    const auto found = made.find(input.name);
    if (!folder.empty() && input.from != "file" && found != made.end() && found->second.array())
      input.file = write_array(folder, names.of(input.name), *found->second.array());
  }
  return report;
}

analysis::Evaluator::Inputs made_inputs(const Model& model, const RunOptions& options, RunReport& report) {
  return Inputs(model, options, report).make();
}

std::string to_json(const RunReport& report) { return json_text(report); }

}  // namespace onnxpress
