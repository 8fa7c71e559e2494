// Merges two Casts into one if the first loses nothing.
//
//   before: y = Cast(Cast(x, to = float), to = int64)   with x of type float16
//   after:  y = Cast(x, to = int64)
//
// The first type must hold every value of x: float holds float16, int64 holds int32, and any type holds bool.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Whether `to` can hold every value of `from`.
bool holds(ElementType from, ElementType to) {
  const auto rank = [](ElementType type) {
    switch (type) {
      case ElementType::kFloat16:
      case ElementType::kBfloat16:
        return 1;
      case ElementType::kFloat:
        return 2;
      case ElementType::kDouble:
        return 3;
      default:
        return 0;
    }
  };
  if (from == to || (from == ElementType::kBool && (is_integer(to) || rank(to) > 0))) return true;
  if (rank(from) > 0 && rank(to) > 0) return rank(from) < rank(to);
  if (!is_integer(from) || !is_integer(to)) return false;
  const bool from_signed = name_of(from).starts_with("int"), to_signed = name_of(to).starts_with("int");
  if (from_signed == to_signed) return bits_of(from) <= bits_of(to);
  return !from_signed && bits_of(from) < bits_of(to);
}

bool apply_merge_casts(Node& cast, Rewriter& rw) {
  Node* first = rw.producer(cast.input(0), "Cast");
  if (!first) return false;
  const ElementType from = rw.element_of(first->input(0)), between = rw.element_of(first->output());
  const ElementType to = rw.element_of(cast.output());
  if (from == ElementType::kUndefined || to == ElementType::kUndefined || !holds(from, between)) return false;
  if (from == to) return rw.replace(cast, first->input(0));
  return rw.set_input(cast, 0, first->input(0));  // the second Cast keeps `saturate` and `round_mode`
}

constexpr std::string_view kMergeCastsRoots[] = {"Cast"};

}  // namespace

extern const Rewrite merge_casts;
const Rewrite merge_casts = {.name = "merge-casts",
                             .summary = "merges two Casts into one if the first loses nothing",
                             .exactness = Exactness::kExact,
                             .group = "arithmetic",
                             .roots = kMergeCastsRoots,
                             .apply = apply_merge_casts};

}  // namespace onnxpress::passes
