// Walks a report that lists its fields (tasks/report/fields.h) and hands every value to a sink. What the values become
// is the sink's business: JSON for the command and the browser, dicts for Python.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "onnxpress/tasks/report/field_lists/options.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

class ReportSink {
 public:
  virtual ~ReportSink() = default;

  // Between these, every value follows its key.
  virtual void begin_object() = 0;
  virtual void key(std::string_view name) = 0;
  virtual void end_object() = 0;

  virtual void begin_list() = 0;
  virtual void end_list() = 0;

  virtual void text(std::string_view value) = 0;
  virtual void integer(std::int64_t value) = 0;
  virtual void natural(std::uint64_t value) = 0;
  virtual void real(double value) = 0;
  virtual void boolean(bool value) = 0;
  virtual void nothing() = 0;
};

template <typename T>
void write_report(const T& value, ReportSink& sink);

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
struct IsOptional<Maybe<T>> : std::true_type {};
template <typename T>
struct IsVariant : std::false_type {};
template <typename... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <typename T>
void write_fields(const T& report, ReportSink& sink) {
  Fields<T>::visit([&](std::string_view name, auto member, std::string_view) {
    if constexpr (HasFields<std::remove_cvref_t<decltype(report.*member)>>) {
      if (name.empty()) return write_fields(report.*member, sink);
    }
    sink.key(name);
    write_report(report.*member, sink);
  });
}

}  // namespace detail

// Structs become objects with their fields in order; absent optionals and monostate become null, enums their word, and
// paths their text.
template <typename T>
void write_report(const T& value, ReportSink& sink) {
  if constexpr (HasFields<T>) {
    sink.begin_object();
    detail::write_fields(value, sink);
    sink.end_object();
  } else if constexpr (detail::IsVector<T>::value) {
    sink.begin_list();
    for (const auto& each : value) write_report(each, sink);
    sink.end_list();
  } else if constexpr (detail::IsOptional<T>::value) {
    if (value) {
      write_report(*value, sink);
    } else {
      sink.nothing();
    }
  } else if constexpr (detail::IsVariant<T>::value) {
    std::visit([&sink](const auto& each) { write_report(each, sink); }, value);
  } else if constexpr (std::is_same_v<T, std::monostate>) {
    sink.nothing();
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    sink.text(value.string());
  } else if constexpr (std::is_enum_v<T>) {
    sink.text(word_of(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    sink.boolean(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    sink.real(value);
  } else if constexpr (std::is_unsigned_v<T>) {
    sink.natural(value);
  } else if constexpr (std::is_integral_v<T>) {
    sink.integer(value);
  } else {
    sink.text(value);
  }
}

}  // namespace onnxpress
