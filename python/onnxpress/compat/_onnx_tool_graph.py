"""onnx_tool's Model, Graph, Node and Tensor, as far as its documentation shows them, on top of ours, so every change is checked."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from .. import _tasks
from .._calls import ModelLike, as_model
from .._onnxpress import Error, Graph as OurGraph, Model as OurModel, Node as OurNode, Value
from .._shapes import ShapeEngine as OurShapeEngine


class Node:
    """A node, by its name in Graph.nodemap.

    >>> graph.nodemap["conv1"].op_type
    """

    def __init__(self, node: OurNode) -> None:
        self._node = node

    @property
    def name(self) -> str:
        """Its name, or that of its first output.

        >>> node.name
        """
        return name_of(self._node)

    @property
    def op_type(self) -> str:
        """The operator.

        >>> node.op_type
        """
        return self._node.op_type

    @property
    def input(self) -> list[str]:
        """Names of its operands; empty for omitted ones.

        >>> node.input
        """
        return [value.name if value else "" for value in self._node.inputs]

    @property
    def output(self) -> list[str]:
        """Names of its results.

        >>> node.output
        """
        return [value.name if value else "" for value in self._node.outputs]

    @property
    def attr(self) -> dict[str, Any]:
        """Its attributes, a copy.

        >>> node.attr["kernel_shape"]
        """
        return self._node.attributes

    def set_attr(self, attr: str, value: Any) -> None:
        """Sets an attribute. Raises onnxpress.Error for one that the op does not have.

        >>> node.set_attr("axis", -1)
        """
        self._node.set_attribute(attr, value)


class Tensor:
    """A value, by its name in Graph.tensormap.

    >>> graph.tensormap["conv1.weight"].numpy.shape
    """

    def __init__(self, value: Value) -> None:
        self._value = value

    @property
    def name(self) -> str:
        """Its name.

        >>> tensor.name
        """
        return self._value.name

    @property
    def shape(self) -> list[Any]:
        """Sizes and symbols.

        >>> tensor.shape
        """
        return list(self._value.shape or ())

    def get_shape(self) -> list[Any]:
        """The same as `shape`.

        >>> tensor.get_shape()
        """
        return self.shape

    @property
    def numpy(self) -> Any:
        """Its array; None for a value that is not a weight.

        >>> graph.tensormap["conv1.weight"].numpy.mean()
        """
        tensor = self._value.tensor
        return tensor.numpy() if tensor else None

    @numpy.setter
    def numpy(self, array: Any) -> None:
        self._value.set_tensor(array)


class _Names(Mapping[str, Any]):
    """A dict whose entries are looked up in the current graph."""

    def __init__(self, graph: Graph, of_nodes: bool) -> None:
        self._graph, self._of_nodes = graph, of_nodes

    def __getitem__(self, name: str) -> Any:
        try:
            return Node(self._graph._graph.node(name)) if self._of_nodes else Tensor(self._graph._graph.value(name))
        except Error:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        graph = self._graph._graph
        if self._of_nodes:
            return iter([name_of(node) for node in graph.nodes])
        values = [*graph.inputs, *graph.initializers, *(value for node in graph.nodes for value in node.outputs if value)]
        return iter(dict.fromkeys(value.name for value in values))

    def __len__(self) -> int:
        return len(list(iter(self)))


class ShapeEngine:
    """The shape engine. Shapes are exact at any size, so nothing is fitted to samples, and ranges of variables are ignored.

    >>> engine = graph.shape_regress({"x": [1, 3, "h", "w"]})
    """

    def __init__(self, engine: OurShapeEngine) -> None:
        self._engine = engine
        self._sizes: dict[str, int] = {}

    def update_variable(self, key: str, value: int) -> None:
        """Remembers the size of a symbol until update_variables().

        >>> engine.update_variable("h", 480)
        """
        self._sizes[key] = value

    def update_variables(self) -> None:
        """Computes all shapes for the given sizes.

        >>> engine.update_variables()
        """
        self._engine.update(self._sizes)

    def get_tensorshape(self, tname: str) -> list[Any]:
        """The shape of a value at these sizes.

        >>> engine.get_tensorshape("y")
        """
        return list(self._engine.shape(tname))


class Graph:
    """The graph of a model, with names where onnxpress has objects.

    >>> graph = loadmodel("model.onnx").graph
    """

    def __init__(self, model: OurModel) -> None:
        self._model = model
        self._inputs: Mapping[str, Any] | None = None

    @property
    def _graph(self) -> OurGraph:
        return self._model.graph

    @property
    def nodemap(self) -> Mapping[str, Node]:
        """Nodes by name.

        >>> graph.nodemap["conv1"].set_attr("group", 1)
        """
        return _Names(self, True)

    @property
    def tensormap(self) -> Mapping[str, Tensor]:
        """Values by name.

        >>> graph.tensormap["conv1.weight"].numpy *= 2
        """
        return _Names(self, False)

    @property
    def initials(self) -> list[str]:
        """Names of the weights.

        >>> graph.initials
        """
        return [value.name for value in self._graph.initializers]

    @property
    def dynamics(self) -> list[str]:
        """Names of the values that are not weights.

        >>> graph.dynamics
        """
        return [name for name in self.tensormap if self.tensormap[name].numpy is None]

    @property
    def input(self) -> list[str]:
        """Names of the inputs.

        >>> graph.input
        """
        return [value.name for value in self._graph.inputs]

    @property
    def output(self) -> list[str]:
        """Names of the outputs.

        >>> graph.output
        """
        return [value.name for value in self._graph.outputs]

    def skip_node(self, nodename: str) -> None:
        """Removes a node: readers of its result read its operand instead.

        >>> graph.skip_node("dropout1")
        """
        self._graph.node(nodename).bypass()

    def add_initial(self, name: str, array: Any) -> None:
        """Adds a weight.

        >>> graph.add_initial("scale", numpy.float32([2]))
        """
        self._graph.add_initializer(name, array)

    def add_dump_tensors(self, dump_tensor_names: Sequence[str]) -> None:
        """Also makes these values outputs of the model.

        >>> graph.add_dump_tensors(["hidden"])
        """
        for name in dict.fromkeys(dump_tensor_names):
            value = self._graph.value(name)
            if not value.is_output:
                self._graph.add_output(value)

    def graph_reorder_nodes(self) -> None:
        """Does nothing: nodes are always in an order in which they can run.

        >>> graph.graph_reorder_nodes()
        """

    def shape_infer(self, inputs: Mapping[str, Any] | None = None) -> None:
        """Sets the input shapes for print_node_map().

        >>> graph.shape_infer({"x": numpy.ones((1, 3, 224, 224), numpy.float32)})
        """
        self._inputs = inputs

    def profile(self) -> None:
        """Does nothing: print_node_map() does the work.

        >>> graph.profile(), graph.print_node_map()
        """

    def print_node_map(self, f: str | None = None, metric: str = "MACs", exclude_ops: Sequence[str] | None = None) -> None:
        """Prints the profile, or writes it to a file.

        >>> graph.print_node_map("profile.csv")
        """
        from .onnx_tool import model_profile

        model_profile(self._model, self._inputs, exclude_ops=exclude_ops, save_profile=f)

    def value_infer(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Computes the outputs.

        >>> graph.value_infer({"x": numpy.ones((1, 4), numpy.float32)})
        """
        return _tasks.run(self._model, inputs)

    def fuse_subgraph_node_names(self, nodes: Sequence[str], nodeop: str, name: str, keep_attr: bool = True) -> None:
        """Replaces these nodes by one.

        >>> graph.fuse_subgraph_node_names(["conv1", "relu1"], "ConvRelu", "stem")
        """
        (call,) = self._graph.fuse([self._graph.node(each) for each in nodes], _op(nodeop), once=True, keep_attributes=keep_attr)
        call.name = name

    def fuse_subgraph_iotensors(
        self, inputs: Sequence[str], outputs: Sequence[str], nodeop: str, name_prefix: str, keep_attr: bool = True
    ) -> None:
        """Fuses the nodes between the values, and does the same everywhere else where such nodes are found.

        >>> graph.fuse_subgraph_iotensors(["x"], ["relu1"], "ConvRelu", "block")
        """
        calls = self._graph.fuse(self._graph.nodes_between(list(inputs), list(outputs)), _op(nodeop), keep_attributes=keep_attr)
        for number, call in enumerate(calls):
            call.name = f"{name_prefix}_{number}"

    def shape_regress(self, input_desc: Mapping[str, Sequence[Any]], input_range: Mapping[str, Any] | None = None) -> ShapeEngine:
        """The shape engine for inputs with these symbols.

        >>> graph.shape_regress({"x": [1, 3, "h", "w"]}, {"h": (224, 640), "w": (224, 640)})
        """
        return ShapeEngine(OurShapeEngine(self._described(input_desc)))

    def get_compute_graph(self) -> Graph:
        """The graph without nodes that only compute shapes.

        >>> graph.get_compute_graph().save_model("compute.onnx")
        """
        compute_graph = OurShapeEngine(self._model).compute_graph
        assert compute_graph is not None
        return Graph(compute_graph)

    def save_model(self, f: str, shape_only: bool = False, no_shape: bool = False, **ignored: Any) -> None:
        """Writes the model.

        >>> graph.save_model("edited.onnx")
        """
        self._model.save(f)

    def _described(self, input_desc: Mapping[str, Sequence[Any]]) -> OurModel:
        model = self._model.copy()
        for name, shape in input_desc.items():
            model.graph.value(name).set_shape(list(shape))
        return model


class Model:
    """A model and its graph.

    >>> Model("model.onnx").graph.nodemap.keys()
    """

    def __init__(self, m: ModelLike, mcfg: Mapping[str, Any] | None = None) -> None:
        import os

        loaded = as_model(m)
        self.modelname = os.path.splitext(os.path.basename(loaded.path))[0]
        self.graph = Graph(loaded)
        self.valid = True

    def save_model(self, f: str, shape_only: bool = False, no_shape: bool = False) -> None:
        """Writes the model.

        >>> model.save_model("edited.onnx")
        """
        self.graph.save_model(f)


def name_of(node: OurNode) -> str:
    return node.name or next((value.name for value in node.outputs if value), "")


def _op(name: str) -> str:
    return name if "::" in name else f"onnx_tool::{name}"
