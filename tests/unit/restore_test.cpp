// A call that changes a model and throws leaves the model as it was. Most of these throw before they change anything,
// and must stay like that; edit changes something first. own_process_test.cpp has shrink and optimize that fail at the
// end.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/edit/fuse.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/report/field_lists/edit.h"
#include "onnxpress/tasks/report/field_lists/memory.h"
#include "onnxpress/tasks/shrink/expand.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress {
namespace {

constexpr const char* kModel = R"(
<ir_version: 8, opset_import: ["": 17, "own": 1]>
main (float[2,3] x) => (float[2,3] y) <float[2,3] w = {1, 2, 3, 4, 5, 6}, float[2,3] zero = {0, 0, 0, 0, 0, 0}> {
  a = Add(x, zero)
  b = Mul(a, w)
  c = own.twice(b)
  y = Relu(c)
}
<domain: "own", opset_import: ["": 17]>
twice (v) => (r) { r = Add(v, v) }
)";

// Its nodes cannot be sorted.
constexpr const char* kCycle = R"(
<ir_version: 8, opset_import: ["": 17]>
main (float[2] x) => (float[2] y) {
  a = Add(x, y)
  y = Relu(a)
}
)";

struct Case {
  std::string name;
  std::function<void(Model&)> call;  // throws
  const char* text = kModel;
};

class Restore : public testing::TestWithParam<Case> {};

TEST_P(Restore, LeavesTheModelAsItWas) {
  Model model = text::parse_model(GetParam().text);
  const std::string before = text::print_model(model);
  EXPECT_THROW(GetParam().call(model), Error);
  EXPECT_EQ(text::print_model(model), before);
}

const std::vector<Case> kCases = {
    {"edit",
     [](Model& model) {
       EditOptions options;
       options.set_metadata = {"author=me"};
       options.rename = {"a=first", "nothing=second"};
       edit(model, options);
     }},
    {"fuse",
     [](Model& model) {
       FuseOptions options;
       options.from = {"x"};
       options.to = {"nothing"};
       options.as = "own::Block";
       fuse(model, options);
     }},
    {"unfuse", [](Model& model) { unfuse(model, "own::thrice"); }},
    {"declare_types",
     [](Model& model) {
       InferOptions options;
       options.bindings.shape = {"x=5x5x5"};
       declare_types(model, options);
     }},
    {"import_tensors",
     [](Model& model) {
       TensorOptions options;
       options.from = "does/not/exist.npz";
       import_tensors(model, options);
     }},
    {"reorder",
     [](Model& model) {
       MemoryOptions options;
       options.bindings.shape = {"x=5x5x5"};
       reorder(model, options);
     }},
    {"optimize",
     [](Model& model) {
       OptimizeOptions options;
       options.opset = 18;
       options.skip = {"nothing"};
       optimize(model, options);
     }},
    {"shrink",
     [](Model& model) {
       ShrinkOptions options;
       options.only = {"nothing"};
       shrink(model, options);
     }},
    {"expand", [](Model& model) { expand(model); }, kCycle},
};

INSTANTIATE_TEST_SUITE_P(Calls, Restore, testing::ValuesIn(kCases), [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace onnxpress
