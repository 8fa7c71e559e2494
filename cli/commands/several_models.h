// Runs a command on several models in parallel, and decides where each result goes.
#pragma once

#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/progress.h"
#include "onnxpress/base/parallel_for.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress::cli {

// Removes results of an earlier run (model<ending> next to model.onnx) from the paths. Returns how many.
std::size_t skip_earlier_results(std::vector<std::string>& paths, std::string_view ending);

// Makes sure that no two models have the same result.
class ResultNames {
 public:
  // Returns the path. Throws Error when it is already the result of another model.
  const std::string& take(const std::string& path);

 private:
  std::set<std::string> taken_;
};

// Processes as many models at once as there are cores, with one progress bar. Rows are in the order of the paths.
// `work` returns the report on a path, or throws Error; `prepare` is called before for each path, in order, and its
// result is passed to `work`.
template <typename Report, typename Prepare, typename Work>
std::vector<ReportRow<Report>> report_in_parallel(const std::vector<std::string>& paths, const char* label,
                                                  const Prepare& prepare, const Work& work) {
  struct Outcome {
    std::string prepared;
    std::optional<Report> report;
    std::exception_ptr failure;
  };
  std::vector<Outcome> all(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    try {
      all[i].prepared = prepare(paths[i]);
    } catch (const Error&) {
      all[i].failure = std::current_exception();
    }
  }
  ProgressBar bar(label, ProgressBar::Label::kStays);
  std::mutex mutex;
  std::uint64_t done = 0;
  parallel_for(all.size(), [&](std::size_t i) {
    try {
      if (!all[i].failure) all[i].report = work(paths[i], all[i].prepared);
    } catch (...) {
      all[i].failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    bar.show(++done, all.size());
  });
  bar.clear();
  std::size_t next = 0;
  return report_on_each(paths, [&](const std::string&) -> Report {
    Outcome& outcome = all[next++];
    if (outcome.failure) std::rethrow_exception(outcome.failure);
    return std::move(*outcome.report);
  });
}

}  // namespace onnxpress::cli
