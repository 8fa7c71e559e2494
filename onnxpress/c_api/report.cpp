// Reports as JSON, and single values of them by their paths.
#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>

#include "onnxpress/c_api/guard.h"
#include "onnxpress/c_api/handles.h"

namespace onnxpress::c_api {

namespace {

using nlohmann::json;

// The element of a list; null if the word is not the number of one.
const json* element_of(const json& list, std::string_view word) {
  if (word.empty() || word.size() > 9 || !std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; }))
    return nullptr;
  std::size_t index = 0;
  for (const char digit : word) index = index * 10 + static_cast<std::size_t>(digit - '0');
  return index < list.size() ? &list[index] : nullptr;
}

const json* member_of(const json& value, std::string_view word) {
  if (value.is_array()) return element_of(value, word);
  if (!value.is_object()) return nullptr;
  const auto found = value.find(word);
  return found == value.end() ? nullptr : &*found;
}

// Throws BadCall if there is nothing of that path.
const json& value_at(const onnxpress_report& report, std::string_view path) {
  std::call_once(report.parse, [&report] { report.values = json::parse(report.text); });
  const json* value = &report.values;
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    value = member_of(*value, rest.substr(0, dot));
    if (!value) throw BadCall(fmt::format("the report has no field {}", quote_name(path)));
    if (dot == std::string_view::npos) return *value;
    rest.remove_prefix(dot + 1);
  }
}

double number_in(const json& value, std::string_view path) {
  if (value.is_null()) throw AnswerIsNo(fmt::format("{} was not measured", quote_name(path)));
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_array()) return static_cast<double>(value.size());
  if (!value.is_number()) throw BadCall(fmt::format("field {} is not a number", quote_name(path)));
  return value.get<double>();
}

const char* text_of(const json& value, std::string_view path) {
  if (value.is_null()) throw AnswerIsNo(fmt::format("{} was not measured", quote_name(path)));
  if (!value.is_string()) throw BadCall(fmt::format("field {} is not a text", quote_name(path)));
  return value.get_ref<const std::string&>().c_str();
}

}  // namespace

}  // namespace onnxpress::c_api

extern "C" {

using namespace onnxpress::c_api;

const char* onnxpress_report_json(const onnxpress_report* report) { return report ? report->text.c_str() : ""; }

int onnxpress_report_number(const onnxpress_report* report, const char* path, double* number) {
  return guarded(nullptr, [&] {
    require(number, "number") = 0;
    *number = number_in(value_at(require(report, "report"), &require(path, "path")), path);
  });
}

int onnxpress_report_text(const onnxpress_report* report, const char* path, const char** text) {
  return guarded(nullptr, [&] {
    require(text, "text") = "";
    *text = text_of(value_at(require(report, "report"), &require(path, "path")), path);
  });
}

void onnxpress_report_free(onnxpress_report* report) { delete report; }

}  // extern "C"
