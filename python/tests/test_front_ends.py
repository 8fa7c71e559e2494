"""The package and the command of the same build give the same bytes, with ONNX Runtime and without it."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import real_models

import onnxpress

COMMAND = Path(sys.executable).parent / "onnxpress"
JOBS = [
    ("shrink", {}),
    ("shrink", {"weights": "int8"}),
    ("shrink", {"weights": "auto"}),
    ("shrink", {"quality": 30.0}),
    ("optimize", {"verify": True}),
]


def layers():
    """Three layers: enough for a search that gives each its own bits."""
    rng = np.random.default_rng(3)
    names = ["w1", "w2", "w3"]
    model = onnxpress.Model.parse(
        '<ir_version: 8, opset_import: ["" : 17]> g (float[N,64] x) => (float[N,64] y)'
        "<float[1] w1 = {0}, float[1] w2 = {0}, float[1] w3 = {0}>"
        "{ a = MatMul (x, w1) b = Tanh (a) c = MatMul (b, w2) d = Relu (c) y = MatMul (d, w3) }"
    )
    for name, scale in zip(names, (1, 0.3, 0.1)):
        model.graph.value(name).set_tensor(rng.standard_normal((64, 64)).astype(np.float32) * np.float32(scale))
    return model


def by_command(source, target, task, options, environment):
    words = []
    for name, value in options.items():
        words += [f"--{name}"] + ([] if value is True else [str(value)])
    done = subprocess.run([COMMAND, task, source, "-o", target, "--json", *words], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("runtime", ["", "none"])
@pytest.mark.parametrize("task,options", JOBS)
def test_same_bytes(task, options, runtime, tmp_path, monkeypatch):
    if not COMMAND.exists():
        pytest.skip("the package was not installed")
    ort = pytest.importorskip("onnxruntime")
    library = next(Path(ort.__file__).parent.glob("capi/libonnxruntime.so*"))
    monkeypatch.setenv("ONNXPRESS_ORT", runtime or str(library))
    layers().save(tmp_path / "m.onnx")
    for source in [tmp_path / "m.onnx", *real_models(300_000)[:2]]:
        a, b = tmp_path / "a.onnx", tmp_path / "b.onnx"
        by_command(source, a, task, options, dict(os.environ))
        getattr(onnxpress, task)(source, output=b, **options)
        assert hashlib.sha256(a.read_bytes()).digest() == hashlib.sha256(b.read_bytes()).digest(), f"{source.name}: {task} {options}"


def test_the_package_finds_the_runtime_of_its_python(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime")
    monkeypatch.delenv("ONNXPRESS_ORT", raising=False)
    monkeypatch.chdir(tmp_path)  # there is no .venv here, where the library would look itself
    report = onnxpress.optimize(layers(), verify=True)
    assert report.check.runners[0].startswith("ONNX Runtime")
