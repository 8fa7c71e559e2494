"""onnxpress.llm mirrors the command: names, dicts and files, its options, its errors."""
import inspect
import json

import onnxpress
import pytest
from onnxpress import _onnxpress

CONFIG = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100}


def test_names_dicts_and_files_say_the_same(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    expected = 2 * 64 * 100 + 2 * (4 * 64 * 64 + 3 * 64 * 128 + 2 * 64) + 64
    assert onnxpress.llm(CONFIG).parameters == onnxpress.llm(path).parameters == expected
    assert onnxpress.llm("gpt2").parameters == 124_439_808
    assert "gpt2" in onnxpress.llm_names()


def test_options_are_those_of_the_library():
    keywords = set(inspect.signature(onnxpress.llm).parameters) - {"config", "onnx"}
    assert keywords == {name for name, _, _ in _onnxpress._llm_options()}


def test_projection_and_graph(tmp_path):
    report = onnxpress.llm(CONFIG, device="t4", prompt=16, new_tokens=4, weights="int4", onnx=tmp_path / "m.onnx", phase="prefill")
    assert report.projection.device == "t4" and report.projection.tokens_per_s > 0
    sizes = {"batch": 1, "sequence": 16}
    assert onnxpress.profile(tmp_path / "m.onnx", dim=sizes).loaded_parameters >= report.parameters


def test_mistakes():
    with pytest.raises(onnxpress.Error, match="did you mean 'llama-3-8b'"):
        onnxpress.llm("llama-3-8")
    with pytest.raises(onnxpress.Error, match="did you mean 'rtx-4090'"):
        onnxpress.llm("gpt2", device="rtx4090")
    with pytest.raises(onnxpress.Error):
        onnxpress.llm({"model_type": "llama"})
