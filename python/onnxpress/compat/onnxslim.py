"""onnxslim.slim."""

from __future__ import annotations

import os
from typing import Any, Sequence, Union

from .. import _tasks
from .._calls import ModelLike, as_model


def _shapes(texts: Sequence[str] | str | None) -> dict[str, list[str]] | None:
    """Parses shapes in the form of its command line: ['x:1,3,224,224']."""
    if not texts:
        return None
    made = {}
    for text in [texts] if isinstance(texts, str) else texts:
        name, _, dims = text.rpartition(":")
        made[name] = dims.split(",")
    return made


def slim(
    model: Union[ModelLike, list[ModelLike]],
    output_model: str | None = None,
    *,
    model_check: bool = False,
    input_shapes: Sequence[str] | str | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    no_shape_infer: bool = False,
    skip_optimizations: Sequence[str] | None = None,
    dtype: str | None = None,
    skip_fusion_patterns: Sequence[str] | None = None,
    save_as_external_data: bool = False,
    **ignored: Any,
) -> Any:
    """Returns the slimmed onnx.ModelProto, or writes it to output_model and returns None.

    >>> slim("model.onnx", "slim.onnx")
    """
    if isinstance(model, list):
        raise ValueError("only one model at a time; use onnxpress.batch for several")
    loaded = as_model(model).copy()
    if inputs or outputs:
        loaded = _tasks.extract(loaded, inputs=inputs, outputs=outputs).model
    _tasks.optimize(
        loaded,
        shape=_shapes(input_shapes),
        skip=skip_fusion_patterns or None,
        verify=True if model_check else None,
        allow_growth=True,
    )
    _tasks.shrink(loaded, target="any")
    if dtype == "fp16":
        _tasks.quantize(loaded, to="fp16")
    if not no_shape_infer:
        _tasks.infer(loaded)
    if output_model is None:
        return loaded.to_proto()
    loaded.save(os.fspath(output_model), external_data="" if save_as_external_data else None)
    return None
