// TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier.
#include "onnxpress/ops/ml/ml_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "onnxpress/base/error.h"
#include "onnxpress/ops/core/budget.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/ml/ml_scores.h"
#include "onnxpress/ops/ml/ml_tree_rules.h"

namespace onnxpress::ops {

namespace {

enum class Branch : std::uint8_t { kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kNotEqual, kMember, kLeaf };

struct TreeNode {
  Branch branch = Branch::kLeaf;
  std::size_t feature = 0;
  double value = 0;
  std::vector<double> members;
  std::size_t when_true = 0, when_false = 0;  // nodes
  bool missing_is_true = false;
};

struct Vote {
  std::size_t target = 0;
  double weight = 0;
};

// Nodes and leaves of all trees; a leaf is a node with votes.
struct Forest {
  std::vector<TreeNode> nodes;
  std::vector<std::vector<Vote>> votes;  // per node
  std::vector<std::size_t> roots;
  std::size_t targets = 0;
};

bool goes_true(const TreeNode& node, double x) {
  if (node.missing_is_true && std::isnan(x)) return true;
  switch (node.branch) {
    case Branch::kLessEqual:
      return x <= node.value;
    case Branch::kLess:
      return x < node.value;
    case Branch::kGreaterEqual:
      return x >= node.value;
    case Branch::kGreater:
      return x > node.value;
    case Branch::kEqual:
      return x == node.value;
    case Branch::kNotEqual:
      return x != node.value;
    default:
      return std::find(node.members.begin(), node.members.end(), x) != node.members.end();
  }
}

// The leaf that a row ends in; nullopt when the tree has a cycle or uses a feature that does not exist.
std::optional<std::size_t> leaf_of(const Forest& forest, std::size_t root, std::span<const double> row) {
  std::size_t at = root;
  for (std::size_t steps = 0; steps <= forest.nodes.size(); ++steps) {
    const TreeNode& node = forest.nodes[at];
    if (node.branch == Branch::kLeaf) return at;
    if (node.feature >= row.size()) return std::nullopt;
    at = goes_true(node, row[node.feature]) ? node.when_true : node.when_false;
  }
  return std::nullopt;
}

enum class Aggregate : std::uint8_t { kAverage, kSum, kMin, kMax };

struct Scores {
  std::vector<double> sum;
  std::vector<bool> voted;
};

std::optional<Scores> scores_of(const Forest& forest, std::span<const double> row, Aggregate aggregate) {
  Scores scores{std::vector<double>(forest.targets, 0), std::vector<bool>(forest.targets, false)};
  for (const std::size_t root : forest.roots) {
    const auto leaf = leaf_of(forest, root, row);
    if (!leaf) return std::nullopt;
    for (const Vote& vote : forest.votes[*leaf]) {
      double& sum = scores.sum[vote.target];
      const bool first = !scores.voted[vote.target];
      if (aggregate == Aggregate::kMin) {
        sum = first ? vote.weight : std::min(sum, vote.weight);
      } else if (aggregate == Aggregate::kMax) {
        sum = first ? vote.weight : std::max(sum, vote.weight);
      } else {
        sum += vote.weight;
      }
      scores.voted[vote.target] = true;
    }
  }
  if (aggregate == Aggregate::kAverage && !forest.roots.empty()) {
    for (double& each : scores.sum) each /= static_cast<double>(forest.roots.size());
  }
  return scores;
}

// --- Reading attributes

// A list of floats, or the tensor of version 3 and later, as doubles.
std::vector<double> numbers_of(const Params& params, const std::string& name) {
  std::vector<double> list;
  for (const float each : params.reals(name).value_or(std::vector<float>())) list.push_back(static_cast<double>(each));
  const Tensor* tensor = params.tensor(name + "_as_tensor");
  if (!tensor) tensor = params.tensor(name);
  if (!tensor) return list;
  try {
    const Array array = converted<double>(Array::from(*tensor));
    if (array.type() == ElementType::kDouble) list.assign(array.data<double>().begin(), array.data<double>().end());
  } catch (const Error&) {
    list.clear();  // unreadable: the check of the lengths will fail
  }
  return list;
}

std::vector<std::int64_t> integers_of(const Params& params, std::string_view name) {
  return params.integers(name).value_or(std::vector<std::int64_t>());
}

std::optional<Branch> branch_named(std::string_view name) {
  constexpr std::string_view kNames[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                         "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames) || *found == "BRANCH_MEMBER") return std::nullopt;
  return static_cast<Branch>(found - std::begin(kNames));
}

// The form of versions 1 and 3: nodes are identified by tree and number, and votes are in lists that start with
// `prefix`.
std::optional<Forest> classic_forest(const Params& params, const std::string& prefix, std::size_t targets) {
  const auto trees = integers_of(params, "nodes_treeids"), ids = integers_of(params, "nodes_nodeids"),
             features = integers_of(params, "nodes_featureids"), yes = integers_of(params, "nodes_truenodeids"),
             no = integers_of(params, "nodes_falsenodeids"),
             missing = integers_of(params, "nodes_missing_value_tracks_true");
  const auto values = numbers_of(params, "nodes_values");
  const auto modes = params.texts("nodes_modes").value_or(std::vector<std::string_view>());
  const std::size_t count = trees.size();
  for (const std::size_t length : {ids.size(), features.size(), yes.size(), no.size(), values.size(), modes.size()}) {
    if (length != count) return std::nullopt;
  }
  if (!missing.empty() && missing.size() != count) return std::nullopt;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    if (!places.emplace(std::pair(trees[i], ids[i]), i).second) return std::nullopt;
  }
  Forest forest{std::vector<TreeNode>(count), std::vector<std::vector<Vote>>(count), {}, targets};
  std::vector<bool> has_parent(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    TreeNode& node = forest.nodes[i];
    const auto branch = branch_named(modes[i]);
    if (!branch) return std::nullopt;
    node.branch = *branch;
    if (node.branch == Branch::kLeaf) continue;
    const auto when_true = places.find({trees[i], yes[i]}), when_false = places.find({trees[i], no[i]});
    if (when_true == places.end() || when_false == places.end() || features[i] < 0) return std::nullopt;
    node.feature = static_cast<std::size_t>(features[i]);
    node.value = values[i];
    node.when_true = when_true->second;
    node.when_false = when_false->second;
    node.missing_is_true = !missing.empty() && missing[i] != 0;
    has_parent[node.when_true] = has_parent[node.when_false] = true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_parent[i]) forest.roots.push_back(i);
  }
  const auto vote_trees = integers_of(params, prefix + "_treeids"),
             vote_nodes = integers_of(params, prefix + "_nodeids"), vote_targets = integers_of(params, prefix + "_ids");
  const auto weights = numbers_of(params, prefix + "_weights");
  if (vote_nodes.size() != vote_trees.size() || vote_targets.size() != vote_trees.size() ||
      weights.size() != vote_trees.size())
    return std::nullopt;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto place = places.find({vote_trees[i], vote_nodes[i]});
    if (place == places.end() || vote_targets[i] < 0 || static_cast<std::size_t>(vote_targets[i]) >= targets)
      return std::nullopt;
    forest.votes[place->second].push_back({static_cast<std::size_t>(vote_targets[i]), weights[i]});
  }
  return forest;
}

