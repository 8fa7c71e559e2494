"""Many models: neither a bad one nor one whose worker dies stops the others."""

import csv
import os
import signal
import subprocess
import sys
import time

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


_WORK = _batch._work


def _die_once(path, task, output, options):
    mark = path + ".tried"
    if path.endswith("m1.onnx") and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return _WORK(path, task, output, options)


def test_a_worker_that_dies(folder, monkeypatch):
    # Workers are new processes and import this module by its name.
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    import test_batch

    monkeypatch.setattr(_batch, "_work", test_batch._die_once)
    result = onnxpress.batch(sorted(folder.glob("m*.onnx")), "check", workers=2)
    assert len(result) == 4 and not result.errors
    assert (folder / "m1.onnx.tried").exists()


def _die_always(path, task, output, options):
    if path.endswith("m1.onnx"):
        os.kill(os.getpid(), signal.SIGKILL)
    return _WORK(path, task, output, options)


def test_only_the_model_that_workers_die_of_fails(folder, monkeypatch):
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    import test_batch

    monkeypatch.setattr(_batch, "_work", test_batch._die_always)
    result = onnxpress.batch(sorted(folder.glob("m*.onnx")), "check", workers=2, retries=1)
    assert [(os.path.basename(r["file"]), r["error"]) for r in result.errors] == [("m1.onnx", "the worker process died")]


def test_a_wrong_option_ends_the_batch(folder):
    with pytest.raises(TypeError, match="nonsense"):
        onnxpress.batch(folder, "check", nonsense=1)


def test_what_a_worker_prints_harms_nothing(folder, monkeypatch):
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    import test_batch

    monkeypatch.setattr(_batch, "_work", test_batch._print_first)
    assert len(onnxpress.batch(folder, "check", workers=1)) == 5


def _print_first(path, task, output, options):
    print("hello from", path)
    os.write(1, b"and from C\n")
    return _WORK(path, task, output, options)


@pytest.mark.parametrize("guard", ["", 'if __name__ == "__main__":\n    '])
def test_a_script_needs_no_guard(folder, tmp_path_factory, guard):
    """The example of docs/python.md, as a script: workers must not run it again."""
    script = tmp_path_factory.mktemp("script") / "all_models.py"
    script.write_text(
        f"import onnxpress\nprint('once')\n{guard}onnxpress.batch({str(folder)!r}, 'quantize', output_dir='small/', to='fp16',"
        " min_elements=1, workers=2).to_csv('table.csv')\n")
    done = subprocess.run([sys.executable, script.name], cwd=script.parent, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout == "once\n", done.stdout + done.stderr
    with open(script.parent / "table.csv", newline="") as table:
        assert len(list(csv.DictReader(table))) == 5
    assert sorted(os.listdir(script.parent / "small")) == ["m0.onnx", "m1.onnx", "m2.onnx", "m3.onnx"]


def test_ctrl_c_ends_the_workers(folder, tmp_path_factory, monkeypatch):
    script = tmp_path_factory.mktemp("script") / "long.py"
    script.write_text(
        "import sys, time, os\nsys.path.insert(0, os.environ['HERE'])\nimport onnxpress, test_batch\nfrom onnxpress import _batch\n"
        f"_batch._work = test_batch._wait\nonnxpress.batch({str(folder)!r}, 'check', workers=2)\n")
    marks = folder / "marks"
    marks.mkdir()
    process = subprocess.Popen([sys.executable, str(script)], cwd=script.parent, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, "HERE": os.path.dirname(__file__), "MARKS": str(marks)})
    until = time.monotonic() + 60
    while len(os.listdir(marks)) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    workers = [int(name) for name in os.listdir(marks)]
    assert len(workers) == 2
    until = time.monotonic() + 30
    while any(is_running(worker) for worker in workers) and time.monotonic() < until:
        time.sleep(0.1)
    assert not [worker for worker in workers if is_running(worker)]


def is_running(process):
    """One that has ended can still be listed, until its parent asks."""
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def _wait(path, task, output, options):
    open(os.path.join(os.environ["MARKS"], str(os.getpid())), "w").close()
    time.sleep(600)


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="Ray's own processes do not run under the sanitizers")
def test_ray_replaces_a_worker_that_dies(folder, monkeypatch):
    ray = pytest.importorskip("ray")
    here = os.path.dirname(__file__)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])]))
    monkeypatch.syspath_prepend(here)
    import test_batch

    monkeypatch.setattr(_batch, "_work", test_batch._die_once)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        result = onnxpress.batch(folder, "check", cluster=True)
        assert len(result) == 5 and len(result.errors) == 1
        assert (folder / "m1.onnx.tried").exists()
    finally:
        ray.shutdown()
