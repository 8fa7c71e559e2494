// Finds equal weights by hashes of the content, and parts by hashes of the beginnings of rows; comparing bytes decides.
#include "onnxpress/weights/lossless/derived.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/ir/release_pages.h"
#include "onnxpress/weights/chain/chain_parts.h"
#include "onnxpress/weights/lossless/content_hashes.h"
#include "onnxpress/weights/lossless/mapped.h"
#include "onnxpress/weights/lossless/permutation.h"

namespace onnxpress::weights {

namespace {

constexpr std::uint64_t kLeastDerivedBytes = 256;  // a node that derives a tensor takes about half of that
constexpr std::size_t kBeginning = 64;
constexpr std::size_t kMostPlaces = 4'000'000;  // rows and columns that are remembered
constexpr std::size_t kMostAlike = 4;           // tensors or places with the same hash that are tried
constexpr std::uint64_t kLeastMapped = 1024;    // a table and the nodes around it take about as much
constexpr std::size_t kMostTables =
    4;  // code tensors of the same size that are tried: there is rarely more than one twin

constexpr DerivedMethod kMethods[] = {
    {"reshaped", "tensors with the same bytes as another one, in other dims"},
    {"transposed", "tensors that are another one with its axes in another order"},
    {"sliced", "tensors that are a part of another one"},
    {"scaled", "tensors that are another one times a power of two, or its negative"},
    {"mapped",
     "tensors quantized twice: a table maps the codes of one to the other, with a bit if there are two values"},
};

std::uint64_t key_of(ElementType type, std::uint64_t bytes) { return (bytes << 6) ^ static_cast<std::uint64_t>(type); }

std::size_t width_of(ElementType type) { return static_cast<std::size_t>(bits_of(type)) / 8; }

// A chain that reads `base` as its constant 0.
ChainBuilder reading(const Candidate& candidate, const Member& base) {
  ChainBuilder chain(candidate);
  chain.constant(base.tensor->type, base.tensor->dims, base.tensor->bytes());
  chain.set_base(base.value);
  return chain;
}

// The index of the first element that is not zero.
std::size_t first_nonzero(Elements<float> elements) {
  std::size_t i = 0;
  while (i < elements.size() && elements[i] == 0) ++i;
  return i;
}

}  // namespace

std::span<const DerivedMethod> derived_methods() { return kMethods; }

DerivedIndex::DerivedIndex(const Model& model, std::span<const Member> members)
    : model_(model), members_(members), bytes_(members.size(), 0), hashes_(members.size()) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto bytes = members[i].tensor->expected_bytes();
    const int bits = bits_of(members[i].tensor->type);
    if (!bytes || *bytes < kLeastDerivedBytes || bits < 8 || bits > 64) continue;
    bytes_[i] = *bytes;
    by_size_[key_of(members[i].tensor->type, *bytes)].push_back(static_cast<std::uint32_t>(i));
    if (members[i].can_be_base && gives_by_table(members[i].tensor->type) && *bytes >= kLeastMapped)
      codes_[*bytes].push_back(static_cast<std::uint32_t>(i));
  }
  parallel_for(members.size(), [&](std::size_t i) {
    if (bytes_[i] == 0 || by_size_.at(key_of(members_[i].tensor->type, bytes_[i])).size() < 2) return;
    try {
      const Tensor& tensor = *members_[i].tensor;
      const Bytes content = tensor.bytes();
      hashes_[i].bytes = XXH3_64bits(content.view().data(), content.size());
      hashes_[i].elements = hash_of_elements(content.view(), width_of(tensor.type));
      hashes_[i].scaled = hash_up_to_scale(content.view(), tensor.type);
      release_pages(model_.files, tensor, content.view());
    } catch (const Error&) {
      hashes_[i] = {};  // cannot be read: has no twin
    }
  });
  index_twins();
  index_rows();
}

