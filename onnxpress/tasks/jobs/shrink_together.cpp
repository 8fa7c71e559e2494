// Shrinks every model by itself, then looks for equal content across all of them.
#include "onnxpress/tasks/jobs/shrink_together.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "onnxpress/analysis/duplicates.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/format/write_shared.h"
#include "onnxpress/tasks/files/save_together.h"
#include "onnxpress/tasks/jobs/shrink_file.h"
#include "onnxpress/tasks/report/cost_meter.h"
#include "onnxpress/tasks/report/json_report.h"
#include "onnxpress/tasks/shrink/check_shrunk.h"
#include "onnxpress/tasks/shrink/pipeline.h"
#include "onnxpress/tasks/verify/compare_outputs.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// The shared file must not replace a file that it is made from, or a model that is written next to it.
void require_free(const fs::path& shared, const std::vector<ShareJob>& jobs, const std::vector<LoadedModel>& models) {
  const auto refuse = [&shared](const std::string& what) {
    throw Error("option `share`", fmt::format("{} is {}", quote_name(shared.string()), what), "choose another name");
  };
  std::error_code ignored;
  const auto same = [&](const fs::path& path) {
    return path.lexically_normal() == shared.lexically_normal() || fs::equivalent(path, shared, ignored);
  };
  for (const ShareJob& job : jobs) {
    if (same(job.input)) refuse("one of the models");
    if (same(job.output)) refuse("the result of one of the models");
  }
  for (const LoadedModel& loaded : models) {
    for (const auto& file : loaded.model.external_files) {
      if (same(file->path())) refuse(fmt::format("the external data of {}, which it would overwrite", loaded.name));
    }
  }
}

format::SameContent same_content(const std::vector<LoadedModel>& models) {
  analysis::TensorList all;
  std::vector<std::shared_ptr<const MappedFile>> files;
  for (const LoadedModel& loaded : models) {
    const analysis::TensorList list = analysis::list_tensors(loaded.model);
    std::ranges::copy_if(list.entries, std::back_inserter(all.entries), [](const analysis::TensorEntry& entry) {
      return entry.role == analysis::TensorRole::kInitializer && entry.bytes >= format::SharedWriter::kLeastShared &&
             entry.tensor->type != ElementType::kString;
    });
    files.insert(files.end(), loaded.model.files.begin(), loaded.model.files.end());
  }
  const analysis::Duplicates duplicates = analysis::find_duplicates(all, files);
  format::SameContent same;
  const auto stands_for = [&same](const Tensor* tensor) {
    const auto found = same.find(tensor);
    return found == same.end() ? tensor : found->second;
  };
  // First the groups across types and shapes, which list one tensor of each, then those of equal tensors.
  for (const auto* groups : {&duplicates.same_bytes, &duplicates.same_tensor}) {
    for (const analysis::DuplicateGroup& group : *groups) {
      const Tensor* first = stands_for(all.entries[group.tensors.front()].tensor);
      for (const std::uint32_t i : group.tensors)
        first = same.contains(all.entries[i].tensor) ? same[all.entries[i].tensor] : first;
      for (const std::uint32_t i : group.tensors) same[all.entries[i].tensor] = first;
    }
  }
  return same;
}

std::vector<format::SharedWriter::Output> outputs_of(const std::vector<ShareJob>& jobs,
                                                     std::vector<LoadedModel>& models) {
  std::vector<format::SharedWriter::Output> outputs;
  for (std::size_t i = 0; i < jobs.size(); ++i) outputs.push_back({&models[i].model, jobs[i].output});
  return outputs;
}

void fill_sizes(const format::SharedWriter& writer, const std::vector<ShareJob>& jobs, ShareReport& report) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ShrinkReport& each = report.models[i];
    each.after = {writer.model_bytes(i), writer.used_bytes(i)};
    each.files = {{jobs[i].output, each.after.file}};
    report.before += each.before.total();
  }
  report.after = writer.total_bytes();
  report.shared.bytes = writer.external_bytes();
  report.shared.tensors = writer.stored_tensors();
  report.shared.references = writer.referring_tensors();
}

