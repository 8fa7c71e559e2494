// Recurrent networks: RNN, GRU, LSTM, and the LSTM with quantized weights of ONNX Runtime.
#include <algorithm>

#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/inference.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/core/weight_axes.h"
#include "onnxpress/ops/kernels/gemm.h"
#include "onnxpress/ops/kernels/matmul_plan.h"
#include "onnxpress/ops/kernels/permute.h"
#include "onnxpress/ops/kernels/widen.h"
#include "onnxpress/ops/math/matmul_integer.h"
#include "onnxpress/ops/nn/recurrent_cells.h"

namespace onnxpress::ops {

namespace {

enum class Cell : std::uint8_t { kRnn, kGru, kLstm };

std::size_t gates_of(Cell cell) { return cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 3 : 4; }
std::int64_t directions_of(const Params& params) { return params.text_or("direction", "") == "bidirectional" ? 2 : 1; }

// --- Shapes

void infer_recurrent(Inference& in, Dim hidden) {
  const Shape* x = in.shape(0);
  const bool batch_first = in.params.flag("layout");
  const Dim directions = Dim::size(directions_of(in.params));
  if (const auto given = in.params.integer("hidden_size"); given && Dim::fits(*given)) hidden = Dim::size(*given);
  const bool known = x && x->size() == 3;
  const Dim steps = known ? (*x)[batch_first ? 1 : 0] : Dim(), batch = known ? (*x)[batch_first ? 0 : 1] : Dim();
  const auto state = batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  in.set_shape(0, batch_first ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden});
  in.set_shape(1, state);
  in.set_shape(2, state);
}

void infer_recurrent_network(Inference& in) {
  if (!require_rank(in, 0, 3) || !require_text(in, "direction", {"forward", "reverse", "bidirectional"})) return;
  const Shape* r = in.shape(2);
  infer_recurrent(in, r && r->size() == 3 ? (*r)[2] : Dim());
}

void infer_dynamic_quantize_lstm(Inference& in) {
  const Shape* r = in.shape(2);
  infer_recurrent(in, r && r->size() == 3 ? (*r)[1] : Dim());
}

// --- Reading the operands

// The limit ensures that products with the number of gates do not overflow.
bool is_hidden_size(std::int64_t hidden) { return hidden >= 1 && hidden <= (std::int64_t{1} << 31); }

struct Network {
  Cell cell;
  std::size_t directions, steps, batch, inputs, hidden, gates;
  bool batch_first;
  std::vector<std::size_t> lengths;
  std::vector<ScalarActivation> activations;  // of all directions, one after the other
  Array x, bias, initial_h, initial_c, peepholes;
};

// [batch, a, ...] to [a, batch, ...] and back.
Array swapped(const Array& array, bool wanted) {
  if (!wanted) return array;
  std::vector<std::size_t> order(array.rank());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i < 2 ? 1 - i : i;
  return permuted(array, order);
}

// The activations of all directions, with their alphas and betas; nullopt when they are not valid.
std::optional<std::vector<ScalarActivation>> activations_of(const Params& params, Cell cell, std::size_t directions) {
  const std::size_t each = cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 2 : 3;
  std::vector<std::string_view> names;
  if (params.attribute("activations")) {
    const auto given = params.texts("activations");
    if (!given || given->size() < each * directions) return std::nullopt;
    names.assign(given->begin(), given->begin() + static_cast<std::ptrdiff_t>(each * directions));
  } else {
    for (std::size_t i = 0; i < each * directions; ++i)
      names.emplace_back(cell != Cell::kRnn && i % each == 0 ? "Sigmoid" : "Tanh");
  }
  const auto alphas = params.reals("activation_alpha").value_or(std::vector<float>());
  const auto betas = params.reals("activation_beta").value_or(std::vector<float>());
  std::size_t alpha = 0, beta = 0;
  std::vector<ScalarActivation> activations;
  for (const std::string_view name : names) {
    auto activation = activation_named(name);
    if (!activation) return std::nullopt;
    if (activation->has_alpha() && alpha < alphas.size()) activation->alpha = alphas[alpha++];
    if (activation->has_beta() && beta < betas.size()) activation->beta = betas[beta++];
    activations.push_back(*activation);
  }
  return activations;
}

bool has_sizes(const Array& array, const Sizes& sizes) {
  return array.type() == ElementType::kUndefined || array.sizes() == sizes;
}

bool read_lengths(Call& call, Network& network) {
  network.lengths.assign(network.batch, network.steps);
  if (!call.has(4)) return true;
  const auto given = call.array(4).integers();
  if (!given || given->size() != network.batch) return false;
  for (std::size_t i = 0; i < network.batch; ++i) {
    if ((*given)[i] < 0 || static_cast<std::size_t>((*given)[i]) > network.steps) return false;
    network.lengths[i] = static_cast<std::size_t>((*given)[i]);
  }
  return true;
}

// Reads everything except the weights, from which `hidden` comes; false, after call.fail, when shapes do not match.
bool read_network(Call& call, Cell cell, std::int64_t hidden, Network& network) {
  const ElementType type = call.array(0).type();
  if (!is_float_like(type)) return call.fail_type();
  for (const std::size_t i : {3, 5, 6, 7}) {
    if (call.has(i) && call.array(i).type() != type) return call.fail_type();
  }
  if (call.array(0).rank() != 3) return call.fail("X must have three dimensions");
  network.cell = cell;
  network.batch_first = call.params.flag("layout");
  network.x = swapped(widened(call.array(0)), network.batch_first);
  network.directions = static_cast<std::size_t>(directions_of(call.params));
  network.steps = static_cast<std::size_t>(network.x.size(0));
  network.batch = static_cast<std::size_t>(network.x.size(1));
  network.inputs = static_cast<std::size_t>(network.x.size(2));
  network.hidden = static_cast<std::size_t>(hidden);
  network.gates = gates_of(cell);
  const auto directions = static_cast<std::int64_t>(network.directions), batch = network.x.size(1);
  if (call.params.integer_or("hidden_size", hidden) != hidden)
    return call.fail("hidden_size does not match the weights");
  const std::int64_t gates = static_cast<std::int64_t>(network.gates);
  network.bias = widened(call.array(3));
  network.initial_h = widened(call.array(5));
  network.initial_c = widened(call.array(6));
  if (network.initial_h.rank() == 3) network.initial_h = swapped(network.initial_h, network.batch_first);
  if (network.initial_c.rank() == 3) network.initial_c = swapped(network.initial_c, network.batch_first);
  network.peepholes = widened(call.array(7));
  if (!has_sizes(network.bias, {directions, 2 * gates * hidden}) ||
      !has_sizes(network.initial_h, {directions, batch, hidden}) ||
      !has_sizes(network.initial_c, {directions, batch, hidden}) ||
      !has_sizes(network.peepholes, {directions, 3 * hidden}))
    return call.fail("the shape of B, initial_h, initial_c or P does not match X and the weights");
  if (!read_lengths(call, network)) return call.fail("sequence_lens does not match X");
  const Sizes all_gates = {network.x.size(0), batch, gates, hidden},
              all_states = {network.x.size(0), directions, batch, hidden};
  if (!count_of(all_gates) || !count_of(all_states)) return call.fail("the result is too large");
  auto activations = activations_of(call.params, cell, network.directions);
  if (!activations) return call.fail("an activation is not known, or there are too few");
  network.activations = std::move(*activations);
  return true;
}

// Multiplies operands and states by the weights of one direction: out = in * weights for all gates, or only for the
// last one.
template <typename T>
struct Products {
  std::function<void(std::size_t direction, T* out)> project;
  std::function<void(std::size_t direction, const T*state, T*out)> recur, recur_last;
};

// --- Running

template <typename T>
void add_biases(const Network& network, std::size_t direction, bool reset_last, std::vector<T>& projected) {
  if (network.bias.count() == 0) return;
  const std::size_t width = network.gates * network.hidden;
  const T* bias = network.bias.data<T>().data() + direction * 2 * width;
  std::vector<T> sum(bias, bias + width);
  // The recurrence bias of GRU's last gate is multiplied by the reset gate, so it is added later.
  const std::size_t now = reset_last ? 2 * network.hidden : width;
  for (std::size_t i = 0; i < now; ++i) sum[i] += bias[width + i];
  for (std::size_t at = 0; at < projected.size(); at += width) {
    for (std::size_t i = 0; i < width; ++i) projected[at + i] += sum[i];
  }
}

template <typename T>
RecurrentDirection<T> direction_of(Call& call, const Network& network, std::size_t index, const Products<T>& products) {
  RecurrentDirection<T> d;
  d.steps = network.steps, d.batch = network.batch, d.hidden = network.hidden;
  d.reverse = index == 1 || call.params.text_or("direction", "") == "reverse";
  d.lengths = network.lengths;
  const std::size_t width = network.gates * network.hidden, states = network.batch * network.hidden;
  const bool reset_last = network.cell == Cell::kGru && call.params.flag("linear_before_reset");
  require_scratch(network.steps * network.batch, width * sizeof(T));
  spend_steps(network.steps, network.batch * width + 1, 20);  // for the activations
  d.projected.resize(network.steps * network.batch * width);
  products.project(index, d.projected.data());
  add_biases(network, index, reset_last, d.projected);
  d.recur = [&products, index](const T* state, T* out) { products.recur(index, state, out); };
  if (network.cell == Cell::kGru && !reset_last)
    d.recur_last = [&products, index](const T* state, T* out) { products.recur_last(index, state, out); };
  if (reset_last && network.bias.count() > 0)
    d.last_bias = network.bias.data<T>().subspan(index * 2 * width + width + 2 * network.hidden, network.hidden);
  if (network.peepholes.count() > 0)
    d.peepholes = network.peepholes.data<T>().subspan(index * 3 * network.hidden, 3 * network.hidden);
  const std::size_t each = network.activations.size() / network.directions;
  d.activations.assign(network.activations.begin() + static_cast<std::ptrdiff_t>(index * each),
                       network.activations.begin() + static_cast<std::ptrdiff_t>((index + 1) * each));
  d.clip = call.params.real_or("clip", 0);
  d.input_forget = call.params.flag("input_forget");
  const auto initial = [&](const Array& array) {
    if (array.count() == 0) return std::vector<T>(states, T(0));
    const T* from = array.data<T>().data() + index * states;
    return std::vector<T>(from, from + states);
  };
  d.h = initial(network.initial_h);
  d.c = initial(network.initial_c);
  return d;
}

template <typename T>
bool run_network(Call& call, const Network& network, const Products<T>& products) {
  const auto directions = static_cast<std::int64_t>(network.directions),
             hidden = static_cast<std::int64_t>(network.hidden);
  Array y = Array::make<T>({network.x.size(0), directions, network.x.size(1), hidden});
  Array last_h = Array::make<T>({directions, network.x.size(1), hidden}), last_c = Array::make<T>(last_h.sizes());
  const auto out = y.template mutable_data<T>();
  std::fill(out.begin(), out.end(), T(0));
  const std::size_t states = network.batch * network.hidden;
  for (std::size_t i = 0; i < network.directions; ++i) {
    RecurrentDirection<T> d = direction_of(call, network, i, products);
    d.y = out.data() + i * states;
    d.y_step = network.directions * states;
    if (network.cell == Cell::kRnn) run_rnn(d);
    if (network.cell == Cell::kGru) run_gru(d);
    if (network.cell == Cell::kLstm) run_lstm(d);
    std::copy(d.h.begin(), d.h.end(),
              last_h.template mutable_data<T>().begin() + static_cast<std::ptrdiff_t>(i * states));
    std::copy(d.c.begin(), d.c.end(),
              last_c.template mutable_data<T>().begin() + static_cast<std::ptrdiff_t>(i * states));
  }
  const ElementType type = call.array(0).type();
  if (network.batch_first) {
    const std::size_t order[] = {2, 0, 1, 3};
    y = permuted(y, order);
  }
  call.set(0, narrowed(std::move(y), type));
  call.set(1, narrowed(swapped(last_h, network.batch_first), type));
  if (network.cell == Cell::kLstm) call.set(2, narrowed(swapped(last_c, network.batch_first), type));
  return true;
}

template <typename T>
bool evaluate_as(Call& call, const Network& network, const Array& w, const Array& r) {
  const std::size_t width = network.gates * network.hidden, n = network.hidden, inputs = network.inputs;
  const auto weights = [](const T* data, std::size_t depth) {
    return Matrix<T>{data, 1, static_cast<std::ptrdiff_t>(depth)};
  };
  const auto rows = [](const T* data, std::size_t depth) {
    return Matrix<T>{data, static_cast<std::ptrdiff_t>(depth), 1};
  };
  Products<T> products;
  products.project = [&](std::size_t direction, T* out) {
    gemm({network.steps * network.batch, width, inputs}, rows(network.x.data<T>().data(), inputs),
         weights(w.data<T>().data() + direction * width * inputs, inputs), out, width);
  };
  products.recur = [&](std::size_t direction, const T* state, T* out) {
    gemm({network.batch, width, n}, rows(state, n), weights(r.data<T>().data() + direction * width * n, n), out, width);
  };
  products.recur_last = [&](std::size_t direction, const T* state, T* out) {
    const T* last = r.data<T>().data() + (direction * width + width - n) * n;
    gemm({network.batch, n, n}, rows(state, n), weights(last, n), out, n);
  };
  return run_network(call, network, products);
}

bool evaluate_recurrent(Call& call, Cell cell) {
  if (call.array(1).type() != call.array(0).type() || call.array(2).type() != call.array(0).type())
    return call.fail_type();
  const Array w = widened(call.array(1)), r = widened(call.array(2));
  if (w.rank() != 3 || r.rank() != 3) return call.fail("W and R must have three dimensions");
  if (!is_hidden_size(r.size(2))) return call.fail("the hidden size is out of range");
  const std::int64_t hidden = r.size(2), width = hidden * static_cast<std::int64_t>(gates_of(cell));
  Network network;
  if (!read_network(call, cell, hidden, network)) return false;
  const auto directions = static_cast<std::int64_t>(network.directions);
  if (w.sizes() != Sizes{directions, width, network.x.size(2)} || r.sizes() != Sizes{directions, width, hidden})
    return call.fail("the shape of W or R does not match X and the direction");
  return w.type() == ElementType::kDouble ? evaluate_as<double>(call, network, w, r)
                                          : evaluate_as<float>(call, network, w, r);
}

bool evaluate_rnn(Call& call) { return evaluate_recurrent(call, Cell::kRnn); }
bool evaluate_gru(Call& call) { return evaluate_recurrent(call, Cell::kGru); }
bool evaluate_lstm(Call& call) { return evaluate_recurrent(call, Cell::kLstm); }

// --- com.microsoft DynamicQuantizeLSTM: weights are [directions, depth, gates]; operands are quantized on the fly

struct QuantizedWeights {
  const Array& weights;
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;