void DerivedIndex::index_twins() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (bytes_[i] == 0 || hashes_[i].elements == 0 || !members_[i].can_be_base) continue;
    for (const std::uint64_t hash : {hashes_[i].bytes, hashes_[i].elements, hashes_[i].scaled}) {
      if (hash == 0) continue;
      auto& twins = twins_[hash ^ key_of(members_[i].tensor->type, bytes_[i])];
      const bool known = !twins.empty() && twins.back() == i;  // two of its hashes may be equal
      if (!known && twins.size() < kMostAlike) twins.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

// The twins that come before member `i`, beginning with the first, which is the least likely to be derived itself.
std::vector<std::uint32_t> DerivedIndex::twins_of(std::size_t i) const {
  std::vector<std::uint32_t> found;
  for (const std::uint64_t hash : {hashes_[i].bytes, hashes_[i].elements, hashes_[i].scaled}) {
    const auto twins = twins_.find(hash ^ key_of(members_[i].tensor->type, bytes_[i]));
    if (hash != 0 && twins != twins_.end()) found.insert(found.end(), twins->second.begin(), twins->second.end());
  }
  std::erase_if(found, [this, i](std::uint32_t base) { return !comes_before(base, i); });
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool DerivedIndex::comes_before(std::size_t a, std::size_t b) const {
  return bytes_[a] != bytes_[b] ? bytes_[a] > bytes_[b] : a < b;
}

void DerivedIndex::index_rows() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto& dims = members_[i].tensor->dims;
    if (bytes_[i] == 0 || !members_[i].can_be_base || dims.size() < 2 || dims[0] < 1 || dims.back() < 1) continue;
    const std::size_t row = bytes_[i] / static_cast<std::size_t>(dims[0]), width = width_of(members_[i].tensor->type);
    const std::size_t last = static_cast<std::size_t>(dims.back()) * width;
    try {
      const Bytes content = members_[i].tensor->bytes();
      const auto add = [&](std::uint64_t offset, std::uint32_t axis) {
        if (rows_.size() >= kMostPlaces) return;
        const std::uint64_t hash = XXH3_64bits(content.view().data() + offset, kBeginning);
        rows_.push_back({hash, static_cast<std::uint32_t>(i), axis, offset});
      };
      if (row >= kBeginning) {
        for (std::uint64_t at = 0; at < bytes_[i]; at += row) add(at, 0);
      }
      for (std::uint64_t at = 0; at + kBeginning <= last; at += width) add(at, 1);
      release_pages(model_.files, *members_[i].tensor, content.view());
    } catch (const Error&) {
      continue;  // cannot be read: is no base
    }
  }
  std::ranges::stable_sort(rows_, {}, &Place::hash);
}

std::optional<DerivedIndex::Offer> DerivedIndex::same_elements(std::size_t i, std::size_t base,
                                                               const Candidate& candidate) const {
  const Member& from = members_[base];
  const Hashes &a = hashes_[base], &b = hashes_[i];
  const bool scales = a.scaled != 0 && a.scaled == b.scaled && std::ranges::equal(from.tensor->dims, candidate.dims());
  if (a.bytes != b.bytes && a.elements != b.elements && !scales) return std::nullopt;
  ChainBuilder chain = reading(candidate, from);
  if (a.bytes == b.bytes) {
    reshape(chain, 0, candidate.dims());
    return Offer{"reshaped", chain.finish()};
  }
  if (a.elements == b.elements) {
    const Bytes content = from.tensor->bytes();
    const auto way = permutation_between(content.view(), from.tensor->dims, candidate.bytes().view(), candidate.dims(),
                                         width_of(candidate.type()));
    if (!way) return std::nullopt;
    Chain::Ref at = 0;
    if (!std::ranges::equal(way->dims, from.tensor->dims)) at = reshape(chain, at, way->dims);
    at = chain.op("Transpose", {at}, {chain.attribute("perm", way->order)});
    std::vector<std::int64_t> turned;
    for (const std::int64_t axis : way->order) turned.push_back(way->dims[static_cast<std::size_t>(axis)]);
    if (!std::ranges::equal(turned, candidate.dims())) reshape(chain, at, candidate.dims());
    return Offer{"transposed", chain.finish()};
  }
  if (scales) {
    const Bytes content = from.tensor->bytes();
    const Elements<float> theirs(content.view()), ours = candidate.elements<float>();
    const std::size_t at = first_nonzero(theirs);
    const float factor = at < theirs.size() ? ours[at] / theirs[at] : 1.0F;
    const auto scale = chain.constant(ElementType::kFloat, {},
                                      Bytes::owned(std::string(reinterpret_cast<const char*>(&factor), sizeof factor)));
    chain.op("Mul", {0, scale});
    return Offer{"scaled", chain.finish()};
  }
  return std::nullopt;
}

