"""Compares `onnxpress profile` with onnx-tool and onnxsim's profile, each in its own process, in one run on one machine:

  .venv/bin/python bench/profile.py [--peers PYTHON] [--rounds 3] [--models FOLDER]
  .venv/bin/python bench/profile.py --published            onnx-tool's published table, row by row
  .venv/bin/python bench/profile.py --pools [--peers ...]   pools of activations compared with onnx-tool and onnxsim

PYTHON is an interpreter that has onnx-tool 1.0.1 and onnxsim 0.8.1 (python3 -m venv /tmp/peers && /tmp/peers/bin/pip install
onnx-tool==1.0.1 onnxsim==0.8.1 tabulate); without it only ours is timed. Times are CPU times including process start, the shortest of the
rounds, because the machine is noisy. MACs are compared with an independent oracle: textbook formulas on the shapes of a run in ONNX Runtime
with its optimizations off (tests/python/profile_oracle.py).
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import onnx

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
sys.path.insert(0, str(ROOT / "tests" / "python"))
sys.argv, ARGUMENTS = sys.argv[:1], sys.argv[1:]
import profile_oracle  # noqa: E402
from architectures import NOT_MADE, ROWS  # noqa: E402
from test_models_run import inputs_of, session_of  # noqa: E402

ONNX_TOOL = """
import sys, numpy, onnx_tool
shapes = {}
for each in sys.argv[2:]:
    name, kind, dims, value = each.split("|")
    shape = [int(d) for d in dims.split("x")] if dims else []
    shapes[name] = numpy.full(shape, float(value)).astype(kind)
model = onnx_tool.Model(sys.argv[1], {"verbose": False})
model.graph.graph_reorder_nodes()
model.graph.shape_infer(shapes)
model.graph.profile()
print("MACS", int(model.graph.macs[0]))
"""
ONNXSIM = """
import sys, onnx, onnxsim
from onnxsim import model_info
model = onnx.load(sys.argv[1])
info = model_info.ModelInfo(model)
for name in ("macs", "total_macs", "MACs"):
    if hasattr(info, name):
        print("MACS", getattr(info, name))
        break
"""
ONNX_TOOL_POOL = ONNX_TOOL.replace('model.graph.profile()', '').replace('print("MACS", int(model.graph.macs[0]))', '''
compute = model.graph.get_compute_graph() if hasattr(model.graph, "get_compute_graph") else model.graph
print("POOL", int(compute.compress_memory()[1]))
''')
ONNXSIM_POOL = """
import sys, onnx
from onnxsim.memory_planning import plan_activation_memory
plan = plan_activation_memory(onnx.load(sys.argv[1], load_external_data=False))  # it needs no weights
print("POOL", plan.arena_bytes, "UNPLANNED", len(plan.unplanned))
"""
# Peak use of its arena according to its own profile, for the unchanged model: without optimizations, packed weights and reserves.
ORT_POOL = """
import sys, json, os, tempfile, numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.enable_profiling, options.enable_mem_pattern, options.log_severity_level = True, False, 3
options.profile_file_prefix = os.path.join(tempfile.mkdtemp(), "profile")
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
options.add_session_config_entry("session.disable_prepacking", "1")
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feeds = {each.name: numpy.zeros(each.shape, numpy.int64 if "int64" in each.type else numpy.float32) for each in session.get_inputs()}
for _ in range(2):
    session.run(None, feeds)