  bool fits() const {
    const auto directions = static_cast<std::size_t>(weights.size(0)),
               width = static_cast<std::size_t>(weights.size(2));
    const auto right = [&](std::size_t count) { return count == directions || count == directions * width; };
    return right(scales.size()) && right(zeros.size());
  }
  // out[rows][gates] = in[rows][depth] * weights
  void multiply(std::size_t direction, const Array& in, float* out) const {
    const auto directions = static_cast<std::size_t>(weights.size(0)),
               width = static_cast<std::size_t>(weights.size(2));
    const auto depth = static_cast<std::size_t>(weights.size(1)), rows = in.count() / std::max<std::size_t>(1, depth);
    const DynamicallyQuantized left = quantized_dynamically(in);
    const std::size_t zero_step = zeros.size() / directions, scale_step = scales.size() / directions;
    std::vector<std::int32_t> zero(zeros.begin() + static_cast<std::ptrdiff_t>(direction * zero_step),
                                   zeros.begin() + static_cast<std::ptrdiff_t>((direction + 1) * zero_step));
    std::vector<std::int32_t> sums(rows * width);
    IntegerMatrix a{.data = left.values.bytes(), .row_stride = static_cast<std::ptrdiff_t>(depth), .zero = left.zero};
    IntegerMatrix b{.data = weights.bytes() + direction * depth * width,
                    .is_signed = weights.type() == ElementType::kInt8,
                    .row_stride = static_cast<std::ptrdiff_t>(width),
                    .zero = zero[0],
                    .zeros = zero_step > 1 ? zero.data() : nullptr};
    gemm({rows, width, depth}, a, b, sums.data(), width);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float scale = scales[direction * scale_step + (scale_step > 1 ? i % width : 0)];
      out[i] = static_cast<float>(sums[i]) * (left.scale * scale);
    }
  }
};

