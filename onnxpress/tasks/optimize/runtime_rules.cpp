// The rules are data, in the form that docs/rules.md describes. All are for float: that is what the CPU kernels take.
#include "onnxpress/tasks/optimize/runtime_rules.h"

#include <algorithm>

#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/passes/apply_rules.h"
#include "onnxpress/passes/remove_dead.h"
#include "onnxpress/text/parse_model.h"

namespace onnxpress::tasks {

namespace {

struct RuntimeRule {
  std::string_view name, summary;
  std::string_view parameters;  // of both functions
  std::string_view inputs;
  std::string_view pattern, replacement;
};

constexpr std::string_view kConvParameters = "<auto_pad, dilations, group, kernel_shape, pads, strides>";

// Stands for $conv in the rules below.
constexpr std::string_view kConv =
    "<auto_pad: string = @auto_pad, dilations: ints = @dilations, group: int = @group, kernel_shape: ints = "
    "@kernel_shape, pads: ints = @pads, strides: ints = @strides";

// Longer patterns first.
constexpr RuntimeRule kRules[] = {
    {"ort-bias-gelu", "makes BiasGelu of Add and Gelu", "", "x, b",
     "s = Add (x, b)  y = Gelu (s)  c = where.Rank <rank = 1> (b)  t = where.Type <to = 1> (x)",
     "y = com.microsoft.BiasGelu (x, b)"},
    {"ort-fast-gelu", "makes FastGelu of a Gelu that is computed with Tanh", "", "x",
     "y = Gelu <approximate = \"tanh\"> (x)  t = where.Type <to = 1> (x)", "y = com.microsoft.FastGelu (x)"},
    {"ort-gelu", "makes Gelu of ONNX Runtime of what is computed with Erf", "", "x",
     "r = Constant <value = float {1.4142135}> ()  d = Div (x, r)  e = Erf (d)  one = Constant <value = float {1}> ()  "
     "p = Add (e, one)  m = Mul (x, p)  h = Constant <value = float {0.5}> ()  y = Mul (m, h)  t = where.Type <to = 1> "
     "(x)",
     "y = com.microsoft.Gelu (x)"},
    {"ort-quick-gelu", "makes QuickGelu of x times the sigmoid of 1.702 x", "", "x",
     "k = Constant <value = float {1.702}> ()  a = Mul (x, k)  s = Sigmoid (a)  y = Mul (x, s)  t = where.Type <to = "
     "1> (x)",
     "y = com.microsoft.QuickGelu <alpha = 1.702> (x)"},
    {"ort-silu", "makes QuickGelu of x times its sigmoid", "", "x",
     "s = Sigmoid (x)  y = Mul (x, s)  t = where.Type <to = 1> (x)", "y = com.microsoft.QuickGelu <alpha = 1.0> (x)"},
    {"ort-skip-layer-norm", "makes SkipLayerNormalization of Add and LayerNormalization", "<epsilon>", "x, z, g, b",
     "s = Add (x, z)  y = LayerNormalization <epsilon: float = @epsilon> (s, g, b)  a = where.SameShape (x, z)  "
     "c = where.Rank <rank = 3> (x)  d = where.Rank <rank = 1> (g)  e = where.Rank <rank = 1> (b)  "
     "t = where.Type <to = 1> (x)",
     "y = com.microsoft.SkipLayerNormalization <epsilon: float = @epsilon> (x, z, g, b)"},
    {"ort-fused-matmul-3", "takes a Transpose of the second operand into MatMul", "", "x, w",
     "v = Transpose <perm = [0, 2, 1]> (w)  y = MatMul (x, v)  t = where.Type <to = 1> (x)  c = where.Rank <rank = 3> "
     "(x)",
     "y = com.microsoft.FusedMatMul <transB = 1> (x, w)"},
    {"ort-fused-matmul-4", "takes a Transpose of the second operand into MatMul", "", "x, w",
     "v = Transpose <perm = [0, 1, 3, 2]> (w)  y = MatMul (x, v)  t = where.Type <to = 1> (x)  "
     "c = where.Rank <rank = 4> (x)",
     "y = com.microsoft.FusedMatMul <transB = 1> (x, w)"},
    {"ort-fused-conv", "takes Relu into the Conv before it", kConvParameters, "x, w, b",
     "s = Conv $conv> (x, w, b)  y = Relu (s)  t = where.Type <to = 1> (x)",
     "y = com.microsoft.FusedConv $conv, activation = \"Relu\"> (x, w, b)"},
    {"ort-fused-conv-no-bias", "takes Relu into the Conv before it", kConvParameters, "x, w",
     "s = Conv $conv> (x, w)  y = Relu (s)  t = where.Type <to = 1> (x)",
     "y = com.microsoft.FusedConv $conv, activation = \"Relu\"> (x, w)"},
};

// Functions have names without dashes.
std::string identifier_of(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

std::string text_of(const RuntimeRule& rule, const Model& model) {
  const std::string imports = "opset_import: [\"\" : " + std::to_string(model.opset("").value_or(1)) +
                              ", \"where\" : 1, \"com.microsoft\" : 1]>\n";
  std::string text = "<ir_version: 10, " + imports + "rules () => () {}\n";
  for (const auto& [domain, body] : {std::pair("pattern", rule.pattern), std::pair("replacement", rule.replacement)}) {
    text += std::string("<domain: \"") + domain + "\", " + imports + identifier_of(rule.name) + " " +
            std::string(rule.parameters) + " (" + std::string(rule.inputs) + ") => (y) {" + std::string(body) + "}\n";
  }
  constexpr std::string_view kPlace = "$conv";
  for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at))
    text.replace(at, kPlace.size(), kConv);
  return text;
}

}  // namespace

std::vector<RewriteInfo> runtime_rules() {
  std::vector<RewriteInfo> found;
  for (const RuntimeRule& rule : kRules)
    found.push_back({rule.name, rule.summary, name_of(passes::Exactness::kReassociates), "target ort"});
  return found;
}

void apply_runtime_rules(Model& model, const passes::DriverOptions& driver, passes::DriverReport& report) {
  for (const RuntimeRule& rule : kRules) {
    if (driver.stop_after && report.steps.size() >= *driver.stop_after) break;
    if (std::ranges::find(driver.without, rule.name) != driver.without.end()) continue;
    Model read = text::parse_model(text_of(rule, model), rule.name);
    const std::size_t own = model.functions.size();
    format::add_functions(model, format::encode_model(read));
    const passes::Rule pair{model.functions[own], model.functions[own + 1]};
    model.functions.resize(own);
    const passes::RuleReport done = passes::apply_rules(model, {pair}).front();
    if (done.count == 0) continue;
    report.counts[rule.name] += done.count;
    for (const std::string& node : done.nodes) report.steps.push_back({rule.name, node, {}, {}, {}, {}});
  }
  passes::remove_dead(model);
}

}  // namespace onnxpress::tasks
