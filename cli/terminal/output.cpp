// Checks the names of results, and writes a model to standard output.
#include "cli/terminal/output.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/arguments/command_line.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/numbers.h"
#include "cli/terminal/screen.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/tasks/files/load_model.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

void require_output_form(const std::string& output) {
  if (output == "-" || format_of_name(output)) return;
  throw UsageError(fmt::format("cannot tell the form of the output from the name '{}'", printable(output)),
                   "use a name that ends in .onnx, .onnxtxt or .json");
}

void take_output_argument(std::vector<std::string>& models, std::string& output) {
  if (models.size() < 2 || !output.empty()) return;
  const std::string& last = models.back();
  const bool names_output = (last == "-" && models.front() != "-") || format_of_name(last).has_value();
  if (!names_output || exists(last) || last.find_first_of("*?[") != std::string::npos) return;
  if (models.size() > 2) {
    throw UsageError(
        fmt::format("'{}' does not exist, and several models cannot have a single result", printable(last)),
        "add -o FOLDER for the results, or name one model and its result");
  }
  output = last;
  models.pop_back();
}

void require_one_meaning(const std::vector<std::string>& models, std::string_view verb) {
  std::error_code ignored;
  if (models.size() != 2 || !fs::is_regular_file(models[0], ignored) || !fs::is_regular_file(models[1], ignored))
    return;
  const std::string second = printable(models[1]);
  throw UsageError(fmt::format("is '{}' the result, or another model to {}?", second, verb),
                   fmt::format("if it is the result, write -o {}; to {} both, add -o FOLDER", second, verb));
}

void require_output_folder(const std::string& output) {
  std::error_code ignored;
  if (output.empty() || fs::is_directory(output, ignored)) return;
  if (!exists(output) && output != "-" && !format_of_name(output)) return;
  throw UsageError(fmt::format("several models need a folder for their results, and '{}' is {}", printable(output),
                               output == "-"    ? "standard output"
                               : exists(output) ? "a file"
                                                : "the name of a file"),
                   "add -o FOLDER, or name one model");
}

void make_output_folder(const std::string& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (!failure) return;
  Error error("", fmt::format("cannot be created: {}", failure.message()), "name another folder with -o");
  error.set_file(path);
  throw error;
}

void require_one_output(const Command& command) {
  if (command.was_given("OUT") && command.was_given("--output"))
    throw UsageError("OUT and -o both name the result", "leave one of them out");
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored);
}

ModelOutput::ModelOutput(const std::string& named, bool json) : path_(named) {
  require_output_form(named);
  if (named != "-") return;
  if (json) throw UsageError("--json and an output of '-' would both use standard output", "add -o FILE");
  folder_.emplace(fs::temp_directory_path());
  path_ = (folder_->path() / "model.onnx").string();
}

void ModelOutput::report(std::string_view text) const { is_standard_output() ? talk(text) : print(text); }

void ModelOutput::deliver(const std::vector<WrittenFile>& files) const {
  if (!is_standard_output() || files.empty()) return;
  if (files.size() > 1) {
    throw Error("", "the result consists of several files, which cannot all go to standard output",
                "add -o FILE; the weights go into a file next to it");
  }
  const auto file = MappedFile::open(path_, FileAccess::kRead);
  print(file->bytes().view());
}

void tell_files(const std::vector<WrittenFile>& files) {
  for (const WrittenFile& file : files)
    talk(fmt::format("wrote {}  {}\n", printable(file.path), exact_bytes(file.bytes)));
}

}  // namespace onnxpress::cli
