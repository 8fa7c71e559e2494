// The shape engine knows how large every value is and where it is in the arena; the rest is calling kernels in order.
#include "engine.h"

#include <algorithm>
#include <stdexcept>

using onnxpress::Node;
using onnxpress::Value;
using onnxpress::ValueInfo;

Engine::Engine(onnxpress::Model& model) : shapes_(model) {
  const onnxpress::Graph& graph = shapes_.compute_graph().graph();
  std::size_t most = 0;
  for (const Node& node : graph.nodes()) {
    Step step{&node, find_kernel(node.op_type()), {}, {}};
    if (!step.kernel) throw onnxpress::Error("", "there is no kernel for " + std::string(node.op_type()));
    for (const onnxpress::Use& use : node.inputs()) {
      if (use.value()) step.inputs.push_back(slot_of(*use.value()));
    }
    step.output = slot_of(*node.output());
    most = std::max(most, step.inputs.size());
    steps_.push_back(std::move(step));
  }
  for (const ValueInfo* each : graph.inputs()) {
    if (!shapes_.find_operand(each->value->name())) inputs_.push_back(slot_of(*each->value));
  }
  for (const ValueInfo* each : graph.outputs()) outputs_.push_back(slot_of(*each->value));
  scratch_.resize(most);
}

Engine::Slot Engine::slot_of(const Value& value) {
  if (const onnxpress::Tensor* tensor = value.initializer()) {
    weights_.push_back(tensor->bytes());  // stays in the mapped file
    View weight{nullptr, nullptr, tensor->dims};
    if (tensor->type == onnxpress::ElementType::kFloat)
      weight.data = reinterpret_cast<float*>(const_cast<char*>(weights_.back().data()));
    weight_views_.push_back(weight);
    return {Slot::Kind::kWeight, weights_.size() - 1};
  }
  if (const auto operand = shapes_.find_operand(value.name())) return {Slot::Kind::kOperand, *operand};
  return {Slot::Kind::kValue, shapes_.find_value(value.name()).value()};
}

View Engine::view(const Slot& slot) const {
  if (slot.kind == Slot::Kind::kWeight) return weight_views_[slot.index];
  if (slot.kind == Slot::Kind::kOperand) return {nullptr, shapes_.operand(slot.index).data(), {}};
  std::byte* place = arena_.get() + shapes_.offset(slot.index);
  return {reinterpret_cast<float*>(place), nullptr, shapes_.shape(slot.index)};
}

std::int64_t Engine::bytes_for(const Sizes& sizes) {
  for (const auto& [symbol, size] : sizes) shapes_.set(symbol, size);
  shapes_.update();
  return shapes_.plan();
}

void Engine::reserve(std::int64_t bytes) {
  arena_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
  reserved_ = bytes;
}

void Engine::resize(const Sizes& sizes) {
  if (bytes_for(sizes) > reserved_) throw std::length_error("the arena is too small for these sizes");
}

View Engine::input(std::size_t i) const { return view(inputs_.at(i)); }
View Engine::output(std::size_t i) const { return view(outputs_.at(i)); }

void Engine::run() {
  for (const Step& step : steps_) {
    for (std::size_t i = 0; i < step.inputs.size(); ++i) scratch_[i] = view(step.inputs[i]);
    step.kernel(*step.node, std::span(scratch_).first(step.inputs.size()), view(step.output));
  }
}
