// Swapping weights, running, comparing.
#include "onnxpress/tasks/shrink/lossy/output_error.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/tasks/inputs/samples.h"
#include "onnxpress/weights/chain/insert_chains.h"

namespace onnxpress::tasks {

namespace {

// The chosen forms are in the model as long as this lives.
class Swapped {
 public:
  explicit Swapped(std::vector<PlannedWeight>& planned) {
    for (PlannedWeight& each : planned) {
      if (!each.chosen || each.dynamic) continue;
      Tensor* tensor = constant_tensor(*each.weight.value);
      originals_.push_back({tensor, tensor->content, tensor->storage});
      tensor->content = each.forms[*each.chosen].content;
      tensor->storage = Storage::kMade;
    }
  }
  ~Swapped() {
    for (Original& each : originals_) {
      each.tensor->content = std::move(each.content);
      each.tensor->storage = each.storage;
    }
  }
  Swapped(const Swapped&) = delete;
  Swapped& operator=(const Swapped&) = delete;

 private:
  struct Original {
    Tensor* tensor;
    Tensor::Content content;
    Storage storage;
  };
  std::vector<Original> originals_;
};

// What computes the first operand that is not a constant; null: there is none.
const Node* computed_operand(const Node& node) {
  for (const Use& use : node.inputs()) {
    const Node* producer = use.value() ? use.value()->producer() : nullptr;
    if (producer && !producer->is("Constant")) return producer;
  }
  return nullptr;
}

// Scores of classes in the last axis: [rows, classes], or what a layer or a Softmax makes of sequences.
bool has_classes(const Value& output, const ops::Array& array) {
  if (array.rank() < 1 || array.rank() > 3 || array.size(array.rank() - 1) < 2) return false;
  if (array.rank() <= 2) return true;
  const Node* node = output.producer();
  for (int depth = 0; node && depth < 4; ++depth) {
    const ops::Op* op = ops::newest_op(node->domain(), node->op_type());
    if (!op || op->has(ops::kScoresClasses)) return op != nullptr;
    if (!op->has_any(ops::kElementwise | ops::kView)) return false;
    node = computed_operand(*node);
  }
  return false;
}

using FloatTypes =
    ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16>;

bool is_float(ElementType type) {
  bool found = false;
  ops::dispatch(FloatTypes(), type, [&]<typename T>() { found = true; });
  return found;
}

std::vector<double> numbers_of(const ops::Array& array) {
  std::vector<double> numbers(array.count());
  ops::dispatch(FloatTypes(), array.type(), [&]<typename T>() {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<double>(static_cast<ops::Computed<T>>(array.data<T>()[i]));
  });
  return numbers;
}

constexpr double kQuiet = -300;  // dB of what cannot be computed

}  // namespace

void OutputError::Sums::add(const ops::Array& before, const ops::Array& after) {
  if (before.type() != after.type() || !tasks::is_float(before.type())) return;
  is_float = true;
  const std::vector<double> x = numbers_of(before);
  if (before.sizes() != after.sizes()) {  // as if nothing were left
    for (const double each : x) signal += std::isfinite(each) ? each * each : 0;
    noise = std::max(noise, signal);
    return;
  }
  const std::vector<double> y = numbers_of(after);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) continue;
    const double now = std::isfinite(y[i]) ? y[i] : 0, off = x[i] - now;
    signal += x[i] * x[i], signal_after += now * now, noise += off * off;
    absolute += std::abs(off), largest = std::max(largest, std::abs(off));
    ++count;
  }
  if (has_classes) add_rows(x, y, static_cast<std::size_t>(before.size(before.rank() - 1)));
}

void OutputError::Sums::add_rows(const std::vector<double>& before, const std::vector<double>& after,
                                 std::size_t width) {
  const auto top = [width](const std::vector<double>& numbers, std::size_t row) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(row * width);
    return std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width)) - begin;
  };
  for (std::size_t row = 0; row < before.size() / width; ++row) {
    ++rows;
    if (top(before, row) == top(after, row)) ++agreeing;
  }
}

OutputError::OutputError(Model& model, const CompressOptions& options) : model_(model) {
  RunOptions run_options;
  run_options.bindings = options.bindings;
  // A model may declare inputs of any size; making up more than this takes longer than measuring is worth.
  run_options.max_memory_bytes = std::uint64_t{128} << 20;
  for (Sample& sample : read_samples(options.samples, model)) {
    run_options.arrays = std::move(sample.inputs);
    ++sample_count_;
    if (!add_run(run_options)) return;
  }
  if (sample_count_ > 0) return;
  constexpr std::int64_t kSizes[] = {64, 512, 2048, 16, 1};  // one of them suits most models
  std::string first;
  for (const std::int64_t size : kSizes) {
    run_options.assumed_size = size;
    if (add_run(run_options)) return;
    if (first.empty()) first = why_;
    if (!has_open_dims_) return;
  }
  why_ = first + "; give option `shape`";
}

