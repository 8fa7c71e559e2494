#!/usr/bin/env python3
"""The shape engine of `onnxpress shapes`: at random sizes, the generated header gives the same shapes as inference and as ONNX Runtime
(also for the real models, value by value); in its memory plan, values that are alive at the same time do not overlap; the compute graph, fed by
the engine, computes the same as the model.

SIZES=n sets of sizes (default 3), MODELS_LIMIT bytes of the real models (default 3 MB).
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("skipped: needs numpy, onnx and onnxruntime")
    sys.exit(77)

ONNXPRESS = os.environ["ONNXPRESS"]
MODELS = Path(os.environ["MODELS"])
SIZES = int(os.environ.get("SIZES", 3))
LIMIT = int(os.environ.get("MODELS_LIMIT", 3_000_000))
ort.set_default_logger_severity(4)

MAIN = """
#include "engine.h"
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  ShapeEngine engine;
  std::int64_t* symbols[] = {%s};
  for (int i = 1; i < argc; ++i) *symbols[i - 1] = std::atoll(argv[i]);
  engine.update();
  for (std::size_t v = 0; v < ShapeEngine::kValueCount; ++v) {
    for (std::size_t i = 0; i < ShapeEngine::rank(v); ++i) std::printf("%%lld ", static_cast<long long>(engine.shape(v)[i]));
    std::printf("| %%lld\\n", static_cast<long long>(engine.bytes(v)));
  }
  for (std::size_t v = 0; v < ShapeEngine::kOperandCount; ++v) {
    for (std::size_t i = 0; i < ShapeEngine::length(v); ++i) std::printf("%%lld ", static_cast<long long>(engine.operand(v)[i]));
    std::printf("\\n");
  }
  std::printf("%%lld\\n", static_cast<long long>(engine.plan()));
  for (std::size_t v = 0; v < ShapeEngine::kValueCount; ++v) std::printf("%%lld\\n", static_cast<long long>(engine.offset(v)));
}
"""


def run(*words):
    done = subprocess.run([ONNXPRESS, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def evaluate(engine, sizes):
    """The same as the header, from JSON."""
    values = []
    for step in engine["steps"]:
        a, b, op = step["a"], step["b"], step["op"]
        if op == "number":
            values.append(a)
        elif op == "symbol":
            values.append(sizes[a])
        else:
            x, y = values[a], values[b]
            values.append({"add": x + y, "subtract": x - y, "multiply": x * y, "floor_divide": x // y if y else -1, "min": min(x, y),
                           "max": max(x, y), "broadcast": y if x == 1 else x}[op])
    return values


def data_dependent(engine):
    """Which steps depend on a symbol that is determined by the data: inference at given sizes may know more about those."""
    found = []
    for step in engine["steps"]:
        if step["op"] == "number":
            found.append(False)
        elif step["op"] == "symbol":
            found.append(not engine["symbols"][step["a"]]["is_input"])
        else:
            found.append(found[step["a"]] or found[step["b"]])
    return found


def product_model():
    """Dims that are products and quotients, which fitting straight lines gets wrong."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Slice", ["s", "zero", "two"], ["bs"]),
        helper.make_node("ReduceProd", ["bs"], ["n"], keepdims=1),
        helper.make_node("Concat", ["n", "eight"], ["target"], axis=0),
        helper.make_node("Reshape", ["x", "target"], ["flat"]),
        helper.make_node("Relu", ["flat"], ["y"]),
        helper.make_node("MaxPool", ["x4"], ["p"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Concat", ["p", "p"], ["q"], axis=2),
    ]
    const = [numpy_helper.from_array(np.int64([v]), n) for n, v in (("zero", 0), ("two", 2), ("eight", 8))]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", "s", 8]),
                                           helper.make_tensor_value_info("x4", TensorProto.FLOAT, ["b", 3, "a+b", "class"])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None), helper.make_tensor_value_info("q", TensorProto.FLOAT, None)], const)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def compiled(folder, engine):
    """A program that prints the results of the header, compiled with both compilers."""
    members = re.findall(r"std::int64_t (dim_\w+) = 1;", (folder / "engine.h").read_text())
    assert len(members) == len(engine["symbols"])
    (folder / "main.cpp").write_text(MAIN % (", ".join(f"&engine.{m}" for m in members) or "nullptr"))
    for compiler in ("g++", "clang++"):
        subprocess.run([compiler, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", f"run_{compiler[0]}"], cwd=folder, check=True)
    return [folder / "run_g", folder / "run_c"]


def check_plan(path, values, sizes, arena, offsets):
    """Every value in the compute graph has a place in the arena, and values that are alive at the same time do not overlap."""
    placed = []
    for value, size, offset in zip(values, sizes, offsets):
        assert (offset >= 0) == (value["first"] >= 0 and size >= 0 and value["element_bits"] > 0), (path, value["name"], size, offset)
        if offset >= 0:
            assert offset % 64 == 0 and offset + size <= arena, (path, value["name"])
            placed.append((offset, offset + size, value))
    placed.sort(key=lambda each: each[:2])
    for i, (_, end, a) in enumerate(placed):
        for begin, other_end, b in placed[i + 1:]:
            if begin >= end:
                break
            apart = a["last"] < b["first"] or b["last"] < a["first"]
            assert apart or begin == other_end, (path, a["name"], b["name"])


def check(path, folder, seed):
    run("shapes", path, "-o", folder / "engine")
    engine = json.loads((folder / "engine.json").read_text())
    programs = compiled(folder, engine)
    rng = random.Random(seed)
    inputs = [s["is_input"] for s in engine["symbols"]]
    for _ in range(SIZES):
        sizes = [rng.choice([1, 2, 3, 8, 17, 32, 64]) for _ in inputs]
        steps = evaluate(engine, sizes)
        while max(sizes, default=1 << 20) < 1 << 20 and any(steps[d] < 0 for v in engine["values"] for d in v["dims"] if d >= 0):
            sizes = [size * 2 for size in sizes]  # windows were larger than their inputs
            steps = evaluate(engine, sizes)
        expected = [" ".join(str(steps[d] if d >= 0 else -1) for d in v["dims"]) for v in engine["values"]]
        wanted_operands = [" ".join(str(steps[d]) for d in v["dims"]) for v in engine["operands"]]
        for program in programs:
            lines = subprocess.run([program, *map(str, sizes)], capture_output=True, text=True, check=True).stdout.splitlines()
            got = [line.split("|")[0].strip() for line in lines[: len(expected)]]
            assert got == expected, path
            rest = [line.strip() for line in lines[len(expected):]]
            assert rest[: len(wanted_operands)] == wanted_operands, path
            numbers = list(map(int, rest[len(wanted_operands):]))
            check_plan(path, engine["values"], [int(line.split("|")[1]) for line in lines[: len(expected)]], numbers[0], numbers[1:])
        # Inference at these sizes.
        dims = [word for s, size in zip(engine["symbols"], sizes) if s["is_input"] for word in ("--dim", f"{s['name']}={size}")]
        known = {v["name"]: v["type"] for v in json.loads(run("infer", path, "--all", "--json", *dims))["all"]}
        by_data = data_dependent(engine)
        for value in engine["values"]:
            if value["name"] not in known or any(d < 0 or by_data[d] for d in value["dims"]):
                continue
            text = known[value["name"]]
            sizes_text = re.search(r"\[(.*)\]", text)
            parts = sizes_text.group(1).split(",") if sizes_text and sizes_text.group(1) else []
            if all(re.fullmatch(r"\d+", p.strip()) for p in parts) and len(parts) == len(value["dims"]):
                assert [int(p) for p in parts] == [steps[d] for d in value["dims"]], (path, value["name"], text, sizes)
    return engine


TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_,
         "tensor(uint8)": np.uint8, "tensor(float16)": np.float16, "tensor(double)": np.float64}


def sizes_taken(path):
    """Sizes and settings that the model accepts: those of the first run of `verify`."""
    report = json.loads(run("verify", path, path, "--sets", "1", "--json", "--engine", "ort"))
    return dict(word.split("=") for word in report["engines"][0]["runs"][0].split(", ") if "=" in word)


def feeds_for(session, told, times):
    """Multiplies open dims of more than one by a factor. Float inputs with a few numbers are thresholds."""
    numbers = np.random.default_rng(3)
    feeds = {}
    for each in session.get_inputs():
        shape = [d if isinstance(d, int) else int(told.get(d, told.get(f"{each.name}.{i}", 1))) for i, d in enumerate(each.shape)]
        shape = [n * times if n > 1 and not isinstance(d, int) else n for d, n in zip(each.shape, shape)]
        few = "float" in each.type and len(shape) < 2 and np.prod(shape) <= 16
        array = np.full(shape, 0.5) if few else numbers.standard_normal(shape) if "float" in each.type else numbers.integers(0, 2, shape)
        feeds[each.name] = (np.full(shape, int(told[each.name])) if each.name in told else np.asarray(array)).astype(TYPES[each.type])
    return feeds


def run_at_some_size(path, session):
    """At sizes where no window is larger than its input, because ONNX Runtime does not handle those as ONNX specifies."""
    told = sizes_taken(path)
    for times in (32, 4, 1):
        feeds = feeds_for(session, told, times)
        try:
            return feeds, session.run(None, feeds)
        except Exception as error:
            refused = error
    raise refused


def with_branch(model, place):
    """The model up to a node, with a branch of that node in its place, so that every value of the branch can be requested. Returns whether the
    node exists and has a branch without inputs (an If)."""
    maker, attribute = place.rsplit(".", 1)
    for at, node in enumerate(model.graph.node):
        bodies = [a.g for a in node.attribute if a.name == attribute]
        if maker not in node.output[:1] or not bodies or bodies[0].input:
            continue
        del model.graph.node[at:]
        model.graph.node.extend(bodies[0].node)
        model.graph.initializer.extend(bodies[0].initializer)
        del model.graph.output[:]
        return True
    return False


def places_of(engine):
    """Bodies of the main graph's nodes that contain values of the engine."""
    names = {value["name"] for value in engine["values"]}
    found = {"": None}
    for name in names:
        for branch in (".then_branch/", ".else_branch/"):
            head = name.split(branch)[0]
            if head in names and head != name:
                found[head + branch[:-1]] = None
    return list(found)


def check_runtime(path, engine, place=""):
    """Every value that ONNX Runtime computes has the shape that the engine gives. Symbols that depend on the data are taken from the first value
    that has them, and must be right for all others. Returns how many values were compared, and how many of them depend on the data."""
    model = onnx.load(path)
    if place and not with_branch(model, place):
        return 0, 0
    known = {o.name for o in model.graph.output}
    for node in model.graph.node:
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in node.output if name and name not in known)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    try:
        feeds, results = run_at_some_size(path, session)
    except Exception:
        if not place:
            raise
        return 0, 0  # a branch that does not fit the inputs
    found = {name: list(array.shape) for name, array in feeds.items()}
    for output, array in zip(session.get_outputs(), results):
        if isinstance(array, np.ndarray):
            found[f"{place}/{output.name}" if place else output.name] = list(array.shape)
    sizes, steps = {}, engine["steps"]
    for value in engine["values"]:
        for d, size in zip(value["dims"], found.get(value["name"], [])):
            if d >= 0 and steps[d]["op"] == "symbol":
                sizes.setdefault(steps[d]["a"], size)
    said = evaluate(engine, [sizes.get(i, 1) for i in range(len(engine["symbols"]))])
    by_data, compared, dependent = data_dependent(engine), 0, 0
    for value in engine["values"]:
        if value["name"] not in found:
            continue
        assert len(value["dims"]) == len(found[value["name"]]), (path.name, value, found[value["name"]])
        for d, size in zip(value["dims"], found[value["name"]]):
            assert d < 0 or said[d] == size, (path.name, value["name"], value["text"], found[value["name"]], sizes)
        if not value["name"].startswith(place):
            continue
        compared += 1
        dependent += any(d >= 0 and by_data[d] for d in value["dims"])
    return compared, dependent


