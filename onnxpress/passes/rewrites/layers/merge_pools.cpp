// Removes a pool before a global pool if the global pool gives the same result without it.
//
//   before: y = GlobalAveragePool(AveragePool(x, kernel_shape = [2, 2], strides = [2, 2]))   with x of [n, c, 8, 8]
//   after:  y = GlobalAveragePool(x)
//
// For averages, the windows must be adjacent and cover everything; for maxima, there must be no gaps between them.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

using Numbers = std::vector<std::int64_t>;

// A list parameter of the pool, or its default; nullopt if it is known only at run time or has another length.
std::optional<Numbers> numbers_of(const Node& pool, std::string_view name, std::size_t count, std::int64_t otherwise,
                                  const Rewriter& rw) {
  const auto params = rw.params(pool);
  if (!params.given(name)) return Numbers(count, otherwise);
  auto list = params.integers(name);
  return list && list->size() == count ? list : std::nullopt;
}

bool covers_all(const Node& pool, bool is_average, const Rewriter& rw) {
  const auto x = rw.shape_of(pool.input(0)), y = rw.shape_of(pool.output(0));
  if (!x || !y || x->size() < 3 || y->size() != x->size()) return false;
  const auto params = rw.params(pool);
  if (params.text_or("auto_pad", "NOTSET") != "NOTSET" || params.flag("ceil_mode")) return false;
  const std::size_t axes = x->size() - 2;
  const auto kernel = params.integers("kernel_shape"), strides = numbers_of(pool, "strides", axes, 1, rw),
             pads = numbers_of(pool, "pads", 2 * axes, 0, rw), dilations = numbers_of(pool, "dilations", axes, 1, rw);
  if (!kernel || kernel->size() != axes || !strides || !pads || !dilations) return false;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = (*x)[i + 2].size(), count = (*y)[i + 2].size();
    const std::int64_t window = (*kernel)[i], step = (*strides)[i], begin = (*pads)[i], end = (*pads)[axes + i];
    if (!size || !count || *count < 1 || window < 1 || step < 1 || (*dilations)[i] != 1) return false;
    if (is_average && (window != step || begin != 0 || end != 0 || *count * window != *size)) return false;
    if (window < step || begin < 0 || end < 0 || (*count - 1) * step + window - begin < *size) return false;
  }
  return true;
}

bool apply_merge_pools(Node& global, Rewriter& rw) {
  const bool is_average = global.is("GlobalAveragePool");
  const Node* pool = rw.sole_producer(global.input(0), is_average ? "AveragePool" : "MaxPool");
  if (!pool || pool->output(0) != global.input(0)) return false;
  if (!covers_all(*pool, is_average, rw))
    return rw.refuse("the windows of {} do not cover every element {}", pool->op_type(),
                     is_average ? "once" : "of its operand");
  return rw.replace(global, rw.make(global.op_type(), {pool->input(0)}));
}

constexpr std::string_view kMergePoolsRoots[] = {"GlobalAveragePool", "GlobalMaxPool"};

}  // namespace

extern const Rewrite merge_pools;
const Rewrite merge_pools = {.name = "merge-pools",
                             .summary = "removes a pool before a global pool",
                             .exactness = Exactness::kReassociates,
                             .group = "layers",
                             .roots = kMergePoolsRoots,
                             .apply = apply_merge_pools};

}  // namespace onnxpress::passes
