"""Strange and broken models: whatever is read, changed or called, the worst result is an exception, and the model stays sound.

STRANGERS=n models (default 20) from seed STRANGERS_SEED.
"""

import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

import onnxpress
from onnxpress import Error, Model

pytest.importorskip("onnx")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))
import mutations  # noqa: E402

COUNT, SEED = int(os.environ.get("STRANGERS", "20")), int(os.environ.get("STRANGERS_SEED", "1"))
REFUSALS = (ValueError, TypeError, LookupError, AttributeError, OverflowError)  # Error is a ValueError


def quantize(model):
    return onnxpress.quantize(model, to="int8", min_elements=1)


TASKS = [onnxpress.check, onnxpress.info, onnxpress.infer, onnxpress.profile, onnxpress.optimize, onnxpress.shrink, quantize, onnxpress.expand]
ARRAYS = [np.zeros((2, 3), np.float32), np.array(1), np.array(["a"], object), np.zeros(0), np.zeros((1,) * 9), np.array([True])]


def tried(call, *arguments):
    try:
        return call(*arguments)
    except REFUSALS:
        return None


def look(thing, depth=0):
    for name in dir(thing):
        if name.startswith("_"):
            continue
        found = tried(getattr, thing, name)
        if depth < 2 and isinstance(found, (list, tuple)):
            for each in found[:5]:
                if type(each).__module__.startswith("onnxpress"):
                    look(each, depth + 1)
    repr(thing)


def change(rng, model):
    """Calls and assignments with arguments of all kinds."""
    graph = model.graph
    nodes = list(graph.nodes)
    values = [v for n in nodes for v in [*n.inputs, *n.outputs] if v is not None] + [*graph.inputs, *graph.outputs]
    for _ in range(8):
        thing = rng.choice([model, graph, *nodes, *values])
        name = rng.choice([name for name in dir(thing) if not name.startswith("_") and name not in ("save", "load", "parse")])
        given = [None, "", "x", "a" * 300, 0, -1, 1 << 70, 1.5, [], ["x"], [1, 2], b"q", True, graph, model, rng.choice(ARRAYS), {"x": 1}, [None],
                 ("N", 3), nodes[:2], *nodes[:3], *values[:5]]
        member = tried(getattr, thing, name)
        if callable(member):
            tried(member, *[rng.choice(given) for _ in range(rng.randrange(4))])
        else:
            tried(setattr, thing, name, rng.choice(given))


def content(rng):
    starts = mutations.official_models() + mutations.built_models()
    data = bytearray(mutations.mutate(rng.choice(starts)(rng), rng).SerializeToString())
    if rng.random() < 0.4:
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)


def test_strange_models_raise_at_worst(tmp_path):
    loaded = 0
    for i in range(COUNT):
        rng = random.Random(SEED * 1000003 + i)
        model = tried(Model.load, content(rng))
        if model is None:
            continue
        loaded += 1
        look(model)
        look(model.graph)
        change(rng, model)
        model.verify()
        assert tried(lambda: Model.parse(model.to_text(1 << 40))) is not None or tried(model.to_bytes) is not None
        tried(model.save, tmp_path / "m.onnx")
        tried(rng.choice(TASKS), model)
        model.verify()
    assert loaded > COUNT / 3


def test_text_with_names_that_are_not_utf8():
    text = '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { q = Relu (x) y = Neg (q) }'
    model = Model.load(Model.parse(text).to_bytes().replace(b"q", b"\xff"))
    again = Model.parse(model.to_text())
    assert again.graph.nodes[0].outputs[0].name == model.graph.nodes[0].outputs[0].name
    with pytest.raises(Error):
        Model.parse("\udcff")
