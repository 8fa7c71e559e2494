"""Options of onnxslim.slim and onnxsim.simplify that change what they do, as in onnxslim 0.1.98 and onnxsim 0.8.1."""

import numpy as np
import pytest

import onnxpress
from onnxpress.compat import onnxoptimizer, onnxsim, onnxslim

onnx = pytest.importorskip("onnx")

IMAGE = """<ir_version: 8, opset_import: ["" : 17]>
g (float[1,3,8,8] x) => (float[1,4,8,8] y)
<float[4,3,1,1] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[1,4,8,8] c, float[1,3,8,8] i>
{
  i = Identity (x)
  c = Conv (i, w)
  y = Relu (c)
}
"""
PRODUCT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[1,4] x) => (float[1,2] y) <float[4,2] w = {1, 2, 3, 4, 5, 6, 7, 8}>
{
  a = Relu (x)
  [product] y = MatMul (a, w)
}
"""
# Something for each optimization of onnxslim.
ALL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[1,4] x) => (float[1,4] y) <float[1,4] w = {1, 2, 3, 4}, float[1,4] v = {1, 2, 3, 4}>
{
  e = Exp (w)
  p = Mul (x, e)
  q = Mul (x, w)
  r = Mul (x, w)
  s = Add (q, r)
  t = Sub (s, v)
  i = Identity (t)
  u = Sigmoid (i)
  z = Mul (i, u)
  y = Add (z, p)
}
"""
NO_OUTPUTS = """<ir_version: 8, opset_import: ["" : 17]>
g (float[1,4] x) => () { a = Relu (x) }
"""


def proto_of(text):
    return onnxpress.Model.parse(text).to_proto()


def ops(model):
    return sorted(node.op_type for node in model.graph.node)


def shape_of(value):
    return [each.dim_value or each.dim_param for each in value.type.tensor_type.shape.dim]


def outputs(model, x):
    return onnxpress.run(model, {"x": x})["y"]


def simplify(proto, **options):
    model, ok = onnxsim.simplify(proto, **options)
    assert ok
    return model


@pytest.mark.parametrize("replace", [
    lambda proto: simplify(proto, overwrite_input_shapes={"x": [2, 3, 16, 24]}),
    lambda proto: simplify(proto, overwrite_input_shapes={"x": [2, 3, 16, 24]}, check_n=1),
    lambda proto: simplify(proto, overwrite_input_shapes={None: [2, 3, 16, 24]}),
    lambda proto: simplify(proto, input_shapes=[2, 3, 16, 24], perform_optimization=False),
    lambda proto: onnxslim.slim(proto, input_shapes=["x:2,3,16,24"]),
    lambda proto: onnxslim.slim(proto, input_shapes={"x": [2, 3, 16, 24]}, model_check=True),
])
def test_a_fixed_size_is_replaced(replace):
    proto = proto_of(IMAGE)
    made = replace(proto)
    assert shape_of(made.graph.input[0]) == [2, 3, 16, 24] and shape_of(made.graph.output[0]) == [2, 4, 16, 24]
    onnx.checker.check_model(made, full_check=True)
    x = np.random.default_rng(1).standard_normal((2, 3, 16, 24)).astype(np.float32)
    weights = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    wanted = np.maximum(np.einsum("oc,nchw->nohw", weights, x), 0)
    assert np.allclose(outputs(made, x), wanted, rtol=1e-5, atol=1e-5)
    assert shape_of(proto.graph.input[0]) == [1, 3, 8, 8]  # the original stays


@pytest.mark.parametrize("replace", [lambda proto: onnxsim.simplify(proto, overwrite_input_shapes={"x": [1, 5]}),
                                     lambda proto: onnxslim.slim(proto, input_shapes=["x:1,5"])])
def test_the_node_that_does_not_take_a_size_is_named(replace):
    """onnxsim 0.8.1 and onnxslim 0.1.98 return a model that no runtime loads."""
    with pytest.raises(onnxpress.Error, match=r"input 'x' as float\[1,5\] instead of float\[1,4\].*'product' \(MatMul\)"):
        replace(proto_of(PRODUCT))


@pytest.mark.parametrize("replace,error", [
    (lambda proto: onnxsim.simplify(proto, overwrite_input_shapes={"z": [1, 5]}), RuntimeError),
    (lambda proto: onnxslim.slim(proto, input_shapes=["z:1,5"]), ValueError)])
def test_an_unknown_input_is_named(replace, error):
    with pytest.raises(error, match='input named "z"; its inputs are x'):
        replace(proto_of(PRODUCT))


@pytest.mark.parametrize("simplified", [lambda proto: simplify(proto, check_n=1), onnxslim.slim, onnxoptimizer.optimize])
def test_a_graph_without_outputs_stays_as_it_is(simplified):
    assert simplified(proto_of(NO_OUTPUTS)) == proto_of(NO_OUTPUTS)


