// Compares ShapeEngine with what the evaluator really computes, and checks its memory plan.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "onnxpress/analysis/liveness.h"
#include "onnxpress/base/error.h"
#include "onnxpress/files.h"
#include "onnxpress/run.h"
#include "onnxpress/shapes.h"

namespace onnxpress {
namespace {

// Dims that are products, quotients and sums, and three nodes that only compute a shape.
constexpr std::string_view kText = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[b,s,8] x, float[b,2,h,w] image) => (float[p,8] y, float[b,2,q,r] pooled)
<int64[1] zero = {0}, int64[1] two = {2}, int64[1] eight = {8}>
{
  shape = Shape (x)
  ends = Slice (shape, zero, two)
  rows = ReduceProd <keepdims = 1> (ends)
  target = Concat <axis = 0> (rows, eight)
  flat = Reshape (x, target)
  a = Relu (flat)
  c = Sigmoid (a)
  y = Add (c, a)
  half = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (image)
  pooled = Concat <axis = 2> (half, half)
})";

NamedTensor zeros(std::string name, std::vector<std::int64_t> dims) {
  const std::uint64_t count = *product_of(dims);
  return {std::move(name), ElementType::kFloat, std::move(dims), Bytes::owned(std::string(count * 4, '\0')), {}};
}

std::vector<std::int64_t> shape_of(const ShapeEngine& engine, std::string_view name) {
  const auto shape = engine.shape(engine.find_value(name).value());
  return {shape.begin(), shape.end()};
}

TEST(ShapeEngine, says_what_the_evaluator_computes) {
  Model model = load_model(Bytes::owned(std::string(kText)));
  ShapeEngine engine(model);
  EXPECT_EQ(engine.compute_graph().graph().nodes().size(), 6U);
  ASSERT_EQ(engine.operands(), std::vector<std::string>{"target"});
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    const auto any = [&random] { return static_cast<std::int64_t>(1 + random() % 20); };
    const std::int64_t b = any(), s = any(), h = any(), w = any();
    engine.set("b", b);
    engine.set("s", s);
    engine.set("h", h);
    engine.set("w", w);
    engine.update();
    const auto outputs = run(model, {zeros("x", {b, s, 8}), zeros("image", {b, 2, h, w})});
    EXPECT_EQ(shape_of(engine, "y"), outputs[0].dims);
    EXPECT_EQ(shape_of(engine, "pooled"), outputs[1].dims);
    EXPECT_EQ(engine.bytes(*engine.find_value("y")), b * s * 8 * 4);
    const auto target = engine.operand(*engine.find_operand("target"));
    EXPECT_EQ(std::vector(target.begin(), target.end()), (std::vector<std::int64_t>{b * s, 8}));
  }
}

TEST(ShapeEngine, places_values_that_live_together_apart) {
  Model model = load_model(Bytes::owned(std::string(kText)));
  ShapeEngine engine(model);
  const analysis::Liveness liveness(engine.compute_graph().graph());
  std::vector<const Value*> values;
  for (const ValueInfo* each : engine.compute_graph().graph().inputs()) {
    if (!engine.find_operand(each->value->name())) values.push_back(each->value);
  }
  for (const Node& node : engine.compute_graph().graph().nodes()) values.push_back(node.output());
  for (const std::int64_t size : {1, 7, 64}) {
    for (const ShapeSymbol& symbol : engine.symbols()) engine.set(symbol.name, size);
    engine.update();
    const std::int64_t arena = engine.plan();
    std::int64_t sum = 0;
    for (const Value* value : values) {
      const std::size_t i = engine.find_value(value->name()).value();
      ASSERT_GE(engine.offset(i), 0) << value->name();
      EXPECT_EQ(engine.offset(i) % 64, 0);
      EXPECT_LE(engine.offset(i) + engine.bytes(i), arena);
      sum += engine.bytes(i);
      const analysis::Lifetime mine = *liveness.of(*value);
      for (const Value* other : values) {
        if (other == value) continue;
        const std::size_t j = engine.find_value(other->name()).value();
        const analysis::Lifetime theirs = *liveness.of(*other);
        const auto begin = [](const analysis::Lifetime& each) {
          return each.made == analysis::Lifetime::kBefore ? 0 : each.made;
        };
        if (mine.last_use < begin(theirs) || theirs.last_use < begin(mine)) continue;
        const bool apart = engine.offset(i) + engine.bytes(i) <= engine.offset(j) ||
                           engine.offset(j) + engine.bytes(j) <= engine.offset(i);
        EXPECT_TRUE(apart) << value->name() << " and " << other->name();
      }
    }
    if (size == 64) EXPECT_LT(arena, sum);
  }
}

