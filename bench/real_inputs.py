"""What bench/photographs.py and bench/sounds.py share: results of `quantize --quality` on inputs that nobody made up."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
from fresh_inputs import least_energies, session_of, snr_of  # noqa: E402

MAY_MISS = 0.5  # dB


def add_arguments(parser):
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--quality", default="30")
    parser.add_argument("--largest", type=int, default=60_000_000)
    parser.add_argument("--onnxpress", default=os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))


def measure_all(arguments, inputs_for):
    """Prints a line for each model and quality. inputs_for(port) returns the inputs of a model by name, or nothing if it takes no such inputs."""
    paths = arguments.models or sorted(each for each in (ROOT / "models").glob("*.onnx") if each.stat().st_size <= arguments.largest)
    results = missed = 0
    for path in paths:
        session = session_of(str(path))
        port = session.get_inputs()[0]
        inputs = inputs_for(port) if len(session.get_inputs()) == 1 else {}
        if not inputs:
            continue
        try:
            before = {name: session.run(None, {port.name: made}) for name, made in inputs.items()}
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument as error:
            print(f"{path.stem:<40} not measured: {str(error)[:120]}", flush=True)
            continue
        least = least_energies(onnx.load(path, load_external_data=False), list(before.values()))
        for quality in map(float, arguments.quality.split(",")):
            low = measure(path, port.name, inputs, before, least, quality, arguments.onnxpress)
            results, missed = results + (low is not None), missed + bool(low)
    print(f"{results} results, {missed} of them too low on some input")
    return 1 if missed or not results else 0


def measure(path, port, inputs, before, least, quality, onnxpress):
    """The number of inputs for which the result is too bad, or None if there is no result."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.onnx"
        done = subprocess.run([onnxpress, "quantize", path, "-o", small, "--quality", str(quality), "--quiet"], capture_output=True, text=True)
        if not small.exists():
            print(f"{path.stem:<40} {quality:>4} dB: exit code {done.returncode}: {done.stderr.strip()[:160]}", flush=True)
            return None
        after = session_of(str(small))
        found = sorted((snr_of(before[name], after.run(None, {port: made}), least), name) for name, made in inputs.items())
        low = sum(snr < quality - MAY_MISS for snr, _ in found)
        print(f"{path.stem:<40} {quality:>4} dB: size x {small.stat().st_size / path.stat().st_size:.3f}, {low} of {len(found)} too low, worst: "
              + ", ".join(f"{snr:.1f} {name}" for snr, name in found[:2]) + f"; median {found[len(found) // 2][0]:.1f}", flush=True)
        return low
