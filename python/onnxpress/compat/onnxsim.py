"""onnxsim.simplify. Names of its optimizer's passes that have no counterpart here are ignored."""

from __future__ import annotations

import os
import re
from typing import Any, Mapping, Optional, Sequence, Union

from .. import _tasks
from .._calls import ModelLike, as_model
from .._onnxpress import Model
from . import _models
from .onnxoptimizer import get_available_passes, rewrite_names

Shapes = Union[None, Sequence[int], Mapping[Optional[str], Sequence[int]], Mapping[str, Sequence[int]]]
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _by_name(model: Model, shapes: Shapes) -> dict[str, Sequence[int]]:
    """A shape without a name is for the only input."""
    if not shapes:
        return {}
    given: Mapping[Any, Sequence[int]] = shapes if isinstance(shapes, Mapping) else {None: shapes}
    if None in given:
        names = [value.name for value in model.graph.inputs if value.tensor is None]
        if len(names) != 1:
            raise RuntimeError("The model has more than one inputs, please use the format of dict.")
        given = {names[0]: given[None]}
    _models.require_inputs(model, given, RuntimeError)
    return dict(given)


def _bytes(size: Union[int, str, None]) -> int | None:
    """"1.5GB" in bytes."""
    if size is None or isinstance(size, int):
        return size
    match = re.fullmatch(r"([\d.]+)\s*([KMGT]?)B?", size.strip(), re.IGNORECASE)
    if not match:
        raise ValueError(size)
    return int(float(match[1]) * _UNITS[match[2].upper()])


def simplify(
    model: Union[str, "os.PathLike[str]", ModelLike],
    check_n: int = 0,
    perform_optimization: bool = True,
    skip_fuse_bn: bool = False,
    overwrite_input_shapes: Shapes = None,
    test_input_shapes: Shapes = None,
    skipped_optimizers: Sequence[str] | None = None,
    skip_constant_folding: bool = False,
    skip_shape_inference: bool = False,
    input_data: Any = None,
    dynamic_input_shape: bool = False,
    custom_lib: str | None = None,
    include_subgraph: bool = False,
    unused_output: Sequence[str] | None = None,
    tensor_size_threshold: Union[int, str, None] = None,
    mutable_initializer: bool = False,
    *,
    input_shapes: Shapes = None,
    inline_functions: bool = False,
    target_opset_version: Union[int, str, None] = None,
    output_path: Union[None, str, "os.PathLike[str]"] = None,
    **ignored: Any,
) -> tuple[Any, bool]:
    """Returns the simplified onnx.ModelProto, and whether it computes the same (checked when check_n > 0).

    Shapes may replace fixed sizes; an Error names the node that does not take them. A graph without outputs stays as it
    is. Keywords of later versions that control its own check and its plugins are accepted, but ignored.

    >>> model, ok = simplify(onnx.load("model.onnx"), check_n=3)
    """
    loaded = as_model(model).copy()
    shapes = _by_name(loaded, overwrite_input_shapes or input_shapes)
    if not _models.has_outputs(loaded):
        return _result(loaded, output_path), True
    if unused_output:
        _tasks.edit(loaded, remove_output=list(unused_output))
    skip = _skipped(skip_fuse_bn, skip_constant_folding, skipped_optimizers or ()) if perform_optimization else rewrite_names()
    ok = True
    if perform_optimization or shapes:
        report = _tasks.optimize(
            loaded,
            shape=shapes or None,
            fold_limit=_bytes(tensor_size_threshold),
            inline="all" if inline_functions else None,
            opset=target_opset_version if isinstance(target_opset_version, int) else None,
            skip=skip or None,
            verify=True if check_n > 0 else None,
        )
        if check_n > 0:
            ok = bool(report.check.done)
    if not skip_shape_inference:
        _tasks.infer(loaded)
    return _result(loaded, output_path), ok


def _skipped(batchnorm: bool, folding: bool, names: Sequence[str]) -> list[str]:
    ours, theirs = set(rewrite_names()), set(get_available_passes())
    skip = ["fuse-conv-batchnorm"] if batchnorm else []
    if folding:
        skip.append("fold-constants")
    return [*(name for name in skip if name in ours), *(name for name in names if name in ours | theirs)]


def _result(model: Model, output_path: Union[None, str, "os.PathLike[str]"]) -> Any:
    if output_path is not None:
        model.save(output_path)
    return model.to_proto()
