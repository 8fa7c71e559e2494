// Einsum: operands are folded from left to right, each pair as a stack of matrix products.
#include "onnxpress/ops/math/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/widen.h"

namespace onnxpress::ops {

namespace {

// A letter is its own label. The axes of an ellipsis have labels from kEllipsis on; the last axis has the highest.
using Labels = std::vector<int>;
constexpr int kEllipsis = 256, kMostEllipsis = 1024;

struct Equation {
  std::vector<Labels> operands;
  Labels result;
  bool ellipses_differ = false;  // in the number of axes
};

// Parses one term. An ellipsis becomes the single label kMostEllipsis; nullopt when the term is malformed.
std::optional<Labels> parse_term(std::string_view text) {
  Labels labels;
  bool seen = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      labels.push_back(c);
    } else if (text.substr(i, 3) == "..." && !seen) {
      labels.push_back(kMostEllipsis);
      seen = true;
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return labels;
}

// Replaces the ellipsis with labels for `rank` axes.
Labels with_ellipsis(const Labels& term, std::size_t rank) {
  Labels labels;
  for (const int label : term) {
    if (label != kMostEllipsis) {
      labels.push_back(label);
      continue;
    }
    for (std::size_t i = 0; i < rank; ++i) labels.push_back(kMostEllipsis - static_cast<int>(rank - i));
  }
  return labels;
}

std::optional<Equation> parse_equation(std::string_view text, std::span<const std::size_t> ranks) {
  std::string plain;
  for (const char c : text) {
    if (c != ' ') plain += c;
  }
  const std::size_t arrow = plain.find("->");
  std::string_view left = std::string_view(plain).substr(0, arrow);
  Equation equation;
  std::size_t most_ellipsis = 0;
  std::optional<std::size_t> first_ellipsis;
  for (const std::size_t rank : ranks) {
    const std::size_t comma = left.find(',');
    const auto term = parse_term(left.substr(0, comma));
    if (!term || (comma == std::string_view::npos) != (equation.operands.size() + 1 == ranks.size()))
      return std::nullopt;
    const bool has_ellipsis = std::find(term->begin(), term->end(), kMostEllipsis) != term->end();
    const std::size_t letters = term->size() - (has_ellipsis ? 1 : 0);
    if (rank < letters || (!has_ellipsis && rank != letters) || rank - letters > kMostEllipsis - kEllipsis)
      return std::nullopt;
    if (has_ellipsis && first_ellipsis.value_or(rank - letters) != rank - letters) equation.ellipses_differ = true;
    if (has_ellipsis && !first_ellipsis) first_ellipsis = rank - letters;
    most_ellipsis = std::max(most_ellipsis, rank - letters);
    equation.operands.push_back(with_ellipsis(*term, rank - letters));
    left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
  }
  if (arrow != std::string::npos) {
    const auto term = parse_term(std::string_view(plain).substr(arrow + 2));
    if (!term) return std::nullopt;
    equation.result = with_ellipsis(*term, most_ellipsis);
    return equation;
  }
  // Without an arrow, the result has the ellipsis, then the letters that occur once, in alphabetical order.
  std::map<int, int> times;
  for (const Labels& term : equation.operands) {
    for (const int label : term) ++times[label];
  }
  equation.result = with_ellipsis({kMostEllipsis}, most_ellipsis);
  for (const auto& [label, count] : times) {
    if (label < kEllipsis && count == 1) equation.result.push_back(label);
  }
  return equation;
}

bool has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

// An array with a distinct label for each axis.
struct Labelled {
  Array array;
  Labels labels;

  std::int64_t size(int label) const {
    return array.size(static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin()));
  }
  // A copy with its axes in the order of `order`.
  Array ordered(const Labels& order) const {
    std::vector<std::size_t> axes;
    for (const int label : order)
      axes.push_back(static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin()));
    if (std::is_sorted(axes.begin(), axes.end())) return array;
    return permuted(array, axes);
  }
};