seen = [each["args"] for each in json.load(open(session.end_profiling())) if "mem_in_use_peak" in each.get("args", {})]
weights = int(seen[0]["mem_bytes_in_use"]) - int(seen[0]["mem_in_use_delta"])  # what is in use before the first node
print("POOL", max(int(each["mem_in_use_peak"]) for each in seen) - weights)
"""
LIMIT = int(os.environ.get("LIMIT", "120"))  # seconds for one call of a peer


def measure(command, rounds):
    """(shortest CPU time in seconds, peak resident MiB, output of the last run); None for the output when it failed."""
    best, peak, out = float("inf"), 0, None
    for _ in range(rounds):
        script = ("import resource, subprocess, sys\n"
                  f"done = subprocess.run(sys.argv[1:], capture_output=True, text=True, timeout={LIMIT})\n"
                  "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
                  "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, done.returncode)\n"
                  "print(done.stdout)")
        done = subprocess.run([sys.executable, "-c", script, *map(str, command)], capture_output=True, text=True)
        if done.returncode != 0:
            return None, None, None
        line, _, out = done.stdout.partition("\n")
        cpu, resident, code = line.split()
        if code != "0":
            return None, None, None
        best, peak = min(best, float(cpu)), max(peak, float(resident))
    return best, peak, out


def macs_in(out):
    found = re.search(r"MACS (\d+)", out or "")
    return int(found.group(1)) if found else None


def bindings(feeds):
    ours, theirs = [], []
    for name, value in feeds.items():
        is_value = value.size == 1 and value.dtype.kind in "ib"
        if is_value:
            ours += ["--value", f"{name}={int(value.reshape(-1)[0])}"]
        elif value.shape:
            ours += ["--shape", f"{name}={'x'.join(map(str, value.shape))}"]
        theirs.append(f"{name}|{value.dtype.str.lstrip('<|')}|{'x'.join(map(str, value.shape))}|{int(value.reshape(-1)[0]) if is_value else 0}")
    return ours, theirs


def fixed_copy(path, feeds, folder):
    """The model with the sizes of the run in its inputs, for a tool that has no option for them."""
    model = onnx.load(path, load_external_data=False)  # if there is such data, the copy refers to it as well
    for each in model.graph.input:
        if each.name in feeds:
            del each.type.tensor_type.shape.dim[:]
            for size in feeds[each.name].shape:
                each.type.tensor_type.shape.dim.add().dim_value = size
    copy = Path(folder) / f"fixed_{path.name}"
    onnx.save(model, copy)
    return copy


def large_model(folder, nodes=100_000):
    """A chain of small products and additions."""
    make = onnx.helper
    weight = onnx.numpy_helper.from_array(numpy.ones((8, 8), numpy.float32), "w")
    chain = [make.make_node("MatMul" if i % 2 else "Add", [f"v{i}", "w" if i % 2 else f"v{i}"], [f"v{i + 1}"], name=f"/layers.{i // 100}/n{i}")
             for i in range(nodes)]
    info = [make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [8, 8]) for name in ("v0", f"v{nodes}")]
    path = Path(folder) / "nodes_100k.onnx"
    onnx.save(make.make_model(make.make_graph(chain, "g", info[:1], info[1:], [weight]), opset_imports=[make.make_opsetid("", 17)], ir_version=8), path)
    return path


def published():
    """The numbers in onnx-tool's README, and ours for the same architectures."""
    print("| architecture | published params M | ours | published MACs M | ours | remark |")
    print("|---|---:|---:|---:|---:|---|")
    number = lambda value: "" if value is None else f"{value:,}"  # noqa: E731
    for row in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            subprocess.run([str(ONNXPRESS), "generate", row.name, "-o", str(path)], check=True, capture_output=True)
            dims = [word for name, size in row.dims.items() for word in ("--dim", f"{name}={size}")]
            report = json.loads(subprocess.run([str(ONNXPRESS), "profile", str(path), *dims, "--json"], capture_output=True, text=True).stdout)
        at = ", ".join(f"{name} {size}" for name, size in row.dims.items())
        print(f"| {row.name}{' (' + at + ')' if at else ''} | {number(row.published_parameters)} | {report['loaded_parameters'] / 1e6:,.2f} | "
              f"{number(row.published_macs)} | {report['macs']['value'] / 1e6:,.2f} | {row.remark} |", flush=True)
    for name, parameters, of_module, macs, macs_of_module, remark in NOT_MADE:
        print(f"| {name} | {parameters} | {number(of_module)} | {macs:,} | {number(macs_of_module)} | {remark} |")


POOLS = [("resnet50", {}), ("fcn-resnet50", {}), ("googlenet", {}), ("mobilenet-v2", {}), ("bert-base", {"sequence": 256}), ("gpt2", {"sequence": 8}),
         ("sd-text-encoder", {}), ("sd-unet", {}), ("sd-vae-encoder", {}), ("sd-vae-decoder", {})]


