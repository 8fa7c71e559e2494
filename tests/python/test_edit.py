#!/usr/bin/env python3
"""Checks extract, edit, merge, split and tensors with ONNX Runtime: parts compute what the whole model computes, bit for bit.

MODELS_LIMIT (bytes, default 3 MB) bounds the real models.
"""
import json
import os
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
LIMIT = int(os.environ.get("MODELS_LIMIT", 3_000_000))
ort.set_default_logger_severity(4)
failures = []


def run(*words, code=0):
    done = subprocess.run([ONNXPRESS, *map(str, words)], capture_output=True, text=True, timeout=300)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def session(path):
    options = ort.SessionOptions()
    # Fusions across a cut would round differently.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_,
         "tensor(float16)": np.float16, "tensor(double)": np.float64, "tensor(uint8)": np.uint8}


def made_inputs(inputs, size, seed=3):
    rng = np.random.default_rng(seed)
    feeds = {}
    for each in inputs:
        shape = [d if isinstance(d, int) and d > 0 else (1 if i == 0 else size) for i, d in enumerate(each.shape)]
        kind = TYPES[each.type]
        feeds[each.name] = rng.integers(0, 2, shape).astype(kind) if kind not in (np.float32, np.float16, np.float64) \
            else rng.standard_normal(shape).astype(kind)
    return feeds


def run_whole(path):
    whole = session(path)
    for size in (64, 1, 224, 2, 16000, 512):
        try:
            feeds = made_inputs(whole.get_inputs(), size)
            names = [o.name for o in whole.get_outputs()]
            return feeds, dict(zip(names, whole.run(names, feeds)))
        except Exception:
            continue
    return None, None


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def run_stages(folder, stem, feeds):
    """Runs the stages as the manifest says: each stage gets its inputs from the stages that it names."""
    manifest = json.loads((folder / f"{stem}.json").read_text())
    made, results = [], {}
    for stage in manifest["stages"]:
        its = {}
        for each in stage["inputs"]:
            its[each["name"]] = feeds[each["name"]] if each["from"] < 0 else made[each["from"]][each["name"]]
        runner = session(folder / stage["file"])
        names = [o["name"] for o in stage["outputs"]]
        assert {i.name for i in runner.get_inputs()} == set(its), (stage["file"], its.keys())
        made.append(dict(zip(names, runner.run(names, its))))
        for o in stage["outputs"]:
            if o["is_model_output"]:
                results[o["name"]] = made[-1][o["name"]]
    assert list(results) and set(results) == set(manifest["outputs"])
    return results


def check_split(path, feeds, expected, folder):
    for options in (["--parts", "3"], ["--parts", "2", "--by", "memory", "--direct"],
                    ["--parts", "4", "--by", "params", "--share-weights"], ["--parts", "5", "--by", "nodes"]):
        run("split", path, "-o", folder / "stage", *options)
        got = run_stages(folder, "stage", feeds)
        for name, value in expected.items():
            assert same(value, got[name]), f"{options}: output {name} differs"


def check_cut_and_merge(path, feeds, expected, folder):
    """Extracts the first half up to where the model is narrowest, and the rest, and merges both again."""
    run("split", path, "-o", folder / "half", "--parts", "2", "--direct")
    manifest = json.loads((folder / "half.json").read_text())
    handed = [o["name"] for o in manifest["stages"][0]["outputs"] if o["to"]]
    maps = [word for name in handed for word in ("--map", f"{name}={name}")]
    run("merge", folder / "half.0.onnx", folder / "half.1.onnx", *maps, "--share-inputs", "-o", folder / "merged.onnx")
    merged = session(folder / "merged.onnx")
    assert {o.name for o in merged.get_outputs()} == set(expected)
    got = merged.run(list(expected), {i.name: feeds[i.name] for i in merged.get_inputs()})
    for name, value in zip(expected, got):
        assert same(expected[name], value), f"merged: output {name} differs"


def check_harmless_edits(path, feeds, expected, folder):
    whole = session(path)
    old_in, old_out = whole.get_inputs()[0].name, whole.get_outputs()[0].name
    run("edit", path, "-o", folder / "edited.onnx", "--rename", f"{old_in}=in = 1", "--rename", f"{old_out}=out,1.x",
        "--set-metadata", "who=test", "--doc", "a test")
    edited = session(folder / "edited.onnx")
    its = {("in = 1" if k == old_in else k): v for k, v in feeds.items()}
    names = [("out,1.x" if k == old_out else k) for k in expected]
    for name, value, got in zip(names, expected.values(), edited.run(names, its)):
        assert same(value, got), f"edited: output {name} differs"
    assert onnx.load(folder / "edited.onnx", load_external_data=False).doc_string == "a test"


def check_tensors(path, folder):
    for form in ("w.safetensors", "w.npz", "w"):
        report = json.loads(run("tensors", path, "-o", folder / form, "--json"))
        if report["left_out"]:
            continue
        run("tensors", path, "--from", folder / form, "-o", folder / "back.onnx")
        run("diff", path, folder / "back.onnx")


