// The equations of RNN, GRU and LSTM.
#include "onnxpress/ops/nn/recurrent_cells.h"

#include <algorithm>

namespace onnxpress::ops {

namespace {

// The position of sequence `b` at step `t`, which must be below its length.
template <typename T>
std::size_t place(const RecurrentDirection<T>& d, std::size_t t, std::size_t b) {
  return d.reverse ? d.lengths[b] - 1 - t : t;
}

template <typename T>
void activate(const RecurrentDirection<T>& d, std::size_t which, std::span<T> values) {
  if (d.clip > 0) {
    const auto most = static_cast<T>(d.clip);
    for (T& each : values) each = std::clamp(each, -most, most);
  }
  d.activations[which].apply(values);
}

template <typename T>
void write_state(const RecurrentDirection<T>& d, std::size_t t, std::size_t b) {
  if (!d.y) return;
  std::copy_n(d.h.data() + b * d.hidden, d.hidden, d.y + place(d, t, b) * d.y_step + b * d.hidden);
}

// gates = contribution of the step's operand + contribution of the state
template <typename T>
void add_gates(const RecurrentDirection<T>& d, std::size_t t, std::size_t b, std::size_t all, std::size_t count,
               const T* from_state, T* gates) {
  const T* row = d.projected.data() + (place(d, t, b) * d.batch + b) * all;
  for (std::size_t i = 0; i < count; ++i) gates[i] = row[i] + from_state[i];
}

std::size_t longest(std::span<const std::size_t> lengths) {
  return lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
}

}  // namespace

template <typename T>
void run_rnn(RecurrentDirection<T>& d) {
  std::vector<T> from_state(d.batch * d.hidden);
  for (std::size_t t = 0; t < longest(d.lengths); ++t) {
    d.recur(d.h.data(), from_state.data());
    for (std::size_t b = 0; b < d.batch; ++b) {
      if (t >= d.lengths[b]) continue;
      const std::span<T> h(d.h.data() + b * d.hidden, d.hidden);
      add_gates(d, t, b, d.hidden, d.hidden, from_state.data() + b * d.hidden, h.data());
      activate(d, 0, h);
      write_state(d, t, b);
    }
  }
}

// Gates: update z, reset r, candidate.
template <typename T>
void run_gru(RecurrentDirection<T>& d) {
  const std::size_t n = d.hidden, all = 3 * n;
  const bool reset_first = static_cast<bool>(d.recur_last);
  std::vector<T> from_state(d.batch * all), gates(d.batch * all), reset(d.batch * n, T(0)), candidate(d.batch * n);
  for (std::size_t t = 0; t < longest(d.lengths); ++t) {
    d.recur(d.h.data(), from_state.data());
    for (std::size_t b = 0; b < d.batch; ++b) {
      if (t >= d.lengths[b]) continue;
      T *gate = gates.data() + b * all, *state = from_state.data() + b * all;
      add_gates(d, t, b, all, 2 * n, state, gate);
      activate(d, 0, std::span<T>(gate, 2 * n));
      for (std::size_t i = 0; i < n; ++i) {
        if (reset_first) {
          reset[b * n + i] = gate[n + i] * d.h[b * n + i];
        } else {
          const T bias = d.last_bias.empty() ? T(0) : d.last_bias[i];
          candidate[b * n + i] = gate[n + i] * (state[2 * n + i] + bias);
        }
      }
    }
    if (reset_first) d.recur_last(reset.data(), candidate.data());
    for (std::size_t b = 0; b < d.batch; ++b) {
      if (t >= d.lengths[b]) continue;
      const std::span<T> fresh(candidate.data() + b * n, n);
      const T* row = d.projected.data() + (place(d, t, b) * d.batch + b) * all + 2 * n;
      for (std::size_t i = 0; i < n; ++i) fresh[i] += row[i];
      activate(d, 1, fresh);
      for (std::size_t i = 0; i < n; ++i) {
        const T z = gates[b * all + i];
        d.h[b * n + i] = (1 - z) * fresh[i] + z * d.h[b * n + i];
      }
      write_state(d, t, b);
    }
  }
}

// Gates: input, output, forget, cell.
template <typename T>
void run_lstm(RecurrentDirection<T>& d) {
  const std::size_t n = d.hidden, all = 4 * n;
  const bool peeks = !d.peepholes.empty();
  std::vector<T> from_state(d.batch * all), gates(all);
  for (std::size_t t = 0; t < longest(d.lengths); ++t) {
    d.recur(d.h.data(), from_state.data());
    for (std::size_t b = 0; b < d.batch; ++b) {
      if (t >= d.lengths[b]) continue;
      add_gates(d, t, b, all, all, from_state.data() + b * all, gates.data());
      T *input = gates.data(), *output = input + n, *forget = output + n, *cell = forget + n;
      T *c = d.c.data() + b * n, *h = d.h.data() + b * n;
      for (std::size_t i = 0; peeks && i < n; ++i) {
        input[i] += d.peepholes[i] * c[i];
        forget[i] += d.peepholes[2 * n + i] * c[i];
      }
      activate(d, 0, std::span<T>(input, n));
      if (d.input_forget) {
        for (std::size_t i = 0; i < n; ++i) forget[i] = 1 - input[i];
      } else {
        activate(d, 0, std::span<T>(forget, n));
      }
      activate(d, 1, std::span<T>(cell, n));
      for (std::size_t i = 0; i < n; ++i) c[i] = forget[i] * c[i] + input[i] * cell[i];
      for (std::size_t i = 0; peeks && i < n; ++i) output[i] += d.peepholes[n + i] * c[i];
      activate(d, 0, std::span<T>(output, n));
      std::copy_n(c, n, h);
      d.activations[2].apply(std::span<T>(h, n));
      for (std::size_t i = 0; i < n; ++i) h[i] *= output[i];
      write_state(d, t, b);
    }
  }
}

template void run_rnn(RecurrentDirection<float>&);
template void run_rnn(RecurrentDirection<double>&);
template void run_gru(RecurrentDirection<float>&);
template void run_gru(RecurrentDirection<double>&);
template void run_lstm(RecurrentDirection<float>&);
template void run_lstm(RecurrentDirection<double>&);

}  // namespace onnxpress::ops
