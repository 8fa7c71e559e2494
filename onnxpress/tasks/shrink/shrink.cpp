// The methods in their order, and the whole way from file to file.
#include "onnxpress/tasks/shrink/shrink.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/format/storage_form.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/freeze_inputs.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/passes/remove_redundant.h"
#include "onnxpress/passes/shorten_names.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/shrink/shrink_to_download.h"
#include "onnxpress/tasks/shrink/write_shrunk.h"
#include "onnxpress/tasks/strip.h"
#include "onnxpress/weights/constants_to_initializers.h"
#include "onnxpress/weights/extract_constants.h"
#include "onnxpress/weights/lossless/derived.h"
#include "onnxpress/weights/lossless/encode_weights.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/narrow_types.h"
#include "onnxpress/weights/share_sparse.h"
#include "onnxpress/weights/share_tensors.h"

namespace onnxpress::tasks {

namespace fs = std::filesystem;

namespace {

// --- The methods on the whole model. Each answers how many things it changed.

std::uint64_t remove_dead(Model& model) {
  const passes::Removed removed = passes::remove_dead(model);
  return removed.nodes + removed.initializers + removed.functions + removed.opsets;
}

// What exporters leave about where a node came from. The model's own documentation and metadata stay: applications
// read labels and settings from there.
std::uint64_t strip_texts(Model& model) {
  const std::string_view doc = model.doc;
  const std::vector<MetadataEntry> metadata = model.metadata;
  model.doc = {};
  model.metadata = {};
  const StripReport removed = strip(model, {.strip_docs = true, .strip_metadata = true});
  model.doc = doc;
  model.metadata = metadata;
  return removed.docs + removed.metadata;
}

std::uint64_t smallest_form(Model& model) {
  return weights::constants_to_initializers(model) + format::choose_storage_form(model);
}

struct Method {
  std::string_view name, summary;
  std::uint64_t (*run)(Model& model);
};
constexpr Method kFirst[] = {
    {"dead", "nodes, weights, functions and imports that nothing needs", remove_dead},
    {"docs", "documentation and metadata of graphs, nodes and values", strip_texts},
    {"defaults", "attributes that have their default value", passes::remove_default_attributes},
    {"value-info", "declared types that follow from the ops", passes::remove_redundant_types},
};
constexpr std::string_view kShare = "share";
constexpr std::string_view kShareSummary = "equal tensors";
constexpr const char* kNarrowSummary = "int64 as int32, float64 as float32, where readers take either";
constexpr Method kLast[] = {
    {"storage-form", "smallest form of each tensor: raw, varints, initializer", smallest_form},
};

std::vector<MethodName> encoding_methods() {
  std::vector<MethodName> names;
  for (const weights::DerivedMethod& method : weights::derived_methods())
    names.push_back({method.name, method.summary});
  for (const weights::Encoding* encoding : weights::all_encodings())
    names.push_back({encoding->name, encoding->summary});
  return names;
}

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Shrinker {
 public:
  Shrinker(Model& model, const ShrinkOptions& options) : model_(model), options_(options) {}

  ShrinkReport shrink(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    size_ = format::encoded_size(model_).total();
    if (options_.freeze) add("freeze", "initializers that could be overridden", passes::freeze_inputs(model_));
    for (const Method& method : kFirst) run(method);
    if (wants(kShare)) {
      auto shared = weights::share_tensors(model_);
      const auto sparse = weights::share_sparse(model_);
      shared.insert(shared.end(), sparse.begin(), sparse.end());
      add(kShare, kShareSummary, shared.size());
      savings_.insert(savings_.end(), shared.begin(), shared.end());
    }
    if (options_.weights.wanted()) compress(progress);
    if (!simulates()) encode(progress);
    // Chains have shapes and other small constants in common.
    constexpr std::uint64_t kSmall = 64 * 1024;
    if (wants(kShare)) add(kShare, kShareSummary, weights::share_tensors(model_, kSmall).size());
    for (const Method& method : kLast) run(method);
    list_largest();
    return std::move(report_);
  }

 private:
  bool wants(std::string_view name) const {
    return (options_.only.empty() || contains(options_.only, name)) && !contains(options_.skip, name);
  }

  void run(const Method& method) {
    if (wants(method.name)) add(method.name, method.summary, method.run(model_));
  }

  // Measured, not estimated: what the file would be now against what it would have been.
  void add(std::string_view name, std::string_view summary, std::uint64_t things) {
    const std::uint64_t now = things > 0 ? format::encoded_size(model_).total() : size_;
    const std::int64_t saved = static_cast<std::int64_t>(size_) - static_cast<std::int64_t>(now);
    size_ = now;
    if (things == 0) return;
    const auto found = std::ranges::find(report_.methods, name, &MethodLine::method);
    if (found == report_.methods.end()) {
      report_.methods.push_back({std::string(name), std::string(summary), things, saved});
    } else {
      found->things += things;
      found->saved += saved;
    }
  }

  // Rounded floats shall stay floats.
  bool simulates() const { return options_.weights.wanted() && options_.weights.encoding == WeightEncoding::kSimulate; }

  // Lossy, and only when asked for.
  void compress(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    for_each_graph(model_.graph(), [this](Graph& graph) {
      for (const Value* value : graph.initializers()) own_names_.insert(value->name());
      for (const Node& node : graph.nodes()) {
        if (node.is("Constant") && node.output()) own_names_.insert(node.output()->name());
      }
    });
    report_.weights = compress_weights(model_, options_.weights, runtime_of(options_.target), progress);
    add("weights", "weights in fewer bits", report_.weights->compressed);
    for (const WeightLine& line : report_.weights->tensors) {
      if (line.kept.empty()) savings_.push_back({model_.arena().text(line.tensor), "weights", line.before, line.after});
    }
  }

  void encode(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    const auto encoded =
        weights::encode_weights(model_, {.target = runtime_of(options_.target),
                                         .wants = [this](std::string_view name) { return wants(name); },
                                         .progress = progress});
    for (const MethodName& method : encoding_methods()) {
      MethodLine line{std::string(method.name), std::string(method.summary)};
      for (const weights::Saving& saving : encoded) {
        if (saving.method != method.name) continue;
        ++line.things;
        line.saved += static_cast<std::int64_t>(saving.before - saving.after);
      }
      if (line.things > 0) report_.methods.push_back(std::move(line));
    }
    if (!encoded.empty()) size_ = format::encoded_size(model_).total();
    // Codes and scales of weights have names that nobody knows, and their bytes are already among those of the weight:
    // what is saved on them shows in the methods only.
    std::ranges::copy_if(encoded, std::back_inserter(savings_), [this](const weights::Saving& each) {
      return !report_.weights || own_names_.contains(each.tensor);
    });
  }

  void list_largest() {
    std::ranges::stable_sort(savings_, std::greater<>(),
                             [](const weights::Saving& each) { return each.before - each.after; });
    if (savings_.size() > options_.top) savings_.resize(options_.top);
    for (const weights::Saving& each : savings_)
      report_.largest.push_back({std::string(each.tensor), std::string(each.method), each.before, each.after});
  }

  Model& model_;
  const ShrinkOptions& options_;
  std::uint64_t size_ = 0;
  std::vector<weights::Saving> savings_;
  std::unordered_set<std::string_view> own_names_;  // of tensors that the model had before its weights got codes
  ShrinkReport report_;
};

ModelBytes size_of(LoadedModel& loaded) {
  const format::EncodedSize size = format::encoded_size(loaded.model);
  ModelBytes bytes{loaded.format == ModelFormat::kOnnx ? loaded.file_bytes : size.message, 0};
  for (const auto& file : loaded.model.external_files) {
    std::error_code missing;
    const std::uint64_t on_disk = fs::file_size(file->path(), missing);
    bytes.external += missing ? 0 : on_disk;
  }
  return bytes;
}

}  // namespace

std::uint64_t peak_memory() {
  // What getrusage() knows includes the process that started this one.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::uint64_t kibibytes = 0;
    if (line.starts_with("VmHWM:") && std::istringstream(line.substr(6)) >> kibibytes) return kibibytes * 1024;
  }
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

namespace {

void require_known(const Names& names, std::string_view option) {
  const std::vector<MethodName> known = shrink_methods();
  for (const std::string& name : names) {
    if (std::ranges::any_of(known, [&name](const MethodName& each) { return each.name == name; })) continue;
    std::vector<std::string_view> words;
    words.reserve(known.size());
    for (const MethodName& each : known) words.push_back(each.name);
    throw Error("", fmt::format("{} has no method {}", option, quote_name(name)),
                fmt::format("known are {}", fmt::join(words, ", ")));
  }
}

}  // namespace

std::vector<MethodName> shrink_methods() {
  std::vector<MethodName> names;
  for (const Method& method : kFirst) names.push_back({method.name, method.summary});
  names.push_back({kShare, kShareSummary});
  for (const MethodName& method : encoding_methods()) names.push_back(method);
  for (const Method& method : kLast) names.push_back({method.name, method.summary});
  return names;
}

ShrinkReport shrink(Model& model, const ShrinkOptions& options,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  require_known(options.only, "--only");
  require_known(options.skip, "--skip");
  ShrinkOptions complete = options;
  complete.weights = options_for(options.target, options.weights);
  return Shrinker(model, complete).shrink(progress);
}

ShrinkReport shrink(LoadedModel& loaded, const std::string& output, const ShrinkOptions& options,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress, Beside& beside) {
  const ModelBytes before = size_of(loaded);
  const auto whole = static_cast<std::int64_t>(format::encoded_size(loaded.model).total());
  const std::uint64_t narrowed = options.extraction.narrow_types ? weights::narrow_types(loaded.model) : 0;
  const auto halved = whole - static_cast<std::int64_t>(format::encoded_size(loaded.model).total());
  beside.extracted = weights::extract_constants(loaded.model, options.extraction.wish());
  const auto lines = name_extracted(loaded.model, beside.extracted, output, options.extraction.npy_names);
  ShrinkReport report = shrink(loaded.model, options, progress);
  report.extracted = lines;
  if (narrowed > 0) report.methods.insert(report.methods.begin(), {"narrow-types", kNarrowSummary, narrowed, halved});
  if (options.shorten_names) {
    const auto size = static_cast<std::int64_t>(format::encoded_size(loaded.model).total());
    beside.names = passes::shorten_names(loaded.model);
    const auto now = static_cast<std::int64_t>(format::encoded_size(loaded.model).total());
    report.methods.push_back({"shorten-names", "names of inner values and nodes", beside.names.size(), size - now});
  }
  report.file = loaded.name;
  report.output = output;
  report.before = before;
  report.dry_run = options.dry_run;
  const format::EncodedSize after = format::encoded_size(loaded.model);
  report.after = {after.message, after.external};
  return report;
}

ShrinkReport shrink(const std::string& input, const std::string& output, const ShrinkOptions& options,
                    const ConvertStreams& streams) {
  if (options.weights.max_download && options.weights.estimated_download == 0)
    return shrink_to_download(input, output, options, streams);
  const auto begin = std::chrono::steady_clock::now();
  LoadedModel loaded = load_model(input, options.load);
  try {
    Beside beside;
    ShrinkReport report = shrink(loaded, output, options, streams.progress, beside);
    write_shrunk(loaded, input, output, options, streams, beside, report);
    if (options.compressed) add_compressed_sizes(loaded, report, streams.progress);
    add_download(options, report, streams.progress);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.peak_memory = peak_memory();
    return report;
  } catch (Error& error) {
    error.set_file(loaded.name);
    throw;
  }
}

std::string to_json(const ShrinkReport& report) { return json_text(report); }
std::string to_json(const std::vector<ReportRow<ShrinkReport>>& rows) { return json_text_of_rows(rows); }

}  // namespace onnxpress::tasks
