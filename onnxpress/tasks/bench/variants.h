// Variants of a model made by our commands and by other tools, each step in its own process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace onnxpress {

struct MadeVariant {
  std::string error;  // empty if the variant was made
  double seconds = 0;
  std::uint64_t memory = 0;  // peak resident memory of any step, in bytes
};

struct VariantTools {
  std::string program;  // our command
  std::string python;
  double limit = 120;  // seconds for each step
};

// Splits "optimize+int8" into its steps. Throws Error for an unknown step and lists the known ones.
std::vector<std::string> steps_of(const std::string& variant);

// Makes `result` from `model`. If a tool is missing, fails, crashes or hangs, that is reported in MadeVariant::error.
MadeVariant make_variant(const std::filesystem::path& model, const std::string& variant,
                         const std::filesystem::path& result, const VariantTools& tools);

// The Python of the active environment, or of .venv if that belongs to the user, or else python3.
std::string find_python();

}  // namespace onnxpress
