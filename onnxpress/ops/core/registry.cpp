// Joins the generated schemas with the rows of the families.
#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>
#include <string>
#include <unordered_map>

#include "onnxpress/ir/node.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/core/op.h"
#include "onnxpress/ops/schema/schema_table.h"

namespace onnxpress::ops {

namespace {

constexpr Family (*kFamilies[])() = {
    activation, arithmetic, attention, cast_quantize, comparison, concat_split,  control_flow, conv,      image,
    indexing,   matmul,     movement,  normalization, pool,       random,        recurrent,    reduction, sequence,
    shape_ops,  signal,     string,    training,      ai_onnx_ml, com_microsoft, experimental};

// Calls `take` for each word of a text; quoted words may hold blanks.
template <typename Take>
void for_each_word(std::string_view text, char separator, Take&& take) {
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '"') quoted = !quoted;
    if (i < text.size() && (quoted || text[i] != separator)) continue;
    if (i > begin) take(text.substr(begin, i - begin));
    begin = i + 1;
  }
}

std::vector<Formal> parse_formals(std::string_view text) {
  std::vector<Formal> formals;
  for_each_word(text, ' ', [&](std::string_view word) {
    const std::size_t colon = word.find(':');
    std::string_view name = word.substr(0, colon);
    Formal formal{.type = word.substr(colon + 1)};
    if (name.ends_with("**")) formal.mixed = true;
    formal.variadic = name.ends_with('*');
    while (name.ends_with('*')) name.remove_suffix(1);
    formal.optional = name.ends_with('?');
    if (formal.optional) name.remove_suffix(1);
    formal.name = name;
    formals.push_back(formal);
  });
  return formals;
}

AttributeType attribute_type_named(std::string_view name) {
  for (int i = 1; i < kAttributeTypeCount; ++i) {
    if (name_of(static_cast<AttributeType>(i)) == name) return static_cast<AttributeType>(i);
  }
  return AttributeType::kUndefined;
}

std::vector<ParameterSchema> parse_attributes(std::string_view text) {
  std::vector<ParameterSchema> attributes;
  for_each_word(text, ' ', [&](std::string_view word) {
    ParameterSchema parameter;
    const std::size_t colon = word.find(':');
    parameter.name = word.substr(0, colon);
    std::string_view kind = word.substr(colon + 1);
    if (const std::size_t equals = kind.find('='); equals != std::string_view::npos) {
      parameter.default_text = kind.substr(equals + 1);
      kind = kind.substr(0, equals);
    } else if (kind.ends_with('!')) {
      parameter.required = true;
      kind.remove_suffix(1);
    }
    parameter.type = attribute_type_named(kind);
    attributes.push_back(parameter);
  });
  return attributes;
}

std::vector<TypeVariable> parse_types(std::string_view text) {
  std::vector<TypeVariable> variables;
  for_each_word(text, ' ', [&](std::string_view word) {
    const std::size_t equals = word.find('=');
    TypeVariable variable{word.substr(0, equals), {}};
    for_each_word(word.substr(equals + 1), ';', [&](std::string_view type) { variable.types.push_back(type); });
    variables.push_back(std::move(variable));
  });
  return variables;
}

struct Registry {
  std::deque<Schema> schemas;
  std::vector<Op> ops;  // in the order of the table
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>>
      runs;  // the versions of an op, by "domain:name"
  std::deque<std::string> keys;

  Registry() {
    std::unordered_map<std::string, std::vector<const OpDef*>> rows;
    for (const auto family : kFamilies) {
      for (const OpDef& def : family()) rows[key_of(def.domain, def.name)].push_back(&def);
    }
    for (const SchemaRow& row : schema_table()) {
      schemas.push_back({.domain = row.domain,
                         .name = row.name,
                         .since = row.since,
                         .deprecated = row.deprecated,
                         .operands = parse_formals(row.operands),
                         .results = parse_formals(row.results),
                         .attributes = parse_attributes(row.attributes),
                         .type_variables = parse_types(row.types)});
      const OpDef* best = nullptr;
      const std::string key = key_of(row.domain, row.name);
      if (const auto found = rows.find(key); found != rows.end()) {
        for (const OpDef* def : found->second) {
          if (def->since <= row.since && (!best || def->since > best->since)) best = def;
        }
      }
      if (keys.empty() || keys.back() != key) {
        keys.push_back(key);
        runs[keys.back()] = {ops.size(), ops.size()};
      }
      ops.push_back({&schemas.back(), best});
      runs[keys.back()].second = ops.size();
    }
  }

  static std::string key_of(std::string_view domain, std::string_view name) {
    std::string key(domain);
    key += ':';
    key += name;
    return key;
  }
};

const Registry& registry() {
  static const Registry kRegistry;
  return kRegistry;
}

}  // namespace

int Schema::operand(std::string_view wanted) const {
  const auto found =
      std::find_if(operands.begin(), operands.end(), [&](const Formal& each) { return each.name == wanted; });
  return found == operands.end() ? -1 : static_cast<int>(found - operands.begin());
}

const ParameterSchema* Schema::attribute(std::string_view wanted) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const ParameterSchema& each) { return each.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

const Op* find_op(std::string_view domain, std::string_view name, std::int64_t version) {
  domain = normal_domain(domain);
  const Registry& all = registry();
  const auto run = all.runs.find(Registry::key_of(domain, name));
  if (run == all.runs.end()) return nullptr;
  const Op* best = nullptr;
  for (std::size_t i = run->second.first; i < run->second.second; ++i) {
    if (all.ops[i].schema->since <= version) best = &all.ops[i];
  }
  return best;
}

const Op* newest_op(std::string_view domain, std::string_view name) {
  return find_op(domain, name, std::numeric_limits<std::int64_t>::max());
}

std::span<const Op> all_ops() { return registry().ops; }

}  // namespace onnxpress::ops
