// The estimate of the compressed size is slightly off, and each try corrects it. Tries are compressed with gzip even if
// brotli was requested: brotli takes twenty times as long, and one result shows how much smaller it is. Only the final
// result is compressed with brotli itself.
#include "onnxpress/tasks/quantize/search/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"

namespace onnxpress::tasks {

namespace {

class Search {
 public:
  Search(const DownloadTarget& target, const std::function<std::uint64_t(std::uint64_t, Compressor)>& try_estimate)
      : target_(target), try_estimate_(try_estimate) {}

  // A result that is small enough after the requested compressor, not only as estimated from gzip.
  DownloadFit find_exactly() {
    constexpr int kMost = 3;
    DownloadFit fit = find();
    if (target_.compressor == Compressor::kGzip) return fit;
    for (int i = 0; i < kMost; ++i) {
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
    constexpr int kMost = 6;
    constexpr double kNear = 0.99;
    std::optional<DownloadFit> best, smallest, last;
    std::uint64_t estimate = target_.bytes;
    for (int i = 0; i < kMost; ++i) {
      const DownloadFit now{estimate, download_for(estimate)};
      if (!smallest || now.download < smallest->download) smallest = now;
      const bool fits = now.download <= target_.bytes;
      if (fits && (!best || now.download > best->download)) best = now;
      if (fits && static_cast<double>(now.download) >= kNear * static_cast<double>(target_.bytes)) break;
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

DownloadFit fit_download(const DownloadTarget& target,
                         const std::function<std::uint64_t(std::uint64_t, Compressor)>& try_estimate) {
  return Search(target, try_estimate).find_exactly();
}

}  // namespace onnxpress::tasks
