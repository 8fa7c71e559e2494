"""Compares `onnxpress optimize` with the tools it replaces, in one run on one machine:

  .venv/bin/python bench/optimize.py [--most 60000000] [--latency] [--json all.json] [--reuse peers.json] [models/*.onnx]

Runs onnxsim, OnnxSlim, onnxoptimizer, onnxscript and ONNX Runtime's basic level (from PyPI, in their own folder in build/) on each model, and
measures nodes (without Constant nodes, bodies and functions included), bytes, CPU time and memory of the whole process (all resident memory, and
the part that is neither program nor mapped file; for onnxpress, the shortest time and the most memory of five runs), and whether the result is
valid, has the same interface, and gives the same outputs: with a difference of at most ten times the effect of changing the inputs by a millionth,
or 1e-4. With --latency, also the CPU time of a run in ONNX Runtime on one thread relative to the original, alternating, the shortest of each.
Only ratios mean anything.

The last table has one line for each model: onnxpress compared with the best peer whose result is valid and correct. --reuse takes the rows of other
tools from the --json of an earlier run on the same machine, because a peer takes minutes where onnxpress takes milliseconds.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
PEERS = Path(os.environ.get("PEERS", ROOT / "build" / "peers" / "optimize"))
PACKAGES = ["onnxsim==0.8.1", "onnxslim==0.1.98", "onnxoptimizer==0.4.2", "onnxscript==0.7.2", "onnxruntime==1.31.1", "onnx"]
MOST_SECONDS = 600

ONNXSCRIPT = "import sys, onnx, onnxscript.optimizer as o; onnx.save(o.optimize(onnx.load(sys.argv[1])), sys.argv[2])"
RUNTIME = """import sys, onnxruntime as ort
options = ort.SessionOptions()
options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
options.optimized_model_filepath = sys.argv[2]
options.log_severity_level = 4
ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])"""


def commands():
    python = PEERS / "bin" / "python"
    return {
        "onnxpress": lambda a, b: [ONNXPRESS, "optimize", a, "-o", b],
        "onnxpress --shrink": lambda a, b: [ONNXPRESS, "optimize", a, "-o", b, "--shrink"],
        "onnxsim": lambda a, b: [PEERS / "bin" / "onnxsim", a, b],
        "OnnxSlim": lambda a, b: [PEERS / "bin" / "onnxslim", a, b],
        "onnxoptimizer": lambda a, b: [python, "-m", "onnxoptimizer", a, b, "--fixed_point"],
        "onnxscript": lambda a, b: [python, "-c", ONNXSCRIPT, a, b],
        "ONNX Runtime basic": lambda a, b: [python, "-c", RUNTIME, a, b],
    }


def install():
    if (PEERS / "bin" / "onnxsim").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", PEERS], check=True)
    subprocess.run([PEERS / "bin" / "python", "-m", "pip", "install", "--quiet", *PACKAGES], check=True)


def anonymous_bytes(process):
    """Anonymous memory of a process: without pages of files, which are the program, libraries and the mapped model."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
        return int(text.split("RssAnon:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        return 0


def run_once(command):
    """Wall time, CPU time, peak resident bytes and peak anonymous bytes, sampled every millisecond; None when it failed."""
    begin = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS)))
    anonymous, ended = 0, 0
    while not ended:
        anonymous = max(anonymous, anonymous_bytes(process.pid))
        time.sleep(0.001)
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return None
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, anonymous


def run(command, times):
    """The shortest times and the most memory of several runs."""
    runs = [run_once(command) for _ in range(times)]
    if not all(runs):
        return None
    return min(each[0] for each in runs), min(each[1] for each in runs), max(each[2] for each in runs), max(each[3] for each in runs)


# --- Runs in a separate process: describes a model and its outputs.


def bodies_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs] if attribute.type in (5, 10) else []:
                yield from bodies_of(body)


def bytes_of(path):
    """Includes the files for weights that some tools write next to it."""
    path = Path(path)
    return path.stat().st_size + sum(each.stat().st_size for each in path.parent.glob("result.onnx?*") if path.name == "result.onnx")


