// Groups values whose names are equal up to their numbers, and whose types are equal.
#include "cli/screens/numbered_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace onnxpress::cli {

namespace {

constexpr std::size_t kFewLines = 8;     // these fit on any screen
constexpr std::size_t kLeastFolded = 3;  // two lines are easier to read than a pattern

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// The name cut at its numbers: text, number, text, number, ..., text.
std::vector<std::string> pieces_of(const std::string& name) {
  std::vector<std::string> pieces(1);
  for (const char c : name) {
    const bool in_number = pieces.size() % 2 == 0;
    if (is_digit(c) != in_number) pieces.emplace_back();
    pieces.back() += c;
  }
  if (pieces.size() % 2 == 0) pieces.emplace_back();
  return pieces;
}

bool number_less(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

struct Group {
  InterfaceLine first;
  std::vector<InterfaceLine> all;
  std::vector<std::vector<std::string>> names;  // cut at their numbers

  // The common texts, with a range where the numbers differ.
  std::string pattern() const {
    std::string out;
    for (std::size_t i = 0; i < names.front().size(); ++i) {
      const auto less = [i](const auto& a, const auto& b) { return number_less(a[i], b[i]); };
      const auto [least, most] = std::minmax_element(names.begin(), names.end(), less);
      out += (*least)[i] == (*most)[i] ? (*least)[i] : fmt::format("{{{}-{}}}", (*least)[i], (*most)[i]);
    }
    return out;
  }
};

}  // namespace

std::vector<InterfaceLine> grouped_by_number(const std::vector<InterfaceLine>& lines) {
  if (lines.size() <= kFewLines) return lines;
  std::vector<Group> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;  // texts of the name and type -> group
  for (const InterfaceLine& line : lines) {
    std::vector<std::string> pieces = pieces_of(line.name);
    std::string key;
    for (std::size_t i = 0; i < pieces.size(); i += 2) key += pieces[i] + '\0';
    const auto [at, is_new] = known.try_emplace({key, line.type}, groups.size());
    if (is_new) groups.emplace_back().first = line;
    groups[at->second].all.push_back(line);
    groups[at->second].names.push_back(std::move(pieces));
  }
  std::vector<InterfaceLine> result;
  for (const Group& group : groups) {
    if (group.all.size() < kLeastFolded) {
      result.insert(result.end(), group.all.begin(), group.all.end());
      continue;
    }
    result.push_back(group.first);
    result.back().name = group.pattern();
  }
  return result;
}

}  // namespace onnxpress::cli