@pytest.mark.parametrize("skipped,stays", [
    ("constant_folding", {"Exp": 1}),
    ("graph_fusion", {"Sub": 1}),
    ("dead_node_elimination", {"Identity": 1}),
    ("subexpression_elimination", {"Mul": 4}),
    ("weight_tying", {}),
])
def test_onnxslim_skips_optimizations(skipped, stays):
    plain, kept = onnxslim.slim(proto_of(ALL)), onnxslim.slim(proto_of(ALL), skip_optimizations=[skipped])
    for op, count in stays.items():
        assert ops(kept).count(op) >= count > ops(plain).count(op) - (op == "Sub"), (ops(plain), ops(kept))
    x = np.float32([[1, -2, 3, 0.5]])
    assert np.allclose(outputs(kept, x), outputs(proto_of(ALL), x), rtol=1e-6)


def test_onnxslim_shares_weights_unless_told_otherwise():
    assert len(onnxslim.slim(proto_of(ALL), skip_optimizations=["weight_tying"]).graph.initializer) == \
        len(onnxslim.slim(proto_of(ALL)).graph.initializer) + 1


def test_onnxslim_can_skip_everything():
    everything = ["constant_folding", "graph_fusion", "dead_node_elimination", "subexpression_elimination", "weight_tying"]
    made = onnxslim.slim(proto_of(ALL), skip_optimizations=everything)
    assert ops(made) == ops(proto_of(ALL)) and len(made.graph.initializer) == 2
    assert len(made.graph.value_info) == 9  # shapes are inferred all the same
    assert not onnxslim.slim(proto_of(ALL), skip_optimizations=everything, no_shape_infer=True).graph.value_info
    with pytest.raises(ValueError, match="weight_tying"):
        onnxslim.slim(proto_of(ALL), skip_optimizations=["constants"])


def test_constants_above_the_threshold_are_not_folded():
    assert "Exp" not in ops(onnxslim.slim(proto_of(ALL), size_threshold=16))
    assert "Exp" in ops(onnxslim.slim(proto_of(ALL), size_threshold=15))
    assert "Exp" not in ops(simplify(proto_of(ALL), tensor_size_threshold="1KB"))
    assert "Exp" in ops(simplify(proto_of(ALL), tensor_size_threshold="15B"))


@pytest.mark.parametrize("text", [PRODUCT, ALL, NO_OUTPUTS, '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu (x) }'])
def test_onnxslim_makes_small_models_float16(text):
    made = onnxslim.slim(proto_of(text), dtype="fp16")
    if text is NO_OUTPUTS:
        return
    half = onnx.TensorProto.FLOAT16
    assert [value.type.tensor_type.elem_type for value in [*made.graph.input, *made.graph.output]] == [half, half]
    onnx.checker.check_model(made, full_check=True)
    shape = shape_of(made.graph.input[0])
    x = np.linspace(-1, 2, int(np.prod(shape)), dtype=np.float16).reshape(shape)
    y = outputs(made, x)
    assert y.dtype == np.float16 and np.allclose(y, outputs(proto_of(text), x.astype(np.float32)), rtol=5e-3, atol=5e-3)


def test_onnxslim_stores_weights_as_float16(tmp_path):
    model = onnxpress.Model.parse(PRODUCT.replace("[1,4]", "[1,64]").replace("[1,2]", "[1,64]"))
    model.graph.value("w").set_tensor(np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32))
    made = onnxslim.slim(model, dtype="fp16")
    assert [each.data_type for each in made.graph.initializer] == [onnx.TensorProto.FLOAT16]


def test_onnxslim_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="fp32"):
        onnxslim.slim(onnxslim.slim(proto_of(PRODUCT), dtype="fp16"), dtype="fp32")
    assert ops(onnxslim.slim(proto_of(PRODUCT), dtype="fp32")) == ["MatMul", "Relu"]
    with pytest.raises(ValueError, match="int3"):
        onnxslim.slim(proto_of(PRODUCT), dtype="int3")


def test_onnxslim_cuts_and_casts():
    made = onnxslim.slim(proto_of(ALL), inputs=["t"], outputs=["z:fp16"])
    assert [value.name for value in made.graph.input] == ["t"] and [value.name for value in made.graph.output] == ["z"]
    assert made.graph.output[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT16


def test_onnxsim_skips_optimizers_and_saves(tmp_path):
    proto = proto_of(ALL)
    assert "Identity" in ops(simplify(proto, skipped_optimizers=["eliminate_identity", "eliminate_nothing"]))
    assert "Identity" not in ops(simplify(proto, output_path=tmp_path / "o.onnx"))
    assert "Identity" not in ops(onnx.load(tmp_path / "o.onnx"))
    assert ops(simplify(proto, perform_optimization=False)) == ops(proto)
