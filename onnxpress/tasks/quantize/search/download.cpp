// The estimate of the compressed size is slightly off, and each try corrects it. Tries are compressed with gzip even if
// brotli was requested: brotli takes twenty times as long, and one result shows how much smaller it is. Only the final
// result is compressed with brotli itself.
#include "onnxpress/tasks/quantize/search/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/format/limits.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/tasks/files/take_weights_inside.h"
#include "onnxpress/tasks/quantize/search/limits.h"
#include "onnxpress/tasks/quantize/search/price.h"

namespace onnxpress {

namespace {

struct DownloadFit {
  std::uint64_t estimate = 0;  // what the choice of bits aims for
  std::uint64_t download = 0;  // size of the result of that choice after the compressor, in bytes
};

// --- The result of a choice, in memory

// All initializers and results of nodes, in an order that is the same in a clone.
std::vector<Value*> values_of(const Model& model) {
  std::vector<Value*> values;
  for_each_graph(model, [&values](Graph& graph) {
    for (Value* value : graph.initializers()) values.push_back(value);
    for (const Node& node : graph.nodes()) {
      for (Value* value : node.outputs()) values.push_back(value);
    }
  });
  return values;
}

// The weights with their chosen forms only, in the clone instead of the model.
std::vector<PlannedWeight> chosen_in_clone(const Work& work, const Model& clone) {
  const std::vector<Value*> from = values_of(work.model), to = values_of(clone);
  std::unordered_map<const Value*, Value*> twins;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i]) twins[from[i]] = to[i];
  }
  std::vector<PlannedWeight> chosen;
  for (const PlannedWeight& each : work.weights) {
    if (!each.chosen || each.dynamic) continue;  // dynamic ones are in the model already
    PlannedWeight& copy = chosen.emplace_back();
    copy.weight = each.weight;
    copy.weight.value = twins.at(each.weight.value);
    if (each.bias) copy.bias = twins.at(each.bias);
    copy.forms = {each.forms[*each.chosen]};
    copy.chosen = 0;
  }
  return chosen;
}

// The file that the choice makes, with the weights that are in external files.
std::string encoded_choice(const Work& work) {
  Model trial = work.model.clone();
  std::vector<PlannedWeight> weights = chosen_in_clone(work, trial);
  insert_choice(trial, weights, work.request.options);
  StepResults ignored;
  run_steps(trial, StepGroup::kAfterWeights, work.steps, ignored, work.progress);
  if (format::encoded_size(trial).total() > format::kMaxMessageBytes)
    throw Error("", "option `max_download` cannot be used for a model whose result has more than 2 GB",
                "use option `max_size`");
  take_weights_inside(trial);
  return format::encode_model(trial);
}

// --- The search

class Search {
 public:
  Search(const DownloadTarget& target, const std::function<std::uint64_t(std::uint64_t, Compressor)>& try_estimate)
      : target_(target), try_estimate_(try_estimate) {}

  // A result that is small enough after the requested compressor, not only as estimated from gzip.
  DownloadFit find_exactly() {
    DownloadFit fit = find();
    if (target_.compressor == Compressor::kGzip) return fit;
    for (int i = 0; i < kLimits.download.exact_tries; ++i) {
      fit.download = run(fit.estimate, target_.compressor);
      if (fit.download <= target_.bytes) return fit;
      const std::uint64_t over = fit.download - target_.bytes;
      fit.estimate -= std::min(fit.estimate / 2, over + over / 4 + target_.bytes / 500);
    }
    throw too_small(fit.download);
  }

 private:
  // The largest estimate whose result seems to be small enough.
  DownloadFit find() {
    std::optional<DownloadFit> best, smallest, last;
    std::uint64_t estimate = target_.bytes;
    for (int i = 0; i < kLimits.download.tries; ++i) {
      const DownloadFit now{estimate, download_for(estimate)};
      if (!smallest || now.download < smallest->download) smallest = now;
      const bool fits = now.download <= target_.bytes;
      if (fits && (!best || now.download > best->download)) best = now;
      if (fits &&
          static_cast<double>(now.download) >= kLimits.download.near_enough * static_cast<double>(target_.bytes))
        break;
      const auto next = static_cast<std::int64_t>(estimate) + static_cast<std::int64_t>(target_.bytes) -
                        static_cast<std::int64_t>(now.download);
      // The choice did not change: all weights are as precise as they can be, or as small.
      if (last && last->download == now.download && fits) break;
      last = now;
      if (next <= 0) break;
      estimate = static_cast<std::uint64_t>(next);
      if (!fits) estimate -= estimate / 200;
    }
    if (best) return *best;
    throw too_small(run(smallest->estimate, target_.compressor));
  }

  Error too_small(std::uint64_t reached) const {
    return Error("", fmt::format("the file takes at least {} bytes after {}", reached, word_of(target_.compressor)),
                 "raise option `max_download`, or lower option `min_elements`");
  }

  std::uint64_t run(std::uint64_t estimate, Compressor compressor) {
    const HearStages tell([number = ++runs_, outer = stage_listener()](std::string_view stage) {
      if (outer) outer(fmt::format("try {}: {}", number, stage));
    });
    return try_estimate_(estimate, compressor);
  }

  // After the requested compressor, by the ratio that the first result has.
  std::uint64_t download_for(std::uint64_t estimate) {
    const std::uint64_t by_gzip = run(estimate, Compressor::kGzip);
    if (target_.compressor == Compressor::kGzip || by_gzip == 0) return by_gzip;
    if (!over_gzip_) over_gzip_ = static_cast<double>(run(estimate, target_.compressor)) / static_cast<double>(by_gzip);
    return static_cast<std::uint64_t>(static_cast<double>(by_gzip) * *over_gzip_);
  }

  const DownloadTarget& target_;
  const std::function<std::uint64_t(std::uint64_t, Compressor)>& try_estimate_;
  std::optional<double> over_gzip_;  // size after the requested compressor, divided by that after gzip
  int runs_ = 0;
};

}  // namespace

void choose_by_download(Work& work, const DownloadTarget& target) {
  std::uint64_t before = 0;
  for (const PlannedWeight& each : work.weights) before += each.before;
  const std::uint64_t size = format::encoded_size(work.model).total();
  const double other = size > before ? static_cast<double>(size - before) : 0;  // everything except the weights
  const auto choose = [&](std::uint64_t estimate) {
    choose_most_precise(work.weights,
                        [&] { return other + cost_of_choice(work.weights) <= static_cast<double>(estimate); });
  };
  std::optional<std::uint64_t> last;
  std::string encoded;
  const std::function<std::uint64_t(std::uint64_t, Compressor)> try_estimate = [&](std::uint64_t estimate,
                                                                                   Compressor compressor) {
    if (last != estimate) {
      choose(estimate);
      encoded = encoded_choice(work);
      last = estimate;
    }
    return compressed_size(encoded, compressor, work.progress);
  };
  const DownloadFit fit = Search(target, try_estimate).find_exactly();
  choose(fit.estimate);
  work.report.download = fit.download;
}

bool still_fits(Work& work) {
  const std::optional<DownloadTarget>& target = work.request.options.max_download;
  if (!target) return true;
  const std::uint64_t download = compressed_size(encoded_choice(work), target->compressor, work.progress);
  if (download > target->bytes) return false;
  work.report.download = download;
  return true;
}

}  // namespace onnxpress
