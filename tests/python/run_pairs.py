"""Runs models before and after a change, on the same inputs, and compares every bit: in our evaluator (the program compare_pairs) and in
ONNX Runtime, whose optimizations are off. NaNs are equal, whatever their bits.
"""
import collections
import os
import subprocess
import tempfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy
import onnx
from mutations import graphs_of
from special_inputs import write_sets
from test_mutated import session_of

COMPARE_PAIRS = os.environ.get("COMPARE_PAIRS", "build/tests/compare_pairs")

# word: "same", "differs", "unfit" (the model does not run on these inputs before the change), "broken" (only not after it)
# odd: an output was infinite or NaN before the change
Outcome = collections.namedtuple("Outcome", "word distance where only_zeros odd", defaults=(0.0, "", False, False))
Pair = collections.namedtuple("Pair", "before after model sets")  # paths; the model before; its sets of inputs


# --- Our evaluator

def in_evaluator(pairs, folder):
    """For each pair, an Outcome for each of its sets."""
    lines = []
    for i, pair in enumerate(pairs):
        data = folder / f"pair{i}"
        write_sets(data, pair.model, pair.sets)
        lines.append(f"{pair.before}\t{pair.after}\t{data}\n")
    (folder / "pairs.txt").write_text("".join(lines))
    done = subprocess.run([COMPARE_PAIRS, folder / "pairs.txt"], capture_output=True, text=True, check=True, errors="replace")
    outcomes = [[] for _ in pairs]
    for line in done.stdout.splitlines():
        number, _, word, distance, odd, where = line.split("\t")
        outcomes[int(number)].append(Outcome(word, float(distance), where, odd=bool(odd)))
    return outcomes


# --- ONNX Runtime

def bits_of(array):
    """The bits, with one pattern for all NaNs."""
    array = numpy.ascontiguousarray(array)
    if array.dtype.kind not in "fc":
        return array
    canonical = numpy.where(numpy.isnan(array), numpy.asarray(numpy.nan, array.dtype), array)
    return numpy.ascontiguousarray(canonical).view(f"V{array.dtype.itemsize}")


def compared(before, after):
    """An Outcome for one output."""
    if isinstance(before, list) or isinstance(after, list):
        if not (isinstance(before, list) and isinstance(after, list) and len(before) == len(after)):
            return Outcome("differs", numpy.inf, "another number of items")
        parts = [compared(x, y) for x, y in zip(before, after)]
        return next((each for each in parts if each.word != "same"), Outcome("same"))
    if not isinstance(before, numpy.ndarray) or not isinstance(after, numpy.ndarray):
        return Outcome("same") if repr(before) == repr(after) else Outcome("differs", numpy.inf, f"was {before!r}, is {after!r}")
    if before.dtype != after.dtype or before.shape != after.shape:
        return Outcome("differs", numpy.inf, f"was {before.dtype}{before.shape}, is {after.dtype}{after.shape}")
    if numpy.array_equal(bits_of(before), bits_of(after)):
        return Outcome("same")
    return first_difference(before, after)


def first_difference(before, after):
    at = int(numpy.flatnonzero(bits_of(before).ravel() != bits_of(after).ravel())[0])
    where = f"element {at} was {before.ravel()[at]}, is {after.ravel()[at]}"
    if before.dtype.kind != "f":
        return Outcome("differs", numpy.inf, where)
    a, b = before.astype("float64"), after.astype("float64")
    odd = ~numpy.isfinite(a) | ~numpy.isfinite(b)
    if not numpy.array_equal(a[odd], b[odd], equal_nan=True):
        return Outcome("differs", numpy.inf, where, odd=not numpy.isfinite(a).all())
    largest = max(float(numpy.max(numpy.abs(a[~odd]), initial=0)), 1e-30)
    far = float(numpy.max(numpy.abs(a[~odd] - b[~odd]), initial=0))
    return Outcome("differs", far / largest, where, numpy.array_equal(a, b, equal_nan=True), not numpy.isfinite(a).all())


