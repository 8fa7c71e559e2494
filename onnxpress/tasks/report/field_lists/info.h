// The fields of the structs in onnxpress/info.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/info.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Fields<OpsetLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("domain", &OpsetLine::domain, "operator domain; `ai.onnx` is the standard one");
    visit("version", &OpsetLine::version, "version of the domain's operators");
  }
};

template <>
struct Fields<InterfaceLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &InterfaceLine::name, "name of the value");
    visit("type", &InterfaceLine::type, "its type as ONNX text writes it, such as `float[batch,3]`");
    visit("element", &InterfaceLine::element, "element type of a tensor, empty for other types");
    visit("shape", &InterfaceLine::shape, "sizes (numbers), symbols (texts) and unknown dimensions (null); null when not even the rank is known");
  }
};

template <>
struct Fields<OpCount> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("op", &OpCount::op, "operator");
    visit("domain", &OpCount::domain, "its domain");
    visit("nodes", &OpCount::nodes, "how many nodes use it, including bodies and functions");
    visit("function", &OpCount::function, "true when it is a function of the model itself");
  }
};

template <>
struct Fields<NodeCounts> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("total", &NodeCounts::total, "all nodes");
    visit("main_graph", &NodeCounts::main_graph, "of these, in the main graph itself");
    visit("bodies", &NodeCounts::bodies, "of these, in bodies of If, Loop, Scan, ... of the main graph");
    visit("functions", &NodeCounts::functions, "of these, in the model's functions (each function counted once)");
    visit("training", &NodeCounts::training, "of these, in training graphs");
    visit("by_op", &NodeCounts::by_op, "nodes by operator, most frequent first");
  }
};

template <>
struct Fields<MetadataLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("key", &MetadataLine::key, "name of the property");
    visit("value", &MetadataLine::value, "its text");
  }
};

template <>
struct Fields<Summary> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("ir_version", &Summary::ir_version, "version of the file format");
    visit("model_version", &Summary::model_version, "version that the author gave the model");
    visit("producer_name", &Summary::producer_name, "program that wrote the model");
    visit("producer_version", &Summary::producer_version, "its version");
    visit("domain", &Summary::domain, "domain of the model");
    visit("doc", &Summary::doc, "description of the model");
    visit("opsets", &Summary::opsets, "imported operator sets");
    visit("graph", &Summary::graph, "name of the main graph");
    visit("inputs", &Summary::inputs, "what the caller must provide");
    visit("inputs_with_default", &Summary::inputs_with_default, "what the caller may override: initializers that are listed as inputs");
    visit("outputs", &Summary::outputs, "outputs of the model");
    visit("nodes", &Summary::nodes, "counts of nodes");
    visit("bodies", &Summary::bodies, "graphs inside nodes (If, Loop, Scan, ...), at any depth");
    visit("deepest_body", &Summary::deepest_body, "how deep they are nested");
    visit("functions", &Summary::functions, "functions that the model defines");
    visit("training_graphs", &Summary::training_graphs, "graphs for training");
    visit("metadata", &Summary::metadata, "properties of the model");
  }
};

template <>
struct Fields<WeightGroup> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &WeightGroup::name, "element type, or place");
    visit("tensors", &WeightGroup::tensors, "how many tensors");
    visit("parameters", &WeightGroup::parameters, "their elements");
    visit("bytes", &WeightGroup::bytes, "bytes of their content");
  }
};

template <>
struct Fields<WeightTotals> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("tensors", &WeightTotals::tensors, "how many tensors there are, including Constant nodes, bodies and functions");
    visit("parameters", &WeightTotals::parameters, "their elements (indices of sparse tensors do not count)");
    visit("bytes", &WeightTotals::bytes, "bytes of their content");
    visit("wrong_size", &WeightTotals::wrong_size, "tensors whose data does not have the size that type and shape require");
    visit("by_type", &WeightTotals::by_type, "the same by element type, largest first");
    visit("by_place", &WeightTotals::by_place, "the same by place: initializer, Constant node, ...");
  }
};

template <>
struct Fields<ComputeLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("macs", &ComputeLine::macs, "multiply-adds of one run, as in `profile`; null when too large or not known");
    visit("at_least", &ComputeLine::at_least, "true when some nodes could not be counted");
    visit("formula", &ComputeLine::formula, "the same in terms of the model's symbols");
    visit("op", &ComputeLine::op, "the operator with the most of them; empty if there are none");
    visit("share", &ComputeLine::share, "its share");
    visit("inputs", &ComputeLine::inputs, "input sizes that these figures are for; sizes that were not given are assumed");
  }
};

template <>
struct Words<TensorOrder> {
  static constexpr std::pair<std::string_view, TensorOrder> kAll[] = {
      {"size", TensorOrder::kSize},
      {"name", TensorOrder::kName},
      {"order", TensorOrder::kFile},
  };
};

template <>
struct Fields<InfoOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("tensors", &InfoOptions::tensors, "list every weight: initializers, Constant nodes, bodies and functions");
    visit("sort", &InfoOptions::sort, "order of that list: by size (default), by name, or as in the file");
    visit("duplicates", &InfoOptions::duplicates, "find weights that are stored more than once (reads the weights)");
    visit("all_inputs", &InfoOptions::all_inputs, "list each input and output separately, including initializers that are inputs");
    visit("interface", &InfoOptions::interface, "list nothing but inputs and outputs");
    visit("compressed", &InfoOptions::compressed, "also report the size after gzip -9, brotli -11 and zstd -19 (slow: about a second per megabyte)");
    visit("top", &InfoOptions::top, "how many of the largest tensors and duplicates to show (default 10)");
    visit("", &InfoOptions::load, "");
  }
};