def pools(peers, wanted):
    """Pools of architectures (with normalization folded, if they have any), and of two real models."""
    print("| model | sum of activations | onnx-tool | onnxsim (unplanned values) | ONNX Runtime | ours | of the live peak |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name, dims in POOLS:
            if wanted not in name:
                continue
            path, folded = Path(folder) / f"{name}.onnx", Path(folder) / f"{name}.folded.onnx"
            plain = name.startswith(("sd-", "bert", "gpt"))  # without BatchNormalization there is nothing to fold
            fill = "zeros" if plain else "random"
            subprocess.run([str(ONNXPRESS), "generate", name, "-o", str(path), "--fill", fill], check=True, capture_output=True)
            if not plain:
                subprocess.run([str(ONNXPRESS), "optimize", str(path), "-o", str(folded)], check=True, capture_output=True)
            rows.append((name, path if plain else folded, dims))
        rows += [row for row in [("yolov8n", ROOT / "models/yolov8n.onnx", {}), ("ppocr_v4_det", ROOT / "models/ppocr_v4_det.onnx", {"x": (1, 3, 640, 640)})] if wanted in row[0]]
        for name, path, dims in rows:
            pool_row(name, path, dims, peers, folder)


def pool_row(name, path, dims, peers, folder):
    shapes = {}
    for each in onnx.load(path, load_external_data=False).graph.input:
        sizes = [dim.dim_value or dims.get(dim.dim_param, 1) for dim in each.type.tensor_type.shape.dim]
        kind = numpy.int64 if each.type.tensor_type.elem_type == onnx.TensorProto.INT64 else numpy.float32
        shapes[each.name] = numpy.zeros(dims.get(each.name, sizes), kind)
    fixed = fixed_copy(path, shapes, folder)
    ours = json.loads(subprocess.run([str(ONNXPRESS), "memory", str(fixed), "--json"], capture_output=True, text=True).stdout)
    found = {"tool": "", "sim": "", "ort": ""}
    if peers:
        inputs = [f"{key}|{value.dtype.str.lstrip('<|')}|{'x'.join(map(str, value.shape))}|0" for key, value in shapes.items()]
        for key, script, extra in (("tool", ONNX_TOOL_POOL, inputs), ("sim", ONNXSIM_POOL, []), ("ort", ORT_POOL, [])):
            out = measure([peers, "-c", script, fixed, *extra], 1)[2]
            match = re.search(r"POOL (\d+)(?: UNPLANNED (\d+))?", out or "")
            found[key] = "fails" if not match else f"{int(match.group(1)):,}" + (f" ({match.group(2)})" if match.group(2) not in (None, "0") else "")
    print(f"| {name} | {ours['activations']:,} | {found['tool']} | {found['sim']} | {found['ort']} | {ours['pool']:,} | {ours['pool'] / ours['peak']:.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peers", help="a Python with onnx-tool and onnxsim")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", type=Path, default=ROOT / "models")
    parser.add_argument("--filter", default="")
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--pools", action="store_true")
    arguments = parser.parse_args(ARGUMENTS)
    if arguments.published:
        return published()
    if arguments.pools:
        return pools(arguments.peers, arguments.filter)
    text = lambda seconds: "fails" if seconds is None else f"{1000 * seconds:.0f}"  # noqa: E731
    print("| model | nodes | oracle MACs | onnxpress | onnx-tool | as its own rules here | onnxsim | CPU ms: ours | onnx-tool | onnxsim | "
          "MiB: ours | onnx-tool | onnxsim |")
    print("|---|---:|---:|---|---|---|---|---:|---:|---:|---:|---:|---:|")
    for path in sorted(arguments.models.glob("*.onnx")):
        if arguments.filter not in path.stem:
            continue
        with tempfile.TemporaryDirectory() as folder:
            feeds = inputs_of(path.stem, session_of(path), False, numpy.random.default_rng(5))
            expected = sum(profile_oracle.total_macs(path, feeds).values())
            ours, theirs = bindings(feeds)
            cpu, resident, out = measure([ONNXPRESS, "profile", path, *ours], arguments.rounds)
            report = json.loads(subprocess.run([str(ONNXPRESS), "profile", str(path), *ours, "--json"], capture_output=True, text=True).stdout)
            row = [path.stem, f"{report['nodes']:,}", f"{expected:,}", say(report["macs"]["value"], expected)]
            tool = sim = (None, None, None)
            if arguments.peers:
                tool = measure([arguments.peers, "-c", ONNX_TOOL, path, *theirs], 1)
                sim = measure([arguments.peers, "-c", ONNXSIM, fixed_copy(path, feeds, folder)], 1)
            by_its_rules = json.loads(subprocess.run([str(ONNXPRESS), "profile", str(path), *ours, "--count", "onnx-tool", "--json"],
                                                     capture_output=True, text=True).stdout)["work"]["value"]
            same = "" if macs_in(tool[2]) is None else "same" if by_its_rules == macs_in(tool[2]) else f"{by_its_rules:,}"
            row += [say(macs_in(tool[2]), expected), same, say(macs_in(sim[2]), expected), text(cpu), text(tool[0]), text(sim[0])]
            row += ["" if each is None else f"{each:.0f}" for each in (resident, tool[1], sim[1])]
            print("| " + " | ".join(row) + " |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        cpu, resident, _ = measure([ONNXPRESS, "profile", large_model(folder)], arguments.rounds)
        print(f"\n100,000 nodes: {1000 * cpu:.0f} ms CPU, {resident:.0f} MiB")


def say(found, expected):
    return "none" if found is None else "exact" if found == expected else f"{found:,}"


if __name__ == "__main__":
    main()
