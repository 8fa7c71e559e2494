"""Graphs and functions that are connected wrongly, or made to keep a careless reader busy forever."""
from case import ANY, BAD_INPUT, DONE, NO, Case, check, convert, info, readable, tolerated
from onnx_bytes import (ONES, X, Y, calling_model, function, graph, graph_attribute, int_attribute, model, node, number, opset, plain_model,
                        reference_attribute, tensor, text, value_info)


def graph_case(name, problem, content, **parts):
    return Case(f"graph/{name}", model(content, **parts), readable(problem))


def odd_case(name, oddity, content, **parts):
    return Case(f"graph/{name}", model(content, **parts), tolerated(oddity))


def call(name, source="x", result="y"):
    return node(name, [source], [result], domain="local")


def in_if(inner):
    body = graph([inner], [], [], [value_info("b")], "branch")
    return node("If", ["c"], ["y"], [graph_attribute("then_branch", body), graph_attribute("else_branch", body)])


def function_chain(length):
    """f0 calls f1 calls f2 ...: 5,000 deep, which overflowed the stack of a runtime that inlines by recursion."""
    calls = [function(f"f{i}", [call(f"f{i + 1}")]) for i in range(length)]
    return calls + [function(f"f{length}", [node("Relu", ["x"], ["y"])])]


def function_bomb(levels):
    """Each function calls the next one twice: 2^levels nodes when inlined."""
    calls = [function(f"f{i}", [call(f"f{i + 1}", "x", "t"), call(f"f{i + 1}", "t", "y")]) for i in range(levels)]
    return calls + [function(f"f{levels}", [node("Relu", ["x"], ["y"])])]


def function_case(name, problem, functions, first, nodes=None):
    return Case(f"graph/{name}", calling_model(functions, first, nodes), readable(problem))


RELU = function("F", [node("Relu", ["x"], ["y"])])

FUNCTIONS = [
    function_case("func_self", "recursive-function", [function("F", [call("F")])], "F"),
    function_case("func_mutual", "recursive-function", [function("F", [call("G")]), function("G", [call("F")])], "F"),
    function_case("func_cycle_in_if", "recursive-function", [function("F", [node("Constant", [], ["c"], [int_attribute("value_int", 1)]), in_if(call("F", "x", "b"))])], "F"),
    Case("graph/func_chain_5000", calling_model(function_chain(5000), "f0"), tolerated("function calls are nested 5001 deep")),
    Case("graph/func_chain_100k", calling_model(function_chain(100_000), "f0"), tolerated("function calls are nested 100001 deep")),
    Case("graph/func_bomb_2e40", calling_model(function_bomb(40), "f0"), tolerated("many-inlined-nodes")),
    function_case("func_twice", "an earlier function has the same name", [RELU, RELU], "F"),
    function_case("func_missing", None, [RELU], "G"),
    function_case("func_no_name", "the function has no name", [function("", [node("Relu", ["x"], ["y"])])], ""),
    function_case("func_undefined_output", "output 0 'y' is defined only in graph 'g', which is not visible here", [function("F", [])], "F"),
    function_case("func_input_twice", "'x' is already the name of an input", [function("F", [node("Relu", ["x"], ["y"])], ["x", "x"])], "F"),
    function_case("func_uses_main_graph", "input 1 'outer' is defined only in graph 'g', which is not visible here", [function("F", [node("Add", ["x", "outer"], ["y"])])], "F",
                  [node("Relu", ["x"], ["outer"]), call("F")]),
]

W = tensor(raw=ONES)
ADD = node("Add", ["x", "w"], ["y"])

