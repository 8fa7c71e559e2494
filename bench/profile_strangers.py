"""Runs `onnxpress profile` on folders of other people's models: nothing crashes, and multiply-adds are those of the oracle.

  .venv/bin/python bench/profile_strangers.py FOLDER...

Each model is profiled as it is. If ONNX Runtime can run it, with open dims of 2 and inputs of ones, it is profiled again for
that run and compared with tests/python/profile_oracle.py. Each model has its own process, so that a crash affects only one row.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
sys.argv, ARGUMENTS = sys.argv[:1], sys.argv[1:]
import numpy  # noqa: E402
import onnx  # noqa: E402
import profile_oracle  # noqa: E402
from test_models_run import session_of  # noqa: E402

ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
LIMIT = 30  # seconds for one call
TYPES = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(float16)": "f2", "tensor(bool)": "?", "tensor(int8)": "i1", "tensor(uint8)": "u1",
         "tensor(int16)": "i2", "tensor(uint16)": "u2", "tensor(int32)": "i4", "tensor(uint32)": "u4", "tensor(int64)": "i8", "tensor(uint64)": "u8"}
# The oracle has no formulas for these.
NO_FORMULA = {"Attention", "MultiHeadAttention", "GroupQueryAttention", "DecoderMaskedSelfAttention", "DecoderMaskedMultiHeadAttention", "QAttention",
              "PackedAttention", "Det", "LinearClassifier", "LinearRegressor", "SVMClassifier", "SVMRegressor", "PackedMultiHeadAttention", "LongformerAttention", "DFT", "STFT", "MelWeightMatrix", "DeformConv", "FusedMatMul", "FusedGemm",
              "TransposeMatMul", "MoE", "QMoE", "QGemm", "NhwcConv", "QLinearConvTranspose", "SparseAttention", "GatedRelativePositionBias", "Rfft", "Irfft",
              "MatMulBnb4", "MatMulFpQ4", "AttnLSTM", "CausalConvWithState", "LinearAttention", "PagedAttention", "RelativePositionBias"}


def profile(path, *options):
    """(exit code or a word, report)."""
    try:
        done = subprocess.run([str(ONNXPRESS), "profile", str(path), "--json", *options], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "timeout", None
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def feeds_of(session):
    feeds = {}
    for each in session.get_inputs():
        if each.type not in TYPES:
            raise ValueError(f"an input of type {each.type}")
        shape = [dim if isinstance(dim, int) and dim >= 0 else 2 for dim in each.shape]
        feeds[each.name] = numpy.ones(shape, TYPES[each.type])
    return feeds


def bindings_of(feeds):
    """Shapes, and the values of small integers, which the sizes of results may depend on."""
    options = []
    for name, value in feeds.items():
        if value.dtype.kind in "iub" and value.ndim <= 1 and 0 < value.size <= 8:
            options += ["--value", f"{name}={','.join('1' for _ in range(value.size))}"]
        if value.shape:
            options += ["--shape", f"{name}={'x'.join(map(str, value.shape))}"]
    return options


def name_nodes(graph, prefix="node"):
    """Names the nodes, because the oracle finds them by name."""
    for i, node in enumerate(graph.node):
        node.name = f"{prefix}.{i}"
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                name_nodes(attribute.g, f"{node.name}.{attribute.name}")


def judge(path):
    """One word for the table, and a remark."""
    code, report = profile(path)
    if code not in (0, 1, 2, 3):
        return "CRASH", f"exit code {code}"
    if code != 0:
        return "refused", report.splitlines()[0] if report else ""
    try:
        model = onnx.load(str(path))
        name_nodes(model.graph)
        onnx.save(model, "named.onnx")
        feeds = feeds_of(session_of("named.onnx"))
        expected = sum(profile_oracle.total_macs("named.onnx", feeds).values())
    except Exception as error:  # noqa: BLE001 (whatever the runtime refuses)
        return "profiled, no oracle", str(error).splitlines()[0][:100]
    ops = {node.op_type for node in profile_oracle.nodes_of(model.graph).values()} | {node.op_type for f in model.functions for node in f.node}
    if ops & NO_FORMULA:
        return "profiled, no formula", ""
    code, report = profile(path, *bindings_of(feeds))
    if code != 0:
        return "bindings refused", str(report)[:150]
    found, at_least = report["macs"]["value"], report["macs"]["at_least"]
    if found == expected:
        return "equal", ""
    if at_least and (found or 0) < expected:
        return "at least", f"{found} of {expected} {report['unknown_ops']}"
    return "DIFFERS", f"{found} instead of {expected}, {sorted(ops)[:6]}"


def in_process(path):
    """Runs in a child process that reports through a pipe, because the runtime may crash, too."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.write(write, json.dumps(judge(path)).encode()[:4000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else ("the runtime crashed", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args(ARGUMENTS)
    paths = sorted(path for folder in arguments.folders for path in folder.rglob("*.onnx"))
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # where the runtime may leave files
        for path in paths:
            word, remark = in_process(path)
            counts[word] += 1
            if word not in ("equal", "profiled, no formula"):
                print(f"{word}: {path}: {remark}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.most_common()))
    return any(word.isupper() for word in counts)


if __name__ == "__main__":
    sys.exit(main())
