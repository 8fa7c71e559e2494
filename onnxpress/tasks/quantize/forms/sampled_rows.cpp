// Takes every n-th output channel of a weight and rounds these in all ways: the rows of a weight are much alike.
#include "onnxpress/tasks/quantize/forms/sampled_rows.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "onnxpress/passes/shared/wire_size.h"
#include "onnxpress/tasks/quantize/search/limits.h"

namespace onnxpress {

namespace {

using weights::Scheme;

struct Tried {
  std::size_t scheme;
  double cost, noise, quality;
};

// Keeps the lower hull of noise over cost: no price per byte would choose any of the others.
std::vector<Tried> chosen_by_some_price(std::vector<Tried> all) {
  std::ranges::stable_sort(all, {}, &Tried::cost);
  std::vector<Tried> hull;
  for (const Tried& each : all) {
    if (!hull.empty() && each.noise >= hull.back().noise) continue;
    const auto above_line = [&] {
      const Tried &first = hull[hull.size() - 2], &middle = hull.back();
      return (middle.noise - first.noise) * (each.cost - first.cost) >=
             (each.noise - first.noise) * (middle.cost - first.cost);
    };
    while (hull.size() >= 2 && above_line()) hull.pop_back();
    hull.push_back(each);
  }
  return hull;
}

}  // namespace

std::optional<RowSample> RowSample::of(const Model& model, const PlannedWeight& all) {
  const weights::WeightRole& role = all.weight.role;
  if (role.channel_end != role.channel_begin + 1 || (all.layer && all.layer->groups != 1)) return std::nullopt;
  const auto rows = static_cast<std::size_t>(all.weight.tensor->dims[role.channel_begin]);
  const std::uint64_t count = std::max<std::uint64_t>(1, all.source->count());
  const std::size_t wanted = std::max<std::size_t>(kLimits.rows.least, kLimits.rows.elements * rows / count);
  if (wanted * kLimits.rows.least_part > rows || (all.layer && all.layer->rows != rows)) return std::nullopt;
  return RowSample(model, all, rows, wanted);
}

RowSample::RowSample(const Model& model, const PlannedWeight& all, std::size_t rows, std::size_t wanted)
    : dims_(
          std::make_unique<std::vector<std::int64_t>>(all.weight.tensor->dims.begin(), all.weight.tensor->dims.end())),
      tensor_(std::make_unique<Tensor>(*all.weight.tensor)),
      planned_(all) {
  const std::size_t axis = all.weight.role.channel_begin;
  (*dims_)[axis] = static_cast<std::int64_t>(wanted);
  tensor_->dims = *dims_;
  tensor_->type = ElementType::kFloat;
  tensor_->storage = Storage::kMade;
  tensor_->content = Bytes::owned(taken(*all.source, axis, rows, wanted));
  planned_.weight.tensor = tensor_.get();
  planned_.source = std::make_shared<weights::FloatSource>(model.files, *tensor_);
  planned_.before = passes::initializer_bytes(tensor_->type, tensor_->dims, *tensor_->expected_bytes(),
                                              all.weight.value->name().size());
  if (!all.layer) return;
  auto layer = std::make_shared<weights::LayerSample>(*all.layer);
  layer->rows = wanted;
  if (layer->row_stride == 1) layer->column_stride = wanted;
  layer->has_bias = false;
  planned_.layer = std::move(layer);
}

std::string RowSample::taken(const weights::FloatSource& source, std::size_t axis, std::size_t rows,
                             std::size_t wanted) const {
  std::uint64_t inner = 1, outer = 1;
  for (std::size_t i = 0; i < dims_->size(); ++i) {
    if (i < axis) outer *= static_cast<std::uint64_t>((*dims_)[i]);
    if (i > axis) inner *= static_cast<std::uint64_t>((*dims_)[i]);
  }
  std::string bytes(outer * wanted * inner * sizeof(float), '\0');
  auto* to = reinterpret_cast<float*>(bytes.data());
  for (std::uint64_t o = 0; o < outer; ++o) {
    for (std::size_t r = 0; r < wanted; ++r, to += inner)
      source.read((o * rows + (2 * r + 1) * rows / (2 * wanted)) * inner, inner, to);
  }
  return bytes;
}

std::vector<Scheme> promising_schemes(const Model& model, const PlannedWeight& planned, std::vector<Scheme> schemes,
                                      const QuantizeOptions& options, weights::Target target, double quality) {
  const auto sample = RowSample::of(model, planned);
  if (!sample) return schemes;
  std::optional<weights::LayerRounding> layer;
  if (sample->planned().layer) layer.emplace(*sample->planned().source, sample->planned().layer);
  std::vector<Tried> tried;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    const auto form = make_form(model, sample->planned(), schemes[i], options, target, layer ? &*layer : nullptr);
    if (form) tried.push_back({i, form->cost, form->noise, form->quality()});
  }
  if (tried.empty()) return schemes;
  std::vector<Scheme> kept;
  bool enough = false;
  for (const Tried& each : chosen_by_some_price(std::move(tried))) {
    if (quality > 0 && (each.quality < quality - kLimits.rows.below || enough)) continue;
    kept.push_back(schemes[each.scheme]);
    enough = each.quality > quality + kLimits.rows.above;
  }
  return kept.empty() ? schemes : kept;
}

}  // namespace onnxpress
