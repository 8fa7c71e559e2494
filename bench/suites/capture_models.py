"""A plugin for pytest that keeps the models of a test suite: those that it gives to its tool, with the tool's result, and those that it saves,
checks, infers, converts or runs. run.py starts pytest with it.

CAPTURE_FOLDER gets DIGEST_TEST.onnx, DIGEST_TEST.peer.onnx where the tool gave a result, and lines.jsonl: test, call and tool of each model.
Equal models are kept once, none that is larger than CAPTURE_LARGEST bytes, and at most CAPTURE_PER_TEST of a test.
"""
import functools
import hashlib
import importlib
import json
import os
import re
from collections import Counter
from pathlib import Path

import onnx

FOLDER, LARGEST, PER_TEST = Path(os.environ["CAPTURE_FOLDER"]), int(os.environ["CAPTURE_LARGEST"]), int(os.environ["CAPTURE_PER_TEST"])
load_model = onnx.load  # before it is wrapped
state = {"test": "collection", "inside": 0, "seen": set(), "kept": Counter()}

# Module, function, and the tool whose result the function returns; None for calls that only show a model.
CALLS = [
    ("onnxsim", "simplify", "onnxsim"), ("onnxslim", "slim", "onnxslim"), ("onnxoptimizer", "optimize", "onnxoptimizer"),
    ("onnx_shrink_ray.shrink", "quantize_weights", None),
    ("onnx", "save", None), ("onnx", "save_model", None), ("onnx", "load", None), ("onnx", "load_model", None),
    ("onnx.checker", "check_model", None), ("onnx.checker", "check_graph", None),
    ("onnx.shape_inference", "infer_shapes", None), ("onnx.version_converter", "convert_version", None),
    ("onnx.inliner", "inline_local_functions", None), ("onnx.compose", "merge_models", None), ("onnx.parser", "parse_model", None),
    ("onnx.utils", "extract_model", None), ("onnxruntime", "InferenceSession", None),
]
# Methods that change a model of onnxscript's own representation: module, class, method.
METHODS = [("onnxscript.rewriter._rewrite_rule", "RewriteRuleSet", "apply_to_model"),
           ("onnxscript.optimizer._constant_folding", "FoldConstantsPass", "call")]


def pytest_collection_modifyitems(items):
    """After a crash of the tool, the tests go on behind the one that crashed."""
    begun = FOLDER / "begun.txt"
    names = set(begun.read_text(encoding="utf-8").splitlines()) if begun.exists() else set()
    items[:] = [item for item in items if item.nodeid not in names]


def pytest_runtest_setup(item):
    with open(FOLDER / "begun.txt", "a", encoding="utf-8") as begun:
        begun.write(f"{item.nodeid}\n")
    state["test"] = re.sub(r"\W+", "_", item.nodeid.split("/")[-1]).strip("_")


def as_model(value):
    """The model in an argument or a result: a model, a graph, a file or its bytes; None if there is none."""
    try:
        if isinstance(value, onnx.ModelProto):
            return value
        if isinstance(value, onnx.GraphProto):
            return onnx.helper.make_model(value)
        if isinstance(value, bytes):
            return onnx.ModelProto.FromString(value)
        if isinstance(value, (str, os.PathLike)) and str(value).endswith(".onnx") and Path(value).is_file():
            return load_model(value)  # with external data
    except Exception:  # a test may hand over anything
        pass
    return None


def keep(data, call, tool=None, result=None):
    """Writes a model, unless it was seen before or is too large. A result makes it new."""
    plain = hashlib.sha256(data).hexdigest()
    digest = hashlib.sha256(data + tool.encode() + result).hexdigest() if result else plain
    full = state["kept"][state["test"], bool(result)] >= PER_TEST  # tests in loops make thousands that differ in a number
    if digest in state["seen"] or full or not data or len(data) + len(result or b"") > LARGEST:
        return
    state["seen"] |= {digest, plain}
    for same in FOLDER.glob(f"{plain[:8]}_*.onnx") if result else []:
        same.unlink()  # it was kept without a result before
    state["kept"][state["test"], bool(result)] += 1
    name = f"{digest[:8]}_{state['test'][:80]}"
    (FOLDER / f"{name}.onnx").write_bytes(data)
    if result:
        (FOLDER / f"{name}.peer.onnx").write_bytes(result)
    with open(FOLDER / "lines.jsonl", "a", encoding="utf-8") as lines:
        lines.write(json.dumps({"name": name, "test": state["test"], "call": call, "tool": tool if result else None}) + "\n")


def bytes_of(model):
    """The model as a file; empty if its weights are elsewhere, or if it cannot be written."""
    try:
        outside = any(each.data_location == onnx.TensorProto.EXTERNAL for each in model.graph.initializer)
        return b"" if outside else model.SerializeToString()
    except Exception:  # more than 2 GB, or a string that is not UTF-8
        return b""


def wrap(owner, name, call, tool, to_model):
    real = getattr(owner, name)

    @functools.wraps(real)
    def wrapped(*arguments, **keywords):
        models = [] if state["inside"] else [to_model(each) for each in [*arguments[:3], *keywords.values()]]
        models = [bytes_of(each) for each in models if each is not None]  # before the call may change them
        returned = None
        if tool and models:
            (FOLDER / "crashed.onnx").write_bytes(models[0])  # stays if the tool does not return
        state["inside"] += 1
        try:
            returned = real(*arguments, **keywords)
            return returned
        finally:  # also when the call refuses the model
            state["inside"] -= 1
            if tool and models:
                (FOLDER / "crashed.onnx").unlink()
                changed = to_model(returned[0] if isinstance(returned, tuple) else returned)
                changed = to_model(arguments[1]) if changed is None and len(arguments) > 1 else changed
                keep(models[0], call, tool, bytes_of(changed) if changed is not None else None)
            else:
                models += [bytes_of(returned)] if isinstance(returned, onnx.ModelProto) and not state["inside"] else []
                for each in models:
                    keep(each, call)
    setattr(owner, name, wrapped)


class Session:
    """Shows the models that a test runs; a class must stay a class, for isinstance()."""

    @staticmethod
    def show(real):
        class InferenceSession(real):
            def __init__(self, model, *arguments, **keywords):
                if not state["inside"] and (found := as_model(model)) is not None:
                    keep(bytes_of(found), "onnxruntime.InferenceSession")
                super().__init__(model, *arguments, **keywords)
        return InferenceSession


def wrap_all():
    for module_name, name, tool in CALLS:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        if name == "InferenceSession":
            module.InferenceSession = Session.show(module.InferenceSession)
        elif hasattr(module, name):
            wrap(module, name, f"{module_name}.{name}", tool, as_model)
    for module_name, class_name, name in METHODS:
        try:
            from onnxscript import ir
            owner = getattr(importlib.import_module(module_name), class_name)
        except (ImportError, AttributeError):
            continue
        wrap(owner, name, f"{class_name}.{name}", "onnxscript", lambda value, ir=ir: ir.to_proto(value) if isinstance(value, ir.Model) else None)


FOLDER.mkdir(parents=True, exist_ok=True)
wrap_all()
