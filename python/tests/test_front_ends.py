"""The package and the command of the same build give the same bytes, with ONNX Runtime and without it.

The command is the one that was installed with the package or, without one, that of ONNXPRESS.
"""

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

INSTALLED = Path(sys.executable).parent / "onnxpress"
COMMAND = INSTALLED if INSTALLED.exists() else Path(os.environ.get("ONNXPRESS", INSTALLED))
JOBS = [
    ("shrink", {}),
    ("quantize", {"to": "int8"}),
    ("quantize", {"quality": 30.0}),
    ("quantize", {"activations": "dynamic", "layers": "all"}),
    ("optimize", {"verify": True}),
]
# Goals that nothing reaches: integers are too coarse for so many decibels.
MISSED = [
    {"to": "int8", "quality": 200},
    {"to": "int4", "quality": 60},
    {"scheme": "int8", "quality": 200},
    {"quality": 90, "activations": "dynamic", "layers": "all"},
    {"quality": 90, "activations": "static", "to": "int8"},
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


def real_sources(task, options):
    """Small ones, because the evaluator is slow; those that have something to quantize."""
    runs = task == "optimize" or "to" not in options and task == "quantize"
    found = real_models(300_000 if runs else 600_000)
    return [path for path in found if task != "quantize" or onnxpress.info(path)["weights"].parameters > 10_000][:2]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def by_command(source, target, task, options, code=0):
    if not COMMAND.exists():
        pytest.skip("there is no command: the package was not installed, and ONNXPRESS is not set")
    words = []
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    done = subprocess.run([COMMAND, task, source, "-o", target, "--json", *words], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(params=["ONNX Runtime", "none"])
def runtime(request, monkeypatch):
    """Both front ends have ONNX Runtime, or none has it."""
    library = "none"
    if request.param != "none":
        ort = pytest.importorskip("onnxruntime")
        library = str(next(Path(ort.__file__).parent.glob("capi/libonnxruntime.so*")))
    monkeypatch.setenv("ONNXPRESS_ORT", library)


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("task,options", JOBS)
def test_same_bytes(task, options, tmp_path):
    layers().save(tmp_path / "m.onnx")
    for source in [tmp_path / "m.onnx", *real_sources(task, options)]:
        a, b = tmp_path / "a.onnx", tmp_path / "b.onnx"
        by_command(source, a, task, options)
        getattr(onnxpress, task)(source, output=b, **options)
        assert digest(a) == digest(b), f"{source.name}: {task} {options}"


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("options", MISSED)
def test_a_missed_goal_leaves_everything_as_it_was(options, tmp_path):
    model, output = layers(), tmp_path / "out.onnx"
    model.save(tmp_path / "m.onnx")
    output.write_bytes(b"the result of yesterday")
    told = by_command(tmp_path / "m.onnx", output, "quantize", options, code=1)
    before = model.to_bytes()
    report = onnxpress.quantize(model, output=output, **options)
    assert model.to_bytes() == before
    for each in (told, report.to_dict()):
        assert f"{options['quality']:.1f} dB were asked for" in each["refused"]
        assert each["reached"] < each["asked"] == options["quality"]
        assert each["after"] == each["before"] and each["files"] == []
    assert told["refused"] == report.refused
    assert output.read_bytes() == b"the result of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "out.onnx"]


def test_a_missed_goal_can_be_accepted(tmp_path):
    output = tmp_path / "out.onnx"
    report = onnxpress.quantize(layers(), to="int8", quality=200, best_effort=True, output=output)
    assert report.refused == "" and report.reached < report.asked
    assert {line.scheme.split()[0] for line in report.tensors} <= {"int8", "int12"}, "other bits were chosen"
    assert output.stat().st_size < len(layers().to_bytes()) / 2


def test_the_package_finds_the_runtime_of_its_python(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime")
    monkeypatch.delenv("ONNXPRESS_ORT", raising=False)
    monkeypatch.chdir(tmp_path)  # there is no .venv here, where the library would look itself
    report = onnxpress.optimize(layers(), verify=True)
    assert report.check.runners[0].startswith("ONNX Runtime")


def test_the_engine_can_be_chosen(tmp_path, monkeypatch):
    ort = pytest.importorskip("onnxruntime")
    monkeypatch.setenv("ONNXPRESS_ORT", str(next(Path(ort.__file__).parent.glob("capi/libonnxruntime.so*"))))
    source, results = tmp_path / "m.onnx", [tmp_path / name for name in ("a.onnx", "b.onnx", "c.onnx")]
    layers().save(source)
    by_command(source, results[0], "quantize", {"quality": 30, "engine": "onnxpress"})
    onnxpress.quantize(source, output=results[1], quality=30, engine="onnxpress")
    monkeypatch.setenv("ONNXPRESS_ORT", "none")
    by_command(source, results[2], "quantize", {"quality": 30})
    assert len({digest(result) for result in results}) == 1, "the built-in evaluator chose other bits"
    with pytest.raises(onnxpress.Error, match="cannot be loaded|no ONNX Runtime"):
        onnxpress.quantize(layers(), quality=30, engine="ort")