def describe(path, original, latency):
    import numpy
    import onnx
    import onnxruntime
    sys.path.insert(0, str(ROOT / "tests" / "python"))
    from test_models_run import inputs_of
    from test_mutated import inputs_of as plain_inputs_of, session_of
    from test_optimize import distance
    model = onnx.load(path)
    lists = [*(body.node for body in bodies_of(model.graph)), *(function.node for function in model.functions)]
    found = {"nodes": sum(node.op_type != "Constant" for nodes in lists for node in nodes), "bytes": bytes_of(path)}
    try:
        onnx.checker.check_model(str(path), full_check=True)
        found["valid"] = True
    except Exception:
        found["valid"] = False
    first = onnx.load(original, load_external_data=False)

    def interface(m):
        constants = {t.name for t in m.graph.initializer}
        return [[v.SerializeToString() for v in part if v.name not in constants] for part in (m.graph.input, m.graph.output)]

    found["interface"] = interface(first) == interface(model)
    try:
        before = session_of(original)
        try:
            inputs = inputs_of(Path(original).stem, before, False, numpy.random.default_rng(7))
        except KeyError:  # a model whose open dims are not described
            inputs = plain_inputs_of(before)
        expected = before.run(None, inputs)
    except Exception:
        return {**found, "same": None}
    try:
        # Changes each number separately, and several times, because a norm cancels common changes, and quantized layers jump.
        rng = numpy.random.default_rng(11)
        floor = 0
        for _ in range(6):
            nudged = {k: (v * (1 + 1e-6 * rng.choice([-1, 1], v.shape))).astype(v.dtype) if v.dtype.kind == "f" else v for k, v in inputs.items()}
            floor = max(floor, distance(expected, before.run(None, nudged)))
        outputs = session_of(path).run(None, inputs)
        found["difference"], found["floor"] = distance(expected, outputs), floor
        found["same"] = bool(found["difference"] <= max(1e-4, 10 * floor))
    except Exception as problem:
        return {**found, "same": False, "problem": str(problem)[:200]}
    if latency:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1  # so that the time of this thread is the whole time, whatever else the machine does
        sessions = [onnxruntime.InferenceSession(str(each), options, providers=["CPUExecutionProvider"]) for each in (original, path)]
        times = [[], []]
        begin = time.perf_counter()
        while len(times[0]) < 7 or (time.perf_counter() - begin < 6 and len(times[0]) < 400):
            for session, each in zip(sessions, times):
                at = time.thread_time()
                session.run(None, inputs)
                each.append(time.thread_time() - at)
        found["latency"] = float(numpy.min(times[1]) / numpy.min(times[0]))
    return found


def described(path, original, latency):
    done = subprocess.run([sys.executable, __file__, "--describe", path, original, *(["--latency"] if latency else [])], capture_output=True,
                          text=True)
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else {"same": False, "problem": done.stderr[-300:]}


# --- The table.


def verdict(found):
    wrong = [word for word, bad in (("invalid", not found.get("valid")), ("other interface", not found.get("interface")),
                                    ("WRONG", found.get("same") is False)) if bad]
    return ", ".join(wrong) or ("yes" if found.get("same") else "not run")


def line(name, tool, before, found, spent, latency):
    time_text, memory = (f"{spent[1]:.2f} s", f"{spent[2] / 2**20:.0f} MiB") if spent else ("failed", "")
    if spent and len(spent) > 3:
        memory += f", {spent[3] / 2**20:.0f} anonymous"
    cells = [name, tool, f"{found['nodes']:,}" if "nodes" in found else "-", f"{found['bytes'] / 1e6:.2f}" if "bytes" in found else "-", time_text, memory,
             verdict(found) if spent else ""]
    if latency:
        cells.append(f"{found['latency']:.2f} x" if "latency" in found else "")
    return "| " + " | ".join(cells) + " |"


