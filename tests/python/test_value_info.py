"""The declared types that `shrink` keeps are enough for other tools: the onnx package's own inference finds the others again, and ONNX
Runtime fuses the same nodes as before.
"""
import collections
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
OFFICIAL = Path(os.environ.get("OFFICIAL_MODELS", "/usr/share/libonnx-testdata/data"))
MODELS = Path(os.environ.get("MODELS", "models"))
MOST_BYTES = 30 << 20  # of real models
EVERY = int(os.environ.get("EVERY", "7"))  # of the official models of one node, because each takes two runs of the command
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def command(*words):
    done = subprocess.run([ONNXPRESS, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


def bodies_of(node):
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g


def declared_in(graph):
    """Types of inner values by name, only of the main graph, because the onnx package writes none into bodies."""
    return {value.name: value.type for value in graph.value_info}


def dims_of(kind):
    if not kind.HasField("tensor_type") or not kind.tensor_type.HasField("shape"):
        return None
    return [dim.dim_value if dim.HasField("dim_value") else dim.dim_param for dim in kind.tensor_type.shape.dim]


def names_of_inputs(graph):
    return {dim for value in graph.input for dim in dims_of(value.type) or [] if isinstance(dim, str) and dim}


def losses(full, shrunk):
    """Values whose declared type was dropped and is not found again."""
    kept = declared_in(shrunk.graph)
    known = {**kept, **declared_in(onnx.shape_inference.infer_shapes(shrunk).graph)}
    named = names_of_inputs(full.graph)
    made = {name for node in full.graph.node for name in node.output}
    for name, kind in declared_in(full.graph).items():
        if name in kept or name not in made:
            continue
        if name not in known:
            yield f"'{name}' is not found again"
            continue
        before, after = dims_of(kind), dims_of(known[name])
        if before is None:
            continue
        if after is None or len(before) != len(after):
            yield f"'{name}' was {before}, is {after}"
            continue
        for one, other in zip(before, after):
            says_something = isinstance(one, int) or one in named
            if says_something and one != other:
                yield f"'{name}' was {before}, is {after}"


def optimized_ops(path, folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.optimized_model_filepath = str(Path(folder) / "optimized.onnx")
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    counts = collections.Counter()

    def count(graph):
        for node in graph.node:
            counts[f"{node.domain}.{node.op_type}"] += 1
            for body in bodies_of(node):
                count(body)

    count(onnx.load(options.optimized_model_filepath).graph)
    return counts


def has_types(path):
    model = onnx.load(path, load_external_data=False)

    def count(graph):
        return len(graph.value_info) + sum(count(body) for node in graph.node for body in bodies_of(node))

    return count(model.graph) > 0


def main():
    failed, dropped, kept = [], 0, 0
    official = sorted(OFFICIAL.glob("node/*/model.onnx"))[::EVERY] + sorted(OFFICIAL.glob("pytorch-*/*/model.onnx"))[:: max(EVERY // 3, 1)]
    real = [path for path in sorted(MODELS.glob("*.onnx")) if path.stat().st_size <= MOST_BYTES and has_types(path)]
    with tempfile.TemporaryDirectory() as folder:
        typed, shrunk = Path(folder) / "typed.onnx", Path(folder) / "shrunk.onnx"
        for path in official + real:
            try:
                command("infer", path, "-o", typed)
                command("shrink", typed, "--only", "value-info", "-o", shrunk)
                full, result = onnx.load(typed), onnx.load(shrunk)
                kept += len(result.graph.value_info)
                dropped += len(full.graph.value_info) - len(result.graph.value_info)
                failed += [f"{path}: {loss}" for loss in losses(full, result)]
            except RuntimeError as error:
                failed.append(f"{path}: {error}")
            except onnx.shape_inference.InferenceError:
                pass  # an error of the package itself: an op that it cannot check
        for path in real:
            command("shrink", path, "--only", "value-info", "-o", shrunk)
            before, after = optimized_ops(path, folder), optimized_ops(shrunk, folder)
            if before != after:
                failed.append(f"{path}: ONNX Runtime has {dict((before - after) + (after - before))} more or fewer nodes")
    print(f"{len(official)} official and {len(real)} real models: {dropped} declared types dropped, {kept} kept; {len(failed)} problems")
    for line in failed:
        print("  " + line)
    return 1 if failed or dropped == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
