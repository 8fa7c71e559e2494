// Parses the rules, and binds their names to the sizes of a node's operands.
#include "onnxpress/ops/core/shape_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/node.h"
#include "onnxpress/ops/core/shape_expression.h"

namespace onnxpress::ops {

namespace {

// One axis, or with `is_rest` any number of axes with one name (`...` or `...s`). `open`: the size is known only at run
// time.
struct Axis {
  ShapeExpression size;
  std::string rest;
  bool is_rest = false, open = false;
};

// "T[N,3]". The axes are nullopt for "T[]", which allows any rank.
struct Pattern {
  std::string type;
  std::optional<std::vector<Axis>> axes;
};

struct IntegerAttribute {
  std::string name;
  std::optional<std::int64_t> fallback;
};

}  // namespace

struct ShapeRules::Rule {
  std::string domain, op;
  std::vector<IntegerAttribute> attributes;
  std::vector<Pattern> operands, results;
  bool says_shapes = false, says_work = false;
  ShapeExpression macs, flops;
};

ShapeRules::ShapeRules() = default;
ShapeRules::~ShapeRules() = default;
ShapeRules::ShapeRules(ShapeRules&&) noexcept = default;
ShapeRules& ShapeRules::operator=(ShapeRules&&) noexcept = default;

// --- Reading

namespace {

class LineParser {
 public:
  explicit LineParser(std::string_view line) : text_(line) {}

  ShapeRules::Rule rule() {
    ShapeRules::Rule made;
    const std::string name = word("the name of an op is missing", ".");
    const std::size_t dot = name.rfind('.');
    made.op = dot == std::string::npos ? name : name.substr(dot + 1);
    made.domain = dot == std::string::npos ? "" : name.substr(0, dot);
    if (made.op.empty()) fail("the name of an op is missing");
    if (take("<")) made.attributes = attributes();
    made.operands = patterns();
    if (take("=>")) {
      made.results = patterns();
      made.says_shapes = true;
    }
    if (take(":")) {
      work(made);
    } else if (!made.says_shapes) {
      fail("'=>' is missing");
    }
    if (!without_blanks(text_).empty()) fail("unexpected text after the rule");
    return made;
  }

 private:
  // "macs N*K*M, flops N*M": one or both, in any order.
  void work(ShapeRules::Rule& made) {
    made.says_work = true;
    made.macs = made.flops = zero();
    do {
      const std::string what = word("'macs' or 'flops' is missing");
      if (what != "macs" && what != "flops") fail("'macs' or 'flops' is missing");
      (what == "macs" ? made.macs : made.flops) = ShapeExpression::take(text_);
    } while (take(","));
  }
  static ShapeExpression zero() {
    std::string_view text = "0";
    return ShapeExpression::take(text);
  }

  bool take(std::string_view wanted) {
    text_ = without_blanks(text_);
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(wanted.size());
    return true;
  }
  void require(std::string_view wanted) {
    if (!take(wanted)) fail(fmt::format("'{}' is missing", wanted));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("", fmt::format("{} at {}", what, text_.empty() ? "the end" : quote_name(text_.substr(0, 20))), "");
  }

  // Takes letters, digits, '_' and the characters of `more`.
  std::string word(const char* missing, std::string_view more = "") {
    text_ = without_blanks(text_);
    std::size_t length = 0;
    const auto is_part = [&](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             more.find(c) != std::string_view::npos;
    };
    while (length < text_.size() && is_part(text_[length])) ++length;
    if (length == 0 && missing) fail(missing);
    std::string made(text_.substr(0, length));
    text_.remove_prefix(length);
    return made;
  }

