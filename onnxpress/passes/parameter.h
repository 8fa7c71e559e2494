// Parameter: a named setting of a node to be created (axes, perm, keepdims, ...), before it is known whether the
// model's opset keeps it as an attribute or as an operand.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace onnxpress::passes {

struct Parameter {
  using Content = std::variant<std::int64_t, double, std::string_view, std::vector<std::int64_t>, std::vector<float>>;

  std::string_view name;
  Content content;

  template <std::integral T>
  Parameter(std::string_view called, T value) : name(called), content(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Parameter(std::string_view called, T value) : name(called), content(static_cast<double>(value)) {}
  Parameter(std::string_view called, const char* text) : name(called), content(std::string_view(text)) {}
  Parameter(std::string_view called, std::string_view text) : name(called), content(text) {}
  Parameter(std::string_view called, std::vector<std::int64_t> list) : name(called), content(std::move(list)) {}
  Parameter(std::string_view called, std::vector<float> list) : name(called), content(std::move(list)) {}
};

}  // namespace onnxpress::passes
