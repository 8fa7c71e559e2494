// Reads and writes folders of .npy files, and chooses the form by the name.
#include "onnxpress/tasks/edit/tensor_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/contained_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/utf8.h"
#include "onnxpress/format/external_files.h"
#include "onnxpress/inputs/npy.h"
#include "onnxpress/inputs/npz.h"
#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

struct NameLine {
  std::string name, file;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &NameLine::name, "name of the tensor");
    visit("file", &NameLine::file, "its file in this folder");
  }
};

struct NameList {
  std::vector<NameLine> tensors;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tensors", &NameList::tensors, "which tensor each file holds");
  }
};

constexpr std::string_view kNames = "names.json";

// A file name of letters, digits and a few characters that every file system accepts, and not too long. Names that
// differ only in case count as equal, because some file systems do not distinguish them.
std::string file_name_of(std::string_view name, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 100;
  std::string plain;
  for (const char c : name.substr(0, kLongest)) {
    const bool safe =
        std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c == '.' && !plain.empty());
    plain += safe ? c : '_';
  }
  for (int number = 1;; ++number) {
    std::string file = fmt::format("{}{}.npy", plain, number == 1 ? "" : fmt::format("-{}", number));
    std::string folded = file;
    std::ranges::transform(folded, folded.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (taken.insert(folded).second) return file;
  }
}

TensorFiles write_folder(const Model& model, const std::vector<NamedContent>& tensors, const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    Error error("", fmt::format("cannot create the folder: {}", failed.message()));
    error.set_file(folder.string());
    throw error;
  }
  TensorFiles made;
  NameList names;
  std::set<std::string> taken;
  const std::function<void(std::uint64_t, std::uint64_t)> silent;
  for (const NamedContent& each : tensors) {
    const auto header = inputs::npy_header(each.tensor->type, each.tensor->dims);
    const auto bytes = each.tensor->expected_bytes();
    if (!header || !bytes) {
      made.left_out.push_back(fmt::format("{}: NumPy has no {}", quote_name(each.name), name_of(each.tensor->type)));
      continue;
    }
    const std::string name = file_name_of(each.name, taken);
    format::Progress progress(silent, *bytes);
    AtomicFile file(folder, name);
    file.write(*header);
    format::write_content(file, model, *each.tensor, *bytes, progress);
    const std::uint64_t size = file.position();
    file.commit();
    made.files.push_back({(folder / name).string(), size});
    names.tensors.push_back({each.name, name});
  }
  const std::string list = json_text(names);
  AtomicFile file(folder, kNames);
  file.write(list);
  file.commit();
  made.files.insert(made.files.begin(), {(folder / kNames).string(), list.size()});
  return made;
}

LoadedTensor loaded(std::string name, const ops::Array& array) {
  Arena arena;
  const Tensor* tensor = array.to_tensor(arena, "");
  if (array.is_string()) throw Error("", fmt::format("{} contains strings", quote_name(name)));
  return {std::move(name), array.type(), array.sizes(), Bytes::owned(std::string(tensor->bytes().view()))};
}

// Takes names of tensors from names.json; without it, each file is named after its tensor.
std::vector<LoadedTensor> read_folder(const fs::path& folder) {
  std::vector<LoadedTensor> tensors;
  std::vector<std::pair<std::string, fs::path>> files;
  const fs::path list = folder / kNames;
  if (fs::exists(list)) {
    const auto parsed = nlohmann::json::parse(MappedFile::open(list)->bytes().view(), nullptr, false);
    const auto entries = parsed.is_object() ? parsed.find("tensors") : parsed.end();
    if (!parsed.is_object() || entries == parsed.end() || !entries->is_array()) {
      Error error("", "is not a list of tensors", "remove it to read all .npy files of the folder");
      error.set_file(list.string());
      throw error;
    }
    for (const nlohmann::json& each : *entries) {
      const bool good = each.is_object() && each.contains("name") && each.contains("file") &&
                        each["name"].is_string() && each["file"].is_string();
      if (!good) throw Error(list.string(), "has an entry without a name or file");
      const std::string file = each["file"];
      if (fs::path(file).filename() != file)
        throw Error(list.string(), fmt::format("{} is not in this folder", quote_name(file)));
      files.emplace_back(each["name"], folder / file);
    }
  } else {
    for (const fs::directory_entry& each : fs::directory_iterator(folder)) {
      if (each.path().extension() == ".npy") files.emplace_back(each.path().stem().string(), each.path());
    }
    std::ranges::sort(files);
  }
  tensors.reserve(files.size());
  for (const auto& [name, path] : files) tensors.push_back(loaded(name, inputs::read_npy(path)));
  return tensors;
}

}  // namespace

TensorFiles write_tensors(const Model& model, const std::vector<NamedContent>& tensors, const fs::path& output) {
  if (output.extension() == ".safetensors") return write_safetensors(model, tensors, output);
  if (output.extension() == ".npz") return write_npz(tensors, output);
  return write_folder(model, tensors, output);
}

std::vector<LoadedTensor> read_tensors(const fs::path& input) {
  if (fs::is_directory(input)) return read_folder(input);
  if (input.extension() == ".safetensors") return read_safetensors(input);
  if (input.extension() == ".npy") {
    std::vector<LoadedTensor> one;
    one.push_back(loaded(input.stem().string(), inputs::read_npy(input)));
    return one;
  }
  std::vector<LoadedTensor> tensors;
  for (const auto& [name, array] : inputs::read_npz(input)) tensors.push_back(loaded(name, array));
  return tensors;
}

}  // namespace onnxpress
