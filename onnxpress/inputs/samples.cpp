// Reads the folder of samples.
#include "onnxpress/inputs/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/format/read_value.h"
#include "onnxpress/inputs/npy.h"
#include "onnxpress/inputs/npz.h"

namespace onnxpress::inputs {

namespace fs = std::filesystem;

namespace {

using engines::NamedArrays;

[[noreturn]] void fail(const fs::path& path, std::string message, std::string hint) {
  Error error("", std::move(message), std::move(hint));
  error.set_file(path.string());
  throw error;
}

bool fits(const ops::Array& array, const Type& type) {
  if (!type.is_tensor() || type.element == ElementType::kUndefined) return true;
  if (array.type() != type.element) return false;
  if (!type.has_shape) return true;
  if (array.rank() != type.dims.size()) return false;
  for (std::size_t i = 0; i < type.dims.size(); ++i) {
    if (const auto size = type.dims[i].size(); size && *size != array.size(i)) return false;
  }
  return true;
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

  std::vector<InputSet> read(const fs::path& folder) const {
    std::vector<InputSet> samples;
    NamedArrays loose;  // files named after the inputs, for a model with several
    for (const fs::path& path : sorted_entries(folder)) {
      if (fs::is_directory(path)) {
        InputSet sample{.about = path.string(), .arrays = named_files(path)};
        if (!sample.arrays.empty()) samples.push_back(std::move(sample));
      } else if (path.extension() == ".npz") {
        samples.push_back({.about = path.string(), .arrays = known(path, read_npz(path))});
      } else if (path.extension() == ".npy") {
        if (needed_.size() == 1 && !is_input(path.stem().string()))
          samples.push_back({.about = path.string(), .arrays = {{needed_.front(), read_npy(path)}}});
        else
          loose.emplace_back(path.stem().string(), read_npy(path));
      }
    }
    if (!loose.empty()) samples.push_back({.about = folder.string(), .arrays = known(folder, std::move(loose))});
    if (samples.empty())
      fail(folder, "it contains no samples", "they are .npz or .npy files; see docs/commands/quantize.md");
    return samples;
  }

 private:
  bool is_input(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }

  NamedArrays named_files(const fs::path& folder) const {
    NamedArrays arrays;
    for (const fs::path& path : sorted_entries(folder)) {
      if (path.extension() == ".npy" && is_input(path.stem().string()))
        arrays.emplace_back(path.stem().string(), read_npy(path));
      if (path.extension() == ".pb") add_encoded(path, arrays);
    }
    return arrays;
  }

  // input_0.pb, as in the official test data: the number is the position of the input.
  void add_encoded(const fs::path& path, NamedArrays& arrays) const {
    constexpr std::string_view kBegin = "input_";
    const std::string stem = path.stem().string();
    if (!stem.starts_with(kBegin)) return;
    std::size_t number = 0;
    const char* const end = stem.data() + stem.size();
    const auto parsed = onnxpress::from_chars(stem.data() + kBegin.size(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number >= needed_.size())
      fail(path, "there is no input with that number", fmt::format("the inputs are {}", fmt::join(needed_, ", ")));
    try {
      Model holder;
      const auto stored = format::read_value(MappedFile::open(path, FileAccess::kRead)->bytes(), nullptr, holder);
      if (!stored.tensor) fail(path, "it contains no tensor", "");
      arrays.emplace_back(needed_[number], ops::Array::from(*stored.tensor));
    } catch (Error& error) {
      error.set_file(path.string());
      throw;
    }
  }

  // An array whose name is not that of an input is taken for a mistake.
  NamedArrays known(const fs::path& path, NamedArrays arrays) const {
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

void require_fitting(const InputSet& sample, const Model& model) {
  for (const auto& [name, array] : sample.arrays) {
    for (const ValueInfo* input : model.graph().inputs()) {
      if (input->value->name() != name || !input->type || fits(array, *input->type)) continue;
      fail(sample.about,
           fmt::format("input {} is {}, but this is {}", quote_name(name), to_string(input->type),
                       to_string(array.type(), array.sizes())),
           "");
    }
  }
}

}  // namespace

std::vector<InputSet> read_samples(const std::string& folder, const Model& model) {
  if (folder.empty()) return {};
  if (!fs::is_directory(folder)) fail(folder, "is not a folder of samples", "name a folder with option `samples`");
  std::vector<InputSet> samples = Reader(model).read(folder);
  for (const InputSet& sample : samples) require_fitting(sample, model);
  return samples;
}

}  // namespace onnxpress::inputs
