"""Random changes to the models of the optimize goldens, so that a rewrite meets its pattern with other types, shapes, attributes, constants, order
and users than its author thought of. Unlike the mutations of test_mutated.py they leave most models valid.
"""
import copy

import numpy
import onnx
from golden_variants import PLAIN_OPS, TYPES, data_types, retyped, tensors_of, with_other_sizes, with_signed_zeros
from mutations import graphs_of, infer_value_info, wrap_in_branches
from onnx import AttributeProto, TensorProto, helper, numpy_helper
from pattern_functions import put_function

OPSETS = [11, 13, 14, 17, 18, 19, 20, 21, 22, 23]
SIZES = [1, 1, 2, 3, 4, 5, 7]
# Not Sqrt and Log, which make NaN of ordinary numbers: what a MaxPool of NaN is, for example, the standard leaves open.
UNARY = ["Relu", "Sigmoid", "Neg", "Abs", "Identity", "Sin", "Exp", "Tanh", "Floor"]
FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16)
WORDS = {b"mode": [b"constant", b"reflect", b"edge", b"wrap", b"nearest", b"linear", b"cubic", b"DCR", b"CRD"],
         b"auto_pad": [b"NOTSET", b"VALID", b"SAME_UPPER", b"SAME_LOWER"], b"reduction": [b"none", b"add", b"mul"],
         b"approximate": [b"none", b"tanh"], b"direction": [b"forward", b"reverse", b"bidirectional"],
         b"coordinate_transformation_mode": [b"half_pixel", b"asymmetric", b"align_corners", b"pytorch_half_pixel"],
         b"nearest_mode": [b"round_prefer_floor", b"floor", b"ceil"]}


def nodes_of(model, has=lambda node: True):
    return [(graph, node) for graph in graphs_of(model.graph) for node in graph.node if has(node)]


def inner_names(graph):
    outputs = {value.name for value in graph.output}
    return [name for node in graph.node for name in node.output if name and name not in outputs]


def replace_message(model, other):
    if other is not None:
        model.CopyFrom(other)


# --- Types, sizes and shapes

def change_type(model, rng):
    old = rng.choice(data_types(model) or [TensorProto.FLOAT])
    new = rng.choice(FLOATS if rng.random() < 0.5 else TYPES)
    if new != old:
        replace_message(model, retyped(model, old, new, rng.random() < 0.8))


def change_sizes(model, rng):
    replace_message(model, with_other_sizes(model, {size: rng.choice(SIZES) for size in rng.sample([2, 3, 4, 5, 6, 8], 2)}))


def dims_of(model):
    return [dim for value in model.graph.input for dim in value.type.tensor_type.shape.dim]


def change_one_dim(model, rng):
    if dims := dims_of(model):
        rng.choice(dims).dim_value = rng.choice(SIZES)


def open_a_dim(model, rng):
    if dims := dims_of(model):
        rng.choice(dims).dim_param = rng.choice(["N", "M", "K"])


def forget_output_shapes(model, rng):
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")


# --- Attributes and constants

def change_attribute(model, rng):
    choices = nodes_of(model, lambda node: any(each.type in (1, 2, 3, 6, 7) for each in node.attribute))
    if not choices:
        return
    attribute = rng.choice([each for each in rng.choice(choices)[1].attribute if each.type in (1, 2, 3, 6, 7)])
    if attribute.type == AttributeProto.INT:
        attribute.i = 1 - attribute.i if attribute.i in (0, 1) and rng.random() < 0.6 else attribute.i + rng.choice([-1, 1])
    elif attribute.type == AttributeProto.FLOAT:
        attribute.f = rng.choice([0.0, -0.0, 1.0, 2 * attribute.f, -attribute.f])
    elif attribute.type == AttributeProto.STRING:
        attribute.s = rng.choice(WORDS.get(attribute.name.encode(), [attribute.s]))
    elif attribute.type == AttributeProto.INTS and attribute.ints:
        at = rng.randrange(len(attribute.ints))
        attribute.ints[at] += rng.choice([-1, 1, 1])
        if rng.random() < 0.2:
            other = rng.randrange(len(attribute.ints))
            attribute.ints[at], attribute.ints[other] = attribute.ints[other], attribute.ints[at]


