// Reads the file, as a model or as rules.
#include "onnxpress/tasks/settings/custom_ops.h"

#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/tasks/files/load_model.h"

namespace onnxpress {

namespace {

constexpr const char* kHint = "docs/commands/infer.md shows how to describe an op";

ops::ShapeRules rules_in(const std::string& path) {
  try {
    const auto file = MappedFile::open(path, FileAccess::kRead);
    ops::ShapeRules rules = ops::ShapeRules::parse(file->bytes().view());
    if (rules.empty()) throw Error("", "it contains no rules", kHint);
    return rules;
  } catch (Error& error) {
    error.set_file(path);
    throw;
  }
}

}  // namespace

std::string CustomOps::read(const std::optional<std::string>& path) {
  if (!path) return {};
  if (!format_of_name(*path)) {
    rules_ = rules_in(*path);
    return {};
  }
  LoadedModel teacher = open_model(*path);
  if (teacher.model.functions.empty()) {
    Error error("", "it contains no functions", kHint);
    error.set_file(*path);
    throw error;
  }
  return format::encode_model(teacher.model);
}

CustomOps::CustomOps(Model& model, const std::optional<std::string>& path) : model_(model) {
  const std::string teacher = read(path);
  if (teacher.empty()) return;
  own_ = model.functions.size();
  changed_ = &model;
  format::add_functions(model, teacher);
}

CustomOps::CustomOps(const Model& model, const std::optional<std::string>& path) : model_(model) {
  const std::string teacher = read(path);
  if (!teacher.empty()) format::add_functions(copy_.emplace(model.clone()), teacher);
}

CustomOps::~CustomOps() {
  if (changed_) changed_->functions.resize(own_);
}

}  // namespace onnxpress
