#!/usr/bin/env python3
"""Runs the test suite of another tool, or any folder of models, through onnxpress:

  bench/suites/run.py FOLDER [--python PEERS/bin/python] [--import-from FOLDER] [--keep MODELS] [--pytest="-k pattern"] [--verbs check,optimize]

FOLDER is the tests of onnx, onnxoptimizer, onnx-simplifier, OnnxSlim, onnxscript or ONNX Shrink Ray, from their repository; nothing of it becomes part
of this one. PEERS is a virtual environment with that tool, onnx, onnxruntime and pytest. The script runs the tests with capture_models.py, which keeps every
model that they make, and adds the models that lie in FOLDER. Then it gives each to `check`, `optimize` (also --exact, and to other opsets), `shrink` and
`infer`, and compares outputs with ONNX Runtime, bit by bit where the command promises that; nodes with the result of the tool; and verdicts with
onnx.checker (full check) and ONNX Runtime. The table says what came out; --json has every line. Exit code 1 if anything is wrong, crashes or hangs.

--keep MODELS keeps the captured models, and uses those of an earlier run without running the tests again. --import-from FOLDER takes the tool from there
instead of from PEERS, for tools in plain Python whose tests are beside their code.
"""
import argparse
import hashlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST_SECONDS = 120  # of a command, and of a run in ONNX Runtime

# Verb -> its arguments, and whether every bit of the outputs must stay. OPSET is one of --opsets.
VERBS = {
    "check": (["check"], False), "optimize": (["optimize"], False), "exact": (["optimize", "--exact"], True),
    "ort": (["optimize", "--target", "ort"], False), "shrink": (["shrink"], True), "infer": (["infer"], True),
    "opset": (["optimize", "--allow-growth", "--opset", "OPSET"], False),
}
COLUMNS = ("runs", "same", "not run", "wrong", "invalid", "crash", "time-out", "refused")


