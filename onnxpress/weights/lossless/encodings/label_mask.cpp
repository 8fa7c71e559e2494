// Masks that compare labels pairwise: the attention masks of shifted windows.
//
//   before: w[b, i, j] = label[b, i] == label[b, j] ? a : c
//   after:  w = Gather([c, a], Cast(Equal(labels as columns, labels as rows)))
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/diagonals.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

// Row i has the label of the first column that is `same` in it. Checks nothing else, because the chain is checked
// later.
bool add_labels(std::string_view matrix, std::size_t n, std::string_view same, std::vector<std::uint32_t>& labels) {
  const std::size_t width = same.size();
  std::vector<std::uint32_t> dense(n, 0);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view row = matrix.substr(i * n * width, n * width);
    if (row.substr(i * width, width) != same) return false;
    std::size_t first = 0;
    while (row.substr(first * width, width) != same) ++first;
    dense[i] = first == i ? next++ : dense[first];
    labels.push_back(dense[i]);
  }
  return true;
}

std::optional<Chain> find_label_mask(const Candidate& tensor) {
  const std::size_t rank = tensor.dims().size();
  if (rank < 2 || tensor.statistics().distinct.size() != 2 || tensor.dims()[rank - 1] != tensor.dims()[rank - 2] ||
      !tensor.has_op("Equal", ElementType::kInt32))
    return std::nullopt;
  const auto n = static_cast<std::size_t>(tensor.dims().back());
  const std::size_t width = tensor.bytes().size() / tensor.count(), matrix = n * n * width;
  const std::string_view bytes = tensor.bytes().view();
  // The diagonal compares each label with itself.
  const std::string_view same = bytes.substr(0, width);
  std::vector<std::uint32_t> labels;
  for (std::size_t begin = 0; begin < bytes.size(); begin += matrix) {
    if (!add_labels(bytes.substr(begin, matrix), n, same, labels)) return std::nullopt;
  }
  const auto& distinct = tensor.statistics().distinct;
  const std::string_view first(reinterpret_cast<const char*>(distinct.data()), width);
  const std::string_view second(reinterpret_cast<const char*>(distinct.data() + 1), width);

  ChainBuilder chain(tensor);
  std::vector<std::int64_t> columns(tensor.dims().begin(), tensor.dims().end()), rows = columns;
  columns[rank - 1] = rows[rank - 2] = 1;
  const auto down = indices(chain, labels, columns);
  choose(chain, tensor, same == first ? second : first, same, chain.op("Equal", {down, reshape(chain, down, rows)}));
  return chain.finish();
}

}  // namespace

constinit const Encoding label_mask = {
    .name = "label-mask", .summary = "masks that say which pairs have the same label", .find = find_label_mask};

}  // namespace onnxpress::weights
