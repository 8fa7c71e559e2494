"""`onnxpress shrink --weights` side by side with ONNX Shrink Ray on the real float models:

  .venv/bin/python bench/weights.py [model ...]

Size of the file, after gzip -9 and brotli -11, SQNR of the weights, and SNR of the outputs (ONNX Runtime, normal inputs: the mean of
noise over signal of all outputs). Goals are shown beside what was measured; a goal that is missed is reported, not hidden, and fails
nothing. The peer runs in a venv of its own under build/; where that cannot be made, the published figures stand in, and that is said.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
ARGUMENTS, sys.argv = sys.argv[1:], sys.argv[:1]
from test_weights import outputs_of, snr  # noqa: E402
from test_models_run import inputs_of  # noqa: E402

ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
MODELS = Path(os.environ.get("MODELS", ROOT / "models"))
PEER = ROOT / "build" / "peers" / "onnx_shrink_ray"
# What the peer reaches at its int8 setting: file MB, brotli MB, output SNR dB (measured by us earlier, for when it cannot be installed).
KNOWN = {"yolov8n": (3.72, 2.31, 37.5), "ddddocr_det": (5.51, 4.09, 30.5), "ddddocr": (13.76, 6.29, 22.8),
         "retinaface_mnet25_v1": (0.89, 0.71, 22.2), "silero_vad_legacy": (0.64, 0.35, 38.3)}
SETTINGS = [("int8", ["--weights", "int8"]), ("small", ["--weights", "small"]),
            ("int8 brotli", ["--scheme", "levels=255", "--optimize-for", "brotli"]),
            ("int4", ["--weights", "int4"]), ("fp16", ["--weights", "fp16"]), ("levels 256", ["--levels", "256"])]


def peer_python():
    """The venv with the peer, made once; None when it cannot be made."""
    python = PEER / "bin" / "python"
    if not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", PEER]).returncode == 0 and subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "onnx_shrink_ray==0.0.8", "onnxruntime", "numpy<2"]).returncode == 0
        if not made:
            print("SKIPPED: onnx_shrink_ray 0.0.8 could not be installed; its figures below are from an earlier run")
            return None
    return python


def compressed(path):
    data = path.read_bytes()
    try:
        import brotli
        small = len(brotli.compress(data, quality=11, lgwin=24))
    except ImportError:
        done = subprocess.run(["brotli", "-q", "11", "-w", "24", "-c", path], capture_output=True)
        small = len(done.stdout) if done.returncode == 0 else float("nan")
    return len(gzip.compress(data, 9)), small


def measure(path, small, inputs, reference):
    zipped, brotlied = compressed(small)
    try:
        found = snr(reference, outputs_of(small, inputs, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL))
    except Exception as failure:  # the peer's models need not load
        print(f"   {small.name}: {str(failure)[:100]}")
        found = float("nan")
    return small.stat().st_size / 1e6, zipped / 1e6, brotlied / 1e6, found


def show(name, what, figures, weights=float("nan"), seconds=float("nan")):
    file, zipped, brotlied, outputs = figures
    print(f"{name:<22} {what:<12} {file:8.2f} {zipped:8.2f} {brotlied:8.2f} {weights:8.1f} {outputs:8.1f} {seconds:8.2f}", flush=True)


def shrink_ray(python, path, folder):
    begin = time.perf_counter()
    done = subprocess.run([python, "-m", "onnx_shrink_ray.shrink", "-o", folder, "-s", ".peer.onnx", path], capture_output=True, text=True)
    made = folder / f"{path.stem}.peer.onnx"
    if done.returncode != 0 or not made.exists():
        print(f"{path.stem:<22} Shrink Ray failed: {(done.stderr.strip().splitlines() or ['no output'])[-1][:100]}")
        return None, 0
    return made, time.perf_counter() - begin


def compare(path, python, folder):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    inputs = inputs_of(path.stem, session, False, numpy.random.default_rng(7))
    reference = session.run(None, inputs)
    show(path.stem, "original", measure(path, path, inputs, reference))
    peer = None
    if python:
        made, seconds = shrink_ray(python, path, folder)
        if made:
            peer = measure(path, made, inputs, reference)
            show(path.stem, "Shrink Ray", peer, seconds=seconds)
    elif path.stem in KNOWN:
        file, brotlied, outputs = KNOWN[path.stem]
        peer = (file, float("nan"), brotlied, outputs)
        show(path.stem, "Shrink Ray *", peer)
    goals = []
    for what, options in SETTINGS:
        small = folder / f"{path.stem}.{what.replace(' ', '_')}.onnx"
        begin = time.perf_counter()
        done = subprocess.run([ONNXPRESS, "shrink", path, "-o", small, *options, "--json"], capture_output=True, text=True, check=True)
        seconds = time.perf_counter() - begin
        figures = measure(path, small, inputs, reference)
        show(path.stem, what, figures, json.loads(done.stdout)["weights"]["sqnr"] or float("inf"), seconds)
        if peer and what == "int8":
            goals += [("file", figures[0] <= peer[0]), ("output SNR", figures[3] > peer[3])]
        if peer and what == "int8 brotli":
            goals += [("brotli", figures[2] <= peer[2])]
    for goal, reached in goals:
        print(f"{path.stem:<22} better than Shrink Ray in {goal}: {'yes' if reached else 'NO'}")


def speed(folder):
    """Float input per second and core: a model of one large weight per setting, one thread by taskset."""
    model = folder / "large.onnx"
    subprocess.run([ONNXPRESS, "generate", "mlp", "-o", model, "--bytes", "512MB"], capture_output=True)
    if not model.exists():
        print("speed: `onnxpress generate` made no model of that kind; not measured")
        return
    for what, options, goal in (("int8 per channel", ["--scheme", "int8"], 1000), ("int4 block 32", ["--scheme", "int4 block=32 asym"], 100)):
        begin = time.perf_counter()
        subprocess.run(["taskset", "-c", "0", ONNXPRESS, "shrink", model, "-o", folder / "out.onnx", *options], check=True, capture_output=True)
        rate = model.stat().st_size / 1e6 / (time.perf_counter() - begin)
        print(f"speed: {what}: {rate:.0f} MB/s and core, reading and writing included (goal {goal})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", default=list(KNOWN))
    parser.add_argument("--no-speed", action="store_true")
    arguments = parser.parse_args(ARGUMENTS)
    print(f"{'model':<22} {'setting':<12} {'file MB':>8} {'gzip':>8} {'brotli':>8} {'weights':>8} {'outputs':>8} {'seconds':>8}")
    with tempfile.TemporaryDirectory() as made_in:
        peer_at = peer_python()
        for each in arguments.models:
            compare(MODELS / f"{each}.onnx", peer_at, Path(made_in))
        if not arguments.no_speed:
            speed(Path(made_in))
