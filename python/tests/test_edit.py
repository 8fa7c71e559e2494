"""Changing models: every change leaves a sound model, or raises and leaves it as it was."""

import gc
import resource

import numpy as np
import pytest
from conftest import TEXT

import onnxpress
from onnxpress import Error, Model


@pytest.fixture(autouse=True)
def sound(model):
    yield
    model.verify()
    assert onnxpress.check(model).ok


def test_adds_and_connects_a_node(model):
    graph = model.graph
    neg = graph.add_node("Neg", [graph.value("a")], name="neg", before=graph.node("n2"))
    graph.node("n2").set_input(0, neg.outputs[0])
    model.verify()
    result = onnxpress.run(model, {"x": np.float32([[1, -1, 2, 0]])})["y"]
    expected = 1 / (1 + np.exp(-(-np.float32([1, 0, 2, 0]) * np.float32([1, 2, 3, 4])))) + np.float32([5, 6, 7, 8])
    assert np.allclose(result, expected, atol=1e-6)
    assert neg.outputs[0].shape == ("N", 4)  # facts were updated


def test_sets_attributes_where_the_opset_has_them():
    model = Model.parse('<ir_version: 8, opset_import: ["" : 17]> g (float[2,3] x) => (float[2,3] y) { [s] y = Softmax (x) }')
    model.graph.node("s").set_attribute("axis", 0)
    assert model.graph.node("s").attributes == {"axis": 0}
    with pytest.raises(Error, match="no attribute"):
        model.graph.node("s").set_attribute("axes", 0)
    with pytest.raises(Error, match="kind int"):
        model.graph.node("s").set_attribute("axis", "no")
    model.graph.node("s").remove_attribute("axis")
    assert model.graph.node("s").attributes == {}


def test_replaces_bypasses_and_removes(model):
    graph = model.graph
    graph.value("b").replace_with(graph.value("a"))
    graph.node("n2").remove()
    assert [n.op_type for n in graph.nodes] == ["Relu", "Sigmoid", "Add"]
    graph.node("n3").bypass()
    assert [n.op_type for n in graph.nodes] == ["Relu", "Add"]
    assert graph.outputs[0].name == "y"


def test_refuses_what_would_break_the_model(model):
    graph, before = model.graph, model.to_bytes()
    other = Model.parse(TEXT)
    cases = [
        (lambda: graph.node("n1").remove(), "computes 'a'"),
        (lambda: graph.node("n1").set_input(0, graph.value("y")), "own results"),
        (lambda: graph.node("n2").set_input(0, other.graph.value("x")), "another model"),
        (lambda: setattr(graph.value("a"), "name", "b"), "already"),
        (lambda: graph.add_node("Relu", [graph.value("c")], ["a"]), "already"),
        (lambda: graph.add_node("Relu", [graph.value("c")], before=graph.node("n1")), "after that place"),
        (lambda: graph.add_node("F", [graph.value("c")], domain="my"), "import"),
        (lambda: graph.remove_input(graph.value("x")), "needed"),
        (lambda: graph.add_output(graph.value("y")), "already"),
        (lambda: graph.value("a").set_tensor([1.0]), "not an initializer"),
        (lambda: graph.add_node("Relu", [graph.value("x")], attributes={"alpha": 1.0}), "no attribute"),
    ]
    for change, message in cases:
        with pytest.raises(Error, match=message):
            change()
        model.verify()
    assert onnxpress.diff(before, model).equal


def test_changes_the_interface(model):
    graph = model.graph
    graph.value("x").set_shape(["batch", 4])
    graph.add_output(graph.value("b"))
    graph.value("x").set_type("float16")
    assert graph.value("x").element_type == "float16" and graph.value("a").element_type == "float"
    added = graph.add_input("bias", "float", [4])
    node = graph.add_node("Add", [graph.value("b"), added], ["extra"])
    graph.add_output(node.outputs[0])
    assert [v.name for v in graph.outputs] == ["y", "b", "extra"]


def test_sets_weights_from_numpy(model):
    model.graph.value("w").set_tensor(np.float32([9, 9, 9, 9]))
    scale = model.graph.add_initializer("scale", np.float32([2]))
    model.graph.node("n2").set_input(1, scale)
    assert model.graph.value("scale").tensor.numpy().tolist() == [2]