def run_once(session, inputs):
    try:
        return session.run(None, inputs)
    except Exception:
        return None


def opened(path):
    try:
        return session_of(path)
    except Exception:
        return None


def pair_in_child(before, after, sets):
    """Runs in another process, because a mutant may crash ONNX Runtime."""
    first = opened(before)
    if first is None:
        return [Outcome("unfit")] * len(sets)
    second = opened(after)
    outcomes = []
    for inputs in sets:
        expected = run_once(first, inputs)
        found = run_once(second, inputs) if second and expected is not None else None
        if expected is None or found is None:
            outcomes.append(Outcome("unfit" if expected is None else "broken", numpy.inf, "ONNX Runtime refuses the result"))
            continue
        parts = [compared(x, y) for x, y in zip(expected, found)]
        worst = max(parts, key=lambda each: (each.word != "same", not each.only_zeros, each.distance), default=Outcome("same"))
        outcomes.append(worst)
    return outcomes


class Runtime:
    def __init__(self):
        self.pool = None

    def call(self, function, *arguments):
        """None when the process died or took too long."""
        self.pool = self.pool or ProcessPoolExecutor(1)
        try:
            return self.pool.submit(function, *arguments).result(timeout=60)
        except (BrokenProcessPool, TimeoutError):
            for process in list(self.pool._processes.values()):
                process.kill()
            self.pool = None
            return None

    def compare(self, pair):
        """An Outcome for each set of inputs."""
        outcomes = self.call(pair_in_child, pair.before, pair.after, pair.sets)
        if outcomes is not None:
            return outcomes
        alone = self.call(pair_in_child, pair.before, pair.before, pair.sets)
        word = "unfit" if alone is None else "broken"
        return [Outcome(word, numpy.inf, "ONNX Runtime crashes on the result")] * len(pair.sets)


# --- Where ONNX Runtime itself departs from what its operators mean. docs/commands/optimize.md lists it, and
# test_exact.py shows each without a rewrite.

# Functions whose last bits depend on where an element lies in memory, because some are computed several at a time and the rest one by one.
PLACE_MATTERS = {"Log", "Sin", "Cos", "Atan", "Exp", "Tanh", "Sigmoid", "Softplus", "Elu", "Selu", "Mish", "Pow"}


def ops_in(model):
    bodies = [*graphs_of(model.graph), *model.functions]
    return {node.op_type for body in bodies for node in body.node}


def inserts_casts(path):
    """Whether ONNX Runtime computes parts of a model of narrow floats in float32, with Casts that it inserts and partly removes again."""
    with tempfile.TemporaryDirectory() as folder:
        import onnxruntime
        saved = Path(folder) / "saved.onnx"
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.optimized_model_filepath = str(saved)
        options.log_severity_level = 4
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return any(node.name.startswith("InsertedPrecisionFreeCast") for graph in graphs_of(onnx.load(saved).graph) for node in graph.node)


def departure_of(pair, outcome):
    """Why ONNX Runtime computes something else before and after a rewrite that is right; None if nothing explains it."""
    if outcome.word != "differs":
        return None
    ops = ops_in(pair.model) | ops_in(onnx.load(pair.after))
    if "Where" in ops and outcome.only_zeros:
        return "Where loses the sign of a zero"
    if ops & PLACE_MATTERS and outcome.distance < 1e-6:
        return "the last bits of a function depend on the place in memory"
    if "MaxPool" in ops and outcome.odd and outcome.distance == numpy.inf:
        return "MaxPool takes or leaves NaN by its place"
    if any(value.type.tensor_type.elem_type == onnx.TensorProto.STRING for value in pair.model.graph.input):
        return "Gather and Loop lose strings"
    if inserts_casts(pair.before) or inserts_casts(pair.after):
        return "inserted Casts"
    return None
