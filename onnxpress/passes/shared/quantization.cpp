// Reads scales and zero points.
#include "onnxpress/passes/shared/quantization.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onnxpress/ops/kernels/convert.h"

namespace onnxpress::passes {

namespace {

bool same_bits(const ops::Array& a, const ops::Array& b) {
  return a.type() == b.type() && a.count() == b.count() &&
         (a.count() == 0 || std::memcmp(a.bytes(), b.bytes(), a.count() * a.width()) == 0);
}

bool is_zero(const ops::Array& array) {
  return std::all_of(array.bytes(), array.bytes() + array.count() * array.width(),
                     [](std::byte each) { return each == std::byte{0}; });
}

// With scales outside this range, rounding a decoded number again may give another code.
bool is_usual(const ops::Array& scale) {
  const auto wide = ops::converted(scale, ElementType::kDouble);
  return wide && wide->count() > 0 &&
         std::ranges::all_of(wide->data<double>(), [](double each) { return each > 1e-30 && each < 1e30; });
}

}  // namespace

bool QuantizationGrid::operator==(const QuantizationGrid& other) const {
  if (type != other.type || axis != other.axis || !same_bits(scale, other.scale)) return false;
  if (zero && other.zero) return same_bits(*zero, *other.zero);
  return (!zero || is_zero(*zero)) && (!other.zero || is_zero(*other.zero));
}

std::optional<QuantizationGrid> grid_of(const Node& node, const Rewriter& rw) {
  const bool quantizes = rw.is(node, "QuantizeLinear");
  if (!quantizes && !rw.is(node, "DequantizeLinear")) return std::nullopt;
  for (const Attribute* each : node.attributes()) {
    if (each->name != "axis") return std::nullopt;  // it may work in other types, or in blocks
  }
  QuantizationGrid grid;
  grid.type = rw.element_of(quantizes ? node.output() : node.input(0));
  if (grid.type != ElementType::kInt8 && grid.type != ElementType::kUint8) return std::nullopt;
  const auto shape = rw.shape_of(node.input(0));
  const auto scale = rw.constant(node.input(1));
  if (!shape || !scale || scale->type() != ElementType::kFloat || !is_usual(*scale)) return std::nullopt;
  if (scale->rank() > 1) return std::nullopt;
  grid.scale = *scale;
  if (node.input(2)) {
    grid.zero = rw.constant(node.input(2));
    if (!grid.zero || grid.zero->count() != scale->count()) return std::nullopt;
  }
  if (scale->rank() == 1 && scale->count() != 1) {
    grid.axis = ops::normal_axis(rw.params(node).integer_or("axis", 1), shape->size());
    if (!grid.axis) return std::nullopt;
  }
  return grid;
}

}  // namespace onnxpress::passes
