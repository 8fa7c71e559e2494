// Places buffers one after another, in several orders; the order with the smallest pool wins.
#include "onnxpress/analysis/memory/plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

namespace onnxpress::analysis {

namespace {

// Except for placing in order of time, each buffer is compared with all placed ones. Plans with more buffers than this
// only use order of time.
constexpr std::size_t kMostSearched = 4000;
constexpr int kMostImprovements = 60;
// A random search continues while the pool is larger than this factor of the peak, and looks at no more than this many
// neighbours.
constexpr double kGoodEnough = 1.02;
constexpr std::uint64_t kMostLooks = 30'000'000;

struct Placed {
  std::uint64_t offset = 0, end = 0;
};

// Places buffers one by one. Each is compared only with the buffers that live at the same time.
class Placer {
 public:
  Placer(std::span<const Buffer> buffers, std::span<const std::uint64_t> sizes)
      : buffers_(buffers), sizes_(sizes), placed_(buffers.size()), done_(buffers.size(), false) {}

  // Neighbours of every buffer: computed once, used by every order.
  using Neighbours = std::vector<std::vector<std::uint32_t>>;

  std::uint64_t place(std::span<const std::uint32_t> order, const Neighbours& neighbours, bool best_fit,
                      std::vector<std::uint64_t>& offsets) {
    std::fill(done_.begin(), done_.end(), false);
    std::uint64_t pool = 0;
    std::vector<Placed> around;
    for (const std::uint32_t i : order) {
      around.clear();
      for (const std::uint32_t other : neighbours[i]) {
        if (done_[other]) around.push_back(placed_[other]);
      }
      const std::uint64_t offset = lowest(around, sizes_[i], best_fit);
      placed_[i] = {offset, offset + sizes_[i]};
      done_[i] = true;
      offsets[i] = offset;
      pool = std::max(pool, offset + sizes_[i]);
    }
    return pool;
  }

 private:
  // The first gap that is large enough or, with `best_fit`, the tightest one.
  static std::uint64_t lowest(std::vector<Placed>& around, std::uint64_t size, bool best_fit) {
    std::ranges::sort(around, {}, &Placed::offset);
    std::uint64_t end = 0, best = 0, best_gap = ~std::uint64_t{0};
    for (const Placed& each : around) {
      if (each.offset > end && each.offset - end >= size) {
        if (!best_fit) return end;
        if (each.offset - end < best_gap) {
          best_gap = each.offset - end;
          best = end;
        }
      }
      end = std::max(end, each.end);
    }
    return best_gap != ~std::uint64_t{0} ? best : end;
  }