// The form of version 5: leaves have their own lists; here they become nodes after the others.
std::optional<Forest> modern_forest(const Params& params, std::size_t targets) {
  const auto features = integers_of(params, "nodes_featureids"), yes = integers_of(params, "nodes_truenodeids"),
             no = integers_of(params, "nodes_falsenodeids"), yes_is_leaf = integers_of(params, "nodes_trueleafs"),
             no_is_leaf = integers_of(params, "nodes_falseleafs"),
             missing = integers_of(params, "nodes_missing_value_tracks_true"),
             leaf_targets = integers_of(params, "leaf_targetids"), roots = integers_of(params, "tree_roots");
  const auto splits = numbers_of(params, "nodes_splits"), modes = numbers_of(params, "nodes_modes"),
             weights = numbers_of(params, "leaf_weights"), members = numbers_of(params, "membership_values");
  const std::size_t count = features.size(), leaves = weights.size();
  for (const std::size_t length :
       {yes.size(), no.size(), yes_is_leaf.size(), no_is_leaf.size(), splits.size(), modes.size()}) {
    if (length != count) return std::nullopt;
  }
  if (leaf_targets.size() != leaves || (!missing.empty() && missing.size() != count)) return std::nullopt;
  Forest forest{std::vector<TreeNode>(count + leaves), std::vector<std::vector<Vote>>(count + leaves), {}, targets};
  const auto place = [&](std::int64_t at, bool is_leaf) -> std::optional<std::size_t> {
    if (at < 0 || static_cast<std::size_t>(at) >= (is_leaf ? leaves : count)) return std::nullopt;
    return static_cast<std::size_t>(at) + (is_leaf ? count : 0);
  };
  std::size_t next_member = 0;
  for (std::size_t i = 0; i < count; ++i) {
    TreeNode& node = forest.nodes[i];
    const auto when_true = place(yes[i], yes_is_leaf[i] != 0), when_false = place(no[i], no_is_leaf[i] != 0);
    if (!when_true || !when_false || features[i] < 0 || !(modes[i] >= 0 && modes[i] <= 6)) return std::nullopt;
    node = {static_cast<Branch>(static_cast<int>(modes[i])),
            static_cast<std::size_t>(features[i]),
            splits[i],
            {},
            *when_true,
            *when_false,
            !missing.empty() && missing[i] != 0};
    if (node.branch != Branch::kMember) continue;
    for (; next_member < members.size() && !std::isnan(members[next_member]); ++next_member)
      node.members.push_back(members[next_member]);
    ++next_member;  // the NaN that ends the set
  }
  for (std::size_t i = 0; i < leaves; ++i) {
    if (leaf_targets[i] < 0 || static_cast<std::size_t>(leaf_targets[i]) >= targets) return std::nullopt;
    forest.votes[count + i].push_back({static_cast<std::size_t>(leaf_targets[i]), weights[i]});
  }
  for (const std::int64_t root : roots) {
    const auto found = place(root, false);
    if (!found) return std::nullopt;
    forest.roots.push_back(*found);
  }
  return forest;
}

