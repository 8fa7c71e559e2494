// Finds nodes by operator, name and domain.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <string_view>

#include "onnxpress/base/wildcards.h"
#include "onnxpress/ir/graph.h"
#include "onnxpress/ir/op_names.h"
#include "onnxpress/ir/walk.h"
#include "python/bindings/handles.h"

namespace onnxpress::python {

namespace {

// What a node must match; an empty list matches everything.
struct NodeFilter {
  std::vector<std::string> ops, names;

  bool accepts(const Node& node) const {
    return (ops.empty() || std::ranges::any_of(ops, [&](const std::string& op) { return is_op(node, op); })) &&
           (names.empty() ||
            std::ranges::any_of(names, [&](const std::string& name) { return fits_wildcards(name, node.name()); }));
  }

  // "Conv" in any domain, "com.microsoft::FusedConv" in that domain; "::Conv" is ONNX's own.
  static bool is_op(const Node& node, std::string_view op) {
    const std::size_t at = op.rfind("::");
    if (at == std::string_view::npos) return fits_wildcards(op, node.op_type());
    return normal_domain(node.domain()) == normal_domain(op.substr(0, at)) &&
           fits_wildcards(op.substr(at + 2), node.op_type());
  }
};

std::string bytes_in(nb::handle object) {
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(PyBytes_Size(encoded.ptr()))};
}

// A text, several, or None.
std::vector<std::string> texts_in(nb::handle given) {
  if (given.is_none()) return {};
  if (PyUnicode_Check(given.ptr())) return {bytes_in(given)};
  std::vector<std::string> texts;
  for (nb::handle each : nb::borrow<nb::iterable>(given)) texts.push_back(bytes_in(each));
  return texts;
}

// An empty list of names is a filter that nothing passes, unlike None.
bool is_empty_list(nb::handle given, const std::vector<std::string>& texts) {
  return !given.is_none() && texts.empty();
}

}  // namespace

nb::list find_nodes(const GraphHandle& self, nb::object op, nb::object name, bool bodies) {
  const NodeFilter filter{texts_in(op), texts_in(name)};
  nb::list found;
  if (is_empty_list(op, filter.ops) || is_empty_list(name, filter.names)) return found;
  const auto look_in = [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (filter.accepts(node)) found.append(nb::cast(NodeHandle(self.state, &node)));
    }
  };
  if (bodies) {
    for_each_graph(self.get(), look_in);
  } else {
    look_in(self.get());
  }
  return found;
}

}  // namespace onnxpress::python
