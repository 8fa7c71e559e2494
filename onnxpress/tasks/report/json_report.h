// Turns reports that list their fields (tasks/report/fields.h) into JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "onnxpress/tasks/report/fields.h"
#include "onnxpress/tasks/report/rows.h"

namespace onnxpress::tasks {

using Json = nlohmann::ordered_json;

template <typename T>
Json json_of(const T& value);

namespace detail {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsVariant : std::false_type {};
template <typename... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <typename T>
void add_fields(Json& object, const T& report) {
  T::fields([&](std::string_view name, auto member, std::string_view) {
    if constexpr (HasFields<std::remove_cvref_t<decltype(report.*member)>>) {
      if (name.empty()) return add_fields(object, report.*member);
    }
    object[std::string(name)] = json_of(report.*member);
  });
}

}  // namespace detail

// Absent optionals and monostate are null, enums their word, paths their text, structs objects in the order of their
// fields.
template <typename T>
Json json_of(const T& value) {
  if constexpr (HasFields<T>) {
    Json object = Json::object();
    detail::add_fields(object, value);
    return object;
  } else if constexpr (detail::IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& each : value) list.push_back(json_of(each));
    return list;
  } else if constexpr (detail::IsOptional<T>::value) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (detail::IsVariant<T>::value) {
    return std::visit([](const auto& each) { return json_of(each); }, value);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    return nullptr;
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(word_of(value));
  } else {
    return value;
  }
}

// Names in a hostile file need not be UTF-8, but JSON must be: what is not becomes U+FFFD.
inline std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

template <typename Report>
std::string text_of_rows(const std::vector<ReportRow<Report>>& rows) {
  Json models = Json::array();
  for (const ReportRow<Report>& row : rows) {
    models.push_back(row.report ? json_of(*row.report)
                                : Json{{"file", row.file}, {"error", row.error}, {"hint", row.hint}});
  }
  return text_of(Json{{"models", std::move(models)}});
}

}  // namespace onnxpress::tasks
