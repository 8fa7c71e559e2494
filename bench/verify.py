"""Runs `onnxpress verify` on our own results, for every real model:

  .venv/bin/python bench/verify.py [--engine ort|onnxpress] [--seconds 300] [models/*.onnx]

Runs optimize, shrink and optimize --shrink on each model, and verifies the result: it must be identical, or equal within the floor. The
program is ONNXPRESS (default build/onnxpress); VERIFIER may be another one for the comparison. Exit code 1 when a result differs, or
cannot be compared.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = os.environ.get("ONNXPRESS", str(ROOT / "build" / "onnxpress"))
VERIFIER = os.environ.get("VERIFIER", ONNXPRESS)
RECIPES = {"optimize": ["optimize"], "shrink": ["shrink"], "optimize --shrink": ["optimize", "--shrink"]}


def worst(lines, key):
    numbers = [line[key] for line in lines if line[key] is not None]
    return f"{min(numbers):.1f} dB" if numbers else ""


def verified(model, recipe, runtime, seconds, folder):
    """Cells of the table, and whether the result is good."""
    result = Path(folder) / "result.onnx"
    made = subprocess.run([ONNXPRESS, *recipe, str(model), "-o", str(result)], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return ["", "", "", "", "", f"not made: {made.stderr.strip()}"], False
    begin = time.perf_counter()
    try:
        done = subprocess.run([VERIFIER, "verify", str(model), str(result), "--engine", runtime, "--json"], capture_output=True, text=True,
                              timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return ["", "", "", "", "", f"took more than {seconds} s"], False
    if done.returncode > 1:
        return ["", "", "", "", "", done.stderr.strip()], False
    report = json.loads(done.stdout)
    engine = report["engines"][0]
    why = engine["reason"] or "; ".join(f"{line['output']}: {line['why']}" for line in engine["outputs"] if line["why"])
    if not report["structure"]:
        why = "the same nodes and constants, which proves it"
    return [report["verdict"], str(len(engine["runs"])), worst(engine["outputs"], "snr"), worst(engine["outputs"], "floor_snr"),
            f"{time.perf_counter() - begin:.1f} s", why], report["verdict"] != "differs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--engine", choices=("ort", "onnxpress"), action="append")
    parser.add_argument("--seconds", type=float, default=300, help="time limit for one comparison")
    arguments = parser.parse_args()
    models = arguments.models or sorted(Path(os.environ.get("MODELS", ROOT / "models")).glob("*.onnx"))
    print("| model | result of | runtime | verdict | inputs | worst SNR | floor | time | |\n|---|---|---|---|---:|---:|---:|---:|---|")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for model in sorted(models, key=lambda path: path.stat().st_size):
            for name, recipe in RECIPES.items():
                for runtime in arguments.engine or ("ort", "onnxpress"):
                    cells, fine = verified(model, recipe, runtime, arguments.seconds, folder)
                    good &= fine
                    print(f"| {model.stem} | {name} | {runtime} | {' | '.join(cells)} |", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
