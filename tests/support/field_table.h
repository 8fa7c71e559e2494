// The fields of a report as lines of a Markdown table, to compare the documentation with the code.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <vector>

#include "onnxpress/tasks/report/json_report.h"

namespace onnxpress::tests {

// T of vector<T> and optional<T>, at any depth; `list` becomes true if there is a vector on the way.
template <typename T>
struct Inner {
  using Type = T;
  static constexpr bool kList = false;
};
template <typename T>
struct Inner<std::vector<T>> {
  using Type = typename Inner<T>::Type;
  static constexpr bool kList = true;
};
template <typename T>
struct Inner<std::optional<T>> {
  using Type = typename Inner<T>::Type;
  static constexpr bool kList = Inner<T>::kList;
};

// The library writes "option `max_size`"; pages about the command write `--max-size`. A | would begin the next cell.
inline std::string for_command(std::string_view text) {
  constexpr std::string_view kMark = "option `";
  std::string out(text);
  for (std::size_t at = out.find(kMark); at != std::string::npos; at = out.find(kMark, at)) {
    out.replace(at, kMark.size(), "`--");
    for (at += 3; at < out.size() && out[at] != '`'; ++at) {
      if (out[at] == '_') out[at] = '-';
    }
  }
  for (std::size_t at = out.find('|'); at != std::string::npos; at = out.find('|', at + 2)) out.insert(at, "\\");
  return out;
}

// One "| `nodes.by_op[].op` | operator |" per field. Fields of a struct that occurs again are not listed again.
template <typename Report>
void append_field_lines(std::vector<std::string>& lines, std::set<std::type_index>& seen,
                        const std::string& prefix = "") {
  if (!seen.insert(typeid(Report)).second) return;
  Fields<Report>::visit([&](std::string_view name, auto member, std::string_view text) {
    using Value = std::remove_cvref_t<decltype(std::declval<Report>().*member)>;
    using Plain = typename Inner<Value>::Type;
    const std::string path = prefix + std::string(name);
    if (!name.empty()) lines.push_back("| `" + path + "` | " + for_command(text) + " |");
    if constexpr (HasFields<Plain>) {
      append_field_lines<Plain>(lines, seen, name.empty() ? prefix : path + (Inner<Value>::kList ? "[]." : "."));
    }
  });
}

template <typename Report>
std::vector<std::string> field_lines() {
  std::vector<std::string> lines;
  std::set<std::type_index> seen;
  append_field_lines<Report>(lines, seen);
  return lines;
}

}  // namespace onnxpress::tests
