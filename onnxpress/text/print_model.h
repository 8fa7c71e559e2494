/// \file
/// Writes a model, a graph or a node in the ONNX text syntax, for users, diffs, messages and golden tests.
/// docs/reference/text.md describes it.
///
/// print(parse(t)) == t for every t that print_model() wrote. The official parser reads the same model from it,
/// except for the extensions that docs/reference/text.md lists.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/ir/model.h"

namespace onnxpress::text {

/// How much the text shows.
struct PrintOptions {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// Tensors with more elements show their first few, the number of the others and the XXH3 hash of all. Strings, and
  /// tensors in external files, are never elided.
  std::uint64_t elide_above = kNever;
  /// Extension: writes float16 and smaller floats as numbers instead of bit patterns, and 4- and 2-bit types element by
  /// element.
  bool small_types_as_values = false;
  /// Writes bodies of If, Loop and Scan as {...}, for messages; such text cannot be parsed.
  bool hide_bodies = false;
};

/// `lost` receives one line for each part of the model that the text cannot show. The sink receives the text in pieces,
/// so memory does not grow with the weights.
using TextSink = std::function<void(std::string_view piece)>;
void print_model(const Model& model, const TextSink& sink, const PrintOptions& options = {},
                 std::vector<std::string>* lost = nullptr);
std::string print_model(const Model& model, const PrintOptions& options = {}, std::vector<std::string>* lost = nullptr);
/// The result does not end with a line break.
std::string print_graph(const Graph& graph, const PrintOptions& options = {});
std::string print_node(const Node& node, const PrintOptions& options = {});

}  // namespace onnxpress::text
