// Stages, writes, reads back, checks and renames.
#include "onnxpress/tasks/files/save_together.h"

#include <algorithm>
#include <deque>

#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/compare/same_model.h"
#include "onnxpress/tasks/files/staged_files.h"
#include "onnxpress/tasks/files/write_form.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

class Saving {
 public:
  Saving(std::span<const SaveTarget> targets, const SaveRequest& request)
      : targets_(targets), request_(request), staged_(targets.front().output, request.dry_run) {}

  SaveReport save(const format::SharedWriter* shared) {
    begin_stage("writing");
    try {
      shared ? write_shared(*shared) : write_models();
      for (const Beside& each : request_.beside) write(each);
    } catch (const Error& error) {
      throw staged_.about_target(error);
    }
    report_.too_large = request_.smaller_than > 0 && report_.bytes + report_.external >= request_.smaller_than;
    if (report_.too_large) return without_files();
    if (request_.read_back && report_.lost.empty()) {
      begin_stage("checking the result");
      for (std::size_t i = 0; i < targets_.size(); ++i) check(i);
    }
    if (!request_.dry_run) move_into_place();
    return report_in_order();
  }

 private:
  // A model that refers to files elsewhere cannot be loaded from where it is now.
  struct Written {
    std::string path;
    bool is_complete = true;
    std::vector<WrittenFile> files;
  };

  void write_models() {
    for (const SaveTarget& each : targets_) {
      const std::string path = staged_.path_of(each.output);
      // A dry run copies no files to another folder.
      WrittenForm written =
          write_form(*each.model, path, request_, request_.dry_run ? each.model->path.parent_path() : final_folder());
      add(written.report);
      const bool is_complete = each.model->external_files.empty() || written.report.moved_to_external ||
                               (written.report.format == ModelForm::kOnnx && request_.weights != Placement::kKeep);
      written_.push_back({path, is_complete});
      if (written.copies) copies_.push_back(std::move(*written.copies));
    }
  }
  fs::path final_folder() const { return fs::path(targets_.front().output).parent_path(); }

  void add(const SaveReport& written) {
    report_.format = written.format;
    report_.kept_inside += written.kept_inside;
    report_.moved_to_external |= written.moved_to_external;
    report_.lost.insert(report_.lost.end(), written.lost.begin(), written.lost.end());
    report_.bytes += written.files.front().bytes;
    for (std::size_t i = 0; i < written.files.size(); ++i) {
      const WrittenFile& file = written.files[i];
      if (i > 0) report_.external += file.bytes;
      is_staged(file.path) ? staged_files_.push_back(file) : copied_files_.push_back(file);
    }
  }
  bool is_staged(const std::string& path) const { return staged_.final_path_of(path) != path; }

  void write_shared(const format::SharedWriter& shared) {
    shared.write(staged_.folder(), request_.progress);
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      written_.push_back({staged_.path_of(targets_[i].output)});
      staged_files_.push_back({written_.back().path, shared.model_bytes(i)});
      report_.bytes += shared.model_bytes(i);
    }
    // Nothing refers to an empty file.
    if (shared.stored_tensors() == 0) return;
    staged_files_.push_back({staged_.path_of(shared.external_name()), shared.external_bytes()});
    report_.external = shared.external_bytes();
  }

  // Files in the folder of the models are renamed with them. Others are complete before anything is renamed.
  void write(const Beside& beside) {
    const std::string path = fs::path(beside.path).lexically_normal().string();
    const auto same = [&](const WrittenFile& file) { return staged_.final_path_of(file.path) == path; };
    if (std::ranges::any_of(staged_files_, same)) {
      Error error("", "two files of the result would have this name", "choose another one");
      error.set_file(beside.path);
      throw error;
    }
    if (!request_.dry_run && fs::path(path).parent_path() != final_folder().lexically_normal()) {
      AtomicFile& file = far_files_.emplace_back(fs::path(path));
      beside.write(file);
      file.sync();
      far_beside_.push_back({path, file.position()});
      return;
    }
    if (!request_.dry_run) const AtomicFile probe{fs::path(path)};  // throws if it cannot be written
    AtomicFile file{fs::path(staged_.path_of(path))};
    beside.write(file);
    const WrittenFile written{staged_.path_of(path), file.position()};
    file.commit();
    beside.comes_last ? void(staged_files_.insert(staged_files_.begin(), written)) : staged_files_.push_back(written);
  }

  void check(std::size_t number) {
    const SaveTarget& target = targets_[number];
    try {
      Model written = open_model(written_[number].path, loading(*target.model, written_[number])).model;
      if (!written_[number].is_complete) written.path.clear();
      if (target.original) require_valid_result(written, target.original);
      if (target.check)
        target.check(written);
      else
        compare::require_same_model(*target.model, written);
    } catch (Error& error) {
      Error better = staged_.about_target(error);
      better.set_file(target.output);
      throw better;
    }
  }

  // How the written model is loaded: external files that are not staged are those of the model in memory.
  LoadOptions loading(const Model& model, const Written& written) const {
    LoadOptions load = request_.load;
    load.external = {};
    if (written.is_complete) return load;
    load.external = [files = model.external_files](std::string_view location) -> std::optional<Bytes> {
      for (const auto& file : files) {
        if (file->location() == location) return file->open().bytes();
      }
      return std::nullopt;
    };
    return load;
  }

  void move_into_place() {
    for (format::ExternalCopies& each : copies_) each.commit();
    for (AtomicFile& each : far_files_) each.commit();
    staged_.move_into_place(staged_files_);
  }

  SaveReport without_files() {
    report_.files.clear();
    return std::move(report_);
  }
  SaveReport report_in_order() {
    for (WrittenFile& file : staged_files_) file.path = staged_.final_path_of(file.path);
    report_.files = staged_files_;
    report_.files.insert(report_.files.end(), copied_files_.begin(), copied_files_.end());
    report_.files.insert(report_.files.end(), far_beside_.begin(), far_beside_.end());
    return std::move(report_);
  }

  std::span<const SaveTarget> targets_;
  const SaveRequest& request_;
  StagedFiles staged_;
  std::vector<Written> written_;           // by target
  std::vector<WrittenFile> staged_files_;  // in the order of the report
  std::vector<WrittenFile> copied_files_, far_beside_;
  std::deque<format::ExternalCopies> copies_;
  std::deque<AtomicFile> far_files_;
  SaveReport report_;
};

}  // namespace

SaveReport save_together(std::span<const SaveTarget> targets, const format::SharedWriter* shared,
                         const SaveRequest& request) {
  return Saving(targets, request).save(shared);
}

}  // namespace onnxpress
