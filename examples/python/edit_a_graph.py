"""Changes attributes, weights, nodes and outputs of a model; changes that would break the model are refused.

    python edit_a_graph.py [model.onnx]
"""

import sys

import numpy as np
from small_models import residual_network

import onnxpress

model = onnxpress.Model.load(sys.argv[1]) if len(sys.argv) > 1 else residual_network()
graph = model.graph
before = model.copy()

for node in graph.nodes:  # a copy of the list, so the graph may change in the loop
    if node.op_type == "BatchNormalization":
        node.set_attribute("epsilon", 0.0001)
    elif node.op_type in ("Dropout", "Identity"):
        node.bypass()  # its operand replaces its result

weight = next(value for value in graph.initializers if value.element_type == "float" and len(value.shape) > 1)
weight.set_tensor(np.round(weight.tensor.numpy(), 2))

hidden = graph.nodes[len(graph) // 2].outputs[0]
graph.add_output(hidden)  # one more output, to see an inner value

try:
    graph.nodes[0].set_attribute("lol", "haha")
except onnxpress.Error as error:
    print("refused:", error)

model.verify()
assert onnxpress.check(model).ok
model.save("edited.onnx")
print(onnxpress.diff(before, model).total, "differences;", hidden.name, hidden.shape, "is an output")
