// Graphs, nodes and values. Every change is one call of Editor, which checks it first.
#include "onnxpress/ir/graph.h"

#include <nanobind/nanobind.h>

#include "onnxpress/analysis/places.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/same_value.h"
#include "onnxpress/tasks/edit/find_names.h"
#include "onnxpress/tasks/edit/fuse.h"
#include "onnxpress/text/print_model.h"
#include "python/bindings/handles.h"

namespace onnxpress::python {

namespace {

// Names in a file need not be UTF-8.
nb::object text(std::string_view view) {
  return nb::steal(PyUnicode_DecodeUTF8(view.data(), static_cast<Py_ssize_t>(view.size()), "surrogateescape"));
}

std::string bytes_in(nb::handle object) {
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(PyBytes_Size(encoded.ptr()))};
}

nb::object handle_of(const StatePointer& state, Value* value) {
  return value ? nb::cast(ValueHandle(state, value)) : nb::none();
}

template <typename Pointers>
nb::list list_of(const StatePointer& state, const Pointers& values) {
  nb::list made;
  for (Value* each : values) made.append(handle_of(state, each));
  return made;
}

// --- Types

nb::object shape_of(const Type* type) {
  if (!type || !type->is_tensor() || !type->has_shape) return nb::none();
  nb::list dims;
  for (const Dim dim : type->dims) {
    if (dim.is_symbol()) {
      dims.append(text(dim.symbol()->name));
    } else if (const auto size = dim.size()) {
      dims.append(*size);
    } else {
      dims.append(nb::none());
    }
  }
  return nb::tuple(dims);
}

std::vector<Dim> dims_in(Model& model, nb::handle shape) {
  std::vector<Dim> dims;
  for (nb::handle each : nb::borrow<nb::iterable>(shape)) {
    if (each.is_none()) {
      dims.emplace_back();
    } else if (PyUnicode_Check(each.ptr())) {
      dims.push_back(Dim::symbol(model.context().symbol(bytes_in(each))));
    } else {
      const auto size = nb::cast<std::int64_t>(each);
      if (size < 0 || !Dim::fits(size))
        throw Error("", std::to_string(size) + " is not a size", "sizes are whole numbers from 0");
      dims.push_back(Dim::size(size));
    }
  }
  return dims;
}

// --- Attributes

nb::object python_value(const StatePointer& state, const Attribute& attribute) {
  const auto each = [&]<typename T>(const std::span<const T>& list, auto&& convert) {
    nb::list made;
    for (const T& one : list) made.append(convert(one));
    return nb::object(made);
  };
  struct Visitor {
    const StatePointer& state;
    decltype(each)& list;
    nb::object operator()(std::monostate) const { return nb::none(); }
    nb::object operator()(float value) const { return nb::float_(value); }
    nb::object operator()(std::int64_t value) const { return nb::int_(value); }
    nb::object operator()(std::string_view value) const { return text(value); }
    nb::object operator()(Tensor* value) const { return nb::cast(TensorHandle{state, value}); }
    nb::object operator()(Graph* value) const { return nb::cast(GraphHandle(state, value)); }
    nb::object operator()(SparseTensor*) const { return nb::none(); }
    nb::object operator()(const Type* value) const { return text(to_string(value)); }
    nb::object operator()(std::span<const float> value) const {
      return list(value, [](float one) { return nb::float_(one); });
    }
    nb::object operator()(std::span<const std::int64_t> value) const {
      return list(value, [](std::int64_t one) { return nb::int_(one); });
    }
    nb::object operator()(std::span<const std::string_view> value) const {
      return list(value, [](std::string_view one) { return text(one); });
    }
    nb::object operator()(std::span<Tensor* const> value) const {
      nb::list made;
      for (Tensor* one : value) made.append(nb::cast(TensorHandle{state, one}));
      return made;
    }
    nb::object operator()(std::span<Graph* const> value) const {
      nb::list made;
      for (Graph* one : value) made.append(nb::cast(GraphHandle(state, one)));
      return made;
    }
    nb::object operator()(std::span<SparseTensor* const>) const { return nb::none(); }
    nb::object operator()(std::span<const Type* const>) const { return nb::none(); }
  };
  return std::visit(Visitor{state, each}, attribute.value);
}

AttributeContent content_in(nb::handle value) {
  if (PyBool_Check(value.ptr())) return static_cast<std::int64_t>(value.is(nb::handle(Py_True)));
  if (PyLong_Check(value.ptr())) return nb::cast<std::int64_t>(value);
  if (PyFloat_Check(value.ptr())) return nb::cast<double>(value);
  if (PyUnicode_Check(value.ptr())) return bytes_in(value);
  if (nb::isinstance<TensorHandle>(value)) {
    const auto& tensor = nb::cast<const TensorHandle&>(value);
    return const_cast<Tensor*>(tensor.tensor);
  }
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> texts;
  bool all_integers = true;
  for (nb::handle each : nb::borrow<nb::iterable>(value)) {
    if (PyUnicode_Check(each.ptr())) {
      texts.push_back(bytes_in(each));
      continue;
    }
    all_integers = all_integers && PyLong_Check(each.ptr());
    reals.push_back(nb::cast<double>(each));
    if (all_integers) integers.push_back(nb::cast<std::int64_t>(each));
  }
  if (!texts.empty() && !reals.empty()) throw Error("", "a list cannot contain both numbers and texts");
  if (!texts.empty()) return texts;
  if (all_integers) return integers;
  return reals;
}

// --- Lookups

ValueHandle find_value(const GraphHandle& self, nb::str wanted) {
  self.get();
  return {self.state, &NameIndex(self.state->model).value(bytes_in(wanted))};
}

NodeHandle find_node(const GraphHandle& self, nb::str wanted) {
  self.get();
  return {self.state, &NameIndex(self.state->model).node(bytes_in(wanted))};
}

nb::list nodes_of(const GraphHandle& self) {
  nb::list nodes;
  for (Node& node : self.get().nodes()) nodes.append(nb::cast(NodeHandle(self.state, &node)));
  return nodes;
}

NodeHandle add_node(const GraphHandle& self, const std::string& op_type, nb::iterable inputs, nb::object outputs,
                    const std::string& domain, nb::str name, nb::dict attributes, std::optional<NodeHandle> before) {
  NewNode wanted{
      .op_type = op_type, .domain = domain, .name = bytes_in(name), .inputs = {}, .outputs = {}, .attributes = {}};
  for (nb::handle each : inputs)
    wanted.inputs.push_back(each.is_none() ? nullptr : &nb::cast<const ValueHandle&>(each).get());
  if (PyLong_Check(outputs.ptr())) {
    wanted.outputs.resize(nb::cast<std::size_t>(outputs));
  } else {
    for (nb::handle each : nb::borrow<nb::iterable>(outputs)) wanted.outputs.push_back(bytes_in(each));
  }
  for (const auto& [key, value] : attributes) wanted.attributes.emplace_back(bytes_in(key), content_in(value));
  if (before) wanted.before = &before->get();
  return {self.state, &self.state->editor().add_node(self.get(), wanted)};
}

// The graph changes in several places at once, so the editor is created again when it is needed next.
nb::list fuse(const GraphHandle& self, nb::iterable nodes, const std::string& op, bool once, bool keep_attributes) {
  self.get();
  std::vector<Node*> region;
  for (nb::handle each : nodes) {
    const auto& handle = nb::cast<const NodeHandle&>(each);
    if (handle.state != self.state || handle.get().erased())
      throw Error("", "a node of the region is not in this model");
    region.push_back(&handle.get());
  }
  FuseOptions options;
  options.as = op;
  options.once = once;
  options.keep_attributes = keep_attributes;
  self.state->editor_.reset();
  nb::list made;
  for (Node* call : fuse_nodes(self.state->model, region, options)) made.append(nb::cast(NodeHandle(self.state, call)));
  return made;
}

nb::list nodes_between(const GraphHandle& self, const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs) {
  self.get();
  nb::list found;
  for (Node* node : nodes_between(self.state->model, inputs, outputs))
    found.append(nb::cast(NodeHandle(self.state, node)));
  return found;
}

std::uint64_t unfuse(const GraphHandle& self, const std::string& op) {
  self.get();
  self.state->editor_.reset();
  return unfuse(self.state->model, op);
}

void bind_value(nb::module_& module) {
  nb::class_<ValueHandle>(module, "Value",
                          "One edge of a graph: an input, a weight, or a result of a node.\n\n>>> x = "
                          "model.graph.value('x')\n>>> x.name, x.type, x.shape")
      .def_prop_rw(
          "name", [](const ValueHandle& self) { return text(self.get().name()); },
          [](const ValueHandle& self, nb::str name) { self.state->editor().rename(self.get(), bytes_in(name)); },
          "Its name; setting it renames the value everywhere. New values have none until the model is "
          "written.\n\n>>> model.graph.inputs[0].name = 'image'")
      .def_prop_ro(
          "type", [](const ValueHandle& self) { return text(to_string(self.state->editor().type_of(self.get()))); },
          "What is known about its type, such as 'float[batch,3]'; '?' for nothing.\n\n>>> "
          "print(model.graph.outputs[0].type)")
      .def_prop_ro(
          "element_type",
          [](const ValueHandle& self) -> nb::object {
            const Type* type = self.state->editor().type_of(self.get());
            return type && type->is_tensor() ? text(to_string(type->element)) : nb::none();
          },
          "The element type, such as 'float'; None when it is not known or not a tensor.\n\n>>> "
          "model.graph.inputs[0].element_type")
      .def_prop_ro(
          "shape", [](const ValueHandle& self) { return shape_of(self.state->editor().type_of(self.get())); },
          "A tuple of sizes, symbols (texts) and None; None when not even the rank is known.\n\n"
          ">>> model.graph.inputs[0].shape\n('batch', 3, 224, 224)")
      .def_prop_ro(
          "producer",
          [](const ValueHandle& self) -> nb::object {
            Node* node = self.get().producer();
            return node ? nb::cast(NodeHandle(self.state, node)) : nb::none();
          },
          "The node that computes it; None for inputs and weights.\n\n>>> model.graph.outputs[0].producer.op_type")
      .def_prop_ro(
          "uses",
          [](const ValueHandle& self) {
            nb::list uses;
            for (const Use* use = self.get().first_use(); use; use = use->next())
              uses.append(nb::make_tuple(nb::cast(NodeHandle(self.state, use->user())), use->index()));
            return uses;
          },
          "Its readers: pairs of a node and the position among its inputs.\n\n>>> [node.name for node, position in "
          "value.uses]")
      .def_prop_ro(
          "is_input", [](const ValueHandle& self) { return self.get().is_input(); },
          "True if it is an input of its graph.\n\n>>> [v.name for v in node.inputs if v and v.is_input]")
      .def_prop_ro(
          "is_output", [](const ValueHandle& self) { return self.get().is_output(); },
          "True if it is an output of a graph.\n\n>>> any(v.is_output for v in node.outputs)")
      .def_prop_ro(
          "is_defined", [](const ValueHandle& self) { return self.get().is_defined(); },
          "False when the node that computed it was removed.\n\n>>> value.is_defined")
      .def_prop_ro(
          "graph", [](const ValueHandle& self) { return GraphHandle(self.state, self.get().graph()); },
          "The graph it belongs to.\n\n>>> value.graph.name")
      .def_prop_ro(
          "tensor",
          [](const ValueHandle& self) -> nb::object {
            const Value& value = self.get();
            const Tensor* tensor = value.initializer() ? value.initializer() : constant_tensor(value);
            return tensor ? nb::cast(TensorHandle{self.state, tensor}) : nb::none();
          },
          "The content of a weight or Constant; None for others.\n\n>>> model.graph.value('conv1.weight').tensor.shape")
      .def("_set_tensor",
           [](const ValueHandle& self, const std::string& type, const std::vector<std::int64_t>& dims,
              nb::bytes content) {
             self.state->editor().set_tensor(self.get(), new_tensor(*self.state, type, dims, std::move(content)));
           })
      .def(
          "set_tensor",
          [](nb::object self, nb::object array) {
            nb::module_::import_("onnxpress._arrays").attr("set_tensor")(self, array);
          },
          nb::arg("array"),
          "Replaces the content of a weight by an array, or anything that NumPy can make one of.\n\n"
          ">>> value.set_tensor(value.tensor.numpy() * 2)")
      .def(
          "set_shape",
          [](const ValueHandle& self, nb::iterable shape) {
            self.state->editor().set_shape(self.get(), dims_in(self.state->model, shape));
          },
          nb::arg("shape"),
          "Sets the shape of an input or output: sizes, names of symbols and None.\n\n>>> value.set_shape(['N', 3, "
          "224, "
          "224])")
      .def(
          "set_type",
          [](const ValueHandle& self, const std::string& type) {
            self.state->editor().set_type(self.get(), element_type_in(type));
          },
          nb::arg("type"),
          "Changes the element type of an input or output, by inserting a Cast between it and the nodes.\n\n>>> "
          "value.set_type('float16')")
      .def(
          "replace_with",
          [](const ValueHandle& self, const ValueHandle& other) {
            self.state->editor().replace(self.get(), other.get());
          },
          nb::arg("other"),
          "Makes all readers of this value read the other one. Outputs of the graph keep their names.\n\n>>> "
          "model.graph.value('a').replace_with(model.graph.value('b'))")
      .def("__eq__", [](const ValueHandle& self, const ValueHandle& other) { return self == other; })
      .def("__eq__", [](const ValueHandle&, nb::handle) { return false; })
      .def("__hash__", [](const ValueHandle& self) { return reinterpret_cast<std::uintptr_t>(self.pointer) >> 4; })
      .def("__repr__", [](const ValueHandle& self) {
        return "<onnxpress.Value " + quote_name(self.get().name()) + " " +
               to_string(self.state->editor().type_of(self.get())) + ">";
      });
}

void bind_node(nb::module_& module) {
  nb::class_<NodeHandle>(module, "Node",
                         "One application of an operator.\n\n>>> node = model.graph.node('conv1')\n>>> node.op_type, "
                         "node.attributes, [v.name for v in node.inputs if v]")
      .def_prop_ro(
          "op_type", [](const NodeHandle& self) { return text(self.get().op_type()); },
          "The operator, such as 'Conv'.\n\n>>> [n for n in model.graph.nodes if n.op_type == 'Conv']")
      .def_prop_ro(
          "domain", [](const NodeHandle& self) { return text(self.get().domain()); },
          "Its domain; '' is ONNX's own.\n\n>>> {node.domain for node in model.graph.nodes}")
      .def_prop_rw(
          "name", [](const NodeHandle& self) { return text(self.get().name()); },
          [](const NodeHandle& self, nb::str name) { self.state->editor().rename(self.get(), bytes_in(name)); },
          "Its name.\n\n>>> node.name = 'conv1'")
      .def_prop_ro(
          "doc", [](const NodeHandle& self) { return text(self.get().doc()); },
          "Its documentation.\n\n>>> print(node.doc)")
      .def_prop_ro(
          "erased", [](const NodeHandle& self) { return self.get().erased(); },
          "True when it is no longer in a graph.\n\n>>> [n for n in nodes if not n.erased]")
      .def_prop_ro(
          "graph", [](const NodeHandle& self) { return GraphHandle(self.state, self.get().graph()); },
          "The graph it is in.\n\n>>> node.graph.nodes.index(node)")
      .def_prop_ro(
          "inputs",
          [](const NodeHandle& self) {
            std::vector<Value*> values;
            for (const Use& use : self.get().inputs()) values.push_back(use.value());
            return list_of(self.state, values);
          },
          "Its operands: values, and None for those that are left out.\n\n>>> [v.name if v else None for v in "
          "node.inputs]")
      .def_prop_ro(
          "outputs", [](const NodeHandle& self) { return list_of(self.state, self.get().outputs()); },
          "Its results.\n\n>>> node.outputs[0].shape")
      .def_prop_ro(
          "attributes",
          [](const NodeHandle& self) {
            nb::dict made;
            for (const Attribute* each : self.get().attributes())
              made[text(each->name)] = python_value(self.state, *each);
            return made;
          },
          "A copy of its attributes: numbers, texts, lists, Tensor and Graph.\n\n>>> "
          "node.attributes['kernel_shape']\n[3, 3]")
      .def(
          "set_attribute",
          [](const NodeHandle& self, nb::str name, nb::object value) {
            self.state->editor().set_attribute(self.get(), bytes_in(name), content_in(value));
          },
          nb::arg("name"), nb::arg("value"),
          "Sets a parameter where the opset keeps it, as an attribute or an operand.\n\n>>> node.set_attribute('axis', "
          "-1)")
      .def(
          "remove_attribute",
          [](const NodeHandle& self, nb::str name) {
            self.state->editor().remove_attribute(self.get(), bytes_in(name));
          },
          nb::arg("name"), "Removes an attribute, so that its default applies.\n\n>>> node.remove_attribute('axis')")
      .def(
          "set_input",
          [](const NodeHandle& self, std::size_t index, std::optional<ValueHandle> value) {
            self.state->editor().set_input(self.get(), index, value ? &value->get() : nullptr);
          },
          nb::arg("index"), nb::arg("value").none(),
          "Makes the node read another value. If needed, nodes that compute that value move before this one.\n\n>>> "
          "node.set_input(1, graph.value('bias'))")
      .def(
          "bypass", [](const NodeHandle& self) { self.state->editor().bypass(self.get()); },
          "Removes the node: readers of its result read its operand instead.\n\n>>> for node in graph.nodes:\n...     "
          "if "
          "node.op_type == 'Identity': node.bypass()")
      .def(
          "remove", [](const NodeHandle& self) { self.state->editor().remove(self.get()); },
          "Removes the node; nothing may read its results.\n\n>>> graph.node('unused').remove()")
      .def("__eq__", [](const NodeHandle& self, const NodeHandle& other) { return self == other; })
      .def("__eq__", [](const NodeHandle&, nb::handle) { return false; })
      .def("__hash__", [](const NodeHandle& self) { return reinterpret_cast<std::uintptr_t>(self.pointer) >> 4; })
      .def("__str__",
           [](const NodeHandle& self) {
             return text(text::print_node(self.get(), {.elide_above = 16, .hide_bodies = true}));
           })
      .def("__repr__",
           [](const NodeHandle& self) { return text("<onnxpress.Node " + analysis::node_label(self.get()) + ">"); });
}

}  // namespace

