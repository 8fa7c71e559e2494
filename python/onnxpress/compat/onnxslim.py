"""onnxslim.slim."""

from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, Sequence, Union

from .. import _tasks
from .._calls import ModelLike, as_model
from .._onnxpress import Error, Model
from . import _models
from .onnxoptimizer import rewrite_names

Shapes = Union[None, str, Sequence[str], Mapping[str, Sequence[Any]]]

_FOLDING = ("fold-constants", "fold-reshape-shape", "fold-expand-shape", "fold-slice-ends")
_SHARING = ("share", "reshaped", "transposed", "sliced", "scaled", "mapped")  # methods of shrink
_TYPES = {"fp16": "float16", "fp32": "float", "int32": "int32", "bool": "bool"}


def _rewrites_of(optimization: str) -> list[str]:
    """Our rewrites that do what an optimization of onnxslim does."""
    if optimization == "constant_folding":
        return [name for name in rewrite_names() if name in _FOLDING]
    if optimization == "graph_fusion":
        return [name for name in rewrite_names() if name.startswith(("fuse-", "merge-")) and name != "merge-equal-nodes"]
    if optimization == "dead_node_elimination":
        return [name for name in rewrite_names() if name.startswith(("remove-", "drop-"))]
    if optimization == "subexpression_elimination":
        return ["merge-equal-nodes"]
    if optimization == "weight_tying":
        return ["share-tensors"]
    raise ValueError(f"there is no optimization {optimization!r}; there are {', '.join(_OPTIMIZATIONS)}")


_OPTIMIZATIONS = ("constant_folding", "graph_fusion", "dead_node_elimination", "subexpression_elimination", "weight_tying")


def _shapes(given: Shapes) -> dict[str, Sequence[Any]]:
    """Shapes in the form of its command line, ['x:1,3,224,224'], or as a dict."""
    if not given:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    made: dict[str, Sequence[Any]] = {}
    for text in [given] if isinstance(given, str) else given:
        name, _, dims = text.rpartition(":")
        made[name] = dims.split(",")
    return made


def _names_and_types(given: Iterable[str] | None) -> dict[str, str | None]:
    """["a", "b:fp16"]: a keeps its type, b gets another one."""
    made: dict[str, str | None] = {}
    for text in given or ():
        name, colon, word = text.rpartition(":")
        if colon and word in _TYPES:
            made[name] = _TYPES[word]
        else:
            made[text] = None
    return made


def _cut(model: Model, inputs: Iterable[str] | None, outputs: Iterable[str] | None) -> Model:
    named = {**_names_and_types(inputs), **_names_and_types(outputs)}
    part = _tasks.extract(model, inputs=list(_names_and_types(inputs)) or None, outputs=list(_names_and_types(outputs)) or None).model
    types = {name: word for name, word in named.items() if word}
    if types:
        _tasks.edit(part, set_type=types)
    made: Model = part
    return made


def _simplify(model: Model, shapes: Mapping[str, Sequence[Any]], skipped: Sequence[str], patterns: Sequence[str], most: Any, check: bool) -> None:
    skip = [*patterns]
    for each in skipped:
        skip += _rewrites_of(each)
    nothing = set(skipped) == set(_OPTIMIZATIONS)
    _tasks.optimize(
        model,
        shape=dict(shapes) or None,
        skip=rewrite_names() if nothing else skip or None,
        fold_limit=int(most) if most else None,
        freeze=True,
        verify=True if check else None,
        allow_growth=True,
    )
    if not nothing:
        _tasks.shrink(model, target="any", skip=list(_SHARING) if "weight_tying" in skipped else None)


def _to_half(model: Model) -> None:
    """Inputs and outputs become float16, and weights where that saves bytes. Nodes still compute in float, after a Cast."""
    try:
        _tasks.quantize(model, to="fp16", min_elements=1)
    except Error as error:
        if "no float weights" not in error.message:
            raise
    graph = model.graph
    floats = [value.name for value in [*graph.inputs, *graph.outputs] if value.element_type == "float" and value.tensor is None]
    if floats:
        _tasks.edit(model, set_type={name: "float16" for name in floats})


def _convert(model: Model, dtype: str | None) -> None:
    if dtype == "fp16":
        _to_half(model)
    elif dtype == "fp32":
        kinds = {each.name for each in _tasks.info(model).weights.by_type}
        if "float16" in kinds or any(value.element_type == "float16" for value in model.graph.inputs):
            raise ValueError("dtype='fp32': onnxpress does not turn float16 models into float ones")
    elif dtype is not None:
        raise ValueError(f"dtype is 'fp16' or 'fp32', not {dtype!r}")


def slim(
    model: Union[ModelLike, list[ModelLike]],
    output_model: str | None = None,
    *,
    model_check: bool = False,
    input_shapes: Shapes = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    no_shape_infer: bool = False,
    skip_optimizations: Sequence[str] | None = None,
    dtype: str | None = None,
    skip_fusion_patterns: Sequence[str] | None = None,
    size_threshold: Union[int, str, None] = None,
    save_as_external_data: bool = False,
    **ignored: Any,
) -> Any:
    """Returns the slimmed onnx.ModelProto, or writes it to output_model and returns None.

    Input shapes may replace fixed sizes; an Error names the node that does not take them. A graph without outputs stays
    as it is. With dtype="fp16", inputs, outputs and all but the smallest weights are float16, and nodes compute in float.

    >>> slim("model.onnx", "slim.onnx")
    """
    if isinstance(model, list):
        raise ValueError("only one model at a time; use onnxpress.batch for several")
    loaded = as_model(model).copy()
    shapes = _shapes(input_shapes)
    _models.require_inputs(loaded, shapes, ValueError)
    if _models.has_outputs(loaded):
        if inputs or outputs:
            loaded = _cut(loaded, inputs, outputs)
        _simplify(loaded, shapes, skip_optimizations or (), skip_fusion_patterns or (), size_threshold, model_check)
        _convert(loaded, dtype)
        if not no_shape_infer:
            _tasks.infer(loaded)
    if output_model is None:
        return loaded.to_proto()
    loaded.save(os.fspath(output_model), external_data="" if save_as_external_data else None)
    return None
