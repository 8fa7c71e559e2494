"""What a language model costs, from its config alone: the command `onnxpress llm` as a function."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, Mapping, Union

from ._calls import to_json
from ._onnxpress import _llm, _llm_names
from ._report import Report

Number = Literal["float", "float16", "bfloat16", "float8", "int8", "int4", "int3", "int2"]


def llm(
    config: Union[str, "os.PathLike[str]", Mapping[str, Any]],
    *,
    batch: Union[None, int] = None,
    prompt: Union[None, int] = None,
    new_tokens: Union[None, int] = None,
    layers: Union[None, int] = None,
    weights: Union[None, Number] = None,
    kv: Union[None, Number] = None,
    activations: Union[None, Number] = None,
    all_logits: Union[None, bool] = None,
    causal: Union[None, bool] = None,
    device: Union[None, str, "os.PathLike[str]"] = None,
    onnx: Union[None, str, "os.PathLike[str]"] = None,
    phase: Union[None, Literal["prefill", "decode"]] = None,
    opset: Union[None, int] = None,
) -> Report:
    """Parameters, multiply-adds, bytes, cache and time of a language model, from its config.json.

    >>> onnxpress.llm("llama-3-8b", weights="int4", device="rtx-4090").projection.tokens_per_s
    >>> onnxpress.llm(transformers.AutoConfig.from_pretrained("...").to_dict()).parameters

    config: a config.json, its content as a dict, or a known name (llm_names() lists them)
    batch: number of sequences processed at once (default 1)
    prompt: tokens in the prompt, or tokens that an encoder reads (default 1024)
    new_tokens: tokens to generate (default 128)
    layers: count only this many layers (default: all)
    weights, kv, activations: how matrices, the cache and activations are stored (default float16)
    all_logits: the head computes every position of the prompt, not only the last
    causal: do not count scores that the causal mask and windows remove
    device: estimate times on this device: a name, or a JSON file with its figures
    onnx: also write the model as a graph, without storing weights
    phase, opset: phase and opset of that graph
    """
    options: dict[str, Any] = {
        "batch": batch, "prompt": prompt, "new_tokens": new_tokens, "layers": layers, "weights": weights, "kv": kv,
        "activations": activations, "all_logits": all_logits, "causal": causal, "device": device, "phase": phase, "opset": opset,
    }  # fmt: skip
    text = json.dumps(dict(config), default=str) if isinstance(config, Mapping) else os.fspath(config)
    return Report(json.loads(_llm(text, to_json(options), os.fspath(onnx) if onnx else "")))


def llm_names() -> list[str]:
    """The names of models that llm() knows.

    >>> [name for name in onnxpress.llm_names() if "llama" in name]
    """
    return _llm_names()