void bind_graph(nb::module_& module) {
  bind_value(module);
  bind_node(module);
  nb::class_<GraphHandle>(module, "Graph",
                          "A graph: nodes in the order they run, inputs, outputs and weights.\n\n>>> graph = "
                          "model.graph\n>>> [v.name for v in graph.inputs], len(graph.nodes)")
      .def_prop_ro(
          "name", [](const GraphHandle& self) { return text(self.get().name()); }, "Its name.\n\n>>> model.graph.name")
      .def_prop_ro("nodes", nodes_of,
                   "The nodes, in order. The list is a copy, so the graph may change while you go through it; "
                   "node.erased is True for nodes that were removed.\n\n>>> for node in model.graph.nodes: print(node)")
      .def_prop_ro(
          "inputs",
          [](const GraphHandle& self) {
            std::vector<Value*> values;
            for (const ValueInfo* each : self.get().inputs()) values.push_back(each->value);
            return list_of(self.state, values);
          },
          "The inputs, including those with an initializer.\n\n>>> [(v.name, v.type) for v in model.graph.inputs]")
      .def_prop_ro(
          "outputs",
          [](const GraphHandle& self) {
            std::vector<Value*> values;
            for (const ValueInfo* each : self.get().outputs()) values.push_back(each->value);
            return list_of(self.state, values);
          },
          "The outputs.\n\n>>> [(v.name, v.type) for v in model.graph.outputs]")
      .def_prop_ro(
          "initializers", [](const GraphHandle& self) { return list_of(self.state, self.get().initializers()); },
          "The weights: values that have a tensor.\n\n>>> sum(v.tensor.nbytes for v in model.graph.initializers)")
      .def("find_nodes", find_nodes, nb::arg("op") = nb::none(), nb::arg("name") = nb::none(), nb::kw_only(),
           nb::arg("bodies") = false,
           "The nodes with this operator and name, in order. Each is a pattern (* and ?) or a list of patterns; an op "
           "may "
           "name its domain. With bodies=True also those in bodies of If, Loop and Scan.\n\n"
           ">>> graph.find_nodes('Conv')\n>>> graph.find_nodes(['MatMul', 'com.microsoft::FusedMatMul'], "
           "name='/layer1/*')")
      .def("value", find_value, nb::arg("name"),
           "The value of that name, in this graph or a body. Raises Error when there is none.\n\n>>> "
           "model.graph.value('logits').shape")
      .def("node", find_node, nb::arg("name"),
           "The node of that name; a node without a name is found by its first output.\n\n>>> "
           "model.graph.node('conv1').op_type")
      .def("add_node", add_node, nb::arg("op_type"), nb::arg("inputs"), nb::arg("outputs") = 1, nb::kw_only(),
           nb::arg("domain") = "", nb::arg("name") = "", nb::arg("attributes") = nb::dict(),
           nb::arg("before") = nb::none(),
           "Adds a node, at the end or before another. `outputs` is a number or a list of names.\n\n"
           ">>> relu = graph.add_node('Relu', [x], name='relu1')\n>>> y.replace_with(relu.outputs[0])")
      .def(
          "add_input",
          [](const GraphHandle& self, nb::str name, const std::string& type, nb::iterable shape) {
            Model& model = self.state->model;
            const Type* made = make_tensor_type(model.arena(), element_type_in(type), dims_in(model, shape));
            self.get();
            return ValueHandle(self.state, &self.state->editor().add_input(bytes_in(name), made));
          },
          nb::arg("name"), nb::arg("type"), nb::arg("shape"),
          "Adds an input to the model.\n\n>>> graph.add_input('mask', 'bool', ['N', 128])")
      .def(
          "add_output",
          [](const GraphHandle& self, const ValueHandle& value) {
            self.get();
            self.state->editor().add_output(value.get());
          },
          nb::arg("value"), "Also makes a value an output of the model.\n\n>>> graph.add_output(graph.value('hidden'))")
      .def(
          "remove_input",
          [](const GraphHandle& self, const ValueHandle& value) {
            self.get();
            self.state->editor().remove_input(value.get());
          },
          nb::arg("value"),
          "Removes an input that nothing reads, or turns one with an initializer into a constant.\n\n>>> "
          "graph.remove_input(graph.value('unused'))")
      .def("_add_initializer",
           [](const GraphHandle& self, nb::str name, const std::string& type, const std::vector<std::int64_t>& dims,
              nb::bytes content) {
             self.get();
             return ValueHandle(self.state,
                                &self.state->editor().add_initializer(
                                    bytes_in(name), new_tensor(*self.state, type, dims, std::move(content))));
           })
      .def(
          "add_initializer",
          [](nb::object self, nb::object name, nb::object array) {
            return nb::module_::import_("onnxpress._arrays").attr("add_initializer")(self, name, array);
          },
          nb::arg("name"), nb::arg("array"),
          "Adds a weight from a NumPy array.\n\n>>> graph.add_initializer('scale', np.float32([2]))")
      .def("nodes_between", nodes_between, nb::arg("inputs"), nb::arg("outputs"),
           "The nodes on all paths from some values to others, by name; without inputs, all that the outputs need.\n\n"
           ">>> graph.nodes_between(['x'], ['y'])")
      .def("fuse", fuse, nb::arg("nodes"), nb::arg("op"), nb::kw_only(), nb::arg("once") = false,
           nb::arg("keep_attributes") = false,
           "Replaces these nodes by one node and, unless `once` is set, does the same everywhere else where it finds "
           "such "
           "nodes; returns the new nodes. The new op is a function of the model, so the model runs as before. With "
           "keep_attributes the new nodes have the attributes of the old ones, such as Conv0_strides.\n\n"
           ">>> graph.fuse([conv, relu], 'my.domain::ConvRelu')")
      .def("unfuse", unfuse, nb::arg("op"),
           "Replaces the calls of a function of the model by its nodes; returns how many there were.\n\n"
           ">>> graph.unfuse('my.domain::ConvRelu')")
      .def("__len__", [](const GraphHandle& self) { return self.get().nodes().size(); })
      .def("__eq__", [](const GraphHandle& self, const GraphHandle& other) { return self == other; })
      .def("__eq__", [](const GraphHandle&, nb::handle) { return false; })
      .def("__hash__", [](const GraphHandle& self) { return reinterpret_cast<std::uintptr_t>(self.pointer) >> 4; })
      .def("__str__", [](const GraphHandle& self) { return text(text::print_graph(self.get(), {.elide_above = 16})); })
      .def("__repr__", [](const GraphHandle& self) {
        return "<onnxpress.Graph " + quote_name(self.get().name()) + ", " + std::to_string(self.get().nodes().size()) +
               " nodes>";
      });
}

}  // namespace onnxpress::python