  std::span<const Buffer> buffers_;
  std::span<const std::uint64_t> sizes_;
  std::vector<Placed> placed_;
  std::vector<bool> done_;
};

Placer::Neighbours neighbours_of(std::span<const Buffer> buffers) {
  std::vector<std::uint32_t> by_time(buffers.size());
  std::iota(by_time.begin(), by_time.end(), 0);
  std::ranges::stable_sort(by_time, {}, [&](std::uint32_t i) { return buffers[i].first; });
  Placer::Neighbours neighbours(buffers.size());
  std::vector<std::uint32_t> alive;
  for (const std::uint32_t i : by_time) {
    std::erase_if(alive, [&](std::uint32_t other) { return buffers[other].last < buffers[i].first; });
    for (const std::uint32_t other : alive) {
      neighbours[i].push_back(other);
      neighbours[other].push_back(i);
    }
    alive.push_back(i);
  }
  return neighbours;
}

// In order of time, a search for a gap looks at no more than this many buffers in use; then the buffer goes to the end.
constexpr std::size_t kMostLookedAt = 250;

// Places buffers as an allocator would at run time: in order of time, into the tightest free gap. Linear except for the
// search for gaps.
std::uint64_t place_in_time(std::span<const Buffer> buffers, std::span<const std::uint64_t> sizes,
                            std::vector<std::uint64_t>& offsets) {
  std::vector<std::uint32_t> by_start(buffers.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::ranges::stable_sort(by_start, {}, [&](std::uint32_t i) {
    return std::tuple(buffers[i].first, ~sizes[i]);  // among those that begin together, the largest first
  });
  std::set<std::pair<std::uint32_t, std::uint32_t>> ends;  // (last step, buffer)
  std::map<std::uint64_t, std::uint64_t> used;             // offset -> end
  std::uint64_t pool = 0;
  for (const std::uint32_t i : by_start) {
    while (!ends.empty() && ends.begin()->first < buffers[i].first) {
      used.erase(offsets[ends.begin()->second]);
      ends.erase(ends.begin());
    }
    std::uint64_t end = 0, best = 0, best_gap = ~std::uint64_t{0};
    std::size_t looked_at = 0;
    for (const auto& [offset, stop] : used) {
      if (++looked_at > kMostLookedAt) {
        end = used.rbegin()->second;
        break;
      }
      if (offset > end && offset - end >= sizes[i] && offset - end < best_gap) {
        best_gap = offset - end;
        best = end;
      }
      end = std::max(end, stop);
    }
    offsets[i] = best_gap != ~std::uint64_t{0} ? best : end;
    if (sizes[i] > 0) {
      used[offsets[i]] = offsets[i] + sizes[i];
      ends.emplace(buffers[i].last, i);
    }
    pool = std::max(pool, offsets[i] + sizes[i]);
  }
  return pool;
}

class Planner {
 public:
  Planner(std::span<const Buffer> buffers, std::span<const std::uint64_t> sizes, MemoryPlan& plan)
      : buffers_(buffers), sizes_(sizes), plan_(plan), neighbours_(neighbours_of(buffers)), placer_(buffers, sizes) {}

  void search(std::uint64_t floor) {
    using Key = std::uint64_t;
    const auto duration = [this](std::uint32_t i) { return Key{buffers_[i].last} - buffers_[i].first + 1; };
    try_order("largest first", [&](std::uint32_t i) { return std::tuple(~sizes_[i], Key{buffers_[i].first}); });
    if (plan_.pool > floor)
      try_order("longest first", [&](std::uint32_t i) { return std::tuple(~duration(i), ~sizes_[i]); });
    if (plan_.pool > floor)
      try_order("largest area first",
                [&](std::uint32_t i) { return std::tuple(~(sizes_[i] / 16 * duration(i)), ~sizes_[i]); });
    if (plan_.pool > floor)
      try_order("in order", [&](std::uint32_t i) { return std::tuple(Key{buffers_[i].first}, ~sizes_[i]); });
    if (plan_.pool > floor) {
      const std::vector<Key> crowd = crowds();
      try_order("most crowded first", [&](std::uint32_t i) { return std::tuple(~crowd[i], ~sizes_[i]); });
      try_order("most crowded and longest first", [&](std::uint32_t i) { return std::tuple(~crowd[i], ~duration(i)); });
    }
    for (int round = 0; round < kMostImprovements && plan_.pool > floor; ++round) {
      if (!improve()) break;
    }
    wander(static_cast<std::uint64_t>(static_cast<double>(floor) * kGoodEnough));
  }

 private:
  template <typename Key>
  void try_order(std::string_view name, Key key) {
    std::vector<std::uint32_t> order(buffers_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, key);
    for (const bool best_fit : {false, true}) attempt(name, order, best_fit);
  }

  void attempt(std::string_view name, const std::vector<std::uint32_t>& order, bool best_fit) {
    std::vector<std::uint64_t> offsets(buffers_.size());
    const std::uint64_t pool = placer_.place(order, neighbours_, best_fit, offsets);
    if (pool >= plan_.pool) return;
    plan_.pool = pool;
    plan_.offsets = std::move(offsets);
    plan_.strategy = name;
    best_order_ = order;
    best_fit_ = best_fit;
  }

  // For each buffer, the most bytes alive at any step of its life: buffers alive at the peak leave the least choice.
  std::vector<std::uint64_t> crowds() const {
    std::vector<std::uint64_t> alive(buffers_.size(), 0);  // when buffer i begins
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      alive[i] = sizes_[i];
      for (const std::uint32_t other : neighbours_[i]) {
        if (buffers_[other].first <= buffers_[i].first && buffers_[other].last >= buffers_[i].first)
          alive[i] += sizes_[other];
      }
    }
    std::vector<std::uint64_t> most = alive;
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      for (const std::uint32_t other : neighbours_[i]) {
        if (buffers_[other].first >= buffers_[i].first) most[i] = std::max(most[i], alive[other]);
      }
    }
    return most;
  }

  // Moves one buffer at a time to the front, usually one that reaches the top, and keeps the result if it is not worse.
  // The random numbers are always the same, so that plans are reproducible.
  void wander(std::uint64_t good) {
    if (best_order_.empty() || plan_.pool <= good) return;
    std::uint64_t looks_of_one = buffers_.size();
    for (const auto& each : neighbours_) looks_of_one += each.size();
    std::minstd_rand random(1);
    std::vector<std::uint32_t> order = best_order_;
    std::vector<std::uint64_t> offsets(buffers_.size()), placed = plan_.offsets;
    std::uint64_t current = plan_.pool;
    for (std::uint64_t looks = 0; looks < kMostLooks && plan_.pool > good; looks += looks_of_one) {
      std::vector<std::uint32_t> at_top;
      for (std::uint32_t i = 0; i < order.size(); ++i) {
        if (placed[order[i]] + sizes_[order[i]] == current) at_top.push_back(i);
      }
      const bool top = random() % 4 != 0 && !at_top.empty();
      const std::size_t from = top ? at_top[random() % at_top.size()] : random() % order.size();
      const std::size_t to = from == 0 ? 0 : random() % from;
      std::vector<std::uint32_t> moved = order;
      std::rotate(moved.begin() + static_cast<std::ptrdiff_t>(to), moved.begin() + static_cast<std::ptrdiff_t>(from),
                  moved.begin() + static_cast<std::ptrdiff_t>(from) + 1);
      const std::uint64_t pool = placer_.place(moved, neighbours_, random() % 2 == 0, offsets);
      if (pool > current) continue;
      current = pool;
      order = std::move(moved);
      placed = offsets;
      if (pool >= plan_.pool) continue;
      plan_.pool = pool;
      plan_.offsets = offsets;
      plan_.strategy = "improved at random";
    }
  }

