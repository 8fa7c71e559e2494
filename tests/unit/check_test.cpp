// The structural check: for every code, a model that has only this problem. No normal writer would produce most of
// them.
#include "onnxpress/analysis/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "onnxpress/analysis/node_order.h"
#include "onnxpress/format/read_model.h"
#include "tests/support/encode.h"
#include "tests/support/temp_folder.h"

namespace onnxpress::analysis {
namespace {

using tests::Message;
using tests::node;
using tests::raw_tensor;
namespace fields = format::fields;
namespace graph_field = fields::graph;
namespace attribute_field = fields::attribute;

constexpr std::int32_t kFloat = 1, kInt64 = 7, kString = 8, kInt4 = 22;

// A declaration of float[dims].
Message declared(std::string_view name, std::initializer_list<std::int64_t> dims, std::int32_t type = kFloat) {
  Message shape;
  for (const std::int64_t dim : dims)
    shape.message(fields::shape::kDim, Message().number(fields::dimension::kDimValue, dim));
  const Message tensor =
      Message().number(fields::type_tensor::kElemType, type).message(fields::type_tensor::kShape, shape);
  return Message()
      .text(fields::value_info::kName, name)
      .message(fields::value_info::kType, Message().message(fields::type::kTensorType, tensor));
}

Message named(Message message, std::string_view name) { return message.text(fields::node::kName, name); }

Message attribute(std::string_view name, AttributeType type) {
  return Message().text(attribute_field::kName, name).number(attribute_field::kType, static_cast<int>(type));
}

// A valid graph: y = Relu(x), to which a test adds the problem.
Message sound_graph() {
  return Message()
      .text(graph_field::kName, "main")
      .message(graph_field::kNode, named(node("Relu", {"x"}, {"y"}), "relu"))
      .message(graph_field::kInput, declared("x", {2}))
      .message(graph_field::kOutput, declared("y", {2}));
}

Model read(const Message& message, const std::filesystem::path& folder = {}) {
  return format::read_model(Bytes::owned(message.bytes()), folder);
}

// "error undefined-input; note unused-initializer"
std::string found_in(Model& model, const CheckSettings& settings = {}) {
  std::string text;
  for (const Finding& finding : check(model, settings).kept) {
    text += (text.empty() ? "" : "; ") + std::string(name_of(finding.severity)) + " " + std::string(finding.code);
  }
  return text;
}
std::string found_in(Model&& model, const CheckSettings& settings = {}) { return found_in(model, settings); }
std::string found_in(const Message& message) { return found_in(read(message)); }
std::string found_in_graph(const Message& graph) { return found_in(tests::model(graph)); }

// The place and message of the only finding.
std::string only_finding(Model& model) {
  const Findings found = analysis::check(model);
  if (found.kept.size() != 1) return "not one finding: " + found_in(model);
  return found.kept[0].where + ": " + found.kept[0].message;
}
std::string only_finding(Model&& model) { return only_finding(model); }

Message function(std::string_view name, std::initializer_list<Message> nodes, bool imports = true) {
  Message out;
  out.text(fields::function::kName, name).text(fields::function::kDomain, "my");
  out.text(fields::function::kInput, "a").text(fields::function::kOutput, "b");
  int number = 0;
  for (const Message& each : nodes) out.message(fields::function::kNode, named(each, "n" + std::to_string(number++)));
  for (const std::string_view domain : {"", "my"}) {
    if (!imports) continue;
    out.message(fields::function::kOpsetImport,
                Message().text(fields::opset::kDomain, domain).number(fields::opset::kVersion, 21));
  }
  return out;
}

Message call(std::string_view name, std::string_view input, std::string_view output) {
  return node(name, {input}, {output}).text(fields::node::kDomain, "my");
}

// y = my.F(x), with these functions.
Message model_with_functions(std::initializer_list<Message> functions) {
  Message graph;
  graph.text(graph_field::kName, "main").message(graph_field::kNode, named(call("F", "x", "y"), "call"));
  graph.message(graph_field::kInput, declared("x", {2})).message(graph_field::kOutput, declared("y", {2}));
  Message model = tests::model(graph);
  model.message(fields::model::kOpsetImport,
                Message().text(fields::opset::kDomain, "my").number(fields::opset::kVersion, 1));
  for (const Message& each : functions) model.message(fields::model::kFunctions, each);
  return model;
}

// --- The model as a whole

TEST(Check, FindsNothingWrongWithASoundModel) { EXPECT_EQ(found_in_graph(sound_graph()), ""); }

TEST(Check, WantsAGraphAndAnIrVersion) {
  EXPECT_EQ(found_in(Message().number(fields::model::kIrVersion, 10)), "error no-graph");
  EXPECT_EQ(found_in(Message().message(fields::model::kGraph, sound_graph())), "error ir-version");
  const auto with_version = [](std::int64_t version) {
    return found_in(tests::model(sound_graph()).number(fields::model::kIrVersion, version));
  };
  EXPECT_EQ(with_version(0), "error ir-version");
  EXPECT_EQ(with_version(-1), "error ir-version");
  EXPECT_EQ(with_version(14), "");
  EXPECT_EQ(with_version(15), "note new-ir-version");
}

TEST(Check, WantsEachMetadataKeyOnce) {
  const Message entry = Message().text(fields::entry::kKey, "k").text(fields::entry::kValue, "v");
  Message model = tests::model(sound_graph());
  EXPECT_EQ(found_in(model.message(fields::model::kMetadataProps, entry)), "");
  EXPECT_EQ(found_in(model.message(fields::model::kMetadataProps, entry)), "error duplicate-metadata");
}

TEST(Check, HoldsOpsetsAgainstUse) {
  const auto opset = [](std::string_view domain, std::int64_t version) {
    return Message().text(fields::opset::kDomain, domain).number(fields::opset::kVersion, version);
  };
  const auto with = [&](std::string_view domain, std::int64_t version) {
    return found_in(tests::model(sound_graph()).message(fields::model::kOpsetImport, opset(domain, version)));
  };
  EXPECT_EQ(with("", 21), "note duplicate-opset");
  EXPECT_EQ(with("ai.onnx", 20), "error duplicate-opset");
  EXPECT_EQ(with("ai.onnx.ml", 6), "note new-opset");
  EXPECT_EQ(with("mine", 0), "warning opset-version");
  const auto using_domain = [&](std::string_view domain) {
    return found_in_graph(sound_graph().message(
        graph_field::kNode, named(node("F", {"x"}, {"z"}).text(fields::node::kDomain, domain), "f")));
  };
  EXPECT_EQ(using_domain("com.microsoft"), "error missing-opset");
  EXPECT_EQ(using_domain("mine"), "error missing-opset");
  const Message none = Message().number(fields::model::kIrVersion, 10).message(fields::model::kGraph, sound_graph());
  EXPECT_EQ(found_in(none), "error no-opsets");
}

// --- Names

TEST(Check, FindsUndefinedNames) {
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("Add", {"x", "q"}, {"z"}), "add"))),
            "error undefined-input");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kOutput, declared("q", {2}))), "error undefined-output");
  Model model =
      read(tests::model(sound_graph().message(graph_field::kNode, named(node("Add", {"x", "q"}, {"z"}), "add"))));
  EXPECT_EQ(only_finding(model), "graph 'main', node 'add' (Add) #1: input 1 'q' is defined nowhere");
}

