"""Small models of every opset from 7 to 24, whose weights all ways of storing weights apply to. For test_valid_results.py."""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSETS = range(7, 25)
FLOAT, HALF, DOUBLE, BRAIN = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE, TensorProto.BFLOAT16
TYPE_NAMES = {FLOAT: "float", HALF: "half", DOUBLE: "double", BRAIN: "bfloat16"}


def least_ir_version(opset):
    return helper.find_min_ir_version_for([helper.make_opsetid("", opset)])


class Draft:
    """A model under construction. Weights are initializers; up to IR version 3, these are also inputs."""

    def __init__(self, opset, ir_version=None, seed=1):
        self.opset, self.ir_version = opset, ir_version or least_ir_version(opset)
        self.nodes, self.inputs, self.outputs, self.initializers = [], [], [], []
        self.functions, self.imports = [], [helper.make_opsetid("", opset)]
        self.random = numpy.random.default_rng(seed)

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, kind, shape):
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def tensor(self, name, array, kind=None):
        kind = kind or helper.np_dtype_to_tensor_dtype(array.dtype)
        made = tensor_of(name, array, kind)
        self.initializers.append(made)
        if self.ir_version < 4:
            self.inputs.append(helper.make_tensor_value_info(name, kind, array.shape))
        return name

    def weight(self, name, kind, *shape):
        return self.tensor(name, self.random.standard_normal(shape).astype(numpy.float32) / 8, kind)

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"{op}_{output}", **attributes))
        return output

    def model(self):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.initializers)
        made = helper.make_model(graph, opset_imports=self.imports, ir_version=self.ir_version, functions=self.functions)
        onnx.checker.check_model(made, full_check=True)
        return made


def tensor_of(name, array, kind):
    if kind == BRAIN:
        bits = numpy.ascontiguousarray(array, numpy.float32).view(numpy.uint32) >> 16
        return TensorProto(name=name, dims=array.shape, data_type=kind, raw_data=bits.astype(numpy.uint16).tobytes())
    return numpy_helper.from_array(array.astype(helper.tensor_dtype_to_np_dtype(kind)), name)


def layers(opset, kind=FLOAT, ir_version=None):
    """Conv, Gemm, MatMul, an embedding and an LSTM, with weights whose sizes no block divides, and a body of a Loop."""
    draft = Draft(opset, ir_version)
    draft.input("image", kind, [1, 3, 8, 8])
    draft.input("ids", TensorProto.INT64, [1, 5])
    draft.node("Conv", ["image", draft.weight("conv1_w", kind, 24, 3, 3, 3)], "c1", pads=[1, 1, 1, 1])
    draft.node("Relu", ["c1"], "r1")
    draft.node("Conv", ["r1", draft.weight("conv2_w", kind, 30, 24, 3, 3), draft.weight("conv2_b", kind, 30)], "c2")
    draft.node("GlobalAveragePool", ["c2"], "p")
    draft.node("Flatten", ["p"], "f")
    draft.node("Gemm", ["f", draft.weight("gemm_w", kind, 50, 30), draft.weight("gemm_b", kind, 50)], "h", transB=1)
    draft.node("MatMul", ["h", draft.weight("head_w", kind, 50, 33)], "logits")
    draft.node("Gather", [draft.weight("table", kind, 41, 32), "ids"], "e")
    draft.node("MatMul", ["e", draft.weight("mat_w", kind, 32, 64)], "m1")
    draft.node("Tanh", ["m1"], "m2")
    draft.node("MatMul", ["m2", draft.weight("mat2_w", kind, 64, 32)], "m3")
    draft.node("Add", ["m3", "e"], "s")
    draft.node("MatMul", ["s", draft.weight("mat3_w", kind, 32, 40)], "out")
    draft.node("LSTM", ["s", draft.weight("lstm_w", kind, 1, 64, 32), draft.weight("lstm_r", kind, 1, 64, 16)], "l",
               hidden_size=16)
    for name, shape in ("logits", [1, 33]), ("out", [1, 5, 40]), ("l", [1, 1, 5, 16]):
        draft.output(name, kind, shape)
    return draft.model()


