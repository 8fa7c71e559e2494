// Moves the tensor out of the node. Numbers and lists (value_float, value_ints, ...) become tensors first.
#include "onnxpress/passes/whole/constants_to_initializers.h"

#include <unordered_map>
#include <vector>

#include "onnxpress/analysis/tensor_list.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/whole/scopes.h"

namespace onnxpress::passes {

namespace {

// Whether the content has the size that type and dims require. Encoding a damaged tensor again would change it.
bool is_whole(const Tensor& tensor) {
  if (tensor.type == ElementType::kString) return tensor.strings().size() == tensor.element_count();
  try {
    return tensor.stored_bytes() == tensor.expected_bytes();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::uint64_t constants_to_initializers(Model& model) {
  if (!has_plain_initializers(model) || !model.training.empty()) return 0;
  const Scopes scopes(model);
  const analysis::TensorList list = analysis::list_tensors(model);
  Arena& arena = model.arena();
  std::uint64_t changed = 0;
  for (const analysis::TensorEntry& entry : list.entries) {
    if (entry.role != analysis::TensorRole::kConstant || !entry.value || !scopes.is_constant(*entry.value)) continue;
    if (!entry.value->is_used()) continue;  // its op version is unknown, or remove_dead removed it already
    if (entry.value->producer()->input_count() > 0) continue;  // not a valid Constant: its operands would become dead
    if (!is_whole(*entry.tensor)) continue;
    Graph& graph = *entry.value->graph();
    if (&root_of(graph) != &model.graph() || scopes.must_stay(*entry.value)) continue;
    auto* tensor = arena.make<Tensor>(*entry.tensor);
    tensor->dims = arena.copy(entry.tensor->dims);
    tensor->changed = true;
    if (!tensor->origin.data() && tensor->storage == Storage::kRaw) tensor->storage = Storage::kMade;
    graph.erase(*entry.value->producer());
    graph.add_initializer(entry.value, tensor);
    ++changed;
  }
  return changed;
}

}  // namespace onnxpress::passes