def summary(rows):
    """One line for each model: nodes and bytes compared with the best peer, time and memory with the two that fold constants."""
    print("\n| model | nodes | onnxpress | best peer | MB | onnxpress | best peer | --shrink | smallest peer | onnxsim time | OnnxSlim time | onnxsim memory "
          "| OnnxSlim memory | anonymous: onnxsim | OnnxSlim | latency |\n|" + "---|" * 16)
    for model in dict.fromkeys(row["model"] for row in rows):
        tools = {row["tool"]: row for row in rows if row["model"] == model}
        ours, shrunk = tools.get("onnxpress", {}), tools.get("onnxpress --shrink", {})
        peers = {name: row for name, row in tools.items() if not name.startswith("onnxpress") and name != "original" and verdict(row) == "yes"}

        def best(key):
            name = min(peers, key=lambda each: peers[each][key], default=None)
            return (peers[name][key], name) if name else (float("nan"), "none")

        def ratio(name, i):
            row = tools.get(name) or {}
            if not row.get("spent") or not ours.get("spent"):
                return "failed"
            known = i < len(row["spent"]) and ours["spent"][i] > 0
            return f"{row['spent'][i] / ours['spent'][i]:.1f} x" if known else ""

        (nodes, by), (size, small) = best("nodes"), best("bytes")
        original = tools["original"]
        cells = [model, original["nodes"], ours.get("nodes"), f"{nodes} ({by})", f"{original['bytes'] / 1e6:.3f}", f"{ours.get('bytes', 0) / 1e6:.3f}",
                 f"{size / 1e6:.3f} ({small})", f"{shrunk.get('bytes', 0) / 1e6:.3f}", f"{size / 1e6:.3f}", ratio("onnxsim", 1), ratio("OnnxSlim", 1),
                 ratio("onnxsim", 2), ratio("OnnxSlim", 2), ratio("onnxsim", 3), ratio("OnnxSlim", 3), f"{ours['latency']:.2f}" if "latency" in ours else ""]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--most", type=int, default=60_000_000, help="bytes of the largest model of models/")
    parser.add_argument("--latency", action="store_true")
    parser.add_argument("--tools", default="", help="only these tools, separated by commas")
    parser.add_argument("--json", type=Path, help="also write all numbers to this file")
    parser.add_argument("--reuse", type=Path, help="take rows of other tools from this file")
    options = parser.parse_args()
    install()
    paths = options.models or [p for p in sorted((ROOT / "models").glob("*.onnx")) if p.stat().st_size <= options.most]
    known = {(row["model"], row["tool"]): row for row in json.loads(options.reuse.read_text())} if options.reuse else {}
    tools = {name: make for name, make in commands().items() if not options.tools or name in options.tools.split(",")}
    titles = ["model", "tool", "nodes", "MB", "time", "memory", "right"] + (["latency"] if options.latency else [])
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    everything = []
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            original = known.get((path.stem, "original")) or {"model": path.stem, "tool": "original", **described(path, path, False)}
            everything.append(original)
            print(line(path.stem, "original", original, original, (0, 0, 0), options.latency).replace("0.00 s | 0 MiB", " | "), flush=True)
            for name, make in tools.items():
                row = None if name.startswith("onnxpress") else known.get((path.stem, name))
                if not row:
                    result = Path(folder) / "result.onnx"
                    for each in Path(folder).iterdir():
                        each.unlink()
                    spent = run(make(path, result), 5 if name.startswith("onnxpress") else 1)
                    found = described(result, path, options.latency and name == "onnxpress") if spent and result.exists() else {}
                    row = {"model": path.stem, "tool": name, "spent": spent, **found}
                everything.append(row)
                print(line("", name, original, row, row["spent"], options.latency), flush=True)
            if options.json:
                options.json.write_text(json.dumps(everything, indent=1))
    summary(everything)


if __name__ == "__main__":
    if "--describe" in sys.argv:
        at = sys.argv.index("--describe")
        print(json.dumps(describe(sys.argv[at + 1], sys.argv[at + 2], "--latency" in sys.argv)))
    else:
        main()
