#!/usr/bin/env python3
"""`onnxpress verify --locate` on real models with one weight, attribute or operand changed: it must find the change and name the node, or
the change must be harmless, which a run in ONNX Runtime with other inputs shows.

With OPTIMIZED=1 the result of `optimize` is mutated, and still compared with the model; then it does not matter where the difference is located.

COUNT (default 8) and SEED (default 1) choose the mutants, of which FIRST (default 0) is the first to test; MUTATED names models. The campaign of docs/commands/verify.md: COUNT=200.
Skips (exit code 77) without the Python packages onnx and onnxruntime, or without the models of scripts/fetch_models.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import AttributeProto, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutate_model import graphs_of  # noqa: E402

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/dev/onnxpress")).resolve()
MODELS = Path(os.environ.get("MODELS", "models")).resolve()
COUNT, SEED = int(os.environ.get("COUNT", "8")), int(os.environ.get("SEED", "1"))
FIRST = int(os.environ.get("FIRST", "0"))
OPTIMIZED = os.environ.get("OPTIMIZED", "") not in ("", "0")
SMALL = "silero_vad_legacy silero_vad_v5 ppocr_v2_cls retinaface_mnet25_v1 ppocr_v4_det moonshine_tiny_encoder ddddocr_old"
NAMES = os.environ.get("MUTATED", SMALL if COUNT > 20 else "silero_vad_legacy ppocr_v2_cls retinaface_mnet25_v1").split()
# Attributes that runtimes ignore.
IGNORED = {"training_mode", "momentum", "storage_order", "consumed_inputs", "is_test", "spatial", "cubic_coeff_a", "extrapolation_value"}


def label(node):
    return node.name or node.output[0]


def readers_of(graphs, name):
    """Nodes that read a value, directly or through nodes that only compute constants."""
    constants = {tensor.name for graph in graphs for tensor in graph.initializer}
    constants |= {node.output[0] for graph in graphs for node in graph.node if node.op_type == "Constant"}
    found, names = set(), {name}
    for graph in graphs:
        for node in graph.node:
            if not names & set(node.input):
                continue
            found.add(label(node))
            if all(not each or each in constants or each in names for each in node.input):
                names |= set(node.output)
    return found


def change_weight(rng, graphs):
    places = [(tensor, tensor.name, tensor.name) for graph in graphs for tensor in graph.initializer]
    places += [(attribute.t, node.output[0], label(node)) for graph in graphs for node in graph.node if node.op_type == "Constant"
               for attribute in node.attribute if attribute.type == AttributeProto.TENSOR]
    places = [place for place in places for tensor in place[:1] if tensor.data_type in (1, 2, 3, 10) and np.prod(tensor.dims) > 0]
    tensor, name, own = rng.choice(places)
    array = numpy_helper.to_array(tensor).copy()
    flat = array.reshape(-1)
    at = rng.randrange(flat.size)
    if array.dtype.kind == "f":
        flat[at] = -1.5 * flat[at] + max(float(np.std(flat.astype(np.float64))), 0.1)
    else:
        flat[at] ^= 0x55
    tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    return f"weight {name}[{at}]", readers_of(graphs, name) | {own}


def change_attribute(rng, graphs):
    places = [(node, attribute) for graph in graphs for node in graph.node if node.op_type != "Constant" for attribute in node.attribute
              if attribute.type in (AttributeProto.FLOAT, AttributeProto.INT, AttributeProto.INTS) and attribute.name not in IGNORED]
    node, attribute = rng.choice(places)
    if attribute.type == AttributeProto.FLOAT:
        attribute.f = attribute.f * 1.5 + 0.1
    elif attribute.type == AttributeProto.INT:
        attribute.i = 1 - attribute.i if attribute.i in (0, 1) else attribute.i + rng.choice([-1, 1])
    elif attribute.ints:
        at = rng.randrange(len(attribute.ints))
        attribute.ints[at] += rng.choice([-1, 1])
    return f"attribute {attribute.name} of {label(node)} ({node.op_type})", {label(node)}


def change_operand(rng, graphs):
    graph = rng.choice([graph for graph in graphs if len(graph.node) > 3])
    at = rng.randrange(1, len(graph.node))
    node = graph.node[at]
    if len([each for each in node.input if each]) > 1 and rng.random() < 0.6:
        i, j = rng.sample(range(len(node.input)), 2)
        node.input[i], node.input[j] = node.input[j], node.input[i]
        return f"operands {i} and {j} of {label(node)} ({node.op_type}) swapped", {label(node)}
    if not node.input:
        raise LookupError
    alike = [other.output[0] for other in list(graph.node)[:at]
             if other.op_type != "Constant" and other.output[0] not in node.input]
    node.input[0] = rng.choice(alike)
    return f"operand 0 of {label(node)} ({node.op_type}) is {node.input[0]}", {label(node)}


def loads(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(str(path), options)
    except Exception:
        return None


def apart(question, *arguments):
    """Asks a question in a separate process, because ONNX Runtime crashes with some mutants."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = 0 if question(*arguments) else 1
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def mutant_of(rng, original, path):
    """Writes a changed model to `path`; most of them still load."""
    for attempt in range(12):
        model = onnx.ModelProto()
        model.CopyFrom(original)
        graphs = list(graphs_of(model.graph))
        try:
            what, guilty = rng.choice([change_weight, change_attribute, change_operand])(rng, graphs)
        except (LookupError, IndexError):
            continue
        path.write_bytes(model.SerializeToString())
        if attempt == 11 or apart(loads, path):
            return what, guilty
    raise AssertionError("no mutant could be made")