def drop_attribute(model, rng):
    if choices := nodes_of(model, lambda node: any(each.type not in (4, 5) for each in node.attribute)):
        node = rng.choice(choices)[1]
        node.attribute.remove(rng.choice([each for each in node.attribute if each.type not in (4, 5)]))


def change_constant(model, rng):
    tensors = [tensor for graph in graphs_of(model.graph) for tensor in tensors_of(graph) if tensor.data_type in (*FLOATS, 6, 7)]
    if not tensors:
        return
    tensor = rng.choice(tensors)
    array = numpy_helper.to_array(tensor).copy()
    how = rng.randrange(4)
    if how == 0 and array.size:
        choices = [0.0, -0.0, 1.0, -1.0, 0.5, numpy.inf, numpy.nan] if array.dtype.kind == "f" else [0, 1, -1, 2, 3]
        array.reshape(-1)[rng.randrange(array.size)] = rng.choice(choices)
    elif how == 1 and array.dtype.kind == "f":
        array = (array * (1 + 0.5 * numpy.random.default_rng(rng.randrange(2**32)).random(array.shape))).astype(array.dtype)
    elif how == 2:
        array = array.reshape([1, *array.shape]) if rng.random() < 0.5 or array.shape[:1] != (1,) else array.reshape(array.shape[1:])
    elif array.ndim:
        array = numpy.repeat(array, rng.choice([2, 3]), rng.randrange(array.ndim)) if rng.random() < 0.5 else array[:1]
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def sign_zeros(model, rng):
    replace_message(model, with_signed_zeros(model, rng.random() < 0.5))


def constant_to_input(model, rng):
    """A number that the pattern knows becomes one that only a run knows."""
    if model.graph.initializer:
        tensor = rng.choice(model.graph.initializer)
        model.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
        if rng.random() < 0.5:
            model.graph.initializer.remove(tensor)


def constant_to_node(model, rng):
    for tensor in list(model.graph.initializer):
        if rng.random() < 0.5 and tensor.name not in {value.name for value in model.graph.input}:
            model.graph.node.insert(0, helper.make_node("Constant", [], [tensor.name], value=tensor))
            model.graph.initializer.remove(tensor)


# --- Nodes and users

def swap_operands(model, rng):
    if choices := nodes_of(model, lambda node: len(node.input) > 1):
        node = rng.choice(choices)[1]
        i, j = rng.sample(range(len(node.input)), 2)
        node.input[i], node.input[j] = node.input[j], node.input[i]


def other_op(model, rng):
    if choices := nodes_of(model, lambda node: node.op_type in PLAIN_OPS):
        rng.choice(choices)[1].op_type = rng.choice(UNARY)


def put_between(model, rng):
    choices = nodes_of(model, lambda node: any(node.input))
    if not choices:
        return
    graph, node = rng.choice(choices)
    place = rng.choice([i for i, name in enumerate(node.input) if name])
    name = f"between{len(graph.node)}"
    at = list(graph.node).index(node)
    graph.node.insert(at, helper.make_node(rng.choice(["Identity", "Identity", *UNARY]), [node.input[place]], [name]))
    graph.node[at + 1].input[place] = name


def put_out(model, rng):
    if names := inner_names(model.graph):
        model.graph.output.add().name = rng.choice(names)


def add_user(model, rng):
    if names := inner_names(model.graph):
        name = f"user{len(model.graph.node)}"
        model.graph.node.append(helper.make_node(rng.choice(["Identity", "Shape", "Neg"]), [rng.choice(names)], [name]))
        model.graph.output.add().name = name


