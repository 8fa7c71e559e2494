// The fields of the structs in onnxpress/files.h. Made by scripts/update_fields: do not edit.
#pragma once

// clang-format off

#include "onnxpress/files.h"
#include "onnxpress/tasks/report/field_lists/options.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

template <>
struct Words<ModelForm> {
  static constexpr std::pair<std::string_view, ModelForm> kAll[] = {
      {"onnx", ModelForm::kOnnx},
      {"text", ModelForm::kText},
      {"json", ModelForm::kJson},
  };
};

template <>
struct Fields<LoadOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("no_mmap", &LoadOptions::no_mmap, "read files into memory instead of mapping them, for files that may change while they are read");
    visit("allow_outside_paths", &LoadOptions::allow_outside_paths, "allow external data outside the model's folder; only for models that you trust");
  }
};

template <>
struct Fields<WrittenFile> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("path", &WrittenFile::path, "path of the file; `-` is standard output");
    visit("bytes", &WrittenFile::bytes, "its size");
  }
};

template <>
struct Words<Strippable> {
  static constexpr std::pair<std::string_view, Strippable> kAll[] = {
      {"names", Strippable::kNames},
      {"docs", Strippable::kDocs},
      {"metadata", Strippable::kMetadata},
      {"value-info", Strippable::kValueInfo},
  };
};

template <>
struct Fields<StripOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("strip_names", &StripOptions::strip_names, "remove the names of nodes (names of inputs, outputs and weights stay)");
    visit("strip_docs", &StripOptions::strip_docs, "remove all documentation strings");
    visit("strip_metadata", &StripOptions::strip_metadata, "remove metadata properties everywhere");
    visit("strip_value_info", &StripOptions::strip_value_info, "remove the declared types of values inside the graph");
  }
};

template <>
struct Fields<StripReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("names", &StripReport::names, "names of nodes that were removed");
    visit("docs", &StripReport::docs, "documentation texts that were removed");
    visit("metadata", &StripReport::metadata, "metadata properties that were removed");
    visit("value_infos", &StripReport::value_infos, "declarations of inner values that were removed");
  }
};

template <>
struct Fields<WeightOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("external_data", &WeightOptions::external_data, "put large weights into a file next to the output (default: OUTPUT.data)");
    visit("external_threshold", &WeightOptions::external_threshold, "weights smaller than this stay inside (default 1024)");
    visit("external_attributes", &WeightOptions::external_attributes, "also move tensors out of Constant nodes and other attributes");
    visit("single_file", &WeightOptions::single_file, "move weights from external files into the output");
    visit("overwrite_external", &WeightOptions::overwrite_external, "replace existing files when external files are copied to another folder");
  }
};

template <>
struct Fields<ConvertOptions> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("to", &ConvertOptions::to, "form of the output, regardless of its name");
    visit("elide", &ConvertOptions::elide, "text: shorten tensors with more elements than this");
    visit("repair", &ConvertOptions::repair, "write the repairs made while reading: sorted nodes, missing opset imports");
    visit("encode_anew", &ConvertOptions::encode_anew, "encode everything again, in canonical form, instead of copying unchanged parts");
    visit("", &ConvertOptions::weights, "");
    visit("", &ConvertOptions::strip, "");
    visit("", &ConvertOptions::load, "");
  }
};

template <>
struct Fields<ConvertReport> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("input", &ConvertReport::input, "path of the input");
    visit("output", &ConvertReport::output, "path of the output");
    visit("from", &ConvertReport::from, "form of the input: `onnx`, `text` or `json`");
    visit("to", &ConvertReport::to, "form of the output");
    visit("input_bytes", &ConvertReport::input_bytes, "size of the input, without external files");
    visit("files", &ConvertReport::files, "files that were written, the model first");
    visit("moved_to_external", &ConvertReport::moved_to_external, "true if weights moved to an external file because the file would be over 2 GiB");
    visit("kept_inside", &ConvertReport::kept_inside, "tensors over the threshold that stay inside because shape inference reads them");
    visit("repairs", &ConvertReport::repairs, "with option `repair`: repairs that were written to the output");
    visit("sorted_graphs", &ConvertReport::sorted_graphs, "graphs whose nodes were unsorted in the input and are sorted in the output");
    visit("header", &ConvertReport::header, "of a text without a header: the IR version and the opsets that were chosen for it; empty otherwise");
    visit("stripped", &ConvertReport::stripped, "what was removed");
    visit("lost", &ConvertReport::lost, "what the output cannot hold, or no longer holds");
  }
};

template <>
struct Words<Compressor> {
  static constexpr std::pair<std::string_view, Compressor> kAll[] = {
      {"gzip", Compressor::kGzip},
      {"brotli", Compressor::kBrotli},
      {"zstd", Compressor::kZstd},
  };
};

template <>
struct Fields<CompressedSizes> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    visit("gzip", &CompressedSizes::gzip, "after gzip -9");
    visit("brotli", &CompressedSizes::brotli, "after brotli -q 11");
    visit("zstd", &CompressedSizes::zstd, "after zstd -19");
  }
};

}  // namespace onnxpress
