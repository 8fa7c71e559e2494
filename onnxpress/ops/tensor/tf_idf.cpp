// TfIdfVectorizer. Strings are numbered first, so that all n-grams are lists of integers.
#include "onnxpress/ops/tensor/tf_idf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "onnxpress/ops/core/budget.h"

namespace onnxpress::ops {

namespace {

// The result's length, one more than the largest index; nullopt when the indexes are missing or not valid.
std::optional<std::int64_t> length_from(const Params& params) {
  const auto indexes = params.integers("ngram_indexes");
  if (!indexes || indexes->empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(indexes->begin(), indexes->end());
  if (*least < 0 || *most >= Dim::kMostSize) return std::nullopt;
  return *most + 1;
}

using Gram = std::vector<std::int64_t>;

// The known n-grams, and the numbers of the tokens.
struct GramPool {
  std::map<Gram, std::size_t> grams;  // n-gram to its position in ngram_indexes
  std::unordered_map<std::string_view, std::int64_t> numbers;

  std::int64_t number_of(std::string_view token) const {
    const auto found = numbers.find(token);
    return found == numbers.end() ? -1 : found->second;
  }
};

// `starts` says where the 1-grams, the 2-grams, ... begin in the list of tokens. An n-gram given twice is not valid, as
// in ONNX Runtime.
bool fill(GramPool& pool, std::span<const std::int64_t> tokens, std::span<const std::int64_t> starts) {
  std::size_t next = 0;
  for (std::size_t n = 1; n <= starts.size(); ++n) {
    const auto total = static_cast<std::int64_t>(tokens.size());
    const std::int64_t begin = starts[n - 1], end = n < starts.size() ? starts[n] : total;
    if (begin < 0 || end < begin || end > total || (end - begin) % static_cast<std::int64_t>(n) != 0) return false;
    for (std::int64_t at = begin; at < end; at += static_cast<std::int64_t>(n)) {
      const auto first = tokens.begin() + at;
      if (!pool.grams.emplace(Gram(first, first + static_cast<std::int64_t>(n)), next++).second) return false;
    }
  }
  return true;
}

std::optional<GramPool> pool_from(const Params& params) {
  const auto starts = params.integers("ngram_counts");
  if (!starts) return std::nullopt;
  GramPool pool;
  std::vector<std::int64_t> tokens;
  if (const auto texts = params.texts("pool_strings")) {
    for (const std::string_view text : *texts)
      tokens.push_back(pool.numbers.emplace(text, static_cast<std::int64_t>(pool.numbers.size())).first->second);
  } else if (const auto integers = params.integers("pool_int64s")) {
    tokens = *integers;
  }
  if (!fill(pool, tokens, *starts)) return std::nullopt;
  return pool;
}

struct GramLengths {
  std::int64_t least = 1, most = 1, skips = 0;
};

// How often each known n-gram occurs in the row, with 0 to `skips` tokens skipped between its tokens.
std::vector<float> counts_of(const GramPool& pool, std::span<const std::int64_t> row, const GramLengths& lengths) {
  std::vector<float> counts(pool.grams.size(), 0.0F);
  const auto length = static_cast<std::int64_t>(row.size());
  for (std::int64_t n = lengths.least; n <= std::min(lengths.most, length); ++n) {
    const std::int64_t most_skips = n == 1 ? 0 : std::min(lengths.skips, length);
    spend_steps(static_cast<std::uint64_t>(length), static_cast<std::uint64_t>(n),
                static_cast<std::uint64_t>(std::max<std::int64_t>(most_skips, 0) + 1));
    for (std::int64_t step = 1; step <= most_skips + 1; ++step) {
      for (std::int64_t begin = 0; begin + step * (n - 1) < length; ++begin) {
        Gram gram;
        for (std::int64_t k = 0; k < n; ++k) gram.push_back(row[static_cast<std::size_t>(begin + k * step)]);
        if (const auto found = pool.grams.find(gram); found != pool.grams.end()) counts[found->second] += 1;
      }
    }
  }
  return counts;
}

std::optional<std::vector<std::int64_t>> tokens_of(const Array& x, const GramPool& pool) {
  if (!x.is_string()) return x.integers();
  std::vector<std::int64_t> tokens;
  for (const std::string& text : x.data<std::string>()) tokens.push_back(pool.number_of(text));
  return tokens;
}

}  // namespace

void infer_tf_idf(Inference& in) {
  const Shape* x = in.shape(0);
  if (!x) return;
  if (x->empty() || x->size() > 2)
    return in.contradict(fmt::format("operand 0 has rank {}, but must have rank 1 or 2", x->size()));
  const auto indexes = in.params.integers("ngram_indexes");
  if (indexes && std::ranges::any_of(*indexes, [](std::int64_t each) { return each < 0; }))
    return in.contradict("ngram_indexes has an entry below 0");
  if (indexes && indexes->empty()) return in.contradict("ngram_indexes has no entries");
  const auto length = length_from(in.params);
  Shape y{length ? Dim::size(*length) : Dim()};
  if (x->size() == 2) y.insert(y.begin(), (*x)[0]);
  in.set_shape(y);
}

bool evaluate_tf_idf(Call& call) {
  const Array& x = call.array(0);
  const auto indexes = call.params.integers("ngram_indexes");
  const auto length = length_from(call.params);
  const auto pool = pool_from(call.params);
  if (!length || !pool) return call.fail("ngram_indexes, ngram_counts or the pool is not valid");
  if (x.rank() != 1 && x.rank() != 2) return call.fail("the input does not have one or two axes");
  const auto tokens = tokens_of(x, *pool);
  if (!tokens) return call.fail_type();
  const std::string_view mode = call.params.text_or("mode", "TF");
  const auto weights = call.params.reals("weights");
  const std::size_t known = pool->grams.size();
  if (indexes->size() < known || (weights && weights->size() < known))
    return call.fail("there are more n-grams than indexes or weights");
  const GramLengths lengths{std::max<std::int64_t>(call.params.integer_or("min_gram_length", 1), 1),
                            call.params.integer_or("max_gram_length", 1), call.params.integer_or("max_skip_count", 0)};
  Sizes sizes{*length};
  if (x.rank() == 2) sizes.insert(sizes.begin(), x.size(0));
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  Array y = Array::make<float>(sizes);
  const auto to = y.mutable_data<float>();
  std::fill(to.begin(), to.end(), 0.0F);
  const auto rows = static_cast<std::size_t>(x.rank() == 2 ? x.size(0) : 1),
             columns = static_cast<std::size_t>(x.sizes().back());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto counts = counts_of(*pool, std::span(*tokens).subspan(row * columns, columns), lengths);
    for (std::size_t i = 0; i < known; ++i) {
      float value = mode == "IDF" ? std::min(counts[i], 1.0F) : counts[i];
      if (mode != "TF" && weights) value *= (*weights)[i];
      if (counts[i] > 0) to[row * static_cast<std::size_t>(*length) + static_cast<std::size_t>((*indexes)[i])] = value;
    }
  }
  return call.done(std::move(y));
}

}  // namespace onnxpress::ops
