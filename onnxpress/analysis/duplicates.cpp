// Groups tensors by size and by their first and last bytes, then by hash, then by comparing bytes; each step only looks
// at what the previous one could not tell apart.
#include "onnxpress/analysis/duplicates.h"

#include <xxhash.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>

#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"

namespace onnxpress::analysis {

namespace {

// The bytes that are hashed and compared: raw data, or for strings each length and text, so that {"ab",""} is not
// {"a","b"}.
Bytes comparable_bytes(const Tensor& tensor) {
  if (tensor.type != ElementType::kString) return tensor.bytes();
  std::string all;
  for (const std::string_view text : tensor.strings()) {
    const std::uint64_t length = text.size();
    all.append(reinterpret_cast<const char*>(&length), sizeof length);
    all.append(text);
  }
  return Bytes::owned(std::move(all));
}

struct Candidate {
  std::uint32_t tensor = 0;
  XXH128_hash_t hash = {};
  std::string problem;
};

bool same_hash(const Candidate& a, const Candidate& b) { return XXH128_isEqual(a.hash, b.hash) != 0; }
bool hash_before(const Candidate& a, const Candidate& b) { return XXH128_cmp(&a.hash, &b.hash) < 0; }

// A hash of the first and last bytes of a large tensor; 0 for small tensors, those that have to be decoded first, and
// those that cannot be read.
std::uint64_t ends_of(const Tensor& tensor, MappedFiles files) {
  constexpr std::size_t kLarge = std::size_t{64} << 10, kEnd = 512;
  if (tensor.type == ElementType::kString || std::holds_alternative<std::shared_ptr<const ByteStream>>(tensor.content))
    return 0;
  try {
    const Bytes bytes = tensor.bytes();
    if (bytes.size() < kLarge) return 0;
    const std::string_view first = bytes.view().substr(0, kEnd), last = bytes.view().substr(bytes.size() - kEnd);
    const std::uint64_t hash = XXH3_64bits_withSeed(last.data(), kEnd, XXH3_64bits(first.data(), kEnd));
    release_pages(files, tensor, bytes.view().substr(0, kLarge));
    release_pages(files, tensor, bytes.view().substr(bytes.size() - kLarge));
    return hash;
  } catch (const Error&) {  // reported later, when the whole tensor is read
    return 0;
  }
}

// Tensors whose size occurs at least twice, with string tensors kept apart. Large ones must also begin and end with the
// same bytes, which weights of a network do only if they are equal.
std::vector<Candidate> candidates(const TensorList& list, MappedFiles files) {
  using Size = std::pair<bool, std::uint64_t>;
  const auto size_of = [](const TensorEntry& entry) {
    return Size(entry.tensor->type == ElementType::kString, entry.bytes);
  };
  std::map<Size, std::uint64_t> sizes;
  for (const TensorEntry& entry : list.entries) ++sizes[size_of(entry)];
  std::map<std::pair<Size, std::uint64_t>, std::uint64_t> alike;
  std::vector<std::uint64_t> ends(list.entries.size(), 0);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const TensorEntry& entry = list.entries[i];
    if (entry.bytes == 0 || sizes[size_of(entry)] < 2) continue;
    ends[i] = ends_of(*entry.tensor, files);
    ++alike[{size_of(entry), ends[i]}];
  }
  std::vector<Candidate> found;
  for (std::uint32_t i = 0; i < list.entries.size(); ++i) {
    const TensorEntry& entry = list.entries[i];
    if (entry.bytes == 0 || sizes[size_of(entry)] < 2) continue;
    if (ends[i] == 0 || alike[{size_of(entry), ends[i]}] > 1) found.push_back({.tensor = i});
  }
  return found;
}

struct Content {
  const Tensor* tensor = nullptr;
  Bytes bytes;
  MappedFiles files;
};

// Compares bytes in parts, so that two large tensors are not resident at the same time.
struct Before {
  bool operator()(const Content& a, const Content& b) const {
    if (a.bytes.size() != b.bytes.size()) return a.bytes.size() < b.bytes.size();
    constexpr std::size_t kPart = std::size_t{256} << 10;
    int order = 0;
    for (std::size_t at = 0; at < a.bytes.size() && order == 0; at += kPart) {
      const std::string_view left = a.bytes.view().substr(at, kPart), right = b.bytes.view().substr(at, kPart);
      order = left.compare(right);
      release_pages(a.files, *a.tensor, left);
      release_pages(b.files, *b.tensor, right);
    }
    return order < 0;
  }
};

class Finder {
 public:
  Finder(const TensorList& list, MappedFiles files) : list_(list), files_(files) {}

