"""onnx_shrink_ray, whose functions are in its module `shrink`."""

from .shrink import float_quantize_weights, print_weight_info, quantize_weights

__all__ = ["float_quantize_weights", "print_weight_info", "quantize_weights"]
