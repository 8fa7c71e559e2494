// Replaces an Einsum that is a matrix product by a MatMul.
//
//   before: y = Einsum(a, b, "bhid,bhdj->bhij")   or "bhid,bhjd->bhij"
//   after:  y = MatMul(a, b)                      with b transposed for the second
//
// The leading letters are the same in all three. The letter that is summed has one size in both operands: an Einsum
// repeats an axis of size 1, a MatMul does not.
#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/shared/permutation.h"

namespace onnxpress::passes {

namespace {

// Splits an equation such as "ab,bc->ac", ignoring spaces; false for any other form.
bool read_equation(std::string_view text, std::string& a, std::string& b, std::string& result) {
  std::string plain;
  for (const char each : text) {
    if (each != ' ') plain += each;
  }
  const std::size_t comma = plain.find(','), arrow = plain.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) return false;
  a = plain.substr(0, comma);
  b = plain.substr(comma + 1, arrow - comma - 1);
  result = plain.substr(arrow + 2);
  return plain.find('.') == std::string::npos && b.find(',') == std::string::npos;
}

bool apply_convert_einsum(Node& node, Rewriter& rw) {
  std::string a, b, result;
  const std::string_view equation = rw.params(node).text_or("equation", "");
  if (node.input_count() != 2 || !read_equation(equation, a, b, result))
    return rw.refuse("{} is not a product of two operands with a letter for each axis", quote_name(equation));
  const std::size_t rank = a.size();
  const bool has_ranks = rank >= 2 && b.size() == rank && result.size() == rank;
  if (!has_ranks) return rw.refuse("operands and result of {} have different ranks", quote_name(equation));
  const std::string batch = a.substr(0, rank - 2);
  const char rows = a[rank - 2], inner = a[rank - 1], columns = result[rank - 1];
  const bool turned = b == batch + columns + inner;
  if (result != batch + rows + columns || !(turned || b == batch + inner + columns))
    return rw.refuse("{} is not a MatMul of the last two axes", quote_name(equation));
  if (rows == columns || rows == inner || inner == columns) return false;
  for (std::size_t i = 0; i < rank; ++i) {  // each letter once in a
    if (a.find(a[i], i + 1) != std::string::npos || batch.find(columns) != std::string::npos) return false;
  }
  Value* right = node.input(1);
  const auto left_shape = rw.shape_of(node.input(0)), right_shape = rw.shape_of(right);
  if (!left_shape || !right_shape || left_shape->size() != rank || right_shape->size() != rank ||
      !rw.dims().equal(left_shape->back(), (*right_shape)[turned ? rank - 1 : rank - 2]))
    return false;
  if (turned) {
    Permutation perm(rank);
    for (std::size_t i = 0; i < rank; ++i) perm[i] = static_cast<std::int64_t>(i);
    std::swap(perm[rank - 1], perm[rank - 2]);
    right = rw.make("Transpose", {right}, {{"perm", perm}});
  }
  return rw.replace(node, rw.make("MatMul", {node.input(0), right}));
}

constexpr std::string_view kConvertEinsumRoots[] = {"Einsum"};

}  // namespace

extern const Rewrite convert_einsum;
const Rewrite convert_einsum = {.name = "convert-einsum",
                                .summary = "replaces an Einsum that is a matrix product by a MatMul",
                                .exactness = Exactness::kReassociates,
                                .group = "layers",
                                .large_pattern = true,
                                .roots = kConvertEinsumRoots,
                                .apply = apply_convert_einsum};

}  // namespace onnxpress::passes
