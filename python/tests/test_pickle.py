"""Models, reports and errors cross the borders of processes, as multiprocessing and Ray need it."""

import copy
import errno
import multiprocessing
import pickle

import numpy as np
import pytest
from conftest import TEXT

import onnxpress
from onnxpress import Model


def through_pickle(what):
    return pickle.loads(pickle.dumps(what))


@pytest.mark.parametrize("copied", [through_pickle, copy.copy, copy.deepcopy])
def test_models_are_copied(model, tmp_path, copied):
    model.save(tmp_path / "m.onnx")
    read = Model.load(tmp_path / "m.onnx")
    other = copied(read)
    assert other is not read and other.to_bytes() == read.to_bytes() and other.path == read.path == str(tmp_path / "m.onnx")
    other.graph.node("n1").name = "changed"  # the two are independent
    assert [node.name for node in read.graph.nodes] == ["n1", "n2", "n3", "n4"]
    assert copied(other).graph.node("changed").op_type == "Relu"  # as it is now, not as it was read
    other.verify()


def test_a_pickled_model_needs_no_files(tmp_path):
    onnx = pytest.importorskip("onnx")
    weights = np.arange(4096, dtype=np.float32)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", [onnx.helper.make_tensor_value_info("x", 1, [4096])],
        [onnx.helper.make_tensor_value_info("y", 1, [4096])], [onnx.numpy_helper.from_array(weights, "w")])
    proto = onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)])
    onnx.save(proto, tmp_path / "e.onnx", save_as_external_data=True, location="e.data")
    content = pickle.dumps(Model.load(tmp_path / "e.onnx"))
    for name in ("e.onnx", "e.data"):
        (tmp_path / name).unlink()
    assert np.array_equal(pickle.loads(content).graph.value("w").tensor.numpy(), weights)


def test_names_that_are_not_utf8_stay():
    content = Model.parse(TEXT.replace("a = Relu", "q = Relu").replace("(a, w)", "(q, w)")).to_bytes().replace(b"q", b"\xff")
    assert through_pickle(Model.load(content)).to_bytes() == content


@pytest.mark.parametrize("copied", [through_pickle, copy.copy, copy.deepcopy])
def test_reports_are_copied(model, copied):
    report = onnxpress.optimize(model)
    other = copied(report)
    assert other == report and other.rewrites == report.rewrites and other.to_json() == report.to_json()
    assert other.model.to_bytes() == model.to_bytes()
    assert copied(onnxpress.profile(model)).ops[:1] == onnxpress.profile(model).ops[:1]
    engine = copied(onnxpress.ShapeEngine(model))
    engine.update(N=3)
    assert engine.shape("y") == (3, 4)


def test_parts_of_a_model_say_that_they_cannot_be_pickled(model):
    for part in (model.graph, model.graph.nodes[0], model.graph.inputs[0]):
        with pytest.raises(TypeError):
            pickle.dumps(part)


def shrunk(model):
    report = onnxpress.optimize(model, shape={"x": [2, 4]})
    return report, report.model


def load(path):
    return Model.load(path)


def test_models_go_through_a_pool_of_processes(model):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        report, made = pool.apply(shrunk, (model,))
        assert report.nodes_before == 4 and made.graph.inputs[0].shape == (2, 4)
        with pytest.raises(onnxpress.MissingFile, match="none.onnx") as caught:
            pool.apply(load, ("none.onnx",))
    assert (caught.value.file, caught.value.hint) == ("none.onnx", "check the path")


def test_errors_are_pickled(tmp_path):
    with pytest.raises(onnxpress.Error) as caught:
        Model.load(b"\xff" * 100)
    other = through_pickle(caught.value)
    assert type(other) is onnxpress.Error and str(other) == str(caught.value) and other.message == caught.value.message


def test_a_missing_file_is_a_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        Model.load(tmp_path / "none.onnx")
    error = caught.value
    assert isinstance(error, onnxpress.Error) and isinstance(error, onnxpress.MissingFile)
    assert error.filename == error.file == str(tmp_path / "none.onnx") and error.errno == errno.ENOENT
    assert str(error).endswith("cannot open: No such file or directory\nhint: check the path") and error.strerror == error.message
    with pytest.raises(FileNotFoundError):
        onnxpress.check(tmp_path / "none.onnx")
    with pytest.raises(onnxpress.Error) as caught:  # a folder is there, but is no file
        Model.load(tmp_path)
    assert not isinstance(caught.value, FileNotFoundError)


def test_a_missing_external_file_is_one_too(tmp_path):
    text = TEXT.replace("float[4] w = {1, 2, 3, 4}", 'float[4] w = ["location": "gone.data", "offset": "0", "length": "16"]')
    (tmp_path / "m.onnxtxt").write_text(text)
    with pytest.raises(FileNotFoundError, match="gone.data"):
        Model.load(tmp_path / "m.onnxtxt").graph.value("w").tensor.numpy()
