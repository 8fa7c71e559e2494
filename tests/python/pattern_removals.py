"""Nodes that do nothing, or less than they could."""
from pattern_parts import PatternParts


class Removals(PatternParts):
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
            if y.array.dtype.kind == "f":  # converting negative or large numbers to unsigned is undefined, and implementations differ
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