bool evaluate_dynamic_quantize_lstm(Call& call) {
  const Array &w = call.array(1), &r = call.array(2);
  if (!is_byte(w.type()) || !is_byte(r.type()) || call.array(0).type() != ElementType::kFloat) return call.fail_type();
  if (w.rank() != 3 || r.rank() != 3) return call.fail("W and R must have three dimensions");
  if (!is_hidden_size(r.size(1))) return call.fail("the hidden size is out of range");
  Network network;
  if (!read_network(call, Cell::kLstm, r.size(1), network)) return false;
  const auto directions = static_cast<std::int64_t>(network.directions);
  if (w.sizes() != Sizes{directions, network.x.size(2), 4 * r.size(1)} ||
      r.sizes() != Sizes{directions, r.size(1), 4 * r.size(1)})
    return call.fail("the shape of W or R does not match X and the direction");
  const auto w_zeros = call.array(9).integers(), r_zeros = call.array(11).integers();
  if (!w_zeros || !r_zeros) return call.fail("a zero point is not an integer");
  const QuantizedWeights input{w, scales_of(call.array(8)), *w_zeros}, state{r, scales_of(call.array(10)), *r_zeros};
  if (!input.fits() || !state.fits() || r.count() == 0)
    return call.fail("a scale or zero point has neither one element per direction nor one per column");
  Products<float> products;
  products.project = [&](std::size_t direction, float* out) { input.multiply(direction, network.x, out); };
  products.recur = [&](std::size_t direction, const float* h, float* out) {
    const auto count = static_cast<std::int64_t>(network.batch * network.hidden);
    Array copy = Array::make<float>({count});
    std::copy(h, h + count, copy.mutable_data<float>().begin());
    state.multiply(direction, copy, out);
  };
  return run_network(call, network, products);
}