def capture(options, folder):
    """Runs the tests; it does not matter whether they pass."""
    environment = {**os.environ, "ALLOW_RELEASED_ONNX_OPSET_ONLY": "0", "CAPTURE_FOLDER": str(folder), "CAPTURE_LARGEST": str(options.largest),
                   "CAPTURE_PER_TEST": str(options.per_test),
                   "PYTHONPATH": os.pathsep.join(map(str, [HERE, *([options.import_from.resolve()] if options.import_from else [])]))}
    with tempfile.TemporaryDirectory() as away:  # tests may write files
        # The packages above the tests would hide a compiled tool, so that a copy is needed, unless the tool is taken from there.
        tests = options.suite.resolve()
        if not options.import_from:
            tests = shutil.copytree(tests, Path(away) / "suite" / tests.name)
        command = [options.python.absolute(), "-P", "-m", "pytest", "-q", "--no-header", "--tb=no", "-o", "addopts=", "-p", "capture_models",
                   "-p", "no:cacheprovider", "--continue-on-collection-errors", *options.pytest.split(), tests]
        crashes, end = 0, time.monotonic() + options.most_minutes * 60
        while True:
            try:
                done = subprocess.run(command, cwd=away, env=environment, capture_output=True, text=True, check=False,
                                      timeout=max(1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                text = f"stopped after {options.most_minutes:g} minutes"
                break
            text = done.stdout.strip() or done.stderr.strip()
            crashed = folder / "crashed.onnx"
            if done.returncode >= 0 or not (folder / "begun.txt").exists():
                break
            crashes += 1  # the tests after the one that crashed come next
            if crashed.exists():
                digest = hashlib.sha256(crashed.read_bytes()).hexdigest()[:8]
                crashed.rename(next(folder.glob(f"{digest}_*.onnx"), folder / f"crashed{crashes:02}.onnx"))
    (folder / "crashed.onnx").unlink(missing_ok=True)
    print("tests of the suite:", text.splitlines()[-1] if text else "nothing", f"(the tool crashed {crashes} times)" if crashes else "")


def add_files(suite, folder, largest):
    """Copies the models that lie in the suite."""
    for number, path in enumerate(sorted(suite.rglob("*.onnx")), start=1):
        if 0 < path.stat().st_size <= largest:
            shutil.copyfile(path, folder / f"file{number:05}_{path.parent.name}_{path.name}")


class Judge:
    """judge.py in a process, which is started again when it crashes or hangs."""

    def __init__(self, python):
        self.python, self.process, self.opened = python, None, None

    def ask(self, **request):
        if not self.process:
            # ONNX Runtime refuses opsets that the onnx package already has, unless it is told to try.
            environment = {**os.environ, "ALLOW_RELEASED_ONNX_OPSET_ONLY": "0"}
            self.process = subprocess.Popen([self.python, HERE / "judge.py"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
            if self.opened and "open" not in request and "problem" in (found := self.ask(open=self.opened)):
                return found
        self.opened = request.get("open", self.opened)
        line = ""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            if select.select([self.process.stdout], [], [], MOST_SECONDS)[0]:
                line = self.process.stdout.readline()
        except BrokenPipeError:
            pass
        if line:
            return json.loads(line)
        self.close()
        return {"problem": "ONNX Runtime or the checker crashed or hung"}

    def close(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None


def run(options, arguments):
    """What a command of onnxpress did: 'done', 'no' (exit code 1), 'refused', 'crash' or 'time-out'; and the first error it gave."""
    environment = {**os.environ, "ASAN_OPTIONS": "exitcode=99:detect_leaks=0", "UBSAN_OPTIONS": "exitcode=99", "ONNXPRESS_ORT": "none"}
    try:
        done = subprocess.run([options.onnxpress, *map(str, arguments)], capture_output=True, env=environment, timeout=MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "time-out", ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    said += [line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("  error")]  # of check
    words = {0: "done", 1: "no", 2: "refused", 3: "refused"}
    return words.get(done.returncode, "crash"), said[0] if said else ""


def judge_check(options, model, facts):
    """Compares the verdict with those of the checker and of ONNX Runtime."""
    answer, said = run(options, ["check", "--quiet", model])
    verdict = {"done": "same", "no": "same", "refused": "same"}.get(answer, answer)
    if verdict == "same":
        others = [facts.get("checker"), facts.get("loads")]
        if answer == "done" and others == [False, False]:
            verdict = "accepts alone"
        elif answer != "done" and others == [True, True]:
            verdict = "refuses alone"
    return verdict, said


def judge_result(options, judge, model, facts, verb, opset, result):
    arguments, exact = VERBS[verb]
    arguments = [str(opset) if each == "OPSET" else each for each in arguments]
    answer, said = run(options, [*arguments, model, "-o", result, "--quiet"])
    if answer != "done":
        return ("refused" if answer == "no" else answer), said, None
    if not result.exists():
        return "refused", "nothing was written", None
    found = judge.ask(result=str(result), exact=exact)
    if "problem" in found:
        return ("not run" if "problem" in facts else "wrong"), found["problem"], None
    if facts.get("checker") and not found["valid"]:
        return "invalid", "onnx.checker refuses the result", found["nodes"]
    return found["answer"], found["why"], found["nodes"]


def judge_model(options, judge, model, line):
    """All lines about one model: dicts with model, verb, verdict, why, nodes."""
    facts = judge.ask(open=str(model))
    peer = model.with_suffix(".peer.onnx")
    theirs = judge.ask(result=str(peer), exact=False) if peer.exists() else None
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for verb in options.verbs:
            for opset in options.opsets if verb == "opset" else [None]:
                entry = {**line, "model": model.stem, "verb": f"{verb} {opset}" if opset else verb}
                if verb == "check":
                    entry["verdict"], entry["why"] = judge_check(options, model, facts)
                elif opset and opset == facts.get("opset"):
                    continue
                else:
                    result = Path(folder) / f"{verb}{opset or ''}.onnx"
                    entry["verdict"], entry["why"], entry["nodes"] = judge_result(options, judge, model, facts, verb, opset, result)
                if verb in ("optimize", "ort") and theirs and "nodes" in theirs:
                    entry["peer_nodes"], entry["peer_verdict"] = theirs["nodes"], theirs["answer"]
                lines.append(entry)
    return lines


def is_more(line):
    """Whether the tool's own result has fewer nodes, and is not known to be wrong."""
    nodes = line.get("nodes")
    return nodes is not None and line.get("peer_nodes") is not None and line["peer_verdict"] != "wrong" and nodes > line["peer_nodes"]


def table(lines):
    rows = [["command", *COLUMNS, "as few nodes as the tool, or fewer", "more"]]
    for verb in dict.fromkeys(line["verb"] for line in lines):
        mine = [line for line in lines if line["verb"] == verb]
        counts = Counter(line["verdict"] for line in mine)
        compared = [line for line in mine if line.get("peer_nodes") is not None and line.get("nodes") is not None and line["peer_verdict"] != "wrong"]
        more = sum(map(is_more, compared))
        rows.append([verb, len(mine), *(counts[column] for column in COLUMNS[1:]), len(compared) - more if compared else "", more if compared else ""])
    return "\n".join("| " + " | ".join(map(str, row)) + " |" + ("\n|" + "---|" * len(row) if i == 0 else "") for i, row in enumerate(rows))


def report(lines, shown):
    counts = Counter(line["verdict"] for line in lines if line["verb"] == "check")
    print(table(lines))
    if "check" in {line["verb"] for line in lines}:
        print(f"\ncheck accepts {counts['accepts alone']} that onnx.checker and ONNX Runtime both refuse, "
              f"and refuses {counts['refuses alone']} that both accept")
    peers = [line for line in lines if line["verb"] == "optimize" and line.get("peer_verdict") == "wrong"]
    if peers:
        print(f"the tool's own result is wrong, or does not load, for {len(peers)}")
    for word in ("wrong", "invalid", "crash", "time-out", "accepts alone", "refuses alone"):
        for line in [each for each in lines if each["verdict"] == word][:shown]:
            print(f"{word}: {line['verb']}: {line['model']}: {line['why']}")
    for line in [each for each in lines if is_more(each)][:shown]:
        print(f"more nodes: {line['verb']}: {line['model']}: {line['nodes']}, the tool {line['peer_nodes']}")
    refusals = Counter((line["verb"], line["why"].split(".onnx: ")[-1]) for line in lines if line["verdict"] == "refused")
    for (verb, why), count in refusals.most_common(shown // 2):
        print(f"refused: {verb}: {count} models: {why}")
    return 1 if any(line["verdict"] in ("wrong", "invalid", "crash", "time-out") for line in lines) else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path, metavar="FOLDER", help="the tests, or models")
    parser.add_argument("--python", type=Path, default=ROOT / "build/peers/optimize/bin/python", help="Python of PEERS")
    parser.add_argument("--import-from", type=Path, metavar="FOLDER", help="where Python finds the tool before PEERS")
    parser.add_argument("--onnxpress", type=Path, default=Path(os.environ.get("ONNXPRESS", ROOT / "build/onnxpress")))
    parser.add_argument("--keep", type=Path, metavar="MODELS", help="a folder for the captured models")
    parser.add_argument("--pytest", default="", metavar="WORDS", help="more arguments for pytest")
    parser.add_argument("--verbs", default="check,optimize,exact,ort,shrink,infer,opset", help="which of these")
    parser.add_argument("--opsets", default="13,21", help="opsets to convert to")
    parser.add_argument("--largest", type=int, default=20_000_000, metavar="BYTES", help="leave out larger models")
    parser.add_argument("--per-test", type=int, default=6, metavar="N", help="keep at most so many models of a test")
    parser.add_argument("--most-minutes", type=float, default=30, metavar="N", help="stop the suite's tests after this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="judge only every Nth model")
    parser.add_argument("--show", type=int, default=40, metavar="N", help="how many lines of a kind to print")
    parser.add_argument("--json", type=Path, help="also write all lines to this file")
    parser.add_argument("-j", "--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    options.verbs, options.opsets = options.verbs.split(","), [int(each) for each in options.opsets.split(",")]
    for path in (options.suite, options.python, options.onnxpress):
        if not path.exists():
            parser.error(f"'{path}' does not exist")
    if unknown := set(options.verbs) - VERBS.keys():
        parser.error(f"unknown verbs {', '.join(sorted(unknown))}; known are {', '.join(VERBS)}")
    return options


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as name:
        folder = (options.keep or Path(name)).absolute()
        if not any(folder.glob("*.onnx")):
            folder.mkdir(parents=True, exist_ok=True)
            capture(options, folder)
            add_files(options.suite, folder, options.largest)
        known = {}
        if (folder / "lines.jsonl").exists():
            known = {each["name"]: each for each in map(json.loads, (folder / "lines.jsonl").read_text().splitlines())}
        models = [path for path in sorted(folder.glob("*.onnx")) if not path.name.endswith(".peer.onnx")][::options.every]
        print(f"{len(models)} models", flush=True)
        judges = [Judge(options.python.absolute()) for _ in range(options.jobs)]

        def work(i):
            return [line for model in models[i::options.jobs] for line in judge_model(options, judges[i], model, known.get(model.stem, {}))]

        with ThreadPoolExecutor(options.jobs) as pool:
            lines = [line for part in pool.map(work, range(options.jobs)) for line in part]
        for judge in judges:
            judge.close()
    if options.json:
        options.json.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return report(lines, options.show) if lines else 1


if __name__ == "__main__":
    sys.exit(main())
