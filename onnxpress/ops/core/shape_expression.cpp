// Parses expressions by recursive descent into steps of a stack machine.
#include "onnxpress/ops/core/shape_expression.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"

namespace onnxpress::ops {

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

namespace {

constexpr std::size_t kDeepest = 64;  // nested parentheses

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

}  // namespace

struct ShapeExpression::Parser {
  std::string_view& text;
  std::vector<Step>& steps;
  std::size_t depth = 0;

  char next() {
    text = without_blanks(text);
    return text.empty() ? '\0' : text.front();
  }
  bool take(char wanted) {
    if (next() != wanted) return false;
    text.remove_prefix(1);
    return true;
  }
  void require(char wanted) {
    if (!take(wanted)) fail(fmt::format("'{}' is missing", wanted));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("", fmt::format("{} at {}", what, text.empty() ? "the end" : quote_name(text.substr(0, 20))), "");
  }

  void sum() {
    if (++depth > kDeepest) fail("too many parentheses");
    product();
    while (next() == '+' || next() == '-') {
      const Kind kind = take('+') ? Kind::kAdd : Kind::kSubtract;
      if (kind == Kind::kSubtract) take('-');
      product();
      steps.push_back({kind, 0, {}});
    }
    --depth;
  }

  void product() {
    factor();
    for (;;) {
      const char sign = next();
      if (sign != '*' && sign != '/' && sign != '%') return;
      text.remove_prefix(1);
      factor();
      steps.push_back({sign == '*' ? Kind::kMultiply : sign == '/' ? Kind::kDivide : Kind::kModulo, 0, {}});
    }
  }

  void factor() {
    const char first = next();
    if (take('(')) {
      sum();
      require(')');
    } else if (first >= '0' && first <= '9') {
      number();
    } else if (is_name_start(first)) {
      name_or_function();
    } else {
      fail("a number, a name or '(' is missing");
    }
  }

  void number() {
    std::int64_t value = 0;
    const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !Dim::fits(value)) fail("a number is too large");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    steps.push_back({Kind::kNumber, value, {}});
  }

  void name_or_function() {
    std::size_t length = 0;
    while (length < text.size() && is_name_part(text[length])) ++length;
    const std::string name(text.substr(0, length));
    text.remove_prefix(length);
    if (next() != '(') {
      steps.push_back({Kind::kName, 0, name});
      return;
    }
    require('(');
    sum();
    if (name == "min" || name == "max") {
      require(',');
      sum();
      steps.push_back({name == "min" ? Kind::kMin : Kind::kMax, 0, {}});
    } else if (name == "ceil" && steps.back().kind == Kind::kDivide) {
      steps.back().kind = Kind::kCeilDivide;
    } else if (name != "floor") {
      fail(name == "ceil" ? "ceil() takes a division" : fmt::format("{} is not a function", quote_name(name)));
    }
    require(')');
  }
};

ShapeExpression ShapeExpression::take(std::string_view& text) {
  ShapeExpression made;
  Parser{text, made.steps_}.sum();
  return made;
}

const std::string& ShapeExpression::name() const {
  static const std::string kNone;
  return steps_.size() == 1 && steps_[0].kind == Kind::kName ? steps_[0].name : kNone;
}

Dim ShapeExpression::value(DimMath& dims, const std::function<Dim(const std::string& name)>& dim_of) const {
  std::vector<Dim> stack;
  for (const Step& step : steps_) {
    if (step.kind == Kind::kNumber || step.kind == Kind::kName) {
      stack.push_back(step.kind == Kind::kNumber ? Dim::size(step.number) : dim_of(step.name));
      continue;
    }
    const Dim b = stack.back();
    stack.pop_back();
    Dim& a = stack.back();
    switch (step.kind) {
      case Kind::kAdd:
        a = dims.add(a, b);
        break;
      case Kind::kSubtract:
        a = dims.sub(a, b);
        break;
      case Kind::kMultiply:
        a = dims.mul(a, b);
        break;
      case Kind::kDivide:
        a = dims.floor_div(a, b);
        break;
      case Kind::kCeilDivide:
        a = dims.ceil_div(a, b);
        break;
      case Kind::kModulo:
        a = dims.mod(a, b);
        break;
      case Kind::kMin:
        a = dims.min(a, b);
        break;
      default:
        a = dims.max(a, b);
        break;
    }
  }
  return stack.front();
}

}  // namespace onnxpress::ops
