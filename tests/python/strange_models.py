"""Models that nothing was tuned for: twenty architectures with random but realistic weights (channels of different magnitudes, heavy tails),
built with onnx.helper. `build(name, seed)` returns a ModelProto; NAMES lists them."""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


class Net:
    """A graph that grows node by node; values are names."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def name(self):
        return f"v{len(self.nodes)}_{len(self.weights)}"

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value, name, kind=TensorProto.FLOAT):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def constant(self, array):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def weight(self, shape, fan_in, gain=1.0, channel_axis=0):
        """Normally distributed with some heavy tails, and channels of different magnitudes."""
        w = self.random.standard_normal(shape) * numpy.where(self.random.random(shape) < 0.003, 4, 1)
        dims = [1] * len(shape)
        dims[channel_axis] = shape[channel_axis]
        w *= numpy.exp(0.4 * self.random.standard_normal(dims)) * gain / numpy.sqrt(fan_in)
        return self.constant(w.astype(numpy.float32))

    def bias(self, count, size=0.1):
        return self.constant((size * self.random.standard_normal(count)).astype(numpy.float32))

    def op(self, op_type, *inputs, outputs=1, domain="", **attributes):
        made = [f"{op_type}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op_type, list(inputs), made, domain=domain, **attributes))
        return made[0] if outputs == 1 else made

    def conv(self, x, into, out, size=3, stride=1, groups=1, relu=True, dilation=1, axes=2):
        w = self.weight([out, into // groups] + [size] * axes, into // groups * size ** axes, 1.4)
        pad = dilation * (size // 2)
        y = self.op("Conv", x, w, self.bias(out), kernel_shape=[size] * axes, strides=[stride] * axes, pads=[pad] * 2 * axes,
                    group=groups, dilations=[dilation] * axes)
        return self.op("Relu", y) if relu else y

    def up(self, x):
        return self.op("Resize", x, "", self.constant(numpy.array([1, 1, 2, 2], numpy.float32)), mode="nearest",
                       coordinate_transformation_mode="asymmetric")

    def dense(self, x, into, out, bias=True):
        y = self.op("MatMul", x, self.weight([into, out], into, channel_axis=1))
        return self.op("Add", y, self.bias(out)) if bias else y

    def norm(self, x, width):
        scale = self.constant((1 + 0.2 * self.random.standard_normal(width)).astype(numpy.float32))
        return self.op("LayerNormalization", x, scale, self.bias(width), axis=-1)

    def attention(self, x, width, heads, mask=None):
        def split(y):
            y = self.op("Reshape", y, self.constant(numpy.array([0, -1, heads, width // heads], numpy.int64)))
            return y
        q, k, v = (split(self.dense(x, width, width)) for _ in range(3))
        q, v = (self.op("Transpose", y, perm=[0, 2, 1, 3]) for y in (q, v))
        scores = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 2, 3, 1]))
        scores = self.op("Mul", scores, self.constant(numpy.float32((width // heads) ** -0.5)))
        if mask:
            scores = self.op("Add", scores, mask)
        mixed = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.dense(self.op("Reshape", mixed, self.constant(numpy.array([0, -1, width], numpy.int64))), width, width)

    def layer(self, x, width, heads, mask=None):
        x = self.op("Add", x, self.attention(self.norm(x, width), width, heads, mask))
        h = self.dense(self.norm(x, width), width, 4 * width)
        h = self.op("Mul", h, self.op("Sigmoid", self.op("Mul", h, self.constant(numpy.float32(1.702)))))
        return self.op("Add", x, self.dense(h, 4 * width, width))

    def model(self, opset=17, ir_version=8):
        graph = helper.make_graph(self.nodes, "g", self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version)
        model = onnx.shape_inference.infer_shapes(model)  # outputs must have a shape
        del model.graph.value_info[:]
        return model


def detector(net):
    x = net.input("images", [1, 3, 96, 96])
    x = net.conv(net.conv(x, 3, 16, 3, 2), 16, 32, 3, 2)
    a = net.conv(net.conv(x, 32, 48, 3, 2), 48, 48)
    b = net.conv(net.conv(a, 48, 96, 3, 2), 96, 96)
    a = net.conv(net.op("Concat", a, net.up(net.conv(b, 96, 48, 1)), axis=1), 96, 48)
    for name, x, width in (("p3", a, 48), ("p4", b, 96)):
        net.output(net.conv(net.conv(x, width, 32), 32, 4, 1, relu=False), f"boxes_{name}")
        net.output(net.op("Sigmoid", net.conv(net.conv(x, width, 32), 32, 10, 1, relu=False)), f"scores_{name}")
    return net.model()


def inpainting(net):
    image = net.input("image", [1, 3, 64, 64], TensorProto.UINT8)
    mask = net.input("mask", [1, 1, 64, 64], TensorProto.UINT8)
    x = net.op("Sub", net.op("Div", net.op("Cast", image, to=1), net.constant(numpy.float32(127.5))), net.constant(numpy.float32(1)))
    hole = net.op("Cast", net.op("Less", net.op("Cast", mask, to=1), net.constant(numpy.float32(128))), to=1)
    keep = net.op("Sub", net.constant(numpy.float32(1)), hole)
    x = net.op("Concat", net.op("Mul", x, keep), hole, axis=1)
    a = net.conv(x, 4, 24)
    b = net.conv(net.conv(a, 24, 48, 3, 2), 48, 48)
    c = net.conv(net.conv(b, 48, 96, 3, 2), 96, 96)
    b = net.conv(net.op("Concat", b, net.up(net.conv(c, 96, 48, 1)), axis=1), 96, 48)
    a = net.conv(net.op("Concat", a, net.up(net.conv(b, 48, 24, 1)), axis=1), 48, 24)
    y = net.op("Tanh", net.conv(a, 24, 3, relu=False))
    y = net.op("Add", net.op("Mul", y, net.constant(numpy.float32(127.5))), net.constant(numpy.float32(127.5)))
    y = net.op("Add", net.op("Mul", net.op("Cast", image, to=1), keep), net.op("Mul", y, hole))
    y = net.op("Clip", net.op("Round", y), net.constant(numpy.float32(0)), net.constant(numpy.float32(255)))
    net.output(net.op("Cast", y, to=TensorProto.UINT8), "result", TensorProto.UINT8)
    return net.model()


def ocr(net):
    x = net.input("x", [1, 1, 32, 128])
    x = net.conv(net.conv(x, 1, 24, 3, 2), 24, 48, 3, 2)
    x = net.conv(net.conv(x, 48, 64), 64, 64)
    x = net.op("ReduceMean", x, axes=[2], keepdims=0)
    x = net.op("Transpose", x, perm=[2, 0, 1])
    for width in (64, 128):
        hidden = 64
        w = net.weight([2, 4 * hidden, width], width, channel_axis=1)
        r = net.weight([2, 4 * hidden, hidden], hidden, channel_axis=1)
        y = net.op("LSTM", x, w, r, net.constant((0.1 * net.random.standard_normal((2, 8 * hidden))).astype(numpy.float32)), outputs=3,
                   hidden_size=hidden, direction="bidirectional")[0]
        x = net.op("Reshape", net.op("Transpose", y, perm=[0, 2, 1, 3]), net.constant(numpy.array([0, 0, 2 * hidden], numpy.int64)))
    net.output(net.op("Softmax", net.dense(x, 128, 200), axis=-1), "probabilities")
    return net.model()


def encoder(net, width=96, heads=4, layers=3):
    ids = net.input("input_ids", ["batch", "length"], TensorProto.INT64)
    mask = net.input("attention_mask", ["batch", "length"], TensorProto.INT64)
    x = net.norm(net.op("Gather", net.weight([2000, width], 1), ids), width)
    bias = net.op("Mul", net.op("Sub", net.constant(numpy.float32(1)), net.op("Cast", mask, to=1)), net.constant(numpy.float32(-10000)))
    bias = net.op("Unsqueeze", bias, net.constant(numpy.array([1, 2], numpy.int64)))
    for _ in range(layers):
        x = net.layer(x, width, heads, bias)
    net.output(net.norm(x, width), "last_hidden_state")
    pooled = net.op("Gather", x, net.constant(numpy.int64(0)), axis=1)
    net.output(net.op("Tanh", net.dense(pooled, width, width)), "pooled")
    return net.model()


def audio(net, hidden=96):
    x = net.input("audio", [1, 2048])
    state = net.input("state", [1, 1, hidden])
    x = net.op("Unsqueeze", x, net.constant(numpy.array([1], numpy.int64)))
    x = net.op("Conv", x, net.weight([64, 1, 256], 40), strides=[64], kernel_shape=[256])
    x = net.op("Log", net.op("Add", net.op("Mul", x, x), net.constant(numpy.float32(1e-3))))
    x = net.conv(net.conv(x, 64, hidden, 3, 1, axes=1), hidden, hidden, 3, 2, axes=1)
    x = net.op("Transpose", x, perm=[2, 0, 1])
    y, last = net.op("GRU", x, net.weight([1, 3 * hidden, hidden], hidden, channel_axis=1),
                     net.weight([1, 3 * hidden, hidden], hidden, channel_axis=1), net.bias([1, 6 * hidden]), "", state, outputs=2,
                     hidden_size=hidden, linear_before_reset=1)
    y = net.op("Squeeze", y, net.constant(numpy.array([1], numpy.int64)))
    net.output(net.op("Sigmoid", net.dense(y, hidden, 8)), "speech")
    net.output(last, "next_state")
    return net.model()


def lines(net):
    """A large dynamic range: scores, offsets in pixels, and lengths that are exponentials."""
    x = net.input("input", [1, 96, 96, 4])
    x = net.op("Transpose", net.op("Mul", x, net.constant(numpy.float32(2))), perm=[0, 3, 1, 2])
    x = net.conv(net.conv(x, 4, 24, 3, 2), 24, 32)
    y = net.conv(net.conv(x, 32, 64, 3, 2), 64, 64, 3, dilation=2)
    x = net.op("Add", x, net.up(net.conv(y, 64, 32, 1)))
    x = net.conv(x, 32, 32)
    net.output(net.op("Mul", net.conv(x, 32, 4, 1, relu=False), net.constant(numpy.float32(100))), "offsets")
    net.output(net.op("Sigmoid", net.conv(x, 32, 1, 1, relu=False)), "scores")
    net.output(net.op("Exp", net.conv(x, 32, 2, 1, relu=False)), "lengths")
    return net.model()


def mobile(net):
    x = net.conv(net.input("x", [1, 3, 64, 64]), 3, 16, 3, 2, relu=False)
    x = net.op("HardSwish", x)
    for into, out, stride in ((16, 24, 2), (24, 24, 1), (24, 40, 2), (40, 40, 1), (40, 80, 2), (80, 80, 1)):
        h = net.op("HardSwish", net.conv(x, into, 4 * into, 1, relu=False))
        h = net.op("HardSwish", net.conv(h, 4 * into, 4 * into, 5, stride, groups=4 * into, relu=False))
        s = net.conv(net.conv(net.op("GlobalAveragePool", h), 4 * into, into, 1), into, 4 * into, 1, relu=False)
        h = net.conv(net.op("Mul", h, net.op("HardSigmoid", s)), 4 * into, out, 1, relu=False)
        x = net.op("Add", x, h) if into == out and stride == 1 else h
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    net.output(net.op("Gemm", x, net.weight([100, 80], 80), net.bias(100), transB=1), "logits")
    return net.model()


def residual(net, opset=9):
    def bn(x, width):
        draw = lambda low, high: net.constant(net.random.uniform(low, high, width).astype(numpy.float32))
        return net.op("BatchNormalization", x, draw(0.3, 1.2), draw(-0.3, 0.3), draw(-0.5, 0.5), draw(0.5, 2))
    x = net.op("Relu", bn(net.conv(net.input("data", [1, 3, 64, 64]), 3, 24, 7, 2, relu=False), 24))
    for into, out, stride in ((24, 24, 1), (24, 48, 2), (48, 96, 2)):
        h = net.op("Relu", bn(net.conv(x, into, out, 3, stride, relu=False), out))
        h = bn(net.conv(h, out, out, 3, 1, relu=False), out)
        skip = x if into == out else bn(net.conv(x, into, out, 1, stride, relu=False), out)
        x = net.op("Relu", net.op("Add", h, skip))
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    net.output(net.op("Gemm", x, net.weight([50, 96], 96), net.bias(50), transB=1), "logits")
    return net.model(opset, 4)


def style(net):
    def block(x, into, out, stride):
        pad = net.constant(numpy.array([0, 0, 1, 1, 0, 0, 1, 1], numpy.int64))
        x = net.op("Pad", x, pad, mode="reflect")
        x = net.op("Conv", x, net.weight([out, into, 3, 3], into * 9), net.bias(out), kernel_shape=[3, 3], strides=[stride] * 2)
        scale = net.constant((1 + 0.2 * net.random.standard_normal(out)).astype(numpy.float32))
        return net.op("Relu", net.op("InstanceNormalization", x, scale, net.bias(out)))
    x = block(block(net.input("content", [1, 3, 64, 64]), 3, 24, 1), 24, 48, 2)
    for _ in range(2):
        x = net.op("Add", x, block(x, 48, 48, 1))
    x = block(net.up(x), 48, 24, 1)
    net.output(net.op("Mul", net.conv(x, 24, 3, relu=False), net.constant(numpy.float32(150))), "stylized")
    return net.model()


def segmenter(net):
    x = net.conv(net.conv(net.input("pixel_values", [1, 3, 64, 64]), 3, 24, 3, 2), 24, 48, 3, 2)
    parts = [net.conv(x, 48, 32, 3, dilation=d) for d in (1, 2, 4)]
    x = net.conv(net.op("Concat", *parts, axis=1), 96, 48, 1)
    x = net.conv(net.up(net.up(x)), 48, 2, 1, relu=False)
    net.output(net.op("Sigmoid", net.op("Sub", x, net.constant(numpy.float32(3)))), "masks")
    return net.model()


def vision_transformer(net, width=96):
    x = net.op("Conv", net.input("pixels", [1, 3, 64, 64]), net.weight([width, 3, 8, 8], 192), net.bias(width), kernel_shape=[8, 8], strides=[8, 8])
    x = net.op("Transpose", net.op("Reshape", x, net.constant(numpy.array([0, width, -1], numpy.int64))), perm=[0, 2, 1])
    x = net.op("Add", x, net.constant((0.1 * net.random.standard_normal((1, 64, width))).astype(numpy.float32)))
    for _ in range(3):
        x = net.layer(x, width, 4)
    net.output(net.dense(net.op("ReduceMean", net.norm(x, width), axes=[1], keepdims=0), width, 100), "logits")
    return net.model()


def branches(net, width=96):
    x = net.input("x", [1, width])
    rate = net.input("sr", [], TensorProto.INT64)
    which = net.op("Equal", rate, net.constant(numpy.int64(16000)))

    def branch(name):
        weights = [numpy_helper.from_array((net.random.standard_normal((width, width)) / numpy.sqrt(width)).astype(numpy.float32), f"{name}_{i}")
                   for i in range(2)]
        nodes = [helper.make_node("MatMul", [x, f"{name}_0"], [f"{name}_a"]), helper.make_node("Relu", [f"{name}_a"], [f"{name}_b"]),
                 helper.make_node("MatMul", [f"{name}_b", f"{name}_1"], [f"{name}_y"])]
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(f"{name}_y", 1, [1, width])], weights)
    y = net.op("If", which, then_branch=branch("wide"), else_branch=branch("narrow"))
    net.output(net.dense(net.op("Relu", y), width, 32), "y")
    return net.model()


def upsampler(net):
    x = net.op("Reshape", net.dense(net.input("z", [1, 64]), 64, 64 * 16), net.constant(numpy.array([1, 64, 4, 4], numpy.int64)))
    for into, out in ((64, 48), (48, 32), (32, 16)):
        x = net.op("ConvTranspose", x, net.weight([into, out, 4, 4], into * 4, channel_axis=1), net.bias(out), kernel_shape=[4, 4], strides=[2, 2],
                   pads=[1, 1, 1, 1])
        x = net.op("LeakyRelu", x, alpha=0.2)
    net.output(net.op("Tanh", net.conv(x, 16, 3, relu=False)), "image")
    return net.model()


def recommender(net):
    user, item = (net.input(name, ["n"], TensorProto.INT64) for name in ("user", "item"))
    price = net.input("features", ["n", 12])
    x = net.op("Concat", net.op("Gather", net.weight([1500, 48], 1), user), net.op("Gather", net.weight([800, 48], 1), item), price, axis=1)
    x = net.op("Relu", net.dense(x, 108, 128))
    x = net.op("Relu", net.dense(x, 128, 64))
    net.output(net.op("Sigmoid", net.dense(x, 64, 1)), "score")
    return net.model()


def voice(net):
    """A probability from sound, with a state that is fed back: its only output number is near zero for some inputs."""
    x = net.input("input", [1, 256])
    h, c = (net.input(name, [1, 1, 32]) for name in ("h", "c"))
    x = net.op("Unsqueeze", x, net.constant(numpy.array([1], numpy.int64)))
    x = net.conv(x, 1, 32, 15, 8, axes=1)
    x = net.conv(net.op("Log", net.op("Add", net.op("Abs", x), net.constant(numpy.float32(0.001)))), 32, 48, 3, 2, axes=1)
    x = net.op("Transpose", x, perm=[2, 0, 1])
    w, r = net.weight([1, 128, 48], 48, channel_axis=1), net.weight([1, 128, 32], 32, channel_axis=1)
    _, hn, cn = net.op("LSTM", x, w, r, "", "", h, c, outputs=3, hidden_size=32)
    y = net.op("Reshape", hn, net.constant(numpy.array([1, 32], numpy.int64)))
    net.output(net.op("Sigmoid", net.op("Mul", net.dense(y, 32, 1), net.constant(numpy.float32(5)))), "probability")
    net.output(hn, "hn")
    net.output(cn, "cn")
    return net.model()


def noisy(net):
    """Draws random numbers while it runs, as speech synthesis does."""
    x = net.input("mel", [1, 40, 64])
    x = net.conv(net.conv(x, 40, 96, 3, axes=1), 96, 96, 3, axes=1)
    x = net.op("Add", x, net.op("Mul", net.op("RandomNormalLike", x), net.constant(numpy.float32(0.3))))
    net.output(net.op("Tanh", net.conv(x, 96, 16, 3, axes=1, relu=False)), "wave")
    return net.model()


def keypoints(net):
    """Heat maps of a face, in the style of small networks for phones: PRelu, depthwise convolutions, no bias at the end."""
    def prelu(x, width):
        return net.op("PRelu", x, net.constant(net.random.uniform(0.05, 0.4, (width, 1, 1)).astype(numpy.float32)))
    x = prelu(net.conv(net.input("face", [1, 3, 64, 64]), 3, 24, 3, 2, relu=False), 24)
    for _ in range(3):
        h = net.conv(net.conv(x, 24, 24, 3, groups=24, relu=False), 24, 24, 1, relu=False)
        x = prelu(net.op("Add", x, h), 24)
    x = prelu(net.conv(x, 24, 64, 3, 2, relu=False), 64)
    x = net.conv(net.up(x), 64, 32, relu=False)
    net.output(net.op("MatMul", net.op("Transpose", x, perm=[0, 2, 3, 1]), net.weight([32, 17], 32, channel_axis=1)), "heatmaps")
    flat = net.op("Flatten", net.op("GlobalMaxPool", x))
    net.output(net.op("Sigmoid", net.dense(flat, 32, 17)), "visible")
    return net.model()


def spotter(net):
    """One of 35 words, from the spectrum of a second of sound."""
    x = net.conv(net.input("mfcc", [1, 1, 49, 40]), 1, 48, 5, 2)
    for _ in range(4):
        x = net.conv(net.conv(x, 48, 48, 3, groups=48), 48, 48, 1)
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    net.output(net.op("Softmax", net.op("Gemm", x, net.weight([35, 48], 12), net.bias(35), transB=1), axis=-1), "words")
    return net.model()


def denoiser(net):
    """Sound in, sound out."""
    x = net.input("noisy", [1, 1, 1024])
    a = net.op("LeakyRelu", net.conv(x, 1, 24, 9, 2, axes=1, relu=False), alpha=0.1)
    b = net.op("LeakyRelu", net.conv(a, 24, 48, 9, 2, axes=1, relu=False), alpha=0.1)
    c = net.op("Tanh", net.conv(b, 48, 64, 9, axes=1, relu=False))
    gate = net.op("Sigmoid", net.conv(b, 48, 64, 9, axes=1, relu=False))
    y = net.op("Mul", c, gate)
    for into, out, skip in ((64, 24, a), (24, 1, x)):
        y = net.op("ConvTranspose", y, net.weight([into, out, 4], into * 2, channel_axis=1), net.bias(out, 0.02), kernel_shape=[4], strides=[2], pads=[1, 1])
        y = net.op("Add", y, skip)
    net.output(y, "clean")
    return net.model()


def translator(net, width=64):
    """A step of a decoder: reads the text so far and the encoder's result for the other language."""
    ids = net.input("decoder_ids", ["batch", "said"], TensorProto.INT64)
    memory = net.input("memory", ["batch", "heard", width])
    x = net.norm(net.op("Gather", net.weight([600, width], 1), ids), width)
    for _ in range(2):
        x = net.layer(x, width, 4)
        q = net.dense(net.norm(x, width), width, width)
        scores = net.op("MatMul", q, net.op("Transpose", net.dense(memory, width, width), perm=[0, 2, 1]))
        scores = net.op("Mul", scores, net.constant(numpy.float32(width ** -0.5)))
        x = net.op("Add", x, net.op("MatMul", net.op("Softmax", scores, axis=-1), net.dense(memory, width, width)))
    net.output(net.dense(net.norm(x, width), width, 600), "logits")
    return net.model()


