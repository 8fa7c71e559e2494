// Shrinks many models at once: reads a path per line, and writes each result next to its model, as PATH.small.onnx.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "onnxpress/onnxpress.h"

namespace {

// Paths from standard input, for any number of workers; and where they report.
class Jobs {
 public:
  bool next(std::string& path) {
    const std::scoped_lock lock(reading_);
    return static_cast<bool>(std::getline(std::cin, path));
  }
  void done(const std::string& line, bool failed) {
    const std::scoped_lock lock(writing_);
    std::cout << line << std::endl;  // a client may wait for it
    any_failed_ |= failed;
  }
  bool any_failed() const { return any_failed_; }

 private:
  std::mutex reading_, writing_;
  bool any_failed_ = false;
};

// One job fails alone: what is wrong with its model, or too large for the memory, does not concern the others.
void work(Jobs& jobs) {
  onnxpress::ThreadPool alone(1);  // starts no threads: each worker is one
  const onnxpress::UseThreads scope(alone);
  for (std::string path; jobs.next(path);) {
    try {
      onnxpress::Model model = onnxpress::load_model(path);
      const onnxpress::ShrinkReport report = onnxpress::shrink(model);
      onnxpress::save_model(model, path + ".small.onnx");
      jobs.done(path + ": " + std::to_string(report.before.total()) + " -> " + std::to_string(report.after.total()),
                false);
    } catch (const std::exception& error) {
      jobs.done("error: " + std::string(error.what()), true);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc == 2 ? std::atoi(argv[1]) : 0;
  if (count < 1) {
    std::cerr << "usage: server workers < paths\n";
    return 2;
  }
  Jobs jobs;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < count; ++i) workers.emplace_back([&jobs] { work(jobs); });
  }  // waits for all of them
  return jobs.any_failed() ? 1 : 0;
}
