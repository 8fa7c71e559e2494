// The table of steps; each is measured by the size of the file before and after it.
#include "onnxpress/tasks/shrink/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/storage_form.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/whole/constants_to_initializers.h"
#include "onnxpress/passes/whole/extract_constants.h"
#include "onnxpress/passes/whole/freeze_inputs.h"
#include "onnxpress/passes/whole/narrow_types.h"
#include "onnxpress/passes/whole/remove_dead.h"
#include "onnxpress/passes/whole/remove_redundant.h"
#include "onnxpress/passes/whole/share_sparse.h"
#include "onnxpress/passes/whole/share_tensors.h"
#include "onnxpress/passes/whole/shorten_names.h"
#include "onnxpress/tasks/files/require_order.h"
#include "onnxpress/tasks/files/strip.h"
#include "onnxpress/tasks/files/take_weights_inside.h"
#include "onnxpress/tasks/quantize/search/download.h"
#include "onnxpress/tasks/shrink/shrink_target.h"
#include "onnxpress/weights/lossless/derived.h"
#include "onnxpress/weights/lossless/encode_weights.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::tasks {

namespace {

using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// What the steps read and change.
struct Run {
  Model& model;
  const ShrinkOptions& options;
  const Progress& progress;
  ShrunkModel& made;
  std::uint64_t estimated_bytes = 0;  // what option `max_download` aims for
  std::string missed = {};            // why the quality that was asked for is not reached
  std::vector<passes::Saving> savings = {};
  std::unordered_set<std::string_view> own_names = {};  // of tensors that the model had before weights were rounded

