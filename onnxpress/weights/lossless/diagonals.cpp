// Each row must equal the row above it, shifted by one.
#include "onnxpress/weights/lossless/diagonals.h"

#include "onnxpress/weights/chain/chain_parts.h"

namespace onnxpress::weights {

std::optional<Diagonals> diagonals_of(const Candidate& tensor) {
  const std::size_t rank = tensor.dims().size();
  if (rank < 2 || tensor.count() < 4 || tensor.statistics().is_splat) return std::nullopt;
  Diagonals found;
  found.rows = tensor.dims()[rank - 2];
  found.columns = tensor.dims()[rank - 1];
  if (found.rows < 2 || found.columns < 2 ||
      static_cast<std::uint64_t>(found.rows) * static_cast<std::uint64_t>(found.columns) != tensor.count())
    return std::nullopt;
  found.width = tensor.bytes().size() / tensor.count();
  const std::size_t row = static_cast<std::size_t>(found.columns) * found.width;
  const std::string_view bytes = tensor.bytes().view();
  for (std::int64_t i = 1; i < found.rows; ++i) {
    const std::size_t begin = static_cast<std::size_t>(i) * row;
    if (bytes.substr(begin + found.width, row - found.width) != bytes.substr(begin - row, row - found.width))
      return std::nullopt;
  }
  for (std::int64_t i = found.rows; i-- > 1;)
    found.elements += bytes.substr(static_cast<std::size_t>(i) * row, found.width);
  found.elements += bytes.substr(0, row);
  return found;
}

Chain::Ref diagonal_numbers(ChainBuilder& chain, const Candidate& tensor, const Diagonals& diagonals) {
  const std::size_t rank = tensor.dims().size();
  std::vector<std::int64_t> column(rank, 1);
  column[rank - 2] = diagonals.rows;
  const auto down = reshape(chain, positions(chain, diagonals.rows - 1, diagonals.rows, -1, 0, 1), column);
  return chain.op("Add", {down, positions(chain, 0, diagonals.columns, 1, 0, 1)});
}

Chain::Ref choose(ChainBuilder& chain, const Candidate& tensor, std::string_view no, std::string_view yes,
                  Chain::Ref condition) {
  const std::int64_t two = 2;
  const auto values =
      chain.constant(tensor.type(), std::span(&two, 1), Bytes::owned(std::string(no) + std::string(yes)));
  return chain.op("Gather", {values, cast(chain, condition, ElementType::kInt32)});
}

}  // namespace onnxpress::weights
