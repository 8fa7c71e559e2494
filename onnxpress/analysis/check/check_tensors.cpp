// Checks tensors: dims match the data, there is one data field, and indices of sparse tensors are sorted and in range.
#include <fmt/format.h>

#include <algorithm>

#include "onnxpress/analysis/check/check_parts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::analysis {

namespace {

using onnxpress::to_string;  // not the one for facts

class TensorChecker {
 public:
  explicit TensorChecker(FindingList& found) : found_(found) {}

  // `place` gives the place in words.
  template <typename Place>
  void check(const Tensor& tensor, const Place& place) {
    const auto add = [&](std::string_view code, std::string message) {
      found_.add(Severity::kError, code, place, std::move(message));
    };
    if (tensor.segmented) add("tensor-segment", "is only a segment of a tensor, which no reader supports");
    if (tensor.conflicting) add("tensor-conflict", conflict_text(tensor));
    if (!is_known(tensor.type)) {
      add("tensor-type", tensor.type == ElementType::kUndefined
                             ? "has no element type"
                             : fmt::format("element type {} does not exist", static_cast<std::int32_t>(tensor.type)));
    } else if (!tensor.element_count()) {
      const bool negative =
          std::any_of(tensor.dims.begin(), tensor.dims.end(), [](std::int64_t dim) { return dim < 0; });
      add("tensor-dims", fmt::format("shape {} {}", to_string(tensor.dims),
                                     negative ? "has a negative dimension" : "has more than 2^64 elements"));
    } else if (const std::string problem = has_no_content(tensor) ? "" : size_problem(tensor); !problem.empty()) {
      add("tensor-size", problem);
    }
  }

  template <typename Place>
  void check(const SparseTensor& sparse, const Place& place);

 private:
  // True when the data is in a field for other types only.
  static bool has_no_content(const Tensor& tensor) {
    return tensor.conflicting && std::holds_alternative<std::monostate>(tensor.content);
  }
  static std::string conflict_text(const Tensor& tensor) {
    return has_no_content(tensor) ? fmt::format("its data is in a field that is not for {}", name_of(tensor.type))
                                  : "has data in more than one field, or in the wrong one";
  }
  static std::string size_problem(const Tensor& tensor);
  static std::string index_problem(const SparseTensor& sparse, std::uint64_t nnz);

