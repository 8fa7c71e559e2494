"""Random graphs made of what the rewrites of `optimize` look for: layers with what can be folded into them, chains of views, casts and
bounds, shapes that are computed, activations in many nodes, bodies. Each pattern comes complete and with something wrong: another axis,
a second user, a constant that widens the shape.
"""
import importlib.machinery
import importlib.util
from pathlib import Path


def load_random_graphs():
    path = Path(__file__).resolve().parents[2] / "scripts/random_graphs"
    loader = importlib.machinery.SourceFileLoader("random_graphs", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("random_graphs", loader))
    loader.exec_module(module)
    return module


Builder = load_random_graphs().Builder
OPSETS = [18, 18, 20, 21, 23]


class PatternBuilder(Builder):
    def shape(self):
        if self.rng.random() < 0.4:
            return [self.rng.choice([1, 2]), self.rng.choice([2, 4]), self.rng.choice([4, 5]), self.rng.choice([4, 6])]
        return super().shape()

    def numbers(self, shape):
        """Zeros of both signs, and numbers that are large or exact, among the usual ones."""
        special = [0.0, -0.0, 1.0, -1.0, 0.5, 100.0]
        flat = [self.rng.choice(special) if self.rng.random() < 0.1 else self.rng.uniform(-2, 2) for _ in range(self.volume(shape))]
        return self.np.array(flat).reshape(shape)

    def floats(self, *shape, low=None):
        array = self.numbers(shape).astype("float32")
        return self.constant(array if low is None else self.np.abs(array) + self.np.float32(low))

    def scalar(self, number, rank=0, dtype="float32"):
        return self.constant(self.np.full([1] * rank, number, dtype))

    def maybe(self, chance=0.5):
        return self.rng.random() < chance

    def images(self):
        """A value that a Conv can take."""
        x = self.pick("float32", rank=4)
        return x if x and x.array.size and x.array.shape[2] >= 3 and x.array.shape[3] >= 3 else None

    def parameter(self, shape):
        """A constant for the channels of an image: as it should be, or for another axis, or of one element."""
        channels, width = shape[1], shape[-1]
        kinds = [[channels, 1, 1], [1, channels, 1, 1], [1], [], [1, 1, 1], [1, 1, 1, 1], [width], [channels], [1, channels, 1, width]]
        dims = self.rng.choice(kinds)
        try:
            self.np.broadcast_shapes(shape, dims)
        except ValueError:
            dims = [channels, 1, 1]
        return self.floats(*dims)

    def arithmetic(self, x, op=None):
        """x op constant, or constant op x."""
        c = self.parameter(x.array.shape) if x.array.ndim == 4 else self.floats(*self.rng.choice([[], [1], [x.array.shape[-1]] if x.array.ndim else []]))
        op = op or self.rng.choice(["Add", "Mul", "Sub", "Div"])
        operands = [x, c] if op in ("Div",) or self.maybe(0.7) else [c, x]
        if op == "Div":
            c = operands[1] = self.scalar(self.rng.choice([2, 0.5, 3]), self.rng.choice([0, 1]))
        return self.node(op, operands, x.array + c.array, False)

    def batch_normalization(self, x):
        if x.array.ndim < 2:
            return x
        c = x.array.shape[1]
        attributes = {} if self.maybe() else {"epsilon": 1e-3}
        return self.node("BatchNormalization", [x, self.floats(c), self.floats(c), self.floats(c), self.floats(c, low=0.1)], x.array, False, **attributes)

    # --- layers

    def conv_chain(self):
        x = self.images()
        if not x:
            return
        if self.maybe(0.3):
            x = self.padded(x)
        if self.maybe(0.3):
            x = self.rng.choice([self.batch_normalization, self.arithmetic])(x)
        channels = x.array.shape[1]
        group = channels if self.maybe(0.2) else 1
        out = group * self.rng.choice([1, 2, 3])
        pads = self.rng.choice([[0] * 4, [1] * 4, [0, 1, 1, 0]])
        transposed = self.maybe(0.2)
        kernel = self.rng.choice([[1, 1], [2, 2], [3, 3], [1, 3]])
        h, w = x.array.shape[2] + pads[0] + pads[2] - kernel[0] + 1, x.array.shape[3] + pads[1] + pads[3] - kernel[1] + 1
        if transposed:
            pads = [0] * 4
            h, w = x.array.shape[2] + kernel[0] - 1, x.array.shape[3] + kernel[1] - 1
        if h < 1 or w < 1:
            return
        weights = self.floats(channels, out // group, *kernel) if transposed else self.floats(out, channels // group, *kernel)
        operands = [x, weights] + ([self.floats(out)] if self.maybe() else [])
        y = self.node("ConvTranspose" if transposed else "Conv", operands, self.np.zeros([x.array.shape[0], out, h, w], "float32"), False,
                      pads=pads, group=group)
        for _ in range(self.rng.randint(0, 3)):
            step = self.rng.choice([self.batch_normalization, self.arithmetic, self.arithmetic, self.activation])
            y = step(y)
            if y.array.ndim != 4 or y.array.size > 4000:
                return

    def padded(self, x):
        before = [self.rng.choice([0, 0, 1]) if self.maybe(0.8) and i > 1 else self.rng.choice([0] * 9 + [1]) for i in range(x.array.ndim)]
        after = [self.rng.choice([0, 1]) if i > 1 else 0 for i in range(x.array.ndim)]
        operands = [x, self.ints(*before, *after)]
        if self.maybe():
            operands.append(self.scalar(self.rng.choice([0, 0, -0.0, 1])))
        mode = self.rng.choice(["constant"] * 4 + ["edge", "reflect"])
        return self.node("Pad", operands[:2] if mode != "constant" else operands, self.np.pad(x.array, list(zip(before, after))), x.exact, mode=mode)

    def pad_pool(self):
        x = self.images()
        if not x:
            return
        if self.maybe(0.3):
            x = self.node("Relu", [x], x.array, x.exact)
        x = self.padded(x)
        if x.array.size == 0:
            return
        op = self.rng.choice(["MaxPool", "AveragePool"])
        attributes = {"count_include_pad": self.rng.randint(0, 1)} if op == "AveragePool" else {}
        h, w = x.array.shape[2] - 1, x.array.shape[3] - 1
        self.node(op, [x], self.np.zeros([*x.array.shape[:2], h, w], "float32"), op == "MaxPool" and x.exact, kernel_shape=[2, 2], **attributes)

    def matmul_chain(self):
        x = self.pick("float32", least_rank=2)
        if not x or x.array.size == 0:
            return
        n = self.rng.choice([1, 3, x.array.shape[-1]])
        w = self.floats(x.array.shape[-1], n) if self.maybe(0.7) else self.floats(n, x.array.shape[-1])
        if w.array.shape[0] != x.array.shape[-1]:
            w = self.node("Transpose", [w], w.array.T, True, perm=[1, 0])
        y = self.node("MatMul", [x, w], x.array @ w.array, False)
        for _ in range(self.rng.randint(0, 3)):
            kind = self.rng.choice(["Add", "Mul", "act", "scalar"])
            if kind == "act":
                y = self.activation(y)
                continue
            c = self.floats(*self.rng.choice([[n], [1], [], [1, n], list(y.array.shape)])) if kind != "scalar" else self.scalar(0.5)
            y = self.node("Mul" if kind == "scalar" else kind, [y, c] if self.maybe() else [c, y], y.array + c.array, False)

    def gemm_chain(self):
        x = self.pick("float32", rank=2)
        if not x or x.array.size == 0:
            return
        transposed = self.maybe(0.3)
        if self.maybe(0.3):
            x = self.node("Transpose", [x], x.array.T, x.exact, perm=[1, 0])
        k = x.array.shape[0] if transposed else x.array.shape[1]
        m = x.array.shape[1] if transposed else x.array.shape[0]
        n = self.rng.choice([1, 3])
        trans_b = self.rng.randint(0, 1)
        w = self.floats(n, k) if trans_b else self.floats(k, n)
        operands = [x, w] + ([self.floats(*self.rng.choice([[n], [1], [], [m, 1], [m, n]]))] if self.maybe() else [])
        y = self.node("Gemm", operands, self.np.zeros([m, n], "float32"), False, transA=int(transposed), transB=trans_b,
                      alpha=self.rng.choice([1.0, 0.5]), beta=self.rng.choice([1.0, 2.0]))
        for _ in range(self.rng.randint(0, 2)):
            y = self.rng.choice([self.batch_normalization, self.arithmetic, self.activation])(y)

    def attention(self):
        b, h, s, d = self.rng.choice([(1, 2, 3, 4), (2, 1, 4, 2)])
        x = self.pick("float32")
        if not x or x.array.size == 0:
            return
        flat = self.node("Reshape", [x, self.ints(-1)], x.array.reshape(-1), x.exact)
        tiles = self.node("Tile", [flat, self.ints(b * s * h * d)], self.np.tile(flat.array, b * s * h * d), x.exact)
        cut = self.node("Slice", [tiles, self.ints(0), self.ints(b * s * h * d)], tiles.array[:b * s * h * d], x.exact)
        whole = self.node("Reshape", [cut, self.ints(b, s, h * d)], cut.array.reshape(b, s, h * d), x.exact)
        heads = []
        for _ in range(3):
            y = self.node("MatMul", [whole, self.floats(h * d, h * d)], whole.array, False)
            if self.maybe():
                y = self.node("Add", [y, self.floats(h * d)], y.array, False)
            y = self.node("Reshape", [y, self.ints(0, 0, h, d) if self.maybe() else self.ints(b, s, h, d)], y.array.reshape(b, s, h, d), False)
            heads.append(self.node("Transpose", [y], y.array.transpose(0, 2, 1, 3), False, perm=[0, 2, 1, 3]))
        q, k, v = heads
        kt = self.node("Transpose", [k], k.array.swapaxes(2, 3), False, perm=[0, 1, 3, 2])
        scores = self.node("MatMul", [q, kt], q.array @ kt.array, False)
        scores = self.node("Div", [scores, self.scalar(d ** 0.5)], scores.array, False) if self.maybe() else \
            self.node("Mul", [scores, self.scalar(d ** -0.5)], scores.array, False)
        if self.maybe():
            scores = self.node("Add", [scores, self.floats(s, s)], scores.array, False)
        weights = self.node("Softmax", [scores], scores.array, False, axis=self.rng.choice([-1, -1, -1, 2]))
        y = self.node("MatMul", [weights, v], weights.array @ v.array, False)
        y = self.node("Transpose", [y], y.array.transpose(0, 2, 1, 3), False, perm=[0, 2, 1, 3])
        self.node("Reshape", [y, self.ints(b, s, h * d)], y.array.reshape(b, s, h * d), False)

    # --- activations and norms, as exporters write them

    def activation(self, x=None):
        x = x or self.pick("float32")
        if not x or x.array.size == 0:
            return x
        return self.rng.choice([self.gelu, self.tanh_gelu, self.swish, self.mish, self.hard_swish, self.log_softmax, self.relu_like])(x)

    def relu_like(self, x):
        return self.node(self.rng.choice(["Relu", "LeakyRelu", "Sigmoid", "Tanh", "Clip"]), [x], x.array, False)

    def gelu(self, x):
        e = self.node("Div", [x, self.scalar(2 ** 0.5)], x.array, False) if self.maybe() else self.node("Mul", [x, self.scalar(0.5 ** 0.5)], x.array, False)
        e = self.node("Erf", [e], x.array, False)
        e = self.node("Add", [e, self.scalar(self.rng.choice([1, 1, 1, 0.9]))], x.array, False)
        if self.maybe():
            return self.node("Mul", [self.node("Mul", [x, e], x.array, False), self.scalar(0.5)], x.array, False)
        return self.node("Mul", [self.node("Mul", [x, self.scalar(0.5)], x.array, False), e], x.array, False)

    def tanh_gelu(self, x):
        cube = self.node("Pow", [x, self.scalar(3)], x.array, False) if self.maybe() else \
            self.node("Mul", [x, self.node("Mul", [x, x], x.array, False)], x.array, False)
        inner = self.node("Add", [x, self.node("Mul", [cube, self.scalar(0.044715)], x.array, False)], x.array, False)
        t = self.node("Tanh", [self.node("Mul", [inner, self.scalar(0.7978845608)], x.array, False)], x.array, False)
        t = self.node("Add", [t, self.scalar(1)], x.array, False)
        return self.node("Mul", [self.node("Mul", [x, self.scalar(0.5)], x.array, False), t], x.array, False)

    def swish(self, x):
        inner = x if self.maybe() else self.node("Mul", [x, self.scalar(1.702)], x.array, False)
        s = self.node("Sigmoid", [inner], x.array, False)
        return self.node("Mul", [x, s] if self.maybe() else [s, x], x.array, False)

    def mish(self, x):
        return self.node("Mul", [x, self.node("Tanh", [self.node("Softplus", [x], x.array, False)], x.array, False)], x.array, False)

    def hard_swish(self, x):
        if self.maybe():
            return self.node("Mul", [x, self.node("HardSigmoid", [x], x.array, False, alpha=self.rng.choice([1 / 6, 0.2]), beta=0.5)], x.array, False)
        y = self.node("Add", [x, self.scalar(3)], x.array, False)
        y = self.node("Clip", [y, self.scalar(0), self.scalar(6)], x.array, False)
        y = self.node("Mul", [x, y], x.array, False)
        return self.node("Div", [y, self.scalar(6)], x.array, False)

    def log_softmax(self, x):
        if x.array.ndim == 0:
            return x
        x = self.node("Tanh", [x], x.array, False)  # of what is far apart, Log gives minus infinity and LogSoftmax a number
        s = self.node("Softmax", [x], x.array, False, **({"axis": self.rng.randrange(-1, x.array.ndim)} if self.maybe() else {}))
        return self.node("Log", [s], x.array, False)

    def norm(self):
        """LayerNormalization, RMSNormalization, InstanceNormalization or L2, with and without scale, on the last axis or another."""
        x = self.pick("float32", least_rank=2)
        if not x or x.array.size == 0:
            return
        axis = -1 if self.maybe(0.8) else 1
        n = x.array.shape[axis]
        axes = self.ints(axis)
        centred, narrow = x, x.array.sum(axis, keepdims=True)
        if self.maybe(0.6):
            mean = self.node("ReduceMean", [x, axes], narrow, False)
            centred = self.node("Sub", [x, mean], x.array, False)
        square = self.node("Pow", [centred, self.scalar(2)], x.array, False) if self.maybe() else self.node("Mul", [centred, centred], x.array, False)
        variance = self.node("ReduceMean", [square, axes], narrow, False)
        variance = self.node("Add", [variance, self.scalar(self.rng.choice([1e-5, 1e-3]), self.rng.choice([0, 1]))], narrow, False)
        deviation = self.node("Sqrt", [variance], narrow, False)
        if self.maybe():
            y = self.node("Div", [centred, deviation], x.array, False)
        else:
            y = self.node("Mul", [centred, self.node("Reciprocal", [deviation], narrow, False)], x.array, False)
        for op in ("Mul", "Add"):
            if self.maybe(0.7):
                c = self.floats(*self.rng.choice([[n], [x.array.shape[-1]], [1]]))
                y = self.node(op, [y, c] if self.maybe() else [c, y], y.array, False) if c.array.shape[-1] in (1, x.array.shape[-1]) else y

    # --- nothing to do, or less

    def unit(self):
        kind = self.rng.choice(["float32", "float32", "int64"])
        x = self.pick(kind)
        if not x:
            return
        op, number = self.rng.choice([("Add", 0), ("Sub", 0), ("Mul", 1), ("Div", 1), ("Pow", 1), ("Mul", 0), ("Add", -0.0), ("Max", 0), ("Min", 9)])
        c = self.scalar(number, self.rng.choice([0, 0, 1, x.array.ndim, x.array.ndim + 1]), kind)
        operands = [c, x] if op in ("Add", "Mul", "Max", "Min") and self.maybe(0.3) else [x, c]
        self.node(op, operands, x.array + c.array, x.exact)

    def twice(self):
        x = self.pick("float32")
        if not x:
            return
        op = self.rng.choice("Relu Neg Abs Identity Floor Ceil Round Sign Reciprocal".split() if x.exact else "Relu Neg Abs Identity".split())
        y = self.node(op, [x], x.array, x.exact and op != "Reciprocal")
        self.node(op if self.maybe(0.8) else "Relu", [y], x.array, y.exact)

    def casts(self):
        x = self.pick(exact=True)
        if not x or x.array.size == 0:
            return
        to_number = self.onnx.helper.np_dtype_to_tensor_dtype
        y = x
        for _ in range(self.rng.randint(2, 3)):
            kinds = ["float32", "float64", "int64", "int32", "float16", "bool", "uint8"]
            if y.array.dtype.kind == "f":  # negative numbers and large ones have no meaning as unsigned, and none that all share
                kinds = ["float32", "float64", "int64", "int32", "float16", "bool"]
            to = self.rng.choice(kinds)
            y = self.node("Cast", [y], y.array.astype(to), True, to=to_number(self.np.dtype(to)))
        self.node("Cast", [y], y.array.astype("float32"), True, to=1)

    def bounds(self):
        x = self.pick("float32")
        if not x:
            return
        for _ in range(self.rng.randint(2, 3)):
            op = self.rng.choice(["Clip", "Clip", "Relu", "Max", "Min"])
            low, high = self.rng.choice([(-1, 1), (0, 6), (0.5, 0.25), (-2, 0)])
            if op == "Clip":
                operands = self.rng.choice([[x, self.scalar(low), self.scalar(high)], [x, None, self.scalar(high)], [x, self.scalar(low)], [x]])
            else:
                operands = [x] if op == "Relu" else [x, self.scalar(low, self.rng.choice([0, 1]))]
            result = x.array if len(operands) == 1 or op == "Clip" else x.array + operands[1].array
            x = self.node(op, operands, result, x.exact)

    def negations(self):
        x = self.pick("bool")
        if not x:
            return
        y = self.node("Not", [x], x.array, True)
        kind = self.rng.choice(["not", "where", "equal"])
        if kind == "not":
            self.node("Not", [y], x.array, True)
        elif kind == "where" and (v := self.pick("float32")):
            try:
                self.node("Where", [y, v, self.scalar(1.5)], self.np.where(y.array, v.array, 0).astype("float32"), v.exact)
            except ValueError:
                pass

    def dropout(self):
        x = self.pick("float32")
        if x:
            operands = [x] + self.rng.choice([[], [self.scalar(0.3)], [self.scalar(0.3), self.constant(self.np.array(False))]])
            self.node("Dropout", operands, x.array, x.exact)

    # --- views and movement

    def views(self):
        x = self.pick(least_rank=1)
        if not x or x.array.size == 0:
            return
        for _ in range(self.rng.randint(2, 4)):
            made = self.rng.choice([self.view_reshape, self.view_transpose, self.view_unsqueeze, self.view_squeeze, self.view_flatten, self.view_elementwise])(x)
            x = made or x

    def view_reshape(self, x):
        total, shape = x.array.size, list(x.array.shape)
        options = [[-1], [1, -1], shape]
        if len(shape) > 1:
            options += [[0, -1], [shape[0] * shape[1], *shape[2:]], [-1, *shape[1:]], shape[::-1], [0] * len(shape)]
        if total % 2 == 0:
            options += [[2, -1], [-1, 2]]
        wanted = self.rng.choice(options)
        real = [shape[i] if d == 0 else d for i, d in enumerate(wanted)]
        return self.node("Reshape", [x, self.ints(*wanted)], x.array.reshape(real), x.exact)

    def view_transpose(self, x):
        if x.array.ndim == 0:
            return None
        order = list(range(x.array.ndim))
        if self.maybe(0.9):
            self.rng.shuffle(order)
        if self.maybe(0.1):
            return self.node("Transpose", [x], self.np.transpose(x.array), x.exact)
        return self.node("Transpose", [x], self.np.transpose(x.array, order), x.exact, perm=order)

    def view_unsqueeze(self, x):
        if x.array.ndim > 4:
            return None
        axis = self.rng.randrange(-x.array.ndim - 1, x.array.ndim + 1)
        return self.node("Unsqueeze", [x, self.ints(axis)], self.np.expand_dims(x.array, axis), x.exact)

    def view_squeeze(self, x):
        ones = [i for i, d in enumerate(x.array.shape) if d == 1]
        if not ones:
            return None
        axis = self.rng.choice(ones)
        return self.node("Squeeze", [x, self.ints(axis - x.array.ndim * self.rng.randint(0, 1))], self.np.squeeze(x.array, axis), x.exact)

    def view_flatten(self, x):
        axis = self.rng.randrange(x.array.ndim + 1)
        return self.node("Flatten", [x], x.array.reshape(self.volume(x.array.shape[:axis]), -1), x.exact, axis=axis)

    def view_elementwise(self, x):
        if x.array.dtype != "float32":
            return None
        if self.maybe():
            return self.node(self.rng.choice(["Relu", "Neg", "Abs"]), [x], x.array, x.exact)
        c = self.floats(*self.rng.choice([[], [1], [x.array.shape[-1]] if x.array.ndim else []]))
        return self.node(self.rng.choice(["Add", "Mul"]), [x, c], x.array + c.array, False)

    def transposed_sum(self):
        """Two values transposed in the same way, added, and transposed back."""
        x = self.pick("float32", least_rank=2)
        if not x or x.array.size == 0:
            return
        order = list(range(x.array.ndim))
        self.rng.shuffle(order)
        a = self.node("Transpose", [x], x.array.transpose(order), x.exact, perm=order)
        b = self.node("Transpose", [self.node("Relu", [x], x.array, x.exact)], x.array.transpose(order), x.exact, perm=order)
        y = self.node(self.rng.choice(["Add", "Mul", "Max"]), [a, b], a.array, x.exact)
        if self.maybe(0.3):
            y = self.node("ReduceMax", [y, self.ints(-1)], y.array.max(-1, keepdims=True), x.exact)
        back = list(self.np.argsort(order)) if self.maybe(0.8) else order
        self.node("Transpose", [y], y.array.transpose(back), x.exact, perm=[int(i) for i in back])

    def slices(self):
        x = self.pick(least_rank=1)
        if not x or x.array.size == 0:
            return
        for _ in range(self.rng.randint(1, 3)):
            axis = self.rng.randrange(x.array.ndim)
            start, end, step = self.rng.choice([(0, 2**31, 1), (0, 2**63 - 1, 1), (1, 2**31, 1), (0, -1, 1), (-2, 9, 1), (0, 9, 2), (-1, -9, -1), (0, 2, 1)])
            index = [slice(None)] * x.array.ndim
            index[axis] = slice(start, end, step)
            if x.array[tuple(index)].size == 0:
                return
            operands = [x, self.ints(start), self.ints(end), self.ints(axis - x.array.ndim * self.rng.randint(0, 1))] + ([self.ints(step)] if step != 1 or self.maybe() else [])
            x = self.node("Slice", operands, x.array[tuple(index)], x.exact)

    def concats(self):
        x = self.pick("float32", least_rank=1)
        if not x:
            return
        axis = self.rng.randrange(x.array.ndim)
        kind = self.rng.choice(["nested", "one", "zeros", "empty", "split", "slices"])
        if kind == "nested":
            a = self.node("Concat", [x, x], self.np.concatenate([x.array] * 2, axis), x.exact, axis=axis)
            self.node("Concat", [x, a] if self.maybe() else [a, x], self.np.concatenate([x.array] * 3, axis), x.exact, axis=axis - x.array.ndim)
        elif kind == "one":
            self.node("Concat", [x], x.array, x.exact, axis=axis)
        elif kind in ("zeros", "empty"):
            dims = list(x.array.shape)
            dims[axis] = 0 if kind == "empty" else 2
            zeros = self.constant(self.np.zeros(dims, "float32"))
            self.node("Concat", [x, zeros] if self.maybe() else [zeros, x], self.np.concatenate([x.array, zeros.array], axis), x.exact, axis=axis)
        elif x.array.shape[axis] >= 2:
            size = x.array.shape[axis]
            cut = self.rng.randint(1, size - 1)
            if kind == "split":
                parts = self.several("Split", [x, self.ints(cut, size - cut)], self.np.split(x.array, [cut], axis), x.exact, axis=axis)
            else:
                parts = [self.node("Slice", [x, self.ints(0), self.ints(cut), self.ints(axis)], self.np.split(x.array, [cut], axis)[0], x.exact),
                         self.node("Slice", [x, self.ints(cut), self.ints(2**31), self.ints(axis)], self.np.split(x.array, [cut], axis)[1], x.exact)]
            if self.maybe(0.3):
                parts.reverse()
            self.node("Concat", parts, x.array, x.exact, axis=axis)

    def several(self, op, operands, results, exact, **attributes):
        names = [self.name() for _ in results]
        self.nodes.append(self.onnx.helper.make_node(op, [v.name for v in operands], names, name=f"n{names[0]}", **attributes))
        made = [type(self.values[0])(name, self.np.asarray(result), exact) for name, result in zip(names, results)]
        self.values += made
        return made

    def focus(self):
        """Four slices and a Concat: SpaceToDepth."""
        x = self.images()
        if not x or x.array.shape[2] % 2 or x.array.shape[3] % 2:
            return
        corners = [(0, 0), (1, 0), (0, 1), (1, 1)]
        if self.maybe(0.3):
            self.rng.shuffle(corners)
        parts = [self.node("Slice", [x, self.ints(r, c), self.ints(2**31, 2**31), self.ints(2, 3), self.ints(2, 2)], x.array[:, :, r::2, c::2], x.exact)
                 for r, c in corners]
        self.node("Concat", parts, self.np.concatenate([p.array for p in parts], 1), x.exact, axis=1)

    def pads(self):
        x = self.pick("float32", least_rank=1)
        if not x or x.array.size == 0:
            return
        for _ in range(2):
            pads = [self.rng.choice([0, 0, 1]) for _ in range(2 * x.array.ndim)]
            operands = [x, self.ints(*pads)] + ([self.scalar(self.rng.choice([0, 1]))] if self.maybe() else [])
            n = x.array.ndim
            x = self.node("Pad", operands, self.np.pad(x.array, list(zip(pads[:n], pads[n:]))), x.exact)

    def reduced_view(self):
        x = self.pick("float32", least_rank=2)
        if not x or x.array.size == 0:
            return
        axis, keep = self.rng.randrange(x.array.ndim), self.rng.randint(0, 1)
        op = self.rng.choice(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"])
        y = self.node(op, [x, self.ints(axis - x.array.ndim * self.rng.randint(0, 1))], x.array.sum(axis, keepdims=bool(keep)), x.exact and op == "ReduceMax", keepdims=keep)
        other = axis if self.maybe(0.8) else 0
        if keep and y.array.shape[other] == 1:
            self.node("Squeeze", [y, self.ints(other)], self.np.squeeze(y.array, other), y.exact)
        elif not keep:
            self.node("Unsqueeze", [y, self.ints(other)], self.np.expand_dims(y.array, other), y.exact)

    def quantized(self):
        x = self.pick("float32", exact=True)
        if not x:
            return
        scale, zero = self.scalar(self.rng.choice([0.5, 0.1])), self.scalar(self.rng.choice([0, 3]), dtype=self.rng.choice(["int8", "uint8"]))
        for _ in range(self.rng.randint(1, 2)):
            q = self.node("QuantizeLinear", [x, scale, zero], x.array.astype(zero.array.dtype), True)
            x = self.node("DequantizeLinear", [q, scale, zero], x.array, True)

    # --- shapes that are computed

    def scaffold(self):
        """Dims taken from a shape, computed with, and used by Reshape, Expand, ConstantOfShape, Range, Slice or Tile."""
        x = self.pick(least_rank=2)
        if not x or x.array.size == 0:
            return
        y = self.node("Cast", [x], x.array.astype("float32"), False, to=1) if self.maybe(0.2) else x
        bounds = {} if self.maybe(0.7) else {"start": self.rng.choice([0, 1, -1])}
        dims = self.np.array(x.array.shape, "int64")[bounds.get("start", 0):]
        shape = self.node("Shape", [y], dims, True, **bounds)
        at = self.rng.randrange(len(dims))
        size = self.node("Gather", [shape, self.constant(self.np.int64(at - len(dims) * self.rng.randint(0, 1)))], dims[at], True, axis=0)
        n = int(dims[at])
        axes = self.ints(0)
        kind = self.rng.choice(["reshape", "expand", "fill", "range", "slice", "tile", "arithmetic", "where"])
        if kind == "arithmetic":
            size = self.node("Mul", [size, self.scalar(2, dtype="int64")], self.np.int64(2 * n), True)
            size = self.node("Div", [size, self.scalar(2, dtype="int64")], self.np.int64(n), True)
            kind = "reshape"
        if kind == "where":
            is_one = self.node("Equal", [size, self.scalar(1, dtype="int64")], self.np.array(False), True)
            size = self.node("Where", [is_one, self.scalar(n, dtype="int64"), size], self.np.int64(n), True)
            kind = "reshape"
        one = self.node("Unsqueeze", [size, axes], self.np.array([n]), True)
        if kind == "reshape":
            whole = self.node("Concat", [one, self.ints(-1)], self.np.array([n, -1]), True, axis=0)
            self.node("Reshape", [x, whole], x.array.reshape(n, -1), x.exact)
        elif kind == "expand" and x.array.dtype == "float32":
            whole = self.node("Concat", [one, self.ints(*[1] * x.array.ndim)], self.np.array([n] + [1] * x.array.ndim), True, axis=0)
            if x.array.size * n < 2000:
                self.node("Expand", [x, whole], self.np.broadcast_to(x.array, [n, *x.array.shape]), x.exact)
        elif kind == "fill":
            whole = self.node("Concat", [one, self.ints(2)], self.np.array([n, 2]), True, axis=0)
            fill = self.onnx.numpy_helper.from_array(self.np.array([self.rng.choice([0, 1.5])], "float32"))
            self.node("ConstantOfShape", [whole], self.np.zeros([n, 2], "float32"), True, value=fill)
        elif kind == "range":
            self.node("Range", [self.scalar(0, dtype="int64"), size, self.scalar(1, dtype="int64")], self.np.arange(n), True)
        elif kind == "slice":
            self.node("Slice", [x, self.ints(0), one, self.ints(min(at + bounds.get("start", 0), x.array.ndim - 1) if bounds.get("start", 0) >= 0 else x.array.ndim - 1)],
                      x.array, x.exact) if n >= max(x.array.shape) else None
        elif kind == "tile" and x.array.size * n < 2000:
            whole = self.node("Concat", [one] + [self.ints(1)] * (x.array.ndim - 1), self.np.array([n] + [1] * (x.array.ndim - 1)), True, axis=0)
            self.node("Tile", [x, whole], self.np.tile(x.array, [n] + [1] * (x.array.ndim - 1)), x.exact)

    # --- bodies

    def loop(self):
        x = self.pick("float32")
        if not x or x.array.size == 0:
            return
        helper, name = self.onnx.helper, self.name()
        info = helper.make_tensor_value_info
        trips = self.rng.choice([0, 1, 2, 3])
        # A body that never runs may read what does not fit: then no size of an open dim is wrong.
        w = self.floats(*([x.array.shape[-1]] if x.array.ndim and trips else []))
        dims = list(x.array.shape)
        nodes = [helper.make_node("Mul", [x.name, w.name], [f"{name}_inv"]),
                 helper.make_node("Add", [f"{name}_s", f"{name}_inv" if self.maybe() else w.name], [f"{name}_t"]),
                 helper.make_node("Identity", [f"{name}_c"], [f"{name}_go"]),
                 helper.make_node("Relu", [f"{name}_t"], [f"{name}_r"]), helper.make_node("Identity", [f"{name}_r"], [f"{name}_scan"])]
        body = helper.make_graph(nodes, "body", [info(f"{name}_i", 7, []), info(f"{name}_c", 9, []), info(f"{name}_s", 1, dims)],
                                 [info(f"{name}_go", 9, []), info(f"{name}_r", 1, dims), info(f"{name}_scan", 1, dims)])
        names = [self.name(), self.name()]
        limit = self.constant(self.np.int64(trips))
        condition = self.constant(self.np.array(self.maybe(0.9)))
        self.nodes.append(helper.make_node("Loop", [limit.name, condition.name, x.name], names, body=body))
        self.values.append(type(x)(names[0], x.array, False))
        self.final.append(names[1])

    def known_branch(self):
        x = self.pick("float32", least_rank=1)
        if not x:
            return
        helper, name = self.onnx.helper, self.name()
        shape = self.node("Shape", [x], self.np.array(x.array.shape, "int64"), True)
        size = self.node("Gather", [shape, self.constant(self.np.int64(0))], self.np.int64(1), True, axis=0)
        condition = self.node("Equal", [size, self.constant(self.np.int64(self.rng.choice([1, x.array.shape[0]])))], self.np.array(True), True)
        info = helper.make_empty_tensor_value_info
        w = self.floats()
        then = helper.make_graph([helper.make_node("Add", [x.name, w.name], [f"{name}_a"]), helper.make_node("Relu", [f"{name}_a"], [f"{name}_t"])], "then", [], [info(f"{name}_t")])
        other = helper.make_graph([helper.make_node("Mul", [x.name, w.name], [f"{name}_b"]), helper.make_node("Neg", [f"{name}_b"], [f"{name}_e"])], "else", [], [info(f"{name}_e")])
        self.nodes.append(helper.make_node("If", [condition.name], [name], then_branch=then, else_branch=other))
        self.values.append(type(x)(name, x.array, False))

    def same_again(self):
        """A node twice, the second time with its defaults written out or under another name."""
        fitting = [n for n in self.nodes if len(n.output) == 1 and n.op_type not in ("If", "Loop")]
        known = {v.name: v for v in self.values}
        fitting = [n for n in fitting if n.output[0] in known]
        if not fitting:
            return
        node = self.onnx.NodeProto()
        node.CopyFrom(self.rng.choice(fitting))
        before = known[node.output[0]]
        node.name, node.output[0] = f"{node.name}_again", self.name()
        self.nodes.append(node)
        self.values.append(type(before)(node.output[0], before.array, before.exact))

    def zero_states(self):
        """LSTM or GRU with initial states that are zero, or not."""
        x = self.pick("float32", rank=3)
        if not x or x.array.size == 0 or x.array.shape[2] > 6:
            return
        op = self.rng.choice(["LSTM", "GRU"])
        gates, hidden = (4, 2) if op == "LSTM" else (3, 2)
        length, batch, size = x.array.shape
        states = [self.constant(self.np.zeros([1, batch, hidden], "float32")) for _ in range(2 if op == "LSTM" else 1)]
        if self.maybe(0.3):
            states[0] = self.floats(1, batch, hidden)
        operands = [x, self.floats(1, gates * hidden, size), self.floats(1, gates * hidden, hidden), self.floats(1, 2 * gates * hidden), None, *states]
        y = self.node(op, operands, self.np.zeros([length, 1, batch, hidden], "float32"), False, hidden_size=hidden)
        self.node("Squeeze", [y, self.ints(1)], self.np.squeeze(y.array, 1), False)

    def build(self):
        self.final = []
        for dtype in ("float32", "float32", self.rng.choice(["float32", "int64", "bool"])):
            self.add_input(dtype)
        patterns = [self.conv_chain, self.conv_chain, self.conv_chain, self.pad_pool, self.matmul_chain, self.matmul_chain, self.gemm_chain, self.attention,
                    self.activation, self.activation, self.norm, self.norm, self.unit, self.unit, self.twice, self.casts, self.bounds, self.negations,
                    self.dropout, self.views, self.views, self.views, self.transposed_sum, self.slices, self.concats, self.concats, self.focus, self.pads,
                    self.reduced_view, self.quantized, self.scaffold, self.scaffold, self.loop, self.known_branch, self.same_again, self.zero_states]
        others = [self.unary, self.binary, self.where, self.compare, self.gather, self.reduce, self.softmax, self.pool, self.branch]
        for _ in range(self.rng.randint(2, 7)):
            self.rng.choice(patterns if self.maybe(0.8) else others)()
        used = {name for node in self.nodes for name in node.input}
        helper = self.onnx.helper
        leaves = [v for v in self.values if v.name not in self.feeds and (v.name not in used or self.maybe(0.05))]
        outputs = [helper.make_tensor_value_info(v.name, helper.np_dtype_to_tensor_dtype(v.array.dtype), None) for v in leaves]
        outputs += [helper.make_tensor_value_info(name, 1, None) for name in self.final]
        if not outputs:
            return None
        graph = helper.make_graph(self.nodes, "patterns", self.inputs, outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.rng.choice(OPSETS))], ir_version=10)
