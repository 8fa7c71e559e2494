// Runs the model with the chosen forms on all inputs.
#include "onnxpress/tasks/quantize/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"

namespace onnxpress {

namespace {

// The lowest SNR of any output for any input. `asked` and the rest are what broken promises are told with.
struct Promise {
  double asked = 0, worst = 0, may_miss = 0;
  std::uint64_t tried = 0, missed = 0;
};

std::string broken(const Promise& promise, const std::vector<InputLine>& inputs) {
  const auto worst =
      std::ranges::min_element(inputs, {}, [](const InputLine& line) { return line.snr.value_or(INFINITY); });
  const std::string missed =
      promise.may_miss > 0 ? fmt::format("; {} of {} inputs have less", promise.missed, promise.tried) : "";
  return fmt::format("{:.1f} dB were asked for, but only {:.1f} dB were reached: output {} for {} inputs{}",
                     promise.asked, promise.worst, quote_name(worst->output), worst->kind, missed);
}

}  // namespace

std::string measure(Work& work) {
  if (!work.request.measures) return {};
  QuantizeReport& report = work.report;
  // A goal about outputs has found out that the model runs. Without one, it need not.
  OutputError& outputs = work.request.quality > 0 ? work.working_outputs() : work.outputs();
  if (!outputs.works()) {
    report.note = fmt::format("outputs could not be measured: {}", outputs.why());
    return {};
  }
  begin_stage("measuring outputs");
  const std::vector<Loss> losses = outputs.losses_with(work.weights, outputs.all());
  Promise promise{.asked = work.request.quality,
                  .worst = worst_after(losses, 0),
                  .may_miss = work.request.options.may_miss,
                  .tried = outputs.tried_inputs()};
  promise.missed = static_cast<std::uint64_t>(
      std::ranges::count_if(losses, [&](const Loss& loss) { return loss.snr < promise.asked; }));
  if (std::isfinite(promise.worst)) report.reached = promise.worst;
  report.tried = promise.tried;
  report.outputs = outputs.output_lines();
  report.inputs = outputs.input_lines();
  report.samples = outputs.sample_count();
  if (report.samples == 0) report.shapes = outputs.input_types();
  if (promise.asked <= 0) return {};
  report.asked = promise.asked;
  report.missed = promise.missed;
  if (promise.missed <= excused_of(promise.tried, promise.may_miss / 100)) return {};
  const std::string why = broken(promise, report.inputs);
  report.note = why + (report.note.empty() ? "" : "; " + report.note);
  return report.note;
}

}  // namespace onnxpress
