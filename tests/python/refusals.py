"""What onnx refuses in the goldens of `check`, and what `check` says about the same models. Used by scripts/update_refusals and
test_refusals.py."""
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import onnx

HERE = Path(__file__).resolve().parent
TABLE = HERE / "onnx_refusals.tsv"
GOLDENS = HERE.parent / "golden" / "check"
PROGRAM = os.environ.get("ONNXPRESS", "build/onnxpress")

FINDING = re.compile(r"  error +([\w-]+)  (?:(.*?): )?(.*)")
NODE = re.compile(r"node '(\w+)'")
SAID = re.compile(r"\(op_type:(\w+)(?:, node name: (\w+))?\): \[(?:Shape|Type)InferenceError\] (.*)")


@dataclass
class Golden:
    """A golden whose model is a text that onnx can read."""
    name: str
    model: onnx.ModelProto
    findings: list  # (code, place, message) of errors


def rows():
    return [tuple(line.split("\t")) for line in TABLE.read_text().splitlines()]


def section(text, name):
    found = re.search(rf"^---- {name}\n(.*?)(?=^---- |\Z)", text, re.M | re.S)
    return found.group(1) if found else ""


def findings(text):
    return [found.groups(default="") for line in section(text, "stdout").splitlines() if (found := FINDING.fullmatch(line))]


def read(path):
    """The golden, or None if it has no model in ONNX text or the text cannot be written as a file."""
    text = path.read_text()
    before = section(text, "before")
    if not before:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "before.onnxtxt"), Path(folder, "model.onnx")
        source.write_text(before)
        run = subprocess.run([PROGRAM, "convert", source, "-o", target], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return None
        return Golden(path.stem, onnx.load(target), findings(text))


def goldens():
    return [golden for path in sorted(GOLDENS.glob("*.golden")) if (golden := read(path))]


def said_by_inference(model):
    """(node, message) of everything that onnx's shape inference refuses."""
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except Exception as problem:  # the package raises several kinds
        text = str(problem)
        found = [(node, message) for _, node, message in SAID.findall(text)]
        return found or [("", text)]
    return []


def said_by_checker(model, full=False):
    try:
        onnx.checker.check_model(model, full_check=full)
    except Exception as problem:  # likewise
        return str(problem)
    return None


def operator_of(model, name):
    """The operator of the node with the version that onnx reads it as: "Gemm-11"; empty for nodes of bodies."""
    node = next((node for node in model.graph.node if node.name == name), None)
    imported = [opset.version for opset in model.opset_import if node is not None and opset.domain == node.domain]
    try:
        return f"{node.op_type}-{onnx.defs.get_schema(node.op_type, imported[0], node.domain).since_version}" if imported else ""
    except onnx.defs.SchemaError:
        return ""


def pairs(golden):
    """(what onnx says, the operator with its version, (node or "model", our code, our message)) for what both refuse."""
    found = []
    for node, said in said_by_inference(golden.model):
        ours = [(code, message) for code, place, message in golden.findings if node and (name := NODE.search(place)) and name[1] == node]
        found += [(said, operator_of(golden.model, node), (node, *ours[0]))] if ours else []
    said = said_by_checker(golden.model)
    if said and golden.findings:
        found.append((said, "", ("model", golden.findings[0][0], golden.findings[0][2])))
    return found


if __name__ == "__main__":
    sys.exit("This is a part of test_refusals.py.")
