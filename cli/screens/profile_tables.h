// The tables of a profile.
#pragma once

#include <optional>
#include <string>

#include "cli/screens/profile_screen.h"

namespace onnxpress::cli {

std::string op_table(const ProfileReport& report, std::size_t most, const Screen& screen);
std::string node_table(const ProfileReport& report, const ProfileView& view, const Screen& screen);
// All layers down to `depth`; without it, the heaviest ones opened as far as `most` lines allow.
std::string layer_table(const ProfileReport& report, std::optional<std::uint64_t> depth, std::size_t most,
                        const Screen& screen);
// Layers that repeat, by work.
std::string block_table(const ProfileReport& report, const Screen& screen);
// Weights with the most zeros; 0 lists all.
std::string sparsity_table(const ProfileReport& report, std::size_t most, const Screen& screen);

}  // namespace onnxpress::cli
