"""Multiply-adds of a model, counted without onnxpress: textbook formulas on the real shapes of a run in ONNX Runtime with optimizations off
(its own profile lists every kernel with the shapes of its operands and results)."""
import json
import math
import os
import tempfile

import onnx
import onnxruntime


def nodes_of(graph):
    """{name: node} of a graph and all its bodies."""
    found = {}
    for node in graph.node:
        found[node.name or node.output[0]] = node
        for attribute in node.attribute:
            for body in [attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs:
                found |= nodes_of(body)
    return found


def attribute(node, name, default):
    for each in node.attribute if node else []:
        if each.name == name:
            return onnx.helper.get_attribute_value(each)
    return default


def einsum(equation, shapes):
    """Multiplies operands from left to right; each step costs the product of the sizes of all its labels. Labels no longer needed are summed before."""
    if "->" not in equation or "." in equation:
        raise ValueError("only plain equations")
    left, result = equation.replace(" ", "").split("->")
    operands = left.split(",")
    sizes = {}
    for labels, shape in zip(operands, shapes):
        sizes.update(zip(labels, shape))
    held, total = set(operands[0]), 0
    for i in range(1, len(operands)):
        held |= set(operands[i])
        total += math.prod(sizes[label] for label in held)
        held &= set(result).union(*operands[i + 1:])
    return total


def macs(op, node, inputs, outputs):
    """Multiply-adds of one kernel, from the shapes of its operands and results."""
    y = math.prod(outputs[0]) if outputs else 0
    if op in ("Conv", "ConvInteger", "FusedConv"):
        return y * math.prod(inputs[1][1:])
    if op == "QLinearConv":
        return y * math.prod(inputs[3][1:])
    if op == "ConvTranspose":
        return math.prod(inputs[0]) * math.prod(inputs[1][1:])
    if op == "Gemm":
        return y * inputs[0][0 if attribute(node, "transA", 0) else 1]
    if op in ("MatMul", "MatMulInteger", "QLinearMatMul", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"):
        return y * inputs[0][-1]
    if op == "MatMulNBits":
        return y * attribute(node, "K", 0)
    if op in ("LSTM", "GRU", "RNN", "DynamicQuantizeLSTM"):
        x, w, r = inputs[0], inputs[1], inputs[2]
        return x[0] * x[1] * (math.prod(w) + math.prod(r))
    if op == "Einsum":
        return einsum(attribute(node, "equation", b"").decode(), inputs)
    return 0


def kernels_of(model, feeds):
    """(node name, op, shapes in, shapes out) of every kernel of one run; `model` is a path."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.disable_prepacking", "1")
    options.log_severity_level = 4
    options.enable_profiling = True
    with tempfile.TemporaryDirectory() as folder:
        options.profile_file_prefix = os.path.join(folder, "run")
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        session.run(None, feeds)
        with open(session.end_profiling(), encoding="utf-8") as file:
            events = json.load(file)
    found = []
    for event in events:
        if event.get("cat") != "Node" or not event["name"].endswith("_kernel_time"):
            continue
        shapes = [[[int(d) for d in next(iter(each.values()))] for each in event["args"][key]]
                  for key in ("input_type_shape", "output_type_shape")]
        found.append((event["name"][: -len("_kernel_time")], event["args"]["op_name"], *shapes))
    return found


def total_macs(model, feeds):
    """{node name: multiply-adds in one run}."""
    nodes = nodes_of(onnx.load(str(model), load_external_data=False).graph)
    counts = {}
    for name, op, inputs, outputs in kernels_of(model, feeds):
        counts[name] = counts.get(name, 0) + macs(op, nodes.get(name), inputs, outputs)
    return counts
