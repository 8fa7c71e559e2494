// Chains and biases first, then ops that take codes, which changes nodes.
#include "onnxpress/tasks/quantize/apply.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "onnxpress/base/signal_to_noise.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/weights/chain/insert_chains.h"
#include "onnxpress/weights/lossy/block_codes.h"

namespace onnxpress {

namespace {

std::string why_kept(const PlannedWeight& planned, const QuantizeOptions& options) {
  if (!planned.reason_kept.empty()) return planned.reason_kept;
  if (!planned.not_dynamic.empty() && !options.rounds_weights()) return planned.not_dynamic;
  if (planned.requested && planned.requested->codes == weights::Codes::kKeep) return "the recipe says so";
  return planned.forms.empty() ? "would not be smaller, or cannot be stored this way"
                               : "no smaller form is good enough";
}

WeightLine line_of(const PlannedWeight& planned, const QuantizeOptions& options) {
  WeightLine line{.tensor = std::string(planned.weight.value->name()), .op = std::string(planned.weight.role.op)};
  line.elements = planned.weight.tensor->element_count().value_or(0);
  line.before = line.after = planned.before;
  if (planned.chosen) {
    const WeightForm& form = planned.forms[*planned.chosen];
    line.scheme = weights::to_string(form.scheme);
    line.method = planned.scaled + (planned.scaled.empty() || form.method.empty() ? "" : ", ") + form.method;
    line.after = form.bytes;
    if (form.error.noise > 0) line.sqnr = form.error.sqnr();
    line.largest_error = form.error.largest;
    line.cosine = form.error.cosine();
  } else {
    line.kept = why_kept(planned, options);
  }
  line.bits = line.elements ? 8.0 * static_cast<double>(line.after) / static_cast<double>(line.elements) : 0;
  return line;
}

CorrectedBias correct_bias(const Model& model, Value& bias, const Value& weight, const Bytes& corrected) {
  CorrectedBias line{.tensor = std::string(bias.name()), .weight = std::string(weight.name())};
  const weights::FloatSource before(model.files, *constant_tensor(bias));
  std::vector<float> numbers(before.count());
  before.read(0, numbers.size(), numbers.data());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    line.largest_change = std::max<double>(line.largest_change, std::abs(corrected.load<float>(i) - numbers[i]));
  replace_content(bias, corrected);
  return line;
}

}  // namespace

void describe_choice(const std::vector<PlannedWeight>& planned, const QuantizeOptions& options, WeightLoss before,
                     QuantizeReport& report) {
  for (const PlannedWeight& each : planned) {
    if (each.weight.role.op.empty() && !each.chosen) continue;
    report.tensors.push_back(line_of(each, options));
    ++(each.chosen ? report.rounded : report.kept);
    if (!each.chosen) continue;
    const weights::WeightError& error = each.forms[*each.chosen].error;
    before.noise += error.noise, before.signal += error.signal;
  }
  double bits = 0, elements = 0;
  for (const WeightLine& line : report.tensors)
    bits += 8.0 * static_cast<double>(line.after), elements += static_cast<double>(line.elements);
  report.bits = elements > 0 ? bits / elements : 0;
  if (before.noise > 0) report.sqnr = signal_to_noise(before.signal, before.noise);
  std::ranges::stable_sort(report.tensors, std::greater<>(), &WeightLine::before);
}

Inserted insert_choice(Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options) {
  Inserted done;
  passes::Scopes scopes(model);
  std::vector<weights::PlacedChain> chains;
  for (PlannedWeight& each : planned) {
    if (!each.chosen || each.dynamic) continue;
    WeightForm& form = each.forms[*each.chosen];
    Value* value = each.weight.value;
    if (form.bias) {
      CorrectedBias line = correct_bias(model, *each.bias, *value, *form.bias);
      done.changes.allow(line.tensor, line.largest_change);
      done.biases.push_back(std::move(line));
    }
    done.changes.allow(std::string(value->name()), form.error.largest);
    if (form.codes) continue;  // inserted below
    if (options.encoding == WeightEncoding::kSimulate)
      replace_content(*value, form.content);
    else
      chains.push_back({value, std::move(form.chain)});
  }
  if (!chains.empty()) weights::insert_chains(chains, model, scopes);
  for (PlannedWeight& each : planned) {
    if (!each.chosen || each.dynamic || !each.forms[*each.chosen].codes) continue;
    Value& weight = *each.weight.value;
    const auto& codes = each.forms[*each.chosen].codes;
    const bool by_column = passes::block_users(weight, codes->scheme.block) == passes::BlockUsers::kMatMul;
    passes::insert_block_ops(model, weight, weights::block_codes(codes, by_column));
    done.changes.new_nodes = true;
  }
  return done;
}

}  // namespace onnxpress
