"""Models to start from, and the random changes that test_mutated.py makes to them."""
import copy
import os
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OFFICIAL = [Path(os.environ.get("OFFICIAL_MODELS", "/usr/share/libonnx-testdata/data")),
            Path(__file__).resolve().parents[2] / ".cache/node_tests"]
MOST_BYTES = 100_000


# --- Where to start from. Each is a function of a random number generator.


def official_models():
    paths = sorted(path for folder in OFFICIAL for path in folder.glob("**/model.onnx") if path.stat().st_size < MOST_BYTES)
    return [lambda rng, path=path: official_model(path, rng) for path in paths]


def official_model(path, rng):
    """Turns some inputs into initializers or Constant nodes, because the official models hardly have any."""
    model = onnx.load(path)
    graph = model.graph
    constants = []
    for i, value in enumerate(list(graph.input)):
        data = path.parent / f"test_data_set_0/input_{i}.pb"
        if not data.exists() or rng.random() < 0.4 or not value.type.HasField("tensor_type"):
            continue
        tensor = TensorProto()
        try:
            tensor.ParseFromString(data.read_bytes())
        except Exception:
            continue
        if tensor.data_type != value.type.tensor_type.elem_type:
            continue
        tensor.name = value.name
        graph.input.remove(value)
        if rng.random() < 0.5:
            graph.initializer.append(tensor)
        else:
            constants.append(helper.make_node("Constant", [], [value.name], value=tensor))
    nodes = constants + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def floats(rng, *dims):
    """Weights of the kinds that have a smaller form: all equal, few values, halves, repeated, any."""
    kind, count = rng.randrange(6), int(numpy.prod(dims))
    numbers = numpy.random.default_rng(rng.randrange(1 << 30))
    array = [numpy.full(count, rng.choice([0.0, 1.5])), numbers.integers(0, 3, count), numbers.standard_normal(count).astype("float16"),
             numpy.resize(numbers.standard_normal(4), count), numbers.standard_normal(count), numpy.eye(count).ravel()[:count]][kind]
    return numpy.asarray(array).astype("float32").reshape(dims)


def value(name, *dims, type=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, type, dims)


def constant(name, array):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))