// Both branches have a value `t`, and compute the shape that a Reshape needs; in the loop it changes in each iteration.
constexpr std::string_view kBodies = R"(<ir_version: 8, opset_import: ["" : 17]>
g (bool c, float[b,s] x, int64 n) => (float[p] y, float[q] grown)
<int64[1] one = {-1}>
{
  y = If (c) <
    then_branch = then_graph () => (float[p] yt) {
      t = Shape (x)
      k = ReduceProd <keepdims = 1> (t)
      yt = Reshape (x, k)
    },
    else_branch = else_graph () => (float[p] ye) {
      t = Concat <axis = 0> (x, x)
      u = Shape (t)
      k2 = ReduceProd <keepdims = 1> (u)
      ye = Reshape (t, k2)
    }
  >
  start = Reshape (x, one)
  yes = Constant <value = bool {1}> ()
  grown = Loop (n, yes, start) <body = loop_graph (int64 i, bool going, float[m] state) => (bool still, float[r] next) {
    still = Identity (going)
    more = Concat <axis = 0> (state, state)
    size = Shape (more)
    next = Reshape (more, size)
  }>
})";

TEST(ShapeEngine, knows_values_in_bodies) {
  Model model = load_model(Bytes::owned(std::string(kBodies)));
  ShapeEngine engine(model);
  EXPECT_EQ(engine.operands(), (std::vector<std::string>{"y.then_branch/k", "y.else_branch/k2"}));
  engine.set("b", 3);
  engine.set("s", 5);
  engine.update();
  EXPECT_EQ(shape_of(engine, "y.then_branch/yt"), std::vector<std::int64_t>{15});
  EXPECT_EQ(shape_of(engine, "y.else_branch/t"), (std::vector<std::int64_t>{6, 5}));
  EXPECT_EQ(engine.operand(*engine.find_operand("y.else_branch/k2"))[0], 30);
  const std::int64_t arena = engine.plan();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < engine.values().size(); ++i) {
    if (engine.offset(i) >= 0) sum += (engine.bytes(i) + 63) / 64 * 64;
  }
  EXPECT_LT(arena, sum);  // the branches share their memory, but not with the values that they read
  EXPECT_NE(engine.offset(*engine.find_value("y.else_branch/t")), engine.offset(*engine.find_value("x")));
  // Four nodes only computed the shapes in the branches; the loop keeps its own.
  EXPECT_EQ(engine.compute_graph().graph().nodes().size(), 4U);
  EXPECT_TRUE(engine.find_value("grown.body/more"));
}

TEST(ShapeEngine, survives_sizes_that_overflow) {
  Model model = load_model(Bytes::owned(std::string(kText)));
  ShapeEngine engine(model);
  for (const std::int64_t size : {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    for (const ShapeSymbol& symbol : engine.symbols()) engine.set(symbol.name, size);
    engine.update();
    EXPECT_EQ(engine.bytes(*engine.find_value("y")), -1);
    engine.plan();
    EXPECT_EQ(engine.offset(*engine.find_value("y")), -1);
  }
}

TEST(ShapeEngine, refuses_names_that_do_not_exist) {
  Model model = load_model(Bytes::owned(std::string(kText)));
  ShapeEngine engine(model);
  EXPECT_THROW(engine.set("height", 1), Error);
  EXPECT_THROW(to_cpp_header(engine, "not a name"), Error);
  EXPECT_EQ(engine.find_value("nothing"), std::nullopt);
  EXPECT_NE(to_cpp_header(engine, "Engine").find("struct Engine {"), std::string::npos);
}

}  // namespace
}  // namespace onnxpress