// steps * batch * (|W| + |R|), because the weights include all gates and directions. Gates cost about four operations
// per number.
void cost_recurrent(CostQuery& query) {
  const Shape* x = query.in.shape(0);
  const Dim rows = x && x->size() == 3 ? query.product((*x)[0], (*x)[1]) : Dim();
  query.cost.macs = query.product(rows, query.dims.add(query.operand_elements(1), query.operand_elements(2)));
  const Shape* r = query.in.shape(2);
  const Dim gates = r && r->size() == 3 ? query.product((*r)[0], query.dims.max((*r)[1], (*r)[2])) : Dim();
  query.cost.flops = query.product(Dim::size(4), query.product(rows, gates));
}

constexpr OpDef kRecurrentRows[] = {
    {.name = "RNN",
     .infer = infer_recurrent_network,
     .evaluate = evaluate_rnn,
     .cost = cost_recurrent,
     .weights = {0b110, recurrent_axes}},
    {.name = "GRU",
     .infer = infer_recurrent_network,
     .evaluate = evaluate_gru,
     .cost = cost_recurrent,
     .weights = {0b110, recurrent_axes}},
    {.name = "LSTM",
     .infer = infer_recurrent_network,
     .evaluate = evaluate_lstm,
     .cost = cost_recurrent,
     .weights = {0b110, recurrent_axes}},
    {.name = "DynamicQuantizeLSTM",
     .domain = "com.microsoft",
     .infer = infer_dynamic_quantize_lstm,
     .evaluate = evaluate_dynamic_quantize_lstm,
     .cost = cost_recurrent},
};

}  // namespace

Family recurrent() { return kRecurrentRows; }

}  // namespace onnxpress::ops
