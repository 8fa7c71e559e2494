// Expands folders and patterns.
#include "onnxpress/tasks/files/model_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/files/load_model.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failure), end;
  for (; !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    if (format_of_name(at->path()) == ModelForm::kOnnx && at->is_regular_file(ignored))
      found.push_back(at->path().string());
  }
  if (failure) throw Error("", fmt::format("folder {} cannot be read: {}", quote_name(folder), failure.message()));
  if (found.empty())
    throw Error("", fmt::format("no .onnx file in folder {}", quote_name(folder)),
                "in folders, only files that end in .onnx are used; name other files directly");
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t result{};
  const std::unique_ptr<glob_t, decltype(&globfree)> freed(&result, globfree);
  const int code = glob(pattern.c_str(), GLOB_ERR, nullptr, &result);
  if (code == GLOB_NOMATCH) throw Error("", fmt::format("no file matches {}", quote_name(pattern)));
  if (code != 0)
    throw Error("", fmt::format("pattern {} cannot be expanded", quote_name(pattern)), "a folder in it cannot be read");
  return {result.gl_pathv, result.gl_pathv + result.gl_pathc};
}

bool is_pattern(const std::string& path) { return path.find_first_of("*?[") != std::string::npos; }

}  // namespace

Inputs expand_inputs(const std::vector<std::string>& named) {
  Inputs inputs;
  inputs.several = named.size() > 1;
  const auto add = [&inputs](const std::vector<std::string>& found) {
    inputs.paths.insert(inputs.paths.end(), found.begin(), found.end());
    inputs.several = true;
  };
  for (const std::string& name : named) {
    std::error_code ignored;
    const fs::file_status status = fs::status(name, ignored);
    if (fs::is_directory(status)) {
      add(models_in(name));
    } else if (!fs::exists(status) && is_pattern(name)) {
      for (const std::string& match : matches_of(name))
        add(fs::is_directory(match, ignored) ? models_in(match) : std::vector{match});
    } else {
      inputs.paths.push_back(name);
    }
  }
  return inputs;
}

}  // namespace onnxpress