def is_harmless(a, b, runs):
    """With other inputs, in the sizes of verify's first run: is the difference below the effect of a change by a millionth?"""
    first, second = loads(a), loads(b)
    if not first or not second:
        return False
    sizes = dict(each.split("=") for each in runs[0].split(", ") if "=" in each)
    numbers = np.random.default_rng(5)
    types = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(bool)": np.bool_, "tensor(int32)": np.int32}
    inputs, moved = {}, {}
    for each in first.get_inputs():
        shape = [d if isinstance(d, int) else int(sizes.get(f"{each.name}.{i}" if not isinstance(d, str) or "?" in d else d, 1))
                 for i, d in enumerate(each.shape)]
        array = numbers.standard_normal(shape) if each.type == "tensor(float)" else numbers.integers(0, 2, shape)
        if each.name in sizes:  # a setting
            array = np.full(shape, int(sizes[each.name]))
        inputs[each.name] = np.asarray(array).astype(types[each.type])
        moved[each.name] = inputs[each.name]
        if each.type == "tensor(float)":
            moved[each.name] = (inputs[each.name] * (1 + 1e-6 * numbers.choice([-1, 1], shape))).astype(np.float32)
    right, other, floor = first.run(None, inputs), second.run(None, inputs), first.run(None, moved)
    for x, y, z in zip(right, other, floor):
        if x.shape != y.shape:
            return False
        x, y, z = (each.astype(np.float64) for each in (x, y, z))
        scale = np.abs(x).max() if x.size else 1
        if np.abs(x - y).max(initial=0) > max(1e-5 * scale, 30 * np.abs(x - z).max(initial=0)):
            return False
    return True


def verify(a, b):
    """A few inputs show most changes; only if they do not, use all that `verify` tries by default."""
    for options in (["--sets", "4"], []):
        done = subprocess.run([ONNXPRESS, "verify", a, b, "--locate", "--json", *options], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
        report = json.loads(done.stdout)
        if report["verdict"] == "differs" or not report["structure"]:
            break
    return report


def optimized(models, folder):
    made = {name: folder / f"{name}.onnx" for name in models}
    for name, path in models.items():
        subprocess.run([ONNXPRESS, "optimize", path, "-o", made[name], "--quiet"], check=True, capture_output=True)
    return made


def main():
    models = {name: MODELS / f"{name}.onnx" for name in NAMES if (MODELS / f"{name}.onnx").exists()}
    if not models:
        print("skipped: no models (scripts/fetch_models)")
        return 77
    rng = random.Random(SEED)
    found = harmless = located = to_locate = 0
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.onnx"
        bases = optimized(models, Path(folder)) if OPTIMIZED else models
        loaded = {name: onnx.load(base) for name, base in bases.items()}
        for i in range(COUNT):
            name = rng.choice(sorted(models))
            what, guilty = mutant_of(rng, loaded[name], path)
            if i < FIRST:
                continue
            report = verify(models[name], path)
            line = f"{i} {name}: {what}: {report['verdict']}"
            if report["verdict"] == "differs":
                found += 1
                to_locate += not OPTIMIZED
                where = (report["location"] or {}).get("node")
                located += where in guilty and not OPTIMIZED
                if where not in guilty and not OPTIMIZED:
                    line += f"; located at {where!r}, not in {sorted(guilty)[:4]}: {(report['location'] or {}).get('why')}"
            elif not report["structure"] or apart(is_harmless, bases[name], path, report["engines"][0]["runs"]):
                harmless += 1
            else:
                problems.append(line)
                line += " (MISSED)"
            print(line, flush=True)
    print(f"{COUNT - FIRST} mutants: {found} found, {harmless} harmless, {len(problems)} missed; {located} of {to_locate} located")
    if problems or located < 0.95 * to_locate:
        print("\n".join(["FAILED"] + problems))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