std::optional<Aggregate> aggregate_of(const Params& params) {
  if (const auto number = params.integer("aggregate_function")) {
    if (*number < 0 || *number > 3) return std::nullopt;
    return static_cast<Aggregate>(*number);
  }
  const std::string_view name = params.text_or("aggregate_function", "SUM");
  if (name == "SUM") return Aggregate::kSum;
  if (name == "AVERAGE") return Aggregate::kAverage;
  if (name == "MIN") return Aggregate::kMin;
  return name == "MAX" ? std::optional(Aggregate::kMax) : std::nullopt;
}

// No real model has more targets; the result would be a huge table of zeros.
constexpr std::int64_t kMostTargets = 1 << 20;

std::size_t targets_of(const Params& params) {
  const std::int64_t targets = params.integer_or("n_targets", 1);
  return targets > 0 && targets <= kMostTargets ? static_cast<std::size_t>(targets) : 0;
}

bool regress(Call& call, const std::optional<Forest>& forest, std::span<const double> base) {
  const auto rows = feature_rows(call);
  const auto transform = post_transform_of(call.params);
  const auto aggregate = aggregate_of(call.params);
  if (!rows) return false;
  if (!forest || !transform || !aggregate) return call.fail("the lists of nodes and leaves, or a mode, are not valid");
  std::vector<double> results;
  spend_steps(rows->rows, forest->roots.size(), 64);  // a path down each tree
  for (std::size_t i = 0; i < rows->rows; ++i) {
    auto scores = scores_of(*forest, rows->row(i), *aggregate);
    if (!scores) return call.fail("a tree has a cycle or uses a feature that does not exist");
    for (std::size_t t = 0; t < base.size() && t < scores->sum.size(); ++t) scores->sum[t] += base[t];
    transform_scores(*transform, scores->sum);
    results.insert(results.end(), scores->sum.begin(), scores->sum.end());
  }
  const Sizes sizes{static_cast<std::int64_t>(rows->rows), static_cast<std::int64_t>(forest->targets)};
  const bool is_classic = call.params.schema().name != "TreeEnsemble";
  return call.done(*array_from(results, sizes, is_classic ? ElementType::kFloat : call.array(0).type()));
}

}  // namespace

void infer_tree_ensemble_regressor(Inference& in) {
  if (!require_classic_trees(in, "target_weights")) return;
  const std::size_t targets = targets_of(in.params);
  in.set_shape({rows_of(in), targets > 0 ? Dim::size(static_cast<std::int64_t>(targets)) : Dim()});
}

void infer_tree_ensemble(Inference& in) {
  if (!require_rank(in, 0, 2) || !require_trees(in)) return;
  const std::size_t targets = targets_of(in.params);
  in.set_shape({rows_of(in), targets > 0 ? Dim::size(static_cast<std::int64_t>(targets)) : Dim()});
}

bool evaluate_tree_ensemble(Call& call) {
  const std::size_t targets = targets_of(call.params);
  if (targets == 0) return call.fail("n_targets is not valid");
  return regress(call, modern_forest(call.params, targets), {});
}

bool evaluate_tree_ensemble_regressor(Call& call) {
  const std::size_t targets = targets_of(call.params);
  if (targets == 0) return call.fail("n_targets is not valid");
  return regress(call, classic_forest(call.params, "target", targets), numbers_of(call.params, "base_values"));
}