def test_changing_while_going_through_the_nodes(model):
    for node in model.graph.nodes:
        if node.op_type in ("Sigmoid", "Relu"):
            node.bypass()
            assert node.erased
            with pytest.raises(Error):
                node.remove()
    assert [n.op_type for n in model.graph.nodes] == ["Mul", "Add"]


def test_fuses_nodes_and_takes_them_apart_again(model):
    graph, x = model.graph, np.float32([[1, -1, 2, 0]])
    expected = onnxpress.run(model, {"x": x})["y"]
    kept, gone = graph.node("n4"), graph.node("n2")
    (call,) = graph.fuse([graph.node("n3"), graph.node("n2")], "my.domain::Block")
    assert [n.op_type for n in graph.nodes] == ["Relu", "Block", "Add"] and gone.erased and not kept.erased
    assert (call.domain, [v.name for v in call.inputs]) == ("my.domain", ["a", "w"])
    assert graph.value("c").shape == ("N", 4)  # inference looks into the function
    assert np.array_equal(onnxpress.run(model, {"x": x})["y"], expected)
    model.verify()
    before = model.to_bytes()
    for nodes, op, message in [([graph.node("n1"), kept], "my.domain::Other", "reads from it and feeds it"), ([gone], "my.domain::Other", "not in this model"),
                               ([kept], "my.domain::Block", "already"), ([kept], "Block", "not a name of an op"), ([], "my.domain::Other", "no nodes")]:
        with pytest.raises(Error, match=message):
            graph.fuse(nodes, op)
    with pytest.raises(Error, match="no function"):
        graph.unfuse("my.domain::Other")
    assert onnxpress.diff(before, model).equal
    assert graph.unfuse("my.domain::Block") == 1 and not model.functions
    assert [n.op_type for n in graph.nodes] == ["Relu", "Mul", "Sigmoid", "Add"]
    assert np.array_equal(onnxpress.run(model, {"x": x})["y"], expected)


def test_keeps_attributes_of_fused_nodes():
    model = Model.parse("""<ir_version: 8, opset_import: ["" : 17]> g (float[2,3] x) => (float[2,3] y)
        { [a] h = LeakyRelu <alpha = 0.5> (x) [b] i = Softmax <axis = 0> (h) [c] j = LeakyRelu <alpha = 0.25> (i) [d] y = Softmax <axis = 1> (j) }""")
    x = np.float32([[1, -2, 3], [-4, 5, -6]])
    expected = onnxpress.run(model, {"x": x})["y"]
    graph = model.graph
    calls = graph.fuse(graph.nodes_between(["x"], ["i"]), "my.domain::Block", keep_attributes=True)
    assert [c.attributes["Softmax0_axis"] for c in calls] == [0, 1] and calls[1].attributes["LeakyRelu0_alpha"] == 0.25
    assert np.array_equal(onnxpress.run(model, {"x": x})["y"], expected)
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(model.to_bytes(), providers=["CPUExecutionProvider"])
    assert np.allclose(session.run(None, {"x": x})[0], expected, atol=1e-6)


def test_handles_do_not_outlive_a_task(model):
    node = model.graph.node("n1")
    onnxpress.optimize(model)
    with pytest.raises(Error, match="changed as a whole"):
        node.op_type


def test_arrays_outlive_their_model(model):
    array = model.graph.value("w").tensor.numpy()
    copy = model.copy()
    copy.graph.value("w").set_tensor(np.float32([0, 0, 0, 0]))
    onnxpress.optimize(copy)
    other = copy.graph.value("v").tensor.numpy()
    del copy
    gc.collect()
    assert array.tolist() == [1, 2, 3, 4] and other.tolist() == [5, 6, 7, 8]


def test_a_thousand_cycles_leak_nothing():
    def cycle():
        model = Model.parse(TEXT)
        graph = model.graph
        array = graph.value("w").tensor.numpy()
        node = graph.add_node("Neg", [graph.value("a")])
        node.remove()
        graph.node("n3").bypass()
        graph.value("w").set_tensor(array * 2)
        try:
            graph.value("nope")
        except Error:
            pass
        return model.to_bytes()

    for _ in range(100):
        cycle()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1000):
        cycle()
    gc.collect()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 60_000, f"{grown} kB"  # a leak would be at least 16 kB per model, 16 MB in total; ASan keeps freed memory for a while
