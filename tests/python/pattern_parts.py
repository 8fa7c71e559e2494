"""Building blocks for all patterns: shapes, numbers, constants."""
import importlib.machinery
import importlib.util
from pathlib import Path


def load_random_graphs():
    path = Path(__file__).resolve().parents[2] / "scripts/random_graphs"
    loader = importlib.machinery.SourceFileLoader("random_graphs", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("random_graphs", loader))
    loader.exec_module(module)
    return module


class PatternParts(load_random_graphs().Builder):
    def shape(self):
        if self.rng.random() < 0.4:
            return [self.rng.choice([1, 2]), self.rng.choice([2, 4]), self.rng.choice([4, 5]), self.rng.choice([4, 6])]
        return super().shape()

    def numbers(self, shape):
        """Usual numbers mixed with zeros of both signs and with large or exact ones."""
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
        """A value that a Conv accepts."""
        x = self.pick("float32", rank=4)
        return x if x and x.array.size and x.array.shape[2] >= 3 and x.array.shape[3] >= 3 else None

    def parameter(self, shape):
        """A constant for the channels of an image: correct, or for another axis, or with one element."""
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