def finish(rng, nodes, inputs, outputs, initializers=(), functions=(), domains=(), value_info=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(a, n) for n, a in initializers],
                              value_info=value_info)
    imports = [helper.make_opsetid("", 17)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_model(graph, opset_imports=imports, ir_version=8, functions=list(functions))


def branches(rng):
    """An If whose branches use the same names for different constants, and read values of the outer graph."""
    tensors = [floats(rng, 8), floats(rng, 8)]
    names = rng.choice([("c", "d"), ("v0", "v1"), ("a", "w")])

    def branch(name, order):
        nodes = [constant(names[0], tensors[order]), constant(names[1], tensors[1 - order]),
                 helper.make_node("Add", ["h", names[0]], [name + "s"]), helper.make_node("Mul", [name + "s", names[1]], [name])]
        return helper.make_graph(nodes, name + "b", [], [value(name, 8)], value_info=[value(n, 8) for n in names])

    nodes = [helper.make_node("Mul", ["x", "w0"], ["h"]),
             helper.make_node("If", ["b"], ["y"], then_branch=branch("p", 0), else_branch=branch("q", rng.randrange(2)))]
    return finish(rng, nodes, [value("b", type=TensorProto.BOOL), value("x", 8)], [value("y", 8)], [("w0", floats(rng, 8))])


def loop(rng):
    body = helper.make_graph(
        [constant("k", floats(rng, 4)), helper.make_node("Add", ["state", "k"], ["t"]), helper.make_node("Mul", ["t", "w"], ["next"]),
         helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Identity", ["next"], ["scan"])],
        "body", [value("i", type=TensorProto.INT64), value("go", type=TensorProto.BOOL), value("state", 4)],
        [value("go_on", type=TensorProto.BOOL), value("next", 4), value("scan", 4)], [numpy_helper.from_array(floats(rng, 4), "unused")])
    nodes = [helper.make_node("Loop", ["n", "yes", "x"], ["y", "all"], body=body), helper.make_node("Relu", ["all"], ["z"])]
    return finish(rng, nodes, [value("x", 4)], [value("y", 4), value("z", "N", 4)],
                  [("w", floats(rng, 4)), ("n", numpy.array(3)), ("yes", numpy.array(True))])


def scan(rng):
    body = helper.make_graph([helper.make_node("Add", ["s", "e"], ["s2"]), helper.make_node("Mul", ["s2", "w"], ["o"])], "body",
                             [value("s", 4), value("e", 4)], [value("s2", 4), value("o", 4)])
    return finish(rng, [helper.make_node("Scan", ["x", "xs"], ["y", "ys"], body=body, num_scan_inputs=1)],
                  [value("x", 4), value("xs", 3, 4)], [value("y", 4), value("ys", 3, 4)], [("w", floats(rng, 4))])


def function(rng):
    inner = helper.make_function("local", "Scaled", ["a", "b"], ["c"],
                                 [constant("k", floats(rng, 64)), helper.make_node("Mul", ["a", "b"], ["m"]),
                                  helper.make_node("Add", ["m", "k"], ["c"])], [helper.make_opsetid("", 17)])
    outer = helper.make_function("local", "Twice", ["a"], ["c"],
                                 [helper.make_node("Scaled", ["a", "a"], ["m"], domain="local"),
                                  helper.make_node("Scaled", ["m", "a"], ["c"], domain="local")],
                                 [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)])
    nodes = [helper.make_node("Scaled", ["x", "w"], ["h"], domain="local"), helper.make_node("Twice", ["h"], ["y"], domain="local")]
    return finish(rng, nodes, [value("x", 64)], [value("y", 64)], [("w", floats(rng, 64))], [inner, outer], ["local"])


def layers(rng):
    """A small network with equal weights, dead nodes and value_info."""
    w = floats(rng, 3, 3, 3, 3)
    nodes = [helper.make_node("Conv", ["x", "w1"], ["a1"], pads=[1, 1, 1, 1], dilations=[1, 1]),
             helper.make_node("Relu", ["a1"], ["a2"]), helper.make_node("Conv", ["a2", "w2", "bias"], ["a3"], pads=[1] * 4),
             helper.make_node("Add", ["a3", "x"], ["a4"]), helper.make_node("Sigmoid", ["a4"], ["dead"]),
             helper.make_node("Reshape", ["a4", "shape"], ["a5"]), helper.make_node("Gemm", ["a5", "m"], ["y"], transB=1, alpha=1.0)]
    return finish(rng, nodes, [value("x", 1, 3, 4, 4)], [value("y", 1, 5)],
                  [("w1", w), ("w2", w), ("bias", floats(rng, 3)), ("shape", numpy.array([1, -1])), ("m", floats(rng, 5, 48))],
                  value_info=[value("a1", 1, 3, 4, 4), value("a5", 1, 48)])


def contrib(rng):
    op = rng.choice(["Gelu", "BiasGelu", "FusedMatMul", "SkipLayerNormalization"])
    operands, constants = {"Gelu": (["x"], []), "BiasGelu": (["x", "w"], [("w", floats(rng, 4))]),
                           "FusedMatMul": (["x", "w"], [("w", floats(rng, 4, 4))]),
                           "SkipLayerNormalization": (["x", "x", "w"], [("w", floats(rng, 4))])}[op]
    nodes = [helper.make_node(op, operands, ["y"], domain="com.microsoft")]
    if rng.random() < 0.5:
        nodes.append(helper.make_node("Relu", ["x"], ["dead"]))
    return finish(rng, nodes, [value("x", 2, 4, 4)], [value("y", 2, 4, 4)], constants, domains=["com.microsoft", "ai.onnx.ml"])


def built_models():
    """Repeats these so often that they are about a third of all."""
    return [branches, loop, scan, function, layers, contrib] * 80


# --- Changes.


def graphs_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def any_graph(model, rng):
    return rng.choice(list(graphs_of(model.graph)))


def any_node(model, rng):
    nodes = any_graph(model, rng).node
    return rng.choice(nodes) if nodes else None


def names_in(graph):
    return [v.name for v in graph.input] + [t.name for t in graph.initializer] + [o for n in graph.node for o in n.output if o]


def rename(model, old, new):
    for graph in graphs_of(model.graph):
        for listed in (graph.input, graph.output, graph.initializer, graph.value_info):
            for each in listed:
                if each.name == old:
                    each.name = new
        for node in graph.node:
            for names in (node.input, node.output):
                for i, name in enumerate(names):
                    if name == old:
                        names[i] = new


def swap_operands(model, rng):
    node = any_node(model, rng)
    if node and len(node.input) > 1:
        i, k = rng.sample(range(len(node.input)), 2)
        node.input[i], node.input[k] = node.input[k], node.input[i]


def other_operand(model, rng):
    graph = any_graph(model, rng)
    if graph.node:
        node = rng.choice(graph.node)
        if node.input:
            node.input[rng.randrange(len(node.input))] = rng.choice(names_in(graph) + names_in(model.graph) + [""])


def duplicate_node(model, rng):
    graph = any_graph(model, rng)
    if graph.node:
        at = rng.randrange(len(graph.node))
        node = copy.deepcopy(graph.node[at])
        for i, name in enumerate(node.output):
            node.output[i] = name + "_2"
        nodes = list(graph.node)
        nodes.insert(at + 1, node)
        if at + 2 < len(nodes) and rng.random() < 0.7:  # with a reader
            reader = nodes[rng.randrange(at + 2, len(nodes))]
            for i, name in enumerate(reader.input):
                if name + "_2" in node.output:
                    reader.input[i] = name + "_2"
        del graph.node[:]
        graph.node.extend(nodes)


def rename_value(model, rng):
    names = names_in(any_graph(model, rng))
    if names:
        rename(model, rng.choice(names), rng.choice(["a", "b", "v0", "v1", "v2", "z.1", "é", rng.choice(names)]))


def rename_node(model, rng):
    if node := any_node(model, rng):
        node.name = rng.choice(["", "n", "same"])


def change_attribute(model, rng):
    node = any_node(model, rng)
    if not node or not node.attribute:
        return
    attribute = rng.choice(node.attribute)
    if attribute.type == onnx.AttributeProto.INT:
        attribute.i += rng.choice([-1, 1])
    elif attribute.type == onnx.AttributeProto.INTS and attribute.ints:
        attribute.ints[rng.randrange(len(attribute.ints))] += rng.choice([-1, 1])
    elif attribute.type == onnx.AttributeProto.FLOAT:
        attribute.f = rng.choice([0.0, 1.0, attribute.f * 2])


def remove_attribute(model, rng):
    node = any_node(model, rng)
    if node and node.attribute:
        del node.attribute[rng.randrange(len(node.attribute))]


def change_dim(model, rng):
    graph = any_graph(model, rng)
    values = [v for v in [*graph.value_info, *graph.output, *graph.input] if v.type.HasField("tensor_type")]
    dims = [d for v in values for d in v.type.tensor_type.shape.dim]
    if dims:
        dim = rng.choice(dims)
        if rng.random() < 0.5:
            dim.dim_param = rng.choice(["N", "M", "?", "unk__1"])
        else:
            dim.dim_value = rng.choice([1, 2, 3, dim.dim_value + 1])


def remove_shape(model, rng):
    graph = any_graph(model, rng)
    values = [*graph.value_info, *graph.output]
    if values:
        rng.choice(values).type.tensor_type.ClearField("shape")


def change_type(model, rng):
    graph = any_graph(model, rng)
    tensors = list(graph.initializer)
    if tensors:
        tensor = rng.choice(tensors)
        array = numpy_helper.to_array(tensor)
        if array.dtype.kind in "fi":
            tensor.CopyFrom(numpy_helper.from_array(array.astype(rng.choice(["float32", "int64", "float64", "int32"])), tensor.name))


def remove_value_info(model, rng):
    graph = any_graph(model, rng)
    if graph.value_info:
        del graph.value_info[rng.randrange(len(graph.value_info))]


def infer_value_info(model, rng):
    model.CopyFrom(onnx.shape_inference.infer_shapes(model))


def reorder_nodes(model, rng):
    graph = any_graph(model, rng)
    nodes = list(graph.node)
    if len(nodes) > 1:
        i = rng.randrange(len(nodes) - 1)
        nodes[i], nodes[i + 1] = nodes[i + 1], nodes[i]
        del graph.node[:]
        graph.node.extend(nodes)


def copy_initializer(model, rng):
    graph = any_graph(model, rng)
    if graph.initializer and graph.node:
        tensor = copy.deepcopy(rng.choice(graph.initializer))
        old, tensor.name = tensor.name, tensor.name + "_copy"
        graph.initializer.append(tensor)
        for node in graph.node:
            for i, name in enumerate(node.input):
                if name == old and rng.random() < 0.5:
                    node.input[i] = tensor.name


def list_initializer_as_input(model, rng):
    graph = model.graph
    known = {v.name for v in graph.input}
    tensors = [t for t in graph.initializer if t.name not in known]
    if tensors:
        tensor = rng.choice(tensors)
        graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))


