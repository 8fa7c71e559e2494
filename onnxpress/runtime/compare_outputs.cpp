// Runs the original first: what it cannot do, the result need not. One model is loaded at a time.
#include "onnxpress/runtime/compare_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/base/temporary_folder.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/runtime/session.h"
#include "onnxpress/tasks/convert.h"
#include "onnxpress/tasks/inputs/random_input.h"

namespace onnxpress::runtime {

namespace fs = std::filesystem;

namespace {

using Outputs = std::vector<ops::Datum>;
struct Round {
  Session::Inputs inputs;
  Outputs outputs;
};

std::string type_text(const ops::Array& array) { return to_string(array.type(), array.sizes()); }

// Why two arrays differ; empty when they do not. A NaN is equal to one of the same bits only.
std::string difference(const ops::Array& a, const ops::Array& b) {
  if (a.type() != b.type() || a.sizes() != b.sizes())
    return fmt::format("it is {} instead of {}", type_text(b), type_text(a));
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.count(); ++i) {
    const bool same = a.is_string() ? a.data<std::string>()[i] == b.data<std::string>()[i]
                                    : std::memcmp(a.bytes() + i * a.width(), b.bytes() + i * b.width(), a.width()) == 0;
    different += same ? 0 : 1;
  }
  if (different == 0) return {};
  return fmt::format("{} of {} elements differ", different, a.count());
}

std::string difference(const ops::Datum& a, const ops::Datum& b) {
  if (a.content.index() != b.content.index()) return "it is of another kind";
  if (a.array()) return difference(*a.array(), *b.array());
  if (a.sequence()) {
    if (a.sequence()->size() != b.sequence()->size()) return "it is a sequence of another length";
    for (std::size_t i = 0; i < a.sequence()->size(); ++i) {
      const std::string found = difference((*a.sequence())[i], (*b.sequence())[i]);
      if (!found.empty()) return fmt::format("in element {} of the sequence, {}", i, found);
    }
    return {};
  }
  if (a.empty()) return {};
  const auto& left = *std::get<std::shared_ptr<const ops::Map>>(a.content);
  const auto& right = *std::get<std::shared_ptr<const ops::Map>>(b.content);
  const std::string keys = difference(left.keys, right.keys);
  return keys.empty() ? difference(left.values, right.values) : keys;
}

// ONNX Runtime reads .onnx only.
fs::path onnx_form(const std::string& path, tasks::ModelFormat format, const char* name,
                   std::optional<TemporaryFolder>& folder, const tasks::LoadOptions& load) {
  if (format == tasks::ModelFormat::kOnnx) return path;
  if (!folder) folder.emplace(fs::temp_directory_path());
  fs::path made = folder->path() / name;
  tasks::ConvertOptions options{.load = load};
  options.weights.single_file = true;
  tasks::convert(path, made.string(), options, {});
  return made;
}

// Where an input chooses between branches (merged decoders: use_cache_branch), take both.
std::optional<Session::Inputs> other_branch(const Session::Inputs& inputs) {
  Session::Inputs flipped = inputs;
  bool any = false;
  for (auto& [name, array] : flipped) {
    if (array.type() != ElementType::kBool || array.count() != 1) continue;
    const bool value = array.data<ops::Bool>()[0];
    array = ops::Array::scalar(ops::Bool(!value)).reshaped(array.sizes());
    any = true;
  }
  return any ? std::optional(std::move(flipped)) : std::nullopt;
}

bool is_too_large(const Model& model, const analysis::Facts& facts, const tasks::OpenDims& open) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  std::vector<std::string> ignored;
  for (const ValueInfo* input : model.graph().inputs()) {
    const auto count = product_of(tasks::sizes_to_make(*input->value, facts, open, ignored));
    if (!count || *count > kMost) return true;
  }
  return false;
}

// Without a seed, ONNX Runtime takes the time and the number of the node: another node in front, and the same process
// gives other numbers. Dropout does nothing unless it is told that this is training.
bool draws_random_numbers(const Model& model, const analysis::OpResolver& ops) {
  bool found = false;
  for_each_node(model, [&](const Node& node) {
    const ops::Op* op = ops.op_of(node);
    if (!op || !op->has(ops::kRandom) || node.attribute("seed")) return;
    found |= !node.is("Dropout") || node.input_count() > 2;
  });
  return found;
}

// Images in multiples of 32, sounds of a second; what has no batch after all.
struct ToTry {
  std::int64_t batch, others;
};
constexpr ToTry kToTry[] = {{1, 1},   {1, 2},    {1, 8},     {1, 32}, {1, 64}, {1, 224},
                            {1, 512}, {1, 4096}, {1, 16000}, {2, 2},  {8, 8},  {64, 64}};

