"""Computes all shapes of a model at any size without inference: the shape engine, and the compute graph that it feeds.

    python shapes_at_any_size.py
"""

import time

import numpy as np
from small_models import residual_network, transformer

import onnxpress

model = transformer(layers=3)
engine = onnxpress.ShapeEngine(model)
print(engine.symbols, f"{len(engine.values)} values,", f"{len(model.graph)} nodes, {len(engine.compute_graph.graph)} of them in the compute graph")

engine.update(batch=3, seq=155)
print("scores of the first attention:", engine.shape("s0"), f"{engine.bytes('s0'):,} bytes; one arena for all values: {engine.plan():,} bytes")
assert engine.shape("s0") == (3, 2, 155, 155)

# The compute graph has no nodes that compute shapes: the engine provides what its Reshapes read.
engine.compute_graph.save("compute_graph.onnx")
x = np.random.default_rng(2).standard_normal((3, 155, 8)).astype(np.float32)
given = {name: np.array(engine.operand(name), np.int64) for name in engine.operands}
assert "Shape" not in [node.op_type for node in engine.compute_graph.graph.nodes]
assert np.array_equal(onnxpress.run(engine.compute_graph, {"h0": x, **given})["h3"], onnxpress.run(model, {"h0": x})["h3"])

# Two dims of the image are open, and divisions of them are exact.
engine = onnxpress.ShapeEngine(residual_network())
start, count = time.perf_counter(), 0
for batch in range(1, 5):
    for height in range(224, 299, 8):
        for width in range(224, 257, 16):
            engine.update(batch=batch, height=height, width=width)
            assert engine.shape("x1") == (batch, 8, (height + 1) // 2, (width + 1) // 2)
            count += 1
print(f"{(time.perf_counter() - start) / count * 1e6:.0f} microseconds for each update in Python; the C++ header takes less than one")
