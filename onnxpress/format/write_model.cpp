// Plans where the weights go, encodes the model, and puts the files in place: external data first, the model last.
#include "onnxpress/format/write_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/encoder.h"
#include "onnxpress/format/external_files.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/ir/duplicate_names.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::format {

namespace fs = std::filesystem;

namespace {

// What will be written, decided before any file is created.
struct Plan {
  TensorMoves moves;
  std::vector<const Tensor*> external_order;
  std::uint64_t kept_inside = 0;
  Rope message;
  bool moved_to_external = false;

  std::uint64_t external_bytes() const {
    if (external_order.empty()) return 0;
    const TensorMoves::Slot& last = moves.out.at(external_order.back());
    return last.offset + last.length;
  }
};

void plan_moves_out(Model& model, std::uint64_t threshold, bool attributes_too, const WriteOptions& options,
                    Plan& plan) {
  plan.moves.in.clear();
  ExternalPlan external = plan_external(model, threshold, attributes_too, options.stays_inside, plan.moves);
  plan.external_order = std::move(external.order);
  plan.kept_inside = external.kept_inside;
  plan.message = Encoder(options.encode_anew, &plan.moves).encode_model(model);
}

Plan make_plan(Model& model, const std::string& external_name, const WriteOptions& options) {
  Plan plan;
  plan.moves.external_location = external_name;
  switch (options.weights) {
    case WriteOptions::Weights::kKeep:
      plan.message = Encoder(options.encode_anew).encode_model(model);
      break;
    case WriteOptions::Weights::kSingleFile:
      plan_single_file(model, plan.moves);
      plan.message = Encoder(options.encode_anew, &plan.moves).encode_model(model);
      break;
    case WriteOptions::Weights::kExternal:
      plan_moves_out(model, options.external_threshold, options.external_attributes, options, plan);
      break;
  }
  if (plan.message.size() <= kMaxMessageBytes) return plan;
  // No protobuf reader accepts a message of this size, so weights must move out: first initializers, then tensors in
  // attributes, too.
  constexpr std::uint64_t kAnySize = 1024;
  for (const bool attributes_too : {false, true}) {
    plan = Plan();
    plan.moves.external_location = external_name;
    plan.moved_to_external = options.weights != WriteOptions::Weights::kExternal;
    plan_moves_out(model, kAnySize, attributes_too, options, plan);
    if (plan.message.size() <= kMaxMessageBytes) return plan;
  }
  throw Error("",
              fmt::format("without its weights the model still takes {} bytes; protobuf readers stop at {}",
                          plan.message.size(), kMaxMessageBytes),
              "remove documentation and metadata first");
}

bool same_folder(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a.empty() ? fs::path(".") : a, b.empty() ? fs::path(".") : b, error);
}

// Weights that stay in their files must not be in the file that the model replaces.
void require_not_kept(const Model& model, const fs::path& path) {
  const fs::path folder = path.parent_path();
  for (const auto& file : model.external_files) {
    std::error_code ignored;
    const fs::path kept = folder / file->location();
    if (kept.lexically_normal() != path.lexically_normal() && !fs::equivalent(kept, path, ignored)) continue;
    throw Error(fmt::format("external data {}", quote_name(file->location())),
                "is the output file itself, which would destroy these weights",
                "choose another output, or move the weights with option `external_data` or option `single_file`");
  }
}

WriteReport write_files(Model& model, const fs::path& path, const WriteOptions& options) {
  const std::string external_name =
      options.external_name.empty() ? path.filename().string() + ".data" : options.external_name;
  if (options.weights == WriteOptions::Weights::kExternal) {
    require_contained_location(external_name);
    if (fs::path(external_name).lexically_normal() == path.filename()) {
      throw Error("", "the model and its external data cannot be the same file",
                  "choose another name with option `external_data`");
    }
  }
  require_clear_names_if_changed(model);
  name_values(model);
  const Plan plan = make_plan(model, external_name, options);

  if (options.weights == WriteOptions::Weights::kKeep && !plan.moved_to_external)
    require_not_kept(model, options.final_folder ? *options.final_folder / path.filename() : path);

  WriteReport report;
  report.moved_to_external = plan.moved_to_external;
  report.file_bytes = plan.message.size();
  report.external_bytes = plan.external_bytes();
  report.kept_inside = plan.kept_inside;
  report.files.push_back(path);
  Progress progress(options.progress, report.file_bytes + report.external_bytes);

  AtomicFile file(path);
  std::optional<AtomicFile> external;
  if (!plan.external_order.empty()) {
    external.emplace(path.parent_path(), external_name);
    for (const Tensor* tensor : plan.external_order) {
      const TensorMoves::Slot& slot = plan.moves.out.at(tensor);
      external->skip_to(slot.offset);
      write_content(*external, model, *tensor, slot.length, progress);
    }
    report.files.push_back(path.parent_path() / external_name);
  }
  write_message(file, model, plan.message, progress);
  // Files that stay external must be next to the new model before it appears.
  if (options.weights == WriteOptions::Weights::kKeep && !plan.moved_to_external && !options.final_folder &&
      !same_folder(path.parent_path(), model.path.parent_path())) {
    ExternalCopies copies(model, path.parent_path(), options.overwrite_external);
    for (const ExternalCopies::Copy& copy : copies.copies()) {
      report.files.push_back(copy.path);
      report.external_bytes += copy.bytes;
    }
    file.sync();
    copies.commit();
  }
  // The two files cannot appear at the same time, but without a slow sync in between they appear almost at once.
  if (external) {
    external->sync();
    file.sync();
    external->commit();
  }
  file.commit();
  progress.finish();
  return report;
}

}  // namespace

WriteReport write_model(Model& model, const fs::path& path, const WriteOptions& options) {
  try {
    return write_files(model, path, options);
  } catch (Error& error) {
    error.set_file(path.string());
    throw;
  }
}

EncodedSize encoded_size(const Model& model) {
  EncodedSize size;
  const std::optional<Model> named = named_copy(model);  // names count
  size.message = Encoder(false).encode_model(named ? *named : model).size();
  std::set<std::pair<const ExternalFile*, std::uint64_t>> seen;  // tensors may share a range
  for_each_tensor(model, [&](const Tensor& tensor, const TensorPlace&) {
    const auto* range = std::get_if<FileRange>(&tensor.content);
    if (range && seen.emplace(range->file.get(), range->offset).second) size.external += tensor.stored_bytes();
  });
  return size;
}

std::string encode_model(Model& model, bool encode_anew) {
  name_values(model);
  return encode_model(std::as_const(model), encode_anew);
}

std::string encode_model(const Model& given, bool encode_anew) {
  require_clear_names_if_changed(given);
  const std::optional<Model> named = named_copy(given);
  const Model& model = named ? *named : given;
  const Rope message = Encoder(encode_anew).encode_model(model);
  std::string out;
  out.reserve(message.size());
  const auto collect = [&out](std::string_view piece) {
    piece.data() ? out.append(piece) : out.append(piece.size(), '\0');
  };
  message.visit({.small = collect, .large = [&](const Rope::Splice& splice) {
                   if (const auto* view = std::get_if<std::string_view>(&splice.content)) {
                     out.append(*view);
                   } else if (const auto* range = std::get_if<FileRange>(&splice.content)) {
                     out.append(range->file->open().bytes().slice(range->offset, splice.size).view());
                   } else {
                     std::get<std::shared_ptr<const ByteStream>>(splice.content)->produce(collect);
                   }
                 }});
  return out;
}

}  // namespace onnxpress::format
