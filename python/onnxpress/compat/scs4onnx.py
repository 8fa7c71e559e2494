"""scs4onnx.shrinking."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Sequence

from .. import _onnxpress, _tasks
from .._calls import ModelLike, as_model


def shrinking(
    input_onnx_file_path: str = "",
    output_onnx_file_path: str = "",
    onnx_graph: ModelLike | None = None,
    mode: str = "shrink",
    forced_extraction_op_names: Sequence[str] = (),
    forced_extraction_constant_names: Sequence[str] = (),
    disable_auto_downcast: bool = False,
    non_verbose: bool = False,
) -> tuple[Any, list[str]]:
    """Returns the shrunk onnx.ModelProto and the .npy files of constants that became inputs.

    Unlike scs4onnx, this narrows only types that all readers accept, and puts the files next to the output.

    >>> model, npy_files = shrinking(input_onnx_file_path="model.onnx", output_onnx_file_path="small.onnx")
    """
    import onnx

    if onnx_graph is None and not input_onnx_file_path:
        raise ValueError("One of input_onnx_file_path or onnx_graph must be specified.")
    files: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        loaded = as_model(onnx_graph).copy() if onnx_graph is not None else as_model(input_onnx_file_path)
        output = output_onnx_file_path or os.path.join(folder, "shrunk.onnx")
        if not disable_auto_downcast:
            _tasks.optimize(loaded, only=["narrow-types"])
        names, nodes = list(forced_extraction_constant_names), list(forced_extraction_op_names)
        if mode == "npy" or names or nodes:
            source = os.path.join(folder, "narrowed.onnx")
            loaded.save(source)
            files = _onnxpress._as_inputs_file(source, output, names, nodes, mode == "npy")
            loaded = as_model(output)
        _tasks.shrink(loaded, target="any", output=output)
        model = onnx.load(output)
    return model, files
