// Builds the tree from names, folds equal siblings, and writes it out line by line.
#include "onnxpress/tasks/profile/layer_tree.h"

#include <algorithm>
#include <unordered_map>

#include "onnxpress/tasks/files/strip.h"

namespace onnxpress {

namespace {

constexpr std::size_t kMostDepth = 64;  // of names: deeper ones are not split further

using Path = std::vector<std::string_view>;  // into the names of nodes, scopes and ops

// "/model.0/conv/Conv" -> model, 0, conv, Conv.
Path split(std::string_view name) {
  Path path;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && ((name[i] != '/' && name[i] != '.') || path.size() + 1 >= kMostDepth)) continue;
    if (i > begin) path.push_back(name.substr(begin, i - begin));
    begin = i + 1;
  }
  return path;
}

// The name with each number replaced by '*', which is the same for repeated layers.
std::string pattern_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) out += c;
    if (digit && !out.ends_with('*')) out += '*';
  }
  return out;
}

// The same number for names with the same pattern.
std::uint64_t pattern_hash(std::string_view name) {
  std::uint64_t made = 0xcbf29ce484222325;
  bool in_number = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && in_number) continue;
    in_number = digit;
    made = (made ^ static_cast<unsigned char>(digit ? '*' : c)) * 0x100000001b3;
  }
  return made;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccd;
}

struct Figures {
  std::uint64_t nodes = 0, work = 0, parameters = 0, weight_bytes = 0, written = 0;
  double microseconds = 0;

  void add(const Figures& other) {
    nodes += other.nodes;
    work += other.work;
    parameters += other.parameters;
    weight_bytes += other.weight_bytes;
    written += other.written;
    microseconds += other.microseconds;
  }
};

Figures figures_of(const NodeProfile& node) {
  return {.nodes = 1,
          .work = node.counted ? node.work.value_or(0) : 0,
          .parameters = node.parameters,
          .weight_bytes = node.weight_bytes,
          .written = node.counted ? node.written.value_or(0) : 0,
          .microseconds = node.microseconds.value_or(0)};
}

// A layer, or a node. Most are nodes, so what only layers have is stored separately.
struct TreePart {
  std::string_view name;
  std::uint32_t parent = 0, layer = 0;  // indices into the lists of parts and layers
  const NodeProfile* node = nullptr;    // null: a layer
  std::uint64_t signature = 0;          // structure, names up to numbers, and work
};
struct Layer {
  std::vector<std::uint32_t> parts;
  Figures figures;
};

