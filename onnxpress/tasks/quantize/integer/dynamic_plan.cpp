// Chooses the layers that compute with integers (by op, position and options), and rounds their weights to 8 bits.
#include "onnxpress/tasks/quantize/integer/dynamic_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/weights/find/layers.h"
#include "onnxpress/weights/lossy/code_stream.h"
#include "onnxpress/weights/lossy/quantize.h"

namespace onnxpress {

namespace {

bool says_dynamic(const PlannedWeight& planned) { return planned.requested && planned.requested->dynamic; }

void require_ops(const Model& model) {
  const auto opset = model.opset("");
  if (opset && ops::find_op("", "DynamicQuantizeLinear", *opset) && ops::find_op("", "MatMulInteger", *opset)) return;
  throw Error(
      "",
      fmt::format("opset {} has no DynamicQuantizeLinear, which option `activations=dynamic` needs", opset.value_or(1)),
      "the model must have opset 11 or later");
}

class DynamicPlanner {
 public:
  DynamicPlanner(const Model& model, const QuantizeOptions& options, weights::Target target)
      : model_(model), options_(options), target_(target), scopes_(model), layers_(model) {}

  void plan(PlannedWeight& each) const {
    std::string why = reason_to_stay(each);
    auto uses = std::make_shared<passes::DynamicUses>();
    if (why.empty()) {
      *uses = passes::dynamic_uses(*each.weight.value, scopes_,
                                   [&](const Node& node) { return reason_to_stay(node, says_dynamic(each)); });
      if (uses->taken.empty()) why = uses->refused.empty() ? "there is no activation" : uses->refused;
      const bool decodes = uses->others || std::ranges::any_of(uses->taken, &passes::DynamicUse::transposed);
      if (decodes && !weights::decodes_chains(target_))
        why = "it needs decoding nodes, which this target does not take";
    }
    if (why.empty()) why = quantize(each, *uses);
    if (why.empty()) {
      each.dynamic = std::move(uses);
      each.reason_kept.clear();
      return;
    }
    each.not_dynamic = why;
    if (says_dynamic(each)) each.reason_kept = why;  // then it is not rounded in another way, either
  }

 private:
  std::string reason_to_stay(const PlannedWeight& each) const {
    if (!each.reason_kept.empty() && !each.lossless) return each.reason_kept;
    if (each.requested && !each.requested->dynamic) return "the recipe says otherwise";
    if (!options_.is_dynamic() && !says_dynamic(each)) return "the recipe does not ask for it";
    if (each.weight.tensor->type != ElementType::kFloat) return "the activations are not float32";
    if (&passes::root_of(*each.weight.value->graph()) != &model_.graph()) return "it belongs to a function";
    return {};
  }
  std::string reason_to_stay(const Node& node, bool asked) const {
    if (std::ranges::any_of(options_.exclude, [&](const std::string& each) { return matches(each, node); }))
      return "excluded";
    if (asked) return {};
    if (node.is("Conv") && options_.layers == IntegerLayers::kInner) return "Conv: only with option `layers=conv`";
    if (options_.layers == IntegerLayers::kAll) return {};
    if (layers_.is_first(node)) return "first layer: only with option `layers=all`";
    if (layers_.is_last(node)) return "last layer: only with option `layers=all`";
    return {};
  }

  // Returns why it cannot be done; empty if it was done.
  static std::string quantize(PlannedWeight& each, const passes::DynamicUses& uses) {
    weights::Scheme scheme;
    if (each.requested)
      scheme = *each.requested;
    else
      weights::set_dynamic(scheme);
    weights::WeightRole role = each.weight.role;
    role.channel_begin = uses.channel_axis, role.channel_end = uses.channel_axis + 1;
    const auto quantized = std::make_shared<const weights::Quantized>(weights::quantize(each.source, role, scheme));
    WeightForm form{.scheme = scheme, .codes = quantized};
    form.error = quantized->error;
    form.bytes = passes::dynamic_bytes(*each.weight.tensor, quantized->scales.size(), uses);
    form.cost = static_cast<double>(form.bytes);
    if (form.bytes >= each.before) return "it would not get smaller";
    each.forms.clear();
    each.forms.push_back(std::move(form));
    each.chosen = 0;
    return {};
  }

  const Model& model_;
  const QuantizeOptions& options_;
  weights::Target target_;
  passes::Scopes scopes_;
  weights::Layers layers_;
};

// Throws Error if option `activations=dynamic` would change nothing.
void require_some(const std::vector<PlannedWeight>& planned, const QuantizeOptions& options) {
  std::uint64_t weights = 0;
  std::vector<std::pair<std::string, std::uint64_t>> reasons;
  for (const PlannedWeight& each : planned) {
    if (each.dynamic || options.rounds_weights()) return;
    if (each.weight.role.op.empty()) continue;
    ++weights;
    const auto found = std::ranges::find(reasons, each.not_dynamic, &std::pair<std::string, std::uint64_t>::first);
    if (found == reasons.end())
      reasons.emplace_back(each.not_dynamic, 1);
    else
      ++found->second;
  }
  if (weights == 0)
    throw Error("", "option `activations=dynamic` has nothing to change: no MatMul, Gemm or Conv has a float constant",
                "is the model quantized already?");
  std::string text;
  for (const auto& [why, count] : reasons) text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", why, count);
  throw Error("", fmt::format("option `activations=dynamic` applies to none of the {} weights: {}", weights, text),
              "option `layers=all` and a lower option `min_elements` include more weights; "
              "option `to` works with any op");
}

}  // namespace

bool wants_dynamic(const QuantizeOptions& options, const std::vector<PlannedWeight>& planned) {
  return options.is_dynamic() || std::ranges::any_of(planned, says_dynamic);
}

void plan_dynamic(const Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options,
                  weights::Target target) {
  require_ops(model);
  const DynamicPlanner planner(model, options, target);
  parallel_for(planned.size(), [&](std::size_t i) { planner.plan(planned[i]); });
  require_some(planned, options);
}

void insert_dynamic(Model& model, std::vector<PlannedWeight>& planned, const QuantizeOptions& options) {
  std::vector<const passes::DynamicUses*> all;
  for (const PlannedWeight& each : planned) {
    if (each.dynamic) all.push_back(each.dynamic.get());
  }
  passes::DynamicRewriter rewriter(model, options.codes, all);
  for (PlannedWeight& each : planned) {
    if (!each.dynamic) continue;
    const bool is_signed = options.codes == IntegerCodes::kInt8;
    rewriter.rewrite(*each.weight.value, *each.dynamic,
                     weights::channel_codes(each.forms[*each.chosen].codes, is_signed));
  }
}

}  // namespace onnxpress
