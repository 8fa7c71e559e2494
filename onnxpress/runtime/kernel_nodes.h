// Which node of a model a kernel of ONNX Runtime stands for. Kernels have the name of a node, of a tensor, or one that
// the optimizer invented; the optimized model provides the rest.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "onnxpress/ir/model.h"
#include "onnxpress/runtime/kernel_times.h"
#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress::runtime {

// "FusedConv" -> "Conv"
std::string_view op_inside(std::string_view kernel_op);

class KernelNodes {
 public:
  // `optimized` is the model as the runtime changed it, `nodes` the profile of the model's own nodes. All must live as
  // long as this.
  KernelNodes(const Model& model, const Model& optimized, const std::vector<tasks::NodeProfile>& nodes);

  // Kernels that there are: what runs by itself is no part of another one.
  void tell(const std::vector<KernelTime>& kernels);

  // The row of its node among `nodes`. A kernel that the runtime made from several nodes belongs to the one of its
  // operator or else to one with work.
  std::optional<std::size_t> find(const KernelTime& kernel) const;
  // Rows of the nodes that the kernel computes, in the order of the model: all nodes between what it reads and
  // what it makes. Nodes that the runtime computed while loading are none.
  // `owned` are the rows that kernels belong to: another kernel's node is where this one ends.
  std::vector<std::size_t> covered(const KernelTime& kernel, const std::unordered_set<std::size_t>& owned) const;

 private:
  const Node* maker(std::string_view tensor) const;
  // The name that the model has for a result of the optimized one.
  std::string_view original(std::string_view tensor) const;
  void learn_names(const KernelTime& kernel);
  std::optional<std::size_t> named(std::string_view name) const;
  std::optional<std::size_t> by_text(const std::string& kernel, std::string_view op, const Node* node, int depth) const;
  std::optional<std::size_t> by_tensor(std::string_view name, std::string_view op) const;

  const std::vector<tasks::NodeProfile>& nodes_;
  std::unordered_map<std::string_view, std::size_t> row_of_name_;
  std::unordered_map<const Node*, std::size_t> rows_;
  std::unordered_map<std::string_view, const Node*> makers_;   // by names of results
  std::unordered_map<std::string_view, const Node*> kernels_;  // nodes of the optimized model
  std::unordered_set<std::string_view> made_;                  // what these make, by the names of the model
  std::unordered_map<std::size_t, const Node*> node_of_row_;
  std::unordered_map<std::string_view, std::string_view> originals_;  // names of results in another layout
  std::unordered_set<std::size_t> alone_;                             // rows with a kernel of their own
};

}  // namespace onnxpress::runtime