def body(opset, kind=FLOAT, ir_version=None):
    """A MatMul in a branch of If whose weight is in the branch, one whose weight is a Constant, and a Conv."""
    draft = Draft(opset, ir_version)
    draft.input("c", TensorProto.BOOL, [])
    draft.input("x", kind, [4, 40])
    random = draft.random

    def branch(name, weight, constant):
        value = tensor_of(weight, random.standard_normal((40, 40)), kind)
        nodes = [helper.make_node("MatMul", ["x", weight], [f"{name}_y"])]
        if constant:
            nodes.insert(0, helper.make_node("Constant", [], [weight], value=value))
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(f"{name}_y", kind, [4, 40])],
                                 [] if constant else [value])
    draft.nodes.append(helper.make_node("If", ["c"], ["t"], name="choice", then_branch=branch("then", "w1", True),
                                        else_branch=branch("else", "w2", draft.ir_version < 4)))
    draft.node("MatMul", ["t", draft.weight("w3", kind, 40, 36)], "y")
    draft.output("y", kind, [4, 36])
    return draft.model()


def function(opset, kind=FLOAT, function_opset=None):
    """A function whose weight is one of its constants."""
    draft = Draft(opset, max(8, least_ir_version(opset)))
    weight = tensor_of("", draft.random.standard_normal((40, 44)), kind)
    nodes = [helper.make_node("Constant", [], ["w"], value=weight), helper.make_node("MatMul", ["a", "w"], ["b"])]
    draft.functions.append(helper.make_function("my", "F", ["a"], ["b"], nodes, [helper.make_opsetid("", function_opset or opset)]))
    draft.imports.append(helper.make_opsetid("my", 1))
    draft.input("x", kind, [4, 40])
    draft.nodes.append(helper.make_node("F", ["x"], ["y"], domain="my", name="call"))
    draft.output("y", kind, [4, 44])
    return draft.model()


def floats_to_store(random):
    """Arrays with content that each lossless method can make smaller."""
    noise = random.standard_normal((48, 64)).astype(numpy.float32)
    yield "plain", noise
    yield "equal", noise.copy()
    yield "reshaped", noise.reshape(64, 48)
    yield "transposed", noise.T.copy()
    yield "sliced", noise[:40]
    yield "sliced_last", noise[:, :50].copy()
    yield "scaled", noise * 4
    yield "negative", -noise
    yield "splat", numpy.full((50, 60), 0.7)
    yield "zeros", numpy.zeros((50, 60))
    yield "affine", numpy.add.outer(numpy.arange(60) * 3, numpy.arange(50))
    yield "eye", numpy.eye(60)
    yield "triangular", numpy.triu(numpy.full((60, 60), -1e9), 1)
    yield "toeplitz", random.standard_normal(119)[numpy.subtract.outer(numpy.arange(60), numpy.arange(60)) + 59]
    yield "one_hot", numpy.eye(70)[random.permutation(70)[:64]]
    labels = random.integers(0, 5, 64)
    yield "label_mask", numpy.where(labels[:, None] == labels[None, :], 0, -100)
    yield "broadcast", numpy.tile(random.standard_normal((1, 60)), (50, 1))
    yield "periodic", numpy.tile(random.standard_normal((10, 12)), (5, 5))
    yield "stretched", numpy.repeat(random.standard_normal((60, 10)), 6, axis=1)
    yield "outer_sum", numpy.add.outer(random.standard_normal(60), random.standard_normal(50)).astype(numpy.float32)
    yield "outer_product", numpy.multiply.outer(random.standard_normal(60), random.standard_normal(50))
    yield "repeated_slices", random.standard_normal((12, 60))[random.integers(0, 12, 50)]
    yield "whole", random.integers(0, 256, (50, 60))
    yield "signed", random.integers(-128, 128, (50, 60))
    yield "two_bytes", random.integers(-30000, 30000, (50, 60))
    yield "float8", (random.integers(8, 16, (50, 60)) / 8.0 * 2.0 ** random.integers(-6, 5, (50, 60))) * random.choice([-1, 1], (50, 60))
    yield "float16", random.standard_normal((50, 60)).astype(numpy.float16)
    brain = random.standard_normal((50, 60)).astype(numpy.float32)
    yield "bfloat16", (brain.view(numpy.uint32) & 0xFFFF0000).view(numpy.float32)
    for levels in 2, 4, 16, 200:
        yield f"palette{levels}", random.standard_normal(levels)[random.integers(0, levels, (60, 62))]
    for name, scale in ("tensor", numpy.float32(0.037)), ("channel", random.uniform(0.01, 0.02, (50, 1)).astype(numpy.float32)):
        for bits in 4, 6, 8:
            yield f"codes_{name}{bits}", random.integers(-2 ** (bits - 1), 2 ** (bits - 1), (50, 66)).astype(numpy.float32) * scale
    yield "blocks", (random.integers(-8, 8, (64, 3, 32)) * random.uniform(0.01, 0.02, (64, 3, 1)).astype(numpy.float32)).reshape(64, 96)
    quantized = random.integers(0, 256, (48, 64)).astype(numpy.float32)
    yield "quantized_once", (quantized - 120) * numpy.float32(0.021)
    yield "quantized_twice", numpy.round((quantized - 120) * 0.021 / 0.0213).astype(numpy.float32).T.copy() * numpy.float32(0.0213)
    for part in 0.005, 0.3:
        yield f"sparse{part}", numpy.where(random.uniform(size=(80, 90)) < part, random.standard_normal((80, 90)), 0)
    yield "large", random.standard_normal((160, 128)) / 16  # for --pack


