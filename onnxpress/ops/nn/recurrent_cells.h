// One direction of a recurrent network: steps through a sequence with the cell of RNN, GRU or LSTM.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "onnxpress/ops/kernels/scalar_activation.h"

namespace onnxpress::ops {

template <typename T>
struct RecurrentDirection {
  std::size_t steps = 0, batch = 0, hidden = 0;
  bool reverse = false;
  std::span<const std::size_t> lengths;  // of each sequence of the batch
  // The contribution of each step to the gates: [steps][batch][gates * hidden], including biases.
  std::vector<T> projected;
  // [batch][hidden] times the recurrence weights, for all gates.
  std::function<void(const T* state, T* gates)> recur;
  // For GRU with the reset gate before the product: the same for the last gate only.
  std::function<void(const T* state, T* gate)> recur_last;
  std::span<const T> last_bias;  // GRU with the reset gate after the product: recurrence bias of the last gate
  std::span<const T> peepholes;  // LSTM: input, output, forget; may be empty
  std::vector<ScalarActivation> activations;
  double clip = 0;  // 0 if there is none
  bool input_forget = false;
  std::vector<T> h, c;  // [batch][hidden]: the initial state before, the last one after
  T* y = nullptr;       // [steps][...][batch][hidden], may be null; steps beyond a sequence are not written
  std::size_t y_step = 0;
};

template <typename T>
void run_rnn(RecurrentDirection<T>& direction);
template <typename T>
void run_gru(RecurrentDirection<T>& direction);
template <typename T>
void run_lstm(RecurrentDirection<T>& direction);

}  // namespace onnxpress::ops
