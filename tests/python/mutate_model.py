"""Breaks small ONNX models in one place each, chosen by a seed. Some of the results are still valid."""
import random

from onnx import AttributeProto, TensorProto, helper

ELEMENT_TYPES = [1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 16]  # those that most ops accept


def graphs_of(graph):
    """A graph and the bodies in it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in ([attribute.g] if attribute.type == AttributeProto.GRAPH else attribute.graphs):
                yield from graphs_of(body)


def all_nodes(model):
    nodes = [node for graph in graphs_of(model.graph) for node in graph.node]
    for function in model.functions:
        nodes += function.node
    return nodes


def pick(rng, items):
    items = list(items)
    if not items:
        raise LookupError("nothing to change")
    return rng.choice(items)


def node_with(rng, model, has):
    return pick(rng, (node for node in all_nodes(model) if has(node)))


def names_of(model):
    names = [each.name for each in model.graph.input] + [each.name for each in model.graph.initializer]
    return names + [name for node in model.graph.node for name in node.output if name]


# --- Ops and opsets

def rename_op(rng, model):
    node = pick(rng, all_nodes(model))
    node.op_type = rng.choice([node.op_type + rng.choice("uX_2"), node.op_type.lower(), node.op_type[:-1], ""])


def other_op(rng, model):
    pick(rng, all_nodes(model)).op_type = rng.choice(
        ["Relu", "Add", "MatMul", "Concat", "Reshape", "Cast", "Not", "Upsample", "LSTM", "Constant", "Softmax", "Conv", "Where",
         "Gather", "ReduceSum", "Split", "Transpose", "Identity", "Shape", "Scatter", "LayerNormalization", "TopK"])


def swap_domain(rng, model):
    pick(rng, all_nodes(model)).domain = rng.choice(["ai.onnx.ml", "ai.onnx.training", "my.own", "ai.onnx", "com.microsoft"])


def swap_imported_domain(rng, model):
    domain = rng.choice(["ai.onnx.ml", "my.own", "com.microsoft", "ai.onnx.preview.training"])
    pick(rng, all_nodes(model)).domain = domain
    model.opset_import.add(domain=domain, version=1)


def change_opset(rng, model):
    pick(rng, model.opset_import).version = rng.choice([-1, 0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 18, 19, 21, 23, 99])


def remove_opset(rng, model):
    model.opset_import.remove(pick(rng, model.opset_import))


def repeat_opset(rng, model):
    first = pick(rng, model.opset_import)
    model.opset_import.add(domain=first.domain, version=first.version + rng.choice([0, 1]))


def change_ir_version(rng, model):
    model.ir_version = rng.choice([-1, 0, 1, 2, 3, 4, 8])


# --- Operands and results

def remove_operand(rng, model):
    node = node_with(rng, model, lambda each: each.input)
    del node.input[rng.randrange(len(node.input))]


def add_operand(rng, model):
    node = pick(rng, all_nodes(model))
    node.input.append(pick(rng, names_of(model) + [""]))


def empty_operand(rng, model):
    node = node_with(rng, model, lambda each: each.input)
    node.input[rng.randrange(len(node.input))] = ""


def other_operand(rng, model):
    node = node_with(rng, model, lambda each: each.input)
    node.input[rng.randrange(len(node.input))] = pick(rng, names_of(model))


def swap_operands(rng, model):
    node = node_with(rng, model, lambda each: len(each.input) > 1)
    i, j = rng.sample(range(len(node.input)), 2)
    node.input[i], node.input[j] = node.input[j], node.input[i]


def dangling_operand(rng, model):
    node = node_with(rng, model, lambda each: each.input)
    node.input[rng.randrange(len(node.input))] = "nobody_makes_this"


def remove_result(rng, model):
    node = node_with(rng, model, lambda each: each.output)
    del node.output[rng.randrange(len(node.output))]


def add_result(rng, model):
    pick(rng, all_nodes(model)).output.append(rng.choice(["", "one_more"]))


def empty_result(rng, model):
    node = node_with(rng, model, lambda each: each.output)
    node.output[rng.randrange(len(node.output))] = ""


def duplicate_name(rng, model):
    node = node_with(rng, model, lambda each: each.output)
    node.output[rng.randrange(len(node.output))] = pick(rng, names_of(model))


# --- Attributes

def with_attribute(rng, model):
    node = node_with(rng, model, lambda each: each.attribute)
    return node, rng.randrange(len(node.attribute))


def drop_attribute(rng, model):
    node, at = with_attribute(rng, model)
    del node.attribute[at]


def rename_attribute(rng, model):
    node, at = with_attribute(rng, model)
    node.attribute[at].name = rng.choice([node.attribute[at].name + "s", node.attribute[at].name.upper(), "unheard_of", ""])


def repeat_attribute(rng, model):
    node, at = with_attribute(rng, model)
    node.attribute.append(node.attribute[at])


def add_attribute(rng, model):
    name = rng.choice(["axis", "alpha", "to", "axes", "keepdims", "perm", "unheard_of"])
    pick(rng, all_nodes(model)).attribute.append(helper.make_attribute(name, rng.choice([1, 1.0, "x", [0], [1.0]])))


def retype_attribute(rng, model):
    node, at = with_attribute(rng, model)
    name = node.attribute[at].name
    node.attribute[at].CopyFrom(helper.make_attribute(name, rng.choice([1, 1.0, "x", [0], [1.0], ["x"]])))


def mislabel_attribute(rng, model):
    node, at = with_attribute(rng, model)
    node.attribute[at].type = rng.choice([0, 1, 2, 3, 4, 6, 7, 8])


def change_attribute(rng, model):
    def numeric(each):
        return each.type in (AttributeProto.INT, AttributeProto.INTS, AttributeProto.STRING)
    node = node_with(rng, model, lambda each: any(map(numeric, each.attribute)))
    attribute = pick(rng, filter(numeric, node.attribute))
    if attribute.type == AttributeProto.INT:
        attribute.i = rng.choice([-100, -3, -1, 0, 1, 2, 3, 7, 100])
    elif attribute.type == AttributeProto.STRING:
        attribute.s = rng.choice([b"", b"nonsense", attribute.s.lower()])
    elif rng.random() < 0.4 or not attribute.ints:
        attribute.ints.append(rng.choice([-1, 0, 1, 2]))
    elif rng.random() < 0.4:
        attribute.ints.pop()
    else:
        attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice([-100, -2, -1, 0, 1, 2, 3, 100])


def refer_outside_function(rng, model):
    node, at = with_attribute(rng, model)
    node.attribute[at].ref_attr_name = "parameter"


# --- Types and shapes

def tensor_infos(infos):
    return [each for each in infos if each.type.HasField("tensor_type")]


def retype_input(rng, model):
    pick(rng, tensor_infos(model.graph.input)).type.tensor_type.elem_type = rng.choice(ELEMENT_TYPES + [0, 99])


def retype_output(rng, model):
    pick(rng, tensor_infos(model.graph.output)).type.tensor_type.elem_type = rng.choice(ELEMENT_TYPES + [0, 99])


def sequence_input(rng, model):
    info = pick(rng, tensor_infos(model.graph.input))
    inner = TensorProto.FLOAT
    info.type.CopyFrom(helper.make_sequence_type_proto(helper.make_tensor_type_proto(inner, None)))


def retype_initializer(rng, model):
    tensor = pick(rng, model.graph.initializer)
    elements = 1
    for size in tensor.dims:
        elements *= size
    made = helper.make_tensor(tensor.name, rng.choice([1, 6, 7, 9, 10, 11]), list(tensor.dims), [1] * min(elements, 100000))
    tensor.CopyFrom(made)


def reshape_initializer(rng, model):
    tensor = pick(rng, (each for each in model.graph.initializer if each.dims))
    action = rng.randrange(3)
    if action == 0:
        tensor.dims.append(1)
    elif action == 1:
        tensor.dims.insert(0, 1)
    else:
        tensor.dims[rng.randrange(len(tensor.dims))] += rng.choice([-1, 1])


def reshape_info(rng, infos):
    info = pick(rng, (each for each in tensor_infos(infos) if each.type.tensor_type.HasField("shape")))
    dims = info.type.tensor_type.shape.dim
    if not dims or rng.random() < 0.25:
        dims.add().dim_value = rng.choice([1, 2, 5])
    elif rng.random() < 0.25:
        del dims[rng.randrange(len(dims))]
    else:
        dims[rng.randrange(len(dims))].dim_value = rng.choice([1, 2, 3, 5, 11])


def reshape_input(rng, model):
    reshape_info(rng, model.graph.input)


def reshape_output(rng, model):
    reshape_info(rng, model.graph.output)


def drop_shape(rng, model):
    pick(rng, tensor_infos([*model.graph.input, *model.graph.output])).type.tensor_type.ClearField("shape")


def drop_type(rng, model):
    pick(rng, [*model.graph.input, *model.graph.output]).ClearField("type")


def wrong_value_info(rng, model):
    """Declares an inner value with another type."""
    inside = [name for node in model.graph.node for name in node.output if name]
    dims = [rng.choice([1, 2, 5]) for _ in range(rng.randrange(5))]
    model.graph.value_info.append(helper.make_tensor_value_info(pick(rng, inside), rng.choice(ELEMENT_TYPES), dims))


# --- Order and interface

def break_order(rng, model):
    if len(model.graph.node) < 2:
        raise LookupError("one node is always sorted")
    i, j = sorted(rng.sample(range(len(model.graph.node)), 2))
    first = type(model.graph.node[i])()
    first.CopyFrom(model.graph.node[i])
    model.graph.node[i].CopyFrom(model.graph.node[j])
    model.graph.node[j].CopyFrom(first)


def remove_node(rng, model):
    graph = pick(rng, (each for each in graphs_of(model.graph) if each.node))
    del graph.node[rng.randrange(len(graph.node))]


def repeat_node(rng, model):
    graph = pick(rng, (each for each in graphs_of(model.graph) if each.node))
    graph.node.append(pick(rng, graph.node))


def remove_input(rng, model):
    model.graph.input.remove(pick(rng, model.graph.input))


def rename_output(rng, model):
    pick(rng, model.graph.output).name = rng.choice(["nobody_makes_this", ""])


def repeat_interface(rng, model):
    infos = rng.choice([model.graph.input, model.graph.output, model.graph.initializer])
    infos.append(pick(rng, infos))


def nameless(rng, model):
    target = rng.choice(["graph", "input", "initializer"])
    if target == "graph":
        model.graph.name = ""
    else:
        pick(rng, getattr(model.graph, target)).name = ""


def damage_tensor(rng, model):
    tensors = list(model.graph.initializer)
    tensors += [each.t for node in all_nodes(model) for each in node.attribute if each.type == AttributeProto.TENSOR]
    tensor = pick(rng, tensors)
    action = rng.randrange(4)
    if action == 0:
        tensor.data_type = rng.choice([0, 99, 1, 7, 8])
    elif action == 1:
        tensor.dims.append(rng.choice([-1, 0, 3]))
    elif action == 2 and tensor.raw_data:
        tensor.raw_data = tensor.raw_data[:-1]
    else:
        tensor.float_data.append(1.0)


MUTATIONS = [each for name, each in sorted(globals().items())
             if callable(each) and getattr(each, "__module__", "") == __name__ and
             name not in ("graphs_of", "all_nodes", "pick", "node_with", "names_of", "with_attribute", "tensor_infos", "reshape_info")]


def mutant(models, seed):
    """(name of the mutation, mutated copy of one of the models) for this seed."""
    rng = random.Random(seed)
    while True:
        source = rng.choice(models)
        made = type(source)()
        made.CopyFrom(source)
        change = rng.choice(MUTATIONS)
        try:
            change(rng, made)
        except LookupError:
            continue
        return change.__name__, made