  // Do --only and --skip allow this method?
  bool uses(std::string_view method) const {
    const auto has = [method](const Names& names) { return std::ranges::find(names, method) != names.end(); };
    return (options.only.empty() || has(options.only)) && !has(options.skip);
  }
};

// --- The steps. Each returns how many tensors, nodes, texts, ... it changed.

std::uint64_t narrow_types(Run& run) { return passes::narrow_types(run.model); }

std::uint64_t extract_constants(Run& run) {
  const NpyOptions& options = run.options.extraction;
  run.made.extracted = passes::extract_constants(run.model, options.wish());
  run.made.report.extracted = name_extracted(run.model, run.made.extracted, options.beside, options.npy_names);
  return run.made.extracted.size();
}

std::uint64_t freeze_inputs(Run& run) { return passes::freeze_inputs(run.model); }

std::uint64_t remove_dead(Run& run) {
  const passes::Removed removed = passes::remove_dead(run.model);
  return removed.nodes + removed.initializers + removed.functions + removed.opsets;
}

// Removes texts in which exporters say where a node came from. The model's own documentation and metadata stay, because
// applications read labels and settings from there.
std::uint64_t strip_texts(Run& run) {
  Model& model = run.model;
  const std::string_view doc = model.doc;
  const std::vector<MetadataEntry> metadata = model.metadata;
  model.doc = {};
  model.metadata = {};
  const StripReport removed = strip(model, {.strip_docs = true, .strip_metadata = true});
  model.doc = doc;
  model.metadata = metadata;
  return removed.docs + removed.metadata;
}

std::uint64_t remove_defaults(Run& run) { return passes::remove_default_attributes(run.model); }
std::uint64_t remove_types(Run& run) { return passes::remove_redundant_types(run.model); }

std::uint64_t share(Run& run) {
  std::uint64_t count = 0;
  for (const auto& shared : {passes::share_tensors(run.model), passes::share_sparse(run.model)}) {
    run.savings.insert(run.savings.end(), shared.begin(), shared.end());
    count += shared.size();
  }
  return count;
}

std::uint64_t compress(Run& run) {
  for_each_graph(run.model.graph(), [&run](Graph& graph) {
    for (const Value* value : graph.initializers()) run.own_names.insert(value->name());
    for (const Node& node : graph.nodes()) {
      if (node.is("Constant") && node.output()) run.own_names.insert(node.output()->name());
    }
  });
  CompressedWeights done = compress_weights(run.model, run.options.weights, runtime_of(run.options.target),
                                            run.progress, run.estimated_bytes);
  for (const WeightLine& line : done.report.tensors) {
    if (line.kept.empty())
      run.savings.push_back({run.model.arena().text(line.tensor), "weights", line.before, line.after});
  }
  const std::uint64_t compressed = done.report.compressed;
  run.made.rounds = compressed > 0;
  run.made.report.weights = std::move(done.report);
  run.made.changes = std::move(done.changes);
  run.missed = std::move(done.missed);
  return compressed;
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
      weights::encode_weights(run.model, {.target = runtime_of(run.options.target),
                                          .wants = [&run](std::string_view method) { return run.uses(method); },
                                          .progress = run.progress,
                                          .pack = run.options.pack});
  for (const MethodName& method : encoding_methods()) {
    MethodLine line{std::string(method.name), std::string(method.summary)};
    for (const passes::Saving& saving : encoded) {
      if (saving.method != method.name) continue;
      ++line.count;
      line.saved += static_cast<std::int64_t>(saving.before - saving.after);
    }
    if (line.count > 0) run.made.report.methods.push_back(std::move(line));
  }
  // Codes and scales of weights have names that the user does not know, and the line of the weight includes their
  // bytes. What is saved on them is shown only by method.
  std::ranges::copy_if(encoded, std::back_inserter(run.savings), [&run](const passes::Saving& each) {
    return !run.made.report.weights || run.own_names.contains(each.tensor);
  });
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
  run.made.names = passes::shorten_names(run.model);
  return run.made.names.size();
}

// --- When to run the steps that are not methods.

bool narrows(const ShrinkOptions& options) { return options.extraction.narrow_types; }
bool extracts(const ShrinkOptions& options) { return options.extraction.extracts(); }
bool freezes(const ShrinkOptions& options) { return options.freeze; }
bool compresses(const ShrinkOptions& options) { return options.weights.is_lossy(); }
// Not with --encoding simulate, where rounded floats must stay floats, and not with --static, because runtimes
// recognize layers by plain constants in front of DequantizeLinear.
bool encodes(const ShrinkOptions& options) {
  if (options.weights.is_static) return false;
  return !options.weights.is_lossy() || options.weights.encoding != WeightEncoding::kSimulate;
}
bool shortens(const ShrinkOptions& options) { return options.shorten_names; }

struct Step {
  std::string_view name, summary;              // no name: adds its own lines to the report
  std::string_view stage;                      // what users see while it runs
  bool (*when)(const ShrinkOptions& options);  // null: a method, which --only and --skip select by name
  std::uint64_t (*run)(Run& run);
  bool must_save = true;  // skipped if it would make the file larger; false: the user asked for it
};
constexpr std::string_view kShareSummary = "equal tensors";
constexpr Step kSteps[] = {
    {"narrow-types", "int64 as int32 and float64 as float32, if their readers accept that", "narrowing types", narrows,
     narrow_types, false},
    {"extract", "constants that became inputs", "extracting constants", extracts, extract_constants, false},
    {"freeze", "initializers that could be overridden", "freezing inputs", freezes, freeze_inputs, false},
    {"dead", "nodes, weights, functions and imports that nothing needs", "removing dead nodes", nullptr, remove_dead},
    {"docs", "documentation and metadata of graphs, nodes and values", "removing texts", nullptr, strip_texts},
    {"defaults", "attributes that have their default value", "removing default attributes", nullptr, remove_defaults},
    {"value-info", "declared types that follow from the ops", "inferring types", nullptr, remove_types},
    {"share", kShareSummary, "looking for equal tensors", nullptr, share},
    {"weights", "weights in fewer bits", "choosing bits", compresses, compress, false},
    {"", "", "encoding weights", encodes, encode},
    {"share", kShareSummary, "looking for equal tensors", nullptr, share_small},
    {"storage-form", "smallest form of each tensor: raw, varints, initializer", "choosing storage forms", nullptr,
     smallest_form},
    {"shorten-names", "names of inner values and nodes", "shortening names", shortens, shorten_names},
};
using LeftOut = std::array<bool, std::size(kSteps)>;

class Pipeline {
 public:
  Pipeline(Run& run, const LeftOut& left_out)
      : run_(run), left_out_(left_out), size_(format::encoded_size(run.model).total()) {}

  // Stops at a step that makes the file larger instead of smaller, and returns its index.
  std::optional<std::size_t> run() {
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
      const Step& step = kSteps[i];
      const bool wanted = step.when ? step.when(run_.options) : run_.uses(step.name);
      if (wanted && !left_out_[i] && !take(step)) return i;
    }
    list_largest();
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
    std::vector<MethodLine>& lines = run_.made.report.methods;
    const auto found = std::ranges::find(lines, step.name, &MethodLine::method);
    if (found == lines.end()) {
      lines.push_back({std::string(step.name), std::string(step.summary), count, saved});
    } else {
      found->count += count;
      found->saved += saved;
    }
  }