  Duplicates find() {
    std::vector<Candidate> all = candidates(list_, files_);
    parallel_for(all.size(), [&](std::size_t i) { hash(all[i]); });
    for (const Candidate& each : all) {
      if (each.problem.empty()) {
        found_.bytes_read += entry(each.tensor).bytes;
      } else {
        found_.unreadable.push_back({each.tensor, each.problem});
      }
    }
    std::erase_if(all, [](const Candidate& each) { return !each.problem.empty(); });
    std::ranges::stable_sort(all, hash_before);
    std::vector<std::span<const Candidate>> same;
    for (auto first = all.begin(); first != all.end();) {
      const auto last =
          std::find_if(first, all.end(), [first](const Candidate& each) { return !same_hash(*first, each); });
      if (last - first > 1) same.emplace_back(first, last);
      first = last;
    }
    std::vector<std::vector<Group>> confirmed(same.size());
    parallel_for(same.size(), [&](std::size_t i) { confirmed[i] = split_by_bytes(same[i]); });
    for (const std::vector<Group>& groups : confirmed) {
      for (const Group& group : groups) add_groups(group);
    }
    sort_groups();
    return std::move(found_);
  }

 private:
  using Group = std::vector<std::uint32_t>;  // indices of tensors with equal bytes

  const TensorEntry& entry(std::uint32_t i) const { return list_.entries[i]; }

  void hash(Candidate& candidate) const {
    try {
      const Tensor& tensor = *entry(candidate.tensor).tensor;
      const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
      XXH3_128bits_reset(state.get());
      for_each_part(files_, tensor, comparable_bytes(tensor),
                    [&](std::string_view part) { XXH3_128bits_update(state.get(), part.data(), part.size()); });
      candidate.hash = XXH3_128bits_digest(state.get());
    } catch (const Error& error) {
      candidate.problem = error.what();
    }
  }

  // Equal hashes nearly always mean one group, but only the bytes decide. A map instead of a list of groups, so that
  // deliberate hash collisions do not make this slow.
  std::vector<Group> split_by_bytes(std::span<const Candidate> same) const {
    std::map<Content, Group, Before> groups;
    for (const Candidate& each : same) {
      const Tensor& tensor = *entry(each.tensor).tensor;
      groups[Content{&tensor, comparable_bytes(tensor), files_}].push_back(each.tensor);
    }
    std::vector<Group> split;
    split.reserve(groups.size());
    for (auto& [content, group] : groups) split.push_back(std::move(group));
    return split;
  }

  // Tensors with equal bytes: adds a group for each type and shape, then a group with one tensor of each type and
  // shape.
  void add_groups(const Group& tensors) {
    if (tensors.size() < 2) return;
    const auto shape_key = [this](std::uint32_t i) {
      const Tensor& tensor = *entry(i).tensor;
      return std::pair(tensor.type, std::vector<std::int64_t>(tensor.dims.begin(), tensor.dims.end()));
    };
    std::map<std::pair<ElementType, std::vector<std::int64_t>>, std::vector<std::uint32_t>> by_shape;
    for (const std::uint32_t each : tensors) by_shape[shape_key(each)].push_back(each);
    std::vector<std::uint32_t> representatives;
    for (const auto& [shape, same] : by_shape) {
      representatives.push_back(same.front());
      if (same.size() > 1) add_group(found_.same_tensor, found_.bytes_same_tensor, same);
    }
    if (representatives.size() < 2) return;
    std::ranges::sort(representatives);
    add_group(found_.same_bytes, found_.bytes_same_bytes, representatives);
  }

  void add_group(std::vector<DuplicateGroup>& groups, std::uint64_t& wasted,
                 const std::vector<std::uint32_t>& tensors) const {
    DuplicateGroup group{entry(tensors.front()).bytes, tensors, count_copies(tensors)};
    wasted += group.bytes * (group.copies - 1);
    groups.push_back(std::move(group));
  }

  std::uint64_t count_copies(const std::vector<std::uint32_t>& tensors) const {
    std::set<std::pair<const ExternalFile*, std::uint64_t>> ranges;
    std::uint64_t inside = 0;
    for (const std::uint32_t each : tensors) {
      if (const auto* range = std::get_if<FileRange>(&entry(each).tensor->content)) {
        ranges.emplace(range->file.get(), range->offset);
      } else {
        ++inside;
      }
    }
    return inside + ranges.size();
  }

  void sort_groups() {
    const auto wasted = [](const DuplicateGroup& group) { return group.bytes * (group.copies - 1); };
    for (auto* groups : {&found_.same_tensor, &found_.same_bytes}) {
      std::ranges::sort(*groups, [&wasted](const DuplicateGroup& a, const DuplicateGroup& b) {
        return std::tuple(wasted(b), a.tensors.front()) < std::tuple(wasted(a), b.tensors.front());
      });
    }
    std::ranges::sort(found_.unreadable, {}, &UnreadableTensor::tensor);
  }

  const TensorList& list_;
  MappedFiles files_;
  Duplicates found_;
};

}  // namespace

Duplicates find_duplicates(const TensorList& list) { return find_duplicates(list, {}); }
Duplicates find_duplicates(const TensorList& list, MappedFiles files) { return Finder(list, files).find(); }

}  // namespace onnxpress::analysis