void infer_tree_ensemble_classifier(Inference& in) {
  if (!require_classic_trees(in, "class_weights")) return;
  const std::size_t labels = ClassLabels::from(in.params, "classlabels_int64s").size();
  if (labels == 0 && in.params.schema().attribute("nodes_values_as_tensor"))
    return in.contradict("has neither classlabels_int64s nor classlabels_strings");
  infer_classifier(in, "classlabels_int64s", labels > 1 ? Dim::size(static_cast<std::int64_t>(labels)) : Dim());
}

namespace {

struct Choice {
  std::size_t place = 0;
  std::vector<double> scores;
};

// Which classes have votes. With more than two classes it makes no difference.
enum class Sides : std::uint8_t { kAll, kFirst, kSecond };

Sides sides_of(std::span<const std::int64_t> voted, std::size_t labels) {
  if (labels != 2 || voted.empty() ||
      std::adjacent_find(voted.begin(), voted.end(), std::not_equal_to<>()) != voted.end())
    return Sides::kAll;
  return voted[0] == 0 ? Sides::kFirst : Sides::kSecond;
}

// The highest score wins; of equal ones, the first.
Choice choose_highest(std::vector<double> scores, PostTransform transform) {
  const auto best = std::max_element(scores.begin(), scores.end());
  Choice choice{static_cast<std::size_t>(best - scores.begin()), std::move(scores)};
  transform_scores(transform, choice.scores);
  return choice;
}

// For two classes with votes for only one of them. The second label wins when its score is above one half (if all votes
// are positive, they are probabilities) or else above zero. Votes for the first label's class count as votes for the
// second label, and the first one gets the rest or the opposite. This is what ONNX Runtime does; ONNX does not define
// it.
Choice choose_one_sided(double score, Sides sides, bool positive, PostTransform transform) {
  Choice choice{score > (positive ? 0.5 : 0) ? std::size_t{1} : 0, {}};
  if (sides == Sides::kSecond) {
    choice.scores = {0, score};
    transform_scores(transform, choice.scores);
  } else if (transform == PostTransform::kLogistic) {
    choice.scores = {logistic(-score), logistic(score)};
  } else {
    choice.scores = {positive ? 1 - score : -score, score};
  }
  return choice;
}

// Why the base values cannot be added; null when they can. Implementations differ in what a second base value, or
// Probit, does to one-sided votes.
const char* refused_base(Sides sides, std::size_t base, std::size_t labels, PostTransform transform) {
  if (sides == Sides::kAll)
    return base != 0 && base != labels ? "the number of base values is not the number of classes" : nullptr;
  if (base > (sides == Sides::kFirst ? 1 : 0)) return "base values of votes for one of two classes are not supported";
  const bool probit = transform == PostTransform::kProbit && sides == Sides::kFirst;
  return probit ? "PROBIT of votes for one of two classes is not supported" : nullptr;
}

}  // namespace

bool evaluate_tree_ensemble_classifier(Call& call) {
  const auto rows = feature_rows(call);
  const auto transform = post_transform_of(call.params);
  const ClassLabels labels = ClassLabels::from(call.params, "classlabels_int64s");
  if (!rows) return false;
  if (!transform || labels.size() == 0) return call.fail("post_transform is not known or there are no labels");
  const auto forest = classic_forest(call.params, "class", labels.size());
  if (!forest) return call.fail("the lists of nodes and votes are not valid");
  if (labels.size() < 2) return call.fail("a classifier of a single class is not supported");
  const auto base = numbers_of(call.params, "base_values"), weights = numbers_of(call.params, "class_weights");
  const bool positive = std::all_of(weights.begin(), weights.end(), [](double w) { return w >= 0; });
  const Sides sides = sides_of(integers_of(call.params, "class_ids"), labels.size());
  if (const char* why = refused_base(sides, base.size(), labels.size(), *transform)) return call.fail(why);
  std::vector<std::size_t> places;
  std::vector<double> results;
  spend_steps(rows->rows, forest->roots.size(), 64);  // a path down each tree
  for (std::size_t i = 0; i < rows->rows; ++i) {
    auto scores = scores_of(*forest, rows->row(i), Aggregate::kSum);
    if (!scores) return call.fail("a tree has a cycle or uses a feature that does not exist");
    for (std::size_t t = 0; t < base.size(); ++t) scores->sum[t] += base[t];
    const Choice choice = sides == Sides::kAll ? choose_highest(std::move(scores->sum), *transform)
                                               : choose_one_sided(scores->sum[sides == Sides::kSecond ? 1 : 0], sides,
                                                                  positive, *transform);
    places.push_back(choice.place);
    results.insert(results.end(), choice.scores.begin(), choice.scores.end());
  }
  return set_classes(call, labels, places, results, rows->rows);
}

}  // namespace onnxpress::ops
