"""Goes through a graph, takes out what inference does not need, cuts out a part, and saves both.

    python edit_a_graph.py model.onnx
"""

import sys

import onnxpress

model = onnxpress.Model.load(sys.argv[1])
for node in model.graph.nodes:  # a copy of the list: changing the graph is fine
    if node.op_type in ("Dropout", "Identity") and not any(v and v.is_output for v in node.outputs):
        node.bypass()
model.verify()
print(f"{len(model.graph)} nodes")

middle = model.graph.nodes[len(model.graph) // 2].outputs[0]
middle.name = middle.name or "middle"
head = onnxpress.extract(model, outputs=[middle.name])
head.model.save("head.onnx")
model.save("edited.onnx")
print(onnxpress.diff(sys.argv[1], model).total, "differences; head.onnx has", head.nodes, "nodes")
