// Finds candidates, tries all encodings on each (on all cores), and inserts the winning chains into the graph.
#include "onnxpress/weights/lossless/encode_weights.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <unordered_set>

#include "onnxpress/analysis/op_resolver.h"
#include "onnxpress/base/error.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/ir/constants.h"
#include "onnxpress/ir/release_pages.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/passes/shared/constant_users.h"
#include "onnxpress/passes/whole/scopes.h"
#include "onnxpress/weights/chain/insert_chains.h"
#include "onnxpress/weights/lossless/derived.h"
#include "onnxpress/weights/lossless/encoding.h"
#include "onnxpress/weights/lossy/code_stream.h"

namespace onnxpress::weights {

namespace {

constexpr std::uint64_t kLeastBytes = 64;  // no chain is smaller than that

struct Found {
  Value* value;
  const Tensor* tensor;
  std::string_view tensor_name;  // its own, or that of the tensor whose chain it is part of
  bool is_codes = false;         // of a weight that lossy compression has just rounded
  std::string_view method = {};  // empty: stays as it is
  Chain chain = {};
  Value* result = nullptr;  // the output of the inserted chain
  std::uint64_t before = 0, after = 0;
};

bool is_encodable(const Tensor& tensor) {
  const auto bytes = tensor.expected_bytes();
  return bytes && *bytes >= kLeastBytes && *bytes <= kMostFoldedBytes && !tensor.segmented && !tensor.conflicting;
}

// Codes that lossy compression has just chosen can hardly get smaller, except for pruned channels and for bytes with
// few frequent values, so only the encodings for these are tried. If there are very few codes, all encodings are tried.
bool is_codes(const Tensor& tensor) {
  constexpr std::uint64_t kFew = std::uint64_t{8} << 10;
  const auto* stream = std::get_if<std::shared_ptr<const ByteStream>>(&tensor.content);
  return stream && *tensor.expected_bytes() > kFew && dynamic_cast<const CodeStream*>(stream->get());
}

// Large tensors that an earlier step generates while writing stay as they are: every look at one generates it again.
// Only packing codes (option `pack`) is worth that: with one scale per tensor, it saves 14 to 51 % of real models.
bool is_dense(const Tensor& tensor) {
  constexpr std::uint64_t kSmall = std::uint64_t{128} << 10;
  return tensor.storage == Storage::kMade &&
         std::holds_alternative<std::shared_ptr<const ByteStream>>(tensor.content) && *tensor.expected_bytes() > kSmall;
}

std::vector<Found> find_candidates(const Model& model, const passes::Scopes& scopes, const EncodeOptions& options) {
  std::vector<Found> found;
  const analysis::OpResolver ops(model);
  passes::ConstantUsers users(ops);
  const auto add = [&](Value* value) {
    const Tensor* tensor = scopes.is_constant(*value) ? constant_tensor(*value) : nullptr;
    const bool is_looked_at =
        tensor && is_encodable(*tensor) && (!is_dense(*tensor) || (is_codes(*tensor) && options.tries(packed_codes)));
    if (is_looked_at && users.take_any_value(*value))
      found.push_back({value, tensor, value->name(), is_codes(*tensor)});
  };
  for_each_graph(model.graph(), [&](Graph& graph) {
    for (Value* value : graph.initializers()) add(value);
    for (Node& node : graph.nodes()) {
      if (node.is("Constant") && node.output()) add(node.output());
    }
  });
  return found;
}

// Chains of others may read only initializers of the main graph, which are there before all nodes.
std::vector<Member> members_of(const std::vector<Found>& found, const Model& model) {
  std::vector<Member> members;
  members.reserve(found.size());
  for (const Found& each : found)
    members.push_back({each.value, each.tensor,
                       !each.is_codes && each.value->initializer() && each.value->graph() == &model.graph()});
  return members;
}

struct Offer {
  std::string_view method;
  Chain chain;
  std::uint64_t bytes = 0;
};

std::vector<Offer> all_offers(const Candidate& candidate, std::size_t number, const DerivedIndex* derived,
                              const EncodeOptions& options) {
  const auto wants = [&options](std::string_view name) { return !options.wants || options.wants(name); };
  std::vector<Offer> offers;
  if (derived) {
    for (DerivedIndex::Offer& offer : derived->offers_for(number, candidate)) {
      if (wants(offer.method)) offers.push_back({offer.method, std::move(offer.chain)});
    }
  }
  for (const Encoding* encoding : all_encodings()) {
    if (!options.tries(*encoding)) continue;
    if (auto chain = encoding->find(candidate)) offers.push_back({encoding->name, std::move(*chain)});
  }
  return offers;
}

std::vector<Offer> offers_for_codes(const Candidate& codes, const EncodeOptions& options) {
  std::vector<Offer> offers;
  for (const Encoding* encoding : {&repeated_slices, &packed_codes}) {
    // Slices of large codes hardly ever repeat: of seven real models, one had any (0.2 % of its file).
    if (!options.tries(*encoding) || (encoding == &repeated_slices && is_dense(codes.tensor()))) continue;
    if (auto chain = encoding->find(codes)) offers.push_back({encoding->name, std::move(*chain)});
  }
  return offers;
}

Candidate candidate_of(const Found& found, const Model& model, const EncodeOptions& options) {
  if (!found.is_codes) return {model, *found.tensor, found.value->name(), options.target};
  Statistics known;  // encodings for codes need nothing else
  known.is_splat = false;
  known.count = *found.tensor->element_count();
  return {model, *found.tensor, found.value->name(), options.target, std::move(known)};
}

// Takes the smallest chain that is smaller than the plain tensor and decodes exactly. Decoding costs more than finding
// chains, so it comes last.
void choose(Found& found, std::size_t number, const Model& model, const DerivedIndex* derived,
            const EncodeOptions& options, std::mutex& one_large) {
  const Candidate candidate = candidate_of(found, model, options);
  found.before = candidate.plain_bytes();
  std::vector<Offer> offers =
      found.is_codes ? offers_for_codes(candidate, options) : all_offers(candidate, number, derived, options);
  for (Offer& offer : offers) offer.bytes = offer.chain.serialized_bytes(candidate.name());
  std::erase_if(offers, [&found](const Offer& offer) { return offer.bytes >= found.before; });
  std::ranges::stable_sort(offers, {}, &Offer::bytes);
  // Decoding computes the whole tensor and all intermediate results, so large tensors are decoded one at a time.
  constexpr std::uint64_t kLarge = std::uint64_t{64} << 20;
  std::unique_lock lock(one_large, std::defer_lock);
  if (candidate.bytes().size() >= kLarge && !offers.empty()) {
    release_pages(model.files, *found.tensor, candidate.bytes().view());
    lock.lock();
  }
  for (Offer& offer : offers) {
    if (!decodes_exactly(offer.chain, candidate)) continue;
    found.method = offer.method;
    found.chain = std::move(offer.chain);
    found.after = offer.bytes;
    return;
  }
}

// One round: tries to encode all tensors, on all cores, and keeps those that get smaller.
void choose_all(std::vector<Found>& found, const Model& model, const DerivedIndex* derived,
                const EncodeOptions& options) {
  std::uint64_t total = 0, done = 0;
  for (const Found& each : found) total += *each.tensor->expected_bytes();
  std::mutex mutex, one_large;
  parallel_for(found.size(), [&](std::size_t i) {
    const Tensor& tensor = *found[i].tensor;
    try {
      choose(found[i], i, model, derived, options, one_large);
      if (std::holds_alternative<Bytes>(tensor.content)) release_pages(model.files, tensor, tensor.bytes().view());
    } catch (const Error&) {
      found[i].method = {};  // cannot be read: writing the model will report it
    }
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    options.progress(done += *tensor.expected_bytes(), total);
  });
  std::erase_if(found, [](const Found& each) { return each.method.empty(); });
}

void insert_all(std::vector<Found>& found, Model& model, passes::Scopes& scopes) {
  std::ranges::stable_sort(found, std::greater<>(), [](const Found& each) { return each.tensor->expected_bytes(); });
  std::vector<PlacedChain> chains;
  chains.reserve(found.size());
  for (Found& each : found) chains.push_back({each.value, std::move(each.chain)});
  insert_chains(chains, model, scopes);
  for (std::size_t i = 0; i < found.size(); ++i) found[i].result = chains[i].result;
}

// The constants that chains of the last round store. They may have a smaller form themselves: the codes of a palette
// may repeat, and the one period of a table may be float16.
std::vector<Found> parts_of(const std::vector<Found>& last, const Model& model) {
  std::vector<Found> parts;
  std::unordered_set<const Value*> seen;
  for (const Found& found : last) {
    std::vector<const Node*> open = {found.result->producer()};
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      for (const Use& use : node->inputs()) {
        Value* value = use.value();
        if (!value || !value->name().empty() || value->graph() != &model.graph() || !seen.insert(value).second)
          continue;
        if (value->producer()) open.push_back(value->producer());
        if (value->initializer() && is_encodable(*value->initializer()))
          parts.push_back({value, value->initializer(), found.tensor_name});
      }
    }
  }
  return parts;
}

bool wants_derived(const EncodeOptions& options) {
  return !options.wants || std::ranges::any_of(derived_methods(), options.wants, &DerivedMethod::name);
}

bool wants_any(const EncodeOptions& options) {
  return wants_derived(options) ||
         std::ranges::any_of(all_encodings(), [&](const Encoding* each) { return options.tries(*each); });
}

}  // namespace

std::vector<passes::Saving> encode_weights(Model& model, const EncodeOptions& options) {
  if (!decodes_chains(options.target) || !model.training.empty() || !wants_any(options)) return {};
  passes::Scopes scopes(model);
  std::vector<Found> found = find_candidates(model, scopes, options);
  std::vector<passes::Saving> savings;
  constexpr int kMostRounds = 4;
  for (int round = 0; round < kMostRounds && !found.empty(); ++round) {
    if (round == 0) {
      // The index reads weights, so it is built only if one of its methods is wanted.
      const std::vector<Member> members = wants_derived(options) ? members_of(found, model) : std::vector<Member>();
      if (!members.empty()) begin_stage("comparing weights with each other");
      const DerivedIndex derived(model, members);
      begin_stage("encoding weights");
      choose_all(found, model, members.empty() ? nullptr : &derived, options);
    } else {
      begin_stage("encoding parts of encoded weights");
      choose_all(found, model, nullptr, {.target = options.target, .wants = options.wants, .pack = options.pack});
    }
    for (const Found& each : found) savings.push_back({each.tensor_name, each.method, each.before, each.after});
    insert_all(found, model, scopes);
    found = parts_of(found, model);
  }
  return savings;
}

}  // namespace onnxpress::weights
