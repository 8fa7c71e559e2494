"""Activations and norms, as exporters write them."""
from pattern_parts import PatternParts


class Activations(PatternParts):
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
        x = self.node("Tanh", [x], x.array, False)  # keeps numbers close together, because otherwise Log gives minus infinity where LogSoftmax gives a number
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
