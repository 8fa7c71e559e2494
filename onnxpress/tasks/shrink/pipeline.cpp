// The table of steps; each is measured by the size of the file before and after it.
#include "onnxpress/tasks/shrink/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/base/suggest.h"
#include "onnxpress/format/storage_form.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/whole/constants_to_initializers.h"
#include "onnxpress/passes/whole/freeze_inputs.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/passes/whole/remove_redundant.h"
#include "onnxpress/passes/whole/share_sparse.h"
#include "onnxpress/passes/whole/share_tensors.h"
#include "onnxpress/passes/whole/shorten_names.h"
#include "onnxpress/tasks/files/require_order.h"
#include "onnxpress/tasks/files/strip.h"
#include "onnxpress/tasks/shrink/shrink_target.h"
#include "onnxpress/weights/lossless/derived.h"
#include "onnxpress/weights/lossless/encode_weights.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress {

namespace {

using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// What the steps read and change.
struct Run {
  Model& model;
  const StepWish& wish;
  const Progress& progress;
  StepResults& results;

  // Do --only and --skip allow this method?
  bool uses(std::string_view method) const {
    const auto has = [method](const Names& names) { return std::ranges::find(names, method) != names.end(); };
    return (wish.only.empty() || has(wish.only)) && !has(wish.skip);
  }
  void add_savings(const std::vector<passes::Saving>& savings) {
    for (const passes::Saving& each : savings)
      results.savings.push_back({std::string(each.tensor), std::string(each.method), each.before, each.after});
  }
};

// --- The steps. Each returns how many tensors, nodes, texts, ... it changed.

std::uint64_t freeze_inputs(Run& run) { return passes::freeze_inputs(run.model); }

std::uint64_t remove_dead(Run& run) {
  const passes::Removed removed = passes::remove_dead(run.model);
  return removed.nodes + removed.initializers + removed.functions + removed.opsets;
}

std::uint64_t strip_texts(Run& run) {
  const StripReport removed = strip_origins(run.model, false);
  return removed.docs + removed.metadata;
}

std::uint64_t remove_defaults(Run& run) { return passes::remove_default_attributes(run.model); }
std::uint64_t remove_types(Run& run) { return passes::remove_redundant_types(run.model); }

std::uint64_t share(Run& run) {
  std::uint64_t count = 0;
  for (const auto& shared : {passes::share_tensors(run.model), passes::share_sparse(run.model)}) {
    run.add_savings(shared);
    count += shared.size();
  }
  return count;
}

std::vector<MethodName> encoding_methods() {
  std::vector<MethodName> names;
  for (const weights::DerivedMethod& method : weights::derived_methods())
    names.push_back({method.name, method.summary});
  for (const weights::Encoding* encoding : weights::all_encodings())
    names.push_back({encoding->name, encoding->summary});
  return names;
}

// Encodings run together; the report gets a line for each one that was used, with what it saved.
std::uint64_t encode(Run& run) {
  const auto encoded =
      weights::encode_weights(run.model, {.target = run.wish.runtime,
                                          .wants = [&run](std::string_view method) { return run.uses(method); },
                                          .progress = run.progress,
                                          .pack = run.wish.pack});
  for (const MethodName& method : encoding_methods()) {
    MethodLine line{std::string(method.name), std::string(method.summary)};
    for (const passes::Saving& saving : encoded) {
      if (saving.method != method.name) continue;
      ++line.count;
      line.saved += static_cast<std::int64_t>(saving.before - saving.after);
    }
    if (line.count > 0) run.results.methods.push_back(std::move(line));
  }
  run.add_savings(encoded);
  return encoded.size();
}

// Shares the small constants that decoding chains have in common, such as shapes.
std::uint64_t share_small(Run& run) {
  constexpr std::uint64_t kSmall = 64 * 1024;
  return passes::share_tensors(run.model, kSmall).size();
}

// One step, because a list in an attribute becomes larger as an initializer, until its elements are varints.
std::uint64_t smallest_form(Run& run) {
  return passes::constants_to_initializers(run.model) + format::choose_storage_form(run.model);
}

std::uint64_t shorten_names(Run& run) {
  run.results.names = passes::shorten_names(run.model);
  return run.results.names.size();
}

// --- When to run the steps that are not methods.

bool freezes(const StepWish& wish) { return wish.freeze; }
bool encodes(const StepWish& wish) { return wish.encodes; }
bool shortens(const StepWish& wish) { return wish.shorten_names; }

struct Step {
  std::string_view name, summary;  // no name: adds its own lines to the report
  std::string_view stage;          // what users see while it runs
  StepGroup group;
  bool (*when)(const StepWish& wish);  // null: a method, which --only and --skip select by name
  std::uint64_t (*run)(Run& run);
  bool must_save = true;  // skipped if it would make the file larger; false: the user asked for it
};
constexpr std::string_view kShareSummary = "equal tensors";
constexpr StepGroup kBefore = StepGroup::kBeforeWeights, kAfter = StepGroup::kAfterWeights;
constexpr Step kSteps[] = {
    {"freeze", "initializers that could be overridden", "freezing inputs", kBefore, freezes, freeze_inputs, false},
    {"dead", "nodes, weights, functions and imports that nothing needs", "removing dead nodes", kBefore, nullptr,
     remove_dead},
    {"docs", "documentation and metadata of graphs, nodes and values", "removing texts", kBefore, nullptr, strip_texts},
    {"defaults", "attributes that have their default value", "removing default attributes", kBefore, nullptr,
     remove_defaults},
    {"value-info", "declared types that follow from the ops", "inferring types", kBefore, nullptr, remove_types},
    {"share", kShareSummary, "looking for equal tensors", kBefore, nullptr, share},
    {"", "", "encoding weights", kAfter, encodes, encode},
    {"share", kShareSummary, "looking for equal tensors", kAfter, nullptr, share_small},
    {"storage-form", "smallest form of each tensor: raw, varints, initializer", "choosing storage forms", kAfter,
     nullptr, smallest_form},
    {"shorten-names", "names of inner values and nodes", "shortening names", kAfter, shortens, shorten_names},
};
using LeftOut = std::array<bool, std::size(kSteps)>;

class Pipeline {
 public:
  Pipeline(Run& run, StepGroup group, const LeftOut& left_out)
      : run_(run), group_(group), left_out_(left_out), size_(format::encoded_size(run.model).total()) {}

