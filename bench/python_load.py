#!/usr/bin/env python3
"""Loading from Python: compares onnxpress.Model.load with onnx.load, in time and memory, and checks that arrays copy nothing.

    bench/python_load.py [--least MB] [--rounds N] [MODEL...]

Needs the package (make wheel, or PYTHONPATH), onnx and NumPy. Default: the models/ of at least 50 MB, and a generated one of 1 GB.
Each measurement runs in its own process, in turns; files are in the page cache. Only anonymous memory counts, because pages of a
mapped file belong to the page cache, and the kernel maps as many of them as it likes. Prints a Markdown table.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

OURS = """
import json, sys, time
import numpy
import onnxpress
def rss():
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("RssAnon"))
before, start = rss(), time.perf_counter()
model = onnxpress.Model.load(sys.argv[1])
seconds, loaded = time.perf_counter() - start, rss() - before
maps = []
for line in open("/proc/self/maps"):
    parts = line.split(maxsplit=5)
    if len(parts) == 6 and parts[5].strip().endswith((".onnx", ".data")):
        maps.append([int(x, 16) for x in parts[0].split("-")])
before, arrays, mapped = rss(), [], 0
for value in model.graph.initializers:
    if value.tensor.element_type != "string":
        arrays.append(value.tensor.numpy())
        address = arrays[-1].__array_interface__["data"][0]
        mapped += arrays[-1].nbytes if any(begin <= address < end for begin, end in maps) else 0
print(json.dumps({"seconds": seconds, "memory": loaded, "array_bytes": sum(a.nbytes for a in arrays), "mapped_bytes": mapped,
                  "array_memory": rss() - before, "writeable": any(a.flags.writeable for a in arrays)}))
"""
THEIRS = """
import json, sys, time
import onnx
def rss():
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("RssAnon"))
before, start = rss(), time.perf_counter()
model = onnx.load(sys.argv[1])
print(json.dumps({"seconds": time.perf_counter() - start, "memory": rss() - before}))
"""


def measure(code, path):
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout)


def generated(path, megabytes):
    """Float weights in one file of the requested size."""
    import numpy
    import onnx
    from onnx import helper, numpy_helper

    side = 1024
    count = megabytes * 1_000_000 // (4 * side * side)
    weight = numpy.random.default_rng(1).standard_normal((side, side)).astype(numpy.float32)
    nodes = [helper.make_node("MatMul", [f"h{i}", f"w{i}"], [f"h{i + 1}"]) for i in range(count)]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("h0", 1, ["n", side])],
                              [helper.make_tensor_value_info(f"h{count}", 1, ["n", side])],
                              [numpy_helper.from_array(weight, f"w{i}") for i in range(count)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--least", type=int, default=50, help="least size of files of models/, in MB")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        models = arguments.models or sorted(p for p in (ROOT / "models").glob("*.onnx") if p.stat().st_size >= arguments.least * 1_000_000)
        if not arguments.models:
            models.append(Path(folder) / "generated.onnx")
            generated(models[-1], 1000)
        print("| model | size | `Model.load` | `onnx.load` | ratio | memory | of `onnx.load` | all weights as arrays | their memory |")
        print("|---|---|---|---|---|---|---|---|---|")
        failed = False
        for path in models:
            path.read_bytes()  # into the page cache
            ours, theirs = [], []
            for _ in range(arguments.rounds):
                ours.append(measure(OURS, path))
                theirs.append(measure(THEIRS, path))
            a, b = min(ours, key=lambda r: r["seconds"]), min(theirs, key=lambda r: r["seconds"])
            mapped = f"{a['mapped_bytes'] / a['array_bytes']:.1%} of {a['array_bytes'] / 1e6:.0f} MB are in the file" if a["array_bytes"] else "none"
            print(f"| {path.stem} | {path.stat().st_size / 1e6:.0f} MB | {a['seconds'] * 1e3:.1f} ms | {b['seconds'] * 1e3:.0f} ms | "
                  f"{b['seconds'] / a['seconds']:.0f} x | {a['memory'] / 1e6:.1f} MB | {b['memory'] / 1e6:.0f} MB | {mapped} | {a['array_memory'] / 1e6:.1f} MB |",
                  flush=True)
            failed = failed or a["writeable"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
