// Chooses the names of results.
#include "cli/commands/several_models.h"

#include <fmt/format.h>

#include <filesystem>

#include "onnxpress/base/error.h"

namespace onnxpress::cli {

std::size_t skip_earlier_results(std::vector<std::string>& paths, std::string_view ending) {
  const std::set<std::string> all(paths.begin(), paths.end());
  return std::erase_if(paths, [&](const std::string& path) {
    return path.ends_with(ending) && all.contains(path.substr(0, path.size() - ending.size()) + ".onnx");
  });
}

const std::string& ResultNames::take(const std::string& path) {
  const auto [at, is_new] = taken_.insert(std::filesystem::path(path).lexically_normal().string());
  if (!is_new)
    throw Error("", fmt::format("{} would also be the result of another model of the same name", quote_name(path)),
                "process them one by one, or leave out -o");
  return path;
}

}  // namespace onnxpress::cli
