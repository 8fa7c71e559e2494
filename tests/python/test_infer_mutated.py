"""`infer -o` on models that were changed at random and that ONNX Runtime still loads: with our types it must still load them, and
compute the same. Most such models have an error somewhere; types that cannot be proved because of it must not be written.

  MUTATIONS=2000 SEED=7 tests/python/test_infer_mutated.py
"""
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import AttributeProto, TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
OFFICIAL = Path(os.environ.get("OFFICIAL_MODELS", "/usr/share/libonnx-testdata/data"))
MODELS = Path(os.environ.get("MODELS", "models"))
COUNT = int(os.environ.get("MUTATIONS", "300"))
SEED = int(os.environ.get("SEED", "1"))
MOST_BYTES = 200_000  # larger models take long to load, and show nothing more
SAME_ARITY = [["Add", "Sub", "Mul", "Div", "Max", "Min", "Concat", "MatMul"], ["Relu", "Neg", "Abs", "Sigmoid", "Flatten", "Shape", "Softmax"],
              ["ReduceSum", "ReduceMean", "ReduceMax", "Squeeze", "Unsqueeze", "Reshape", "Expand"]]


def official_models():
    """Models with several nodes, and of those with one node, the ones that use shapes."""
    found = sorted(OFFICIAL.glob("pytorch-*/*/model.onnx")) + sorted(OFFICIAL.glob("simple/*/model.onnx"))
    words = ("reshape", "concat", "slice", "add_", "matmul", "gemm", "conv_", "pool", "expand", "gather", "squeeze", "pad", "split", "loop",
             "if_", "scan", "reduce", "where", "tile", "transpose", "resize", "nonzero", "range", "batchnorm", "layer_norm", "einsum")
    found += [path for path in sorted(OFFICIAL.glob("node/*/model.onnx")) if any(word in path.parent.name for word in words)]
    found += sorted(MODELS.glob("*.onnx"))
    return [path for path in found if path.stat().st_size <= MOST_BYTES]


def graphs_of(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs_of(attribute.g)


def values_of(graph):
    return [x.name for x in graph.input] + [x.name for x in graph.initializer] + [name for node in graph.node for name in node.output if name]


def mutate_operand(graph, rng):
    node = rng.choice(graph.node)
    if node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice(values_of(graph))


def mutate_swap(graph, rng):
    node = rng.choice([n for n in graph.node if len(n.input) > 1] or list(graph.node))
    if len(node.input) > 1:
        i, j = rng.sample(range(len(node.input)), 2)
        node.input[i], node.input[j] = node.input[j], node.input[i]


def other_integer(value, rng):
    return rng.choice([value + 1, value - 1, -value, 0, 1, 2, -1, value * 2])


def mutate_attribute(graph, rng):
    found = [a for node in graph.node for a in node.attribute if a.type in (AttributeProto.INT, AttributeProto.INTS)]
    if not found:
        return
    attribute = rng.choice(found)
    if attribute.type == AttributeProto.INT:
        attribute.i = other_integer(attribute.i, rng)
    elif attribute.ints:
        at = rng.randrange(len(attribute.ints))
        attribute.ints[at] = other_integer(attribute.ints[at], rng)


def mutate_declared(graph, rng):
    found = [x for x in [*graph.input, *graph.value_info, *graph.output] if x.type.tensor_type.HasField("shape")]
    if not found:
        return
    dims = rng.choice(found).type.tensor_type.shape.dim
    how = rng.randrange(4)
    if how == 0 and dims:
        del dims[rng.randrange(len(dims))]
    elif how == 1:
        dims.add().dim_value = rng.choice([1, 2, 3])
    elif dims:
        dim = rng.choice(dims)
        if how == 2:
            dim.dim_value = other_integer(dim.dim_value, rng) % 7 + 1
        else:
            dim.dim_param = rng.choice(["N", "M", "?"])


def mutate_type(graph, rng):
    value = rng.choice([*graph.input, *graph.value_info] or [None])
    if value is not None and value.type.HasField("tensor_type"):
        value.type.tensor_type.elem_type = rng.choice([TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.DOUBLE])


def mutate_initializer(graph, rng):
    found = [x for x in graph.initializer if 0 < np.prod(x.dims) <= 1000]
    found += [a.t for node in graph.node if node.op_type == "Constant" for a in node.attribute if a.type == AttributeProto.TENSOR]
    if not found:
        return
    tensor = rng.choice(found)
    array = numpy_helper.to_array(tensor)
    if array.size and array.dtype == np.int64:
        flat = array.reshape(-1).copy()
        at = rng.randrange(flat.size)
        flat[at] = other_integer(int(flat[at]), rng)
        array = flat.reshape(array.shape)
    elif array.ndim > 1:
        array = rng.choice([array.reshape(-1), array.reshape(array.shape[::-1]), array[None]])
    else:
        array = array[None]
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))