TEST(Check, FindsSecondDefinitions) {
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("Abs", {"x"}, {"y"}), "b"))),
            "error duplicate-name");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("Abs", {"x"}, {"x"}), "b"))),
            "error duplicate-name");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kInput, declared("x", {2}))), "error duplicate-name");
  const Message tensor = raw_tensor("x", kFloat, {2}, std::string(8, '\0'));
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kInitializer, tensor)), "");  // the default of an input
  EXPECT_EQ(found_in_graph(
                sound_graph().message(graph_field::kInitializer, tensor).message(graph_field::kInitializer, tensor)),
            "error duplicate-name; note unused-initializer");
}

TEST(Check, WantsNames) {
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kInput, declared("", {2}))), "error empty-name");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kInitializer, raw_tensor("", kFloat, {0}, ""))),
            "error empty-name; note unused-initializer");
  EXPECT_EQ(found_in_graph(sound_graph().text(graph_field::kName, "")), "error empty-graph-name");
}

Message if_node(const Message& then_body) {
  Message both = named(node("If", {"c"}, {"z"}), "if");
  both.message(fields::node::kAttribute,
               attribute("then_branch", AttributeType::kGraph).message(attribute_field::kG, then_body));
  const Message other = Message()
                            .text(graph_field::kName, "else")
                            .message(graph_field::kNode, named(node("Abs", {"x"}, {"e"}), "abs"))
                            .message(graph_field::kOutput, declared("e", {2}));
  return both.message(fields::node::kAttribute,
                      attribute("else_branch", AttributeType::kGraph).message(attribute_field::kG, other));
}