def check_compute_graph(path, folder, engine, feeds):
    """Runs the model, and the compute graph with the engine's operands, in ONNX Runtime."""
    options = ort.SessionOptions()  # fusions that need constant shapes change the last bits
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    whole = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    part = ort.InferenceSession(str(folder / "engine.onnx"), options, providers=["CPUExecutionProvider"])
    by_name = {}
    for each in whole.get_inputs():
        for i, (dim, size) in enumerate(zip(each.shape, feeds[each.name].shape)):
            by_name[dim if isinstance(dim, str) and dim else f"{each.name}.{i}"] = size
    steps = evaluate(engine, [by_name.get(s["name"], 1) for s in engine["symbols"]])
    given = {o["name"]: np.array([steps[d] for d in o["dims"]], np.int64) for o in engine["operands"]}
    types = {i.name: i for i in part.get_inputs()}
    for name, array in given.items():
        given[name] = (array.reshape([]) if len(types[name].shape) == 0 else array).astype(TYPES[types[name].type])
    expected = whole.run(None, feeds)
    got = part.run(None, {**{k: v for k, v in feeds.items() if k in types}, **given})
    for a, b in zip(expected, got):
        assert a.shape == b.shape and a.tobytes() == b.tobytes()
    by_data = data_dependent(engine)
    shapes = {v["name"]: [steps[d] if d >= 0 and not by_data[d] else None for d in v["dims"]] for v in engine["values"]}
    for output, array in zip(whole.get_outputs(), expected):
        if output.name in shapes:
            assert all(d is None or d == s for d, s in zip(shapes[output.name], array.shape)), output.name


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        path = folder / "products.onnx"
        onnx.save(product_model(), path)
        engine = check(path, folder, 1)
        assert engine["removed_nodes"] >= 3 and engine["operands"], engine["operands"]
        rng = np.random.default_rng(1)
        for b, s, h, w in ((2, 5, 9, 12), (1, 1, 7, 4), (3, 17, 30, 31)):
            check_compute_graph(path, folder, engine, {"x": rng.standard_normal((b, s, 8)).astype(np.float32),
                                                       "x4": rng.standard_normal((b, 3, h, w)).astype(np.float32)})
    for path in sorted(p for p in MODELS.glob("*.onnx") if p.stat().st_size <= LIMIT):
        with tempfile.TemporaryDirectory() as folder:
            try:
                engine = check(path, Path(folder), 2)
                compared, dependent = map(sum, zip(*(check_runtime(path, engine, place) for place in places_of(engine))))
                if engine["operands"]:
                    whole = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
                    check_compute_graph(path, Path(folder), engine, run_at_some_size(path, whole)[0])
                print(f"{path.name}: {len(engine['values'])} values, {len(engine['operands'])} operands, {engine['removed_nodes']} nodes gone; "
                      f"{compared} shapes are ONNX Runtime's, {dependent} of them depend on data", flush=True)
            except Exception as error:
                failures += 1
                print(f"FAILED {path.name}: {str(error)[:1500]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