def synthesizer(net, width=768, layers=6):
    """Speech from text: 83 million weights, as in the largest models that people run on their own machines, to measure time."""
    ids = net.input("tokens", [1, "length"], TensorProto.INT64)
    style = net.input("style", [1, 256])
    x = net.norm(net.op("Gather", net.weight([178, width], 1), ids), width)
    for _ in range(layers):
        x = net.layer(x, width, 12)
    x = net.op("Add", x, net.op("Unsqueeze", net.dense(style, 256, width), net.constant(numpy.array([1], numpy.int64))))
    x, hidden = net.op("Transpose", x, perm=[1, 0, 2]), 512
    for into in (width, 2 * hidden):
        w, r = (net.weight([2, 4 * hidden, size], size, channel_axis=1) for size in (into, hidden))
        x = net.op("LSTM", x, w, r, net.bias([2, 8 * hidden]), hidden_size=hidden, direction="bidirectional", outputs=1)
        x = net.op("Reshape", net.op("Transpose", x, perm=[0, 2, 1, 3]), net.constant(numpy.array([0, 0, 2 * hidden], numpy.int64)))
    net.output(net.op("Exp", net.dense(x, 2 * hidden, 1)), "durations")
    x = net.op("Transpose", x, perm=[1, 2, 0])
    for _ in range(3):
        h = net.conv(net.conv(x, 1024, 1024, 3, axes=1), 1024, 1024, 3, axes=1, relu=False)
        x = net.op("Relu", net.op("Add", x, h))
    for into, out in ((1024, 512), (512, 256)):
        x = net.op("ConvTranspose", x, net.weight([into, out, 8], into * 2, channel_axis=1), net.bias(out), kernel_shape=[8], strides=[4], pads=[2, 2])
        x = net.op("LeakyRelu", net.op("Add", x, net.conv(x, out, out, 7, axes=1)), alpha=0.1)
    net.output(net.op("Tanh", net.conv(x, 256, 1, 7, axes=1, relu=False)), "wave")
    return net.model()


BUILDERS = {"detector": detector, "inpainting": inpainting, "ocr": ocr, "encoder": encoder, "audio": audio, "lines": lines, "mobile": mobile,
            "residual": residual, "style": style, "segmenter": segmenter, "vision_transformer": vision_transformer, "branches": branches,
            "upsampler": upsampler, "recommender": recommender, "noisy": noisy, "voice": voice, "keypoints": keypoints, "spotter": spotter,
            "denoiser": denoiser, "translator": translator, "synthesizer": synthesizer}
NAMES = list(BUILDERS)[:-1]  # the last one is large


def build(name, seed=1):
    return BUILDERS[name](Net(seed * 1000 + list(BUILDERS).index(name)))