Message graph_with_if(const Message& then_body) {
  return sound_graph()
      .message(graph_field::kInput, declared("c", {}, 9))
      .message(graph_field::kNode, if_node(then_body));
}

Message body(const Message& inner_node, std::string_view output) {
  return Message()
      .text(graph_field::kName, "then")
      .message(graph_field::kNode, named(inner_node, "inner"))
      .message(graph_field::kOutput, declared(output, {2}));
}

TEST(Check, KnowsTheScopesOfBodies) {
  EXPECT_EQ(found_in_graph(graph_with_if(body(node("Neg", {"y"}, {"t"}), "t"))), "");
  EXPECT_EQ(found_in_graph(graph_with_if(body(node("Neg", {"x"}, {"y"}), "y"))), "error shadowed-name");
  EXPECT_EQ(found_in_graph(graph_with_if(body(node("Neg", {"x"}, {"z"}), "z"))),
            "");  // results of the node itself are not visible inside
  EXPECT_EQ(found_in_graph(graph_with_if(body(node("Neg", {"x"}, {"t"}), "y"))), "error outer-output");
  Message hides = body(node("Neg", {"x"}, {"t"}), "t");
  hides.message(graph_field::kInitializer, raw_tensor("x", kFloat, {2}, std::string(8, '\0')));
  EXPECT_EQ(found_in_graph(graph_with_if(hides)), "warning shadowed-name");
  Message leak = graph_with_if(body(node("Neg", {"x"}, {"t"}), "t"));
  leak.message(graph_field::kNode, named(node("Abs", {"t"}, {"u"}), "last"));
  EXPECT_EQ(found_in_graph(leak), "error out-of-scope");
  EXPECT_EQ(only_finding(read(tests::model(leak))),
            "graph 'main', node 'last' (Abs) #2: input 0 't' is defined only in graph 'main', node 'if' (If) #1, "
            "then_branch, "
            "which is not visible here");
}

TEST(Check, FindsNamesThatAreNotUtf8) {
  for (const std::string_view bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("Abs", {"x"}, {bad}), "b"))),
              "error invalid-utf8");
    EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("Abs", {"x"}, {"z"}), bad))),
              "error invalid-utf8");
  }
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode,
                                                 named(node("Abs", {"x"}, {"\xe2\x82\xac"}), "\xf0\x9f\x90\x88"))),
            "");
}

// --- Types

