"""Shape inference side by side: ours, onnx.shape_inference (with data propagation) and ONNX Runtime's symbolic_shape_infer.

  .venv/bin/python -m pip install sympy && .venv/bin/python bench/shapes.py [models/*.onnx]

Counts results of nodes in the main graph whose rank is known, and whose every dim is known as a size or a name. Times are medians of
three runs in one process each, reading the file included; only the ratios mean anything.
"""
import json
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


def stripped(path):
    """Without value_info, so that each tool shows what it finds out by itself; outputs lose their shapes as well."""
    model = onnx.load(path)
    del model.graph.value_info[:]
    for output in model.graph.output:
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


def ours(path):
    out = path.with_suffix(".typed.onnx")
    seconds, _ = timed(lambda: subprocess.run([ONNXPRESS, "infer", path, "--json"], check=True, stdout=subprocess.DEVNULL))
    subprocess.run([ONNXPRESS, "infer", path, "-o", out], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = counts(onnx.load(out, load_external_data=False))
    out.unlink()
    return seconds, found


def official(path):
    def work():
        return onnx.shape_inference.infer_shapes(onnx.load(path), data_prop=True)
    try:
        seconds, model = timed(work)
        return seconds, counts(model)
    except Exception as problem:
        return None, str(problem)[:60]


def runtime(path):
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference
    import contextlib
    import io
    import logging
    logging.disable(logging.CRITICAL)

    def work():
        with contextlib.redirect_stdout(io.StringIO()):
            return SymbolicShapeInference.infer_shapes(onnx.load(path), auto_merge=True, guess_output_rank=False)
    try:
        seconds, model = timed(work)
        return seconds, counts(model)
    except Exception as problem:
        return None, f"{type(problem).__name__}: {str(problem)[:40]}"


def cell(seconds, found):
    if seconds is None:
        return f"fails ({found})"
    return f"{found[1]} / {found[2]} in {seconds * 1000:.0f} ms"


def main():
    paths = [Path(p).resolve() for p in sys.argv[1:]] or sorted((ROOT / "models").glob("*.onnx"))
    os.chdir("/tmp")  # symbolic_shape_infer leaves files where it runs
    print(f"{'model':<32} {'values':>6}  {'onnxpress':<24} {'onnx':<34} {'symbolic_shape_infer':<44} faster by")
    worse = 0
    for path in paths:
        bare = stripped(path)
        mine, theirs, symbolic = ours(bare), official(bare), runtime(bare)
        ratios = [other[0] / mine[0] for other in (theirs, symbolic) if other[0] is not None]
        best = [max((other[1][i] for other in (theirs, symbolic) if other[0] is not None), default=0) for i in (1, 2)]
        behind = mine[1][1] < best[0] or mine[1][2] < best[1]
        worse += behind
        print(f"{path.stem:<32} {mine[1][0]:>6}  {cell(*mine):<24} {cell(*theirs):<34} {cell(*symbolic):<44} "
              f"{', '.join(f'{r:.0f} x' for r in ratios)}{'  BEHIND' if behind else ''}", flush=True)
        bare.unlink()
    print(f"each cell: values with a rank / with every dim. Behind on {worse} of {len(paths)} models.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
