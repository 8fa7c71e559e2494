// One overload for each kind of plain value.
#include "onnxpress/ir/same_value.h"

#include <algorithm>

namespace onnxpress {

namespace {

struct SameValue {
  template <typename A, typename B>
  bool operator()(const A&, const B&) const {
    return false;
  }
  bool operator()(std::monostate, std::monostate) const { return true; }
  bool operator()(float a, float b) const { return a == b || (a != a && b != b); }
  bool operator()(std::int64_t a, std::int64_t b) const { return a == b; }
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  bool operator()(const Type* a, const Type* b) const { return same_type(a, b); }
  template <typename T>
  bool operator()(std::span<T> a, std::span<T> b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
};

}  // namespace

bool same_plain_value(const Attribute::Value& a, const Attribute::Value& b) { return std::visit(SameValue(), a, b); }

}  // namespace onnxpress