TEST(Check, WantsTypesAtTheInterface) {
  const Message untyped = tests::value_info("z");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kInput, untyped)), "error missing-type");
  const Message graph = sound_graph().message(graph_field::kNode, named(node("Abs", {"x"}, {"z"}), "b"));
  EXPECT_EQ(found_in_graph(Message(graph).message(graph_field::kOutput, untyped)), "error missing-type");
  EXPECT_EQ(found_in_graph(Message(graph).message(graph_field::kOutput, declared("z", {2}, 99))),
            "error unknown-element-type; error inferred-type");
  EXPECT_EQ(found_in_graph(Message(graph).message(graph_field::kOutput, declared("z", {-1}))), "warning negative-dim");
  EXPECT_EQ(found_in_graph(Message(graph).message(graph_field::kValueInfo, declared("z", {2}, 0))), "");
}

TEST(Check, HoldsInitializersAgainstDeclarations) {
  const auto with = [](const Message& tensor) {
    return found_in_graph(sound_graph().message(graph_field::kInitializer, tensor));
  };
  EXPECT_EQ(with(raw_tensor("x", kFloat, {3}, std::string(12, '\0'))), "error initializer-shape");
  EXPECT_EQ(with(raw_tensor("x", kInt64, {2}, std::string(16, '\0'))), "error initializer-type");
}

TEST(Check, NotesWhatNobodyUses) {
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kInitializer, raw_tensor("w", kFloat, {1}, "1234"))),
            "note unused-initializer");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kValueInfo, declared("q", {1}))),
            "note unknown-value-info");
}

// --- Nodes and attributes

TEST(Check, WantsAnOpTypeAndUniqueNames) {
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("", {"x"}, {"z"}), "b"))),
            "error empty-op-type");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("Abs", {}, {}), "b"))),
            "error idle-node");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, named(node("Abs", {"x"}, {"z"}), "relu"))),
            "error duplicate-node-name");
  EXPECT_EQ(found_in_graph(sound_graph().message(graph_field::kNode, node("Abs", {"x"}, {"z"}))), "note unnamed-nodes");
}

// Attributes with such names are in no schema.
TEST(Check, WantsOneValueOfTheStatedTypePerAttribute) {
  const auto with = [](std::initializer_list<Message> attributes) {
    Message abs = named(node("Abs", {"x"}, {"z"}), "abs");
    for (const Message& each : attributes) abs.message(fields::node::kAttribute, each);
    return found_in_graph(sound_graph().message(graph_field::kNode, abs));
  };
  const Message one = attribute("__a", AttributeType::kInt).number(attribute_field::kI, 1);
  EXPECT_EQ(with({one}), "");
  EXPECT_EQ(with({one, one}), "error duplicate-attribute");
  EXPECT_EQ(with({attribute("", AttributeType::kInt)}), "error empty-attribute-name");
  EXPECT_EQ(with({attribute("__a", AttributeType::kUndefined)}), "error attribute-type");
  EXPECT_EQ(with({attribute("__a", static_cast<AttributeType>(99))}), "error attribute-type");
  EXPECT_EQ(with({Message().text(attribute_field::kName, "__a").number(attribute_field::kI, 1)}),
            "error attribute-type");
  EXPECT_EQ(with({Message(one).real(attribute_field::kF, 1)}), "error attribute-conflict");
  EXPECT_EQ(with({attribute("__a", AttributeType::kTensor)}), "error attribute-value");
  EXPECT_EQ(with({attribute("__a", AttributeType::kInt).text(attribute_field::kRefAttrName, "p")}),
            "error attribute-reference");
}

// --- Order

TEST(Check, ListsTheNodesOfACycle) {
  Message graph = sound_graph();
  graph.message(graph_field::kNode, named(node("Add", {"x", "r"}, {"p"}), "first"));
  graph.message(graph_field::kNode, named(node("Abs", {"p"}, {"q"}), "second"));
  graph.message(graph_field::kNode, named(node("Neg", {"q"}, {"r"}), "third"));
  EXPECT_EQ(only_finding(read(tests::model(graph))),
            "graph 'main', node 'first' (Add) #1: needs itself: node 'first' (Add) #1 -> node 'second' (Abs) #2 -> "
            "node 'third' (Neg) #3 -> node 'first' (Add) #1");
}

