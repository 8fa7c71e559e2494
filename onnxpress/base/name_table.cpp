// Open-addressing interning on XXH3. The seed is random, so that a hostile file cannot choose names that all collide;
// ids are given in order of appearance, so nothing a user sees depends on it.
#include "onnxpress/base/name_table.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <random>

namespace onnxpress {

namespace {

std::uint32_t hash_of(std::string_view name, std::uint64_t seed) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(name.data(), name.size(), seed) >> 32);
}

}  // namespace

NameTable::NameTable() {
  // Made only once: a random_device queries the CPU, which takes longer than interning all names of a small model.
  static const std::uint64_t kSeed = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32) | random();
  }();
  seed_ = kSeed;
}

NameTable::Prepared NameTable::prepare(std::string_view name) const {
  const std::uint32_t hash = hash_of(name, seed_);
  if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)], 1);
  return {name, hash};
}

NameTable::Id NameTable::intern(Prepared prepared) {
  const auto [name, hash] = prepared;
  if (names_.size() * 2 >= slots_.size()) grow(slots_.empty() ? 64 : slots_.size() * 2);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.id == kNone) {
    slot = {static_cast<Id>(names_.size()), hash};
    names_.push_back(name);
  }
  return slot.id;
}

NameTable::Id NameTable::find(std::string_view name) const {
  return slots_.empty() ? kNone : slots_[slot_of(name, hash_of(name, seed_))].id;
}

std::size_t NameTable::slot_of(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id != kNone && (slots_[at].hash != hash || names_[slots_[at].id] != name)) at = (at + 1) & mask;
  return at;
}

void NameTable::reserve(std::size_t names) {
  names_.reserve(names);
  const std::size_t slots = std::bit_ceil(names * 2 + 2);
  if (slots > slots_.size()) grow(slots);
}

void NameTable::grow(std::size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNone) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace onnxpress
