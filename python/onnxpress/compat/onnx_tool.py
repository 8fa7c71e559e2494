"""onnx_tool: the functions of its README."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

from .. import _tasks
from .._calls import ModelLike, as_model
from ._onnx_tool_graph import Graph, Model, Node, ShapeEngine, Tensor, name_of

__all__ = [
    "Graph",
    "Model",
    "Node",
    "ShapeEngine",
    "Tensor",
    "create_ndarray_f32",
    "create_ndarray_int64",
    "loadmodel",
    "model_constant_folding",
    "model_export_tensors_numpy",
    "model_io_modify",
    "model_opfusion",
    "model_profile",
    "model_reorder_nodes",
    "model_shape_infer",
    "model_shape_regress",
    "model_subgraph",
]


def create_ndarray_f32(shape: Sequence[int]) -> Any:
    """An array of ones, for an input of which only the shape matters.

    >>> model_profile("model.onnx", {"x": create_ndarray_f32((1, 3, 224, 224))})
    """
    import numpy

    return numpy.ones(shape, dtype=numpy.float32)


def create_ndarray_int64(shape: Sequence[int]) -> Any:
    """An array of zeros, for an input of indices.

    >>> model_profile("model.onnx", {"tokens": create_ndarray_int64((1, 128))})
    """
    import numpy

    return numpy.zeros(shape, dtype=numpy.int64)


def loadmodel(m: ModelLike, mcfg: Mapping[str, Any] | None = None) -> Model:
    """Loads a model. Raises onnxpress.Error if it is not one.

    >>> loadmodel("model.onnx").graph.print_node_map()
    """
    return Model(m, mcfg)


def _shapes(arrays: Mapping[str, Any] | None) -> dict[str, list[int]] | None:
    """Shapes, from shapes or from arrays."""
    if not arrays:
        return None
    return {name: list(getattr(each, "shape", each)) for name, each in arrays.items()}


def model_profile(
    m: ModelLike,
    dynamic_shapes: Mapping[str, Any] | None = None,
    exclude_ops: Sequence[str] | None = None,
    hidden_ops: Sequence[str] | None = None,
    mcfg: Mapping[str, Any] | None = None,
    save_profile: str | None = None,
    save_model: str | None = None,
    shape_only: bool = False,
    no_shape: bool = False,
    **ignored: Any,
) -> Any:
    """Prints the profile, or writes it (.csv or text). Hidden ops are not listed, but are included in the totals. Returns the report.

    >>> model_profile("model.onnx", save_profile="profile.csv")
    """
    loaded = as_model(m)
    report = _tasks.profile(loaded, shape=_shapes(dynamic_shapes))
    hidden = {*(exclude_ops or ()), *(hidden_ops or ())}
    columns = ["Name", "Type", "Forward_MACs", "FPercent", "Memory", "Params", "InShape", "OutShape"]
    total = max(report.macs.value or 0, 1)
    rows = []
    for node in report.node_list:
        if node.op in hidden or not node.counted:
            continue
        rows.append(
            [node.name, node.op, node.macs or 0, f"{(node.macs or 0) / total:.2%}", (node.written or 0) + node.weight_bytes,
             node.parameters, node.inputs[0] if node.inputs else "", node.outputs[0] if node.outputs else ""]
        )
    rows.append(["Total", "_", report.macs.value, "100%", report.memory.activations + report.weight_bytes, report.parameters, "_", "_"])
    if save_profile and ".csv" in save_profile:
        import csv

        with open(save_profile, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([columns, *rows])
    else:
        widths = [max(len(str(row[i])) for row in [columns, *rows]) for i in range(len(columns))]
        text = "\n".join("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [columns, *rows])
        if save_profile:
            with open(save_profile, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        else:
            print(text)
    if save_model:
        model_shape_infer(loaded, dynamic_shapes, save_model)
    return report


def model_shape_infer(
    m: ModelLike, dynamic_shapes: Mapping[str, Any] | None = None, saveshapesmodel: str | None = None, **ignored: Any
) -> Any:
    """Infers all shapes, with symbols where none are given, and writes the model.

    >>> model_shape_infer("model.onnx", {"x": (1, 3, 224, 224)}, saveshapesmodel="shapes.onnx")
    """
    loaded = as_model(m).copy()
    report = _tasks.infer(loaded, shape=_shapes(dynamic_shapes))
    if saveshapesmodel:
        loaded.save(saveshapesmodel)
    return report


def model_constant_folding(m: ModelLike, save_model: str) -> None:
    """Folds constants and writes the model.

    >>> model_constant_folding("model.onnx", "folded.onnx")
    """
    loaded = as_model(m).copy()
    _tasks.optimize(loaded, only=["fold-constants"], allow_growth=True)
    loaded.save(save_model)


def model_reorder_nodes(m: ModelLike, save_model: str) -> None:
    """Writes the model with its nodes in topological order.

    >>> model_reorder_nodes("model.onnx", "sorted.onnx")
    """
    _tasks.convert(as_model(m), save_model, repair=True)


def model_io_modify(m: ModelLike, save_model: str, custom_io: Mapping[str, str]) -> None:
    """Changes the shapes of inputs and outputs ({'x': '1x3xHxW'}); the values between them follow.

    >>> model_io_modify("model.onnx", "dynamic.onnx", {"x": "1x3xHxW"})
    """
    loaded = as_model(m).copy()
    _tasks.edit(loaded, set_shape={name: shape.split("x") for name, shape in custom_io.items()})
    loaded.save(save_model)


def model_subgraph(
    m: ModelLike,
    in_tensor_names: Sequence[str] | None = None,
    out_tensor_names: Sequence[str] | None = None,
    nodenames: Sequence[str] | None = None,
    save_folder: str = "./",
) -> None:
    """Writes NAME_subgraph.onnx for nodes, or NAME_level0..2.onnx: the parts before, between and after the values.

    >>> model_subgraph("model.onnx", ["relu1"], ["pool5"], save_folder="parts")
    """
    loaded = as_model(m)
    stem = os.path.splitext(os.path.basename(loaded.path or "model"))[0]
    os.makedirs(save_folder, exist_ok=True)
    if nodenames:
        _tasks.extract(loaded, nodes=list(nodenames)).model.save(os.path.join(save_folder, f"{stem}_subgraph.onnx"))
        return
    inputs, outputs = list(in_tensor_names or ()), list(out_tensor_names or ())
    ends = [value.name for value in loaded.graph.outputs]
    parts = [([], inputs), (inputs, outputs), (outputs + inputs, [e for e in ends if e not in outputs])]
    for level, (given, wanted) in enumerate(parts):
        made = [name for name in wanted if level or loaded.graph.value(name).producer is not None]
        if made:
            part = _tasks.extract(loaded, inputs=given, outputs=made).model
            part.save(os.path.join(save_folder, f"{stem}_level{level}.onnx"))


def model_opfusion(
    m: ModelLike,
    op_type: str,
    op_name: str,
    save_file: str,
    in_tensor_names: Sequence[str] | None = None,
    out_tensor_names: Sequence[str] | None = None,
    nodenames: Sequence[str] | None = None,
    keep_attr: bool = True,
) -> None:
    """Replaces the given nodes, or those between the values, by one node with their attributes. The new op is a function of the model, so ONNX
    Runtime still runs it.

    >>> model_opfusion("model.onnx", "ConvRelu", "stem", "fused.onnx", nodenames=["conv1", "relu1"])
    """
    loaded = as_model(m).copy()
    if not nodenames:
        between = loaded.graph.nodes_between(list(in_tensor_names or ()), list(out_tensor_names or ()))
        nodenames = [name_of(node) for node in between]
    Graph(loaded).fuse_subgraph_node_names(nodenames, op_type, op_name, keep_attr)
    loaded.save(save_file)


def model_shape_regress(
    m: ModelLike, input_desc: Mapping[str, Sequence[Any]], input_range: Mapping[str, Any] | None = None
) -> tuple[ShapeEngine, Graph]:
    """Returns the shape engine, which is exact instead of fitted, and the compute graph.

    >>> engine, compute_graph = model_shape_regress("model.onnx", {"x": [1, 3, "h", "w"]})
    """
    graph = Graph(Graph(as_model(m))._described(input_desc))
    return graph.shape_regress({}), graph.get_compute_graph()


def model_export_tensors_numpy(
    m: ModelLike, tensornames: Sequence[str] | None = None, savefolder: str | None = None, fp16: bool = False
) -> None:
    """Writes one .npy file for each weight.

    >>> model_export_tensors_numpy("model.onnx", savefolder="weights")
    """
    import numpy

    folder = savefolder or "."
    os.makedirs(folder, exist_ok=True)
    for value in as_model(m).graph.initializers:
        tensor = value.tensor
        if tensor is None or (tensornames and value.name not in tensornames):
            continue
        array = tensor.numpy()
        if fp16 and array.dtype.kind == "f":
            array = array.astype(numpy.float16)
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in value.name).lstrip(".") or "_"
        numpy.save(os.path.join(folder, safe[:100] + ".npy"), array)