def repeat_node(model, rng):
    """The same node once more; some of its readers read the copy."""
    graph, node = rng.choice(nodes_of(model))
    made = copy.deepcopy(node)
    for i, name in enumerate(node.output):
        made.output[i] = f"{name}_again" if name else ""
    at = list(graph.node).index(node)
    graph.node.insert(at + 1, made)
    names = dict(zip(node.output, made.output))
    for later in list(graph.node)[at + 2:]:
        for i, name in enumerate(later.input):
            if name in names and rng.random() < 0.5:
                later.input[i] = names[name]


def skip_node(model, rng):
    """Readers of a node read its operand instead."""
    choices = nodes_of(model, lambda node: len(node.output) == 1 and node.input and node.input[0])
    if choices:
        graph, node = rng.choice(choices)
        for later in graph.node:
            for i, name in enumerate(later.input):
                if name == node.output[0]:
                    later.input[i] = node.input[0]


def shuffle_nodes(model, rng):
    """Another order in which each node comes after those that it reads. Bodies read any value, so theirs stay."""
    graph = model.graph
    if any(attribute.type in (5, 10) for node in graph.node for attribute in node.attribute):
        return
    left, known, order = list(graph.node), {name for node in graph.node for name in node.output}, []
    while left:
        ready = [node for node in left if not any(name in known for name in node.input if name)]
        if not ready:
            return
        node = rng.choice(ready)
        left.remove(node)
        order.append(copy.deepcopy(node))
        known -= set(node.output)
    del graph.node[:]
    graph.node.extend(order)


def change_opset(model, rng):
    for each in model.opset_import:
        if each.domain in ("", "ai.onnx"):
            each.version = rng.choice(OPSETS)
            model.ir_version = 10 if each.version > 20 else max(8, model.ir_version)


CHANGES = [change_type, change_type, change_type, change_sizes, change_one_dim, open_a_dim, open_a_dim, forget_output_shapes, change_attribute,
           change_attribute, drop_attribute, change_constant, change_constant, sign_zeros, constant_to_input, constant_to_node, swap_operands, other_op,
           put_between, put_out, add_user, add_user, repeat_node, skip_node, shuffle_nodes, change_opset, infer_value_info, wrap_in_branches]


def repeat_constant(model, rng):
    """An initializer twice, under two names."""
    if model.graph.initializer:
        tensor = copy.deepcopy(rng.choice(model.graph.initializer))
        old, tensor.name = tensor.name, f"{tensor.name}_again"
        model.graph.initializer.append(tensor)
        places = [(node, i) for node in model.graph.node for i, name in enumerate(node.input) if name == old]
        if places:
            node, i = rng.choice(places)
            node.input[i] = tensor.name


def add_unused(model, rng):
    model.graph.node.append(helper.make_node("Neg", [rng.choice(model.graph.node).output[0]], ["nobody_reads_this"]))


def add_gather(model, rng):
    """An index that need not be int64."""
    model.graph.initializer.append(numpy_helper.from_array(numpy.asarray([0], "int64"), "place"))
    model.graph.node.append(helper.make_node("Gather", [rng.choice(model.graph.input).name, "place"], ["gathered"]))
    model.graph.output.add().name = "gathered"


def make_constants_nodes(model, rng):
    for _ in range(3):
        constant_to_node(model, rng)


# What the steps for whole models need, which have no goldens of their own: any golden, changed like this.
WHOLE = {"inline-functions": put_function, "remove-dead": add_unused, "narrow-types": add_gather, "lift-constants": make_constants_nodes,
         "share-tensors": repeat_constant}


def mutant_of(model, rng, most=3):
    """A changed copy, which may be invalid."""
    model = copy.deepcopy(model)
    for _ in range(rng.randint(1, most)):
        try:
            rng.choice(CHANGES)(model, rng)
        except (ValueError, OverflowError, TypeError, IndexError, onnx.shape_inference.InferenceError, onnx.checker.ValidationError):
            pass  # this change does not fit this model
    return model
