"""Replaces each attention in a transformer by one node, given one example; the model still runs, and this can be undone.

    python fuse_attention.py
"""

import numpy as np
from small_models import transformer

import onnxpress

model = transformer(layers=3)
x = np.random.default_rng(2).standard_normal((2, 5, 8)).astype(np.float32)
expected = onnxpress.run(model, {"h0": x})["h3"]

graph = model.graph
example = graph.nodes_between(["h0"], ["o0"])  # the first attention, with its weights
calls = graph.fuse(example, "my.domain::MHA", keep_attributes=True)  # fuses all others like it, too
print(f"{len(example)} nodes became one, {len(calls)} times: {[node.op_type for node in graph.nodes]}")
print(calls[0].attributes)
assert [node.op_type for node in graph.nodes] == ["MHA", "Add"] * 3
assert np.array_equal(onnxpress.run(model, {"h0": x})["h3"], expected)  # MHA is a function of the model
model.save("attention.onnx")

# Or a single region, chosen by names of values.
residual = transformer(layers=2)
nodes = residual.graph.nodes_between(["s0a"], ["s0"])
(softmax,) = residual.graph.fuse(nodes, "my.domain::ScaledSoftmax", once=True)
assert [value.name for value in softmax.inputs] == ["s0a"]

graph.unfuse("my.domain::MHA")
nodes = [node for node in graph.nodes if node.op_type != "Constant"]  # constants of one element were part of the function
assert len(nodes) == 3 * (len(example) + 1) and not model.functions
assert np.array_equal(onnxpress.run(model, {"h0": x})["h3"], expected)
