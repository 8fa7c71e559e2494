"""Quick-start snippets of other packages, with the import changed."""

import csv

import numpy as np
import pytest

import onnxpress

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402


@pytest.fixture
def proto():
    rng = np.random.default_rng(1)
    nodes = [
        helper.make_node("Identity", ["x"], ["i"], name="identity"),
        helper.make_node("Conv", ["i", "w"], ["c"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"], name="bn"),
        helper.make_node("Relu", ["n"], ["r"], name="relu"),
        helper.make_node("Shape", ["r"], ["shape"], name="shape"),
        helper.make_node("Reshape", ["r", "shape"], ["y"], name="reshape"),
    ]
    weights = [numpy_helper.from_array(rng.standard_normal((64, 64, 3, 3)).astype(np.float32), "w")]
    weights += [numpy_helper.from_array(np.abs(rng.standard_normal(64)).astype(np.float32) + 0.5, name) for name in "sbmv"]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 64, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 64, 8, 8])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def outputs(model):
    x = np.random.default_rng(2).standard_normal((1, 64, 8, 8)).astype(np.float32)
    return onnxpress.run(model, {"x": x})["y"]


def test_onnxsim(proto):
    from onnxpress.compat.onnxsim import simplify

    model = proto
    model_simp, check = simplify(model)
    assert check, "Simplified ONNX model could not be validated"
    assert [n.op_type for n in model_simp.graph.node] == ["Conv", "Relu"]
    assert np.allclose(outputs(model_simp), outputs(proto), atol=1e-4)
    model_simp, check = simplify(model, check_n=1, overwrite_input_shapes={"x": [1, 64, 8, 8]})
    assert check and model_simp.graph.input[0].type.tensor_type.shape.dim[0].dim_value == 1


def test_onnxslim(proto, tmp_path):
    from onnxpress.compat import onnxslim

    slimmed_model = onnxslim.slim(proto)
    assert len(slimmed_model.graph.node) < len(proto.graph.node)
    onnx.save(proto, tmp_path / "model.onnx")
    assert onnxslim.slim(str(tmp_path / "model.onnx"), str(tmp_path / "slim.onnx")) is None
    assert np.allclose(outputs(tmp_path / "slim.onnx"), outputs(proto), atol=1e-4)


def test_onnxoptimizer(proto):
    from onnxpress.compat import onnxoptimizer

    passes = ["eliminate_identity", "fuse_bn_into_conv"]
    assert set(passes) <= set(onnxoptimizer.get_available_passes())
    optimized_model = onnxoptimizer.optimize(proto, passes)
    kinds = [n.op_type for n in optimized_model.graph.node]
    assert "Identity" not in kinds and "BatchNormalization" not in kinds and "Reshape" in kinds
    with pytest.raises(ValueError):
        onnxoptimizer.optimize(proto, ["eliminate_everything"])


def test_scs4onnx(tmp_path):
    from onnxpress.compat.scs4onnx import shrinking

    same = np.arange(5000, dtype=np.float32).reshape(50, 100)
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w1"], ["a"], name="add1"), helper.make_node("Add", ["a", "w2"], ["y"], name="add2")], "g",
        [helper.make_tensor_value_info("x", 1, [50, 100])], [helper.make_tensor_value_info("y", 1, [50, 100])],
        [numpy_helper.from_array(same, "w1"), numpy_helper.from_array(same, "w2")])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    shrunken_graph, npy_file_paths = shrinking(onnx_graph=proto, non_verbose=True)
    assert npy_file_paths == [] and len(shrunken_graph.graph.initializer) == 1
    onnx.save(proto, tmp_path / "in.onnx")
    shrunken_graph, npy_file_paths = shrinking(input_onnx_file_path=str(tmp_path / "in.onnx"), output_onnx_file_path=str(tmp_path / "out.onnx"), mode="npy")
    assert len(npy_file_paths) == 1 and np.array_equal(np.load(npy_file_paths[0]), same)
    assert len(shrunken_graph.graph.input) == 2


def test_onnx_shrink_ray(proto, capsys):
    from onnxpress.compat.onnx_shrink_ray.shrink import print_weight_info, quantize_weights

    new_model = quantize_weights(proto)
    assert len(new_model.SerializeToString()) < len(proto.SerializeToString()) / 3
    y = outputs(proto)
    assert np.abs(outputs(new_model) - y).max() < (y.max() - y.min()) / 20
    float_model = quantize_weights(proto, float_quantization=True, float_levels=256)
    assert np.abs(outputs(float_model) - y).max() < (y.max() - y.min()) / 20
    print_weight_info(proto)
    assert "w: [64, 64, 3, 3], 36,864 elements" in capsys.readouterr().out


