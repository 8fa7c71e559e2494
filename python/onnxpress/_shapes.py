"""The shape engine of `onnxpress shapes` in Python, with the same calls as the C++ header and the C++ class."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Union

from ._onnxpress import Model

_ALIGNMENT = 64  # of offsets, the same as in C++
_OPS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "floor_divide": lambda a, b: a // b if b else -1,
    "min": lambda a, b: min(a, b),
    "max": lambda a, b: max(a, b),
    "broadcast": lambda a, b: b if a == 1 else a,
}


class ShapeEngine:
    """The shapes of a model for any sizes of its symbols, from a Model or from the engine.json of `onnxpress shapes`.

    >>> engine = onnxpress.ShapeEngine(onnxpress.Model.load("model.onnx"))
    >>> engine.update(batch=4, height=480)
    >>> engine.shape("y"), engine.bytes("y")
    >>> engine.plan(), engine.offset("y")
    """

    def __init__(self, source: Union[Model, str, "os.PathLike[str]", dict[str, Any]]) -> None:
        self._compute_graph: Union[None, Model] = None
        if isinstance(source, Model):
            text, self._compute_graph = source._shapes()
            self._engine = json.loads(text)
        elif isinstance(source, dict):
            self._engine = source
        else:
            with open(source, encoding="utf-8") as file:
                self._engine = json.load(file)
        self._values = {each["name"]: each for each in self._engine["values"]}
        self._operands = {each["name"]: each for each in self._engine["operands"]}
        self._symbols = {each["name"]: i for i, each in enumerate(self._engine["symbols"])}
        self._sizes = [1] * len(self._symbols)
        self._steps: list[int] = []
        self._offsets: dict[str, int] = {}
        self.update()

    @property
    def compute_graph(self) -> Union[None, Model]:
        """The model without nodes that only compute shapes; None for an engine that was read from JSON.

        >>> engine.compute_graph.save("compute.onnx")
        """
        return self._compute_graph

    @property
    def symbols(self) -> list[str]:
        """Names of the symbols, in order.

        >>> engine.symbols
        """
        return list(self._symbols)

    @property
    def values(self) -> list[str]:
        """Names of the values whose shapes are known.

        >>> {name: engine.shape(name) for name in engine.values}
        """
        return list(self._values)

    @property
    def operands(self) -> list[str]:
        """Names of the inputs that the compute graph gets from the engine.

        >>> {name: engine.operand(name) for name in engine.operands}
        """
        return list(self._operands)

    def update(self, sizes: Union[None, dict[str, int]] = None, **named: int) -> None:
        """Sets symbols, by dict or keyword, and computes all shapes.

        >>> engine.update(batch=4, height=480)
        """
        for name, size in {**(sizes or {}), **named}.items():
            if name not in self._symbols:
                raise ValueError(f"there is no symbol {name!r}; there are {', '.join(self._symbols)}")
            self._sizes[self._symbols[name]] = size
        steps: list[int] = []
        for step in self._engine["steps"]:
            if step["op"] == "number":
                steps.append(step["a"])
            elif step["op"] == "symbol":
                steps.append(self._sizes[step["a"]])
            else:
                steps.append(_OPS[step["op"]](steps[step["a"]], steps[step["b"]]))
        self._steps = steps

    def shape(self, value: str) -> tuple[Union[int, None], ...]:
        """The shape of a value; None for a dim that is not known.

        >>> engine.shape("y")
        """
        return tuple(self._steps[d] if d >= 0 else None for d in self._values[value]["dims"])

    def bytes(self, value: str) -> Union[int, None]:
        """The size of a value in bytes; None if a dim is not known.

        >>> engine.bytes("y")
        """
        count = 1
        for size in self.shape(value):
            if size is None or size < 0:
                return None
            count *= size
        bits: int = self._values[value]["element_bits"]
        return (count * bits + 7) // 8

    def operand(self, name: str) -> list[int]:
        """The elements of an input of the compute graph.

        >>> engine.operand("new_shape")
        """
        return [self._steps[d] for d in self._operands[name]["dims"]]

    def plan(self) -> int:
        """Places the values of the compute graph in one arena, for the sizes of the last update(); returns its size in bytes.

        Large values come first, each at the lowest offset that is free during its lifetime.

        >>> arena = bytearray(engine.plan())
        """
        self._offsets = {}
        sizes: dict[str, int] = {}
        for name, value in self._values.items():
            size = self.bytes(name)
            if value["first"] >= 0 and value["element_bits"] and size is not None and size >= 0:
                sizes[name] = size
        placed: list[str] = []
        arena = 0
        for name in sorted(sizes, key=lambda each: -sizes[each]):
            value, at = self._values[name], 0
            for other in placed:
                lived = self._values[other]
                if lived["last"] < value["first"] or value["last"] < lived["first"]:
                    continue
                if at + sizes[name] <= self._offsets[other]:
                    break
                at = max(at, self._offsets[other] + _aligned(sizes[other]))
            self._offsets[name] = at
            arena = max(arena, at + _aligned(sizes[name]))
            placed.append(name)
            placed.sort(key=lambda each: self._offsets[each])
        return arena

    def offset(self, value: str) -> Union[int, None]:
        """The offset of a value in the plan; None if its size is unknown or it is not in the compute graph.

        >>> engine.plan(), engine.offset("y")
        """
        return self._offsets.get(value)


def _aligned(size: int) -> int:
    return (size + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
