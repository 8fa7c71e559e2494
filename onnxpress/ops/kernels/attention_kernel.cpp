// Attention, head by head.
#include "onnxpress/ops/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/kernels/gemm.h"
#include "onnxpress/ops/kernels/integer_math.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/rounded_math.h"

namespace onnxpress::ops {

namespace {

// Turns scores into probabilities; `sink`, if not null, is one more logit in the sum.
template <typename T>
void softmax(std::span<T> scores, const double* sink) {
  T most = sink ? static_cast<T>(*sink) : -std::numeric_limits<T>::infinity();
  for (const T each : scores) most = std::max(most, each);
  double sum = sink ? std::exp(*sink - static_cast<double>(most)) : 0;
  for (T& each : scores) sum += static_cast<double>(each = rounded_exponential(each - most));
  const double share = 1 / sum;
  for (T& each : scores) each = static_cast<T>(static_cast<double>(each) * share);
}

template <typename T>
class Head {
 public:
  Head(const AttentionHeads& heads, const AttentionBias<T>& bias, std::size_t index)
      : heads_(heads),
        bias_(bias),
        batch_(static_cast<std::int64_t>(index) / heads.heads()),
        head_(static_cast<std::int64_t>(index) % heads.heads()),
        queries_(unsigned_of(heads.queries())),
        keys_(unsigned_of(heads.keys())),
        size_(unsigned_of(heads.q.size(3))),
        value_size_(unsigned_of(heads.v.size(3))) {
    const std::int64_t shared = heads.heads() / heads.k.size(1), place = batch_ * heads.k.size(1) + head_ / shared;
    q_ = heads.q.data<T>().data() + index * queries_ * size_;
    k_ = heads.k.data<T>().data() + unsigned_of(place) * keys_ * size_;
    v_ = heads.v.data<T>().data() + unsigned_of(place) * keys_ * value_size_;
  }

  // `shown` may be null.
  void run(T* y, T* shown, bool parallel) const {
    std::vector<T> scores(queries_ * keys_), bias(keys_);
    const auto depth = static_cast<std::ptrdiff_t>(size_);
    gemm({queries_, keys_, size_}, Matrix<T>{q_, depth, 1}, Matrix<T>{k_, 1, depth}, scores.data(), keys_,
         {.parallel = parallel});
    const auto scale = static_cast<T>(heads_.scale), cap = static_cast<T>(heads_.softcap);
    for (T& each : scores) each *= scale;
    show(AttentionHeads::Shown::kProducts, scores, shown);
    if (cap > 0) {
      for (T& each : scores) each = cap * rounded_tanh(each / cap);
    }
    show(AttentionHeads::Shown::kCapped, scores, shown);
    std::vector<bool> hidden(queries_, keys_ == 0);
    for (std::size_t i = 0; bias_ && i < queries_; ++i) {
      std::fill(bias.begin(), bias.end(), T(0));
      bias_(batch_, head_, static_cast<std::int64_t>(i), bias);
      hidden[i] =
          std::all_of(bias.begin(), bias.end(), [](T each) { return each == -std::numeric_limits<T>::infinity(); });
      for (std::size_t k = 0; k < keys_; ++k) scores[i * keys_ + k] += bias[k];
    }
    show(AttentionHeads::Shown::kBiased, scores, shown);
    const double* sink = heads_.sinks.empty() ? nullptr : &heads_.sinks[unsigned_of(head_)];
    for (std::size_t i = 0; i < queries_; ++i) {
      const std::span<T> row(scores.data() + i * keys_, keys_);
      if (hidden[i]) {
        std::fill(row.begin(), row.end(), T(0));
      } else {
        softmax(row, sink);
      }
    }
    show(AttentionHeads::Shown::kProbabilities, scores, shown);
    gemm({queries_, value_size_, keys_}, Matrix<T>{scores.data(), static_cast<std::ptrdiff_t>(keys_), 1},
         Matrix<T>{v_, static_cast<std::ptrdiff_t>(value_size_), 1}, y, value_size_, {.parallel = parallel});
  }

 private:
  void show(AttentionHeads::Shown stage, const std::vector<T>& scores, T* shown) const {
    if (shown && heads_.shown == stage) std::copy(scores.begin(), scores.end(), shown);
  }