  // Moves the buffers that reach the top, and those directly below them, to the front of the order.
  bool improve() {
    if (best_order_.empty()) return false;
    const std::uint64_t before = plan_.pool;
    std::vector<bool> raised(buffers_.size(), false);
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      if (plan_.offsets[i] + sizes_[i] != plan_.pool) continue;
      raised[i] = true;
      for (const std::uint32_t other : neighbours_[i]) {
        if (plan_.offsets[other] + sizes_[other] == plan_.offsets[i]) raised[other] = true;
      }
    }
    std::vector<std::uint32_t> order = best_order_;
    std::stable_partition(order.begin(), order.end(), [&](std::uint32_t i) { return raised[i]; });
    attempt("improved", order, best_fit_);
    if (plan_.pool == before) attempt("improved", order, !best_fit_);
    return plan_.pool < before;
  }

  std::span<const Buffer> buffers_;
  std::span<const std::uint64_t> sizes_;
  MemoryPlan& plan_;
  Placer::Neighbours neighbours_;
  Placer placer_;
  std::vector<std::uint32_t> best_order_;
  bool best_fit_ = false;
};

// Finds the most bytes alive at one step. Steps are positions of nodes, so a table of all steps is no larger than the
// graph.
void find_peak(std::span<const Buffer> buffers, std::span<const std::uint64_t> sizes, MemoryPlan& plan) {
  std::uint64_t steps = 0;
  for (const Buffer& buffer : buffers) steps = std::max(steps, std::uint64_t{buffer.last} + 1);
  std::vector<std::int64_t> change(steps + 1, 0);  // change of the bytes alive, from this step on
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    change[buffers[i].first] += static_cast<std::int64_t>(sizes[i]);
    change[std::uint64_t{buffers[i].last} + 1] -= static_cast<std::int64_t>(sizes[i]);
  }
  std::int64_t alive = 0;
  for (std::uint64_t step = 0; step < change.size(); ++step) {
    alive += change[step];
    if (alive > static_cast<std::int64_t>(plan.live_peak)) {
      plan.live_peak = static_cast<std::uint64_t>(alive);
      plan.peak_step = static_cast<std::uint32_t>(step);
    }
  }
}

}  // namespace

MemoryPlan plan_memory(std::span<const Buffer> buffers, const PlanOptions& options) {
  MemoryPlan plan;
  const std::uint64_t unit = std::max<std::uint64_t>(1, options.alignment);
  std::vector<std::uint64_t> sizes;
  sizes.reserve(buffers.size());
  for (const Buffer& buffer : buffers) sizes.push_back((buffer.bytes + unit - 1) / unit * unit);
  find_peak(buffers, sizes, plan);
  plan.offsets.assign(buffers.size(), 0);
  plan.strategy = "as an allocator would";
  plan.pool = place_in_time(buffers, sizes, plan.offsets);
  if (plan.pool > plan.live_peak && buffers.size() <= kMostSearched)
    Planner(buffers, sizes, plan).search(plan.live_peak);
  return plan;
}

std::uint64_t live_peak_of(std::span<const Buffer> buffers) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(buffers.size());
  for (const Buffer& buffer : buffers) sizes.push_back(buffer.bytes);
  MemoryPlan plan;
  find_peak(buffers, sizes, plan);
  return plan.live_peak;
}

Overlap overlap_in(std::span<const Buffer> buffers, std::span<const std::uint64_t> offsets) {
  std::vector<std::uint32_t> by_start(buffers.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  std::ranges::stable_sort(by_start, {}, [&](std::uint32_t i) { return buffers[i].first; });
  std::set<std::pair<std::uint32_t, std::uint32_t>> ends;  // (last step, buffer)
  std::map<std::uint64_t, std::uint32_t> alive;            // offset -> buffer
  for (const std::uint32_t i : by_start) {
    while (!ends.empty() && ends.begin()->first < buffers[i].first) {
      alive.erase(offsets[ends.begin()->second]);
      ends.erase(ends.begin());
    }
    if (buffers[i].bytes == 0) continue;
    const auto above = alive.lower_bound(offsets[i]);
    if (above != alive.end() && above->first < offsets[i] + buffers[i].bytes) return {above->second, i};
    if (above != alive.begin()) {
      const auto below = std::prev(above);
      if (below->first + buffers[below->second].bytes > offsets[i]) return {below->second, i};
    }
    alive.emplace(offsets[i], i);
    ends.emplace(buffers[i].last, i);
  }
  return {};
}

}  // namespace onnxpress::analysis
