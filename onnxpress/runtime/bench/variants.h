// Variants of a model made by our commands and by other tools, each step in its own process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace onnxpress::runtime {

struct MadeVariant {
  std::string error;  // empty: it is there
  double seconds = 0;
  std::uint64_t memory = 0;  // the most that a step had resident
};

struct VariantTools {
  std::string program;  // our command
  std::string python;
  double limit = 120;  // seconds for each step
};

// "optimize+int8" -> its steps. Throws Error for a step that is not known, with those that are.
std::vector<std::string> steps_of(const std::string& variant);

// Makes `result` from `model`. That a tool is missing, fails, crashes or hangs is an answer.
MadeVariant make_variant(const std::filesystem::path& model, const std::string& variant,
                         const std::filesystem::path& result, const VariantTools& tools);

// Python of the active environment, of .venv if that is the user's own, else python3.
std::string find_python();

}  // namespace onnxpress::runtime