class Comparison {
 public:
  Comparison(std::shared_ptr<const OnnxRuntime> runtime, const tasks::ModelPair& pair)
      : runtime_(std::move(runtime)), pair_(pair) {
    report_.runtime = "ONNX Runtime " + runtime_->version();
  }

  tasks::OutputComparison compare() {
    try {
      run_original();
    } catch (const Error& error) {
      report_.reason = fmt::format("the original does not {} there: {}", loaded_ ? "run" : "load", error.message());
      return report_;
    }
    std::string found = run_result();
    if (!found.empty() && (is_random_ || original_varies())) {
      report_.reason = is_random_ ? "the model draws random numbers" : "the original gives other bits each time";
      return report_;
    }
    if (!found.empty()) fail(found);
    report_.same = true;
    report_.outputs = rounds_.front().outputs.size();
    report_.runs = rounds_.size();
    return report_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("verify", fmt::format("{} {}", report_.runtime, what),
                "this is a defect of onnxpress; please report it");
  }

  Session open(const fs::path& path) const { return {runtime_, path, {.optimize = false, .pack_weights = false}}; }

  // Models that cut or pool need more than 1 for dims that are open.
  void run_original() {
    tasks::LoadedModel loaded = tasks::load_model(pair_.original, pair_.load);
    original_ = onnx_form(pair_.original, loaded.format, "original.onnx", folder_, pair_.load);
    const analysis::Facts facts(loaded.model);
    is_random_ = draws_random_numbers(loaded.model, facts.ops());
    const Session session = open(original_);
    loaded_ = true;
    for (const Port& port : session.outputs()) names_.push_back(port.name);
    std::optional<Error> first;
    for (const auto& [batch, others] : kToTry) {
      const tasks::OpenDims open = tasks::open_dims(loaded.model, facts, batch, others);
      try {
        if (first && is_too_large(loaded.model, facts, open)) continue;
        Session::Inputs inputs = tasks::made_inputs(loaded.model, facts, open, 0);
        Outputs outputs = session.run(inputs);
        rounds_.push_back({std::move(inputs), std::move(outputs)});
        break;
      } catch (const Error& error) {
        if (!first) first = error;
      }
    }
    if (rounds_.empty()) throw *first;  // NOLINT(bugprone-unchecked-optional-access): there was no other way out
    try {
      if (auto inputs = other_branch(rounds_.front().inputs)) rounds_.push_back({*inputs, session.run(*inputs)});
    } catch (const Error&) {  // one branch may need other inputs; then it is compared without
    }
  }

  // What is different; empty for nothing.
  std::string run_result() {
    try {
      const tasks::LoadedModel loaded = tasks::load_model(pair_.result, pair_.load);
      const Session session = open(onnx_form(pair_.result, loaded.format, "result.onnx", folder_, pair_.load));
      for (const Round& round : rounds_) {
        Session::Inputs inputs = round.inputs;
        inputs.insert(inputs.end(), pair_.further.begin(), pair_.further.end());
        std::string found = first_difference(round.outputs, session.run(inputs));
        if (!found.empty()) return found;
      }
      return {};
    } catch (const Error& error) {
      fail(fmt::format("runs the original, but not the result: {}", error.message()));
    }
  }

  std::string first_difference(const Outputs& expected, const Outputs& found) const {
    if (expected.size() != found.size()) return "finds another number of outputs in the result";
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string how = difference(expected[i], found[i]);
      if (!how.empty()) return fmt::format("gives other bits for output {}: {}", quote_name(names_[i]), how);
    }
    return {};
  }

  // Ops that we do not know may draw random numbers, too.
  bool original_varies() const {
    const Session session = open(original_);
    return std::ranges::any_of(rounds_, [&](const Round& round) {
      return !first_difference(round.outputs, session.run(round.inputs)).empty();
    });
  }

  std::shared_ptr<const OnnxRuntime> runtime_;
  const tasks::ModelPair& pair_;
  tasks::OutputComparison report_;
  std::optional<TemporaryFolder> folder_;
  fs::path original_;
  bool loaded_ = false, is_random_ = false;
  std::vector<std::string> names_;
  std::vector<Round> rounds_;
};

}  // namespace

tasks::OutputComparison compare_outputs(const std::shared_ptr<const OnnxRuntime>& runtime,
                                        const tasks::ModelPair& pair) {
  if (runtime) return Comparison(runtime, pair).compare();
  tasks::OutputComparison none;
  none.reason = "no ONNX Runtime was found";
  none.hint = kHowToGet;
  return none;
}

}  // namespace onnxpress::runtime
