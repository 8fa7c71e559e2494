// The weights of a Conv are [out, in / group, ...], those of a ConvTranspose [in, out / group, ...].
#include "onnxpress/passes/shared/conv_channels.h"

#include <vector>

namespace onnxpress::passes {

Node* own_conv(const Value* result, const Rewriter& rw) {
  Node* conv = rw.sole_producer(result, "Conv");
  if (!conv) conv = rw.sole_producer(result, "ConvTranspose");
  if (!conv || !rw.is_constant(conv->input(1)) || conv->input(1)->use_count() != 1) return nullptr;
  return !conv->input(2) || rw.is_constant(conv->input(2)) ? conv : nullptr;
}

std::optional<std::int64_t> output_channels(const Node& conv, const Rewriter& rw) {
  const auto shape = rw.shape_of(conv.input(1));
  if (!shape || shape->size() < 3) return std::nullopt;
  if (conv.is("Conv")) return (*shape)[0].size();
  const auto per_group = (*shape)[1].size();
  const std::int64_t groups = rw.params(conv).integer_or("group", 1);
  if (!per_group || groups < 1 || *per_group > (std::int64_t{1} << 31) / groups) return std::nullopt;
  return *per_group * groups;
}

Value* per_channel(Value* c, const Node& conv, Rewriter& rw) {
  const auto shape = rw.shape_of(c), weights = rw.shape_of(conv.input(1));
  const auto channels = output_channels(conv, rw);
  if (!rw.is_constant(c) || !shape || !channels || shape->size() > weights->size()) return nullptr;
  if (rw.element_of(c) != rw.element_of(conv.input(1))) return nullptr;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const auto size = (*shape)[i].size();
    const bool is_channel_axis = weights->size() - shape->size() + i == 1;
    if (!size || (*size != 1 && !(is_channel_axis && *size == *channels))) return nullptr;
    count *= *size;
  }
  Value* flat = rw.reshaped(c, {-1});
  return count == *channels ? flat : rw.make("Expand", {flat}, {{"shape", std::vector<std::int64_t>{*channels}}});
}

Value* scaled_weights(const Node& conv, Value* k, Rewriter& rw, std::string_view op) {
  Value* w = conv.input(1);
  const auto shape = rw.shape_of(w);
  if (!k || !shape || shape->size() < 3) return nullptr;
  std::vector<std::int64_t> dims, along(shape->size(), 1);
  for (const Dim dim : *shape) dims.push_back(dim.size().value_or(-1));
  Value* made = nullptr;
  if (conv.is("Conv")) {
    along[0] = dims[0];
    made = rw.make(op, {w, rw.reshaped(k, along)});
  } else {
    const std::int64_t groups = rw.params(conv).integer_or("group", 1);
    std::vector<std::int64_t> grouped = dims;
    if (groups < 1 || dims[0] % groups != 0) return nullptr;
    grouped[0] = dims[0] / groups;
    grouped.insert(grouped.begin(), groups);
    along.assign(grouped.size(), 1);
    along[0] = groups;
    along[2] = dims[1];
    made = rw.reshaped(rw.make(op, {rw.reshaped(w, grouped), rw.reshaped(k, along)}), dims);
  }
  return rw.is_constant(made) && rw.shape_of(made) == shape ? made : nullptr;
}

}  // namespace onnxpress::passes
