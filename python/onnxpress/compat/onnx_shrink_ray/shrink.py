"""onnx_shrink_ray.shrink: quantize_weights and print_weight_info."""

from __future__ import annotations

from typing import Any

from ... import _tasks
from ..._calls import ModelLike, as_model


def quantize_weights(
    input_data: ModelLike,
    min_elements: int = 16384,
    float_quantization: bool = False,
    float_levels: int = 256,
    verbose: bool = False,
    ir_version: int | None = None,
    per_channel: bool = True,
) -> Any:
    """Returns an onnx.ModelProto whose large weights are 8-bit codes, or have float_levels values.

    Constant tensors, masks and weights with infinities are left as they are; zeros stay zeros. Scales are per channel
    where that gives a better result, regardless of per_channel.

    >>> onnx.save(quantize_weights(onnx.load("model.onnx")), "small.onnx")
    """
    loaded = as_model(input_data).copy()
    if float_quantization:
        _tasks.quantize(loaded, scheme=f"levels={float_levels}", min_elements=min_elements)
    else:
        _tasks.quantize(loaded, to="int8", min_elements=min_elements)
    made = loaded.to_proto()
    if ir_version is not None:
        made.ir_version = ir_version
    return made


def float_quantize_weights(model: ModelLike, float_levels: int = 256, min_elements: int = 16384) -> Any:
    """The same as quantize_weights(float_quantization=True).

    >>> float_quantize_weights(onnx.load("model.onnx"), float_levels=64)
    """
    return quantize_weights(model, min_elements, True, float_levels)


def print_weight_info(filename_or_model: ModelLike, min_elements: int = 16384) -> None:
    """Prints every weight with at least min_elements elements, and the total.

    >>> print_weight_info("model.onnx")
    """
    loaded = as_model(filename_or_model)
    total = 0
    for value in loaded.graph.initializers:
        tensor = value.tensor
        if tensor is None:
            continue
        elements = 1
        for size in tensor.shape:
            elements *= size
        total += tensor.nbytes
        if elements >= min_elements:
            print(f"{value.name}: {list(tensor.shape)}, {elements:,} elements, {tensor.element_type}, {tensor.nbytes:,} bytes")
    print(f"{total:,} bytes of weights")