TEST(Check, FindsCyclesThroughBodies) {
  // The body of the If reads the result of the If.
  EXPECT_EQ(found_in_graph(graph_with_if(body(node("Neg", {"z"}, {"t"}), "t"))), "error cycle");
}

TEST(Check, ReportsUnsortedNodesOncePerGraph) {
  Message graph;
  graph.text(graph_field::kName, "main").message(graph_field::kNode, named(node("Abs", {"q"}, {"y"}), "c"));
  graph.message(graph_field::kNode, named(node("Abs", {"p"}, {"q"}), "b"))
      .message(graph_field::kNode, named(node("Abs", {"x"}, {"p"}), "a"));
  graph.message(graph_field::kInput, declared("x", {2})).message(graph_field::kOutput, declared("y", {2}));
  Model model = read(tests::model(graph));
  const Findings found = analysis::check(model);
  ASSERT_EQ(found.kept.size(), 1U);
  EXPECT_EQ(found.kept[0].code, "node-order");
  EXPECT_EQ(found.kept[0].where, "graph 'main', node 'b' (Abs) #1");
}

TEST(Check, FindsManySeparateCyclesInLinearTime) {
  Model model;
  Graph& graph = model.graph();
  for (int i = 0; i < 20'000; ++i) {
    Value *a = graph.create_value(""), *b = graph.create_value("");
    Value *first_in[] = {b}, *first_out[] = {a}, *second_in[] = {a}, *second_out[] = {b};
    graph.append({.op_type = "A", .inputs = first_in, .outputs = first_out});
    graph.append({.op_type = "B", .inputs = second_in, .outputs = second_out});
  }
  EXPECT_EQ(find_cycles(model).size(), 20'000U);
}

TEST(Check, FindsOneLongCycleWithoutRecursion) {
  Model model;
  Graph& graph = model.graph();
  constexpr int kLength = 200'000;
  std::vector<Value*> values;
  for (int i = 0; i < kLength; ++i) values.push_back(graph.create_value(""));
  for (int i = 0; i < kLength; ++i) {
    graph.append({.op_type = "Abs", .inputs = {&values[i], 1}, .outputs = {&values[(i + 1) % kLength], 1}});
  }
  const auto cycles = find_cycles(model);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0].size(), static_cast<std::size_t>(kLength));
  model.ir_version = 8;
  model.opsets.push_back({.domain = "", .version = 17});
  EXPECT_EQ(analysis::check(model).count(Severity::kError), 2U) << "the cycle, and a graph without a name";
}

// --- Functions

TEST(Check, FindsRecursiveFunctions) {
  EXPECT_EQ(found_in(model_with_functions({function("F", {node("Abs", {"a"}, {"b"})})})), "");
  EXPECT_EQ(found_in(model_with_functions({function("F", {call("F", "a", "b")})})), "error recursive-function");
  const Message both =
      model_with_functions({function("F", {call("G", "a", "b")}), function("G", {call("F", "a", "b")})});
  EXPECT_EQ(only_finding(read(both)), "function 'my:F': calls itself: 'my:F' -> 'my:G' -> 'my:F'");
  // Through a body.
  const Message inner = body(call("F", "a", "t"), "t");
  Message hidden = node("If", {"a"}, {"b"});
  hidden.message(fields::node::kAttribute,
                 attribute("then_branch", AttributeType::kGraph).message(attribute_field::kG, inner));
  EXPECT_EQ(found_in(model_with_functions({function("F", {hidden})})),
            "error recursive-function; error missing-attribute; error unsupported-type");
}

