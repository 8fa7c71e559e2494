// Walks the folder.
#include "onnxpress/tasks/inputs/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/inputs/npy.h"
#include "onnxpress/tasks/inputs/npz.h"

namespace onnxpress::tasks {

namespace fs = std::filesystem;

namespace {

using Arrays = std::vector<std::pair<std::string, ops::Array>>;

[[noreturn]] void fail(const fs::path& path, std::string message, std::string hint) {
  Error error("", std::move(message), std::move(hint));
  error.set_file(path.string());
  throw error;
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> entries;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed))
    entries.push_back(each->path());
  if (failed) fail(folder, fmt::format("samples cannot be listed: {}", failed.message()), "");
  std::ranges::sort(entries);
  return entries;
}

class Reader {
 public:
  explicit Reader(const Model& model) {
    for (const ValueInfo* input : model.graph().inputs()) {
      names_.emplace_back(input->value->name());
      if (!input->value->initializer()) needed_.emplace_back(input->value->name());
    }
  }

  std::vector<Sample> read(const fs::path& folder) const {
    std::vector<Sample> samples;
    Arrays loose;  // files that are named as the inputs of a model with several
    for (const fs::path& path : sorted_entries(folder)) {
      if (fs::is_directory(path)) {
        Sample sample{path.string(), named_files(path)};
        if (!sample.inputs.empty()) samples.push_back(std::move(sample));
      } else if (path.extension() == ".npz") {
        samples.push_back({path.string(), known(path, read_npz(path))});
      } else if (path.extension() == ".npy") {
        if (needed_.size() == 1 && !is_input(path.stem().string()))
          samples.push_back({path.string(), {{needed_.front(), read_npy(path)}}});
        else
          loose.emplace_back(path.stem().string(), read_npy(path));
      }
    }
    if (!loose.empty()) samples.push_back({folder.string(), known(folder, std::move(loose))});
    if (samples.empty()) fail(folder, "there are no samples in it", "they are .npz or .npy files; see docs/weights.md");
    return samples;
  }

 private:
  bool is_input(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }

  Arrays named_files(const fs::path& folder) const {
    Arrays arrays;
    for (const fs::path& path : sorted_entries(folder)) {
      if (path.extension() == ".npy" && is_input(path.stem().string()))
        arrays.emplace_back(path.stem().string(), read_npy(path));
    }
    return arrays;
  }

  // An array that is no input is a mistake in its name.
  Arrays known(const fs::path& path, Arrays arrays) const {
    for (auto& [name, array] : arrays) {
      if (is_input(name)) continue;
      if (arrays.size() == 1 && needed_.size() == 1) {  // np.savez(file, array): arr_0
        name = needed_.front();
        continue;
      }
      fail(path, fmt::format("there is no input {}", quote_name(name)),
           fmt::format("the inputs are {}", fmt::join(needed_, ", ")));
    }
    return arrays;
  }

  std::vector<std::string> names_, needed_;  // all inputs, and those without a default
};

}  // namespace

std::vector<Sample> read_samples(const std::string& folder, const Model& model) {
  if (folder.empty()) return {};
  if (!fs::is_directory(folder)) fail(folder, "is not a folder of samples", "give the folder with option `samples`");
  return Reader(model).read(folder);
}

}  // namespace onnxpress::tasks
