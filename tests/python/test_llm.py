"""`onnxpress llm`: known models have the published number of parameters; the graph that it writes, counted by `profile`, has the same parameters
and multiply-adds as the report, for a prompt and for one more token, in both forms of attention; small graphs run in ONNX Runtime.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
ROOT = Path(__file__).resolve().parent.parent.parent
BATCH, PROMPT, LAYERS = 3, 40, 2
KNOWN = re.findall(r'\{"([^"]+)", (\d+), R', (ROOT / "onnxpress/tasks/llm/known_llms.cpp").read_text())
# One of each family, and each kind of attention and of experts.
GRAPHS = ["llama-3-8b", "mistral-7b", "mixtral-8x7b", "qwen2.5-0.5b", "qwen1.5-moe-a2.7b", "qwen3-0.6b", "qwen3-30b-a3b", "phi-2", "phi-3-mini",
          "gemma-2b", "gemma-2-2b", "gemma-3-1b", "deepseek-v2-lite", "deepseek-v3", "gpt2", "gpt-j-6b", "pythia-1.4b", "mpt-7b",
          "bert-base-uncased", "roberta-base", "t5-base", "whisper-tiny"]
# These also with attention spelled out: groups of queries for each key, biases of each kind, attention between encoder and decoder.
SPELLED_OUT = ["qwen2.5-0.5b", "deepseek-v2-lite", "gpt2", "mpt-7b", "t5-base"]
TINY = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48, "vocab_size": 50,
        "max_position_embeddings": 64, "head_dim": 8}
RUNNABLE = [{"model_type": "llama"}, {"model_type": "qwen3"}, {"model_type": "gpt2", "num_key_value_heads": 4},
            {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2},
            {"model_type": "deepseek_v2", "num_key_value_heads": 4, "kv_lora_rank": 16, "q_lora_rank": 12, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4,
             "v_head_dim": 6, "n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1, "moe_intermediate_size": 16, "first_k_dense_replace": 1},
            {"model_type": "bert", "num_key_value_heads": 4, "type_vocab_size": 2},
            {"model_type": "t5", "num_key_value_heads": 4},
            {"model_type": "whisper", "num_key_value_heads": 4, "num_mel_bins": 8, "max_source_positions": 20}]


def call(*arguments):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def sizes_of(report, phase):
    """The dims of the graph for which the report has numbers."""
    text = report["family"] == "t5"
    start = 1 if text else PROMPT
    sequence, past = (start, 0) if phase == "prefill" else (1, start)
    source = PROMPT if text else 1500
    return {"batch": BATCH, "sequence": sequence, "past": past, "source": source, "total": past + sequence}


class Llm(unittest.TestCase):
    def test_parameters_are_those_published(self):
        self.assertGreater(len(KNOWN), 40)
        for name, parameters in KNOWN:
            with self.subTest(model=name):
                self.assertEqual(json.loads(call("llm", name, "--json"))["parameters"], int(parameters))

    def test_graphs_count_the_same(self):
        for name in GRAPHS:
            for phase in ("prefill", "decode"):
                for opset in (23, 21) if name in SPELLED_OUT else (23,):
                    with self.subTest(model=name, phase=phase, opset=opset), tempfile.TemporaryDirectory() as folder:
                        self.compare(name, phase, opset, Path(folder) / "m.onnx")

    def compare(self, name, phase, opset, graph):
        options = ["--batch", BATCH, "--prompt", PROMPT, "--layers", LAYERS]
        report = json.loads(call("llm", name, *options, "--onnx", graph, "--phase", phase, "--opset", opset, "--json"))
        if not report["decodes"] and phase == "decode":
            return
        there = symbols_of(graph)
        sizes = sizes_of(report, phase)
        dims = [word for name_, size in sizes.items() if name_ in there for word in ("--dim", f"{name_}={size}")]
        profile = json.loads(call("profile", graph, *dims, "--json"))
        self.assertEqual(profile["macs"]["value"], report[f"{phase}_macs"])
        self.assertFalse(profile["macs"]["at_least"])
        parameters = report["parameters"]
        if phase == "decode" and name.startswith(("t5", "whisper")):
            return  # the graph does not include the encoder
        if opset >= 23:
            self.assertEqual(profile["loaded_parameters"], parameters)
        else:  # scales and limits of the mask are numbers in the graph
            self.assertLessEqual(abs(profile["loaded_parameters"] - parameters), 8)

    def test_small_graphs_run(self):
        for extra in RUNNABLE:
            for phase in ("prefill", "decode"):
                for opset in (23, 21):
                    with self.subTest(config=extra, phase=phase, opset=opset), tempfile.TemporaryDirectory() as folder:
                        self.run_graph({**TINY, **extra}, phase, opset, Path(folder))

    def run_graph(self, config, phase, opset, folder):
        (folder / "config.json").write_text(json.dumps(config))
        graph = folder / "m.onnx"
        call("llm", folder / "config.json", "--onnx", graph, "--phase", phase, "--opset", opset, "--activations", "float")
        onnx.checker.check_model(onnx.load(graph), full_check=True)
        call("check", graph)
        session = onnxruntime.InferenceSession(str(graph), providers=["CPUExecutionProvider"])
        sizes = {"batch": 2, "sequence": 1 if phase == "decode" else 5, "past": 7, "source": 20, "total": 8}
        feeds = {}
        for each in session.get_inputs():
            shape = [sizes.get(dim, dim) for dim in each.shape]
            feeds[each.name] = numpy.ones(shape, numpy.int64 if "int64" in each.type else numpy.float32)
        for each in session.run(None, feeds):
            self.assertTrue(numpy.isfinite(each).all())

    def test_projection(self):
        report = json.loads(call("llm", "llama-3-8b", "--weights", "int4", "--device", "rtx-4090", "--json"))
        on = report["projection"]
        # All weights except the embedding, at four and a half bits each, are read for a token, and memory is the limit.
        least = 1000 * (8_030_261_248 - 128_256 * 4096) * 4.5 / 8 / 1008e9
        self.assertGreater(on["first_token_ms"], least)
        self.assertLess(on["first_token_ms"], 1.1 * least)
        self.assertGreater(on["prefill_ms"], 1000 * 2 * report["prefill_macs"] / 165.2e12)
        self.assertTrue(on["fits"])
        self.assertEqual({part["decode_bound"] for part in report["parts"]}, {"memory"})
        self.assertEqual(sum(part["prefill_macs"] for part in report["parts"]), report["prefill_macs"])
        self.assertFalse(json.loads(call("llm", "llama-3.1-70b", "--device", "rtx-4090", "--json"))["projection"]["fits"])

    def test_what_the_mask_removes(self):
        every = json.loads(call("llm", "gpt2", "--prompt", 100, "--json"))["prefill_macs"]
        kept = json.loads(call("llm", "gpt2", "--prompt", 100, "--causal", "--json"))["prefill_macs"]
        self.assertEqual(every - kept, 12 * 2 * 768 * (100 * 100 - 100 * 101 // 2))
        window = {"model_type": "mistral", **TINY, "sliding_window": 10}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.json"
            path.write_text(json.dumps(window))
            report = json.loads(call("llm", path, "--prompt", 30, "--new-tokens", 10, "--json"))
            self.assertEqual(report["kv_bytes"], 2 * 2 * 2 * 8 * 10 * 2)  # layers, key and value, heads, width, tokens, bytes

    def test_activations_fit_the_memory_plan_of_the_graph(self):
        # The cache is counted separately: results of the graph that are part of it are not in the report's figure.
        for name in ("llama-2-7b", "gpt2", "qwen3-8b", "phi-2", "bert-base-uncased", "mpt-7b"):
            with self.subTest(model=name), tempfile.TemporaryDirectory() as folder:
                graph = Path(folder) / "graph.onnx"
                report = json.loads(call("llm", name, "--layers", 2, "--prompt", 256, "--activations", "float", "--all-logits", "--onnx", graph, "--phase",
                                         "prefill", "--json"))
                plan = json.loads(call("profile", graph, "--dim", "batch=1", "--dim", "sequence=256", "--json"))["memory"]
                without_cache = plan["peak"] - sum(each["bytes"] for each in plan["alive"] if each["name"].startswith("present"))
                self.assertLessEqual(without_cache, report["activation_bytes"])
                self.assertGreaterEqual(without_cache, 0.85 * report["activation_bytes"])

    def test_mistakes(self):
        for arguments, message in [(("llm", "llama-9"), "neither a file nor a known model"), (("llm", "gpt2", "--device", "abacus"), "known device")]:
            done = subprocess.run([ONNXPRESS, *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn(message, done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.json"
            for text in ["[]", "{", '{"model_type": "abc"}', '{"model_type": "llama"}', '{"model_type": "llama", "hidden_size": -1}',
                         '{"model_type": "llama", "hidden_size": 99999999999999999999}', '{"model_type": "llama", "hidden_size": 1e5}', "[" * 5000,
                         '{"model_type":"llama","hidden_size":8,"num_hidden_layers":9,"num_attention_heads":3,"num_key_value_heads":2,"vocab_size":4}']:
                path.write_text(text)
                done = subprocess.run([ONNXPRESS, "llm", str(path)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 3, text[:60])
                self.assertIn("error:", done.stderr)


def symbols_of(graph):
    model = onnx.load(graph)
    return sorted({dim.dim_param for each in model.graph.input for dim in each.type.tensor_type.shape.dim if dim.dim_param})


if __name__ == "__main__":
    unittest.main()
