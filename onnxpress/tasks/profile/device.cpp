// The table of devices, and the file that describes another.
#include "onnxpress/tasks/profile/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/mapped_file.h"
#include "onnxpress/tasks/settings/known_names.h"

namespace onnxpress {

namespace {

constexpr KnownDevice kDevices[] = {
    {"a100-40gb", 19'500, 312'000, 624'000, 1555, 40},
    {"a100-80gb", 19'500, 312'000, 624'000, 2039, 80},
    {"h100-pcie", 51'000, 756'000, 1'513'000, 2000, 80},
    {"h100-sxm", 67'000, 989'000, 1'979'000, 3350, 80},
    {"h200", 67'000, 989'000, 1'979'000, 4800, 141},
    {"h20", 44'000, 148'000, 296'000, 4000, 96},
    {"a10", 31'200, 125'000, 250'000, 600, 24},
    {"a30", 10'300, 165'000, 330'000, 933, 24},
    {"a40", 37'400, 149'700, 299'300, 696, 48},
    {"l4", 30'300, 121'000, 242'000, 300, 24},
    {"l40s", 91'600, 362'000, 733'000, 864, 48},
    {"t4", 8'100, 65'000, 130'000, 320, 16},
    {"v100", 15'700, 125'000, 62'800, 900, 32},
    {"gaudi2", 11'000, 432'000, 865'000, 2460, 96},
    {"rtx-3090", 35'600, 71'200, 284'600, 936, 24},
    {"rtx-4090", 82'600, 165'200, 660'600, 1008, 24},
    {"rtx-5090", 104'800, 209'500, 838'000, 1792, 32},
    {"arc-a750", 14'700, 117'000, 235'000, 512, 8},
    {"arc-a770", 17'200, 138'000, 275'000, 560, 16},
    {"arc-b70", 22'900, 183'500, 367'000, 608, 32},
    {"ultra-155h", 4'000, 8'000, 16'000, 90, 0},
    {"ultra-358h", 7'500, 60'000, 120'000, 128, 0},
    {"core-13900", 1'250, 0, 5'000, 75.5, 0},
    {"apple-m1", 2'600, 2'600, 2'600, 68, 16},
    {"apple-m2-ultra", 27'200, 27'200, 27'200, 800, 192},
    {"apple-m3-max", 14'200, 14'200, 14'200, 400, 128},
    {"raspberry-pi-5", 153, 307, 614, 17, 8},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

struct Field {
  const char* name;
  double Device::*number;
  bool required;
};
constexpr Field kFields[] = {
    {"gflops_float", &Device::gflops_float, true}, {"gflops_float16", &Device::gflops_float16, false},
    {"gflops_int8", &Device::gflops_int8, false},  {"gb_per_s", &Device::gb_per_s, true},
    {"memory_gb", &Device::memory_gb, false},      {"cache_gb_per_s", &Device::cache_gb_per_s, false}};

Device parse_device(std::string_view text, const std::string& path) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    throw Error("", "it is not a JSON object", "docs/commands/llm.md shows how to describe a device");
  Device device;
  const auto name = json.find("name");
  device.name = name != json.end() && name->is_string() ? name->get<std::string>() : path;
  for (const Field& field : kFields) {
    const auto found = json.find(field.name);
    const bool given = found != json.end() && found->is_number();
    const double number = given ? found->get<double>() : 0;
    if ((field.required && !given) || number < 0 || !std::isfinite(number) || (field.required && number <= 0))
      throw Error("", fmt::format("'{}' is missing, or not a number above 0", field.name),
                  "docs/commands/llm.md shows how to describe a device");
    device.*field.number = number;
  }
  return device;
}

}  // namespace

std::span<const KnownDevice> known_devices() { return kDevices; }

double Device::flops(int bits) const {
  const double half = gflops_float16 > 0 ? gflops_float16 : gflops_float;
  const double byte = gflops_int8 > 0 ? gflops_int8 : half;
  return 1e9 * (bits <= 8 ? byte : bits <= 16 ? half : gflops_float);
}

Device load_device(const std::string& file_or_name) {
  const std::string wanted = lower(file_or_name);
  for (const KnownDevice& each : kDevices) {
    if (each.name == wanted)
      return {std::string(each.name), each.gflops_float, each.gflops_float16,
              each.gflops_int8,       each.gb_per_s,     each.memory_gb};
  }
  std::error_code ignored;
  if (!std::filesystem::exists(file_or_name, ignored) && !file_or_name.ends_with(".json")) {
    std::vector<std::string> names;
    for (const KnownDevice& each : kDevices) names.emplace_back(each.name);
    refuse_unknown_name("device", file_or_name, names);
  }
  try {
    return parse_device(MappedFile::open(file_or_name, FileAccess::kRead)->bytes().view(), file_or_name);
  } catch (Error& error) {
    error.set_file(file_or_name);
    throw;
  }
}

}  // namespace onnxpress