NAMES = [
    graph_case("duplicate_initializers", "'w' is already the name of an initializer", graph([ADD], [W, W], [X], [Y])),
    graph_case("duplicate_sparse_initializers", "'w' is already the name of an initializer", graph([ADD], [W], [X], [Y], extra=text(15, text(1, W)))),
    graph_case("duplicate_inputs", "'x' is already the name of an input", graph([ADD], [W], [X, X], [Y])),
    odd_case("duplicate_outputs", "output 1 'y' is listed a second time", graph([ADD], [W], [X], [Y, Y])),
    graph_case("duplicate_values", "'y' is already the name of an output", graph([ADD, ADD], [W], [X], [Y])),
    graph_case("duplicate_in_one_node", "'y' is already the name of an output", graph([node("Split", ["x"], ["y", "y"])], [], [X], [Y])),
    graph_case("node_overwrites_input", "'x' is already the name of an input", graph([node("Relu", ["x"], ["x"]), ADD], [W], [X], [Y])),
    graph_case("node_overwrites_initializer", "'w' is already the name of an initializer", graph([node("Relu", ["x"], ["w"]), ADD], [W], [X], [Y])),
    graph_case("duplicate_node_names", "duplicate-node-name", graph([node("Relu", ["x"], ["t"], name="n"), node("Relu", ["t"], ["y"], name="n")], [], [X], [Y])),
    graph_case("init_is_input", None, graph([ADD], [W], [X, value_info("w")], [Y])),
    graph_case("output_is_init", None, graph([], [W], [], [value_info("w")])),
    graph_case("output_is_input", None, graph([], [], [X], [X])),
    graph_case("undefined_input", "input 0 'nothing' is defined nowhere", graph([node("Relu", ["nothing"], ["y"])], [], [], [Y])),
    graph_case("undefined_output", "output 0 'nothing' is defined nowhere", graph([ADD], [W], [X], [value_info("nothing")])),
    graph_case("undefined_in_body", "input 0 'nothing' is defined nowhere", graph([in_if(node("Relu", ["nothing"], ["b"]))], [], [value_info("c", (), 9)], [Y])),
    graph_case("unnamed_initializer", "an initializer has no name", graph([node("Relu", ["x"], ["y"])], [tensor("", raw=ONES)], [X], [Y])),
    graph_case("unnamed_input", "an input has no name", graph([node("Relu", ["x"], ["y"])], [], [X, value_info("")], [Y])),
    graph_case("unnamed_output", "output 1 has no name", graph([ADD], [W], [X], [Y, value_info("")])),
    graph_case("no_op_type", "has no op type", graph([node("", ["x"], ["y"])], [], [X], [Y])),
    graph_case("body_shadows_outer", "shadowed-name", graph([node("Relu", ["x"], ["b"]), in_if(node("Relu", ["x"], ["b"]))], [], [X, value_info("c", (), 9)], [Y])),
    odd_case("value_info_for_nothing", "first 'nothing'", graph([ADD], [W], [X], [Y], extra=text(13, value_info("nothing")))),
]

ORDER = [
    graph_case("cycle_self", "cycle", graph([node("Add", ["x", "y"], ["y"])], [], [X], [Y])),
    graph_case("cycle_two", "cycle", graph([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])], [], [X], [Y])),
    graph_case("cycle_through_body", "cycle", graph([in_if(node("Relu", ["y"], ["b"]))], [], [value_info("c", (), 9)], [Y])),
    graph_case("backwards", "node-order", graph([node("Relu", ["b"], ["y"]), node("Relu", ["a"], ["b"]), node("Relu", ["x"], ["a"])], [], [X], [Y])),
    graph_case("backwards_100k", "node-order", graph([node("Relu", [f"v{i + 1}"], [f"v{i}" if i else "y"]) for i in range(99_999)] +
                                                   [node("Relu", ["x"], ["v99999"])], [], [X], [Y])),
]

ATTRIBUTES = [
    graph_case("ref_outside_function", "refers to the parameter 'a', but is not inside a function", graph([node("Elu", ["x"], ["y"], [reference_attribute("alpha", 1, "a")])], [], [X], [Y])),
    graph_case("attribute_twice", "attribute 'axis': occurs more than once", graph([node("Softmax", ["x"], ["y"], [int_attribute("axis", 1)] * 2)], [], [X], [Y])),
    graph_case("attribute_unnamed", "an attribute has no name", graph([node("Softmax", ["x"], ["y"], [int_attribute("", 1)])], [], [X], [Y])),
    graph_case("attribute_type_99", "type 99 does not exist", graph([node("Softmax", ["x"], ["y"], [text(1, "axis") + number(3, 1) + number(20, 99)])], [], [X], [Y])),
    graph_case("attribute_two_values", "is of type int, but has a value of another type as well", graph([node("Softmax", ["x"], ["y"], [int_attribute("axis", 1) + text(4, "s")])], [], [X], [Y])),
    graph_case("attribute_wrong_field", "is of type string, but has a value of another type as well", graph([node("Softmax", ["x"], ["y"], [text(1, "axis") + number(3, 1) + number(20, 3)])], [], [X], [Y])),
    graph_case("attribute_no_value", "is of type graph, but has no value", graph([node("Softmax", ["x"], ["y"], [text(1, "axis") + number(20, 5)])], [], [X], [Y])),
    graph_case("axis_int64_min", "axis -9223372036854775808 does not exist in an operand of rank 2", graph([node("Softmax", ["x"], ["y"], [int_attribute("axis", -2**63)])], [], [X], [Y])),
]


