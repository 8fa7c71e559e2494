#!/usr/bin/env python3
"""Exports about 130 architectures with random weights, simplifies each with onnxpress and its peers, and judges the results in ONNX Runtime:

  bench/exports/run.py FOLDER [--filter REGEX] [--ways ts17d,dy18d,sk] [--latency 4] [--again onnxpress,onnxpress-ort]

Everything it makes is in FOLDER: exports, results of each tool, and what was found out about each export. It continues where it was stopped; --again
forgets results of these tools, which is what one wants after a change of onnxpress (ONNXPRESS names the program). It installs what it needs into
FOLDER/venv, unless PYTHON names a Python that has it (requirements.txt). At the end it writes results.csv and results.md.

CPU seconds of onnxpress are those of a whole process; those of the peers are without the start of Python and their imports, which take 1 to 3 seconds.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ONNXPRESS = os.environ.get("ONNXPRESS", str(ROOT / "build" / "onnxpress"))
MOST_SECONDS = 600  # of CPU time, for one tool and one export


def continue_in_environment(folder):
    """Makes the virtual environment and runs this script there, unless it does already."""
    python = os.environ.get("PYTHON", str(folder / "venv" / "bin" / "python"))
    if sys.prefix == str(Path(python).parent.parent):
        return
    if not Path(python).exists():
        print("making a virtual environment (about 6 GB)", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt"], check=True)
    os.execv(python, [python, __file__, *sys.argv[1:]])


def onnxpress(*options):
    return lambda source, result: subprocess.run([ONNXPRESS, "optimize", source, "-o", result, "--quiet", *options], check=True)


def onnxsim(source, result):
    import onnx
    import onnxsim
    onnx.save(onnxsim.simplify(onnx.load(source))[0], result)


def onnxslim(source, result):
    import onnxslim
    onnxslim.slim(str(source), str(result))


def onnxscript(source, result):
    import onnx
    import onnxscript.optimizer
    onnx.save(onnxscript.optimizer.optimize(onnx.load(source)), result)


def runtime(level):
    def run(source, result):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_ENABLE_{level}")
        options.optimized_model_filepath = str(result)
        options.log_severity_level = 4
        onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    return run


TOOLS = {"onnxpress": onnxpress(), "onnxpress-shrink": onnxpress("--shrink"), "onnxpress-ort": onnxpress("--target", "ort"), "onnxsim": onnxsim, "onnxslim": onnxslim,
         "onnxscript": onnxscript, "ort-basic": runtime("BASIC"), "ort-extended": runtime("EXTENDED")}
PORTABLE = ["onnxsim", "onnxslim", "onnxscript", "ort-basic"]  # results for any runtime


def in_child(work, log):
    """(exit code, CPU seconds) of a function in a copy of this process, which has imported everything; what it prints goes to `log`."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        try:
            work()
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 (tools fail in many ways)
            print(f"{type(error).__name__}: {error}", flush=True)
            os._exit(1)
    _, status, usage = os.wait4(child, 0)
    return status, usage.ru_utime + usage.ru_stime


def apply_tool(tool, source, result):
    """Runs the tool unless its result is there; returns {"seconds"} or {"failed"}."""
    note = result.with_suffix(".json")
    if note.exists():
        return json.loads(note.read_text())
    log = result.with_suffix(".log")
    status, seconds = in_child(lambda: TOOLS[tool](source, result), log)
    text = log.read_text(errors="replace").strip()
    found = {"seconds": seconds} if status == 0 and result.exists() else {"failed": text[-200:] or f"status {status}"}
    note.write_text(json.dumps(found))
    log.unlink()
    return found


def judged(source, results, seconds, note):
    from judge import judge

    def work():
        note.write_text(json.dumps(judge(str(source), str(source.with_suffix(".npz")), results, seconds)))
    log = note.with_suffix(".log")
    status, _ = in_child(work, log)
    if status != 0:
        note.write_text(json.dumps({"failed": log.read_text(errors="replace").strip()[-300:] or f"status {status}"}))
    log.unlink()
    return json.loads(note.read_text())


def progress(done, total, name, begin):
    left = (time.time() - begin) / max(done, 1) * (total - done)
    print(f"\r[{'#' * (30 * done // total):30}] {done}/{total} {name[:40]:40} {left / 60:5.0f} min left ", end="\n" if done == total else "", file=sys.stderr, flush=True)


def export_all(folder, ways, pattern):
    from architectures import MADE
    from classical import CLASSICAL
    jobs = [f"{name}.{way}" for way in ways for name in (CLASSICAL if way == "sk" else MADE) if re.search(pattern, name)]
    missing = [job for job in jobs if not any((folder / f"{job}.{end}").exists() for end in ("onnx", "failed"))]
    if missing:
        subprocess.run([sys.executable, HERE / "export.py", folder, *missing], check=False)
    return [job for job in jobs if (folder / f"{job}.onnx").exists()], [job for job in jobs if (folder / f"{job}.failed").exists()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--filter", default="", help="a regular expression for names of architectures")
    parser.add_argument("--ways", default="ts17d,dy18d,sk", help="see export.py")
    parser.add_argument("--latency", type=float, default=0, help="seconds to spend on each export's latencies")
    parser.add_argument("--again", default="", help="forget results of these tools")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    continue_in_environment(options.folder.resolve())
    exports, refused = export_all(options.folder, options.ways.split(","), options.filter)
    (options.folder / "out").mkdir(exist_ok=True)
    for tool in filter(None, options.again.split(",")):
        for each in (options.folder / "out").glob(f"*.{tool}.*"):
            each.unlink()
    import onnx  # noqa: F401 (for all children)
    import onnxruntime  # noqa: F401
    import onnxscript.optimizer  # noqa: F401
    import onnxsim  # noqa: F401
    import onnxslim  # noqa: F401
    from tables import write_tables
    rows, begin = {}, time.time()
    for done, name in enumerate(exports):
        progress(done, len(exports), name, begin)
        source, notes, results = options.folder / f"{name}.onnx", {}, {}
        for tool in TOOLS:
            result = options.folder / "out" / f"{name}.{tool}.onnx"
            notes[tool] = apply_tool(tool, source, result)
            if "seconds" in notes[tool]:
                results[tool] = str(result)
        note = options.folder / "out" / f"{name}.judged.json"
        newest = max((Path(each).stat().st_mtime for each in results.values()), default=0)
        known = json.loads(note.read_text()) if note.exists() and note.stat().st_mtime > newest else {}
        if not known or (options.latency and "latency" not in known.get("onnxpress", {})):
            known = judged(source, results, options.latency, note)
        rows[name] = {tool: {**notes.get(tool, {}), **known.get(tool, {})} for tool in ["original", *TOOLS]}
        if "failed" in known:
            rows[name]["original"]["failed"] = known["failed"]
        write_tables(options.folder, rows, refused, PORTABLE)
    progress(len(exports), len(exports), "done", begin)
    print((options.folder / "results.md").read_text())


if __name__ == "__main__":
    main()
