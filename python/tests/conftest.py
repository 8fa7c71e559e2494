"""Models that the tests share."""

import os
from pathlib import Path

import pytest

import onnxpress

TEXT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N,4] x) => (float[N,4] y)
<float[4] w = {1, 2, 3, 4}, float[4] v = {5, 6, 7, 8}>
{
  [n1] a = Relu (x)
  [n2] b = Mul (a, w)
  [n3] c = Sigmoid (b)
  [n4] y = Add (c, v)
}
"""


@pytest.fixture
def model():
    return onnxpress.Model.parse(TEXT)


def real_models(most_bytes=int(os.environ.get("MODELS_LIMIT", 3_000_000))):
    """Models that are small enough for a test; MODELS_LIMIT=1000000000 takes all."""
    folder = Path(os.environ.get("MODELS", Path(__file__).resolve().parents[2] / "models"))
    return sorted(p for p in folder.glob("*.onnx") if p.stat().st_size <= most_bytes) if folder.exists() else []
