// A rewrite of your own: x / c becomes x * (1 / c) where c is a constant of powers of two, which changes no bit.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <utility>

#include "onnxpress/onnxpress.h"

using namespace onnxpress;

namespace {

bool is_power_of_two(float number) {
  int exponent = 0;
  return std::isnormal(number) && std::abs(std::frexp(number, &exponent)) == 0.5F;
}

// 1 / c for each element; null where that is not exact. A tensor lives in the arena of its model, its content in Bytes.
Tensor* inverse_of(const Value* value, Arena& arena) {
  const Tensor* constant = value ? value->constant() : nullptr;
  if (!constant || constant->type != ElementType::kFloat) return nullptr;
  const Bytes numbers = constant->bytes();
  std::string content;
  for (std::size_t i = 0; i < numbers.size() / sizeof(float); ++i) {
    const float number = numbers.load<float>(i), inverse = 1 / number;
    if (!is_power_of_two(number) || !is_power_of_two(inverse)) return nullptr;
    content.append(reinterpret_cast<const char*>(&inverse), sizeof inverse);
  }
  Tensor* tensor = arena.make<Tensor>();
  tensor->type = constant->type;
  tensor->dims = constant->dims;
  tensor->storage = Storage::kMade;
  tensor->content = Bytes::owned(std::move(content));
  return tensor;
}

int multiply_instead(Model& model) {
  Editor editor(model);
  int count = 0;
  for (Node& node : model.graph().nodes()) {
    Tensor* inverse = node.is("Div") && node.output() ? inverse_of(node.input(1), model.arena()) : nullptr;
    if (!inverse) continue;
    Value& factor = editor.add_initializer(std::string(node.output()->name()) + ".inverse", inverse);
    const Node& product = editor.add_node(
        model.graph(), {.op_type = "Mul", .inputs = {node.input(0), &factor}, .outputs = {""}, .before = &node});
    editor.replace(*node.output(), *product.output());
    if (!node.erased()) editor.remove(node);
    ++count;
  }
  editor.tidy();  // removes constants that nothing reads any more
  return count;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: rewrite model.onnx rewritten.onnx\n";
    return 2;
  }
  Model model = load_model(argv[1]);
  const Model original = model.clone();
  std::cout << multiply_instead(model) << " divisions replaced\n";

  if (!check(model).ok || verify(original, model).verdict != Verdict::kIdentical) {
    std::cerr << "the rewrite is wrong\n";
    return 1;
  }
  save_model(model, argv[2]);
  return 0;
} catch (const Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  if (!error.hint().empty()) std::cerr << "hint: " << error.hint() << '\n';
  return 3;
}
