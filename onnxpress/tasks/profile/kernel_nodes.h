// Which node of a model a kernel of ONNX Runtime stands for. Kernels have the name of a node, of a tensor, or one that
// the optimizer invented; the optimized model provides the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/engines/ort/kernel_times.h"
#include "onnxpress/ir/model.h"
#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress {

// "FusedConv" -> "Conv"
std::string_view op_inside(std::string_view kernel_op);

class KernelNodes {
 public:
  // `optimized` is the model after the runtime's optimizations, `nodes` the profile of the model's own nodes. All must
  // live as long as this object.
  KernelNodes(const Model& model, const Model& optimized, const std::vector<NodeProfile>& nodes);

  // Call this first, with all kernels: a node that has its own kernel is not part of another one.
  void tell(const std::vector<engines::KernelTime>& kernels);

  // The row in `nodes` of the kernel's node. A kernel that the runtime fused from several nodes belongs to the one with
  // the same operator, or else to one that does work.
  std::optional<std::size_t> find(const engines::KernelTime& kernel) const;
  // Rows of the other nodes that the kernel computes, in the order of the model: all nodes between what it reads and
  // what it computes, without its own row and without nodes that cost nothing at run time, because the runtime computes
  // them while loading. `owned` are the rows that kernels belong to: the walk stops at the node of another kernel.
  std::vector<std::size_t> covered(const engines::KernelTime& kernel,
                                   const std::unordered_set<std::size_t>& owned) const;

 private:
  const Node* maker(std::string_view tensor) const;
  // The name in the model of a result in the optimized model.
  std::string_view original(std::string_view tensor) const;
  void learn_names(const engines::KernelTime& kernel);
  std::optional<std::size_t> named(std::string_view name) const;
  std::optional<std::size_t> by_text(const std::string& kernel, std::string_view op, const Node* node, int depth) const;
  std::optional<std::size_t> by_tensor(std::string_view name, std::string_view op) const;

  const std::vector<NodeProfile>& nodes_;
  std::unordered_map<std::string_view, std::size_t> row_of_name_;
  std::unordered_map<const Node*, std::size_t> rows_;
  std::unordered_map<std::string_view, const Node*> makers_;   // by names of results
  std::unordered_map<std::string_view, const Node*> kernels_;  // nodes of the optimized model
  std::unordered_set<std::string_view> made_;                  // what these compute, by the names in the model
  std::unordered_map<std::size_t, const Node*> node_of_row_;
  std::unordered_map<std::string_view, std::string_view> originals_;  // optimized name -> name in the model
  std::unordered_set<std::size_t> alone_;                             // rows with a kernel of their own
};

}  // namespace onnxpress
