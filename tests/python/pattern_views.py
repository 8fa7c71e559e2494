"""Views, moved elements, and computed shapes."""
from pattern_parts import PatternParts


class Views(PatternParts):
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

    # --- computed shapes

    def scaffold(self):
        """Dims from a shape, with arithmetic on them, used by Reshape, Expand, ConstantOfShape, Range, Slice or Tile."""
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

    def quantized_move(self):
        """Elements that are moved between DequantizeLinear and QuantizeLinear, with the same scale or another."""
        x = self.pick("float32", exact=True, least_rank=1)
        if not x or x.array.size == 0:
            return
        scale, zero = self.scalar(0.5), self.scalar(3, dtype="uint8")
        q = self.node("QuantizeLinear", [x, scale, zero], x.array.astype("uint8"), True)
        y = self.node("DequantizeLinear", [q, scale, zero], x.array, True)
        for _ in range(self.rng.randint(1, 2)):
            y = self.rng.choice([self.view_reshape, self.view_transpose, self.view_unsqueeze])(y) or y
        if self.maybe(0.7):
            again = scale if self.maybe(0.7) else self.scalar(0.25)
            q = self.node("QuantizeLinear", [y, again, zero], y.array.astype("uint8"), True)
            self.node("DequantizeLinear", [q, again, zero], y.array, True)
