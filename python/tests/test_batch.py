"""Many models: neither a bad one nor one whose worker dies stops the others."""

import os
import signal

import pytest
from conftest import TEXT

import onnxpress
from onnxpress import _batch


@pytest.fixture
def folder(tmp_path):
    for i in range(4):
        onnxpress.Model.parse(TEXT).save(tmp_path / f"m{i}.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"not a model")
    return tmp_path


def test_processes(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    result = onnxpress.batch(folder, "optimize", output_dir=out, workers=2)
    assert len(result) == 5 and [os.path.basename(r["file"]) for r in result.errors] == ["bad.onnx"]
    assert sorted(os.listdir(out)) == ["m0.onnx", "m1.onnx", "m2.onnx", "m3.onnx"]
    assert all(r["nodes_before"] == 4 for r in result if r["error"] is None)
    result.to_csv(out / "t.csv")
    assert len((out / "t.csv").read_text().splitlines()) >= 6


def _die_once(path, task, output, options):
    mark = path + ".tried"
    if path.endswith("m1.onnx") and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return _batch._work(path, task, output, options)


_WORK = _batch._work


def _die_once_on_ray(path, task, output, options):
    mark = path + ".tried"
    if path.endswith("m1.onnx") and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return _WORK(path, task, output, options)


def test_a_worker_that_dies(folder, monkeypatch):
    # Workers are new processes and import this module by its name.
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    import test_batch

    original = _batch._work
    monkeypatch.setattr(test_batch._batch, "_work", original)
    from concurrent.futures import ProcessPoolExecutor

    real_submit = ProcessPoolExecutor.submit
    monkeypatch.setattr(ProcessPoolExecutor, "submit", lambda self, work, *job: real_submit(self, test_batch._die_once, *job))
    result = onnxpress.batch(sorted(folder.glob("m*.onnx")), "check", workers=2)
    assert len(result) == 4 and not result.errors
    assert (folder / "m1.onnx.tried").exists()


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="Ray's own processes do not run under the sanitizers")
def test_ray_replaces_a_worker_that_dies(folder, monkeypatch):
    ray = pytest.importorskip("ray")
    here = os.path.dirname(__file__)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.syspath_prepend(here)
    import test_batch

    monkeypatch.setattr(_batch, "_work", test_batch._die_once_on_ray)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        result = onnxpress.batch(folder, "check", cluster=True)
        assert len(result) == 5 and len(result.errors) == 1
        assert (folder / "m1.onnx.tried").exists()
    finally:
        ray.shutdown()