  FindingList& found_;
};

// Empty when the content has the size that type and dims require. check_external() checks external ranges.
std::string TensorChecker::size_problem(const Tensor& tensor) {
  const std::string shape = to_string(tensor.type, tensor.dims);
  if (tensor.type == ElementType::kString) {
    if (tensor.storage == Storage::kExternal) return "strings cannot be stored as external data";
    const std::size_t has = tensor.strings().size();
    return has == *tensor.element_count()
               ? ""
               : fmt::format("{} needs {} strings, but has {}", shape, *tensor.element_count(), has);
  }
  const auto needs = tensor.expected_bytes();
  if (!needs) return fmt::format("{} is larger than 2^64 bytes", shape);
  if (tensor.storage == Storage::kExternal) return "";
  try {
    const std::uint64_t has = tensor.stored_bytes();
    return has == *needs ? "" : fmt::format("{} needs {} bytes, but has {}", shape, *needs, has);
  } catch (const Error& error) {
    return fmt::format("its data is damaged: {}", error.message());
  }
}

// --- Sparse tensors

// Walks the indices without collecting them when they are a plain range of bytes.
std::string TensorChecker::index_problem(const SparseTensor& sparse, std::uint64_t nnz) {
  const std::size_t rank = sparse.dims.size();
  const bool linear = sparse.indices->dims.size() == 1;
  const std::uint64_t total = *product_of(sparse.dims);
  const Bytes indices = sparse.indices->bytes();
  std::optional<std::uint64_t> previous;
  for (std::uint64_t i = 0; i < nnz; ++i) {
    std::uint64_t at = 0;
    if (linear) {
      at = static_cast<std::uint64_t>(indices.load<std::int64_t>(i));
      if (at >= total)
        return fmt::format("index {} is {}, outside of the {} elements", i, indices.load<std::int64_t>(i), total);
    }
    for (std::size_t axis = 0; !linear && axis < rank; ++axis) {
      const auto part = indices.load<std::int64_t>(i * rank + axis);
      if (part < 0 || part >= sparse.dims[axis]) {
        return fmt::format("index {} is {} on axis {}, which has size {}", i, part, axis, sparse.dims[axis]);
      }
      at = at * static_cast<std::uint64_t>(sparse.dims[axis]) + static_cast<std::uint64_t>(part);
    }
    if (previous && at <= *previous) {
      return fmt::format("index {} is {} the one before it", i, at == *previous ? "the same as" : "smaller than");
    }
    previous = at;
  }
  return "";
}

template <typename Place>
void TensorChecker::check(const SparseTensor& sparse, const Place& place) {
  const auto add = [&](std::string_view code, std::string message) {
    found_.add(Severity::kError, code, place, std::move(message));
  };
  if (!sparse.values) return add("sparse-values", "the sparse tensor has no values");
  check(*sparse.values, [&] { return place() + ", values"; });
  if (sparse.indices) check(*sparse.indices, [&] { return place() + ", indices"; });

  const bool positive = std::all_of(sparse.dims.begin(), sparse.dims.end(), [](std::int64_t dim) { return dim > 0; });
  if (sparse.dims.empty() || !positive) {
    return add("sparse-dims", fmt::format("a sparse tensor cannot have the shape {}", to_string(sparse.dims)));
  }
  if (!product_of(sparse.dims))
    return add("sparse-dims", fmt::format("shape {} has more than 2^64 elements", to_string(sparse.dims)));
  const auto nnz = sparse.values->element_count();
  if (sparse.values->dims.size() != 1 || !nnz) {
    return add("sparse-values",
               fmt::format("values must be a list, but have the shape {}", to_string(sparse.values->dims)));
  }
  if (*nnz > *product_of(sparse.dims)) {
    return add("sparse-values", fmt::format("{} values do not fit in shape {}", *nnz, to_string(sparse.dims)));
  }
  if (!sparse.indices) {
    if (*nnz != 0) add("sparse-indices", fmt::format("there are {} values, but no indices", *nnz));
    return;
  }
  const std::span<const std::int64_t> shape = sparse.indices->dims;
  const auto count = static_cast<std::int64_t>(*nnz), rank = static_cast<std::int64_t>(sparse.dims.size());
  const bool fits =
      (shape.size() == 1 && shape[0] == count) || (shape.size() == 2 && shape[0] == count && shape[1] == rank);
  if (sparse.indices->type != ElementType::kInt64 || !fits) {
    return add("sparse-indices", fmt::format("indices must be int64[{0}] or int64[{0},{1}], not {2}", count, rank,
                                             to_string(sparse.indices->type, shape)));
  }
  try {
    if (const std::string problem = index_problem(sparse, *nnz); !problem.empty()) add("sparse-indices", problem);
  } catch (const Error&) {
    // A wrong size or an unreadable external file is reported by the check it belongs to.
  }
}

// Checks the tensors of an attribute; the place of a tensor in a list includes its index.
template <typename Place>
void check_attribute(const Attribute& attribute, TensorChecker& checker, const Place& place) {
  const auto each = [&](const auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      checker.check(*list[i], [&] { return fmt::format("{}[{}]", place(), i); });
  };
  if (const auto* tensor = std::get_if<Tensor*>(&attribute.value)) checker.check(**tensor, place);
  if (const auto* sparse = std::get_if<SparseTensor*>(&attribute.value)) checker.check(**sparse, place);
  if (const auto* tensors = std::get_if<std::span<Tensor* const>>(&attribute.value)) each(*tensors);
  if (const auto* sparse = std::get_if<std::span<SparseTensor* const>>(&attribute.value)) each(*sparse);
}

}  // namespace

void check_tensors(const Model& model, FindingList& found) {
  TensorChecker checker(found);
  for_each_graph(model, [&](const Graph& graph) {
    for (const Value* value : graph.initializers()) {
      checker.check(*value->initializer(), [&] { return found.places.initializer(graph, value->name()); });
    }
    for (const Value* value : graph.sparse_initializers()) {
      checker.check(*value->sparse_initializer(), [&] { return found.places.initializer(graph, value->name()); });
    }
    for (const Node& node : graph.nodes()) {
      for (const Attribute* attribute : node.attributes()) {
        check_attribute(*attribute, checker, [&] { return found.places.of(node, *attribute); });
      }
    }
  });
  for (const Function* function : model.functions) {
    for (const Attribute* attribute : function->attribute_defaults) {
      check_attribute(*attribute, checker, [&] {
        return fmt::format("{}, attribute {}", found.places.of(*function->body), quote_name(attribute->name));
      });
    }
  }
}

}  // namespace onnxpress::analysis
