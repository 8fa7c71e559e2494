// Finds the nearest word by edit distance.
#include "onnxpress/base/suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace onnxpress {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table are enough, because a swap looks two rows back.
  std::vector<std::size_t> two_back(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongestWord = 100;  // the distance takes time in proportion to the product of the lengths
  const std::string wanted = lower_case(without_dashes(word));
  if (wanted.empty() || wanted.size() > kLongestWord) return {};
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    const std::string plain = lower_case(without_dashes(candidate));
    const bool begins = wanted.size() >= 2 && plain.starts_with(wanted);
    const std::size_t distance = begins ? 1 : edit_distance(wanted, plain);
    // At most a third of the letters may be wrong; beyond that, a suggestion would be an annoying guess.
    const std::size_t allowed = std::max<std::size_t>(1, std::max(wanted.size(), plain.size()) / 3);
    if (distance > allowed || (distance >= plain.size() && !begins)) continue;
    // Of several words that begin with it, prefer the shortest.
    const bool shorter = best && begins && distance == best_distance && candidate.size() < best->size();
    if (!best || distance < best_distance || shorter) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best ? *best : std::string();
}

}  // namespace onnxpress
