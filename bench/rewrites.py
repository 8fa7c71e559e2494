#!/usr/bin/env python3
"""Measures what each rewrite of `onnxpress optimize` is worth in ONNX Runtime:

  .venv/bin/python bench/rewrites.py models/*.onnx [--target ort] [--rewrites NAMES] [--threads 1,0] [--seconds 4] [--page FILE] [--csv FILE]

For each model, it optimizes once with all rewrites, and once without each of those that were applied (`--skip`); rewrites that are off by default
are added instead (`--also`). Both results run in ONNX Runtime at its default level, which optimizes them further, on the same inputs. A rewrite that
ONNX Runtime would make itself therefore shows no effect.

Runs alternate, and the effect is the median of the ratios of neighbouring runs. Time is CPU time of the process, so that other work on the machine
matters less; with several threads (0: as many as ONNX Runtime likes), the clock decides, which needs an idle machine. The interval holds the
median with 95 % probability (order statistics). A rewrite helps or harms only if the whole interval is on one side of 0.
"""
import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
NOISE = 2.0  # percent; smaller effects are not counted as harm
COLUMNS = ["rewrite", "model", "applied", "threads", "milliseconds", "effect", "low", "high"]


def optimize(model, out, target, options=()):
    """Runs `onnxpress optimize`; returns how often each rewrite was applied, or None when it failed."""
    command = [str(ONNXPRESS), "optimize", str(model), "-o", str(out), "--allow-growth", "--json", *options]
    command += ["--target", target] if target else []
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "ONNXPRESS_ORT": "none"})
    if done.returncode:
        print(f"{model}: {done.stderr.strip().splitlines()[0] if done.stderr else done.returncode}", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def counts_of(report):
    return {each["rewrite"]: each["count"] for each in report["rewrites"] if each["count"]}


def rewrites():
    """All rewrites: name -> whether it is off by default."""
    listed = subprocess.run([str(ONNXPRESS), "optimize", "--list"], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in listed.stdout.splitlines()[1:] if line.strip()]
    sources = (ROOT / "onnxpress/passes/rewrites").glob("*/*.cpp")
    on_request = {each.stem.replace("_", "-") for each in sources if ".on_request = true" in each.read_text()}
    return {name: name in on_request for name in names}


def session_of(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def made_up(session, batch, length):
    """Inputs of the sizes that the model declares; the first open axis is the batch, all others have `length`."""
    random = numpy.random.default_rng(0)
    feed = {}
    for each in session.get_inputs():
        shape = [dim if isinstance(dim, int) else batch if i == 0 else length for i, dim in enumerate(each.shape)]
        if "float" in each.type or "double" in each.type:
            feed[each.name] = random.normal(size=shape).astype({"tensor(float16)": "f2", "tensor(double)": "f8"}.get(each.type, "f4"))
        else:
            kind = {"tensor(int64)": "i8", "tensor(int32)": "i4", "tensor(bool)": "?", "tensor(uint8)": "u1", "tensor(int8)": "i1"}[each.type]
            feed[each.name] = numpy.ones(shape, kind)
    return feed


def interval(ratios):
    """The median and the order statistics that enclose it with 95 % probability."""
    ordered = sorted(ratios)
    count = len(ordered)
    reach = math.ceil(1.96 * math.sqrt(count) / 2)
    return statistics.median(ordered), ordered[max(0, count // 2 - reach)], ordered[min(count - 1, count // 2 + reach)]


def compare(first, second, threads, seconds, sizes):
    """The time of a run of `first`, and the ratios second / first of alternating runs; None if one does not run."""
    clock = time.process_time if threads == 1 else time.perf_counter
    try:
        sessions = [session_of(path, threads) for path in (first, second)]
        feed = made_up(sessions[0], *sizes)
        for session in sessions:
            session.run(None, feed)
    except Exception as error:  # a model that ONNX Runtime refuses is a finding, not the end
        print(f"{first}: {str(error).splitlines()[0][:200]}", file=sys.stderr)
        return None
    begin = clock()
    sessions[0].run(None, feed)
    once = max(clock() - begin, 1e-5)
    repeats = max(1, int(0.01 / once))
    rounds = min(151, max(15, int(seconds / (2 * once * repeats))))
    times = ([], [])
    for i in range(rounds):
        for which in (0, 1) if i % 2 else (1, 0):
            begin = clock()
            for _ in range(repeats):
                sessions[which].run(None, feed)
            times[which].append((clock() - begin) / repeats)
    return statistics.median(times[0]), [b / a for a, b in zip(*times)]


def measure(model, args, folder, known):
    report = optimize(model, folder / "all.onnx", args.target)
    if report is None:
        return
    applied = counts_of(report)
    chosen = args.rewrites or [name for name in known if name in applied or known[name]]
    for name in chosen:
        other = folder / "other.onnx"
        other.unlink(missing_ok=True)
        if known.get(name):
            more = optimize(model, other, args.target, ["--also", name])
            times = counts_of(more).get(name, 0) if more else 0
            pair = (folder / "all.onnx", other)  # the effect of adding it
        elif name in applied:
            times = applied[name] if optimize(model, other, args.target, ["--skip", name]) else 0
            pair = (other, folder / "all.onnx")
        else:
            continue
        if not times or (folder / "all.onnx").read_bytes() == other.read_bytes():
            continue
        for threads in args.threads:
            found = compare(*pair, threads, args.seconds, (args.batch, args.length))
            if found:
                middle, low, high = interval(found[1])
                yield dict(zip(COLUMNS, [name, Path(model).stem, times, threads, round(found[0] * 1e3, 3),
                                         *(round(100 * (each - 1), 1) for each in (middle, low, high))]))


def page(rows, args):
    """A table with one line for each rewrite, and one with the rows that are slower."""
    lines = ["| rewrite | threads | models | median effect | best | worst | slower by more than noise |", "|---|---|---|---|---|---|---|"]
    for name, threads in dict.fromkeys((row["rewrite"], row["threads"]) for row in rows):
        chosen = [row for row in rows if (row["rewrite"], row["threads"]) == (name, threads)]
        effects = [row["effect"] for row in chosen]
        worse = [row for row in chosen if row["low"] > 0 and row["effect"] > NOISE]
        lines.append(f"| `{name}` | {threads or 'default'} | {len(chosen)} | {statistics.median(effects):+.1f} % | {min(effects):+.1f} % | "
                     f"{max(effects):+.1f} % | {len(worse)} |")
    lines += ["", "| slower with | model | applied | threads | ms without | effect | interval |", "|---|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: -row["effect"]):
        if row["low"] > 0 and row["effect"] > NOISE:
            lines.append(f"| `{row['rewrite']}` | {row['model']} | {row['applied']} | {row['threads'] or 'default'} | {row['milliseconds']} | "
                         f"{row['effect']:+.1f} % | {row['low']:+.1f} to {row['high']:+.1f} % |")
    return "\n".join(lines) + "\n"


MARKS = ("<!-- begin: written by bench/rewrites.py -->\n", "<!-- end -->\n")


def write_page(path, rows, args):
    """Replaces the part of the page between the marks."""
    text = path.read_text()
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    about = (f"ONNX Runtime {onnxruntime.__version__}, `--target {args.target or 'none'}`, {len({row['model'] for row in rows})} models, "
             f"open sizes: batch {args.batch}, others {args.length}. Negative: faster with the rewrite.\n\n")
    path.write_text(before + MARKS[0] + "\n" + about + page(rows, args) + "\n" + MARKS[1] + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--target", default="", help="ort: with the rewrites to ONNX Runtime's operators")
    parser.add_argument("--rewrites", type=lambda text: text.split(","), default=[], help="only these")
    parser.add_argument("--threads", type=lambda text: [int(each) for each in text.split(",")], default=[1], help="1,0: one and default")
    parser.add_argument("--seconds", type=float, default=4, help="for each comparison")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--page", type=Path, help="a Markdown page whose marked part is replaced")
    parser.add_argument("--csv", type=Path, help="rows are appended; models that it has already are not measured again")
    args = parser.parse_args()
    known = rewrites()
    unknown = [name for name in args.rewrites if name not in known]
    if unknown:
        parser.error(f"unknown rewrites: {', '.join(unknown)}")
    rows = []
    if args.csv and args.csv.exists():
        with args.csv.open() as file:
            rows = [{key: float(value) if key in COLUMNS[4:] else int(value) if key in COLUMNS[2:4] else value for key, value in row.items()}
                    for row in csv.DictReader(file)]
    with tempfile.TemporaryDirectory() as folder:
        for i, model in enumerate(args.models):
            if any(row["model"] == Path(model).stem for row in rows):
                continue
            print(f"[{i + 1}/{len(args.models)}] {model}", file=sys.stderr)
            for row in measure(model, args, Path(folder), known):
                rows.append(row)
                print("  {rewrite:28} x{applied:<4} {threads} threads {milliseconds:9} ms {effect:+6.1f} % ({low:+.1f} to {high:+.1f})".format(**row),
                      file=sys.stderr)
                if args.csv:
                    with args.csv.open("a", newline="") as file:
                        writer = csv.DictWriter(file, COLUMNS)
                        if file.tell() == 0:
                            writer.writeheader()
                        writer.writerow(row)
    if args.page:
        write_page(args.page, rows, args)
    else:
        print(page(rows, args), end="")


if __name__ == "__main__":
    main()
