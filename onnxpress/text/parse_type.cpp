// Types ("float[N, 3]", "seq(map(int64, string))") and declarations ("float[N, 3] x").
#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/text/limits.h"
#include "onnxpress/text/name_syntax.h"
#include "onnxpress/text/numbers.h"
#include "onnxpress/text/parser.h"

namespace onnxpress::text {

namespace {

// Suggests the ONNX name for type names from other tools and languages.
std::string hint_for_type(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
      {"float32", "float"}, {"float64", "double"}, {"half", "float16"},        {"int", "int64"},    {"uint", "uint64"},
      {"long", "int64"},    {"str", "string"},     {"boolean", "bool"},        {"sequence", "seq"}, {"byte", "uint8"},
      {"f32", "float"},     {"f16", "float16"},    {"float8", "float8e4m3fn"}, {"tensor", "float"},
  };
  for (const auto& [foreign, ours] : kForeign) {
    if (word == foreign) return fmt::format("'{}' is written '{}'", foreign, ours);
  }
  return "types are float, int64, string, ... or seq(), map(), optional(), sparse_tensor(), opaque()";
}

}  // namespace

bool Parser::at_type() {
  const std::string_view word = in_.peek_identifier();
  if (is_type_word(word)) return true;
  // "undefined" is not a word of the official syntax, so it is a type only if what follows shows that it is not a name.
  if (word != name_of(ElementType::kUndefined)) return false;
  const char after = in_.peek_after_identifier();
  return after == '[' || after == '{' || after == '"' || after == '_' || (after >= 'a' && after <= 'z') ||
         (after >= 'A' && after <= 'Z');
}

ElementType Parser::parse_element_type(std::string_view what) {
  const char* place = in_.place();
  const std::string_view word = in_.identifier(what);
  if (word == name_of(ElementType::kUndefined)) return ElementType::kUndefined;
  const auto element = element_type_named(word);
  if (!element) in_.fail_at(place, fmt::format("unknown type {}", quote_name(word)), hint_for_type(word));
  return *element;
}

const Type* Parser::parse_type(std::size_t depth) {
  if (depth >= kMaxTypeDepth) in_.fail(fmt::format("types are nested more than {} deep", kMaxTypeDepth));
  auto* type = arena_.make<Type>();
  const std::string_view word = in_.peek_identifier();
  // An inner type may be missing, as in a binary file.
  const auto parse_inner = [&] { return in_.peek() == ')' ? nullptr : parse_type(depth + 1); };
  const auto open = [&](Type::Kind kind) {
    type->kind = kind;
    in_.take_identifier();
    in_.expect('(', fmt::format("after '{}'", word));
  };
  const auto close = [&] { in_.expect(')', fmt::format("to end '{}('", word)); };
  if (word == "seq" || word == "optional") {
    open(word == "seq" ? Type::Kind::kSequence : Type::Kind::kOptional);
    type->inner = parse_inner();
    close();
  } else if (word == "map") {
    open(Type::Kind::kMap);
    type->element = parse_element_type("the type of the map's keys");
    in_.expect(',', "after the type of the map's keys");
    type->inner = parse_inner();
    close();
  } else if (word == "sparse_tensor") {
    open(Type::Kind::kSparseTensor);
    parse_tensor_type(*type);
    close();
  } else if (word == "opaque") {
    open(Type::Kind::kOpaque);
    parse_opaque_type(*type);
    close();
  } else {
    type->kind = Type::Kind::kTensor;
    parse_tensor_type(*type);
  }
  return type;
}

// In the official syntax, "float" is a scalar and "float[]" has any rank, not the other way round.
void Parser::parse_tensor_type(Type& type) {
  type.element = parse_element_type("a type");
  if (!in_.take('[')) {
    type.has_shape = true;
  } else if (!in_.take(']')) {
    type.has_shape = true;
    type.dims = parse_dims();
    in_.expect(']', "after the dimensions");
  }
}

std::span<const Dim> Parser::parse_dims() {
  std::vector<Dim> dims;
  do {
    if (dims.size() == kMaxRank) in_.fail(fmt::format("a shape has more than {} dimensions", kMaxRank));
    const char* place = in_.place();
    if (in_.take('?')) {
      dims.emplace_back();
    } else if (in_.at_name()) {
      const std::string_view name = in_.name("a dimension");
      dims.push_back(name.empty() ? Dim() : Dim::symbol(model_.context().symbol(name)));
    } else {
      const auto size = to_int64(in_.number("a dimension: a size, a name or '?'"));
      if (!size || !Dim::fits(*size)) in_.fail_at(place, "a dimension must be an integer of at most 62 bits");
      dims.push_back(Dim::size(*size));
    }
  } while (in_.take(','));
  return in_arena(dims);
}

// opaque(), opaque(name) or opaque(domain, name); both may have dots.
void Parser::parse_opaque_type(Type& type) {
  const auto qualified = [this] {
    std::string all(in_.name("the name of the opaque type"));
    while (in_.take('.')) {
      all += '.';
      all += in_.name("the next part of the name");
    }
    return arena_.text(all);
  };
  if (in_.peek() == ')') return;
  type.opaque_name = qualified();
  if (!in_.take(',')) return;
  type.opaque_domain = type.opaque_name;
  type.opaque_name = qualified();
}

DeclarationSyntax Parser::parse_declaration(std::string_view what) {
  DeclarationSyntax declaration;
  declaration.annotations = parse_annotations(kDoc | kMetadata | kDenotation | kDimDenotations, what);
  const char* place = in_.place();
  if (at_type()) {
    declaration.type = with_denotations(parse_type(), declaration.annotations);
    place = in_.place();
    declaration.name = in_.name(fmt::format("the name of {} after its type", what));
  } else {
    declaration.name = in_.name(fmt::format("{}: a type and a name", what));
    if (const char c = in_.peek(); c == '[' || c == '(' || in_.at_name()) {
      in_.fail_at(place, fmt::format("unknown type {}", quote_name(declaration.name)), hint_for_type(declaration.name));
    }
  }
  const bool denoted = declaration.annotations.denotation.data() || !declaration.annotations.dim_denotations.empty();
  if (!declaration.type && denoted)
    in_.fail_at(declaration.annotations.place, "a denotation is given for something without a type");
  if (declaration.name.empty()) in_.fail_at(place, fmt::format("{} needs a name that is not empty", what));
  return declaration;
}

const Type* Parser::with_denotations(const Type* type, const Annotations& annotations) {
  if (!annotations.denotation.data() && annotations.dim_denotations.empty()) return type;
  Type changed = *type;
  changed.denotation = annotations.denotation;
  if (!annotations.dim_denotations.empty()) {
    if (annotations.dim_denotations.size() != type->dims.size()) {
      in_.fail_at(annotations.place, fmt::format("{} denotations are given for {} dimensions",
                                                 annotations.dim_denotations.size(), type->dims.size()));
    }
    changed.dim_denotations = in_arena(annotations.dim_denotations);
  }
  return arena_.make<Type>(changed);
}

}  // namespace onnxpress::text
