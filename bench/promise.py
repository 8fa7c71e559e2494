"""Does `onnxpress quantize --quality DB` reach that quality? Measured on inputs that it has never seen:

  .venv/bin/python bench/promise.py [--quality 20,30,40] [--seeds 3] [--pool 60] [--judge 4711] [--onnxpress PATH] [model.onnx | name ...]

Models are those of tests/python/strange_models.py, or files; by default, all strange ones and models/*.onnx up to --largest bytes.
Each result and the original are run in ONNX Runtime on --pool fresh inputs of every kind (fewer for slow models: --seconds). A judge has
--seeds of each kind, and its verdict is the worst output for the worst of them. From the pool follow the mean verdict of all possible judges,
and the fraction of them that find more than 0.5 dB too little. Goals: none of them, and on average less than 3 dB above.

"bound" is what the mean verdict would be if the same errors were scaled so that one judge in 200 finds too little. With errors like these, nobody
can come closer without failing more of them, not even with all inputs of the pool known.
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

MAY_MISS, MAY_EXCEED = 0.5, 3.0  # dB
RARE, MOST = 0.005, 40


def distribution(fresh, snrs, seeds):
    """All verdicts that judges can find, in ascending order, and the probability of each."""
    kinds = [kind for kind, _, _ in fresh.runs]
    values = numpy.unique(snrs)
    at_least = numpy.ones(len(values) + 1)  # the probability that a verdict is no lower than this value
    for kind in set(kinds):
        of_kind = numpy.sort([snr for snr, each in zip(snrs, kinds, strict=True) if each == kind])
        share = 1 - numpy.searchsorted(of_kind, values, side="left") / len(of_kind)
        at_least[:-1] *= share ** (1 if kind == "zeros" else seeds)
    at_least[-1] = 0
    return values, at_least[:-1] - at_least[1:]


def judged(fresh, snrs, quality, seeds):
    """How far verdicts are above on average, the fraction of them that are too low, and the bound of the former. No verdict counts for more
    than 40 dB above."""
    values, probability = distribution(fresh, snrs, seeds)
    mean = (probability * numpy.minimum(values - quality, MOST)).sum()
    low = values[min(numpy.searchsorted(numpy.cumsum(probability), RARE), len(values) - 1)]
    bound = (probability * numpy.minimum(values - low - MAY_MISS, MOST)).sum()
    return mean, probability[values < quality - MAY_MISS].sum(), bound


def fresh_inputs_of(path, arguments):
    begin = time.perf_counter()
    sizes = {"open_sizes": [arguments.size]} if arguments.size else {}
    few = Fresh(path, arguments.seeds, arguments.judge, **sizes)
    affordable = int(arguments.seconds * arguments.seeds / (time.perf_counter() - begin))
    return few if affordable <= arguments.seeds else Fresh(path, min(arguments.pool, affordable), arguments.judge, **sizes)


def measure(name, path, qualities, arguments, rows):
    fresh = fresh_inputs_of(path, arguments)
    for quality in qualities:
        with tempfile.TemporaryDirectory() as folder:
            small = Path(folder) / "small.onnx"
            begin = time.perf_counter()
            done = subprocess.run([arguments.onnxpress, "quantize", path, "-o", small, "--quality", str(quality), "--json", "--top", "0",
                                   *arguments.options.split()], capture_output=True, text=True)
            seconds = time.perf_counter() - begin
            if done.returncode != 0 and not small.exists():
                print(f"{name:<24} {quality:>4} dB: exit code {done.returncode}: {(done.stderr or json.loads(done.stdout)['refused']).strip()[:200]}", flush=True)
                continue
            report = json.loads(done.stdout)
            snrs, ratio = fresh.snrs(small), small.stat().st_size / path.stat().st_size
            mean, missed, bound = judged(fresh, snrs, quality, arguments.seeds)
            worst = min(range(len(snrs)), key=snrs.__getitem__)
            print(f"{name:<24} {quality:>4} dB: mean {mean:+6.2f}, bound {bound:+6.2f}, too low {missed:6.2%}, worst of {len(snrs)}: {snrs[worst]:6.2f} "
                  f"({fresh.runs[worst][0]}), said {report['reached'] or 300:6.2f}, size x {ratio:.3f}, {seconds:5.1f} s", flush=True)
            rows.append((mean, missed, bound))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--quality", default="20,30,40")
    parser.add_argument("--seeds", type=int, default=3, help="inputs of each kind that a judge has")
    parser.add_argument("--pool", type=int, default=60, help="inputs of each kind that judges take theirs from")
    parser.add_argument("--seconds", type=float, default=10, help="time for running the original on the pool")
    parser.add_argument("--seed", type=int, default=1, help="seed of the strange models")
    parser.add_argument("--judge", type=int, default=4711, help="first seed of the inputs that results are judged on")
    parser.add_argument("--size", type=int, help="of dims that a model leaves open (default: 64, or the first that works)")
    parser.add_argument("--largest", type=int, default=60_000_000)
    parser.add_argument("--options", default="", help="further options of quantize")
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
    if not rows:
        return 1
    mean, missed, bound = numpy.mean(rows, axis=0)
    print(f"{len(rows)} results: on average {mean:+.2f} dB above (bound {bound:+.2f}), {missed:.2%} of all verdicts too low: "
          f"{missed * len(rows):.2f} of {len(rows)} if each result is judged once")
    return 1 if missed > 0 or mean > MAY_EXCEED else 0


if __name__ == "__main__":
    sys.exit(main())
