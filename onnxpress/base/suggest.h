// "Did you mean ...?": the known word nearest to one that was mistyped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onnxpress {

// The number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest word of `known`, or empty when none is near enough. Ignores case; the beginning of a known word
// ("--tens") finds it, too.
std::string nearest(std::string_view word, std::span<const std::string> known);

}  // namespace onnxpress