class Tree {
 public:
  explicit Tree(const std::vector<NodeProfile>& nodes) {
    parts_.reserve(nodes.size() + nodes.size() / 16 + 1);
    parts_.emplace_back();
    layers_.emplace_back();
    std::vector<Path> around;  // paths of the nodes that contain bodies
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeProfile& node = nodes[i];
      Path path = path_of(node, around);
      around.resize(std::min<std::size_t>(node.depth, around.size()));
      around.push_back(path);
      // The nodes in its bodies form a layer with its name, and the node itself is part of that layer.
      if (i + 1 < nodes.size() && nodes[i + 1].depth > node.depth) path.push_back(node.op);
      add(node, path);
    }
    sum();
  }

  std::vector<LayerLine> lines() {
    write_parts({0}, 0);
    return std::move(lines_);
  }

 private:
  using Members = std::vector<std::uint32_t>;  // indices of parts, or positions among the parts of a layer

  static Path path_of(const NodeProfile& node, const std::vector<Path>& around) {
    Path path = split(node.scope);
    const Path own = split(node.name);
    if (node.scope.empty()) {
      path = own;
    } else {
      path.push_back(own.empty() ? node.op : own.back());
    }
    if (path.empty()) path.push_back(node.op);
    if (node.depth == 0 || node.depth > around.size()) return path;
    const Path& outer = around[node.depth - 1];
    if (!outer.empty() && outer.front() != path.front() && outer.size() + path.size() < kMostDepth)
      path.insert(path.begin(), outer.begin(), outer.end());
    return path;
  }

  void add(const NodeProfile& node, const Path& path) {
    std::uint32_t at = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      const auto [found, is_new] = by_name_.try_emplace({at, path[i]}, 0);
      if (is_new) found->second = new_part(at, path[i], nullptr);
      at = found->second;
    }
    new_part(at, path.back(), &node);
  }

  std::uint32_t new_part(std::uint32_t parent, std::string_view name, const NodeProfile* node) {
    const auto made = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back({.name = name, .parent = parent, .node = node});
    layers_[parts_[parent].layer].parts.push_back(made);
    if (!node) {
      parts_.back().layer = static_cast<std::uint32_t>(layers_.size());
      layers_.emplace_back();
    }
    return made;
  }

  const Members& parts_of(std::size_t part) const {
    static const Members kNone;
    return parts_[part].node ? kNone : layers_[parts_[part].layer].parts;
  }
  Figures figures(const TreePart& part) const {
    return part.node ? figures_of(*part.node) : layers_[part.layer].figures;
  }

  void sum() {
    // Parts come after the layer they belong to, so one walk from the end adds up everything.
    for (std::size_t i = parts_.size(); i-- > 0;) {
      TreePart& part = parts_[i];
      const Figures own = figures(part);
      for (const std::size_t each : parts_of(i)) part.signature = mixed(part.signature, parts_[each].signature);
      part.signature = mixed(part.signature, pattern_hash(part.node ? std::string_view(part.node->op) : part.name));
      for (const std::uint64_t each : {own.nodes, own.work, own.parameters, own.written})
        part.signature = mixed(part.signature, each);
      if (i == 0) break;
      layers_[parts_[part.parent].layer].figures.add(own);
    }
  }

  // Lines for the parts of layers that are equal: parts at the same position in each share one line.
  void write_parts(const Members& same, std::uint32_t depth) {
    std::vector<Members> groups;  // positions of the parts in a layer
    std::unordered_map<std::uint64_t, std::size_t> by_kind;
    const Members& parts = parts_of(same[0]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::uint64_t kind = mixed(pattern_hash(parts_[parts[i]].name), parts_[parts[i]].signature);
      const auto [found, is_new] = by_kind.emplace(kind, groups.size());
      if (is_new) groups.emplace_back();
      groups[found->second].push_back(static_cast<std::uint32_t>(i));
    }
    for (const Members& places : groups) write(members_at(same, places), places.size(), depth);
  }

  Members members_at(const Members& same, const Members& places) const {
    Members members;
    for (const std::size_t each : same) {
      for (const std::size_t place : places) {
        if (place < parts_of(each).size()) members.push_back(parts_of(each)[place]);
      }
    }
    return members;
  }

  Members all_parts_of(const Members& same) const {
    Members members;
    for (const std::size_t each : same) members.insert(members.end(), parts_of(each).begin(), parts_of(each).end());
    return members;
  }

  std::string name_of(std::size_t first, std::uint64_t repeats) const {
    return repeats == 1 ? std::string(parts_[first].name) : pattern_of(parts_[first].name);
  }

  bool are_alike(const Members& group) const {
    return std::ranges::all_of(group, [&](std::size_t each) {
      return parts_[each].signature == parts_[group[0]].signature &&
             pattern_hash(parts_[each].name) == pattern_hash(parts_[group[0]].name);
    });
  }

  // One line for all members, of which `repeats` belong to the same layer.
  void write(Members members, std::uint64_t repeats, std::uint32_t depth) {
    std::string name = name_of(members[0], repeats);
    const std::size_t around = parts_[members[0]].parent;
    // A layer with a single part, or with equal parts only, is merged into one line with them.
    while (!parts_[members[0]].node && are_alike(parts_of(members[0])) &&
           (repeats == 1 || parts_of(members[0]).size() == 1)) {
      const std::uint64_t inner = parts_of(members[0]).size();
      name += "." + name_of(parts_of(members[0])[0], inner);
      repeats *= inner;
      members = all_parts_of(members);
    }
    // A number by itself says little, so show it with the name of the layer around it: "layers.3".
    if (around != 0 && (name[0] == '*' || (name[0] >= '0' && name[0] <= '9')))
      name = std::string(parts_[around].name) + "." + name;
    const NodeProfile* node = parts_[members[0]].node;
    LayerLine line{.name = std::move(name), .op = node ? node->op : "", .depth = depth, .repeats = repeats};
    Figures sum;
    for (const std::size_t each : members) sum.add(figures(parts_[each]));
    line.nodes = sum.nodes, line.work = sum.work, line.parameters = sum.parameters;
    line.weight_bytes = sum.weight_bytes, line.written = sum.written, line.microseconds = sum.microseconds;
    lines_.push_back(std::move(line));
    if (!node) write_parts(members, depth + 1);
  }

  struct Key {
    std::uint32_t parent;
    std::string_view name;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const { return mixed(std::hash<std::string_view>()(key.name), key.parent); }
  };

  std::vector<TreePart> parts_;
  std::vector<Layer> layers_;
  std::unordered_map<Key, std::uint32_t, HashKey> by_name_;  // of layers
  std::vector<LayerLine> lines_;
};

}  // namespace

std::string scope_in_metadata(const Node& node) {
  for (const MetadataEntry& entry : node.metadata()) {
    if (entry.key != kLayersKey) continue;
    // "['', 'encoder', 'encoder.layers.0', 'linear']": the last one is the node's own name.
    std::vector<std::string> scopes;
    std::size_t begin = std::string_view::npos;
    for (std::size_t i = 0; i < entry.value.size(); ++i) {
      if (entry.value[i] != '\'' && entry.value[i] != '"') continue;
      if (begin == std::string_view::npos) {
        begin = i + 1;
      } else {
        scopes.emplace_back(entry.value.substr(begin, i - begin));
        begin = std::string_view::npos;
      }
    }
    return scopes.size() < 2 ? std::string() : scopes[scopes.size() - 2];
  }
  return {};
}

std::vector<LayerLine> layers_of(const std::vector<NodeProfile>& nodes) { return Tree(nodes).lines(); }

}  // namespace onnxpress
