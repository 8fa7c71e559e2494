"""Judges models in a process of its own, since ONNX Runtime and the checker may crash: reads one JSON request a line, answers with one line.

{"open": FILE}     -> {"checker": bool, "loads": bool, "runs": bool, "nodes": N, "opset": N}; its outputs are what results are compared with
{"result": FILE, "exact": bool} -> {"nodes": N, "valid": bool, "answer": "same", "wrong" or "not run", "why": text}
"""
import json
import os
import re
import sys

import numpy
import onnx
import onnxruntime

NUMBERS, SIZE = 3, 2  # how many different integers; the size of dims that are open
DTYPES = {"bool": numpy.bool_, "float": numpy.float32, "double": numpy.float64, "float16": numpy.float16, "string": object,
          **{f"{sign}int{bits}": numpy.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}}


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as problem:
        # A newer onnx package gives its models an IR version that ONNX Runtime does not read yet, whatever is in them.
        most = re.search(r"max supported IR version: (\d+)", str(problem))
        if not most:
            raise
        model = onnx.load(path)
        model.ir_version = int(most[1])
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def made_up(value, random):
    """An array for an input of a session; None if its type is not a tensor of a type that NumPy has."""
    kind = re.fullmatch(r"tensor\((\w+)\)", value.type)
    if not kind or kind[1] not in DTYPES:
        return None
    shape = [each if isinstance(each, int) and each >= 0 else SIZE for each in value.shape]
    if numpy.prod([float(each) for each in shape]) > 1e7:
        return None
    dtype = numpy.dtype(DTYPES[kind[1]])
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    numbers = random.integers(0, NUMBERS, shape)
    return numpy.array(numbers.astype(str).tolist(), dtype=object).reshape(shape) if dtype == object else numbers.astype(dtype)


def distance(a, b):
    """The largest difference relative to the largest number; infinite for other types, shapes, NaNs and infinities."""
    if isinstance(a, (list, tuple)):
        matching = isinstance(b, type(a)) and len(a) == len(b)
        return max([distance(x, y) for x, y in zip(a, b)], default=0) if matching else numpy.inf
    if isinstance(a, dict):
        return distance(list(a.values()), list(b.values())) if isinstance(b, dict) and a.keys() == b.keys() else numpy.inf
    if not isinstance(a, numpy.ndarray) or not isinstance(b, numpy.ndarray) or a.dtype.kind not in "fc":
        return 0 if numpy.array_equal(a, b) and getattr(a, "dtype", None) == getattr(b, "dtype", None) else numpy.inf
    if a.dtype != b.dtype or a.shape != b.shape:
        return numpy.inf
    a, b = a.astype("complex128"), b.astype("complex128")
    odd = ~numpy.isfinite(a) | ~numpy.isfinite(b)
    if not numpy.array_equal(a[odd], b[odd], equal_nan=True):
        return numpy.inf
    a, b = a[~odd], b[~odd]
    return 0 if a.size == 0 else float(numpy.abs(a - b).max() / max(numpy.abs(a).max(), 1e-6))


def same_bits(a, b):
    """Equal in every bit; any NaN is as good as another."""
    if isinstance(a, (list, tuple)):
        return isinstance(b, type(a)) and len(a) == len(b) and all(map(same_bits, a, b))
    if not isinstance(a, numpy.ndarray) or a.dtype.kind != "f":
        return distance(a, b) == 0
    if not isinstance(b, numpy.ndarray) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    nan = numpy.isnan(a)
    return bool(numpy.array_equal(nan, numpy.isnan(b)) and a[~nan].tobytes() == b[~nan].tobytes())


def node_count(model):
    """Nodes without Constant, in bodies and functions, too."""
    def in_graph(nodes):
        for node in nodes:
            yield node.op_type != "Constant"
            for attribute in node.attribute:
                for body in ([attribute.g] if attribute.HasField("g") else []) + list(attribute.graphs):
                    yield from in_graph(body.node)
    return sum(sum(in_graph(nodes)) for nodes in (model.graph.node, *(function.node for function in model.functions)))


class Judge:
    """Holds the inputs and outputs of the model that results are compared with."""

    def __init__(self):
        self.inputs = self.outputs = None

    def open(self, path):
        self.inputs = self.outputs = None
        model = onnx.load(path, load_external_data=False)
        opset = max([each.version for each in model.opset_import if each.domain in ("", "ai.onnx")], default=0)
        found = {"nodes": node_count(model), "opset": opset, "checker": is_valid(path), "loads": False, "runs": False}
        try:
            session = session_of(path)
            found["loads"] = True
            random = numpy.random.default_rng(7)
            inputs = {each.name: made_up(each, random) for each in session.get_inputs()}
            if any(each is None for each in inputs.values()):
                return found
            outputs = session.run(None, inputs)
            if distance(outputs, session.run(None, inputs)) != 0:  # random numbers
                return found
            found["runs"], self.inputs, self.outputs, self.floor = True, inputs, outputs, self.floor_of(session, inputs, outputs)
        except Exception:
            pass
        return found

    def floor_of(self, session, inputs, outputs):
        """The effect of changing each number by a millionth, which is no more than rounding does. Results may differ by ten times that."""
        random, floor = numpy.random.default_rng(11), 0
        has_half = any(getattr(each, "dtype", None) == numpy.float16 for each in [*outputs, *inputs.values()])
        for _ in range(4):
            nudged = {name: (each * (1 + 1e-6 * random.choice([-1, 1], each.shape))).astype(each.dtype) if each.dtype.kind == "f" else each
                      for name, each in inputs.items()}
            floor = max(floor, distance(outputs, session.run(None, nudged)))
        return max(2e-2 if has_half else 1e-4, 10 * floor)

    def result(self, path, exact):
        model = onnx.load(path)
        found = {"nodes": node_count(model), "valid": is_valid(path), "answer": "not run", "why": ""}
        if self.outputs is None:
            return found
        try:
            session = session_of(path)
            names = {each.name for each in session.get_inputs()}
            outputs = session.run(None, {name: each for name, each in self.inputs.items() if name in names})
        except Exception as problem:
            return {**found, "answer": "wrong", "why": f"ONNX Runtime: {problem}"[:300]}
        apart = distance(self.outputs, outputs)
        same = same_bits(self.outputs, outputs) if exact else apart <= self.floor
        return {**found, "answer": "same" if same else "wrong", "why": "" if same else f"outputs differ by {apart:.3g}"}


def is_valid(path):
    try:
        onnx.checker.check_model(path, full_check=True)
        return True
    except Exception:
        return False


def main():
    judge, answers = Judge(), os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # libraries may print
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = judge.open(request["open"]) if "open" in request else judge.result(request["result"], request["exact"])
        except Exception as problem:
            answer = {"problem": f"{type(problem).__name__}: {problem}"[:300]}
        answers.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
