// The parts of find_differences(); internal to analysis/differences*.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "onnxpress/analysis/diff/differences.h"
#include "onnxpress/analysis/diff/differences_match.h"
#include "onnxpress/analysis/places.h"

namespace onnxpress::analysis {

// Two models, their matching, and the differences found so far.
class DiffContext {
 public:
  DiffContext(const Model& before, const Model& after, const DiffSettings& wanted)
      : settings(wanted),
        main_graph(&before.graph()),
        before_places(before),
        after_places(after),
        matching(before, after),
        after_positions(after.context().node_count) {}

  // Beyond the limit of a subject, differences are only counted.
  void add(Difference difference);
  void add(Change change, Subject subject, std::string where, std::string what, std::vector<Detail> details = {}) {
    add({change, subject, std::move(where), std::move(what), std::move(details), std::nullopt, {}});
  }
  Differences result() &&;

  const DiffSettings settings;
  const Graph* const main_graph;  // of the old model: its names are the model's interface
  const Places before_places, after_places;
  Matching matching;
  std::vector<std::uint32_t> after_positions;  // by node id: scratch space shared by all graphs

 private:
  std::array<std::vector<Difference>, kSubjectCount> kept_;
  Differences found_;
};

// Adds "what: before -> after" when the two differ.
void compare_texts(std::string_view what, std::string_view before, std::string_view after,
                   std::vector<Detail>& details);
void compare_docs(std::string_view before, std::string_view after, const std::string& where, const std::string& what,
                  DiffContext& context);
void compare_metadata(std::span<const MetadataEntry> before, std::span<const MetadataEntry> after,
                      const std::string& where, const std::string& what, DiffContext& context);
// Adds one difference if the members that both have are in a different order. `positions`: of the partners, in the
// order of `before`.
void compare_order(const std::vector<std::uint32_t>& positions, Subject subject, const std::string& where,
                   std::string_view noun, DiffContext& context);

// Compare type, shape and content.
void compare_tensors(const Tensor& before, const Tensor& after, const std::string& where, const std::string& what,
                     std::vector<Detail> details, DiffContext& context);
void compare_sparse(const SparseTensor& before, const SparseTensor& after, const std::string& where,
                    const std::string& what, std::vector<Detail> details, DiffContext& context);
std::string tensor_text(const Tensor& tensor);  // "float[2,3]"
// Compares the attributes of a node, or the defaults of a function (then `node` is null). Plain values become details;
// tensors and bodies are compared on their own.
void compare_attributes(std::span<Attribute* const> before, std::span<Attribute* const> after, const std::string& where,
                        const Node* node, std::vector<Detail>& details, DiffContext& context);
void compare_initializers(const Graph& before, const Graph& after, const std::string& where, DiffContext& context);
void compare_interface(const Graph& before, const Graph& after, const std::string& where, DiffContext& context);
void compare_value_infos(const Graph& before, const Graph& after, const std::string& where, DiffContext& context);
void compare_annotations(const Graph& before, const Graph& after, const std::string& where, DiffContext& context);
void compare_graphs(const Graph& before, const Graph& after, DiffContext& context);

}  // namespace onnxpress::analysis
