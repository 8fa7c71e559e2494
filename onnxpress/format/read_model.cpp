// Opens a model file and decodes its outermost message: versions, opsets, functions, training, metadata.
#include "onnxpress/format/read_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "onnxpress/base/error.h"
#include "onnxpress/base/read_ahead.h"
#include "onnxpress/format/decoder.h"
#include "onnxpress/format/onnx_fields.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::format {

void Singular::add(std::string_view occurrence) {
  if (!present()) {
    first_ = occurrence;
    return;
  }
  if (more_.empty()) more_ = first_;
  more_ += occurrence;
}

void Decoder::count(std::size_t objects) {
  objects_ += objects;
  if (objects_ > options_.limits.objects) {
    throw Error(
        "", fmt::format("the model has more than {} nodes, values, tensors and attributes", options_.limits.objects),
        "no real model does; the file is damaged or hostile");
  }
}

void Decoder::note(Note::Kind kind, std::string_view code, std::string where, std::string message) {
  note(Note{kind, code, std::move(where), std::move(message)});
}

void Decoder::note(Note note) {
  if (model_.notes.size() < kMaxNotes) {
    model_.notes.push_back(std::move(note));
  } else {
    ++notes_left_out_;
  }
}

void Decoder::decode_model(std::string_view message) {
  file_begin_ = message.data();
  Singular graph;
  std::vector<std::string_view> functions, trainings;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::model::kIrVersion:
        model_.ir_version = in.int64();
        break;
      case fields::model::kProducerName:
        model_.producer_name = in.bytes();
        break;
      case fields::model::kProducerVersion:
        model_.producer_version = in.bytes();
        break;
      case fields::model::kDomain:
        model_.domain = in.bytes();
        break;
      case fields::model::kModelVersion:
        model_.model_version = in.int64();
        break;
      case fields::model::kDocString:
        model_.doc = in.bytes();
        break;
      case fields::model::kGraph:
        graph.add(in.bytes());
        break;
      case fields::model::kOpsetImport:
        model_.opsets.push_back(decode_opset(in.bytes()));
        break;
      case fields::model::kMetadataProps:
        model_.metadata.push_back(decode_entry(in.bytes()));
        break;
      case fields::model::kTrainingInfo:
        trainings.push_back(in.bytes());
        break;
      case fields::model::kFunctions:
        functions.push_back(in.bytes());
        break;
      case fields::model::kConfiguration:
        model_.device_configurations.push_back(in.bytes());
        break;
      default:
        in.skip();
    }
  }
  model_.has_graph = graph.present();
  if (graph.present()) decode_graph(graph.view(arena_), model_.graph());
  add_missing_opsets();
  for (const std::string_view function : functions) decode_function(function, *model_.create_function());
  for (const std::string_view training : trainings) decode_training(training, *model_.create_training());
  if (notes_left_out_ > 0)
    model_.notes.push_back({Note::Kind::kRepair, "more", "", fmt::format("and {} more of this kind", notes_left_out_)});
}

void Decoder::decode_functions(std::string_view message) {
  file_begin_ = message.data();
  WireReader in = cursor(message);
  while (in.next()) {
    if (in.field() == fields::model::kFunctions) {
      decode_function(in.bytes(), *model_.create_function());
    } else {
      in.skip();
    }
  }
}

void Decoder::decode_function(std::string_view message, Function& function) {
  count();
  function.origin = message;
  GraphFields parts;
  parts.plain_names = true;
  std::vector<std::string_view> defaults;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::function::kName:
        function.name = in.bytes();
        break;
      case fields::function::kInput:
        parts.inputs.push_back(in.bytes());
        break;
      case fields::function::kOutput:
        parts.outputs.push_back(in.bytes());
        break;
      case fields::function::kAttribute:
        function.attribute_names.push_back(in.bytes());
        break;
      case fields::function::kAttributeProto:
        defaults.push_back(in.bytes());
        break;
      case fields::function::kNode:
        parts.nodes.push_back(in.bytes());
        break;
      case fields::function::kDocString:
        function.doc = in.bytes();
        break;
      case fields::function::kOpsetImport:
        function.opsets.push_back(decode_opset(in.bytes()));
        break;
      case fields::function::kDomain:
        function.domain = in.bytes();
        break;
      case fields::function::kOverload:
        function.overload = in.bytes();
        break;
      case fields::function::kValueInfo:
        parts.value_infos.push_back(in.bytes());
        break;
      case fields::function::kMetadataProps:
        function.metadata.push_back(decode_entry(in.bytes()));
        break;
      default:
        in.skip();
    }
  }
  try {
    for (const std::string_view each : defaults) function.attribute_defaults.push_back(decode_attribute(each));
    build_graph(parts, *function.body);
  } catch (Error& error) {
    error.add_outer_place(fmt::format("function {}", quote_name(function.name)));
    throw;
  }
  function.body->set_origin(message);
  function.changed = false;
}

