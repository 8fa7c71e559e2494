"""Builds small language models with caches, as exporters write them: 2 layers, 2 heads, names as in real files."""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

HEADS, WIDTH, VOCABULARY = 2, 8, 50
HIDDEN = HEADS * WIDTH
PAST = "past_sequence_length"


class Builder:
    def __init__(self):
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []
        self.random = numpy.random.default_rng(0)

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(numpy.array(value), name))
        return name

    def weight(self, name, *shape):
        return self.constant(name, self.random.standard_normal(shape).astype(numpy.float32) * numpy.float32(0.2))

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"/{output}", **attributes))
        return output

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, shape):
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def heads(self, x, name):
        """The new rows of a layer, by head."""
        flat = self.node("MatMul", [x, self.weight(f"{name}.weight", HIDDEN, HIDDEN)], f"{name}.flat")
        return self.node("Transpose", [self.node("Reshape", [flat, "split"], f"{name}.split")], name, perm=[0, 2, 1, 3])

    def with_past(self, new, name):
        past = self.input(f"past_key_values.{name}", TensorProto.FLOAT, ["batch_size", HEADS, PAST, WIDTH])
        self.output(f"present.{name}", ["batch_size", HEADS, None, WIDTH])
        return self.node("Concat", [past, new], f"present.{name}", axis=2)

    def mask(self, scores, name, strict):
        """Adds -10,000 to the scores of masked tokens. A strict mask must have the length of the scores; another one may have length 1."""
        bias = "mask.bias"
        if strict:
            bias = self.node("Reshape", [bias, self.node("Concat", ["row", self.node("Shape", [scores], f"{name}.length", start=3)],
                                                         f"{name}.shape", axis=0)], f"{name}.bias")
        return self.node("Add", [scores, bias], name)


def cached_decoder(total="total_sequence_length", sequence="sequence_length", strict=True, layers=2):
    """`total` is the dim of attention_mask, `sequence` that of input_ids: a name, or 1 for a model that takes one token at a time."""
    b = Builder()
    b.constant("split", [0, 0, HEADS, WIDTH]), b.constant("join", [0, 0, HIDDEN]), b.constant("axes", [1, 2])
    b.constant("row", [0, 1, 1]), b.constant("one", numpy.float32(1)), b.constant("low", numpy.float32(-1e4))
    x = b.node("Gather", [b.weight("embedding", VOCABULARY, HIDDEN), b.input("input_ids", TensorProto.INT64, ["batch_size", sequence])], "x0")
    mask = b.node("Cast", [b.input("attention_mask", TensorProto.INT64, ["batch_size", total])], "mask.float", to=TensorProto.FLOAT)
    b.node("Mul", [b.node("Sub", ["one", b.node("Unsqueeze", [mask, "axes"], "mask.4d")], "mask.not"), "low"], "mask.bias")
    b.output("logits", ["batch_size", sequence, VOCABULARY])
    for i in range(layers):
        query, key, value = (b.heads(x, f"{i}.{what}") for what in ("query", "key", "value"))
        key, value = b.with_past(key, f"{i}.key"), b.with_past(value, f"{i}.value")
        scores = b.node("MatMul", [query, b.node("Transpose", [key], f"{i}.turned", perm=[0, 1, 3, 2])], f"{i}.scores")
        shares = b.node("Softmax", [b.mask(scores, f"{i}.masked", strict)], f"{i}.shares", axis=-1)
        seen = b.node("Transpose", [b.node("MatMul", [shares, value], f"{i}.seen")], f"{i}.back", perm=[0, 2, 1, 3])
        out = b.node("MatMul", [b.node("Reshape", [seen, "join"], f"{i}.joined"), b.weight(f"{i}.out.weight", HIDDEN, HIDDEN)], f"{i}.out")
        x = b.node("Add", [x, out], f"x{i + 1}")
    b.node("MatMul", [x, b.weight("head", HIDDEN, VOCABULARY)], "logits")
    graph = helper.make_graph(b.nodes, "decoder", b.inputs, b.outputs, b.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model
