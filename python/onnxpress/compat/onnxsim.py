"""onnxsim.simplify. Its optimizer's pass names have no counterpart here and are ignored."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence, Union

from .. import _tasks
from .._calls import ModelLike, as_model

Shapes = Union[None, Sequence[int], Mapping[str, Sequence[int]]]


def _by_name(model: Any, shapes: Shapes) -> Mapping[str, Sequence[int]] | None:
    if not shapes or isinstance(shapes, Mapping):
        return shapes if isinstance(shapes, Mapping) else None
    names = [value.name for value in model.graph.inputs if value.tensor is None]
    if len(names) != 1:
        raise RuntimeError("The model has more than one inputs, please use the format of dict.")
    return {names[0]: shapes}


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
    tensor_size_threshold: Any = None,
    mutable_initializer: bool = False,
    *,
    input_shapes: Shapes = None,
    inline_functions: bool = False,
    target_opset_version: Union[int, str, None] = None,
    **ignored: Any,
) -> tuple[Any, bool]:
    """Returns the simplified onnx.ModelProto, and whether it computes the same (checked when check_n > 0).

    Keywords of later versions that control its own check and its plugins are accepted, but ignored.

    >>> model, ok = simplify(onnx.load("model.onnx"), check_n=3)
    """
    loaded = as_model(model).copy()
    shapes = _by_name(loaded, overwrite_input_shapes or input_shapes)
    if unused_output:
        _tasks.edit(loaded, remove_output=list(unused_output))
    skip = ["fuse-conv-batchnorm"] if skip_fuse_bn else []
    if skip_constant_folding:
        skip.append("fold-constants")
    known = _known_rewrites()
    ok = True
    if perform_optimization:
        report = _tasks.optimize(
            loaded,
            shape=dict(shapes) if shapes else None,
            inline="all" if inline_functions else None,
            opset=target_opset_version if isinstance(target_opset_version, int) else None,
            skip=[name for name in skip if name in known] or None,
            verify=True if check_n > 0 else None,
        )
        if check_n > 0:
            ok = bool(report.check.done)
    if not skip_shape_inference:
        _tasks.infer(loaded)
    return loaded.to_proto(), ok


def _known_rewrites() -> set[str]:
    from .onnxoptimizer import rewrite_names

    return set(rewrite_names())
