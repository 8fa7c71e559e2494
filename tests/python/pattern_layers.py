"""Layers, with nodes that can be folded into them."""
from pattern_parts import PatternParts


class Layers(PatternParts):
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

    def matrix_sum(self):
        """MatMul and Add of values that are not constant."""
        x = self.pick("float32", rank=2)
        if not x or x.array.size == 0:
            return
        y = self.node("Transpose", [x], x.array.T, x.exact, perm=[1, 0])
        product = self.node("MatMul", [x, y], x.array @ y.array, False)
        m = product.array.shape[0]
        c = self.floats(*self.rng.choice([[], [1], [m], [1, m], [m, 1], [2, m, m]]))
        self.node("Add", [product, c] if self.maybe() else [c, product], product.array + c.array, False)

    def rotation(self):
        """x * cos + rotated(x) * sin, which swaps halves or neighbours, with tables whose halves are equal, or not."""
        x = self.pick("float32", rank=4)
        if not x or x.array.size == 0 or x.array.shape[3] % 2:
            return
        half, length = x.array.shape[3] // 2, x.array.shape[2]
        split, neighbours = self.maybe(), self.maybe(0.4)
        first, second = (self.np.s_[..., ::2], self.np.s_[..., 1::2]) if neighbours else (self.np.s_[..., :half], self.np.s_[..., half:])
        if neighbours:
            parts = [self.node("Slice", [x, self.ints(i), self.ints(2**31), self.ints(3), self.ints(2)], x.array[[first, second][i]], x.exact) for i in (0, 1)]
        elif split:
            parts = self.several("Split", [x, self.ints(half, half)], [x.array[first], x.array[second]], x.exact, axis=3)
        else:
            parts = [self.node("Slice", [x, self.ints(i * half), self.ints((i + 1) * half), self.ints(3)], x.array[[first, second][i]], x.exact) for i in (0, 1)]
        turned = [self.node("Neg", [parts[1]], -parts[1].array, x.exact), parts[0]]
        if neighbours:
            turned = [self.node("Unsqueeze", [each, self.ints(4)], each.array[..., None], x.exact) for each in turned]
        r = self.node("Concat", turned, self.np.concatenate([each.array for each in turned], -1), x.exact, axis=-1)
        if neighbours:
            r = self.node("Reshape", [r, self.ints(0, 0, 0, 2 * half)], r.array.reshape(x.array.shape), x.exact)
        table = self.numbers([length, half]).astype("float32")
        whole = self.np.repeat(table, 2, -1) if neighbours != self.maybe(0.1) else self.np.concatenate([table, table], -1)
        a = self.node("Mul", [x, self.constant(self.np.cos(whole))], x.array, False)
        b = self.node("Mul", [r, self.constant(self.np.sin(whole)[None])], x.array, False)
        self.node("Add", [a, b] if self.maybe() else [b, a], x.array, False)
