// Writes text and JSON in pieces; the format layer writes .onnx.
#include "onnxpress/tasks/files/write_form.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/files/shape_tensors.h"
#include "onnxpress/tasks/files/take_weights_inside.h"
#include "onnxpress/text/elided_stream.h"
#include "onnxpress/text/print_model.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// Tensors that are elided in a text are read as zeros.
void note_elided(const Model& model, SaveReport& report) {
  std::uint64_t count = 0;
  for_each_tensor(
      model, [&count](const Tensor& tensor, const TensorPlace&) { count += text::elided_content(tensor) ? 1 : 0; });
  if (count == 0) return;
  report.lost.push_back(fmt::format("{} elided in the input text; the output has zeros there",
                                    count == 1 ? "1 tensor was" : fmt::format("{} tensors were", count)));
}

// If a file repeats a field, the last occurrence counts, as protobuf requires.
void note_repeated(const Model& model, SaveReport& report) {
  for (const Note& note : model.notes) {
    if (note.code == "repeated-value") report.lost.push_back(fmt::format("{}: {}", note.where, note.message));
  }
}

class FormWriter {
 public:
  FormWriter(Model& model, const std::string& path, const SaveRequest& request,
             const std::optional<fs::path>& final_folder)
      : model_(model), path_(path), request_(request), final_folder_(final_folder) {}

  WrittenForm write(ModelForm format) {
    SaveReport& report = made_.report;
    report.format = format;
    if (format != ModelForm::kText) note_elided(model_, report);
    if (format == ModelForm::kText || request_.form.encode_anew) note_repeated(model_, report);
    const bool in_onnx_file = format == ModelForm::kOnnx && !is_stream();
    if (request_.weights == Placement::kSingleFile && !in_onnx_file) take_weights_inside(model_);
    if (in_onnx_file) write_onnx();
    if (format == ModelForm::kOnnx && is_stream()) write_onnx_stream();
    if (format == ModelForm::kText) write_text();
    if (format == ModelForm::kJson) write_json();
    return std::move(made_);
  }

 private:
  bool is_stream() const { return path_ == "-"; }
  fs::path folder() const { return final_folder_ ? *final_folder_ : fs::path(path_).parent_path(); }

  // Weights of the original that are in external files stay outside of the model, in a file of its own.
  format::WriteOptions::Weights placement() const {
    using Weights = format::WriteOptions::Weights;
    switch (request_.weights) {
      case Placement::kAsLoaded:
        return model_.external_files.empty() ? Weights::kKeep : Weights::kExternal;
      case Placement::kKeep:
        return Weights::kKeep;
      case Placement::kExternal:
        return Weights::kExternal;
      case Placement::kSingleFile:
        break;
    }
    return Weights::kSingleFile;
  }

  void write_onnx() {
    format::WriteOptions options;
    options.weights = placement();
    options.external_name = request_.form.external_name;
    options.external_threshold = request_.form.external_threshold;
    options.external_attributes = request_.form.external_attributes;
    options.overwrite_external = request_.form.overwrite_external;
    options.encode_anew = request_.form.encode_anew;
    options.progress = request_.progress;
    options.final_folder = final_folder_;
    const ShapeTensors shape_tensors(model_);
    options.stays_inside = [&shape_tensors](const Tensor& tensor, const TensorPlace& place) {
      return shape_tensors.contains(tensor, place);
    };
    const format::WriteReport written = format::write_model(model_, path_, options);
    SaveReport& report = made_.report;
    report.moved_to_external = written.moved_to_external;
    report.kept_inside = written.kept_inside;
    for (const fs::path& path : written.files) {
      std::error_code ignored;
      report.files.push_back({path.lexically_normal().string(), fs::file_size(path, ignored)});
    }
    const bool keeps = options.weights == format::WriteOptions::Weights::kKeep && !written.moved_to_external;
    if (keeps && final_folder_) copy_external_files();
  }

