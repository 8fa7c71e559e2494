// What all calls have in common that take options and may take long: threads, progress, and a report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "onnxpress/base/stages.h"
#include "onnxpress/base/thread_pool.h"
#include "onnxpress/c_api/guard.h"
#include "onnxpress/c_api/handles.h"
#include "onnxpress/c_api/options.h"
#include "onnxpress/tasks/restore_on_failure.h"

namespace onnxpress::c_api {

// While it exists, this thread uses the threads and tells the progress that the options ask for.
class Call {
 public:
  template <typename Options>
  explicit Call(const Options& given) : Call(count_in("threads", given.threads), given.progress, given.progress_data) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  // For tasks that count their work; empty if nobody wants to know.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress() const;
  // For tasks that only know that they got further.
  void step() const { tell(0, 0); }

 private:
  Call(std::uint64_t threads, onnxpress_progress told, void* data);
  // Throws Cancelled. Does nothing in other threads than the caller's.
  void tell(std::uint64_t done, std::uint64_t total) const;

  onnxpress_progress progress_;
  void* data_;
  std::string stage_;
  std::optional<ThreadPool> pool_;
  std::optional<UseThreads> use_;
  std::optional<HearStages> hear_;
  const Call* before_ = nullptr;
};

// The report of a task, from its JSON, and why the answer is no; empty if it is yes.
struct Answer {
  explicit Answer(std::string json, std::string why_not = {}, std::string advice = {});

  std::unique_ptr<onnxpress_report> report;
  std::string no, hint;
};

// Calls work(options, call), which returns an Answer.
template <typename Options, typename Work>
int answer(const Options* given, onnxpress_report** report, onnxpress_error** error, const Work& work) noexcept {
  if (report) *report = nullptr;
  return guarded(error, [&] {
    const Options options = options_in(given);
    const Call call(options);
    Answer found = work(options, call);
    if (report) *report = found.report.release();
    if (!found.no.empty()) throw AnswerIsNo(found.no, found.hint);
  });
}

// The same for work(model, options, call), which changes a model. If the call fails, the model stays as it was.
template <typename Options, typename Work>
int change(onnxpress_model* model, const Options* given, onnxpress_report** report, onnxpress_error** error,
           const Work& work) noexcept {
  return answer(given, report, error, [&](const Options& options, const Call& call) {
    RestoreOnFailure restore(require(model, "model").model);
    Answer found = work(model->model, options, call);
    restore.keep();
    return found;
  });
}

}  // namespace onnxpress::c_api