def on_real_models():
    for path in sorted(MODELS.glob("*.onnx")):
        if path.stat().st_size > LIMIT:
            continue
        feeds, expected = run_whole(path)
        if feeds is None:
            print(f"{path.name}: not run by these inputs")
            continue
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            pieces = onnx.load(path, load_external_data=False).graph.node
            checks = (check_split, check_cut_and_merge, check_harmless_edits) if len(pieces) > 20 else (check_harmless_edits,)
            for check in checks:
                try:
                    check(path, feeds, expected, folder)
                except Exception as error:
                    failures.append(f"{path.name}: {check.__name__}: {str(error)[:1500]}")
            try:
                check_tensors(path, folder)
            except Exception as error:
                failures.append(f"{path.name}: check_tensors: {str(error)[:1500]}")
        print(f"{path.name}: done")


HOSTILE = ["a=b", "a,b", "a.b", "x\ny", "../../etc/x", "/", "..", "名前", "a\u202eb", "-o", "%s%n", "a" * 300, "A", "a b"]


def on_hostile_names():
    """Every value and node has a name that looks like something else; all commands must treat them as names."""
    nodes, previous = [], "in=put"
    weights = []
    for i, name in enumerate(HOSTILE):
        weights.append(numpy_helper.from_array(np.float32([i + 0.5]), f"w:{name}"))
        nodes.append(helper.make_node("Add", [previous, f"w:{name}"], [name], name=f"n:{name}"))
        previous = name
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("in=put", TensorProto.FLOAT, [1])],
                              [helper.make_tensor_value_info(previous, TensorProto.FLOAT, [1])], weights)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        path = folder / "m.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        feeds, expected = {"in=put": np.float32([1])}, None
        expected = dict(zip([previous], session(path).run(None, feeds)))
        for name in HOSTILE[1:-1]:
            run("extract", path, f"--inputs={name}", "-o", folder / "tail.onnx")
            run("extract", path, f"--outputs={name}", "-o", folder / "head.onnx")
            head = session(folder / "head.onnx").run(None, feeds)
            tail = session(folder / "tail.onnx").run(None, {name: head[0]})
            assert same(tail[0], expected[previous]), name
            run("edit", path, f"--rename={name}=other", f"--add-output={name}", "-o", folder / "e.onnx")
            assert session(folder / "e.onnx").get_outputs()[1].name == "other", name
            run("edit", path, f"--remove-node=n:{name}", "-o", folder / "e.onnx")
            run("extract", path, f"--nodes=n:{name}", "-o", folder / "one.onnx")
        check_split(path, feeds, expected, folder)
        check_tensors(path, folder)
        run("tensors", path, "-o", folder / "inside" / "w")
        outside = [p for p in folder.rglob("*.npy") if folder / "inside" / "w" not in p.parents and folder / "w" not in p.parents]
        assert not outside, outside
        files = list((folder / "inside" / "w").glob("*.npy"))
        assert len(files) == len(HOSTILE), files


def on_shared_constants():
    """A weight in a Constant node that all stages read is stored once."""
    weight = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
    nodes, last = [helper.make_node("Constant", [], ["w"], value=numpy_helper.from_array(weight))], "x"
    for i in range(6):
        nodes.append(helper.make_node("MatMul", [last, "w"], [f"y{i}"], name=f"layer{i}"))
        last = f"y{i}"
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 64])],
                              [helper.make_tensor_value_info(last, TensorProto.FLOAT, ["N", 64])])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "m.onnx")
        feeds = {"x": np.ones((2, 64), np.float32)}
        run("split", folder / "m.onnx", "-o", folder / "stage", "--parts", "3", "--share-weights")
        assert same(run_stages(folder, "stage", feeds)[last], session(folder / "m.onnx").run(None, feeds)[0])
        assert weight.nbytes <= (folder / "stage.data").stat().st_size < 2 * weight.nbytes
        assert all((folder / f"stage.{i}.onnx").stat().st_size < 2000 for i in range(3))


def on_bodies():
    """A part of a body: what it reads from outside comes along or becomes an input."""
    then = helper.make_graph([helper.make_node("Mul", ["h", "w"], ["t1"]), helper.make_node("Neg", ["t1"], ["t2"])], "then",
                             [], [helper.make_tensor_value_info("t2", TensorProto.FLOAT, ["N"])])
    other = helper.make_graph([helper.make_node("Identity", ["h"], ["e1"])], "else", [],
                              [helper.make_tensor_value_info("e1", TensorProto.FLOAT, ["N"])])
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("If", ["c"], ["y"], name="if", then_branch=then, else_branch=other)],
        "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"]), helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N"])], [numpy_helper.from_array(np.float32(2), "w")])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / "m.onnx")
        x = np.float32([1, -2, 3])
        for inputs, feed in (([], {"x": x}), (["--inputs", "h"], {"h": np.maximum(x, 0)}), (["--inputs", "t1"], {"t1": np.maximum(x, 0) * 2})):
            run("extract", folder / "m.onnx", "--outputs", "t2", *inputs, "-o", folder / "p.onnx")
            onnx.checker.check_model(onnx.load(folder / "p.onnx"), full_check=True)
            assert same(session(folder / "p.onnx").run(None, feed)[0], -(np.maximum(x, 0) * np.float32(2)))
        run("extract", folder / "m.onnx", "--nodes", "if", "-o", folder / "p.onnx")
        part = session(folder / "p.onnx")
        assert sorted(i.name for i in part.get_inputs()) == ["c", "h"]


if __name__ == "__main__":
    for test in (on_hostile_names, on_shared_constants, on_bodies, on_real_models):
        try:
            test()
        except Exception as error:
            failures.append(f"{test.__name__}: {error!r}"[:2000])
    for each in failures:
        print("FAILED", each)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)
