// The fields of options and reports; flags, JSON and documentation are made from them.
//
// Structs of public headers are plain: scripts/update_fields reads the members with their comments, and writes
// tasks/report/field_lists/. Other structs list their fields themselves:
//
//   struct NodeTime {
//     double milliseconds = 0;
//     template <typename Visit>
//     static void fields(Visit&& visit) {
//       visit("milliseconds", &NodeTime::milliseconds, "time of a run");
//     }
//   };
//
// A name is snake_case: the JSON key and the Python keyword as it stands, the flag with dashes (--external-threshold).
// A field with an empty name whose type is a struct stands for the fields of that struct.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnxpress/options.h"

namespace onnxpress {

namespace detail {
struct AnyField {
  template <typename... Args>
  void operator()(Args&&...) const {}
};
}  // namespace detail

// Fields<T>::visit(visit) calls visit(name, pointer to member, help text) for each field of T.
template <typename T>
struct Fields;

template <typename T>
requires requires { T::fields(detail::AnyField{}); }
struct Fields<T> {
  template <typename Visit>
  static void visit(Visit&& visit) {
    T::fields(visit);
  }
};

template <typename T>
concept HasFields = requires {
  Fields<T>::visit(detail::AnyField{});
};

// Specialized for each enum in options or reports: `static constexpr std::pair<std::string_view, E> kAll[]`, the words
// that users write and read.
template <typename E>
struct Words;

template <typename E>
constexpr std::string_view word_of(E value) {
  for (const auto& [word, each] : Words<E>::kAll) {
    if (each == value) return word;
  }
  return "unknown";
}

}  // namespace onnxpress
