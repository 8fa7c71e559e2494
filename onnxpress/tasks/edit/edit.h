// Makes common changes to a model, several at once: the work behind `onnxpress edit`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

struct EditOptions {
  std::vector<std::string> rename, set_shape, set_type, set_attribute, set_metadata;
  Names remove_node, add_output, remove_input, remove_output;
  std::optional<std::string> doc;
  LoadOptions load;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("rename", &EditOptions::rename, "give a value, or a node, another name: old=new");
    visit("remove_node", &EditOptions::remove_node,
          "remove these nodes: readers of their result read their operand instead");
    visit("set_attribute", &EditOptions::set_attribute, "set an attribute: node.attribute=value");
    visit("set_shape", &EditOptions::set_shape, "shape of an input or output: x=N,3,224,224");
    visit("set_type", &EditOptions::set_type, "element type of an input or output, by inserting a Cast: x=float16");
    visit("add_output", &EditOptions::add_output, "values that also become outputs");
    visit("remove_output", &EditOptions::remove_output, "outputs to remove, with the nodes that only they need");
    visit("remove_input", &EditOptions::remove_input,
          "inputs to remove; nothing may read them, or they must have an initializer");
    visit("set_metadata", &EditOptions::set_metadata, "metadata of the model: key=value");
    visit("doc", &EditOptions::doc, "documentation of the model");
    visit("", &EditOptions::load, "");
  }
};

struct EditReport {
  std::string file, output;
  std::vector<std::string> changes;
  std::vector<WrittenFile> files;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("file", &EditReport::file, "path of the model");
    visit("output", &EditReport::output, "path of the result");
    visit("changes", &EditReport::changes, "what was changed, in order");
    visit("files", &EditReport::files, "files that were written");
  }
};

// In memory: renaming comes last, so that all other options use the names of the file. Throws Error when a change
// cannot be made, or when a valid model would not be valid any more.
EditReport edit(Model& model, const EditOptions& options);

std::string to_json(const EditReport& report);

}  // namespace onnxpress::tasks