TEST(Check, HoldsFunctionsAgainstTheirCalls) {
  const Message plain = function("F", {node("Abs", {"a"}, {"b"})});
  EXPECT_EQ(found_in(model_with_functions({plain, plain})), "error duplicate-function");
  EXPECT_EQ(found_in(model_with_functions({plain, function("G", {node("Abs", {"a"}, {"b"})})})),
            "note unused-function");
  EXPECT_EQ(found_in(model_with_functions({function("F", {node("Abs", {"a"}, {"b"})}, false)})), "error missing-opset");
  EXPECT_EQ(found_in(model_with_functions({function("F", {node("Abs", {"a"}, {"c"})})})), "error undefined-output");
  Message twice = plain;
  twice.text(fields::function::kAttribute, "p").text(fields::function::kAttribute, "p");
  EXPECT_EQ(found_in(model_with_functions({twice})), "error duplicate-parameter");
  Message outputs = plain;
  EXPECT_EQ(found_in(model_with_functions({outputs.text(fields::function::kOutput, "b")})),
            "error duplicate-output; error call-arity");  // the call has one output
  Message model = model_with_functions({plain});
  EXPECT_EQ(found_in(model.message(
                fields::model::kGraph,
                Message().message(graph_field::kNode,
                                  named(node("F", {"x", "x"}, {"z"}).text(fields::node::kDomain, "my"), "two")))),
            "error call-arity");
}

TEST(Check, KnowsTheParametersOfAFunction) {
  const auto with = [](std::string_view parameter) {
    Message abs = node("Abs", {"a"}, {"b"});
    abs.message(fields::node::kAttribute,
                attribute("__p", AttributeType::kInt).text(attribute_field::kRefAttrName, "p"));
    Message made = function("F", {abs});
    return found_in(model_with_functions({made.text(fields::function::kAttribute, parameter)}));
  };
  EXPECT_EQ(with("p"), "");
  EXPECT_EQ(with("q"), "error attribute-reference");
}

TEST(Check, NotesFunctionsThatInlineToTooMuch) {
  Message model = model_with_functions({});
  for (int i = 0; i < 40; ++i) {
    const std::string name = i == 0 ? "F" : "F" + std::to_string(i), next = "F" + std::to_string(i + 1);
    Message twice = i == 39 ? function(name, {node("Abs", {"a"}, {"b"})})
                            : function(name, {call(next, "a", "m"), call(next, "m", "b")});
    model.message(fields::model::kFunctions, twice);
  }
  EXPECT_EQ(only_finding(read(model)),
            ": with every call replaced by its function's body, as runtimes do, there are 5.5e+11 nodes");
}

TEST(Check, NotesDeepChainsOfCalls) {
  Message model = model_with_functions({});
  constexpr int kDeep = 5000;
  for (int i = 0; i < kDeep; ++i) {
    const std::string name = i == 0 ? "F" : "F" + std::to_string(i), next = "F" + std::to_string(i + 1);
    model.message(fields::model::kFunctions,
                  function(name, {i + 1 == kDeep ? node("Abs", {"a"}, {"b"}) : call(next, "a", "b")}));
  }
  EXPECT_EQ(found_in(model), "note deep-calls");
}

// --- Tensors

std::string found_with_tensor(const Message& tensor) {
  Message abs = named(node("Abs", {"x"}, {"z"}), "abs");
  abs.message(fields::node::kAttribute, attribute("__t", AttributeType::kTensor).message(attribute_field::kT, tensor));
  return found_in_graph(sound_graph().message(graph_field::kNode, abs));
}

TEST(Check, HoldsDimsAgainstData) {
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {2}, "12345678")), "");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {2}, "1234567")), "error tensor-size");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {2}, "123456789")), "error tensor-size");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kInt4, {3}, "12")), "");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kInt4, {3}, "1")), "error tensor-size");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {0}, "")), "");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {-1}, "")), "error tensor-dims");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {1LL << 62, 8}, "")), "error tensor-dims");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {1LL << 62, 2}, "")), "error tensor-size");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", 0, {1}, "1")), "error tensor-type");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", 77, {1}, "1")), "error tensor-type");
}

