"""Loading, looking and saving."""

import gc
import io
import subprocess
import sys

import numpy as np
import pytest
from conftest import TEXT, real_models

import onnxpress
from onnxpress import Error, Model

onnx = pytest.importorskip("onnx")


def test_loads_from_everything(model, tmp_path):
    content = model.to_bytes()
    path = tmp_path / "m.onnx"
    path.write_bytes(content)
    proto = onnx.load_from_string(content)
    with open(path, "rb") as file:
        sources = [str(path), path, content, bytearray(content), proto, file, io.BytesIO(content)]
        for source in sources:
            assert Model.load(source).to_bytes() == content


def test_says_what_is_wrong_with_a_file(tmp_path):
    with pytest.raises(Error) as caught:
        Model.load(tmp_path / "none.onnx")
    assert "none.onnx" in caught.value.file and caught.value.message
    with pytest.raises(Error):
        Model.load(b"\xff" * 100)
    with pytest.raises(TypeError):
        Model.load(3)


def test_shows_the_graph(model):
    graph = model.graph
    assert [n.op_type for n in graph.nodes] == ["Relu", "Mul", "Sigmoid", "Add"]
    assert [v.name for v in graph.inputs] == ["x"] and [v.name for v in graph.outputs] == ["y"]
    x = graph.value("x")
    assert x.shape == ("N", 4) and x.element_type == "float" and x.type == "float[N,4]" and x.is_input
    assert graph.value("c").shape == ("N", 4)
    mul = graph.node("n2")
    assert [v.name for v in mul.inputs] == ["a", "w"] and mul.outputs[0].producer == mul
    assert mul.outputs[0].uses == [(graph.node("n3"), 0)]
    assert model.opsets == {"": 17} and model.ir_version == 8
    assert {graph.value("x"), graph.value("x")} == {x}


def test_arrays_are_neither_copied_nor_writable(tmp_path):
    weights = np.arange(1 << 18, dtype=np.float32)
    proto = onnx.helper.make_model(
        onnx.helper.make_graph([onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g",
                               [onnx.helper.make_tensor_value_info("x", 1, ["N"])], [onnx.helper.make_tensor_value_info("y", 1, ["N"])],
                               [onnx.numpy_helper.from_array(weights, "w")]), ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)])
    onnx.save(proto, tmp_path / "m.onnx")
    onnx.save(proto, tmp_path / "e.onnx", save_as_external_data=True, location="e.data")
    for name in ("m.onnx", "e.onnx"):
        model = Model.load(tmp_path / name)
        tensor = model.graph.value("w").tensor
        array = tensor.numpy()
        assert array.__array_interface__["data"][0] == tensor.buffer().address
        assert not array.flags.writeable and not memoryview(tensor.buffer()).c_contiguous is False
        with pytest.raises(ValueError):
            array[0] = 1
        del model, tensor
        gc.collect()
        assert np.array_equal(array, weights)  # the array keeps the file alive


def test_types_that_numpy_lacks():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    model = Model.parse('<ir_version: 10, opset_import: ["" : 21]> g (float[2] x) => (float[2] x) <bfloat16[2] b = {16256, 16384}, int4[3] i = {1, -2, 7}>{ }')
    assert model.graph.value("b").tensor.numpy().tolist() == [1, 2]
    assert model.graph.value("b").tensor.numpy().dtype == ml_dtypes.bfloat16
    codes = model.graph.value("i").tensor.numpy()
    assert codes.dtype == ml_dtypes.int4 and codes.astype(int).tolist() == [1, -2, 7]
    model.graph.value("i").set_tensor(np.array([-8, 3, 5], dtype=ml_dtypes.int4))
    assert model.graph.value("i").tensor.numpy().astype(int).tolist() == [-8, 3, 5]


def test_saves_in_every_form(model, tmp_path):
    for name in ("m.onnx", "m.onnxtxt", "m.json"):
        model.save(tmp_path / name)
        assert onnxpress.diff(model, tmp_path / name).equal
    assert isinstance(model.to_proto(), onnx.ModelProto)
    onnx.checker.check_model(model.to_proto(), full_check=True)


def test_names_that_are_not_utf8():
    content = Model.parse(TEXT.replace("a = Relu", "q = Relu").replace("(a, w)", "(q, w)")).to_bytes().replace(b"q", b"\xff")
    model = Model.load(content)
    value = model.graph.nodes[0].outputs[0]
    assert model.graph.value(value.name) == value
    assert model.to_bytes() == content


@pytest.mark.parametrize("path", real_models(), ids=lambda p: p.name)
def test_real_models_survive_a_harmless_change(path, tmp_path):
    """MODELS_LIMIT=1000000000 takes all of them."""
    pytest.importorskip("onnxruntime")
    model = Model.load(path)
    node = next(n for n in model.graph.nodes)
    node.name = "renamed by a test"
    model.verify()
    model.save(tmp_path / "m.onnx")
    loaded = onnx.load(tmp_path / "m.onnx")
    assert loaded.graph.node[0].name == "renamed by a test"
    original = onnx.load(path)
    original.graph.node[0].name = "renamed by a test"
    assert loaded == original
    ran = onnxpress.verify(path, tmp_path / "m.onnx", sets=1).engines[0]
    assert "ONNX Runtime" in ran["engine"] and ran["verdict"] == "identical", ran


def test_imports_nothing_large():
    code = "import sys, onnxpress; print([m for m in ('numpy', 'onnx', 'ray', 'tqdm', 'multiprocessing') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
