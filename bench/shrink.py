"""Compares `onnxpress shrink` with the tools it replaces, in one run on one machine:

  .venv/bin/python bench/shrink.py [--gib 1] [--rounds 3] [--full]

Measures sharing alone compared with xxhsum and cp of the result, the full search in MB per second and core, scs4onnx (from PyPI,
in its own folder in build/) on an ALBERT look-alike, and the sizes of real models and look-alikes compared with their goals. Only
ratios mean anything, because the machine is noisy. A missed goal is reported, but does not make the script fail.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
PEERS = ROOT / "build" / "peers"
ROWS = []

ALBERT = ["transformer", "--layers", "12", "--shared-layers", "1", "--duplicate-weights", "--hidden", "768", "--heads", "12",
          "--vocab", "2700"]
LOOKALIKES = {  # arguments of generate, goal in bytes, size of the best peer
    "ALBERT look-alike": (ALBERT, 46.9e6, ""),
    "GMFlow look-alike": (["masks", "--bytes", "46080000", "--layers", "6", "--hidden", "4437"], 22.8e6, "scs4onnx 67.4 MB"),
    "HitNet look-alike": (["indices", "--bytes", "884736000", "--tensors", "2"], 2.3e6, "scs4onnx 886.8 MB"),
}
# Goals as a share of the input.
REAL = {"htdemucs": 90.5e6 / 174263526, "silero_vad_legacy": 0.56, "moonshine_tiny_decoder_merged": 1, "moonshine_base_decoder_merged": 1,
        "yolov8n": 1, "ppocr_v4_det": 1, "ppocr_v4_rec": 1, "ddddocr": 1}


def row(what, ours, theirs, ratio, goal, reached):
    ROWS.append((what, ours, theirs, ratio, goal, "" if not goal else "yes" if reached else "NO"))
    print(f"... {what}: {ours} {theirs} {ratio}", file=sys.stderr, flush=True)


def run(*command, **options):
    """Wall time, CPU time, and peak resident bytes of a command."""
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command}: {process.stderr.read().decode()}")
    process.stderr.close()
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def generate(path, *arguments):
    run(ONNXPRESS, "generate", *arguments, "-o", path)
    return path.stat().st_size


def sharing(folder, size, rounds):
    """Shares equal tensors only, compared with hashing the input and copying the result."""
    model, small, copy = folder / "m.onnx", folder / "s.onnx", folder / "c.onnx"
    hidden = 1024
    layers = max(2, size // (12 * hidden * hidden * 4))  # half of them are copies of others
    size = generate(model, "transformer", "--hidden", hidden, "--heads", 16, "--layers", layers, "--shared-layers", layers // 2,
                    "--duplicate-weights")
    ours, theirs, synced, cpu, their_cpu, peaks = [], [], [], [], [], []
    for _ in range(rounds):
        for path in (small, copy):
            path.unlink(missing_ok=True)
        os.sync()
        wall, used, peak = run(ONNXPRESS, "shrink", model, "-o", small, "--only", "share")
        ours.append(wall)
        cpu.append(used)
        peaks.append(peak)
        os.sync()
        hashing, copying = run("xxhsum", "-H2", model), run("cp", small, copy)
        theirs.append(hashing[0] + copying[0])
        their_cpu.append(hashing[1] + copying[1])
        synced.append(theirs[-1] + run("sync", copy)[0])
    mine, other, with_sync = statistics.median(ours), statistics.median(theirs), statistics.median(synced)
    row(f"share only, {size / 2**30:.2f} GiB -> {small.stat().st_size / 2**30:.2f}", f"{mine:.2f} s", f"xxhsum -H2 + cp {other:.2f} s",
        f"{other / mine:.2f} x the speed", ">= 0.5 x", mine <= 2 * other)
    # Our result is synced before it gets its name; a plain copy is not.
    row("the same, copy synced", f"{mine:.2f} s", f"xxhsum -H2 + cp + sync {with_sync:.2f} s", f"{with_sync / mine:.2f} x the speed", "", True)
    mine, other = statistics.median(cpu), statistics.median(their_cpu)
    row("the same, CPU time", f"{mine:.2f} s", f"xxhsum -H2 + cp {other:.2f} s", f"{other / mine:.2f} x the speed", "", True)
    row("its memory", f"{max(peaks) / 2**20:.0f} MiB resident", "", "", "< 200 MiB", max(peaks) < 200 * 2**20)
    for path in (model, small, copy):
        path.unlink(missing_ok=True)


def search(folder, size):
    """All methods on weights that no method can shrink, so that every method examines everything."""
    model, small = folder / "m.onnx", folder / "s.onnx"
    size = generate(model, "weights", "--bytes", size, "--fill", "random")
    wall, cpu, peak = run(ONNXPRESS, "shrink", model, "-o", small, "--dry-run")
    speed = size / 1e6 / cpu
    row(f"full search, {size / 2**30:.2f} GiB random weights", f"{speed:.0f} MB/s and core ({wall:.1f} s)", "", "", ">= 200 MB/s", speed >= 200)
    row("its memory", f"{peak / 2**20:.0f} MiB resident", "", "", "", True)
    model.unlink()
    small.unlink(missing_ok=True)


def scs4onnx():
    """The command scs4onnx in a virtual environment; None when it cannot be installed."""
    python = PEERS / "scs4onnx" / "bin" / "python"
    if not (PEERS / "scs4onnx" / "installed").exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", PEERS / "scs4onnx"], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "scs4onnx", "onnx", "onnx_graphsurgeon", "numpy<2"], check=True)
            (PEERS / "scs4onnx" / "installed").touch()
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"!!! SKIPPED: scs4onnx could not be installed: {error}", file=sys.stderr)
            return None
    return PEERS / "scs4onnx" / "bin" / "scs4onnx"


def against_scs4onnx(folder, rounds):
    peer = scs4onnx()
    if not peer:
        row("ALBERT look-alike, time", "", "scs4onnx not installed", "", ">= 50 x", False)
        return
    model, ours_path, theirs_path = folder / "m.onnx", folder / "s.onnx", folder / "t.onnx"
    size = generate(model, *ALBERT)
    theirs, their_cpu, _ = run(peer, model, theirs_path, cwd=folder)
    for name, arguments in (("share only", ["--only", "share"]), ("all methods", [])):
        runs = [run(ONNXPRESS, "shrink", model, "-o", ours_path, *arguments) for _ in range(rounds)]
        mine, cpu = statistics.median(each[0] for each in runs), statistics.median(each[1] for each in runs)
        row(f"ALBERT look-alike ({size / 1e6:.0f} MB), {name}", f"{mine:.2f} s, {ours_path.stat().st_size / 1e6:.1f} MB",
            f"scs4onnx {theirs:.1f} s, {theirs_path.stat().st_size / 1e6:.1f} MB", f"{theirs / mine:.0f} x faster", ">= 50 x", theirs >= 50 * mine)
        row("the same, CPU time", f"{cpu:.2f} s", f"scs4onnx {their_cpu:.1f} s", f"{their_cpu / cpu:.0f} x less", "", True)
    for path in (model, ours_path, theirs_path):
        path.unlink()


def sizes(folder, full):
    small = folder / "s.onnx"
    for name, (arguments, goal, peer) in LOOKALIKES.items() if full else []:
        model = folder / "m.onnx"
        size = generate(model, *arguments)
        wall, _, peak = run(ONNXPRESS, "shrink", model, "-o", small)
        after = small.stat().st_size
        row(f"{name}, {size / 1e6:.1f} MB", f"{after:,} bytes ({wall:.1f} s, {peak / 2**20:.0f} MiB)", peer, "", f"<= {goal / 1e6:g} MB", after <= goal)
        model.unlink()
    for name, share in REAL.items():
        model = ROOT / "models" / f"{name}.onnx"
        if not model.exists():
            print(f"!!! SKIPPED: no {model.name} (scripts/fetch_models)", file=sys.stderr)
            continue
        size = model.stat().st_size
        wall, _, _ = run(ONNXPRESS, "shrink", model, "-o", small)
        after = small.stat().st_size
        row(f"{name}, {size / 1e6:.2f} MB", f"{after / 1e6:.2f} MB ({wall:.1f} s)", "", f"-{100 * (size - after) / size:.1f} %",
            f"<= {share * size / 1e6:.2f} MB", after <= share * size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=1, help="size of the large models (default: 1)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--full", action="store_true", help="also run the look-alikes at full size (needs 4 GB of disk space)")
    parser.add_argument("--dir", default=None, help="where to work (default: a folder in build/)")
    options = parser.parse_args()
    size = int(options.gib * 2**30)
    with tempfile.TemporaryDirectory(dir=options.dir or ROOT / "build") as temporary:
        folder = Path(temporary)
        if shutil.which("xxhsum"):
            sharing(folder, size, options.rounds)
        else:
            print("!!! SKIPPED: no xxhsum (scripts/setup bench)", file=sys.stderr)
        search(folder, size)
        against_scs4onnx(folder, options.rounds)
        sizes(folder, options.full)
    header = ("what", "onnxpress", "compared with", "ratio", "goal", "reached")
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for each in ROWS:
        print("| " + " | ".join(each) + " |")


if __name__ == "__main__":
    main()
