"""Tasks as functions, and their reports."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import TEXT, real_models

import onnxpress
from onnxpress import Error


def test_every_task_gives_a_report(model, tmp_path):
    assert onnxpress.check(model).ok
    assert onnxpress.info(model)["weights"].parameters == 8
    assert onnxpress.profile(model, dim={"N": 2}).nodes == 4
    assert onnxpress.infer(model, shape={"x": [3, 4]}).with_sizes == 4
    assert model.graph.value("b").shape == (3, 4)
    report = onnxpress.optimize(model, output=tmp_path / "o.onnx")
    assert report.nodes_before == 4 and report.model is model and (tmp_path / "o.onnx").exists()
    assert onnxpress.edit(model, rename={"x": "in"}, set_metadata={"k": "v"}).changes
    assert model.metadata == {"k": "v"}
    assert onnxpress.verify(model, model.copy()).verdict == "identical"
    assert onnxpress.extract(model, outputs=["a"]).model.graph.outputs[0].name == "a"
    stages = onnxpress.split(model, parts=2, by="nodes")
    assert len(stages.model) == 2 and stages.stages[1].inputs[0]["from"] == 0
    merged = onnxpress.merge(*stages.model, share_inputs=True).model
    data = {"in": np.ones((3, 4), np.float32)}
    assert np.array_equal(onnxpress.run(merged, data)["y"], onnxpress.run(model, data)["y"])
    onnxpress.convert(model, tmp_path / "m.onnxtxt", to="text")
    assert not onnxpress.diff(model, merged).equal


def test_shrinks_and_expands(tmp_path):
    weights = np.zeros((64, 64), np.float32)
    model = onnxpress.Model.parse('<ir_version: 8, opset_import: ["" : 17]> g (float[64,64] x) => (float[64,64] y) <float[1] w = {0}> { y = Add (x, w) }')
    model.graph.value("w").set_tensor(weights)
    seen = []
    report = onnxpress.shrink(model, output=tmp_path / "s.onnx", progress=lambda done, total: seen.append((done, total)))
    assert (tmp_path / "s.onnx").stat().st_size < 1000 and seen
    onnxpress.expand(model)
    assert model.graph.value("w").tensor.numpy().shape == (64, 64)
    assert report.to_dict()["methods"] is not None and "<table>" in report._repr_html_()


def test_wrong_options_are_named(model):
    with pytest.raises(TypeError, match="weight"):
        onnxpress.quantize(model, weight="int8")
    with pytest.raises(Error, match="one of"):
        onnxpress.quantize(model, to="int99")
    with pytest.raises(Error, match="no value"):
        onnxpress.extract(model, outputs=["nope"])
    with pytest.raises(AttributeError, match="it has"):
        onnxpress.check(model).nothing


def test_reports_escape_names():
    report = onnxpress.Report({"name": "<script>alert(1)</script>", "list": [{"a": "<b>"}]})
    assert "<script>" not in report._repr_html_() and "<b>" not in report._repr_html_()


def test_threads(model):
    copies = [model.copy() for _ in range(8)]
    errors = []

    def work(each):
        try:
            onnxpress.optimize(each)
            onnxpress.profile(each)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(each,)) for each in copies]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors


def test_an_error_in_a_callback_ends_the_task():
    model = onnxpress.Model.parse('<ir_version: 8, opset_import: ["" : 17]> g (float[64,64] x) => (float[64,64] y) <float[1] w = {0}> { y = Add (x, w) }')
    model.graph.value("w").set_tensor(np.zeros((64, 64), np.float32))

    def fail(done, total):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        onnxpress.shrink(model, progress=fail)


def test_a_signal_ends_a_long_task(model):
    """As Ctrl-C does: its handler raises an exception, too."""

    class Stopped(Exception):
        pass

    def stop(number, frame):
        raise Stopped

    before, finished = signal.signal(signal.SIGALRM, stop), False
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Stopped):
            onnxpress.verify(model, model.copy(), engine="onnxpress", sets=100_000)
            finished = True
            time.sleep(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not finished


@pytest.mark.parametrize("path", real_models(1_000_000), ids=lambda p: p.name)
def test_real_models(path):
    assert onnxpress.profile(path).nodes > 0
    model = onnxpress.Model.load(path)
    onnxpress.optimize(model)
    model.verify()
    assert onnxpress.check(model).errors <= onnxpress.check(path).errors


def test_shape_engine(tmp_path):
    step = [{"op": "symbol", "a": 0, "b": 0}, {"op": "number", "a": 2, "b": 0}, {"op": "floor_divide", "a": 0, "b": 1}, {"op": "multiply", "a": 0, "b": 2}]
    engine = onnxpress.ShapeEngine({"symbols": [{"name": "n"}], "steps": step, "operands": [{"name": "o", "dims": [2, 1]}],
                                    "values": [{"name": "y", "dims": [0, 3], "element_bits": 32}, {"name": "z", "dims": [-1], "element_bits": 4}]})
    engine.update(n=7)
    assert engine.shape("y") == (7, 21) and engine.bytes("y") == 4 * 7 * 21 and engine.operand("o") == [3, 2]
    assert engine.shape("z") == (None,) and engine.bytes("z") is None
    with pytest.raises(ValueError, match="no symbol"):
        engine.update(m=1)


def test_shape_engine_of_a_model(model):
    engine = onnxpress.ShapeEngine(model)
    assert engine.symbols == ["N"] and len(engine.compute_graph.graph) == 4
    engine.update(N=100)
    assert engine.shape("c") == (100, 4) and engine.bytes("c") == 1600
    arena = engine.plan()
    places = {name: (engine.offset(name), engine.offset(name) + engine.bytes(name)) for name in engine.values}
    assert arena == 2 * 1600 and {begin for begin, _ in places.values()} == {0, 1600}  # two live at a time
    for first, second in (("x", "a"), ("a", "b"), ("b", "c"), ("c", "y")):
        assert places[first][1] <= places[second][0] or places[second][1] <= places[first][0]


def test_functions_are_those_of_the_library():
    root = Path(__file__).resolve().parents[2]
    script = root / "scripts" / "update_python_tasks"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_pass_mypy():
    pytest.importorskip("mypy")
    root = Path(__file__).resolve().parents[2]
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", root / "pyproject.toml", "--cache-dir", os.devnull,
                           root / "python" / "onnxpress"], capture_output=True, text=True, cwd=root, env=environment)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


def test_models_run_in_the_onnx_runtime_of_this_environment(model):
    pytest.importorskip("onnxruntime")
    other = model.copy()
    other.graph.nodes[0].name = "another"
    report = onnxpress.verify(model, other, sets=2)
    assert report.verdict == "identical" and report.engines[0].engine.startswith("ONNX Runtime")
    assert onnxpress.verify(model, other, sets=2, engine="onnxpress").engines[0].engine == "onnxpress"
    assert onnxpress.optimize(model.copy(), verify=True).check.runners[0].startswith("ONNX Runtime")
    shrunk = onnxpress.shrink(model.copy(), verify=True)
    assert shrunk.verified and shrunk.outputs.same
    with pytest.raises(Error, match="no provider 'nobody'"):
        onnxpress.verify(model, other, provider="nobody")
    quantized = onnxpress.quantize(model.copy(), to="fp16", min_elements=1, verify=True)
    assert quantized.outputs[0].output == "y" and quantized.reached is None  # 16 bits are exact for small whole numbers


@pytest.mark.parametrize(
    "call,problem,hint",
    [
        (lambda m: onnxpress.shrink(m, weights="int8"), "shrink has no option 'weights'", "onnxpress.quantize(model, to='int8')"),
        (lambda m: onnxpress.shrink(m, quality=40, measure=True), "shrink has no option 'quality'", "onnxpress.quantize(model, quality=40, verify=True)"),
        (lambda m: onnxpress.edit(m, set_opset=18), "edit has no option 'set_opset'", "onnxpress.optimize(model, opset=18)"),
        (lambda m: onnxpress.verify(m, m, snr=30), "verify has no option 'snr'", "onnxpress.verify(model, other, quality=30)"),
    ],
)
def test_keywords_that_moved(call, problem, hint):
    with pytest.raises(onnxpress.Error) as caught:
        call(onnxpress.Model.parse('<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Neg (x) }'))
    assert (caught.value.message, caught.value.hint) == (problem, hint)


def test_unknown_keywords_stay_type_errors():
    with pytest.raises(TypeError):
        onnxpress.shrink(b"", nonsense=1)