// Takes diagonals of labels that occur twice, and drops axes of size 1 that are broadcast.
Labelled labelled(const Array& array, const Labels& labels, const std::map<int, std::int64_t>& sizes) {
  const Sizes strides = strides_of(array.sizes());
  Labelled result;
  Sizes own, steps;
  for (std::size_t axis = 0; axis < labels.size(); ++axis) {
    const std::int64_t size = sizes.at(labels[axis]);
    if (array.size(axis) != size) continue;
    if (const auto at = std::find(result.labels.begin(), result.labels.end(), labels[axis]);
        at != result.labels.end()) {
      steps[static_cast<std::size_t>(at - result.labels.begin())] += strides[axis];
      continue;
    }
    result.labels.push_back(labels[axis]);
    own.push_back(size);
    steps.push_back(strides[axis]);
  }
  result.array = gathered(array, own, steps);
  return result;
}

// Sums over the labels that are not in `kept`.
Labelled summed(const Labelled& from, const std::set<int>& kept) {
  Labels stay, go;
  for (const int label : from.labels) (kept.contains(label) ? stay : go).push_back(label);
  if (go.empty()) return from;
  Labels order = stay;
  order.insert(order.end(), go.begin(), go.end());
  const Array array = from.ordered(order);
  Sizes sizes(array.sizes().begin(), array.sizes().begin() + static_cast<std::ptrdiff_t>(stay.size()));
  Array result = Array::make(array.type(), sizes);
  const std::size_t length = result.count() == 0 ? 0 : array.count() / result.count();
  const auto sum = [&]<typename T>() {
    const T* numbers = reinterpret_cast<const T*>(array.bytes());
    T* to = reinterpret_cast<T*>(result.mutable_bytes());
    for (std::size_t i = 0; i < result.count(); ++i, numbers += length) {
      T total = 0;
      for (std::size_t k = 0; k < length; ++k) total = static_cast<T>(total + numbers[k]);
      to[i] = total;
    }
  };
  switch (array.type()) {
    case ElementType::kFloat:
      sum.operator()<float>();
      break;
    case ElementType::kDouble:
      sum.operator()<double>();
      break;
    case ElementType::kInt32:
    case ElementType::kUint32:
      sum.operator()<std::uint32_t>();
      break;
    default:
      sum.operator()<std::uint64_t>();
      break;
  }
  return {std::move(result), std::move(stay)};
}

// The product of two arrays, summed over the labels that both have and that are not in `kept`.
std::optional<Labelled> contracted(const Labelled& a, const Labelled& b, const std::set<int>& kept) {
  Labels batch, inner, left, right;
  for (const int label : a.labels) {
    (!has(b.labels, label) ? left : kept.contains(label) ? batch : inner).push_back(label);
  }
  for (const int label : b.labels) {
    if (!has(a.labels, label)) right.push_back(label);
  }
  Sizes result_sizes;
  const auto product = [&](const Labelled& of, const Labels& labels) {
    std::int64_t count = 1;
    for (const int label : labels) count *= of.size(label);
    return count;
  };
  const auto join = [](const Labels& x, const Labels& y, const Labels& z) {
    Labels all = x;
    all.insert(all.end(), y.begin(), y.end());
    all.insert(all.end(), z.begin(), z.end());
    return all;
  };
  Labelled result{{}, join(batch, left, right)};
  for (const int label : result.labels) result_sizes.push_back(has(a.labels, label) ? a.size(label) : b.size(label));
  if (!count_of(result_sizes)) return std::nullopt;
  const std::int64_t stacks = product(a, batch), depth = product(a, inner);
  const Array x = a.ordered(join(batch, left, inner)).reshaped({stacks, product(a, left), depth});
  const Array y = b.ordered(join(batch, inner, right)).reshaped({stacks, depth, product(b, right)});
  const auto plan = plan_matmul(x.sizes(), y.sizes());
  if (!plan) return std::nullopt;
  result.array = multiply(*plan, x, y).reshaped(result_sizes);
  return result;
}

// The size of each label; nullopt when operands disagree.
std::optional<std::map<int, std::int64_t>> label_sizes(Call& call, const Equation& equation) {
  std::map<int, std::int64_t> sizes;
  for (std::size_t i = 0; i < equation.operands.size(); ++i) {
    std::map<int, std::int64_t> own;
    for (std::size_t axis = 0; axis < equation.operands[i].size(); ++axis) {
      const int label = equation.operands[i][axis];
      const std::int64_t size = call.array(i).size(axis);
      if (const auto [at, fresh] = own.emplace(label, size); !fresh && at->second != size) return std::nullopt;
      const auto [at, fresh] = sizes.emplace(label, size);
      if (!fresh && at->second == 1) at->second = size;
      if (at->second != size && size != 1) return std::nullopt;
    }
  }
  for (std::size_t i = 0; i < equation.result.size(); ++i) {
    const auto end = equation.result.begin() + static_cast<std::ptrdiff_t>(i);
    if (!sizes.contains(equation.result[i]) || std::find(equation.result.begin(), end, equation.result[i]) != end)
      return std::nullopt;
  }
  return sizes;
}

}  // namespace