def test_onnx_tool(proto, tmp_path, capsys):
    from onnxpress.compat import onnx_tool

    modelpath = str(tmp_path / "model.onnx")
    onnx.save(proto, modelpath)
    onnx_tool.model_profile(modelpath, {"x": onnx_tool.create_ndarray_f32((1, 64, 8, 8))})
    assert "conv" in capsys.readouterr().out
    onnx_tool.model_profile(modelpath, {"x": [1, 64, 8, 8]}, save_profile=str(tmp_path / "p.csv"))
    rows = list(csv.reader(open(tmp_path / "p.csv")))
    assert rows[-1][0] == "Total" and int(rows[-1][2]) == 64 * 64 * 9 * 64
    onnx_tool.model_shape_infer(modelpath, None, saveshapesmodel=str(tmp_path / "s.onnx"))
    assert len(onnx.load(tmp_path / "s.onnx").graph.value_info) >= 4
    onnx_tool.model_constant_folding(modelpath, str(tmp_path / "f.onnx"))
    onnx_tool.model_io_modify(modelpath, str(tmp_path / "io.onnx"), {"x": "2x64x8x8"})
    assert onnx.load(tmp_path / "io.onnx").graph.output[0].type.tensor_type.shape.dim[0].dim_value == 2
    onnx_tool.model_subgraph(modelpath, ["i"], ["r"], save_folder=str(tmp_path))
    assert [n.op_type for n in onnx.load(tmp_path / "model_level1.onnx").graph.node] == ["Conv", "BatchNormalization", "Relu"]
    onnx_tool.model_subgraph(modelpath, nodenames=["conv", "bn"], save_folder=str(tmp_path))
    assert len(onnx.load(tmp_path / "model_subgraph.onnx").graph.node) == 2
    # create a new op, its op_type=='fused', name=='fused_0'. The new graph will be saved as 'fused.onnx'.
    onnx_tool.model_opfusion(modelpath, "fused", "fused_0", str(tmp_path / "fused.onnx"), ["i"], ["r"])
    node = onnx.load(tmp_path / "fused.onnx").graph.node[1]
    assert (node.op_type, node.name) == ("fused", "fused_0") and "Conv0_pads" in [a.name for a in node.attribute]
    onnx_tool.model_opfusion(modelpath, "fused", "fused_0", str(tmp_path / "fused.onnx"), nodenames=["conv", "bn", "relu"])
    assert np.allclose(outputs(tmp_path / "fused.onnx"), outputs(proto), atol=1e-5)
    onnx_tool.model_export_tensors_numpy(modelpath, savefolder=str(tmp_path / "t"))
    assert np.load(tmp_path / "t" / "w.npy").shape == (64, 64, 3, 3)


def test_onnx_tool_objects(proto, tmp_path, capsys):
    from onnxpress.compat import onnx_tool
    from onnxpress.compat.onnx_tool import Model

    onnx.save(proto, tmp_path / "model.onnx")
    model = Model(str(tmp_path / "model.onnx"))  # Load any ONNX file
    graph = model.graph  # Access computation graph
    node = graph.nodemap["bn"]  # Modify operator attributes
    tensor = graph.tensormap["w"]  # Edit tensor data/types
    node.set_attr("epsilon", 0.0001)
    tensor.numpy = np.round(tensor.numpy, 1)
    graph.skip_node("identity")
    graph.add_dump_tensors(["c", "c"])
    model.save_model(str(tmp_path / "modified.onnx"))  # Persist changes
    saved = onnx.load(tmp_path / "modified.onnx")
    assert [n.op_type for n in saved.graph.node][0] == "Conv" and [o.name for o in saved.graph.output] == ["y", "c"]
    with pytest.raises(KeyError):
        graph.nodemap["nothing"]
    assert set(graph.initials) == set("wsbmv") and "c" in graph.dynamics and "relu" in graph.nodemap
    graph.shape_infer({"x": np.zeros((1, 64, 8, 8))})
    graph.profile()
    graph.print_node_map(exclude_ops=["Relu"])
    out = capsys.readouterr().out
    assert "conv" in out and "relu" not in out
    graph.fuse_subgraph_iotensors(inputs=["x"], outputs=["r"], name_prefix="Block", nodeop="Block", keep_attr=True)
    assert graph.nodemap["Block_0"].op_type == "Block" and graph.nodemap["Block_0"].attr["Conv0_pads"] == [1, 1, 1, 1]

    shape_engine, compute_graph = onnx_tool.model_shape_regress(proto, {"x": ("batch", 64, "h", "w")}, {"batch": (1, 4), "h": (8, 64), "w": (8, 64)})
    shape_engine.update_variable("batch", 3)
    shape_engine.update_variable("h", 11)
    shape_engine.update_variable("w", 13)
    shape_engine.update_variables()
    assert shape_engine.get_tensorshape("r") == [3, 64, 11, 13]
    compute_graph.save_model(str(tmp_path / "compute_graph.onnx"))
    assert "Shape" not in [n.op_type for n in onnx.load(tmp_path / "compute_graph.onnx").graph.node]
