// Finds the two halves that are swapped, behind Split, Slice, Neg and Concat, and halves the tables of cos and sin.
#include "onnxpress/passes/shared/rotary.h"

#include <algorithm>
#include <cstring>

#include "onnxpress/passes/shared/slices.h"

namespace onnxpress::passes {

namespace {

// One half of the last axis of a value: the first or second half or, if interleaved, every other element starting at
// the first or second.
struct Half {
  Value* of = nullptr;
  bool second = false, interleaved = false;
};

std::optional<Half> half_in(const Value* value, const Rewriter& rw) {
  Node* node = value ? value->producer() : nullptr;
  const auto shape = node ? rw.shape_of(node->input(0)) : std::nullopt;
  const auto size = shape && !shape->empty() ? shape->back().size() : std::nullopt;
  if (!size || *size % 2 != 0) return std::nullopt;
  if (rw.is(*node, "Split")) {
    const auto axis = ops::normal_axis(rw.params(*node).integer_or("axis", 0), shape->size());
    const auto part = rw.shape_of(value);
    if (axis != shape->size() - 1 || node->output_count() != 2 || !part || part->back().size() != *size / 2)
      return std::nullopt;
    return Half{node->input(0), value == node->output(1), false};
  }
  const auto slice = rw.is(*node, "Slice") ? slice_of(*node, rw) : std::nullopt;
  if (!slice || slice->axis != shape->size() - 1) return std::nullopt;
  const std::int64_t half = *size / 2;
  if (slice->step == 1 && slice->end - slice->begin == half && slice->begin % half == 0)
    return Half{node->input(0), slice->begin == half, false};
  if (slice->step == 2 && slice->begin < 2 && slice->end >= *size - 1 + slice->begin)
    return Half{node->input(0), slice->begin == 1, true};
  return std::nullopt;
}

bool joins_last_axis(const Node& concat, const Rewriter& rw) {
  const auto shape = rw.shape_of(concat.output());
  const auto axis = shape ? ops::normal_axis(rw.params(concat).integer_or("axis", 0), shape->size()) : std::nullopt;
  return axis && concat.input_count() == 2 && *axis + 1 == shape->size();
}

// The operand of an Unsqueeze that adds a last axis of size 1; null if the value is not the result of one.
Value* before_last_axis(const Value* value, const Rewriter& rw) {
  const Node* node = rw.producer(value, "Unsqueeze");
  const auto shape = node ? rw.shape_of(value) : std::nullopt,
             inner = node ? rw.shape_of(node->input(0)) : std::nullopt;
  const auto axes = node ? rw.params(*node).integers("axes") : std::nullopt;
  if (!shape || !inner || !axes || axes->size() != 1) return nullptr;
  return ops::normal_axis(axes->front(), shape->size()) == inner->size() ? node->input(0) : nullptr;
}

// What was rotated: the value is (-second half, first half) of it. nullopt if the value has another form.
std::optional<Half> turned_in(Value* value, const Rewriter& rw) {
  const Node* merge = rw.producer(value, "Reshape");
  const Node* concat = rw.producer(merge ? merge->input(0) : value, "Concat");
  if (!concat || !joins_last_axis(*concat, rw)) return std::nullopt;
  const Value *left = concat->input(0), *right = concat->input(1);
  if (merge) {
    left = before_last_axis(left, rw);
    right = before_last_axis(right, rw);
  }
  const Node* negated = rw.producer(left, "Neg");
  const auto a = negated ? half_in(negated->input(0), rw) : std::nullopt, b = half_in(right, rw);
  if (!a || !b || a->of != b->of || !a->second || b->second || a->interleaved != b->interleaved) return std::nullopt;
  if (a->interleaved != (merge != nullptr) || !rw.same_shape(value, a->of)) return std::nullopt;
  return a;
}

// One half of a constant whose halves are equal; null otherwise.
Value* half_of_constant(Value* table, bool interleaved, Rewriter& rw) {
  const auto shape = rw.shape_of(table);
  const auto size = shape && !shape->empty() ? shape->back().size() : std::nullopt;
  if (!size || *size % 2 != 0 || *size == 0) return nullptr;
  Value* halves[2];
  for (const std::int64_t i : {0, 1}) {
    using List = std::vector<std::int64_t>;
    halves[i] = rw.make("Slice", {table},
                        {{"starts", List{interleaved ? i : i * *size / 2}},
                         {"ends", List{interleaved ? *size : (i + 1) * *size / 2}},
                         {"axes", List{static_cast<std::int64_t>(shape->size()) - 1}},
                         {"steps", List{interleaved ? 2 : 1}}});
  }
  if (!rw.all_constant({halves[0], halves[1]})) return nullptr;
  const auto first = rw.constant(halves[0]), second = rw.constant(halves[1]);
  if (!first || !second) return nullptr;
  const bool same = std::memcmp(first->bytes(), second->bytes(), first->count() * first->width()) == 0;
  return same ? halves[0] : nullptr;
}

// The half that `node` repeats to make the whole table; null if it does something else.
Value* repeated_in(const Node& node, bool interleaved, const Rewriter& rw) {
  const Node* concat = interleaved ? rw.producer(node.input(0), "Concat") : &node;
  if (!concat || !concat->is("Concat") || concat->input(0) != concat->input(1) || !joins_last_axis(*concat, rw))
    return nullptr;
  if (!interleaved) return concat->input(0);
  Value* half = before_last_axis(concat->input(0), rw);
  auto shape = rw.shape_of(half);
  const auto whole = rw.shape_of(node.output());
  if (!rw.is(node, "Reshape") || !shape || !whole || shape->size() != whole->size()) return nullptr;
  shape->back() = rw.dims().mul(shape->back(), Dim::size(2));
  return std::ranges::equal(*shape, *whole, [&](Dim a, Dim b) { return rw.dims().equal(a, b); }) ? half : nullptr;
}

// One half of a table whose halves are equal; null otherwise. If the table is computed, builds nodes for the half.
Value* half_of_table(Value* table, bool interleaved, Rewriter& rw, int depth = 8) {
  if (rw.is_constant(table)) return half_of_constant(table, interleaved, rw);
  const Node* node = table ? table->producer() : nullptr;
  if (!node || depth == 0 || !rw.op_of(*node)) return nullptr;
  if (Value* half = repeated_in(*node, interleaved, rw)) return half;
  const auto inner = [&](std::size_t i) { return half_of_table(node->input(i), interleaved, rw, depth - 1); };
  const auto params = rw.params(*node);
  if (node->is("Cos") || node->is("Sin")) return rw.make(node->op_type(), {inner(0)});
  if (node->is("Cast")) return rw.make("Cast", {inner(0)}, {{"to", params.integer_or("to", 0)}});
  if (node->is("Gather") && params.integer_or("axis", 0) == 0 && rw.is_constant(node->input(0)))
    return rw.make("Gather", {inner(0), node->input(1)});
  if (node->is("Mul")) {
    for (const std::size_t i : {0, 1}) {
      const auto shape = rw.shape_of(node->input(i));
      if (rw.is_constant(node->input(i)) && shape && shape->empty())
        return rw.make("Mul", {inner(1 - i), node->input(i)});
    }
  }
  const auto shape = rw.shape_of(table);
  const auto axes = node->is("Unsqueeze") && shape ? params.integers("axes") : std::nullopt;
  const auto places = axes ? ops::normal_axes(*axes, shape->size()) : std::nullopt;
  if (!places || std::ranges::find(*places, shape->size() - 1) != places->end()) return nullptr;
  return rw.make("Unsqueeze", {inner(0)}, {{"axes", std::vector<std::int64_t>(places->begin(), places->end())}});
}

// Whether the table is broadcast along the heads only; for_each_batch: it has the batch axis of x.
bool lies_along(const Value* table, const ops::Shape& x, const Rewriter& rw, bool& for_each_batch) {
  const auto shape = rw.shape_of(table);
  if (!shape || shape->size() < 2 || shape->size() > 4) return false;
  ops::Shape whole(4 - shape->size(), Dim::size(1));
  whole.insert(whole.end(), shape->begin(), shape->end());
  for_each_batch = whole[0].size() != 1;
  return whole[1].size() == 1 && rw.dims().equal(whole[2], x[2]) && rw.dims().equal(whole[3], x[3]) &&
         (!for_each_batch || rw.dims().equal(whole[0], x[0]));
}

}  // namespace

std::optional<RotaryMatch> find_rotation(Node& add, Rewriter& rw) {
  for (const std::size_t side : {0, 1}) {
    const Node* plain = rw.sole_producer(add.input(side), "Mul");
    const Node* other = plain ? rw.sole_producer(add.input(1 - side), "Mul") : nullptr;
    for (const std::size_t i : {0, 1}) {
      const auto turned = other ? turned_in(other->input(i), rw) : std::nullopt;
      const auto shape = turned ? rw.shape_of(turned->of) : std::nullopt;
      if (!shape || shape->size() != 4 || (plain->input(0) != turned->of && plain->input(1) != turned->of)) continue;
      Value *cosine = plain->input(plain->input(0) == turned->of ? 1 : 0), *sine = other->input(1 - i);
      bool first = false, second = false;
      if (!lies_along(cosine, *shape, rw, first) || !lies_along(sine, *shape, rw, second) || first != second) continue;
      RotaryMatch found{turned->of, turned->interleaved, half_of_table(cosine, turned->interleaved, rw),
                        half_of_table(sine, turned->interleaved, rw), first};
      if (found.cosine && found.sine) return found;
    }
  }
  return std::nullopt;
}

}  // namespace onnxpress::passes
