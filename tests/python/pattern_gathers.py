"""Elements taken by index, parts of concatenated or padded values, and views around products and elementwise ops."""
from pattern_parts import PatternParts


class Gathers(PatternParts):
    def indices(self, count, size):
        return self.constant(self.np.array([self.rng.randint(-size, size - 1) for _ in range(count)], dtype="int64"))

    def gather_nd(self):
        x = self.pick(least_rank=1)
        if not x or x.array.size == 0:
            return
        i = self.indices(self.rng.randint(1, 3), x.array.shape[0])
        if self.maybe():
            i = self.constant(i.array.reshape(-1, 1))
        else:
            i = self.node("Unsqueeze", [i, self.ints(self.rng.choice([-1, 1]))], i.array.reshape(-1, 1), True)
        self.node("GatherND", [x, i], x.array[i.array[:, 0]], x.exact)

    def gather_elements(self):
        x = self.pick(least_rank=2)
        if not x or x.array.size == 0:
            return
        shape, axis = list(x.array.shape), self.rng.randrange(x.array.ndim)
        i = self.indices(self.rng.randint(1, 3), shape[axis])
        shape[axis] = i.array.size
        narrow = [1] * len(shape)
        narrow[axis] = i.array.size
        if self.maybe(0.2):  # fewer along another axis
            other = (axis + 1) % len(shape)
            shape[other] = self.rng.randint(1, shape[other])
        i = self.constant(i.array.reshape(narrow if self.maybe(0.8) or axis + 1 < len(shape) else [-1]))
        wide = self.node("Expand", [i, self.ints(*shape)], self.np.broadcast_to(i.array.reshape(narrow), shape), True)
        self.node("GatherElements", [x, wide], self.np.take_along_axis(x.array[tuple(slice(0, d) if k != axis else slice(None) for k, d in enumerate(shape))],
                                                                       wide.array, axis), x.exact, axis=axis)

    def gather_concat(self):
        x = self.pick("float32", least_rank=1)
        if not x or x.array.size == 0:
            return
        axis = self.rng.randrange(x.array.ndim)
        parts = [x, self.node("Neg", [x], x.array, x.exact), self.floats(*x.array.shape)][:self.rng.randint(2, 3)]
        joined = self.np.concatenate([p.array for p in parts], axis)
        c = self.node("Concat", parts, joined, x.exact, axis=axis)
        along = axis if self.maybe(0.8) else self.rng.randrange(x.array.ndim)
        i = self.indices(self.rng.randint(1, 2), joined.shape[along])
        i = i if self.maybe() else self.constant(i.array[0])
        self.node("Gather", [c, i], self.np.take(joined, i.array, along), x.exact, axis=along)

    def padded_piece(self):
        x = self.pick("float32", least_rank=1)
        if not x or x.array.size == 0:
            return
        axis = self.rng.randrange(x.array.ndim)
        before, behind = [0] * x.array.ndim, [0] * x.array.ndim
        before[axis], behind[axis] = self.rng.randint(0, 2), self.rng.randint(0, 2)
        if self.maybe(0.2):
            behind[0] += 1
        y = self.node("Pad", [x, self.ints(*before, *behind)], self.np.pad(x.array, list(zip(before, behind))), x.exact)
        size = y.array.shape[axis]
        begin = before[axis] if self.maybe(0.6) else self.rng.randrange(size)
        end = begin + x.array.shape[axis] if self.maybe(0.4) else self.rng.randint(begin + 1, size)
        self.node("Slice", [y, self.ints(begin), self.ints(end), self.ints(axis)], y.array[(slice(None),) * axis + (slice(begin, end),)], x.exact)

    def repeated_piece(self):
        x = self.pick("float32", least_rank=1)
        if not x or x.array.size == 0:
            return
        shape = [d * self.rng.choice([1, 3]) if d == 1 else d for d in x.array.shape]
        y = self.node("Expand", [x, self.ints(*shape)], self.np.broadcast_to(x.array, shape), x.exact)
        axis = self.rng.randrange(len(shape))
        begin = self.rng.randrange(shape[axis])
        end, step = self.rng.randint(begin + 1, shape[axis]), self.rng.randint(1, 2)
        self.node("Slice", [y, self.ints(begin), self.ints(end), self.ints(axis), self.ints(step)],
                  y.array[(slice(None),) * axis + (slice(begin, end, step),)], x.exact)

    def scatter_all(self):
        x = self.pick("float32", least_rank=2)
        if not x or x.array.size == 0:
            return
        rows = list(range(x.array.shape[0]))
        if self.maybe(0.3):
            self.rng.shuffle(rows)
        u = self.node("Neg", [x], x.array, x.exact)
        self.node("ScatterND", [x, self.constant(self.np.array(rows, dtype="int64").reshape(-1, 1)), u], x.array, x.exact)

    def product_views(self):
        x = self.pick("float32", least_rank=3)
        if not x or x.array.size == 0:
            return
        shape, k, n = list(x.array.shape), x.array.shape[-1], self.rng.choice([2, 3, x.array.shape[-1]])
        flat = self.node("Reshape", [x, self.ints(-1, k)], x.array.reshape(-1, k), x.exact)
        if self.maybe():
            turned = self.maybe()
            w, c = self.floats(*([n, k] if turned else [k, n])), self.floats(n)
            product = self.node("Gemm", [flat, w, c] if self.maybe(0.7) else [flat, w], flat.array @ self.np.zeros([k, n], "float32"), False,
                                transB=int(turned), alpha=self.rng.choice([1.0, 1.0, 0.5]))
        else:
            product = self.node("MatMul", [flat, self.floats(k, n)], flat.array @ self.np.zeros([k, n], "float32"), False)
        back = [*shape[:-1], n]
        if self.maybe(0.2):
            back = [back[1], back[0], *back[2:]]
        self.node("Reshape", [product, self.ints(*back)], product.array.reshape(back), False)

    def views_around(self):
        x = self.pick("float32", least_rank=2)
        if not x or x.array.size == 0:
            return
        flat = self.rng.choice([[-1], [0, -1], [1, -1]])
        y = self.node("Reshape", [x, self.ints(*flat)], x.array.reshape([x.array.shape[0] if d == 0 else d for d in flat]), x.exact)
        for _ in range(self.rng.randint(1, 3)):
            if self.maybe():
                y = self.node(self.rng.choice(["Relu", "Abs", "Tanh"]), [y], y.array, False)
            else:
                c = self.floats(*self.rng.choice([[], [], [1], [y.array.shape[-1]]]))
                y = self.node(self.rng.choice(["Add", "Mul"]), [y, c] if self.maybe() else [c, y], y.array, False)
        back = list(x.array.shape) if self.maybe(0.8) else list(x.array.shape)[::-1]
        self.node("Reshape", [y, self.ints(*back)], y.array.reshape(back), False)

    def pools_in_a_row(self):
        x = self.images()
        if not x:
            return
        kind = self.rng.choice(["Average", "Max"])
        kernel, stride = self.rng.choice([1, 2, 2, 3]), self.rng.choice([1, 2, 2, 3])
        n, c, h, w = x.array.shape
        out = [(d - kernel) // stride + 1 for d in (h, w)]
        y = self.node(f"{kind}Pool", [x], self.np.zeros([n, c, *out], "float32"), False, kernel_shape=[kernel, kernel], strides=[stride, stride])
        last = kind if self.maybe(0.8) else "Max"
        self.node(f"Global{last}Pool", [y], self.np.zeros([n, c, 1, 1], "float32"), False)