template <>
struct Fields<TensorLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &TensorLine::name, "name of the initializer, or of the output of the Constant node");
    visit("type", &TensorLine::type, "element type");
    visit("shape", &TensorLine::shape, "dimensions");
    visit("elements", &TensorLine::elements, "their product; null when the shape is damaged");
    visit("bytes", &TensorLine::bytes, "bytes of its content");
    visit("place", &TensorLine::place, "`initializer`, `Constant node`, `attribute`, `sparse values` or `sparse indices`");
    visit("scope", &TensorLine::scope, "body or function that contains it; empty for the main graph");
    visit("node", &TensorLine::node, "tensors in attributes: the node's operator");
    visit("attribute", &TensorLine::attribute, "tensors in attributes: the attribute");
    visit("external_file", &TensorLine::external_file, "the external file with the content; empty if it is inside the model");
  }
};

template <>
struct Fields<BytePart> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("part", &BytePart::part, "what these bytes are");
    visit("bytes", &BytePart::bytes, "how many");
  }
};

template <>
struct Fields<ExternalFileLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("location", &ExternalFileLine::location, "path, relative to the model's folder");
    visit("tensors", &ExternalFileLine::tensors, "how many tensors are in it");
    visit("used_bytes", &ExternalFileLine::used_bytes, "bytes of the file that belong to at least one tensor");
    visit("file_bytes", &ExternalFileLine::file_bytes, "size of the file; null when it cannot be opened");
    visit("problem", &ExternalFileLine::problem, "why it cannot be opened; empty if it can");
  }
};

template <>
struct Fields<ByteTotals> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("total", &ByteTotals::total, "size of the .onnx file (for text and JSON: of the .onnx file it would be)");
    visit("parts", &ByteTotals::parts, "where these bytes are, largest first; they always sum to `total`");
    visit("external", &ByteTotals::external, "size of all external files together");
    visit("external_files", &ByteTotals::external_files, "files next to the model that contain weights");
  }
};

template <>
struct Fields<DuplicateLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("bytes", &DuplicateLine::bytes, "bytes of one copy");
    visit("copies", &DuplicateLine::copies, "how often these bytes are stored");
    visit("saving", &DuplicateLine::saving, "what storing them once would save");
    visit("tensors", &DuplicateLine::tensors, "the tensors that hold them");
  }
};

template <>
struct Fields<UnreadLine> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("name", &UnreadLine::name, "name of the tensor");
    visit("reason", &UnreadLine::reason, "why its content could not be read");
  }
};

template <>
struct Fields<DuplicateTotals> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("duplicated_bytes", &DuplicateTotals::duplicated_bytes, "what storing everything once would save");
    visit("bytes_same_tensor", &DuplicateTotals::bytes_same_tensor, "of these, in tensors of the same type and shape");
    visit("bytes_same_bytes", &DuplicateTotals::bytes_same_bytes, "of these, in tensors of another type or shape");
    visit("bytes_read", &DuplicateTotals::bytes_read, "bytes that had to be read");
    visit("same_tensor", &DuplicateTotals::same_tensor, "groups of equal tensors, largest saving first");
    visit("same_bytes", &DuplicateTotals::same_bytes, "groups of tensors with equal bytes but different types or shapes");
    visit("unreadable", &DuplicateTotals::unreadable, "tensors whose content could not be read");
  }
};

template <>
struct Fields<InfoReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &InfoReport::file, "path, as given");
    visit("format", &InfoReport::format, "`onnx`, `text` or `json`");
    visit("file_bytes", &InfoReport::file_bytes, "size of the file");
    visit("", &InfoReport::model, "");
    visit("weights", &InfoReport::weights, "totals over all weights");
    visit("compute", &InfoReport::compute, "how much work one run takes");
    visit("largest", &InfoReport::largest, "the largest tensors, up to option `top`");
    visit("bytes", &InfoReport::bytes, "where the bytes are");
    visit("compressed", &InfoReport::compressed, "with option `compressed`: sizes of the file and its external files after each compressor; otherwise null");
    visit("duplicates", &InfoReport::duplicates, "with option `duplicates`: duplicated weights; otherwise null");
    visit("tensors", &InfoReport::tensors, "with option `tensors`: every weight; otherwise null");
    visit("repairs", &InfoReport::repairs, "problems that the reader tolerated or repaired; `onnxpress check` names them");
    visit("problems", &InfoReport::problems, "problems that remain; `onnxpress check` names them");
  }
};

template <>
struct Fields<InterfaceReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("file", &InterfaceReport::file, "path, as given");
    visit("inputs", &InterfaceReport::inputs, "what the caller must provide");
    visit("inputs_with_default", &InterfaceReport::inputs_with_default, "what the caller may override: initializers that are listed as inputs");
    visit("outputs", &InterfaceReport::outputs, "outputs of the model");
  }
};

}  // namespace onnxpress
