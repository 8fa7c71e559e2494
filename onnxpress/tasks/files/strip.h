// Removes parts that a model does not need to run: names of nodes, documentation, metadata, declared types of inner
// values.
#pragma once

#include <cstdint>

#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress::tasks {

enum class Strippable : std::uint8_t { kNames, kDocs, kMetadata, kValueInfo };

template <>
struct Words<Strippable> {
  static constexpr std::pair<std::string_view, Strippable> kAll[] = {{"names", Strippable::kNames},
                                                                     {"docs", Strippable::kDocs},
                                                                     {"metadata", Strippable::kMetadata},
                                                                     {"value-info", Strippable::kValueInfo}};
};

struct StripOptions {
  static constexpr std::string_view kTitle = "Stripping";
  bool strip_names = false, strip_docs = false, strip_metadata = false, strip_value_info = false;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("strip_names", &StripOptions::strip_names,
          "remove the names of nodes (names of inputs, outputs and weights stay)");
    visit("strip_docs", &StripOptions::strip_docs, "remove all documentation strings");
    visit("strip_metadata", &StripOptions::strip_metadata, "remove metadata properties everywhere");
    visit("strip_value_info", &StripOptions::strip_value_info, "remove the declared types of values inside the graph");
  }

  void set(Strippable what) {
    strip_names |= what == Strippable::kNames;
    strip_docs |= what == Strippable::kDocs;
    strip_metadata |= what == Strippable::kMetadata;
    strip_value_info |= what == Strippable::kValueInfo;
  }
};

struct StripReport {
  std::uint64_t names = 0, docs = 0, metadata = 0, value_infos = 0;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("names", &StripReport::names, "names of nodes that were removed");
    visit("docs", &StripReport::docs, "documentation texts that were removed");
    visit("metadata", &StripReport::metadata, "metadata properties that were removed");
    visit("value_infos", &StripReport::value_infos, "declarations of inner values that were removed");
  }
};

// Works on the main graph, bodies, functions and training graphs. Parts with nothing to remove keep their bytes.
StripReport strip(Model& model, const StripOptions& options);

}  // namespace onnxpress::tasks