def scan(inputs):
    body = graph([node("Identity", ["i"], ["o"])], [], [value_info("i")], [value_info("o")], "body")
    return graph([node("Scan", ["x"], ["y"], [graph_attribute("body", body), int_attribute("num_scan_inputs", inputs)])], [], [X], [Y])


SCAN = [
    graph_case(f"scan_num_{name}", f"num_scan_inputs is {value}, but must be from 1 to 1", scan(value))
    for name, value in [("zero", 0), ("two", 2), ("negative", -1), ("int64_min", -2**63), ("int64_max", 2**63 - 1)]
]

OPSETS = [
    graph_case("opset_twice", "is imported with version 13 and again with 17", graph([ADD], [W], [X], [Y]), opsets=[opset(13), opset(17)]),
    graph_case("opset_twice_by_alias", "is imported with version 13 and again with 17", graph([ADD], [W], [X], [Y]), opsets=[opset(13), opset(17, "ai.onnx")]),
    graph_case("opset_none", "no opset is imported", graph([ADD], [W], [X], [Y]), opsets=[]),
    graph_case("opset_0", "is imported with version 0", graph([ADD], [W], [X], [Y]), opsets=[opset(0)]),
    graph_case("opset_negative", "is imported with version -1", graph([ADD], [W], [X], [Y]), opsets=[opset(-1)]),
    odd_case("opset_int64_max", "new-opset", graph([ADD], [W], [X], [Y]), opsets=[opset(2**63 - 1)]),
    graph_case("opset_unknown_domain", None, graph([node("Strange", ["x"], ["y"], domain="org.example")], [], [X], [Y]), opsets=[opset(), opset(1, "org.example")]),
]


def fan_out(users):
    """One value with many users: code that scans the list of uses once per user never ends."""
    return graph([node("Neg", ["x"], [f"v{i}"]) for i in range(users)], [], [X], [value_info(f"v{users - 1}")])


def fan_in(operands):
    return graph([node("Sum", ["x"] * operands, ["y"])], [], [X], [Y])


MANY = [
    graph_case("fanout_50k", None, fan_out(50_000)),
    graph_case("one_node_50k_operands", None, fan_in(50_000)),
    graph_case("nodes_200k_empty", "has no op type", graph(extra=text(1, b"") * 200_000)),
    graph_case("duplicate_names_40k", "'y' is already the name of an output", graph([node("Relu", ["x"], ["y"])] * 40_000, [], [X], [Y])),
    graph_case("undefined_names_40k", "is defined nowhere", graph([node("Relu", [f"u{i}"], [f"v{i}"]) for i in range(40_000)], [], [], [Y])),
    graph_case("duplicate_initializers_40k", "'w' is already the name of an initializer", graph([ADD], [W] * 40_000, [X], [Y])),
    graph_case("attributes_40k_on_one_node", None, graph([node("Strange", ["x"], ["y"], [int_attribute(f"a{i}", i) for i in range(40_000)], domain="org.example")], [], [X], [Y]),
               opsets=[opset(), opset(1, "org.example")]),
    graph_case("domains_20k", "is not imported", graph([node("Op", ["x"], [f"v{i}"], domain=f"d{i}") for i in range(20_000)], [], [X], [value_info("v0")])),
    graph_case("opsets_20k", None, graph([node("Op", ["x"], [f"v{i}"], domain=f"d{i}") for i in range(20_000)], [], [X], [value_info("v0")]),
               opsets=[opset()] + [opset(1, f"d{i}") for i in range(20_000)]),
    graph_case("metadata_40k", "duplicate-metadata", graph([ADD], [W], [X], [Y]), extra=text(14, text(1, "key") + text(2, "value")) * 40_000),
]

CASES = FUNCTIONS + NAMES + ORDER + ATTRIBUTES + SCAN + OPSETS + MANY
