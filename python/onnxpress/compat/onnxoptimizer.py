"""onnxoptimizer.optimize: its pass names are understood; those without a counterpart in onnxpress do nothing."""

from __future__ import annotations

from typing import Any, Sequence

from .. import _onnxpress, _tasks
from .._calls import ModelLike, as_model
from . import _models


def rewrite_names() -> list[str]:
    """Names of our own rewrites, which can also be given as passes.

    >>> optimize(model, rewrite_names()[:3])
    """
    return list(_onnxpress._rewrite_names())


def get_available_passes() -> list[str]:
    """Every pass name of onnxoptimizer that optimize() accepts.

    >>> "fuse_bn_into_conv" in get_available_passes()
    """
    return list(_onnxpress._other_pass_names())


def get_fuse_and_elimination_passes() -> list[str]:
    """Those that fuse or remove nodes.

    >>> optimize(model, get_fuse_and_elimination_passes())
    """
    return [name for name in get_available_passes() if name.startswith(("eliminate_", "fuse_"))]


def optimize(model: ModelLike, passes: Sequence[str] | None = None, fixed_point: bool = False, **ignored: Any) -> Any:
    """Returns the optimized onnx.ModelProto. Rewrites always run until nothing changes any more. A graph without outputs stays as it is.

    >>> optimize(onnx.load("model.onnx"), ["fuse_bn_into_conv"])
    """
    if isinstance(model, (str, bytes)):
        raise ValueError(f"Optimizer only accepts ModelProto, incorrect type: {type(model)}")
    loaded = as_model(model).copy()
    if _models.has_outputs(loaded):
        _tasks.optimize(loaded, only=list(passes) if passes else None, allow_growth=True)
    return loaded.to_proto()


def optimize_fixed_point(model: ModelLike, passes: Sequence[str] | None = None) -> Any:
    """The same as optimize().

    >>> optimize_fixed_point(onnx.load("model.onnx"), ["eliminate_identity"])
    """
    return optimize(model, passes, fixed_point=True)