  // Stops at a step that makes the file larger instead of smaller, and returns its index.
  std::optional<std::size_t> run() {
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
      const Step& step = kSteps[i];
      const bool now = group_ == StepGroup::kAll || group_ == step.group;
      const bool wanted = step.when ? step.when(run_.wish) : run_.uses(step.name);
      if (now && wanted && !left_out_[i] && !take(step)) return i;
    }
    return std::nullopt;
  }

 private:
  // Runs a step and compares the exact sizes of the file before and after it. False if the file got larger.
  bool take(const Step& step) {
    begin_stage(step.stage);
    const std::uint64_t count = step.run(run_);
    if (count == 0) return true;
    const std::uint64_t before = size_;
    size_ = format::encoded_size(run_.model).total();
    if (step.must_save && size_ > before) return false;
    if (!step.name.empty()) add_line(step, count, before);
    return true;
  }

  void add_line(const Step& step, std::uint64_t count, std::uint64_t before) {
    const std::int64_t saved = static_cast<std::int64_t>(before) - static_cast<std::int64_t>(size_);
    std::vector<MethodLine>& lines = run_.results.methods;
    const auto found = std::ranges::find(lines, step.name, &MethodLine::method);
    if (found == lines.end()) {
      lines.push_back({std::string(step.name), std::string(step.summary), count, saved});
    } else {
      found->count += count;
      found->saved += saved;
    }
  }

  Run& run_;
  StepGroup group_;
  const LeftOut& left_out_;
  std::uint64_t size_;
};

void require_known(const Names& names) {
  std::vector<std::string> known;
  for (const MethodName& each : shrink_methods()) known.emplace_back(each.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string guess = nearest(name, known);
    throw OptionError(fmt::format("there is no method {}", quote_name(name)),
                      guess.empty() ? fmt::format("known methods: {}", fmt::join(known, ", "))
                                    : fmt::format("did you mean {}?", quote_name(guess)));
  }
}

}  // namespace

std::vector<MethodName> shrink_methods() {
  std::vector<MethodName> names;
  for (const Step& step : kSteps) {
    if (step.run == encode) std::ranges::copy(encoding_methods(), std::back_inserter(names));
    const bool is_new = std::ranges::find(names, step.name, &MethodName::name) == names.end();
    if (!step.when && is_new) names.push_back({step.name, step.summary});
  }
  return names;
}

// Steps hardly ever make a file larger. If one does, the group is run again without it.
void run_steps(Model& model, StepGroup group, const StepWish& wish, StepResults& results, const Progress& progress) {
  LeftOut left_out = {};
  const Model original = model.clone();
  const StepResults fresh = results;
  while (true) {
    Run run{model, wish, progress, results};
    const auto loser = Pipeline(run, group, left_out).run();
    if (!loser) return;
    left_out[*loser] = true;
    model = original.clone();
    results = fresh;
  }
}

void sort_savings(std::vector<SavingLine>& savings) {
  std::ranges::stable_sort(savings, std::greater<>(), [](const SavingLine& each) { return each.before - each.after; });
}

void require_usable(const Model& model) {
  require_order(model);
  require_clear_names(model);
  require_outputs(model);
}

ModelBytes size_of_files(const Model& model) {
  ModelBytes bytes{format::encoded_size(model).message, 0};
  for (const auto& file : model.external_files) bytes.external += file->size_if_present();
  return bytes;
}

ModelBytes size_as_written(const Model& model) {
  const format::EncodedSize size = format::encoded_size(model);
  return {size.message, size.external};
}

void require_methods(const ShrinkOptions& options) {
  require_known(options.only);
  require_known(options.skip);
}

ShrunkModel run_pipeline(Model& model, const ShrinkOptions& options, const Progress& progress) {
  require_methods(options);
  require_usable(model);
  ShrunkModel made;
  made.report.before = size_of_files(model);
  if (!options.freeze) made.report.overridable = passes::overridable_bytes(model);
  StepResults results;
  const StepWish wish{.runtime = runtime_of(options.target),
                      .only = options.only,
                      .skip = options.skip,
                      .freeze = options.freeze,
                      .pack = options.pack,
                      .shorten_names = options.shorten_names};
  run_steps(model, StepGroup::kAll, wish, results, progress);
  sort_savings(results.savings);
  made.report.methods = std::move(results.methods);
  made.report.largest = std::move(results.savings);
  made.report.after = size_as_written(model);
  made.names = std::move(results.names);
  return made;
}

}  // namespace onnxpress
