"""What the functions of this folder do with models that other tools treat alike."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .._onnxpress import Model

Shape = Sequence[Any]


def has_outputs(model: Model) -> bool:
    """False for a graph without outputs: everything in it would count as unused, so it stays as it is."""
    return bool(model.graph.outputs)


def require_inputs(model: Model, shapes: Mapping[str, Shape], error: type[Exception]) -> None:
    """Raises the error, with the names of the inputs, when a shape is for something else."""
    names = [value.name for value in model.graph.inputs if value.tensor is None]
    for name in shapes:
        if name not in names:
            raise error(f'The model doesn\'t have input named "{name}"; its inputs are {", ".join(names)}')