namespace {

// The equation, and the size of each label as far as the operands' shapes are known.
struct SymbolicEquation {
  Equation equation;
  std::map<int, Dim> sizes;
};

std::optional<SymbolicEquation> symbolic_equation(Inference& in) {
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    if (!in.shape(i)) return std::nullopt;
    ranks.push_back(in.shape(i)->size());
  }
  auto equation = parse_equation(in.params.text_or("equation", ""), ranks);
  if (!equation) {
    in.contradict("the operands do not match the equation");
    return std::nullopt;
  }
  std::map<int, Dim> sizes;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t axis = 0; axis < ranks[i]; ++axis) {
      const Dim dim = (*in.shape(i))[axis];
      const auto [at, fresh] = sizes.emplace(equation->operands[i][axis], dim);
      if (!fresh) at->second = in.dims.broadcast(at->second, dim);
    }
  }
  return SymbolicEquation{std::move(*equation), std::move(sizes)};
}

}  // namespace

void infer_einsum(Inference& in) {
  const auto known = symbolic_equation(in);
  if (!known) return;
  if (known->equation.ellipses_differ) return in.contradict("its ellipses stand for different numbers of axes");
  Shape shape;
  for (const int label : known->equation.result) {
    const auto found = known->sizes.find(label);
    if (found == known->sizes.end())
      return in.contradict(fmt::format("no operand has the label '{}' of the result", static_cast<char>(label)));
    shape.push_back(found->second);
  }
  in.set_shape(std::move(shape));
}

// Each step multiplies over all labels of both sides. Labels that neither a later operand nor the result needs are
// summed away in the same step.
void cost_einsum(CostQuery& query) {
  query.cost.macs = Dim();
  const auto known = symbolic_equation(query.in);
  if (!known || known->equation.operands.empty()) return;
  const std::vector<Labels>& operands = known->equation.operands;
  std::set<int> held(operands[0].begin(), operands[0].end());
  Dim macs = Dim::size(0);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    held.insert(operands[i].begin(), operands[i].end());
    Dim work = Dim::size(1);
    for (const int label : held) work = query.product(work, known->sizes.at(label));
    macs = query.dims.add(macs, work);
    std::erase_if(held, [&](int label) {
      bool needed = has(known->equation.result, label);
      for (std::size_t k = i + 1; k < operands.size(); ++k) needed |= has(operands[k], label);
      return !needed;
    });
  }
  query.cost.macs = macs;
  if (operands.size() == 1) query.cost.flops = query.operand_elements(0);
}

bool evaluate_einsum(Call& call) {
  const ElementType type = call.array(0).type();
  const bool whole = type == ElementType::kInt32 || type == ElementType::kInt64 || type == ElementType::kUint32 ||
                     type == ElementType::kUint64;
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < call.operand_count(); ++i) {
    if (call.array(i).type() != type || (!whole && !is_float_like(type))) return call.fail_type();
    ranks.push_back(call.array(i).rank());
  }
  const auto equation = parse_equation(call.params.text_or("equation", ""), ranks);
  if (!equation || ranks.empty()) return call.fail("the equation is malformed or does not match the operands' ranks");
  const auto sizes = label_sizes(call, *equation);
  if (!sizes) return call.fail("the equation's labels do not match the operands' sizes");
  std::optional<Labelled> result;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::set<int> kept(equation->result.begin(), equation->result.end());
    for (std::size_t k = i + 1; k < ranks.size(); ++k)
      kept.insert(equation->operands[k].begin(), equation->operands[k].end());
    const Labelled next = labelled(widened(call.array(i)), equation->operands[i], *sizes);
    if (!result) {
      result = summed(next, kept);
      continue;
    }
    std::set<int> of_both = kept;
    of_both.insert(result->labels.begin(), result->labels.end());
    result = contracted(*result, summed(next, of_both), kept);
    if (!result) return call.fail("an intermediate result is too large");
    result = summed(*result, kept);
  }
  return call.done(narrowed(result->ordered(equation->result), type));
}

}  // namespace onnxpress::ops
