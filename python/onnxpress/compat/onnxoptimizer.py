"""onnxoptimizer.optimize: its pass names are understood; those that onnxpress has no counterpart of do nothing."""

from __future__ import annotations

from typing import Any, Sequence

from .. import _onnxpress, _tasks
from .._calls import ModelLike, as_model


def rewrite_names() -> list[str]:
    """Names of our own rewrites, which can be given as passes, too."""
    return list(_onnxpress._rewrite_names())


def get_available_passes() -> list[str]:
    """Every pass name that optimize() takes: those of onnxoptimizer."""
    return list(_onnxpress._other_pass_names())


def get_fuse_and_elimination_passes() -> list[str]:
    return [name for name in get_available_passes() if name.startswith(("eliminate_", "fuse_"))]


def optimize(model: ModelLike, passes: Sequence[str] | None = None, fixed_point: bool = False, **ignored: Any) -> Any:
    """Returns the optimized onnx.ModelProto. Rewrites always run until nothing changes any more."""
    if isinstance(model, (str, bytes)):
        raise ValueError(f"Optimizer only accepts ModelProto, incorrect type: {type(model)}")
    loaded = as_model(model).copy()
    _tasks.optimize(loaded, only=list(passes) if passes else None, allow_growth=True)
    return loaded.to_proto()


def optimize_fixed_point(model: ModelLike, passes: Sequence[str] | None = None) -> Any:
    return optimize(model, passes, fixed_point=True)