  std::vector<IntegerAttribute> attributes() {
    std::vector<IntegerAttribute> made;
    while (!take(">")) {
      if (!made.empty()) require(",");
      IntegerAttribute attribute{word("the name of an attribute is missing"), {}};
      if (take("=")) {
        const bool negative = take("-");
        const std::string digits = word("a whole number is missing");
        std::int64_t number = 0;
        for (const char c : digits) {
          if (c < '0' || c > '9' || number > (std::int64_t{1} << 50)) fail("a whole number is missing");
          number = number * 10 + (c - '0');
        }
        attribute.fallback = negative ? -number : number;
      }
      made.push_back(std::move(attribute));
    }
    return made;
  }

  std::vector<Pattern> patterns() {
    std::vector<Pattern> made;
    require("(");
    while (!take(")")) {
      if (!made.empty()) require(",");
      made.push_back(pattern());
    }
    return made;
  }

  // A type, optionally with axes and with a name, which is only for readers.
  Pattern pattern() {
    Pattern made{word("a type is missing"), std::vector<Axis>()};
    if (take("[")) made.axes = axes();
    word(nullptr);
    return made;
  }

  std::optional<std::vector<Axis>> axes() {
    if (take("]")) return std::nullopt;
    std::vector<Axis> made;
    do {
      Axis axis;
      if (take("...")) {
        axis.is_rest = true;
        axis.rest = word(nullptr);
      } else if (take("?")) {
        axis.open = true;
      } else {
        axis.size = ShapeExpression::take(text_);
      }
      made.push_back(std::move(axis));
    } while (take(","));
    require("]");
    if (std::count_if(made.begin(), made.end(), [](const Axis& axis) { return axis.is_rest; }) > 1)
      fail("'...' may occur only once in a shape");
    return made;
  }

  std::string_view text_;
};

}  // namespace

ShapeRules ShapeRules::parse(std::string_view text) {
  ShapeRules rules;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = without_blanks(line.substr(0, line.find('#')));
    while (line.ends_with('\r') || line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
    if (line.empty()) continue;
    try {
      rules.rules_.push_back(LineParser(line).rule());
    } catch (const Error& error) {
      throw Error("", fmt::format("line {}: {}", number, error.what()),
                  "docs/commands/infer.md shows how to describe an op");
    }
  }
  return rules;
}

// --- Using

namespace {

class RuleBinding {
 public:
  RuleBinding(const ShapeRules::Rule& rule, const Node& node, DimMath& dims) : node_(node), dims_(dims) {
    for (const IntegerAttribute& attribute : rule.attributes) {
      std::optional<std::int64_t> value = attribute.fallback;
      for (const Attribute* given : node.attributes()) {
        const auto* number = std::get_if<std::int64_t>(&given->value);
        if (given->name == attribute.name) value = number ? std::optional(*number) : std::nullopt;
      }
      sizes_[attribute.name] = value && Dim::fits(*value) ? Dim::size(*value) : Dim();
    }
  }

