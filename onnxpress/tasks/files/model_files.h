// Expands what the user named to a list of model files: folders are searched, patterns expanded.
#pragma once

#include <string>
#include <vector>

namespace onnxpress {

struct Inputs {
  std::vector<std::string> paths;
  // Several names, or a folder or pattern, were given: the result is a list, even if it has one entry.
  bool several = false;
};

// A folder stands for all *.onnx files in it, at any depth, in the order of their names (links to folders are not
// followed). A pattern (with *, ? or [) that names no file stands for the files it matches. Anything else stays as it
// is, whether it exists or not. Throws Error for a folder without models and a pattern without match.
Inputs expand_inputs(const std::vector<std::string>& named);

}  // namespace onnxpress