def put_out(model, rng):
    """Also makes an inner value an output."""
    names = names_in(model.graph)
    if names:
        model.graph.output.append(helper.make_empty_tensor_value_info(rng.choice(names)))


def add_import(model, rng):
    domain = rng.choice(["ai.onnx.ml", "com.microsoft", "some.where"])
    if domain not in {each.domain for each in model.opset_import}:
        model.opset_import.append(helper.make_opsetid(domain, 1))


def wrap_in_branches(model, rng):
    """Puts the nodes of the graph into both branches of an If, under the same names."""
    graph = model.graph
    if not graph.node or any(not v.type.HasField("tensor_type") for v in graph.output):
        return
    outputs = [v.name for v in graph.output]
    if not set(outputs) <= {o for n in graph.node for o in n.output}:
        return
    body = onnx.GraphProto(name="branch", node=graph.node, output=graph.output, value_info=graph.value_info)
    if rng.random() < 0.5:
        body.initializer.extend(graph.initializer)
        del graph.initializer[:]
    node = helper.make_node("If", ["choose"], [name + "_out" for name in outputs], then_branch=body, else_branch=body)
    del graph.node[:], graph.value_info[:]
    graph.node.append(node)
    for each in graph.output:
        each.name += "_out"
    graph.input.append(helper.make_tensor_value_info("choose", TensorProto.BOOL, []))
    if len(node.attribute) == 2 and node.attribute[1].g.node and rng.random() < 0.5:
        other = node.attribute[1].g
        for tensor in [*other.initializer, *(a.t for n in other.node if n.op_type == "Constant" for a in n.attribute if a.name == "value")]:
            array = numpy_helper.to_array(tensor)
            if array.dtype == numpy.float32 and rng.random() < 0.5:
                tensor.CopyFrom(numpy_helper.from_array(array + 1, tensor.name))


CHANGES = [swap_operands, other_operand, duplicate_node, rename_value, rename_node, change_attribute, remove_attribute, change_dim,
           remove_shape, change_type, remove_value_info, infer_value_info, reorder_nodes, copy_initializer,
           list_initializer_as_input, put_out, add_import, wrap_in_branches]


RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial", "Dropout"}


def is_random(model):
    """Does it draw random numbers? Then outputs cannot be compared."""
    bodies = [*graphs_of(model.graph), *model.functions]
    return any(node.op_type in RANDOM for body in bodies for node in body.node)


def mutate(model, rng):
    for _ in range(rng.randrange(1, 5)):
        try:
            rng.choice(CHANGES)(model, rng)
        except (onnx.shape_inference.InferenceError, onnx.checker.ValidationError):
            pass
    return model
