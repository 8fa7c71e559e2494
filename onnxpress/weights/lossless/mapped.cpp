// Counts the values that each byte occurs together with; the two most frequent ones make the table.
#include "onnxpress/weights/lossless/mapped.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/bit_patterns.h"
#include "onnxpress/weights/lossless/exceptions.h"

namespace onnxpress::weights {

namespace {

constexpr std::size_t kBytes = 256;

// Where an element of the candidate is in the base.
struct Turn {
  bool turned = false;
  std::size_t rows = 1, columns = 1;  // of the candidate
  std::size_t operator()(std::size_t i) const { return turned ? i % columns * rows + i / columns : i; }
};

std::optional<Turn> turn_between(const Candidate& candidate, const Tensor& base) {
  const auto dims = candidate.dims();
  if (std::ranges::equal(dims, base.dims)) return Turn{};
  if (dims.size() != 2 || base.dims.size() != 2 || dims[0] != base.dims[1] || dims[1] != base.dims[0])
    return std::nullopt;
  return Turn{true, static_cast<std::size_t>(dims[0]), static_cast<std::size_t>(dims[1])};
}

// The values that one byte stands for. Counts a few more than the two that are needed, so that a rare value that comes
// first does no harm.
class ValuesOfByte {
 public:
  void add(std::uint64_t word) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (words_[i] != word) continue;
      ++counts_[i];
      return;
    }
    if (used_ == words_.size()) return;
    words_[used_] = word;
    counts_[used_++] = 1;
  }
  // Puts the most frequent ones first.
  void settle() {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = i + 1; j < used_; ++j) {
        if (counts_[j] <= counts_[i]) continue;
        std::swap(counts_[i], counts_[j]);
        std::swap(words_[i], words_[j]);
      }
    }
  }
  bool has_two() const { return used_ > 1; }
  std::uint64_t word(std::size_t which) const { return words_[used_ > which ? which : 0]; }
  bool is_first(std::uint64_t word) const { return used_ > 0 && words_[0] == word; }
  bool is_second(std::uint64_t word) const { return used_ > 1 && words_[1] == word; }

 private:
  std::array<std::uint64_t, 4> words_ = {};
  std::array<std::uint64_t, 4> counts_ = {};
  std::size_t used_ = 0;
};
using Table = std::array<ValuesOfByte, kBytes>;

// The values of each byte, from every `step`-th element.
template <typename Word>
Table table_of(Elements<Word> words, std::string_view base, const Turn& turn, std::size_t step) {
  Table table;
  for (std::size_t i = 0; i < words.size(); i += step) table[static_cast<unsigned char>(base[turn(i)])].add(words[i]);
  for (ValuesOfByte& each : table) each.settle();
  return table;
}

struct Mapped {
  Table table;
  bool has_bits = false;
  std::string bits;  // packed: which of the two values it is
  std::vector<std::uint32_t> exceptions;
};

// Looks at a sample: is nearly every element one of the two values of its byte?
template <typename Word>
bool may_be_mapped(Elements<Word> words, std::string_view base, const Turn& turn) {
  constexpr std::size_t kLooked = 4096, kOdd = 16;
  const std::size_t step =
      std::max<std::size_t>(1, words.size() / kLooked) | 1;  // odd, because row lengths are mostly even
  const Table table = table_of(words, base, turn, step);
  std::size_t others = 0, looked = 0;
  for (std::size_t i = 0; i < words.size(); i += step, ++looked) {
    const ValuesOfByte& values = table[static_cast<unsigned char>(base[turn(i)])];
    if (!values.is_first(words[i]) && !values.is_second(words[i])) ++others;
  }
  return others * kOdd <= looked;
}

template <typename Word>
std::optional<Mapped> mapped_from(Elements<Word> words, std::string_view base, const Turn& turn) {
  if (!may_be_mapped(words, base, turn)) return std::nullopt;
  Mapped mapped{.table = table_of(words, base, turn, 1)};
  const std::size_t packed = packed_bytes(words.size(), 1);
  mapped.bits.assign(packed, '\0');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const ValuesOfByte& values = mapped.table[static_cast<unsigned char>(base[turn(i)])];
    if (values.is_first(words[i])) continue;
    if (values.is_second(words[i])) {
      mapped.has_bits = true;
      mapped.bits[i % packed] =
          static_cast<char>(static_cast<unsigned char>(mapped.bits[i % packed]) | 1U << i / packed);
      continue;
    }
    mapped.exceptions.push_back(static_cast<std::uint32_t>(i));
    if (mapped.exceptions.size() > words.size() / 32) return std::nullopt;
  }
  return mapped;
}

