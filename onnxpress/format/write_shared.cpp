// One walk per model plans where tensors go; then the shared file and all models are written, synced and named
// together.
#include "onnxpress/format/write_shared.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <set>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/external_files.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/packed_integers.h"
#include "onnxpress/ir/name_values.h"
#include "onnxpress/ir/walk.h"

namespace onnxpress::format {

namespace {

// Whether the tensor is written as varints, because choose_storage_form() found them to be smaller than raw data.
bool is_smaller_inside(const Tensor& tensor) {
  return tensor.storage == Storage::kTyped && has_varint_form(tensor.type);
}

}  // namespace

SharedWriter::SharedWriter(std::vector<Output> outputs, std::string external_name, const SameContent& same)
    : outputs_(std::move(outputs)),
      external_name_(std::move(external_name)),
      plans_(outputs_.size()),
      references_(outputs_.size()) {
  require_contained_location(external_name_);
  for (std::size_t i = 0; i < outputs_.size(); ++i) collect(i, same);
  place_all();
  for (std::size_t i = 0; i < outputs_.size(); ++i) encode(i);
}

std::uint64_t SharedWriter::total_bytes() const {
  std::uint64_t total = end_;
  for (const Plan& each : plans_) total += each.message.size();
  return total;
}

void SharedWriter::collect(std::size_t number, const SameContent& same) {
  Model& model = *outputs_[number].model;
  name_values(model);
  for_each_tensor(model, [&](Tensor& tensor, const TensorPlace& place) {
    if (!can_move(tensor)) return;
    const std::uint64_t length = *tensor.expected_bytes();
    const auto twin = same.find(&tensor);
    const bool alone = twin == same.end(), is_external = tensor.storage == Storage::kExternal;
    if (!is_external && (length < (alone ? kLeastAlone : kLeastShared) || place.node || place.sparse)) return;
    if (alone && is_smaller_inside(tensor)) return;
    const auto [found, is_new] = stored_as_.try_emplace(alone ? &tensor : twin->second, stored_.size());
    if (is_new) stored_.push_back({&model, &tensor, {0, length}});
    references_[number].emplace_back(&tensor, found->second);
    mark_moved(place);
  });
}

// Large tensors need a coarser alignment; smaller ones fill the gaps that it leaves.
void SharedWriter::place_all() {
  std::vector<std::size_t> order(stored_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [this](std::size_t i) { return stored_[i].slot.length; });
  struct Gap {
    std::uint64_t begin, end;
  };
  std::vector<Gap> gaps;
  constexpr std::size_t kMostGaps = 64;  // searched for each tensor
  for (const std::size_t i : order) {
    TensorMoves::Slot& slot = stored_[i].slot;
    const std::uint64_t alignment = external_alignment(slot.length);
    const auto up = [alignment](std::uint64_t at) { return (at + alignment - 1) / alignment * alignment; };
    const auto fits = [&](const Gap& gap) { return up(gap.begin) + slot.length <= gap.end; };
    const auto first = gaps.size() > kMostGaps ? gaps.end() - kMostGaps : gaps.begin();
    if (const auto gap = std::find_if(first, gaps.end(), fits); gap != gaps.end()) {
      slot.offset = up(gap->begin);
      gap->begin = slot.offset + slot.length;
      continue;
    }
    slot.offset = up(end_);
    if (slot.offset > end_) gaps.push_back({end_, slot.offset});
    end_ = slot.offset + slot.length;
  }
}

void SharedWriter::encode(std::size_t number) {
  Plan& plan = plans_[number];
  plan.moves.external_location = external_name_;
  std::set<std::size_t> used;
  for (const auto& [tensor, content] : references_[number]) {
    plan.moves.out.emplace(tensor, stored_[content].slot);
    if (used.insert(content).second) plan.used += stored_[content].slot.length;
  }
  referring_ += references_[number].size();
  plan.message = Encoder(false, &plan.moves).encode_model(*outputs_[number].model);
  if (plan.message.size() <= kMaxMessageBytes) return;
  Error error("",
              fmt::format("without its weights the model still takes {} bytes; protobuf readers stop at {}",
                          plan.message.size(), kMaxMessageBytes),
              "shrink it by itself, which also moves weights out of Constant nodes");
  error.set_file(outputs_[number].path.string());
  throw error;
}

void SharedWriter::write(const std::filesystem::path& folder,
                         const std::function<void(std::uint64_t, std::uint64_t)>& tell) const {
  Progress progress(tell, total_bytes());
  AtomicFile external(folder, external_name_);
  std::vector<const Stored*> in_order;
  for (const Stored& each : stored_) in_order.push_back(&each);
  std::ranges::sort(in_order, {}, [](const Stored* each) { return each->slot.offset; });
  for (const Stored* each : in_order) {
    external.skip_to(each->slot.offset);
    write_content(external, *each->model, *each->tensor, each->slot.length, progress);
  }
  std::deque<AtomicFile> files;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::filesystem::path path = folder / outputs_[i].path.filename();
    write_message(files.emplace_back(path), *outputs_[i].model, plans_[i].message, progress);
  }
  // The files cannot appear at the same time, but without a slow sync in between they appear almost at once.
  external.sync();
  for (AtomicFile& file : files) file.sync();
  external.commit();
  for (AtomicFile& file : files) file.commit();
  progress.finish();
}

}  // namespace onnxpress::format