  bool take_all(const ShapeRules::Rule& rule, std::span<const Fact* const> operands) {
    if (operands.size() > rule.operands.size()) return false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] && !take(rule.operands[i], *operands[i])) return false;
    }
    return true;
  }

  // False when the operand contradicts the rule.
  bool take(const Pattern& pattern, const Fact& fact) {
    if (fact.kind == Fact::Kind::kUnknown) return true;
    if (!fact.is_tensor() || !take_type(pattern.type, fact.element)) return false;
    if (!pattern.axes || !fact.shape) return true;
    const std::vector<Axis>& axes = *pattern.axes;
    const auto rest = std::find_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.is_rest; });
    const bool has_rest = rest != axes.end();
    if (has_rest ? fact.rank() + 1 < axes.size() : fact.rank() != axes.size()) return false;
    std::size_t at = 0;
    for (const Axis& axis : axes) {
      if (!axis.is_rest) {
        if (!take_size(axis, (*fact.shape)[at++])) return false;
        continue;
      }
      const std::size_t count = fact.rank() + 1 - axes.size();
      if (!take_rest(axis.rest, std::span(*fact.shape).subspan(at, count))) return false;
      at += count;
    }
    return true;
  }

  Fact made(const Pattern& pattern, std::size_t result) {
    Fact fact = Fact::tensor(type_of(pattern.type));
    if (!pattern.axes) return fact;
    Shape shape;
    for (const Axis& axis : *pattern.axes) {
      if (axis.is_rest) {
        const auto found = rests_.find(axis.rest);
        if (found == rests_.end()) return fact;
        shape.insert(shape.end(), found->second.begin(), found->second.end());
      } else if (axis.open) {
        const Value* value = node_.output(result);
        shape.push_back(dims_.fresh(fmt::format("{}.{}", value ? value->name() : node_.op_type(), shape.size())));
      } else {
        shape.push_back(value_of(axis.size));
      }
    }
    fact.shape = std::move(shape);
    return fact;
  }

  Dim value_of(const ShapeExpression& expression) {
    return expression.value(dims_, [this](const std::string& name) {
      const auto found = sizes_.find(name);
      return found == sizes_.end() ? Dim() : found->second;
    });
  }

 private:
  ElementType type_of(const std::string& name) const {
    if (const auto type = element_type_named(name)) return *type;
    const auto found = types_.find(name);
    return found == types_.end() ? ElementType::kUndefined : found->second;
  }

  bool take_type(const std::string& name, ElementType type) {
    if (type == ElementType::kUndefined) return true;
    if (const auto wanted = element_type_named(name)) return *wanted == type;
    return types_.emplace(name, type).first->second == type;
  }

  // A new name stands for this dim from now on; anything else must be equal to it.
  bool take_size(const Axis& axis, Dim dim) {
    if (axis.open || dim.is_unknown()) return true;
    const std::string& name = axis.size.name();
    if (!name.empty() && sizes_.emplace(name, dim).second) return true;
    const Dim wanted = value_of(axis.size);
    return wanted.is_unknown() || dims_.unify(wanted, dim);
  }

  bool take_rest(const std::string& name, std::span<const Dim> dims) {
    const auto [found, is_new] = rests_.emplace(name, Shape(dims.begin(), dims.end()));
    if (is_new) return true;
    if (found->second.size() != dims.size()) return false;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const bool known = !found->second[i].is_unknown() && !dims[i].is_unknown();
      if (known && !dims_.unify(found->second[i], dims[i])) return false;
    }
    return true;
  }

  const Node& node_;
  DimMath& dims_;
  std::map<std::string, Dim> sizes_;
  std::map<std::string, Shape> rests_;
  std::map<std::string, ElementType> types_;
};

}  // namespace

const ShapeRules::Rule* ShapeRules::rule_of(const Node& node, bool for_work) const {
  const std::string_view domain = normal_domain(node.domain());
  for (const Rule& rule : rules_) {
    if (rule.op == node.op_type() && rule.domain == domain && (for_work ? rule.says_work : rule.says_shapes))
      return &rule;
  }
  return nullptr;
}

bool ShapeRules::has_rule(const Node& node) const { return rule_of(node, false) != nullptr; }

std::optional<std::vector<Fact>> ShapeRules::infer(const Node& node, std::span<const Fact* const> operands,
                                                   DimMath& dims) const {
  const Rule* rule = rule_of(node, false);
  if (!rule) return std::nullopt;
  RuleBinding binding(*rule, node, dims);
  if (!binding.take_all(*rule, operands)) return std::nullopt;
  std::vector<Fact> results(node.output_count());
  for (std::size_t i = 0; i < results.size() && i < rule->results.size(); ++i)
    results[i] = binding.made(rule->results[i], i);
  return results;
}

std::optional<ShapeRules::Work> ShapeRules::work(const Node& node, std::span<const Fact* const> operands,
                                                 DimMath& dims) const {
  const Rule* rule = rule_of(node, true);
  if (!rule) return std::nullopt;
  RuleBinding binding(*rule, node, dims);
  if (!binding.take_all(*rule, operands)) return std::nullopt;
  return Work{binding.value_of(rule->macs), binding.value_of(rule->flops)};
}

}  // namespace onnxpress::ops
