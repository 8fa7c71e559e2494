// One element in each row differs from all others: one-hot tables.
//
//   before: w[i, j] = j == k[i] ? a : b
//   after:  w = Gather([b, a], Cast(Equal(k as a column, Range(0, columns))))
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/diagonals.h"
#include "onnxpress/weights/lossless/encoding.h"

namespace onnxpress::weights {

namespace {

// The position of the element that is not `most` in each row of `columns` elements; empty if a row has none or several.
std::vector<std::uint32_t> places(std::string_view bytes, std::size_t columns, std::string_view most) {
  std::vector<std::uint32_t> found;
  const std::size_t width = most.size(), row = columns * width;
  for (std::size_t begin = 0; begin < bytes.size(); begin += row) {
    std::uint32_t place = 0, others = 0;
    for (std::uint32_t j = 0; j < columns && others < 2; ++j) {
      if (bytes.substr(begin + j * width, width) == most) continue;
      place = j;
      ++others;
    }
    if (others != 1) return {};
    found.push_back(place);
  }
  return found;
}

std::optional<Chain> find_one_hot(const Candidate& tensor) {
  if (tensor.statistics().distinct.size() != 2 || tensor.dims().empty() || tensor.dims().back() < 3 ||
      !tensor.has_op("Range", ElementType::kInt32))
    return std::nullopt;
  const std::size_t width = tensor.bytes().size() / tensor.count();
  std::string_view one(reinterpret_cast<const char*>(tensor.statistics().distinct.data()), width);
  std::string_view most(reinterpret_cast<const char*>(tensor.statistics().distinct.data() + 1), width);
  const auto columns = static_cast<std::size_t>(tensor.dims().back());
  auto found = places(tensor.bytes().view(), columns, most);
  if (found.empty()) {
    std::swap(one, most);
    found = places(tensor.bytes().view(), columns, most);
  }
  if (found.empty()) return std::nullopt;
  ChainBuilder chain(tensor);
  std::vector<std::int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  dims.back() = 1;
  const auto column = indices(chain, found, dims);
  const auto along = cast(chain, positions(chain, 0, tensor.dims().back(), 1, 0, 1), ElementType::kInt32);
  choose(chain, tensor, most, one, chain.op("Equal", {column, along}));
  return chain.finish();
}

}  // namespace

constinit const Encoding one_hot = {
    .name = "one-hot", .summary = "tables with one different element in each row", .find = find_one_hot};

}  // namespace onnxpress::weights
