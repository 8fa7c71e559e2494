// Takes consecutive dims from a Shape at once.
//
//   before: s = Shape(x); y = Concat(Gather(s, [0]), Gather(s, [1]), [-1])
//   after:  s = Shape(x, end = 2); y = Concat(s, [-1])
//
// Only for opsets in which Shape has `start` and `end`; otherwise the Gathers stay.
#include "onnxpress/passes/rewrite.h"
#include "onnxpress/passes/rewriter.h"

namespace onnxpress::passes {

namespace {

// Dims [begin, end) of x.
struct Part {
  Value* x = nullptr;
  std::int64_t begin = 0, end = 0;
};

// Empty (`x` is null) if the value is not a single dim of a Shape.
Part part_of(const Value* value, const Rewriter& rw) {
  const Node* gather = rw.sole_producer(value, "Gather");
  const Node* shape = gather ? rw.producer(gather->input(0), "Shape") : nullptr;
  const auto rank = shape ? rw.shape_of(shape->input(0)) : std::nullopt;
  if (!rank || !rw.is_constant(gather->input(1))) return {};
  const auto params = rw.params(*shape);
  if (params.given("start") || params.given("end")) return {};
  const auto index = rw.constant(gather->input(1));
  const auto numbers = index && index->rank() == 1 ? index->integers() : std::nullopt;
  const auto dim = numbers && numbers->size() == 1 ? ops::normal_axis(numbers->front(), rank->size()) : std::nullopt;
  if (!dim) return {};
  const auto begin = static_cast<std::int64_t>(*dim);
  return {shape->input(0), begin, begin + 1};
}

bool apply_merge_shape_parts(Node& concat, Rewriter& rw) {
  std::vector<Value*> operands;
  Part run;  // the dims that the last operand covers so far
  bool merged = false;
  const auto finish = [&] {
    if (run.end - run.begin < 2) return;
    const auto rank = static_cast<std::int64_t>(rw.shape_of(run.x)->size());
    std::vector<Parameter> parameters;
    if (run.begin != 0) parameters.emplace_back("start", run.begin);
    if (run.end != rank) parameters.emplace_back("end", run.end);
    Value* const x[] = {run.x};
    operands.back() = rw.make("Shape", x, parameters);
    merged = true;
  };
  for (const Use& use : concat.inputs()) {
    const Part part = part_of(use.value(), rw);
    if (part.x && part.x == run.x && part.begin == run.end) {
      run.end = part.end;
      continue;
    }
    finish();
    run = part;
    operands.push_back(use.value());
  }
  finish();
  if (!merged) return false;
  const Parameter parameters[] = {{"axis", 0}};
  return rw.replace(concat, operands.size() == 1 ? operands.front() : rw.make("Concat", operands, parameters));
}

constexpr std::string_view kMergeShapePartsRoots[] = {"Concat"};

}  // namespace

extern const Rewrite merge_shape_parts;
const Rewrite merge_shape_parts = {.name = "merge-shape-parts",
                                   .summary = "takes consecutive dims from a Shape at once",
                                   .exactness = Exactness::kExact,
                                   .group = "constants",
                                   .roots = kMergeShapePartsRoots,
                                   .apply = apply_merge_shape_parts};

}  // namespace onnxpress::passes
