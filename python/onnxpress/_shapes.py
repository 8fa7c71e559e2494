"""The shape engine that `onnxpress shapes` writes, in Python: the same calls as the C++ header has."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Union

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
    """Shapes of a model at any size of its symbols, from engine.json.

    >>> engine = onnxpress.ShapeEngine("engine.json")
    >>> engine.update(batch=4, height=480)
    >>> engine.shape("y"), engine.bytes("y")
    """

    def __init__(self, source: Union[str, "os.PathLike[str]", dict[str, Any]]) -> None:
        if isinstance(source, dict):
            self._engine = source
        else:
            with open(source, encoding="utf-8") as file:
                self._engine = json.load(file)
        self._values = {each["name"]: each for each in self._engine["values"]}
        self._operands = {each["name"]: each for each in self._engine["operands"]}
        self._symbols = {each["name"]: i for i, each in enumerate(self._engine["symbols"])}
        self._sizes = [1] * len(self._symbols)
        self._steps: list[int] = []
        self.update()

    @property
    def symbols(self) -> list[str]:
        """Names of the symbols, in order."""
        return list(self._symbols)

    @property
    def values(self) -> list[str]:
        """Names of the values whose shapes it knows."""
        return list(self._values)

    @property
    def operands(self) -> list[str]:
        """Names of the inputs that the compute graph gets from the engine."""
        return list(self._operands)

    def update(self, sizes: Union[None, dict[str, int]] = None, **named: int) -> None:
        """Sets symbols, by dict or keyword, and computes everything for them."""
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
        """None stands for a dim that is not known."""
        return tuple(self._steps[d] if d >= 0 else None for d in self._values[value]["dims"])

    def bytes(self, value: str) -> Union[int, None]:
        """None when a dim is not known."""
        count = 1
        for size in self.shape(value):
            if size is None:
                return None
            count *= size
        bits: int = self._values[value]["element_bits"]
        return (count * bits + 7) // 8

    def operand(self, name: str) -> list[int]:
        """The elements of an input of the compute graph."""
        return [self._steps[d] for d in self._operands[name]["dims"]]
