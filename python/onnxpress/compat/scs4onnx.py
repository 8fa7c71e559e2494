"""scs4onnx.shrinking."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Sequence

from .. import _onnxpress
from .._calls import ModelLike, as_model, to_json


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
    options = {
        "target": "any",
        "npy": True if mode == "npy" else None,
        "npy_names": "scs4onnx",
        "extract_node": list(forced_extraction_op_names) or None,
        "extract": list(forced_extraction_constant_names) or None,
        "narrow_types": None if disable_auto_downcast else True,
    }
    with tempfile.TemporaryDirectory() as folder:
        source = input_onnx_file_path
        if onnx_graph is not None:
            source = os.path.join(folder, "model.onnx")
            as_model(onnx_graph).save(source)
        output = output_onnx_file_path or os.path.join(folder, "shrunk.onnx")
        report = json.loads(_onnxpress._shrink_file(source, output, to_json(options)))
        files = [each["path"] for each in report["files"] if each["path"].endswith(".npy")]
        model = onnx.load(output)
    return model, files