TEST(Check, CountsTypedDataAndStrings) {
  const auto typed = [](std::int32_t type, std::int64_t dim) {
    return Message().number(fields::tensor::kDims, dim).number(fields::tensor::kDataType, type);
  };
  EXPECT_EQ(
      found_with_tensor(typed(kInt64, 2).number(fields::tensor::kInt64Data, 1).number(fields::tensor::kInt64Data, 2)),
      "");
  EXPECT_EQ(found_with_tensor(typed(kInt64, 2).number(fields::tensor::kInt64Data, 1)), "error tensor-size");
  EXPECT_EQ(found_with_tensor(typed(kInt64, 1).text(fields::tensor::kInt64Data, "\x80")), "error tensor-size");
  EXPECT_EQ(found_with_tensor(typed(kString, 1).text(fields::tensor::kStringData, "a")), "");
  EXPECT_EQ(found_with_tensor(typed(kString, 2).text(fields::tensor::kStringData, "a")), "error tensor-size");
}

TEST(Check, WantsOneDataFieldAndNoSegment) {
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {1}, "1234").real(fields::tensor::kFloatData, 1)),
            "error tensor-conflict");
  EXPECT_EQ(found_with_tensor(raw_tensor("t", kFloat, {1}, "1234").message(fields::tensor::kSegment, Message())),
            "error tensor-segment");
}

