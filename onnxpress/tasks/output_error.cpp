// Swapping weights, running, comparing.
#include "onnxpress/tasks/output_error.h"

#include <algorithm>
#include <cmath>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/run.h"
#include "onnxpress/weights/insert_chains.h"

namespace onnxpress::tasks {

namespace {

// The chosen forms are in the model as long as this lives.
class Swapped {
 public:
  explicit Swapped(std::vector<PlannedWeight>& planned) {
    for (PlannedWeight& each : planned) {
      if (!each.chosen || each.dynamic) continue;
      Tensor* tensor = weights::tensor_of(*each.weight.value);
      kept_.push_back({tensor, tensor->content, tensor->storage});
      tensor->content = each.forms[*each.chosen].content;
      tensor->storage = Storage::kMade;
    }
  }
  ~Swapped() {
    for (Kept& each : kept_) {
      each.tensor->content = std::move(each.content);
      each.tensor->storage = each.storage;
    }
  }
  Swapped(const Swapped&) = delete;
  Swapped& operator=(const Swapped&) = delete;

 private:
  struct Kept {
    Tensor* tensor;
    Tensor::Content content;
    Storage storage;
  };
  std::vector<Kept> kept_;
};

// Noise over signal of one output; nullopt when it is not of floats.
std::optional<double> noise_ratio(const ops::Datum& reference, const ops::Datum& now) {
  const ops::Array *a = reference.array(), *b = now.array();
  if (!a || !b || a->type() != b->type() || a->sizes() != b->sizes()) return std::nullopt;
  double signal = 0, noise = 0;
  bool is_float = false;
  using Types = ops::TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16>;
  ops::dispatch(Types(), a->type(), [&]<typename T>() {
    is_float = true;
    for (std::size_t i = 0; i < a->count(); ++i) {
      const auto x = static_cast<double>(static_cast<ops::Computed<T>>(a->data<T>()[i]));
      const auto y = static_cast<double>(static_cast<ops::Computed<T>>(b->data<T>()[i]));
      if (!std::isfinite(x)) continue;
      signal += x * x;
      noise += std::isfinite(y) ? (x - y) * (x - y) : x * x;
    }
  });
  if (!is_float || signal == 0) return std::nullopt;
  return noise / signal;
}

}  // namespace

OutputError::OutputError(Model& model, const BindingOptions& bindings) : model_(model) {
  try {
    RunOptions options;
    options.bindings = bindings;
    RunReport report;
    inputs_ = made_inputs(model, options, report);
    analysis::Evaluator evaluator(model);
    if (auto results = evaluator.run(inputs_)) reference_ = std::move(*results);
    why_ = evaluator.why();
  } catch (const Error& error) {
    why_ = error.message();
  }
}

double OutputError::snr_with(std::vector<PlannedWeight>& planned) {
  const Swapped swapped(planned);
  analysis::Evaluator evaluator(model_);
  const auto results = evaluator.run(inputs_);
  if (!results || results->size() != reference_.size()) return -INFINITY;
  double sum = 0;
  int outputs = 0;
  for (std::size_t i = 0; i < results->size(); ++i) {
    if (const auto ratio = noise_ratio(reference_[i], (*results)[i])) sum += *ratio, ++outputs;
  }
  if (outputs == 0 || sum <= 0) return INFINITY;
  return -10 * std::log10(sum / outputs);
}

}  // namespace onnxpress::tasks