  void write_onnx_stream() {
    const bool unchanged = !model_.changed() && !request_.form.encode_anew;
    const std::string encoded = unchanged ? std::string() : format::encode_model(model_, request_.form.encode_anew);
    const std::string_view message = unchanged ? model_.origin.view() : std::string_view(encoded);
    if (message.size() > format::kMaxMessageBytes) {
      throw Error("",
                  fmt::format("the model takes {} bytes; protobuf readers stop at {}", message.size(),
                              format::kMaxMessageBytes),
                  "write to a file, so that weights can move to an external file");
    }
    request_.standard_output(message);
    made_.report.files.push_back({"-", message.size()});
  }

  void write_text() {
    require_clear_names_if_changed(model_);
    text::PrintOptions options;
    if (request_.form.elide_above) options.elide_above = *request_.form.elide_above;
    std::vector<std::string> lost;
    begin_text();
    text::print_model(
        model_, [this](std::string_view piece) { put(piece); }, options, &lost);
    made_.report.lost.insert(made_.report.lost.end(), lost.begin(), lost.end());
    finish_text();
  }

  void write_json() {
    std::string encoded;
    std::string_view message = model_.origin.view();
    if (model_.changed() || request_.form.encode_anew) {
      encoded = format::encode_model(model_, request_.form.encode_anew);
      message = encoded;
    }
    begin_text();
    const format::JsonLosses losses = format::write_json(message, {}, [this](std::string_view piece) { put(piece); });
    std::vector<std::string>& lost = made_.report.lost;
    if (losses.unknown_fields > 0) {
      lost.push_back(
          fmt::format("{} unknown to ONNX 1.23, first {}",
                      losses.unknown_fields == 1 ? "1 field" : fmt::format("{} fields", losses.unknown_fields),
                      losses.first_unknown_field));
    }
    if (losses.nan_payloads > 0)
      lost.push_back(fmt::format("the exact bits of {} NaNs in float fields", losses.nan_payloads));
    finish_text();
  }

  void begin_text() {
    if (!is_stream()) text_file_.emplace(fs::path(path_));
  }
  void put(std::string_view text) {
    text_bytes_ += text.size();
    text_file_ ? text_file_->write(text) : request_.standard_output(text);
  }
  // Does everything that can fail first; then the external files get their final names, and the text gets its name
  // last.
  void finish_text() {
    if (request_.weights != Placement::kSingleFile) copy_external_files();
    if (text_file_) text_file_->sync();
    if (made_.copies && !final_folder_) made_.copies->commit();
    if (text_file_) text_file_->commit();
    made_.report.files.insert(made_.report.files.begin(), {path_, text_bytes_});
  }

  // All forms refer to external files by name, so these must be next to them. Nothing has to be copied if they are.
  void copy_external_files() {
    if (model_.external_files.empty() || is_stream()) return;
    const fs::path to = folder(), from = model_.path.parent_path();
    std::error_code ignored;
    if (fs::equivalent(to.empty() ? "." : to, from.empty() ? "." : from, ignored)) return;
    made_.copies.emplace(model_, to, request_.form.overwrite_external);
    for (const format::ExternalCopies::Copy& copy : made_.copies->copies())
      made_.report.files.push_back({copy.path.lexically_normal().string(), copy.bytes});
  }

  Model& model_;
  const std::string& path_;
  const SaveRequest& request_;
  const std::optional<fs::path>& final_folder_;
  WrittenForm made_;
  std::optional<AtomicFile> text_file_;
  std::uint64_t text_bytes_ = 0;
};

}  // namespace

WrittenForm write_form(Model& model, const std::string& path, const SaveRequest& request,
                       const std::optional<fs::path>& final_folder) {
  const auto format = format_of_output(path, request.form);
  if (!format) {
    throw OptionError(fmt::format("cannot tell the form of the output from {}", quote_name(path)),
                      "set option `to`: onnx, text or json");
  }
  return FormWriter(model, path, request, final_folder).write(*format);
}

}  // namespace onnxpress
