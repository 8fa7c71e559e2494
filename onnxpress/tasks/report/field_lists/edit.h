// The fields of the structs in onnxpress/edit.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/edit.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Fields<EditOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("rename", &EditOptions::rename, "give a value, or a node, another name: old=new");
    visit("remove_node", &EditOptions::remove_node, "remove these nodes: readers of their result read their operand instead");
    visit("set_attribute", &EditOptions::set_attribute, "set an attribute: node.attribute=value");
    visit("set_shape", &EditOptions::set_shape, "shape of an input or output: x=N,3,224,224");
    visit("set_type", &EditOptions::set_type, "element type of an input or output, by inserting a Cast: x=float16");
    visit("add_output", &EditOptions::add_output, "values that also become outputs");
    visit("remove_output", &EditOptions::remove_output, "outputs to remove, with the nodes that only they need");
    visit("remove_input", &EditOptions::remove_input, "inputs to remove; nothing may read them, or they must have an initializer");
    visit("set_metadata", &EditOptions::set_metadata, "metadata of the model: key=value");
    visit("doc", &EditOptions::doc, "documentation of the model");
    visit("", &EditOptions::load, "");
  }
};

template <>
struct Fields<EditReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &EditReport::file, "path of the model");
    visit("output", &EditReport::output, "path of the result");
    visit("changes", &EditReport::changes, "what was changed, in order");
    visit("files", &EditReport::files, "files that were written");
  }
};

template <>
struct Fields<FuseOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("nodes", &FuseOptions::nodes, "the region: from one node to another, by name: first..last");
    visit("from", &FuseOptions::from, "the region: values that lead into it");
    visit("to", &FuseOptions::to, "the region: values that it computes");
    visit("as", &FuseOptions::as, "domain and name of the new op: my.domain::Block");
    visit("once", &FuseOptions::once, "fuse only this region, not others like it");
    visit("keep_attributes", &FuseOptions::keep_attributes, "attributes of the nodes become attributes of the new node, such as Conv0_strides; regions may then differ in them");
    visit("", &FuseOptions::load, "");
  }
};

template <>
struct Fields<FuseReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &FuseReport::file, "path of the input");
    visit("output", &FuseReport::output, "path of the result");
    visit("op", &FuseReport::op, "the new op, which is a function of the model");
    visit("nodes", &FuseReport::nodes, "nodes of the region");
    visit("regions", &FuseReport::regions, "regions that became a node, including the example");
    visit("inputs", &FuseReport::inputs, "operands of the new op, as the example calls them");
    visit("outputs", &FuseReport::outputs, "its results, as the example calls them");
    visit("files", &FuseReport::files, "files that were written, the model first");
  }
};

template <>
struct Words<NpyNames> {
  static constexpr std::pair<std::string_view, NpyNames> kAll[] = {
      {"onnxpress", NpyNames::kOwn},
      {"scs4onnx", NpyNames::kScs4onnx},
  };
};

template <>
struct Fields<ExtractedLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("input", &ExtractedLine::input, "name of the new input");
    visit("file", &ExtractedLine::file, "name of the .npy file, next to the model");
    visit("type", &ExtractedLine::type, "element type");
    visit("shape", &ExtractedLine::shape, "its sizes");
    visit("bytes", &ExtractedLine::bytes, "size of the tensor");
  }
};

template <>
struct Fields<TensorOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("names", &TensorOptions::names, "only these tensors (default: all initializers and Constant nodes)");
    visit("from", &TensorOptions::from, "replace tensors of the model by those in this file or folder, and write the model to -o");
    visit("change_types", &TensorOptions::change_types, "with option `from`: allow tensors to change their types and shapes");
    visit("as_inputs", &TensorOptions::as_inputs, "turn constants into inputs of the model, fed from .npy files next to it: those of option `names` and option `nodes`, otherwise those that occur more than once; -o is the changed model");
    visit("nodes", &TensorOptions::nodes, "with option `as_inputs`: all constants of these nodes, except scalars");
    visit("", &TensorOptions::load, "");
  }
};

template <>
struct Fields<TensorReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &TensorReport::file, "path of the model");
    visit("output", &TensorReport::output, "path of the result");
    visit("tensors", &TensorReport::tensors, "tensors that were written or replaced");
    visit("bytes", &TensorReport::bytes, "bytes of their content");
    visit("left_out", &TensorReport::left_out, "tensors that the form of the output cannot hold, with the reason");
    visit("inputs", &TensorReport::inputs, "with option `as_inputs`: constants that became inputs of the model");
    visit("files", &TensorReport::files, "files that were written");
  }
};

}  // namespace onnxpress
