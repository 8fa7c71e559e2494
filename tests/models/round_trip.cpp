// Reads every model in the given folders and writes it again: unchanged, the result must be the same byte for byte;
// with every message encoded again, it must be readable and stable. With --write DIR, the encoded files and a list are
// kept for the Python test that compares them with the `onnx` package.
//
//   round_trip [--write DIR] FOLDER_OR_FILE...
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"

namespace fs = std::filesystem;
using namespace onnxpress;

namespace {

struct Count {
  std::size_t models = 0, identical = 0, anew_identical = 0, failed = 0;
};

std::string round_trip(const fs::path& path, const fs::path& write_folder, Count& count) {
  Model model = format::read_model(path);
  if (const std::string problem = verify(model); !problem.empty()) return problem;
  if (format::encode_model(model) != model.origin.view()) return "changed although nothing was edited";
  ++count.identical;

  const std::string anew = format::encode_model(model, true);
  if (anew == model.origin.view()) ++count.anew_identical;
  Model again = format::read_model(Bytes::borrowed(anew));
  if (const std::string problem = verify(again); !problem.empty()) return "encoded anew: " + problem;
  if (format::encode_model(again, true) != anew) return "encoding anew is not stable";
  if (!write_folder.empty()) {
    const std::string name = fmt::format("{}.onnx", count.models);
    std::ofstream(write_folder / name, std::ios::binary) << anew;
    std::ofstream(write_folder / "list.txt", std::ios::app) << name << '\t' << path.string() << '\n';
  }
  return {};
}

std::vector<fs::path> models_in(const fs::path& place) {
  if (fs::is_regular_file(place)) return {place};
  std::vector<fs::path> found;
  if (!fs::is_directory(place)) return found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place)) {
    if (entry.is_regular_file() && entry.path().extension() == ".onnx") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> places(argv + 1, argv + argc);
  fs::path write_folder;
  if (places.size() >= 2 && places[0] == "--write") {
    write_folder = places[1];
    places.erase(places.begin(), places.begin() + 2);
  }
  Count total;
  for (const std::string& place : places) {
    const Count before = total;
    for (const fs::path& path : models_in(place)) {
      ++total.models;
      std::string problem;
      try {
        problem = round_trip(path, write_folder, total);
      } catch (const Error& error) {
        problem = error.what();
      }
      if (problem.empty()) continue;
      ++total.failed;
      fmt::print("FAILED {}: {}\n", path.string(), problem);
    }
    const std::size_t here = total.models - before.models;
    if (here == 0) fmt::print("SKIPPED: no models in {}\n", place);
    fmt::print("{}: {} models, {} byte-identical, {} also when encoded anew\n", place, here,
               total.identical - before.identical, total.anew_identical - before.anew_identical);
  }
  fmt::print("{} passed, {} failed\n", total.models - total.failed, total.failed);
  return total.failed > 0 ? 1 : total.models == 0 ? 77 : 0;
}
