"""Cuts a model into a part, what runs before it and what runs after it, and runs the three one after the other.

    python cut_out_a_subgraph.py
"""

import numpy as np
from small_models import residual_network

import onnxpress
from onnxpress.compat import onnx_tool

model = residual_network(blocks=3)
model.save("residual.onnx")

# As in onnx-tool: by the values where the part begins and ends, or by its nodes.
onnx_tool.model_subgraph("residual.onnx", ["x1"], ["r2"])
onnx_tool.model_subgraph("residual.onnx", nodenames=["block1_conv", "block1_bn", "block1_relu"])

values = {"data": np.random.default_rng(2).standard_normal((2, 3, 16, 20)).astype(np.float32)}
expected = onnxpress.run(model, values)["scores"]
for level in range(3):
    part = onnxpress.Model.load(f"residual_level{level}.onnx")
    values.update(onnxpress.run(part, {value.name: values[value.name] for value in part.graph.inputs}))
    print(f"level {level}: {[v.name for v in part.graph.inputs]} -> {[v.name for v in part.graph.outputs]}, {len(part.graph)} nodes")
assert values["scores"].tobytes() == expected.tobytes()

# The same in one call, and stages of about the same cost that feed each other.
middle = onnxpress.extract(model, inputs=["x1"], outputs=["r2"]).model
assert [node.op_type for node in middle.graph.nodes] == ["Conv", "BatchNormalization", "Relu"]
report = onnxpress.split(model, parts=3, by="macs", shape={"data": [1, 3, 32, 32]})
for stage in report.stages:
    print(f"{stage.nodes} nodes, {stage.macs:,} multiply-adds, passes on {[value.name for value in stage.outputs]}")
