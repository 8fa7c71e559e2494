// A profile as text: totals, operators, layers, nodes, sparsity, and the difference between two profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/screen.h"
#include "onnxpress/tasks/profile/compare_profiles.h"
#include "onnxpress/tasks/profile/profile.h"

namespace onnxpress::cli {

enum class ProfileTable : std::uint8_t { kOp, kTree, kNode, kBlock };
enum class ProfileOrder : std::uint8_t { kWork, kParameters, kMemory, kTime, kOrder };

struct ProfileView {
  std::optional<ProfileTable> by;
  ProfileOrder sort = ProfileOrder::kWork;
  std::optional<std::uint64_t> top, depth;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("by", &ProfileView::by,
          "what the table lists: op, tree (layers), node or block (layers that repeat); without, a summary of all");
    visit("sort", &ProfileView::sort,
          "order of nodes: work (default), params, memory, time or order (as in the model)");
    visit("top", &ProfileView::top, "how many nodes to list; 0 lists all (default 8; all in files)");
    visit("depth", &ProfileView::depth, "how deep the tree of layers goes (default: the heaviest ones that fit)");
  }
};

std::string profile_screen(const ProfileReport& report, const ProfileView& view, const Screen& screen);
std::string profile_table(const std::vector<ProfileRow>& rows, const Screen& screen);
std::string difference_screen(const ProfileDifference& difference, const Screen& screen);

// "4.37 G": three digits and the prefixes of units.
std::string short_number(std::uint64_t number);
// "4.37 GMACs", "96 MACs".
std::string with_unit(std::uint64_t number, std::string_view unit);

}  // namespace onnxpress::cli

namespace onnxpress {

template <>
struct Words<cli::ProfileTable> {
  static constexpr std::pair<std::string_view, cli::ProfileTable> kAll[] = {{"op", cli::ProfileTable::kOp},
                                                                            {"tree", cli::ProfileTable::kTree},
                                                                            {"node", cli::ProfileTable::kNode},
                                                                            {"block", cli::ProfileTable::kBlock}};
};
template <>
struct Words<cli::ProfileOrder> {
  static constexpr std::pair<std::string_view, cli::ProfileOrder> kAll[] = {{"work", cli::ProfileOrder::kWork},
                                                                            {"params", cli::ProfileOrder::kParameters},
                                                                            {"memory", cli::ProfileOrder::kMemory},
                                                                            {"time", cli::ProfileOrder::kTime},
                                                                            {"order", cli::ProfileOrder::kOrder}};
};

}  // namespace onnxpress