def integers_to_store(random):
    yield "plain", random.integers(-2 ** 31, 2 ** 31, (30, 40))
    yield "transposed", random.integers(0, 2 ** 31, (30, 40)).T.copy()
    for bits in 3, 7, 8, 15, 16, 31:
        yield f"bits{bits}", random.integers(0, 2 ** bits, (30, 40))
    yield "signed", random.integers(-100, 100, (30, 40))
    yield "affine", numpy.add.outer(numpy.arange(40) * 50, numpy.arange(50))
    yield "splat", numpy.full((40, 40), 7)
    yield "range", numpy.arange(900)
    yield "periodic", numpy.tile(random.integers(0, 2 ** 31, (5, 8)), (6, 6))
    yield "repeated_slices", random.integers(0, 2 ** 31, (6, 40))[random.integers(0, 6, 40)]
    yield "sparse", numpy.where(random.uniform(size=(60, 60)) < 0.02, random.integers(0, 2 ** 31, (60, 60)), 0)
    yield "palette", random.integers(-2 ** 31, 2 ** 31, 9)[random.integers(0, 9, (50, 60))]


def storable(opset, kind=FLOAT, ir_version=None):
    """Each tensor is joined with an input, because Concat takes all types in all opsets."""
    draft = Draft(opset, ir_version, seed=3)
    is_float = kind in TYPE_NAMES
    dtype = numpy.float32 if kind == BRAIN else helper.tensor_dtype_to_np_dtype(kind)
    for name, array in (floats_to_store if is_float else integers_to_store)(draft.random):
        with numpy.errstate(over="ignore"):
            array = array.astype(dtype) if kind != TensorProto.BOOL else array % 3 == 0
        draft.tensor(name, array, kind)
        draft.input(f"in_{name}", kind, [1, *array.shape[1:]])
        draft.node("Concat", [name, f"in_{name}"], f"out_{name}", axis=0)
        draft.output(f"out_{name}", kind, [array.shape[0] + 1, *array.shape[1:]])
    return draft.model()


def all_models(opsets=OPSETS):
    """Names and models: those with layers, whose weights may be rounded, and those for the lossless methods."""
    integers = {TensorProto.INT64: "int64", TensorProto.INT32: "int32", TensorProto.UINT8: "uint8", TensorProto.BOOL: "bool"}
    for opset in opsets:
        kinds = [FLOAT, HALF, DOUBLE] + ([BRAIN] if opset >= 22 else [])
        for kind in kinds:
            yield f"layers_{TYPE_NAMES[kind]}_{opset}", layers(opset, kind)
            yield f"storable_{TYPE_NAMES[kind]}_{opset}", storable(opset, kind)
        if opset >= 13:
            yield f"storable_bfloat16_{opset}", storable(opset, BRAIN)
        for kind, name in integers.items():
            yield f"storable_{name}_{opset}", storable(opset, kind)
        yield f"body_float_{opset}", body(opset)
        if least_ir_version(opset) < 4:  # newer files of old opsets exist as well
            yield f"layers_ir4_{opset}", layers(opset, ir_version=4)
            yield f"storable_ir4_{opset}", storable(opset, ir_version=4)
        yield f"function_float_{opset}", function(opset)
    for opset, other in (17, 13), (13, 17), (18, 13), (22, 21):
        try:
            yield f"function_mixed_{opset}_{other}", function(opset, function_opset=other)
        except Exception as why:  # not valid
            print("skipped", opset, other, str(why)[:100])


if __name__ == "__main__":
    import sys
    from pathlib import Path
    out = Path(sys.argv[1])
    out.mkdir(exist_ok=True, parents=True)
    for name, model in all_models():
        (out / f"{name}.onnx").write_bytes(model.SerializeToString())
