"""Reads, shrinks, optimizes, profiles and edits ONNX models.

>>> import onnxpress
>>> model = onnxpress.Model.load("model.onnx")
>>> onnxpress.optimize(model).nodes_after
>>> onnxpress.quantize(model, to="int8")
>>> model.save("small.onnx")

Every function takes a Model, a path, bytes, an onnx.ModelProto or an open file, and has keywords with the names of the
command's flags. Reports are objects: attributes, to_dict(), and a table in notebooks. Mistakes raise onnxpress.Error.
"""

from ._batch import BatchResult, batch
from ._llm import llm, llm_names
from ._onnxpress import Buffer, Error, Graph, MissingFile, Model, Node, Tensor, Value, __version__
from ._report import Report
from ._shapes import ShapeEngine
from ._tasks import (
    check,
    convert,
    diff,
    edit,
    expand,
    extract,
    infer,
    info,
    merge,
    optimize,
    profile,
    quantize,
    run,
    shrink,
    split,
    verify,
)

__all__ = [
    "BatchResult",
    "Buffer",
    "Error",
    "Graph",
    "MissingFile",
    "Model",
    "Node",
    "Report",
    "ShapeEngine",
    "Tensor",
    "Value",
    "__version__",
    "batch",
    "check",
    "convert",
    "diff",
    "edit",
    "expand",
    "extract",
    "infer",
    "info",
    "llm",
    "llm_names",
    "merge",
    "optimize",
    "profile",
    "quantize",
    "run",
    "shrink",
    "split",
    "verify",
]
