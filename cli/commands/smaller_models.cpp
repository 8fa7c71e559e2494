// The parts that do not depend on the options of the command.
#include "cli/commands/smaller_models.h"

#include "cli/arguments/options.h"

namespace onnxpress::cli {

namespace fs = std::filesystem;

void add_smaller_arguments(Command& command, SmallerArguments& arguments, std::string_view ending) {
  add_file_argument(command, "MODEL", arguments.models,
                    "models (.onnx, .onnxtxt, .json), folders and patterns; MODEL RESULT is short for MODEL -o RESULT");
  add_file(command, {"-o", "--output"}, arguments.output, "").help =
      fmt::format("the result (default MODEL{}); - for standard output; for several models, a folder", ending);
  add_flag(command, "--in-place", arguments.in_place, "replace the model with the result");
}

void require_place(const SmallerArguments& arguments, std::string_view command, bool dry_run) {
  if (arguments.in_place && !arguments.output.empty()) throw UsageError("--in-place and -o cannot be combined");
  if (arguments.output.empty() && !arguments.in_place && !dry_run) require_one_meaning(arguments.models, command);
}

std::string default_output(const std::string& input, std::string_view ending) {
  return fs::path(input).replace_extension().string() + std::string(ending);
}

std::string output_of(const std::string& input, const SmallerArguments& arguments, std::string_view ending) {
  if (arguments.in_place) return input;
  if (arguments.output.empty()) return default_output(input, ending);
  return (fs::path(arguments.output) / fs::path(input).filename().replace_extension(".onnx")).string();
}

// Said if these weights are a good part of the file.
std::string overridable_hint(std::uint64_t overridable, const ModelBytes& before) {
  constexpr std::uint64_t kPart = 10;
  if (overridable * kPart < before.total()) return {};
  return fmt::format(
      "hint: {} of initializers are also inputs, and were left alone because callers may override them; "
      "--freeze turns them into constants\n",
      human_bytes(overridable));
}

void SmallerSummary::add(const std::string& file, const ModelBytes& before, const ModelBytes& after,
                         const std::string& saved) {
  ++models_;
  before_ += before.total();
  after_ += after.total();
  table_.add({printable(file), human_bytes(before.total()), human_bytes(after.total()), saved});
}

void SmallerSummary::add_failed(const std::string& file) {
  ++models_, ++failed_;
  table_.add_remark(printable(file), "failed (see below)");
}

std::string SmallerSummary::text(const Screen& screen) const {
  return fmt::format("{}\n{}, {} -> {}{}\n", table_.to_text(screen, 0), counted(models_, "model", "models"),
                     human_bytes(before_), human_bytes(after_), failed_ ? fmt::format("; {} failed", failed_) : "");
}

ReportPageFile::ReportPageFile(const std::string& path, const std::string& input,
                               const std::vector<std::string>& others, const LoadOptions& load)
    : path_(path) {
  if (path_.empty()) return;
  require_page_name(path_, others);
  file_.emplace(path_);
  before_ = page_content_of(input, load);  // read now, because the result may replace the input
}

void ReportPageFile::write(const std::string& report, const std::string& file, std::vector<std::string> asked,
                           const std::vector<WrittenFile>& files, const LoadOptions& load) {
  if (!file_) return;
  std::optional<PageFileContent> after;
  if (!files.empty()) after = page_content_of(files.front().path, load);
  file_->write(report_page({report, file, std::move(asked), std::move(before_), std::move(after)}));
  file_->commit();
}

}  // namespace onnxpress::cli
