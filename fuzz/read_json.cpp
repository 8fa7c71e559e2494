// Fuzzes the JSON form in both directions, and the byte map. An input that starts like JSON is read as JSON, any other
// as an encoded model; the mutator also turns encoded models into JSON, so that the official models are starting points
// for both.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "onnxpress/base/error.h"
#include "onnxpress/format/byte_map.h"
#include "onnxpress/format/json.h"
#include "onnxpress/format/schema.h"

namespace {

using onnxpress::Error;
using namespace onnxpress::format;

void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

// The result of from_json must be a well-formed model that loses nothing when it is converted to JSON and back.
void check_encoded(const std::string& encoded) {
  require_well_formed(encoded, MessageIndex::kModel);
  require(map_bytes(encoded).total() == encoded.size(), "the parts sum to the size");
  JsonLosses losses;
  const std::string json = to_json(encoded, {false}, &losses);
  require(losses.unknown_fields == 0 && losses.nan_payloads == 0, "JSON can hold everything that came from JSON");
  // From now on, fields are in the order of their numbers.
  const std::string ordered = from_json(json);
  require(ordered.size() == encoded.size(), "only the order changes");
  require(from_json(to_json(ordered)) == ordered, "the same bytes come back");
}

bool looks_like_json(std::string_view input) { return !input.empty() && std::strchr("{[ \n\xef", input[0]) != nullptr; }

void check_json(std::string_view input) {
  std::string encoded;
  try {
    encoded = from_json(input);
  } catch (const Error&) {
    return;
  }
  check_encoded(encoded);
}

void check_model(std::string_view input) {
  try {
    require(map_bytes(input).total() == input.size(), "the parts sum to the size");
  } catch (const Error&) {
  }
  std::string json;
  try {
    json = to_json(input);
  } catch (const Error&) {
    return;
  }
  check_encoded(from_json(json));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (seed % 8 == 0 && !looks_like_json(input)) {
    try {
      const std::string json = to_json(input, {seed % 16 == 0});
      if (json.size() <= most) {
        std::memcpy(data, json.data(), json.size());
        return json.size();
      }
    } catch (const Error&) {
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  looks_like_json(input) ? check_json(input) : check_model(input);
  return 0;
}