bool OutputError::add_run(const RunOptions& options) {
  Run run;
  RunReport report;
  try {
    run.inputs = made_inputs(model_, options, report);
  } catch (const Error& error) {
    if (sample_count_ > 0) throw;  // what the user gave does not fit
    why_ = error.message();
    return false;
  }
  has_open_dims_ = !report.assumed.empty();
  analysis::Evaluator evaluator(model_);
  auto results = evaluator.run(run.inputs);
  if (!results) {
    why_ = evaluator.why();
    runs_.clear();
    return false;
  }
  run.outputs = std::move(*results);
  runs_.push_back(std::move(run));
  return true;
}

bool OutputError::compare(const Run& run) {
  analysis::Evaluator evaluator(model_);
  const auto results = evaluator.run(run.inputs);
  if (!results || results->size() != run.outputs.size()) return false;
  for (std::size_t i = 0; i < results->size(); ++i) {
    const ops::Array *before = run.outputs[i].array(), *after = (*results)[i].array();
    if (before && after) sums_[i].add(*before, *after);
  }
  return true;
}

double OutputError::snr() const {
  double sum = 0;
  int outputs = 0;
  for (const Sums& each : sums_) {
    if (!each.is_float || each.signal == 0) continue;
    sum += each.noise / each.signal;
    ++outputs;
  }
  return outputs == 0 || sum <= 0 ? INFINITY : -10 * std::log10(sum / outputs);
}

double OutputError::snr_with(std::vector<PlannedWeight>& planned) {
  const Swapped swapped(planned);
  sums_.assign(runs_.front().outputs.size(), {});
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Value& output = *model_.graph().outputs()[i]->value;
    const ops::Array* array = runs_.front().outputs[i].array();
    sums_[i].name = output.name();
    sums_[i].has_classes = array && has_classes(output, *array);
  }
  for (const Run& run : runs_) {
    if (!compare(run)) return kQuiet;
  }
  return snr();
}

std::vector<OutputLine> OutputError::lines() const {
  std::vector<OutputLine> lines;
  for (const Sums& each : sums_) {
    if (!each.is_float) continue;
    OutputLine line{.output = each.name};
    if (each.noise > 0) line.snr = 10 * std::log10(std::max(each.signal, 1e-300) / each.noise);
    const double lengths = std::sqrt(each.signal) * std::sqrt(each.signal_after);
    if (lengths > 0) line.cosine = std::min(1.0, (each.signal + each.signal_after - each.noise) / 2 / lengths);
    if (each.rows > 0) line.top1 = static_cast<double>(each.agreeing) / static_cast<double>(each.rows);
    line.largest_error = each.largest;
    line.mean_error = each.count ? each.absolute / static_cast<double>(each.count) : 0;
    lines.push_back(std::move(line));
  }
  return lines;
}

void OutputError::measure_sensitivity(std::vector<PlannedWeight>& planned,
                                      const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  begin_stage("measuring how much each weight matters");
  constexpr std::size_t kMostMeasured = 64;
  constexpr double kFittingNoise = 25;  // dB: enough to be seen at the outputs, too little to saturate them
  std::vector<PlannedWeight*> all;
  for (PlannedWeight& each : planned) {
    if (each.dynamic) continue;
    each.chosen.reset();
    if (!each.forms.empty()) all.push_back(&each);
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const PlannedWeight* each) { return each->before; });
  const std::size_t measured = std::min(all.size(), kMostMeasured);
  double logarithms = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < measured; ++i) {
    PlannedWeight& each = *all[i];
    const auto form = std::ranges::min_element(each.forms, {}, [](const WeightForm& any) {
      return any.error.noise > 0 ? std::abs(any.error.sqnr() - kFittingNoise) : 1e9;
    });
    if (progress) progress(i, measured);
    if (form->error.noise <= 0) continue;
    each.chosen = static_cast<std::size_t>(form - each.forms.begin());
    const double ratio = std::pow(10, -snr_with(planned) / 10);
    each.chosen.reset();
    if (!(ratio > 0) || !std::isfinite(ratio)) continue;
    // Over what it was taken for: 1 / signal.
    logarithms += std::log(ratio / form->error.noise / each.sensitivity);
    ++counted;
    each.sensitivity = ratio / form->error.noise;
  }
  if (counted == 0) return;
  const double mean = std::exp(logarithms / static_cast<double>(counted));
  for (std::size_t i = measured; i < all.size(); ++i) all[i]->sensitivity *= mean;
}

}  // namespace onnxpress::tasks
