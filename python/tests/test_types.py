"""The stubs say what the module has, and scripts that use it pass mypy --strict."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from onnxpress import _onnxpress

ROOT = Path(__file__).resolve().parents[2]
STUB = ROOT / "python" / "onnxpress" / "_onnxpress.pyi"
SCRIPT = '''
from __future__ import annotations

import copy
import pickle
from typing import Any, Union, assert_type

import numpy as np

import onnxpress
from onnxpress.compat import onnxoptimizer, onnxsim, onnxslim


def heaviest(path: str) -> onnxpress.Report:
    report = onnxpress.profile(path, shape={"x": [1, 3, 224, 224]}, dim={"batch": 8})
    print(report, report.macs.value, report.ops[0].op)
    return report


def clip_relus(model: onnxpress.Model) -> int:
    graph = model.graph
    found = graph.find_nodes("Relu", name=["layer1/*", "layer2/*"], bodies=True)
    assert_type(found, list[onnxpress.Node])
    for relu in found:
        clip = graph.add_node("Clip", relu.inputs, before=relu, attributes={"min": 0.0})
        old, new = relu.outputs[0], clip.outputs[0]
        if old is not None and new is not None:
            old.replace_with(new)
    assert_type(graph.inputs[0].shape, Union[tuple[Union[int, str, None], ...], None])
    return len(graph)


def scale(model: onnxpress.Model, name: str) -> None:
    value = model.graph.value(name)
    if value.tensor is not None:
        value.set_tensor(value.tensor.numpy() * np.float32(2))
        print(memoryview(value.tensor.buffer())[:4])


def main() -> None:
    model = onnxpress.Model.load("model.onnx")
    other = copy.deepcopy(model)
    again: onnxpress.Model = pickle.loads(pickle.dumps(model))
    assert_type(onnxpress.optimize(model, verify=True, skip=["fuse-gelu"]), onnxpress.Report)
    onnxpress.quantize(other, to="int8", quality=40, output="small.onnx", progress=print)
    again.save("again.onnx", external_data="again.data")
    outputs: dict[str, Any] = onnxpress.run(model, {"x": np.ones(3, np.float32)})
    print(onnxpress.info(model, top=3).to_dict(), outputs)
    for row in onnxpress.batch("models/", "shrink", output_dir="small/", workers=2).errors:
        print(row["error"])
    engine = onnxpress.ShapeEngine(model)
    engine.update(batch=4)
    print(engine.shape("y"), engine.plan())
    simplified, ok = onnxsim.simplify("model.onnx", check_n=1, overwrite_input_shapes={"x": [1, 3, 64, 64]})
    onnxslim.slim("model.onnx", "slim.onnx", input_shapes=["x:1,3,64,64"], size_threshold=1024, dtype="fp16")
    print(onnxoptimizer.optimize(simplified, ["fuse_bn_into_conv"]), ok)
    try:
        onnxpress.check("missing.onnx", strict=True)
    except onnxpress.MissingFile as error:
        print(error.filename, error.errno, error.hint)
    except (onnxpress.Error, FileNotFoundError) as error:
        print(error)


if __name__ == "__main__":
    main()
'''


def mypy(*words, cwd):
    pytest.importorskip("mypy")
    # The sanitizer must not be loaded into its own modules. The package is found in its sources, but as if it were
    # installed: errors inside it are those of test_stubs_pass_mypy.
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    environment["MYPYPATH"] = str(ROOT / "python")
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", os.devnull, *map(str, words)],
                          capture_output=True, text=True, cwd=cwd, env=environment)


def test_a_script_passes_strict(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = mypy("--python-version", "3.12", "script.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("line", ["onnxpress.quantize(model, to='int99')", "onnxpress.shrink(model, weights='int8')",
                                  "model.graph.find_nodes(3)", "model.graph.nodes[0].op", "onnxpress.Model.load(3)"])
def test_mistakes_are_found(tmp_path, line):
    (tmp_path / "script.py").write_text(f"import onnxpress\n\nmodel = onnxpress.Model.load('model.onnx')\n{line}\n")
    done = mypy("script.py", cwd=tmp_path)
    assert done.returncode == 1 and "script.py:4: error" in done.stdout, done.stdout + done.stderr


def members_in_stub():
    classes, functions = {}, set()
    for each in ast.parse(STUB.read_text()).body:
        if isinstance(each, ast.ClassDef):
            names = {part.name for part in each.body if isinstance(part, ast.FunctionDef)}
            classes[each.name] = names | {part.target.id for part in each.body if isinstance(part, ast.AnnAssign)}
        elif isinstance(each, ast.FunctionDef):
            functions.add(each.name)
    return classes, functions


def test_the_stub_has_the_members_of_the_module():
    classes, functions = members_in_stub()
    wanted = {name for name, each in vars(_onnxpress).items() if callable(each) and not isinstance(each, type)}
    assert functions == wanted - {"__loader__"}
    made_by_python = {"__module__", "__doc__", "__new__", "__weakref__", "__dict__", "__eq__", "__str__", "__repr__", "__reduce__", "__init__",
                      "__slotnames__"}  # kept by copyreg once an object was copied
    for name, each in vars(_onnxpress).items():
        if isinstance(each, type) and not issubclass(each, Exception):
            assert classes[name] - {"__buffer__"} == {member for member in vars(each) if member not in made_by_python}, name