  void list_largest() {
    std::vector<passes::Saving>& savings = run_.savings;
    std::ranges::stable_sort(savings, std::greater<>(),
                             [](const passes::Saving& each) { return each.before - each.after; });
    if (savings.size() > run_.options.top) savings.resize(run_.options.top);
    for (const passes::Saving& each : savings)
      run_.made.report.largest.push_back({std::string(each.tensor), std::string(each.method), each.before, each.after});
  }

  Run& run_;
  const LeftOut& left_out_;
  std::uint64_t size_;
};

// A model that did not change has the size of its file.
ModelBytes size_of(const Model& model) {
  ModelBytes bytes{format::encoded_size(model).message, 0};
  for (const auto& file : model.external_files) bytes.external += file->size_if_present();
  return bytes;
}

void require_known(const Names& names) {
  const std::vector<MethodName> known = shrink_methods();
  for (const std::string& name : names) {
    if (std::ranges::find(known, name, &MethodName::name) != known.end()) continue;
    std::vector<std::string_view> words;
    words.reserve(known.size());
    for (const MethodName& each : known) words.push_back(each.name);
    throw Error("", fmt::format("there is no method {}", quote_name(name)),
                fmt::format("known methods: {}", fmt::join(words, ", ")));
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

namespace {

// Steps hardly ever make a file larger. If one does, everything is done again without it.
class Attempts {
 public:
  Attempts(const Model& original, const ShrinkOptions& options, const Progress& progress)
      : original_(original), options_(options), progress_(progress) {}

  // Changes the model, which is a copy of the original. Returns why a goal is missed; empty if none is.
  std::string run(Model& model, ShrunkModel& made, std::uint64_t estimated_bytes) const {
    LeftOut left_out = {};
    const ShrinkReport fresh = made.report;
    const ModelBytes before = made.before;
    while (true) {
      Run run{model, options_, progress_, made, estimated_bytes};
      const auto loser = Pipeline(run, left_out).run();
      if (!loser) return std::move(run.missed);
      left_out[*loser] = true;
      model = original_.clone();
      made = {.report = fresh, .before = before};
    }
  }

  // The estimate to aim for so that the compressed result is as small as option `max_download` asks for.
  DownloadFit fit(const DownloadTarget& target) const {
    std::optional<std::uint64_t> last;
    std::string encoded;
    return fit_download(target, [&](std::uint64_t estimate, Compressor compressor) {
      if (last != estimate) {
        Model trial = original_.clone();
        ShrunkModel made;
        run(trial, made, estimate);
        encoded = encoded_inside(trial);
        last = estimate;
      }
      return compressed_size(encoded, compressor, progress_);
    });
  }

 private:
  // The model as one message, with the weights that are in external files.
  static std::string encoded_inside(Model& model) {
    if (format::encoded_size(model).total() > format::kMaxMessageBytes)
      throw Error("", "option `max_download` cannot be used for a model whose result has more than 2 GB",
                  "use option `max_size`");
    take_weights_inside(model);
    return format::encode_model(model);
  }

  const Model& original_;
  const ShrinkOptions& options_;
  const Progress& progress_;
};

}  // namespace

ShrunkModel run_pipeline(Model& model, const ShrinkOptions& options, const Progress& progress) {
  require_order(model);
  require_clear_names(model);
  require_outputs(model);
  require_known(options.only);
  require_known(options.skip);
  ShrinkOptions complete = options;
  complete.weights = options_for(options.target, options.weights);
  complete.weights.engine = options.engine;
  ShrunkModel made;
  made.before = made.report.before = size_of(model);
  if (!options.freeze) made.report.overridable = passes::overridable_bytes(model);
  Model original = model.clone();
  DownloadFit fit;
  if (complete.weights.max_download) {
    ShrinkOptions quiet = complete;
    quiet.weights.save_recipe.clear();
    quiet.weights.measure = false;
    fit = Attempts(original, quiet, progress).fit(*complete.weights.max_download);
    made.report.download = fit.download;
  }
  const std::string missed = Attempts(original, complete, progress).run(model, made, fit.estimate);
  const format::EncodedSize after = format::encoded_size(model);
  made.after = made.report.after = {after.message, after.external};
  // The one rule for a goal that is missed: the model stays as it was.
  if (!missed.empty() && !options.weights.best_effort) {
    made.report.refused = missed;
    made.names.clear();
    made.extracted.clear();
    model = std::move(original);
  }
  return made;
}

}  // namespace onnxpress::tasks
