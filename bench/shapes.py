"""Compares shape inference: ours, onnx.shape_inference (with data propagation) and ONNX Runtime's symbolic_shape_infer.

  .venv/bin/python -m pip install sympy && .venv/bin/python bench/shapes.py [--declared] [models/*.onnx]

Counts results of nodes in the main graph whose rank is known, and whose every dim is known as a size or a name. Declared types are removed
first, including those of bodies, so that each tool shows what it infers by itself; with --declared they stay, and ours is told to
trust them (--trust-value-info), as the others do.

Times are medians of three runs, including reading the file. Ours is shown twice: for the whole process, which is started each time, and
(after "of which") for the inference alone, in a warm process. The others run in this process, so their start is not counted; their
time without reading the file is also shown after "of which". Only the ratios mean anything: of whole times, and of inference alone.
"""
import contextlib
import io
import json
import logging
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import onnx

ROOT = Path(__file__).resolve().parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress"))
ROUNDS = 3


def counts(model):
    """(values, with rank, with every dim) of the main graph."""
    graph = model.graph
    types = {v.name: v.type for v in [*graph.value_info, *graph.output, *graph.input]}
    total = rank = complete = 0
    for node in graph.node:
        for name in node.output:
            if not name:
                continue
            total += 1
            kind = types.get(name)
            if kind is None or kind.WhichOneof("value") is None:
                continue
            if kind.WhichOneof("value") != "tensor_type":
                rank += 1
                complete += 1
            elif kind.tensor_type.HasField("shape"):
                rank += 1
                complete += all(d.HasField("dim_value") or d.dim_param for d in kind.tensor_type.shape.dim)
    return total, rank, complete


def bodies_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs] if attribute.type in (5, 10) else []:
                yield from bodies_of(body)


def stripped(path, keeps_types):
    """The model without the types that it declares for results of nodes; those of inputs stay."""
    model = onnx.load(path)
    for graph in bodies_of(model.graph) if not keeps_types else []:
        del graph.value_info[:]
        for output in graph.output:
            if output.type.HasField("tensor_type"):
                output.type.tensor_type.ClearField("shape")
    target = Path("/tmp") / f"onnxpress_shapes_{path.stem}.onnx"
    onnx.save(model, target)
    return target


def timed(work):
    times, result = [], None
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), result


def ours(path, trust):
    out = path.with_suffix(".typed.onnx")
    command = [ONNXPRESS, "infer", path, *(["--trust-value-info"] if trust else [])]
    seconds, _ = timed(lambda: subprocess.run([*command, "--json"], check=True, stdout=subprocess.DEVNULL))
    # The same model several times in one process: the first time also sets up the table of ops.
    again = [ONNXPRESS, "infer", *[path] * (ROUNDS + 1), *command[3:], "--json"]
    rows = json.loads(subprocess.run(again, check=True, stdout=subprocess.PIPE).stdout)["models"]
    subprocess.run([*command, "-o", out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = counts(onnx.load(out, load_external_data=False))
    out.unlink()
    return seconds, statistics.median(row["seconds"] for row in rows[1:]), found


def theirs(path, infer):
    try:
        seconds, model = timed(lambda: infer(onnx.load(path)))
        loaded = onnx.load(path)
        alone, _ = timed(lambda: infer(loaded))
        return seconds, alone, counts(model)
    except Exception as problem:
        return None, None, f"{type(problem).__name__}: {str(problem)[:40]}".replace("\n", " ")


def official(model):
    return onnx.shape_inference.infer_shapes(model, data_prop=True)


def symbolic(model):
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):
        return SymbolicShapeInference.infer_shapes(model, auto_merge=True, guess_output_rank=False)


def cell(seconds, alone, found):
    if seconds is None:
        return f"fails ({found})"
    return f"{found[1]} / {found[2]} in {seconds * 1000:.0f} ms, of which {alone * 1000:.1f}"


def ratios(mine, others, which):
    return ", ".join(f"{other[which] / mine[which]:.0f} x" if other[0] is not None else "-" for other in others)


def main():
    keeps_types = "--declared" in sys.argv
    paths = [Path(p).resolve() for p in sys.argv[1:] if p != "--declared"] or sorted((ROOT / "models").glob("*.onnx"))
    os.chdir("/tmp")  # symbolic_shape_infer leaves files where it runs
    print(f"{'model':<30} {'values':>6}  {'onnxpress':<34} {'onnx':<38} {'symbolic_shape_infer':<52} faster by (inference alone)")
    worse = slow = 0
    for path in paths:
        bare = stripped(path, keeps_types)
        mine, others = ours(bare, keeps_types), [theirs(bare, official), theirs(bare, symbolic)]
        working = [other for other in others if other[0] is not None]
        behind = any(mine[2][i] < other[2][i] for other in working for i in (1, 2))
        worse += behind
        slow += any(other[1] < 20 * mine[1] for other in working)
        print(f"{path.stem:<30} {mine[2][0]:>6}  {cell(*mine):<34} {cell(*others[0]):<38} {cell(*others[1]):<52} "
              f"{ratios(mine, others, 0)} ({ratios(mine, others, 1)}){'  BEHIND' if behind else ''}", flush=True)
        bare.unlink()
    print(f"each cell: values with a rank / with every dim. Behind on {worse} of {len(paths)} models; "
          f"inference alone less than 20 x faster on {slow}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
