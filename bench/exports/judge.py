"""Judges results of several tools for one export in ONNX Runtime.

A result is right if it loads, keeps names and types of inputs and outputs, and gives the same outputs as the original without optimizations: with a
difference of at most ten times the effect of changing each input by a millionth, or 1e-4 of the largest element. Latency is measured at ONNX Runtime's
default level, against the original, in rounds that run every file once in another order: with one thread as CPU time, with default threads as time. The
number is the median of the ratios of the rounds, with an interval that contains the real median with 95 %.
"""
import math
import random
import time
from pathlib import Path

import numpy
import onnx
import onnxruntime

def session_of(path, level=None, threads=1):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    if level is not None:
        options.graph_optimization_level = level
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def bodies_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in [attribute.g, *attribute.graphs] if attribute.type in (5, 10) else []:
                yield from bodies_of(body)


def flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from flat(value)
        elif isinstance(value, dict):
            yield from flat(value.values())
        else:
            yield numpy.asarray(value)


def distance(expected, found):
    """The largest difference as a share of the largest element; infinite for other types, shapes, texts, nans or infinities."""
    expected, found = list(flat(expected)), list(flat(found))
    if len(expected) != len(found):
        return math.inf
    worst = 0.0
    for a, b in zip(expected, found):
        if a.shape != b.shape or a.dtype != b.dtype:
            return math.inf
        if a.dtype.kind not in "fiub":
            worst = max(worst, 0.0 if (a == b).all() else math.inf)
            continue
        a, b = a.astype(numpy.float64), b.astype(numpy.float64)
        odd = ~numpy.isfinite(a)
        if not numpy.array_equal(a[odd], b[odd], equal_nan=True) or not numpy.isfinite(b[~odd]).all():
            return math.inf
        if (~odd).any():
            worst = max(worst, float(numpy.abs(a - b)[~odd].max() / max(numpy.abs(a[~odd]).max(), 1e-30)))
    return worst


def interface_of(model):
    constants = {each.name for each in model.graph.initializer}
    kinds = lambda values: [(each.name, each.type.tensor_type.elem_type) for each in values if each.name not in constants]  # noqa: E731
    return kinds(model.graph.input), kinds(model.graph.output)


def sets_of(path):
    found = {}
    for key, value in numpy.load(path).items():
        found.setdefault(key.split("/")[0], {})[key.split("/", 1)[1]] = value
    return list(found.values())


class Judge:
    def __init__(self, original, sets):
        self.model = onnx.load(original)
        session = session_of(original, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
        wanted = {each.name for each in session.get_inputs()}  # exporters drop what is not used
        self.sets = [{key: value for key, value in each.items() if key in wanted} for each in sets]
        self.expected = [session.run(None, each) for each in self.sets]
        self.floors = [self.floor(session, each, result) for each, result in zip(self.sets, self.expected)]

    @staticmethod
    def floor(session, inputs, expected):
        rng, floor = numpy.random.default_rng(11), 0.0
        for _ in range(3):
            nudged = {k: (v * (1 + 1e-6 * rng.choice([-1, 1], v.shape))).astype(v.dtype) if v.dtype.kind == "f" else v for k, v in inputs.items()}
            moved = distance(expected, session.run(None, nudged))
            floor = max(floor, moved if math.isfinite(moved) else 0)
        return floor

    def describe(self, path):
        model = onnx.load(path)
        lists = [*(body.node for body in bodies_of(model.graph)), *(function.node for function in model.functions)]
        path = Path(path)
        found = {"nodes": sum(node.op_type != "Constant" for nodes in lists for node in nodes),
                 "bytes": sum(each.stat().st_size for each in [path, *path.parent.glob(path.name + "?*")]),
                 "ops": sorted({node.op_type for nodes in lists for node in nodes})}
        try:
            onnx.checker.check_model(str(path), full_check=True)
        except Exception as problem:  # noqa: BLE001 (a checker fails in many ways)
            found["invalid"] = str(problem)[:200]
        if interface_of(model) != interface_of(self.model):
            found["wrong"] = "other inputs or outputs"
        try:
            session = session_of(path)
        except Exception as problem:  # noqa: BLE001
            return {**found, "wrong": f"refused: {str(problem)[:200]}"}
        worst = 0.0
        for inputs, expected, floor in zip(self.sets, self.expected, self.floors):
            try:
                error = distance(expected, session.run(None, inputs))
            except Exception as problem:  # noqa: BLE001
                return {**found, "wrong": f"does not run: {str(problem)[:200]}"}
            worst = max(worst, error)
            if error > max(1e-4, 10 * floor):
                found["wrong"] = f"differs by {error:.2g}, floor {floor:.2g}"
        return {**found, "error": worst}


def interval(ratios):
    """The median, and the order statistics around it that contain the real one with 95 %."""
    ratios = sorted(ratios)
    half = 0.98 * math.sqrt(len(ratios))
    low, high = max(0, math.floor(len(ratios) / 2 - half)), min(len(ratios) - 1, math.ceil(len(ratios) / 2 + half))
    return [float(numpy.median(ratios)), ratios[low], ratios[high]]


def latencies(paths, inputs, seconds, threads):
    clock = time.thread_time if threads == 1 else time.perf_counter
    sessions = {name: session_of(path, None, threads) for name, path in paths.items()}
    for session in sessions.values():
        session.run(None, inputs)
    begin = clock()
    sessions["original"].run(None, inputs)
    repeats = max(1, min(50, int(0.0005 / max(clock() - begin, 1e-6))))
    ratios, order, end = {name: [] for name in paths}, list(paths), time.perf_counter() + seconds
    while len(ratios["original"]) < 11 or (time.perf_counter() < end and len(ratios["original"]) < 1000):
        random.shuffle(order)
        taken = {}
        for name in order:
            begin = clock()
            for _ in range(repeats):
                sessions[name].run(None, inputs)
            taken[name] = clock() - begin
        for name in order:
            ratios[name].append(taken[name] / taken["original"])
    return {name: interval(each) for name, each in ratios.items() if name != "original"}


def judge(original, inputs, results, seconds):
    """What is known about the original and the result of each tool. `seconds` is for latencies; 0: none."""
    onnxruntime.set_default_logger_severity(4)
    found_by = Judge(original, sets_of(inputs))
    found = {"original": found_by.describe(original), **{tool: found_by.describe(path) for tool, path in results.items()}}
    timed = {"original": original, **{tool: path for tool, path in results.items() if "wrong" not in found[tool]}}
    if seconds > 0:
        for threads, key in ((1, "latency"), (0, "latency_threads")):
            for tool, ratio in latencies(timed, found_by.sets[0], seconds / 2, threads).items():
                found[tool][key] = ratio
    return found
