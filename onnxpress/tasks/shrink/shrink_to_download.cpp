// The estimate of the compressed size is slightly off, and each try corrects it. Tries are compressed with gzip even if
// brotli was requested: brotli takes twenty times as long, and one file shows how much smaller it is. Only the final
// result is compressed with brotli itself.
#include "onnxpress/tasks/shrink/shrink_to_download.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/base/temporary_folder.h"

namespace onnxpress::tasks {

namespace {

struct Trial {
  std::uint64_t estimate = 0, download = 0;
};

class Trials {
 public:
  Trials(const std::string& input, const ShrinkOptions& options, const ConvertStreams& streams)
      : input_(input), options_(options), streams_(streams), target_(*options.weights.max_download) {
    options_.dry_run = false;
    options_.compressed = false;
    options_.name_map.clear();
    options_.weights.save_recipe.clear();
    options_.weights.measure = false;
    options_.weights.max_download->compressor = Compressor::kGzip;
  }

  // A trial that is small enough after the requested compressor, not only as estimated from gzip.
  Trial find_exactly() {
    constexpr int kMost = 3;
    Trial trial = find();
    if (target_.compressor == Compressor::kGzip) return trial;
    for (int i = 0; i < kMost; ++i) {
      trial.download = run(trial.estimate, true).download;
      if (trial.download <= target_.bytes) return trial;
      const std::uint64_t over = trial.download - target_.bytes;
      trial.estimate -= std::min(trial.estimate / 2, over + over / 4 + target_.bytes / 500);
    }
    throw too_small(trial.download);
  }

 private:
  // The largest estimate whose file seems to be small enough.
  Trial find() {
    constexpr int kMost = 6;
    constexpr double kNear = 0.99;
    std::optional<Trial> best, smallest;
    std::uint64_t estimate = target_.bytes;
    for (int i = 0; i < kMost; ++i) {
      const Trial now = run(estimate);
      if (!smallest || now.download < smallest->download) smallest = now;
      const bool fits = now.download <= target_.bytes;
      if (fits && (!best || now.download > best->download)) best = now;
      if (fits && static_cast<double>(now.download) >= kNear * static_cast<double>(target_.bytes)) break;
      const auto next = static_cast<std::int64_t>(estimate) + static_cast<std::int64_t>(target_.bytes) -
                        static_cast<std::int64_t>(now.download);
      // The choice did not change: all weights are as precise as they can be, or as small.
      if (last_ && last_->download == now.download && fits) break;
      last_ = now;
      if (next <= 0) break;
      estimate = static_cast<std::uint64_t>(next);
      if (!fits) estimate -= estimate / 200;
    }
    if (best) return *best;
    throw too_small(run(smallest->estimate, true).download);
  }

  Error too_small(std::uint64_t reached) const {
    return Error("", fmt::format("the file takes at least {} bytes after {}", reached, word_of(target_.compressor)),
                 "raise option `max_download`, or lower option `min_elements`");
  }

  Trial run(std::uint64_t estimate, bool exactly = false) {
    const TemporaryFolder folder(std::filesystem::temp_directory_path());
    options_.weights.estimated_download = estimate;
    const HearStages tell([number = ++runs_, outer = stage_listener()](std::string_view stage) {
      if (outer) outer(fmt::format("try {}: {}", number, stage));
    });
    const ShrinkReport report = shrink(input_, (folder.path() / "trial.onnx").string(), options_, streams_);
    const std::uint64_t by_gzip = report.download.value_or(0);
    if (target_.compressor == Compressor::kGzip || by_gzip == 0) return {estimate, by_gzip};
    if (exactly || !over_gzip_) {
      std::vector<std::string> files;
      for (const WrittenFile& file : report.files) files.push_back(file.path);
      const std::uint64_t size = compressed_size(files, target_.compressor, streams_.progress);
      over_gzip_ = static_cast<double>(size) / static_cast<double>(by_gzip);
      if (exactly) return {estimate, size};
    }
    return {estimate, static_cast<std::uint64_t>(static_cast<double>(by_gzip) * *over_gzip_)};
  }

  const std::string& input_;
  ShrinkOptions options_;
  const ConvertStreams& streams_;
  DownloadTarget target_;
  std::optional<Trial> last_;
  std::optional<double> over_gzip_;  // compressed size of a file, divided by its size after gzip
  int runs_ = 0;
};

}  // namespace

ShrinkReport shrink_to_download(const std::string& input, const std::string& output, const ShrinkOptions& options,
                                const ConvertStreams& streams) {
  if (input == "-")
    throw Error("", "option `max_download` has to read the model several times", "give the model as a file");
  ShrinkOptions chosen = options;
  const Trial best = Trials(input, options, streams).find_exactly();
  chosen.weights.estimated_download = best.estimate;
  chosen.weights.max_download->compressor = Compressor::kGzip;  // it was measured already
  ShrinkReport report = shrink(input, output, chosen, streams);
  report.download = best.download;
  return report;
}

}  // namespace onnxpress::tasks
