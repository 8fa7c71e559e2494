// Arithmetic, element by element: Add, Sub, Mul, Div.
#include "onnxpress/ops/elementwise.h"
#include "onnxpress/ops/families.h"
#include "onnxpress/ops/inference.h"

namespace onnxpress::ops {

namespace {

struct Plus {
  template <typename T>
  T operator()(T a, T b) const {
    return wrapped<T>([](auto x, auto y) { return x + y; }, a, b);
  }
};

// Shapes of operands broadcast together; integers (sizes of shapes, mostly) element by element as expressions.
void infer_add(Inference& in) {
  infer_broadcast(in);
  infer_elements(in, [&](Dim a, Dim b) { return in.dims.add(a, b); });
}

bool evaluate_add(Call& call) { return evaluate_binary<NumberTypes>(call, Plus()); }

constexpr OpDef kRows[] = {
    {.name = "Add", .traits = kElementwise | kCommutative, .infer = infer_add, .evaluate = evaluate_add},
};

}  // namespace

Family arithmetic() { return kRows; }

}  // namespace onnxpress::ops
