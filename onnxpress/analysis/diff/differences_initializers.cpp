// Compares matching initializers and other tensors: name, type, shape and content.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <unordered_map>

#include "onnxpress/analysis/diff/differences_parts.h"
#include "onnxpress/base/error.h"

namespace onnxpress::analysis {

std::string tensor_text(const Tensor& tensor) { return to_string(tensor.type, tensor.dims); }

namespace {

// Tensors whose encoded bytes in the files are equal have the same content, so nothing has to be decoded.
bool same_encoding(const Tensor& a, const Tensor& b) {
  const bool inside = a.storage != Storage::kExternal && b.storage != Storage::kExternal;
  return inside && !a.changed && !b.changed && a.origin.data() && b.origin.data() && a.origin == b.origin;
}

bool is_unknown(const Tensor& tensor) {
  const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&tensor.content);
  return stream && !(*stream)->is_known();
}

std::optional<std::uint64_t> hash_of(const Tensor& tensor) {
  if (is_unknown(tensor)) return std::get<std::shared_ptr<const ByteStream>>(tensor.content)->hash();
  const Bytes bytes = tensor.bytes();
  return XXH3_64bits(bytes.data(), bytes.size());
}

// Elided ONNX text holds only the hashes of its tensors, which is enough to see that nothing changed.
bool same_by_hash(const Tensor& before, const Tensor& after) {
  if (!is_unknown(before) && !is_unknown(after)) return false;
  if (before.type != after.type || before.type == ElementType::kString) return false;
  const auto a = hash_of(before), b = hash_of(after);
  return a && a == b;
}

// Compares the content if type and shape allow it. A tensor that cannot be read counts as a difference.
void compare_content(const Tensor& before, const Tensor& after, Difference& difference, const DiffContext& context) {
  try {
    if (same_by_hash(before, after)) return;
    const auto distance = distance_between(before, after, context.settings.tolerance);
    if (!distance) return;
    if (distance->differing > 0) {
      difference.distance = distance;
      difference.dims.assign(before.dims.begin(), before.dims.end());
    }
  } catch (const Error& error) {
    difference.details.push_back({"content", "cannot be compared: " + std::string(error.what()), ""});
  }
}

}  // namespace

void compare_tensors(const Tensor& before, const Tensor& after, const std::string& where, const std::string& what,
                     std::vector<Detail> details, DiffContext& context) {
  compare_docs(before.doc, after.doc, where, what, context);
  compare_metadata(before.metadata, after.metadata, where, what, context);
  const bool renamed_only = !details.empty() && details.size() == 1 && details.front().what == "name";
  Difference difference{renamed_only ? Change::kRenamed : Change::kChanged,
                        Subject::kTensor,
                        where,
                        what,
                        std::move(details),
                        std::nullopt};
  const std::size_t known = difference.details.size();
  const bool same_shape = std::equal(before.dims.begin(), before.dims.end(), after.dims.begin(), after.dims.end());
  if (before.type != after.type || !same_shape)
    difference.details.push_back({"type", tensor_text(before), tensor_text(after)});
  if (!same_encoding(before, after)) compare_content(before, after, difference, context);
  if (difference.details.size() > known || difference.distance) difference.change = Change::kChanged;
  if (!difference.details.empty() || difference.distance) context.add(std::move(difference));
}

void compare_sparse(const SparseTensor& before, const SparseTensor& after, const std::string& where,
                    const std::string& what, std::vector<Detail> details, DiffContext& context) {
  if (!std::equal(before.dims.begin(), before.dims.end(), after.dims.begin(), after.dims.end())) {
    details.push_back({"shape", to_string(before.dims), to_string(after.dims)});
  }
  const auto compare = [&](const Tensor* a, const Tensor* b, std::string_view part) {
    if (a && b) {
      compare_tensors(*a, *b, where, fmt::format("{}, {}", what, part), {}, context);
    } else if (a || b) {
      details.push_back({std::string(part), a ? tensor_text(*a) : "nothing", b ? tensor_text(*b) : "nothing"});
    }
  };
  compare(before.values, after.values, "values");
  compare(before.indices, after.indices, "indices");
  if (details.empty()) return;
  const bool renamed_only = details.size() == 1 && details.front().what == "name";
  context.add(renamed_only ? Change::kRenamed : Change::kChanged, Subject::kTensor, where, what, std::move(details));
}

namespace {

std::string label(const Value& value) {
  const std::string_view kind = value.producer()             ? "Constant"
                                : value.sparse_initializer() ? "sparse initializer"
                                                             : "initializer";
  return fmt::format("{} {}", kind, quote_name(value.name()));
}

std::string text_of(const Value& value) {
  if (const SparseTensor* sparse = value.sparse_initializer())
    return fmt::format("{} {}", label(value), to_string(sparse->dims));
  return fmt::format("{} {}", label(value), tensor_text(*value.initializer()));
}

void compare_pair(const Value& before, const Value& after, const std::string& where, DiffContext& context) {
  std::vector<Detail> details;
  if (context.settings.names) compare_texts("name", before.name(), after.name(), details);
  if (before.sparse_initializer() && after.sparse_initializer()) {
    return compare_sparse(*before.sparse_initializer(), *after.sparse_initializer(), where, label(before),
                          std::move(details), context);
  }
  // An input with a default value also has a tensor, which constant_of() does not return.
  const Tensor* a = before.initializer() ? before.initializer() : constant_of(before);
  const Tensor* b = after.initializer() ? after.initializer() : constant_of(after);
  if ((before.producer() == nullptr) != (after.producer() == nullptr))
    details.push_back({"stored as", label(before), label(after)});
  if (a && b) return compare_tensors(*a, *b, where, label(before), std::move(details), context);
  if (a || b || before.sparse_initializer() || after.sparse_initializer()) {
    context.add(a || before.sparse_initializer() ? Change::kRemoved : Change::kAdded, Subject::kTensor, where,
                a || before.sparse_initializer() ? text_of(before) : text_of(after), std::move(details));
  }
}

std::vector<const Value*> all_of(const Graph& graph) {
  std::vector<const Value*> all(graph.initializers().begin(), graph.initializers().end());
  all.insert(all.end(), graph.sparse_initializers().begin(), graph.sparse_initializers().end());
  return all;
}

}  // namespace

void compare_initializers(const Graph& before, const Graph& after, const std::string& where, DiffContext& context) {
  const Matching& matching = context.matching;
  const std::vector<const Value*> old = all_of(before), now = all_of(after);
  std::vector<std::uint32_t> positions;
  std::unordered_map<const Value*, std::uint32_t> place_of;
  for (std::uint32_t i = 0; i < now.size(); ++i) place_of.emplace(now[i], i);
  for (const Value* value : old) {
    const Value* partner = matching.after(*value);
    if (!partner) {
      context.add(Change::kRemoved, Subject::kTensor, where, text_of(*value));
      continue;
    }
    compare_pair(*value, *partner, where, context);
    if (const auto at = place_of.find(partner); at != place_of.end()) positions.push_back(at->second);
  }
  for (const Value* value : now) {
    const Value* partner = matching.before(*value);
    if (!partner) {
      context.add(Change::kAdded, Subject::kTensor, where, text_of(*value));
    } else if (!partner->initializer() && !partner->sparse_initializer()) {
      compare_pair(*partner, *value, where, context);
    }
  }
  compare_order(positions, Subject::kTensor, where, "initializers", context);
}

}  // namespace onnxpress::analysis