  const AttentionHeads& heads_;
  const AttentionBias<T>& bias_;
  std::int64_t batch_, head_;
  std::size_t queries_, keys_, size_, value_size_;
  const T *q_, *k_, *v_;
};

}  // namespace

bool fits(const AttentionHeads& heads) {
  const Array &q = heads.q, &k = heads.k, &v = heads.v;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || q.type() != k.type() || q.type() != v.type()) return false;
  if (q.size(0) != k.size(0) || q.size(0) != v.size(0) || k.size(1) != v.size(1) || k.size(2) != v.size(2) ||
      q.size(3) != k.size(3))
    return false;
  if (k.size(1) < 1 || q.size(1) % k.size(1) != 0) return false;
  if (!heads.sinks.empty() && static_cast<std::int64_t>(heads.sinks.size()) != q.size(1)) return false;
  const Sizes scores = {q.size(0), q.size(1), q.size(2), k.size(2)}, y = {q.size(0), q.size(1), q.size(2), v.size(3)};
  return count_of(scores) && count_of(y);
}

template <typename T>
AttentionResult attend(const AttentionHeads& heads, const AttentionBias<T>& bias) {
  AttentionResult result;
  result.y = Array::make<T>({heads.batch(), heads.heads(), heads.queries(), heads.v.size(3)});
  const bool shows = heads.shown != AttentionHeads::Shown::kNothing;
  if (shows) result.shown = Array::make<T>({heads.batch(), heads.heads(), heads.queries(), heads.keys()});
  if (result.y.count() == 0 && result.shown.count() == 0) return result;
  T* y = result.y.template mutable_data<T>().data();
  T* shown = shows ? result.shown.template mutable_data<T>().data() : nullptr;
  const std::size_t y_step = unsigned_of(heads.queries() * heads.v.size(3));
  const std::size_t shown_step = unsigned_of(heads.queries() * heads.keys());
  const std::size_t work = shown_step * unsigned_of(heads.q.size(3) + heads.v.size(3));
  require_scratch(shown_step, sizeof(T));  // the scores of one head
  for_each_product(unsigned_of(heads.batch() * heads.heads()), work, [&](std::size_t i, bool parallel) {
    Head<T>(heads, bias, i).run(y + i * y_step, shown ? shown + i * shown_step : nullptr, parallel);
  });
  return result;
}
template AttentionResult attend<float>(const AttentionHeads&, const AttentionBias<float>&);
template AttentionResult attend<double>(const AttentionHeads&, const AttentionBias<double>&);

Array split_heads(const Array& array, std::int64_t heads) {
  const std::size_t order[] = {0, 2, 1, 3};
  return permuted(array.reshaped({array.size(0), array.size(1), heads, array.size(2) / heads}), order);
}

Array merged_heads(const Array& array) {
  const std::size_t order[] = {0, 2, 1, 3};
  return permuted(array, order).reshaped({array.size(0), array.size(2), array.size(1) * array.size(3)});
}

std::optional<Array> appended(const Array& past, const Array& now) {
  if (past.type() == ElementType::kUndefined) return now;
  if (past.rank() != 4 || now.rank() != 4 || past.type() != now.type() || past.size(0) != now.size(0) ||
      past.size(1) != now.size(1) || past.size(3) != now.size(3))
    return std::nullopt;
  const Sizes sizes = {now.size(0), now.size(1), past.size(2) + now.size(2), now.size(3)};
  if (!count_of(sizes)) return std::nullopt;
  Array result = Array::make(now.type(), sizes);
  if (result.count() == 0) return result;
  std::byte* to = result.mutable_bytes();
  const std::size_t before = unsigned_of(past.size(2) * past.size(3)) * now.width();
  const std::size_t after = unsigned_of(now.size(2) * now.size(3)) * now.width();
  for (std::size_t i = 0; i < unsigned_of(now.size(0) * now.size(1)); ++i) {
    std::memcpy(to, past.bytes() + i * before, before);
    std::memcpy(to + before, now.bytes() + i * after, after);
    to += before + after;
  }
  return result;
}

}  // namespace onnxpress::ops