std::string bytes_of(std::initializer_list<std::int64_t> numbers) {
  std::string bytes;
  for (const std::int64_t number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

Message sparse(std::initializer_list<std::int64_t> dims, const Message& indices, std::int64_t nnz = 2) {
  Message out;
  const Message values = raw_tensor("s", kFloat, {nnz}, std::string(static_cast<std::size_t>(nnz) * 4, '\0'));
  out.message(fields::sparse_tensor::kValues, values).message(fields::sparse_tensor::kIndices, indices);
  for (const std::int64_t dim : dims) out.number(fields::sparse_tensor::kDims, dim);
  return out;
}

TEST(Check, WantsSparseIndicesInRangeAndOrder) {
  const auto with = [](const Message& tensor) {
    Message use = named(node("SequenceConstruct", {"x", "s"}, {"z"}), "use");
    return found_in_graph(
        sound_graph().message(graph_field::kSparseInitializer, tensor).message(graph_field::kNode, use));
  };
  const auto linear = [](std::initializer_list<std::int64_t> numbers) {
    return raw_tensor("", kInt64, {2}, bytes_of(numbers));
  };
  const auto tuples = [](std::initializer_list<std::int64_t> numbers) {
    return raw_tensor("", kInt64, {2, 2}, bytes_of(numbers));
  };
  EXPECT_EQ(with(sparse({2, 3}, linear({0, 5}))), "");
  EXPECT_EQ(with(sparse({2, 3}, linear({0, 6}))), "error sparse-indices");
  EXPECT_EQ(with(sparse({2, 3}, linear({-1, 0}))), "error sparse-indices");
  EXPECT_EQ(with(sparse({2, 3}, linear({3, 3}))), "error sparse-indices");
  EXPECT_EQ(with(sparse({2, 3}, linear({4, 3}))), "error sparse-indices");
  EXPECT_EQ(with(sparse({2, 3}, tuples({0, 1, 1, 2}))), "");
  EXPECT_EQ(with(sparse({2, 3}, tuples({0, 1, 1, 3}))), "error sparse-indices");
  EXPECT_EQ(with(sparse({2, 3}, tuples({1, 0, 0, 2}))), "error sparse-indices");
  EXPECT_EQ(with(sparse({2, 3}, raw_tensor("", kInt64, {1}, bytes_of({0})))), "error sparse-indices");
  EXPECT_EQ(with(sparse({2, 3}, raw_tensor("", kFloat, {2}, "12345678"))), "error sparse-indices");
  EXPECT_EQ(with(sparse({1}, linear({0, 1}))), "error sparse-values");
  EXPECT_EQ(with(sparse({}, linear({0, 1}))), "error sparse-dims");
  EXPECT_EQ(with(sparse({0}, linear({0, 1}))), "error sparse-dims");
  EXPECT_EQ(with(sparse({1LL << 40, 1LL << 40}, linear({0, 1}))), "error sparse-dims");
}

// --- External data

Message external_tensor(std::string_view name, std::string_view location, std::int64_t offset,
                        std::optional<std::int64_t> length) {
  const auto entry = [](std::string_view key, const std::string& value) {
    return Message().text(fields::entry::kKey, key).text(fields::entry::kValue, value);
  };
  Message tensor;
  tensor.number(fields::tensor::kDims, 2).number(fields::tensor::kDataType, kFloat).text(fields::tensor::kName, name);
  tensor.message(fields::tensor::kExternalData, entry("location", std::string(location)));
  tensor.message(fields::tensor::kExternalData, entry("offset", std::to_string(offset)));
  if (length) tensor.message(fields::tensor::kExternalData, entry("length", std::to_string(*length)));
  return tensor.number(fields::tensor::kDataLocation, 1);
}

class CheckExternal : public testing::Test {
 protected:
  std::string with(std::initializer_list<Message> tensors, const CheckSettings& settings = {}) {
    Message graph = sound_graph();
    for (const Message& tensor : tensors) graph.message(graph_field::kInitializer, tensor);
    graph.message(graph_field::kNode, named(node("Sum", {"a", "b"}, {"z"}), "sum"));
    if (tensors.size() == 1) graph.message(graph_field::kInitializer, raw_tensor("b", kFloat, {1}, "1234"));
    return found_in(read(tests::model(graph), folder_.path()), settings);
  }

  tests::TempFolder folder_;
};

TEST_F(CheckExternal, HoldsRangesAgainstTheFile) {
  folder_.write("w", std::string(4096 + 8, '\0'));
  EXPECT_EQ(with({external_tensor("a", "w", 0, 8)}), "");
  EXPECT_EQ(with({external_tensor("a", "w", 4096, std::nullopt)}), "");
  EXPECT_EQ(with({external_tensor("a", "w", 4100, 8)}), "error external-range");
  EXPECT_EQ(with({external_tensor("a", "w", 1LL << 62, 8)}), "error external-range");
  EXPECT_EQ(with({external_tensor("a", "w", 0, 12)}), "error external-length");
  EXPECT_EQ(with({external_tensor("a", "w", 16, 8)}), "note external-alignment");
}

TEST_F(CheckExternal, SharesRangesButDoesNotLetThemOverlap) {
  folder_.write("w", std::string(8192, '\0'));
  EXPECT_EQ(with({external_tensor("a", "w", 0, 8), external_tensor("b", "w", 0, 8)}), "");
  EXPECT_EQ(with({external_tensor("a", "w", 0, 8), external_tensor("b", "w", 4, 8)}),
            "note external-alignment; note external-overlap");
}

TEST_F(CheckExternal, OpensOnlyFilesInTheFolder) {
  EXPECT_EQ(with({external_tensor("a", "missing", 0, 8)}), "error external-file");
  EXPECT_EQ(with({external_tensor("a", "../w", 0, 8)}), "error external-file");
  EXPECT_EQ(with({external_tensor("a", "/etc/passwd", 0, 8)}), "error external-file");
  EXPECT_EQ(with({external_tensor("a", "", 0, 8)}), "error external-location");
  EXPECT_EQ(with({external_tensor("a", "missing", 0, 8)}, {.external_files = false}), "");
}

// --- Size

TEST(Check, CountsWhatItDoesNotKeep) {
  Message graph = sound_graph();
  for (int i = 0; i < 500; ++i)
    graph.message(graph_field::kNode, named(node("Abs", {"q"}, {"v" + std::to_string(i)}), "n" + std::to_string(i)));
  Model model = read(tests::model(graph));
  const Findings found = check(model, {.kept_findings = 3});
  EXPECT_EQ(found.kept.size(), 3U);
  EXPECT_EQ(found.count(Severity::kError), 500U);
}

}  // namespace
}  // namespace onnxpress::analysis
