"""Compares onnxpress with cp and the `onnx` package, in one run on one machine: `make bench`, or

  .venv/bin/python bench/compare.py [--gib 1] [--rounds 7]

Runs alternate, medians are compared, and only ratios mean anything, because the machine is noisy. Goals are shown next to what was
measured; a missed goal is reported, but does not make the script fail.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
READ_WRITE = ROOT / "build" / "bench" / "read_write"
ROWS = []


def row(what, ours, theirs, ratio, goal, reached):
    ROWS.append((what, ours, theirs, ratio, goal, "yes" if reached else "NO"))


def run(*command):
    begin = time.perf_counter()
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - begin


def rewrite(name, model, folder, rounds):
    """Rewrites an unchanged model, compared with cp and sync of the same files."""
    files = [model] + ([model.with_name("w.data")] if model.with_name("w.data").exists() else [])
    ours, theirs = [], []
    for number in range(rounds):
        target = folder / f"out{number % 2}"
        for each in (True, False) if number % 2 else (False, True):
            subprocess.run(["rm", "-rf", target])
            target.mkdir()
            os.sync()
            if each:
                ours.append(run(ONNXPRESS, "convert", model, target / "m.onnx"))
            else:
                theirs.append(run("cp", *files, target) + run("sync", *(target / file.name for file in files)))
    mine, cp = statistics.median(ours), statistics.median(theirs)
    row(f"rewrite {name}", f"{mine:.2f} s", f"cp + sync {cp:.2f} s", f"{mine / cp:.2f} x", "<= 1.2 x", mine <= 1.2 * cp)


def peak_memory(model):
    """Peak resident memory of `info` in MiB, measured in a process that runs nothing else."""
    script = ("import resource, subprocess, sys\n"
              "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    out = subprocess.run([sys.executable, "-c", script, ONNXPRESS, "info", model], check=True, capture_output=True, text=True)
    return int(out.stdout) / 1024


def graph(folder, rounds):
    """Reads and writes 100,000 nodes, with every value declared, compared with the onnx package, each in its own process."""
    import onnx

    path = folder / "graph.onnx"
    run(ONNXPRESS, "generate", "chain", "--nodes", 100_000, "--value-info", "-o", path)
    load, save, read, write, anew = [], [], [], [], []
    environment = {**os.environ, "ONNXPRESS_BENCH_MODEL": str(path)}
    for _ in range(rounds):
        begin = time.perf_counter()
        model = onnx.load(path)
        middle = time.perf_counter()
        onnx.save(model, folder / "saved.onnx")
        save.append(time.perf_counter() - middle)
        load.append(middle - begin)
        del model
        out = subprocess.run([READ_WRITE, "--benchmark_format=json", "--benchmark_min_time=0.2"], env=environment, check=True,
                             capture_output=True, text=True)
        times = {each["name"]: each["real_time"] / 1e3 for each in json.loads(out.stdout)["benchmarks"]}
        read.append(times["read"])
        write.append(times["write_unchanged"])
        anew.append(times["write_anew"])

    def compare(what, ours, theirs, name):
        mine, other = statistics.median(ours), statistics.median(theirs)
        row(what, f"{mine * 1e3:.0f} ms", f"{name} {other * 1e3:.0f} ms", f"{other / mine:.1f} x faster", ">= 10 x", other >= 10 * mine)

    compare("read 100,000 nodes", read, load, "onnx.load")
    compare("write them, unchanged", write, save, "onnx.save")
    compare("write them, encoded anew", anew, save, "onnx.save")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=1, help="size of the large models (default: 1)")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dir", default=None, help="where to work (default: a folder in build/)")
    options = parser.parse_args()
    size = int(options.gib * 2**30)
    with tempfile.TemporaryDirectory(dir=options.dir or ROOT / "build") as temporary:
        folder = Path(temporary)
        starts = [run(ONNXPRESS, "--version") for _ in range(50)]
        start = statistics.median(starts) * 1e3
        row("onnxpress --version", f"{start:.1f} ms", "", "", "< 10 ms", start < 10)
        graph(folder, options.rounds)
        for name, arguments in (("in one file", []), ("with external data", ["--external-data", "w.data"])):
            source = folder / name.replace(" ", "_")
            source.mkdir()
            run(ONNXPRESS, "generate", "weights", "--bytes", size, "--fill", "random", "-o", source / "m.onnx", *arguments)
            memory = peak_memory(source / "m.onnx")
            row(f"info on {options.gib:g} GiB {name}", f"{memory:.0f} MiB resident", "", "", "< 30 MiB", memory < 30)
            rewrite(f"{options.gib:g} GiB {name}", source / "m.onnx", folder, options.rounds)
            subprocess.run(["rm", "-rf", source])
    header = ("what", "onnxpress", "compared with", "ratio", "goal", "reached")
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for each in ROWS:
        print("| " + " | ".join(each) + " |")


if __name__ == "__main__":
    main()
