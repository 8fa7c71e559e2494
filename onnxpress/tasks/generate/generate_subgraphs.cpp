// Kind `subgraphs`: If in If in If. Every branch uses a value of the graph around it and the input of the outermost
// graph.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "onnxpress/tasks/generate/generate_builder.h"

namespace onnxpress {

void build_subgraphs(ModelBuilder& builder) {
  constexpr std::int64_t kWidth = 16;
  const Dim row[] = {Dim::size(kWidth)};
  const std::int64_t dims[] = {kWidth};
  const Type* type = builder.type(row);
  Value* condition = builder.input("condition", builder.type(ElementType::kBool, {}));
  Value* x = builder.input("x", type);

  // Outermost first. An If is appended once both of its bodies exist, so the second loop appends the innermost first.
  struct Level {
    Graph* graph;
    Value* value;
  };
  std::vector<Level> levels;
  Graph* graph = &builder.graph();
  Value* outer = x;
  for (std::uint64_t depth = 0;; ++depth) {
    builder.enter(*graph);
    Value* bias = builder.weight(fmt::format("bias_{}", depth), dims);
    outer = builder.node("Add", fmt::format("Add_{}", depth), {outer, bias});
    levels.push_back({graph, outer});
    if (depth == builder.options().sizes.depth) break;
    graph = builder.model().create_body();
    graph->set_name(builder.text(fmt::format("then_{}", depth)));
  }
  Value* result = builder.node("Mul", "innermost", {outer, x}, {}, "result_innermost");
  builder.output(result, type);
  for (std::uint64_t depth = builder.options().sizes.depth; depth-- > 0;) {
    Graph* other = builder.model().create_body();
    other->set_name(builder.text(fmt::format("else_{}", depth)));
    builder.enter(*other);
    builder.output(builder.node("Sub", fmt::format("Sub_{}", depth), {levels[depth].value, x}), type);
    builder.enter(*levels[depth].graph);
    result = builder.node(
        "If", fmt::format("If_{}", depth), {condition},
        {builder.attribute("then_branch", levels[depth + 1].graph), builder.attribute("else_branch", other)},
        depth == 0 ? "y" : fmt::format("result_{}", depth));
    builder.output(result, type);
  }
}

}  // namespace onnxpress