Chain::Ref whole_number(ChainBuilder& chain, std::int32_t value) {
  return chain.constant(ElementType::kInt32, {},
                        Bytes::owned(std::string(reinterpret_cast<const char*>(&value), sizeof value)));
}

// In the order of the bytes as numbers: signed ones begin with -128.
Chain::Ref table_constant(ChainBuilder& chain, const Mapped& mapped, bool is_signed) {
  const auto width = static_cast<std::size_t>(bits_of(chain.candidate().type())) / 8;
  std::string bytes;
  for (std::size_t which = 0; which < (mapped.has_bits ? 2 : 1); ++which) {
    for (std::size_t i = 0; i < kBytes; ++i) {
      const std::uint64_t word = mapped.table[is_signed ? i ^ 128 : i].word(which);
      bytes.append(reinterpret_cast<const char*>(&word), width);
    }
  }
  const std::int64_t count[] = {static_cast<std::int64_t>(bytes.size() / width)};
  return chain.constant(chain.candidate().type(), count, Bytes::owned(std::move(bytes)));
}

bool has_ops_for_tables(const Candidate& candidate, const Tensor& base) {
  return candidate.has_op("Gather", candidate.type()) && candidate.has_op("Cast", base.type) &&
         candidate.has_op("Transpose", base.type) && candidate.has_op("Add", ElementType::kInt32) &&
         candidate.has_op("Mul", ElementType::kInt32) && can_unpack(candidate);
}

}  // namespace

bool gives_by_table(ElementType type) { return type == ElementType::kUint8 || type == ElementType::kInt8; }

std::optional<Chain> chain_from_codes(const Candidate& candidate, Value* value, const Tensor& base) {
  const int bits = bits_of(candidate.type());
  if (!gives_by_table(base.type) || bits < 8 || bits > 64 || candidate.count() > 0x7fffffff) return std::nullopt;
  const auto turn = turn_between(candidate, base);
  if (!turn || !has_ops_for_tables(candidate, base)) return std::nullopt;
  const Bytes content = base.bytes();
  if (content.size() != candidate.count()) return std::nullopt;
  auto mapped = with_words(candidate, [&](auto words) { return mapped_from(words, content.view(), *turn); });
  if (!mapped) return std::nullopt;
  ChainBuilder chain(candidate);
  const bool is_signed = base.type == ElementType::kInt8;
  Chain::Ref at = chain.constant(base.type, base.dims, content);
  chain.set_base(value);
  if (turn->turned) {
    const std::int64_t order[] = {1, 0};
    at = chain.op("Transpose", {at}, {chain.attribute("perm", order)});
  }
  at = cast(chain, at, ElementType::kInt32);
  if (is_signed) at = chain.op("Add", {at, whole_number(chain, 128)});
  if (mapped->has_bits) {
    const std::int64_t row[] = {1, static_cast<std::int64_t>(mapped->bits.size())};
    const auto packed = chain.constant(ElementType::kUint8, row, Bytes::owned(std::move(mapped->bits)));
    const auto second = cast(chain, unpack(chain, packed, 1, candidate.dims()), ElementType::kInt32);
    at = chain.op("Add", {at, chain.op("Mul", {second, whole_number(chain, kBytes)})});
  }
  const auto looked_up = chain.op("Gather", {table_constant(chain, *mapped, is_signed), at});
  if (mapped->exceptions.empty()) return chain.finish();
  const std::int64_t flat[] = {-1};
  const auto whole = with_exceptions(chain, reshape(chain, looked_up, flat), mapped->exceptions);
  if (!whole) return std::nullopt;
  reshape(chain, *whole, candidate.dims());
  return chain.finish();
}

}  // namespace onnxpress::weights