std::optional<DerivedIndex::Offer> DerivedIndex::sliced(const Place& place, const Candidate& candidate) const {
  const Member& from = members_[place.member];
  const auto& dims = from.tensor->dims;
  const Bytes content = from.tensor->bytes();
  const std::size_t width = width_of(candidate.type()), last = static_cast<std::size_t>(dims.back()) * width;
  const std::string_view whole = content.view(), part = candidate.bytes().view();
  std::vector<std::int64_t> turned(dims.begin(), dims.end());
  std::int64_t begin = 0, axis = 0;
  if (place.axis == 0) {
    const std::size_t row = whole.size() / static_cast<std::size_t>(dims[0]);
    if (part.size() % row != 0 || whole.substr(place.offset, part.size()) != part) return std::nullopt;
    begin = static_cast<std::int64_t>(place.offset / row);
    turned[0] = static_cast<std::int64_t>(part.size() / row);
  } else {
    const std::size_t rows = whole.size() / last, taken = part.size() / rows;
    if (part.size() % rows != 0 || taken % width != 0 || place.offset + taken > last) return std::nullopt;
    for (std::size_t row = 0; row < rows; ++row) {
      if (whole.substr(row * last + place.offset, taken) != part.substr(row * taken, taken)) return std::nullopt;
    }
    axis = static_cast<std::int64_t>(dims.size()) - 1;
    begin = static_cast<std::int64_t>(place.offset / width);
    turned.back() = static_cast<std::int64_t>(taken / width);
  }
  ChainBuilder chain = reading(candidate, from);
  const std::int64_t end = begin + turned[static_cast<std::size_t>(axis)];
  const auto slice = chain.op("Slice", {0, chain.integers(std::span(&begin, 1)), chain.integers(std::span(&end, 1)),
                                        chain.integers(std::span(&axis, 1))});
  if (!std::ranges::equal(turned, candidate.dims())) reshape(chain, slice, candidate.dims());
  return Offer{"sliced", chain.finish()};
}

// If tensors of codes can be computed from each other, the first one is the base of all others: it is the least likely
// to be derived itself.
std::optional<DerivedIndex::Offer> DerivedIndex::mapped(std::size_t i, const Candidate& candidate) const {
  const auto bases = codes_.find(candidate.count());
  if (bases == codes_.end()) return std::nullopt;
  std::size_t tried = 0;
  for (const std::uint32_t base : bases->second) {
    if (base == i || (gives_by_table(candidate.type()) && !comes_before(base, i))) continue;
    if (++tried > kMostTables) break;
    if (auto chain = chain_from_codes(candidate, members_[base].value, *members_[base].tensor))
      return Offer{"mapped", std::move(*chain)};
  }
  return std::nullopt;
}

std::vector<DerivedIndex::Offer> DerivedIndex::offers_for(std::size_t i, const Candidate& candidate) const {
  std::vector<Offer> offers;
  if (bytes_[i] == 0) return offers;
  if (hashes_[i].elements != 0) {
    for (const std::uint32_t base : twins_of(i)) {
      if (auto offer = same_elements(i, base, candidate)) {
        offers.push_back(std::move(*offer));
        break;
      }
    }
  }
  if (auto offer = mapped(i, candidate)) offers.push_back(std::move(*offer));
  const std::uint64_t beginning = XXH3_64bits(candidate.bytes().view().data(), kBeginning);
  auto at = std::ranges::lower_bound(rows_, beginning, {}, &Place::hash);
  for (std::size_t seen = 0; seen < kMostAlike && at != rows_.end() && at->hash == beginning; ++seen, ++at) {
    const Place& place = *at;
    const bool larger = bytes_[place.member] > bytes_[i];
    if (!larger || members_[place.member].tensor->type != candidate.type()) continue;
    if (auto offer = sliced(place, candidate)) {
      offers.push_back(std::move(*offer));
      break;
    }
  }
  return offers;
}

}  // namespace onnxpress::weights
