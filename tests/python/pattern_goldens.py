"""Random graphs from the golden tests of the rewrites, so that every rewrite is exercised: the model before, with other weights, sizes and opset,
an Identity in between, or one more output.
"""
import copy
import sys
from pathlib import Path

import numpy
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import run_goldens  # noqa: E402
from mutations import is_random  # noqa: E402

GOLDENS = Path(__file__).resolve().parent.parent / "golden/optimize"
OPSETS = [13, 17, 18, 20, 21, 23]
_models = {}


def models():
    """The goldens that the onnx package can read: for each rewrite, where it applies and where it must not."""
    if not _models:
        for path in sorted(GOLDENS.glob("*/*.golden")):
            section = run_goldens.parse(path.read_text()).find("before")
            try:
                model = onnx.parser.parse_model(section.text)
            except Exception:  # not a model, or syntax that only our parser knows
                continue
            _models.setdefault(path.parent.name, ([], []))[path.name.startswith("keeps_")].append(model)
    return _models


class GoldenBuilder:
    """Like PatternBuilder: build() returns a model or None, and feeds has its inputs."""

    def __init__(self, rng):
        self.rng, self.feeds = rng, {}

    def build(self):
        applies, keeps = self.rng.choice(list(models().values()))
        model = copy.deepcopy(self.rng.choice(applies if applies and (not keeps or self.rng.random() < 0.75) else keeps))
        graph = model.graph
        if is_random(model) or any(node.op_type == "Dropout" and len(node.input) > 2 for node in graph.node):
            return None
        numbers = numpy.random.default_rng(self.rng.randrange(2**32))
        for tensor in graph.initializer:
            self.change(tensor, numbers)
        if self.rng.random() < 0.3:
            self.put_identity(graph)
        if self.rng.random() < 0.2:
            self.add_output(graph)
        for opset in model.opset_import:
            if opset.domain == "" and self.rng.random() < 0.3:
                opset.version = max(opset.version, self.rng.choice(OPSETS))
        model.ir_version = 10 if any(opset.version > 20 for opset in model.opset_import) else max(8, model.ir_version)
        return model if self.feed(graph, numbers) else None

    def change(self, tensor, numbers):
        """Changes weights, but not the numbers that patterns require."""
        array = onnx.numpy_helper.to_array(tensor) if tensor.data_type in (1, 10, 11) else None
        if array is None or array.size < 2 or self.rng.random() < 0.4:
            return
        factor = 1 + 0.5 * numbers.random(array.shape)
        tensor.CopyFrom(onnx.numpy_helper.from_array((array * factor).astype(array.dtype), tensor.name))

    def put_identity(self, graph):
        node = self.rng.choice(graph.node)
        places = [i for i, name in enumerate(node.input) if name]
        if not places:
            return
        place = self.rng.choice(places)
        at = list(graph.node).index(node)
        graph.node.insert(at, onnx.helper.make_node("Identity", [node.input[place]], ["put_in_between"]))
        graph.node[at + 1].input[place] = "put_in_between"

    def add_output(self, graph):
        known = {value.name for value in graph.output}
        names = [name for node in graph.node for name in node.output if name and name not in known]
        if names:
            graph.output.add().name = self.rng.choice(names)

    def feed(self, graph, numbers):
        """Makes inputs of the declared types; each open dim gets a size. False for types that we do not make."""
        constants = {tensor.name for tensor in graph.initializer}
        sizes = {}
        # A Slice of a dim of size 1 may be empty, and ONNX Runtime concatenates empty tensors of any shape.
        choices = [2, 3, 4, 6] if any(node.op_type == "Slice" for node in graph.node) else [1, 2, 3, 4, 6]
        for value in graph.input:
            if value.name in constants:
                continue
            kind = value.type.tensor_type
            if not value.type.HasField("tensor_type") or not kind.HasField("shape"):
                return False
            shape = [each.dim_value if each.HasField("dim_value") else sizes.setdefault(each.dim_param or value.name, self.rng.choice(choices))
                     for each in kind.shape.dim]
            if any(size < 0 for size in shape):
                return False
            if kind.elem_type == onnx.TensorProto.STRING:
                self.feeds[value.name] = numbers.choice(["a", "cat", "dog", "7"], shape).astype(object)
                continue
            dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
            if dtype.kind not in "fiub":
                return False
            drawn = numbers.standard_normal(shape) * 2 if dtype.kind == "f" else numbers.integers(0, 3, shape)
            self.feeds[value.name] = numpy.asarray(drawn).astype(dtype)
        return True