void Decoder::decode_training(std::string_view message, TrainingInfo& training) {
  count();
  training.origin = message;
  Singular initialization, algorithm;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::training::kInitialization:
        initialization.add(in.bytes());
        break;
      case fields::training::kAlgorithm:
        algorithm.add(in.bytes());
        break;
      case fields::training::kInitializationBinding:
        training.initialization_binding.push_back(decode_entry(in.bytes()));
        break;
      case fields::training::kUpdateBinding:
        training.update_binding.push_back(decode_entry(in.bytes()));
        break;
      default:
        in.skip();
    }
  }
  const auto decode = [&](const Singular& graph) -> Graph* {
    if (!graph.present()) return nullptr;
    Graph* made = model_.create_body();
    made->set_changed_flag(&training.changed);
    decode_graph(graph.view(arena_), *made);
    return made;
  };
  training.initialization = decode(initialization);
  training.algorithm = decode(algorithm);
  training.changed = false;
}

OpsetImport Decoder::decode_opset(std::string_view message) {
  count();
  OpsetImport import;
  import.origin = message;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::opset::kDomain:
        import.domain = in.bytes();
        break;
      case fields::opset::kVersion:
        import.version = in.int64();
        break;
      default:
        in.skip();
    }
  }
  return import;
}

MetadataEntry Decoder::decode_entry(std::string_view message) {
  count();
  MetadataEntry entry;
  WireReader in = cursor(message);
  while (in.next()) {
    switch (in.field()) {
      case fields::entry::kKey:
        entry.key = in.bytes();
        break;
      case fields::entry::kValue:
        entry.value = in.bytes();
        break;
      default:
        in.skip();
    }
  }
  return entry;
}

// ONNX Runtime assumes version 1 for a domain that is used but not imported; functions of the model are found without
// an import.
void Decoder::add_missing_opsets() {
  std::unordered_set<std::string_view> known;
  for (const OpsetImport& import : model_.opsets) known.insert(normal_domain(import.domain));
  for (const std::string_view used : domains_) {
    const std::string_view domain = normal_domain(used);
    if (!known.insert(domain).second) continue;
    note(Note::Kind::kRepair, "missing-opset", "opset imports",
         fmt::format("domain {} is used but not imported; read as version 1",
                     quote_name(domain.empty() ? "ai.onnx" : domain)));
  }
}

Model read_model(Bytes encoded, const std::filesystem::path& folder, const ReadOptions& options) {
  Model model;
  model.origin = std::move(encoded);
  Decoder decoder(model, options, folder);
  decoder.decode_model(model.origin.view());
  model.set_unchanged();
  return model;
}

void add_functions(Model& model, std::string_view encoded, const ReadOptions& options) {
  Decoder(model, options, {}).decode_functions(model.arena().text(encoded));
}

Model read_model(const std::filesystem::path& path, const ReadOptions& options) {
  const auto file = MappedFile::open(path, options.access);
  try {
    if (file->size() == 0) throw Error("", "the file is empty", "export the model again");
    expect_scattered_reads(*file);
    Model model = read_model(file->bytes(), path.parent_path(), options);
    expect_ordinary_reads(*file);
    model.path = path;
    model.files.push_back(file);
    return model;
  } catch (Error& error) {
    error.set_file(path.string());
    throw;
  }
}

}  // namespace onnxpress::format
