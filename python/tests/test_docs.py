"""Everything public has a docstring with an example."""

import importlib
import inspect

import pytest

import onnxpress

COMPAT = ["onnxsim", "onnxslim", "onnxoptimizer", "scs4onnx", "onnx_shrink_ray", "onnx_tool"]


def members(thing, name):
    """Functions and classes of a module, with methods and properties of the classes."""
    for key, each in list(vars(thing).items()):
        home = getattr(each, "__module__", None) or ""
        if key.startswith("_") or inspect.ismodule(each):
            continue
        if inspect.isclass(thing) or ((inspect.isclass(each) or callable(each)) and home.startswith("onnxpress")):
            yield f"{name}.{key}", each
        if inspect.isclass(each) and not inspect.isclass(thing) and home.startswith("onnxpress"):
            yield from members(each, f"{name}.{key}")


@pytest.mark.parametrize("module", ["onnxpress", *(f"onnxpress.compat.{name}" for name in COMPAT)])
def test_everything_has_an_example(module):
    found = importlib.import_module(module)
    public = getattr(found, "__all__", None)
    listed = [(name, each) for name, each in members(found, module) if public is None or name[len(module) + 1 :].split(".")[0] in public]
    assert listed
    helpers = {"as_model", "to_json"}  # our own functions, imported by the modules of compat
    lacking = [name for name, each in listed if name.rsplit(".", 1)[1] not in helpers and ">>>" not in (inspect.getdoc(each) or "")]
    assert lacking == []


def test_help_reads_well():
    assert "Model" in onnxpress.__all__
    assert inspect.getdoc(onnxpress).count("\n") > 2
