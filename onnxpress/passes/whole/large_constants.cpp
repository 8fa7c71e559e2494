// Measures candidates again when their turn comes, because earlier constants have freed nodes that they shared.
#include "onnxpress/passes/whole/large_constants.h"

#include <algorithm>

#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/shared/freed_bytes.h"
#include "onnxpress/passes/shared/wire_size.h"
#include "onnxpress/passes/whole/foldable.h"

namespace onnxpress::passes {

namespace {

constexpr std::uint64_t kNameBytes = 40;  // of a constant, with the node that holds it in an old model

// Whether something that stays in the model reads a result.
bool is_needed(const Node& node, const Rewriter& rw) {
  for (const Value* output : node.outputs()) {
    if (!output) continue;
    if (output->is_output()) return true;
    for (const Use* use = output->first_use(); use; use = use->next()) {
      if (use->user() && !is_foldable(*use->user(), rw)) return true;
    }
  }
  return false;
}

bool is_better(const LargeConstants::Candidate& a, const LargeConstants::Candidate& b) {
  if (a.nodes_per_byte != b.nodes_per_byte) return a.nodes_per_byte > b.nodes_per_byte;
  return a.node->id() < b.node->id();
}

}  // namespace

LargeConstants::LargeConstants(Rewriter& rw) : rw_(rw) {
  for_each_node(rw.model(), [&](Node& node) {
    if (node.used_outputs() == 0 || !is_foldable(node, rw) || !is_needed(node, rw)) return;
    seen_.insert(&node);
    open_.push_back(measured(node));
  });
  std::ranges::sort(open_, [](const Candidate& a, const Candidate& b) { return is_better(b, a); });
}

LargeConstants::Candidate LargeConstants::measured(Node& node) const {
  std::uint64_t bytes = 0;
  for (const Value* output : node.outputs()) {
    if (!output || !output->is_used()) continue;
    auto content = rw_.bytes_of(*output);
    if (const auto array = content ? std::nullopt : rw_.computed(*output, Rewriter::kMostFoldedBytes))
      content = raw_size(array->type(), array->count());
    if (!content) return {&node, ~std::uint64_t{0}, 0};
    bytes += initializer_bytes(rw_.element_of(output), {}, *content, kNameBytes);
  }
  const Freed freed = freed_with(node);
  const std::uint64_t growth = bytes > freed.bytes ? bytes - freed.bytes : 0;
  return {&node, growth, static_cast<double>(freed.nodes) / static_cast<double>(growth + 1)};
}

LargeConstants::Candidate LargeConstants::next(std::uint64_t room) {
  while (!open_.empty() || !behind_.empty()) {
    if (open_.empty()) {
      for (Node* node : std::exchange(behind_, {})) open_.push_back(measured(*node));
      std::ranges::sort(open_, [](const Candidate& a, const Candidate& b) { return is_better(b, a); });
    }
    const Candidate best = open_.back();
    open_.pop_back();
    if (best.node->erased() || best.node->used_outputs() == 0) continue;
    const Candidate now = measured(*best.node);
    if (now.growth <= room) return now;
    skip(now);
  }
  return {};
}

void LargeConstants::skip(const Candidate& candidate) {
  for (const Use& use : candidate.node->inputs()) {
    Node* maker = use.value() ? use.value()->producer() : nullptr;
    if (maker && is_foldable(*maker, rw_) && seen_.insert(maker).second) behind_.push_back(maker);
  }
}

}  // namespace onnxpress::passes
