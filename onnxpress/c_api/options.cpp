// What the fields of option structs may contain.
#include "onnxpress/c_api/options.h"

#include <algorithm>

namespace onnxpress::c_api {

namespace {

// Far more than any struct: a size above this was never set.
constexpr std::size_t kLargest = 65536;

template <typename List>
List list_in(const char* const* given) {
  List list;
  for (; given && *given; ++given) list.emplace_back(*given);
  return list;
}

}  // namespace

void require_known(const void* given, std::size_t known) {
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  if (size < sizeof(std::size_t) || size > kLargest)
    throw BadCall(fmt::format("'size' of the options is {}", size), "start with ONNXPRESS_..._OPTIONS");
  const char* const bytes = static_cast<const char*>(given);
  if (size > known && std::any_of(bytes + known, bytes + size, [](char byte) { return byte != 0; }))
    throw BadCall(fmt::format("the options have {} bytes, and this library knows {} of them", size, known),
                  "the program was made for a newer onnxpress, and uses an option that this one does not have");
}

std::string text_in(const char* given) { return given ? given : ""; }

std::optional<std::string> optional_text_in(const char* given) {
  return given ? std::optional<std::string>(given) : std::nullopt;
}

Names names_in(const char* const* given) { return list_in<Names>(given); }

std::vector<std::string> texts_in(const char* const* given) { return list_in<std::vector<std::string>>(given); }

std::uint64_t count_in(const char* option, std::int64_t given, std::uint64_t unset) {
  return optional_count_in(option, given).value_or(unset);
}

std::optional<std::uint64_t> optional_count_in(const char* option, std::int64_t given) {
  if (given < 0) throw BadCall(fmt::format("option '{}' is {}, but cannot be negative", option, given));
  return given > 0 ? std::optional<std::uint64_t>(given) : std::nullopt;
}

double amount_in(const char* option, double given) {
  if (!(given >= 0)) throw BadCall(fmt::format("option '{}' is {}, but must be at least 0", option, given));
  return given;
}

bool flag_in(const char* option, std::int64_t given) {
  if (given != 0 && given != 1) throw BadCall(fmt::format("option '{}' is {}, but must be 0 or 1", option, given));
  return given == 1;
}

void refuse_word(const char* option, const std::string& given, const std::vector<std::string>& words) {
  const std::string guess = nearest(given, words);
  throw BadCall(
      fmt::format("option '{}' is {}, which is not one of {}", option, quote_name(given), fmt::join(words, ", ")),
      guess.empty() ? "" : fmt::format("did you mean '{}'?", guess));
}

}  // namespace onnxpress::c_api