def mutate_op(graph, rng):
    node = rng.choice(graph.node)
    for group in SAME_ARITY:
        if node.op_type in group and not node.domain:
            node.op_type = rng.choice(group)
            return


def add_declaration(graph, rng):
    names = [name for node in graph.node for name in node.output if name]
    shape = [rng.choice([1, 2, 3, 4, "N"]) for _ in range(rng.randrange(4))]
    if names:
        graph.value_info.append(helper.make_tensor_value_info(rng.choice(names), TensorProto.FLOAT, shape))


MUTATIONS = [mutate_operand, mutate_operand, mutate_swap, mutate_attribute, mutate_attribute, mutate_declared, mutate_declared, mutate_type,
             mutate_initializer, mutate_initializer, mutate_op, add_declaration]


def mutated(path, rng):
    model = onnx.load(path)
    for _ in range(rng.choice([1, 1, 2, 3])):
        rng.choice(MUTATIONS)(rng.choice(list(graphs_of(model.graph))), rng)
    return model.SerializeToString()


def session_of(data):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


KINDS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_,
         "tensor(float16)": np.float16, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}


def outputs_of(session):
    """The outputs for inputs of small numbers; None when it cannot run."""
    inputs = {}
    for each in session.get_inputs():
        if each.type not in KINDS:
            return None
        shape = [dim if isinstance(dim, int) else 2 for dim in each.shape]
        if np.prod(shape, dtype=np.float64) > 1e6:
            return None
        inputs[each.name] = (np.arange(np.prod(shape, dtype=np.int64)) % 3).astype(KINDS[each.type]).reshape(shape)
    try:
        return session.run(None, inputs)
    except Exception:  # pylint: disable=broad-except
        return None


def same(one, other):
    if isinstance(one, list) or isinstance(other, list):
        return isinstance(one, list) and isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if not isinstance(one, np.ndarray):
        return type(one) is type(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def problem_with(data, folder, number):
    """What is wrong with the types that `infer -o` writes; None when nothing is, "" when the runtime does not load the model."""
    try:
        before = session_of(data)
    except Exception:  # pylint: disable=broad-except
        return ""
    source, target = Path(folder) / f"{number}.onnx", Path(folder) / f"{number}_typed.onnx"
    source.write_bytes(data)
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    done = subprocess.run([ONNXPRESS, "infer", source, "-o", target], capture_output=True, text=True, env=environment)
    if done.returncode not in (0, 3):
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    if done.returncode == 3:  # refused: nothing is written
        return None
    try:
        after = session_of(target.read_bytes())
    except Exception as error:  # pylint: disable=broad-except
        return f"ONNX Runtime refuses it: {error}"
    finally:
        source.unlink()
        target.unlink(missing_ok=True)
    one, other = outputs_of(before), outputs_of(after)
    if one is not None and (other is None or not all(map(same, one, other))):
        return "the outputs are other ones"
    return None


def main():
    rng = random.Random(SEED)
    paths = official_models()
    if not paths:
        print("SKIPPED: no official models")
        return 77
    kept = os.environ.get("KEEP")
    loaded, failed = 0, []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        while loaded < COUNT:
            cases = [(path, mutated(path, rng)) for path in rng.choices(paths, k=64)]
            answers = list(pool.map(lambda case: problem_with(case[1][1], folder, case[0]), enumerate(cases)))
            for (path, data), answer in zip(cases, answers):
                loaded += answer != ""
                if answer:
                    failed.append(f"{path.parent.name}/{path.name}: {answer}")
                    if kept:
                        (Path(kept) / f"{len(failed)}.onnx").write_bytes(data)
    print(f"{loaded} mutated models that ONNX Runtime loads, {len(failed)} of them not with our types (seed {SEED})")
    for line in failed:
        print("  " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