// For models where alignment costs more than sharing saves. This is rare, so reading all weights again does not matter.
void shrink_one_by_one(const std::vector<ShareJob>& jobs, const ShrinkOptions& options, const ConvertStreams& streams,
                       ShareReport& report) {
  report.shared = {};
  report.after = 0;
  report.unchanged = true;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    report.models[i] = shrink_file(jobs[i].input, jobs[i].output, options, streams);
    report.after += report.models[i].after.total();
    report.unchanged = report.unchanged && report.models[i].unchanged;
  }
}

// The models, and what shrinking each of them made.
struct Together {
  std::vector<LoadedModel> models;
  std::vector<ShrunkModel> made;
};

// Compares a result with its original, before it gets its final name.
void check(Model& written, const ShareJob& job, const ShrinkOptions& options, ShrinkReport& report) {
  Model original = open_model(job.input, options.load).model;
  require_same_after_shrinking(original, written, options.freeze);
  if (!options.verify) return;
  report.verified = true;
  begin_stage("running both models");
  original = open_model(job.input, options.load).model;
  Model fresh = open_model(written.path.string(), options.load).model;
  report.outputs = compare_outputs(options.engine, original, fresh);
}

Together shrink_each(const std::vector<ShareJob>& jobs, std::vector<LoadedModel> models, const ShrinkOptions& options,
                     const ConvertStreams& streams, ShareReport& report) {
  Together all{std::move(models), {}};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    try {
      all.made.push_back(run_pipeline(all.models[i].model, options, streams.progress));
    } catch (Error& error) {
      error.set_file(all.models[i].name);
      throw;
    }
    ShrinkReport& each = all.made.back().report;
    each.file = all.models[i].name;
    each.output = jobs[i].output;
    each.dry_run = options.dry_run;
    report.models.push_back(each);
  }
  return all;
}

void write_together(const std::vector<ShareJob>& jobs, Together& all, const std::string& shared_name,
                    const ShrinkOptions& options, const ConvertStreams& streams, ShareReport& report) {
  std::uint64_t alone = 0;
  for (const ShrunkModel& each : all.made) alone += std::min(each.report.before.total(), each.report.after.total());
  begin_stage("comparing weights of the models");
  const format::SharedWriter writer(outputs_of(jobs, all.models), shared_name, same_content(all.models));
  fill_sizes(writer, jobs, report);
  if (writer.total_bytes() >= alone) return shrink_one_by_one(jobs, options, streams, report);
  if (options.dry_run && !options.verify) return;
  std::vector<SaveTarget> targets;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    targets.push_back({.model = &all.models[i].model,
                       .output = jobs[i].output,
                       .check = [&, i](Model& written) { check(written, jobs[i], options, report.models[i]); },
                       .original = original_in(jobs[i].input, options.load)});
  }
  save_together(targets, &writer, {.dry_run = options.dry_run, .load = options.load, .progress = streams.progress});
}

}  // namespace

ShareReport shrink_together(const std::vector<ShareJob>& jobs, const std::string& shared_name,
                            const ShrinkOptions& options, const ConvertStreams& streams) {
  CostMeter cost;
  ShareReport report;
  report.dry_run = options.dry_run;
  std::vector<LoadedModel> models;
  models.reserve(jobs.size());
  begin_stage("reading");
  for (const ShareJob& job : jobs) models.push_back(open_model(job.input, options.load));
  report.shared.path = (fs::path(jobs.front().output).parent_path() / shared_name).string();
  require_free(report.shared.path, jobs, models);
  Together all = shrink_each(jobs, std::move(models), options, streams, report);
  write_together(jobs, all, shared_name, options, streams, report);
  cost.fill(report);
  return report;
}

std::string to_json(const ShareReport& report) { return json_text(report); }

}  // namespace onnxpress
