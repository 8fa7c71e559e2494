// Compares arrays, and sequences and maps of them, part by part.
#include "onnxpress/compare/output_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace onnxpress::compare {

namespace {

OutputDifference difference_of(const ops::Array& right, const ops::Array& other, bool classes) {
  OutputDifference found;
  if (right.type() != other.type() || right.sizes() != other.sizes()) {
    found.same_bits = false;
    found.why = fmt::format("it is {} instead of {}", type_text(other), type_text(right));
    return found;
  }
  found.elements = right.count();
  found.different = different_elements(right, other);
  found.same_bits = found.different == 0;
  found.is_real = is_real(right.type());
  if (!found.is_real) return found;
  found.epsilon = epsilon_of(right.type());
  const auto x = as_double(right), y = as_double(other);
  if (!x || !y) return found;
  // The sign of a NaN depends on the processor and has no meaning.
  for (std::size_t i = 0; !found.same_bits && i < right.count(); ++i) {
    if (!std::isnan(x->data<double>()[i]) || !std::isnan(y->data<double>()[i])) continue;
    const std::size_t width = right.width();
    if (std::memcmp(right.bytes() + i * width, other.bytes() + i * width, width) != 0) --found.different;
  }
  found.same_bits = found.different == 0;
  found.distance = distance_of(*y, *x, right.type());
  if (classes) found.classes = same_five_of(*x, *y);
  return found;
}

OutputDifference other_kind(std::string why) {
  OutputDifference found;
  found.same_bits = false;
  found.why = std::move(why);
  return found;
}

}  // namespace

void OutputDifference::add(const OutputDifference& more) {
  same_bits &= more.same_bits;
  is_real |= more.is_real;
  if (why.empty()) why = more.why;
  elements += more.elements, different += more.different;
  classes.add(more.classes);
  epsilon = std::max(epsilon, more.epsilon);
  distance.add(more.distance);
}

void OutputDifference::widen(const OutputDifference& other) {
  same_bits &= other.same_bits;
  is_real |= other.is_real;
  if (why.empty()) why = other.why;
  different = std::max(different, other.different);
  distance.noise = std::max(distance.noise, other.distance.noise);
  distance.max_abs = std::max(distance.max_abs, other.distance.max_abs);
  distance.not_finite = std::max(distance.not_finite, other.distance.not_finite);
}

std::uint64_t different_elements(const ops::Array& a, const ops::Array& b) {
  std::uint64_t count = 0;
  if (a.is_string()) {
    for (std::size_t i = 0; i < a.count(); ++i) count += a.data<std::string>()[i] == b.data<std::string>()[i] ? 0 : 1;
    return count;
  }
  const std::size_t width = a.width();
  if (a.count() == 0 || std::memcmp(a.bytes(), b.bytes(), a.count() * width) == 0) return 0;
  for (std::size_t i = 0; i < a.count(); ++i)
    count += std::memcmp(a.bytes() + i * width, b.bytes() + i * width, width) == 0 ? 0 : 1;
  return count;
}

OutputDifference difference_of(const ops::Datum& right, const ops::Datum& other, bool classes) {
  if (right.content.index() != other.content.index()) return other_kind("it is of another kind");
  if (right.array()) return difference_of(*right.array(), *other.array(), classes);
  OutputDifference found;
  if (right.empty()) return found;
  if (right.sequence()) {
    if (right.sequence()->size() != other.sequence()->size()) return other_kind("it is a sequence of another length");
    for (std::size_t i = 0; i < right.sequence()->size(); ++i) {
      OutputDifference part = difference_of((*right.sequence())[i], (*other.sequence())[i], classes);
      if (!part.why.empty()) part.why = fmt::format("in element {} of the sequence, {}", i, part.why);
      found.add(part);
    }
    return found;
  }
  const auto& a = *std::get<std::shared_ptr<const ops::Map>>(right.content);
  const auto& b = *std::get<std::shared_ptr<const ops::Map>>(other.content);
  found.add(difference_of(a.keys, b.keys, false));
  found.add(difference_of(a.values, b.values, false));
  return found;
}

std::vector<OutputDifference> differences_of(const Model& reference, const OutputPairs& pairs,
                                             const std::vector<ops::Datum>& right,
                                             const std::vector<ops::Datum>& other) {
  std::vector<OutputDifference> all;
  for (const auto& [i, j] : pairs) {
    const ops::Array* array = right.at(i).array();
    const Value& output = *reference.graph().outputs()[i]->value;
    const bool classes = array && is_real(array->type()) && has_classes(output, *array);
    all.push_back(difference_of(right[i], other.at(j), classes));
  }
  return all;
}

bool is_within_floor(const OutputDifference& difference, const OutputDifference& floor, double epsilon, double times) {
  constexpr double kRoundings = 16, kLargestRoundings = 64;
  if (difference.same_bits) return true;
  if (!difference.why.empty()) return !floor.why.empty();
  if (!difference.is_real)
    return static_cast<double>(difference.different) <= times * static_cast<double>(floor.different);
  const Distance &off = difference.distance, &moved = floor.distance;
  if (static_cast<double>(off.not_finite) > times * static_cast<double>(moved.not_finite)) return false;
  const double rounding = kRoundings * std::max(epsilon, difference.epsilon);
  const double largest = kLargestRoundings * std::max(epsilon, difference.epsilon);
  return off.noise <= std::max(rounding * rounding * off.signal, times * times * moved.noise) &&
         off.max_abs <= std::max(largest * off.largest, times * moved.max_abs);
}

}  // namespace onnxpress::compare
