// Runs the evaluator on positions to find where each element comes from.
#include "onnxpress/ops/kernels/moved_elements.h"

#include <algorithm>
#include <numeric>

namespace onnxpress::ops {

namespace {

bool is_small(const Fact& fact) {
  const auto sizes = fact.sizes();
  if (!sizes) return false;
  const auto count = count_of(*sizes);
  return count && *count <= kMostElementsKnown;
}

// The operands for the evaluator: positions in place of moved elements, constants elsewhere.
class Positions {
 public:
  // Position 0 stands for the zero that Pad fills in.
  Positions() : elements_{Dim::size(0)} {}

  bool add_moved(const Fact& fact) {
    if (!is_small(fact)) return false;
    Array positions = Array::make<std::int64_t>(*fact.sizes());
    const auto into = positions.mutable_data<std::int64_t>();
    std::iota(into.begin(), into.end(), static_cast<std::int64_t>(elements_.size()));
    if (fact.elements && fact.elements->size() == into.size()) {
      elements_.insert(elements_.end(), fact.elements->begin(), fact.elements->end());
    } else {
      elements_.resize(elements_.size() + into.size());
    }
    data_.emplace_back(std::move(positions));
    return elements_.size() <= 4 * kMostElementsKnown;
  }
  bool add_constant(const Array* constant) {
    if (constant) data_.emplace_back(*constant);
    return constant != nullptr;
  }
  void add_omitted() { data_.emplace_back(); }

  std::vector<const Datum*> operands() const {
    std::vector<const Datum*> pointers;
    for (const Datum& each : data_) pointers.push_back(each.empty() ? nullptr : &each);
    return pointers;
  }
  std::vector<Dim> elements_at(std::span<const std::int64_t> positions) const {
    std::vector<Dim> found;
    for (const std::int64_t position : positions) found.push_back(elements_[static_cast<std::size_t>(position)]);
    return found;
  }

 private:
  std::vector<Datum> data_;
  std::vector<Dim> elements_;
};

// The last bit stands for operand 63 and all after it.
bool is_moved(std::uint64_t moved, std::size_t i) { return (moved >> std::min<std::size_t>(i, 63) & 1) != 0; }

bool has_known_elements(Inference& in, std::uint64_t moved) {
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    if (is_moved(moved, i) && in.elements(i)) return true;
  }
  return false;
}

}  // namespace

void infer_moved_elements(Inference& in, bool (*evaluate)(Call&), std::uint64_t moved) {
  if (!has_known_elements(in, moved)) return;
  if (!std::all_of(in.results().begin(), in.results().end(), is_small)) return;
  Positions positions;
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    if (!in.has(i)) {
      positions.add_omitted();
    } else if (!(is_moved(moved, i) ? positions.add_moved(in.operand(i)) : positions.add_constant(in.constant(i)))) {
      return;
    }
  }
  const auto operands = positions.operands();
  Call call(in.params.node(), in.params.op(), operands, in.params.scope());
  if (!evaluate(call)) return;
  for (std::size_t i = 0; i < in.result_count(); ++i) {
    const Array* found = call.results()[i].array();
    if (found && found->type() == ElementType::kInt64 && found->sizes() == *in.result(i).sizes())
      in.set_elements(i, positions.elements_at(found->data<std::int64_t>()));
  }
}

void infer_moved_values(Inference& in) {
  for (Fact& result : in.results()) {
    result.range = in.operand(0).range;
    result.is_splat = in.operand(0).is_splat;
  }
}

void infer_moved(Inference& in, bool (*evaluate)(Call&)) {
  infer_moved_values(in);
  infer_moved_elements(in, evaluate);
}

}  // namespace onnxpress::ops
