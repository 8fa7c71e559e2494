// Merges two consecutive LabelEncoders into one.
//
//   before: y = LabelEncoder(LabelEncoder(x, keys, labels), other keys, other labels)
//   after:  y = LabelEncoder(x, keys, what the second makes of the labels of the first)
//
// Both must have lists of keys and values. Inputs that the first has no label for get the second encoder's result for
// the first one's default.
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

using ops::Array;

bool is_label_encoder(const Node& node) { return node.op_type() == "LabelEncoder" && node.domain() == "ai.onnx.ml"; }

// The values of the encoder, followed by its default.
std::optional<Array> labels_of(const ops::Params& params) {
  if (params.given("default_tensor") || params.given("keys_tensor")) return std::nullopt;
  if (auto texts = params.texts("values_strings")) {
    texts->push_back(params.text_or("default_string", "_Unused"));
    return Array::of(std::span<const std::string>(std::vector<std::string>(texts->begin(), texts->end())));
  }
  if (auto numbers = params.integers("values_int64s")) {
    numbers->push_back(params.integer_or("default_int64", -1));
    return Array::of(std::span<const std::int64_t>(*numbers));
  }
  auto reals = params.reals("values_floats");
  if (!reals) return std::nullopt;
  reals->push_back(static_cast<float>(params.real_or("default_float", -0.0)));
  return Array::of(std::span<const float>(*reals));
}

// The last label becomes the default, and all others the list of values.
std::vector<Attribute*> label_attributes(const Array& labels, Arena& arena) {
  const std::size_t count = labels.count() - 1;
  if (labels.type() == ElementType::kInt64) {
    const auto all = labels.data<std::int64_t>();
    return {make_attribute(arena, "default_int64", all[count]),
            make_attribute(arena, "values_int64s", all.first(count))};
  }
  if (labels.type() == ElementType::kFloat) {
    const auto all = labels.data<float>();
    return {make_attribute(arena, "default_float", all[count]),
            make_attribute(arena, "values_floats", all.first(count))};
  }
  if (!labels.is_string()) return {};
  const auto all = labels.data<std::string>();
  const std::vector<std::string_view> texts(all.begin(), all.end());
  return {make_attribute(arena, "default_string", texts[count]),
          make_attribute(arena, "values_strings", std::span<const std::string_view>(texts).first(count))};
}

bool apply_merge_label_encoders(Node& second, Rewriter& rw) {
  const Value* between = second.input(0);
  Node* first = between ? between->producer() : nullptr;
  if (!first || !is_label_encoder(*first) || !rw.op_of(*first) || between->is_output() || between->use_count() != 1)
    return false;
  const auto params = rw.params(*first);
  const auto labels = labels_of(params);
  if (!labels || !labels_of(rw.params(second))) return false;
  const ops::Datum given(*labels);
  const ops::Datum* operand = &given;
  const auto results = analysis::evaluate_node(second, *rw.op_of(second), {&operand, 1});
  const Array* mapped = results && !results->empty() ? results->front().array() : nullptr;
  if (!mapped || mapped->count() != labels->count()) return false;
  std::vector<Attribute*> attributes = label_attributes(*mapped, rw.model().arena());
  if (attributes.empty()) return false;
  for (Attribute* each : first->attributes()) {
    if (each->name.starts_with("keys_")) attributes.push_back(each);
  }
  Graph& graph = *second.graph();
  Value *x = first->input(0), *result = graph.create_value({});
  graph.insert_before(&second, {.op_type = second.op_type(),
                                .domain = second.domain(),
                                .inputs = {&x, 1},
                                .outputs = {&result, 1},
                                .attributes = attributes});
  return rw.replace(second, result);
}

constexpr std::string_view kMergeLabelEncodersRoots[] = {"ai.onnx.ml.LabelEncoder"};

}  // namespace

extern const Rewrite merge_label_encoders;
const Rewrite merge_label_encoders = {.name = "merge-label-encoders",
                                      .summary = "merges two consecutive LabelEncoders into one",
                                      .exactness = Exactness::kExact,
                                      .group = "arithmetic",
                                      .roots = kMergeLabelEncodersRoots,
                                      .apply = apply_merge_label_encoders};

}  // namespace onnxpress::passes
