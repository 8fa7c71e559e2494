"""Does `onnxpress shrink --quality DB` reach that quality? Measured on inputs that it has never seen:

  .venv/bin/python bench/promise.py [--quality 20,30,40] [--seeds 3] [--judges 1] [--judge 4711] [--onnxpress PATH] [model.onnx | name ...]

Models are those of tests/python/strange_models.py, or files; by default, all strange ones and models/*.onnx up to --largest bytes.
Each result and the original are run in ONNX Runtime on fresh inputs of every kind; what counts is the worst output for the worst
input. Goals: never more than 0.5 dB below the requested quality, and on average less than 3 dB above it.

With --judges N, N judges have --seeds inputs of each kind each. Then the spread is shown, too: how far the mean judge is above the
strictest one. Results that are never below for any of them cannot be closer to the requested quality than that.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import onnx
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))
import strange_models  # noqa: E402
from fresh_inputs import Fresh  # noqa: E402

MAY_MISS, MAY_EXCEED = 0.5, 3.0


def average_above(found):
    """The mean excess. Results without any loss do not count, and no single result counts for more than 40 dB."""
    finite = [value - quality for quality, value in found if value < 300]
    return numpy.mean(numpy.minimum(finite, 40)) if finite else 0


def verdicts(fresh, small, arguments):
    """What each judge finds: the worst of its own inputs; all of them have the zeros."""
    found = [300.0] * arguments.judges
    for seed, snr in zip(fresh.seeds, fresh.snrs(small), strict=True):
        for judge in range(arguments.judges) if seed is None else [seed // arguments.seeds]:
            found[judge] = min(found[judge], snr)
    return found


def measure(name, path, qualities, arguments, rows):
    fresh = Fresh(path, arguments.seeds * arguments.judges, arguments.judge)
    for quality in qualities:
        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "small.onnx"
            begin = time.perf_counter()
            done = subprocess.run([arguments.onnxpress, "shrink", path, "-o", small, "--quality", str(quality), "--json", "--top", "0",
                                   *arguments.options.split()], capture_output=True, text=True)
            seconds = time.perf_counter() - begin
            if done.returncode != 0 and not small.exists():
                print(f"{name:<24} {quality:>4} dB: exit code {done.returncode}: {(done.stderr or done.stdout).strip()[:200]}", flush=True)
                rows.append((name, quality, None))
                continue
            report = json.loads(done.stdout)["weights"] or {}
            found, ratio = verdicts(fresh, small, arguments), small.stat().st_size / path.stat().st_size
            below = sum(each < quality - MAY_MISS for each in found)
            bad = f" BELOW for {below} of {len(found)}" if below and len(found) > 1 else " BELOW" if below else ""
            spread = f" (spread {numpy.mean(found) - min(found):.2f})" if len(found) > 1 else ""
            print(f"{name:<24} {quality:>4} dB: found {numpy.mean(found):6.2f}{spread}, said {report.get('output_snr') or 300:6.2f}, "
                  f"size x {ratio:.3f}, {seconds:5.1f} s{bad}", flush=True)
            rows.append((name, quality, found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--quality", default="20,30,40")
    parser.add_argument("--seeds", type=int, default=3, help="inputs of each kind that a judge has")
    parser.add_argument("--judges", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="seed of the strange models")
    parser.add_argument("--judge", type=int, default=4711, help="first seed of the inputs that results are judged on")
    parser.add_argument("--largest", type=int, default=60_000_000)
    parser.add_argument("--options", default="", help="further options of shrink")
    parser.add_argument("--onnxpress", default=os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
    arguments = parser.parse_args()
    qualities = [float(each) for each in arguments.quality.split(",")]
    files = sorted(each for each in (ROOT / "models").glob("*.onnx") if each.stat().st_size <= arguments.largest)
    names, rows = arguments.models or strange_models.NAMES + [str(each) for each in files], []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = Path(name)
            if name in strange_models.BUILDERS:
                path = Path(folder) / f"{name}.onnx"
                onnx.save(strange_models.build(name, arguments.seed), path)
            try:
                measure(path.stem, path, qualities, arguments, rows)
            except (RuntimeError, onnxruntime.capi.onnxruntime_pybind11_state.Fail) as failed:
                print(f"{path.stem:<24} not measured: {str(failed)[:160]}", flush=True)
    judged = [(quality, values) for _, quality, values in rows if values is not None]
    found = [(quality, value) for quality, values in judged for value in values]
    below, over = sum(value < quality - MAY_MISS for quality, value in found), average_above(found)
    spread = numpy.mean([numpy.mean(values) - min(values) for _, values in judged]) if judged else 0
    print(f"{len(judged)} results, {below} of {len(found)} verdicts more than {MAY_MISS} dB below, on average {over:+.2f} dB above"
          f"{f' (spread {spread:.2f})' if arguments.judges > 1 else ''}; {len(rows) - len(judged)} refused")
    return 1 if below or over > MAY_EXCEED else 0


if __name__ == "__main__":
    sys.exit(main())
