// Checks which schemes can be stored at the opset of each weight, and words the errors and notes about it.
#include "onnxpress/tasks/quantize/forms/storable_schemes.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/weights/chain/quantized_chain.h"

namespace onnxpress {

using weights::Scheme;

namespace {

std::string why_not_stored(const Scheme& scheme, std::optional<std::int64_t> opset, const QuantizeOptions& options) {
  switch (options.encoding.value_or(WeightEncoding::kFolded)) {
    case WeightEncoding::kSimulate:
      return {};
    case WeightEncoding::kDq:
      if (scheme.codes != weights::Codes::kFloat16 && scheme.codes != weights::Codes::kBfloat16)
        return weights::why_not_dequantized(scheme, opset);
      [[fallthrough]];
    default:
      return weights::why_not_folded(scheme, opset);
  }
}

}  // namespace

void require_storable(const std::vector<PlannedWeight>& planned, const std::vector<Scheme>& schemes,
                      const QuantizeOptions& options) {
  std::string why;
  bool narrower = false;
  for (const PlannedWeight& each : planned) {
    if (!each.reason_kept.empty() || each.dynamic) continue;
    const std::vector<Scheme> tried = each.requested ? std::vector{*each.requested} : schemes;
    for (const Scheme& scheme : tried) {
      if (scheme.codes == weights::Codes::kKeep) return;
      const std::string reason = why_not_stored(scheme, each.weight.opset, options);
      if (reason.empty()) return;
      if (!why.empty()) continue;
      why = fmt::format("'{}' cannot be stored: {}", weights::to_string(scheme), reason);
      narrower = scheme.codes == weights::Codes::kBfloat16 &&
                 why_not_stored({.codes = weights::Codes::kFloat16}, each.weight.opset, options).empty();
    }
  }
  if (why.empty()) return;
  std::string instead;
  if (options.encoding == WeightEncoding::kDq)
    instead = "use option `encoding=folded` if the runtime is ONNX Runtime, or ";
  if (narrower) instead = "use float16 instead, or ";
  throw Error("", why, instead + "convert the model to that opset first: `optimize` has option `opset`");
}

std::string left_out_note(const std::vector<PlannedWeight>& planned, const std::vector<Scheme>& schemes,
                          const QuantizeOptions& options) {
  for (const PlannedWeight& each : planned) {
    if (!each.reason_kept.empty() || each.dynamic || each.requested) continue;
    const auto left_out = std::ranges::find_if(
        schemes, [&](const Scheme& scheme) { return !why_not_stored(scheme, each.weight.opset, options).empty(); });
    if (left_out == schemes.end()) continue;
    return fmt::format("'{}' and others were not tried: {}", weights::to_string(*left_out),
                       why_not_stored(*left_out, each.weight.opset, options));
  }
  return {};
}

// DequantizeLinear has types of 4 and 8 bits only.
std::string wider_codes_note(const std::vector<PlannedWeight>& planned, const std::optional<Scheme>& preset,
                             const QuantizeOptions& options) {
  for (const PlannedWeight& each : planned) {
    const std::optional<Scheme>& asked = each.requested ? each.requested : preset;
    if (options.encoding != WeightEncoding::kDq || !each.chosen || !asked || each.dynamic) continue;
    const Scheme& made = each.forms[*each.chosen].scheme;
    if (asked->codes != weights::Codes::kInteger || made.bits <= asked->bits) continue;
    return fmt::format("int{} is stored as int{}: DequantizeLinear takes codes of {} bits", asked->bits, made.bits,
                       each.weight.opset.value_or(0) < 21 ? "8" : "4 or 8");
  }
  return {};
}

}  // namespace onnxpress
