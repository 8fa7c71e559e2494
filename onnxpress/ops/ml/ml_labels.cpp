// Categories and labels: CategoryMapper, LabelEncoder, OneHotEncoder.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <unordered_map>

#include "onnxpress/base/error.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/kernels/float_arrays.h"
#include "onnxpress/ops/ml/ml_features.h"

namespace onnxpress::ops {

namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// Finds the position of a key; for equal keys, the last one. Numbers are compared by value, and NaN equals NaN.
class Lookup {
 public:
  explicit Lookup(const Array& keys) {
    if (keys.is_string()) {
      for (std::size_t i = 0; i < keys.count(); ++i) texts_[keys.data<std::string>()[i]] = i;
    } else if (const auto whole = keys.integers()) {
      for (std::size_t i = 0; i < whole->size(); ++i) integers_[(*whole)[i]] = i;
    } else if (const Array real = converted<double>(keys); real.type() == ElementType::kDouble) {
      for (std::size_t i = 0; i < real.count(); ++i)
        (std::isnan(real.data<double>()[i]) ? nan_ : reals_[real.data<double>()[i]]) = i;
    }
  }

  // The position of each element of x; kNowhere for elements that are not among the keys.
  std::optional<std::vector<std::size_t>> places(const Array& x) const {
    std::vector<std::size_t> found;
    const auto find = [&](const auto& table, const auto& key) {
      const auto entry = table.find(key);
      found.push_back(entry == table.end() ? kNowhere : entry->second);
    };
    if (x.is_string()) {
      for (const std::string& each : x.data<std::string>()) find(texts_, each);
    } else if (const auto whole = x.integers()) {
      for (const std::int64_t each : *whole) find(integers_, each);
    } else if (const Array real = converted<double>(x); real.type() == ElementType::kDouble) {
      for (const double each : real.data<double>()) {
        if (std::isnan(each)) {
          found.push_back(nan_);
        } else {
          find(reals_, each);
        }
      }
    } else {
      return std::nullopt;
    }
    return found;
  }

 private:
  std::unordered_map<std::string, std::size_t> texts_;
  std::unordered_map<std::int64_t, std::size_t> integers_;
  std::unordered_map<double, std::size_t> reals_;
  std::size_t nan_ = kNowhere;
};

Array texts_as_array(std::span<const std::string_view> texts) {
  Array made = Array::make<std::string>({static_cast<std::int64_t>(texts.size())});
  std::copy(texts.begin(), texts.end(), made.mutable_data<std::string>().begin());
  return made;
}

// values[place], or the default for elements without a place.
Array mapped(std::span<const std::size_t> places, const Array& values, const Array& otherwise, const Sizes& sizes) {
  Array made = Array::make(values.type(), sizes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool found = places[i] < values.count();
    const Array& from = found ? values : otherwise;
    const std::size_t at = found ? places[i] : 0;
    if (made.is_string()) {
      made.mutable_data<std::string>()[i] = from.data<std::string>()[at];
    } else {
      std::memcpy(made.mutable_bytes() + i * made.width(), from.bytes() + at * made.width(), made.width());
    }
  }
  return made;
}

// The list of a LabelEncoder from whichever attribute is present: prefix_strings, _int64s, _floats or _tensor.
std::optional<Array> list_of(const Params& params, const std::string& prefix) {
  if (const auto texts = params.texts(prefix + "_strings")) return texts_as_array(*texts);
  if (const auto integers = params.integers(prefix + "_int64s")) return Array::of<std::int64_t>(*integers);
  if (const auto reals = params.reals(prefix + "_floats")) return Array::of<float>(*reals);
  const Tensor* tensor = params.tensor(prefix + "_tensor");
  if (!tensor) return std::nullopt;
  try {
    return Array::from(*tensor);
  } catch (const Error&) {
    return std::nullopt;
  }
}

Array default_label(const Params& params, ElementType type) {
  if (params.tensor("default_tensor")) {
    const auto given = list_of(params, "default");
    if (given && given->type() == type && given->count() == 1) return *given;
  }
  if (type == ElementType::kString) return Array::scalar(std::string(params.text_or("default_string", "_Unused")));
  const double number = is_float(type) ? params.real_or("default_float", -0.0)
                                       : static_cast<double>(params.integer_or("default_int64", -1));
  return array_from(std::span(&number, 1), {}, type).value_or(Array());
}

// Before version 2: maps strings to their position in a list, and back.
bool encode_by_place(Call& call, const Array& classes) {
  const Array& x = call.array(0);
  if (x.is_string()) {
    std::vector<std::int64_t> numbers(classes.count());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
    return call.done(mapped(*Lookup(classes).places(x), Array::of<std::int64_t>(numbers),
                            default_label(call.params, ElementType::kInt64), x.sizes()));
  }
  const auto whole = x.integers();
  if (!whole) return call.fail_type();
  std::vector<std::size_t> places;
  for (const std::int64_t each : *whole) places.push_back(each < 0 ? kNowhere : static_cast<std::size_t>(each));
  return call.done(mapped(places, classes, default_label(call.params, ElementType::kString), x.sizes()));
}

void infer_swapped_type(Inference& in) {
  in.same_as(0, 0);
  const ElementType from = in.operand(0).element;
  if (from == ElementType::kString) in.set_element(0, ElementType::kInt64);
  if (from == ElementType::kInt64) in.set_element(0, ElementType::kString);
}

// A list of labels in an attribute: its element type and length. Nothing if it is of another kind, or not of rank 1.
struct LabelList {
  ElementType type = ElementType::kUndefined;
  std::size_t count = 0;

  // From the attribute with this prefix that is given.
  static LabelList of(const Params& params, const std::string& prefix) {
    if (const Tensor* tensor = params.attribute(prefix + "_tensor") ? params.tensor(prefix + "_tensor") : nullptr)
      return tensor->dims.size() == 1 ? LabelList{tensor->type, static_cast<std::size_t>(tensor->dims[0])}
                                      : LabelList();
    if (params.attribute(prefix + "_strings"))
      return {ElementType::kString, params.texts(prefix + "_strings").value_or(std::vector<std::string_view>()).size()};
    if (params.attribute(prefix + "_int64s"))
      return {ElementType::kInt64, params.integers(prefix + "_int64s").value_or(Sizes()).size()};
    if (params.attribute(prefix + "_floats"))
      return {ElementType::kFloat, params.reals(prefix + "_floats").value_or(std::vector<float>()).size()};
    return {};
  }
};

bool require_default_label(Inference& in, const LabelList& values) {
  const Tensor* otherwise = in.params.tensor("default_tensor");
  if (!otherwise || !is_known(otherwise->type)) return true;
  const bool is_one = otherwise->dims.size() == 1 && otherwise->dims[0] == 1;
  if (otherwise->type == values.type && is_one) return true;
  in.contradict(fmt::format("default_tensor is {}, but must be {}[1]", to_string(otherwise->type, otherwise->dims),
                            name_of(values.type)));
  return false;
}

bool require_one_axis(Inference& in, std::string_view tensor) {
  const Tensor* labels = in.params.attribute(tensor) ? in.params.tensor(tensor) : nullptr;
  if (!labels || labels->dims.size() == 1) return true;
  in.contradict(fmt::format("{} has rank {}, but must have rank 1", tensor, labels->dims.size()));
  return false;
}

bool require_labels(Inference& in) {
  if (!require_one_of(in, {"keys_tensor", "keys_strings", "keys_int64s", "keys_floats"}, true) ||
      !require_one_of(in, {"values_tensor", "values_strings", "values_int64s", "values_floats"}, true))
    return false;
  if (!require_one_axis(in, "keys_tensor") || !require_one_axis(in, "values_tensor")) return false;
  const LabelList keys = LabelList::of(in.params, "keys"), values = LabelList::of(in.params, "values");
  const ElementType from = in.operand(0).element;
  if (is_known(from) && is_known(keys.type) && from != keys.type) {
    in.contradict(fmt::format("operand 0 is {}, but the keys are {}", name_of(from), name_of(keys.type)));
    return false;
  }
  if (is_known(keys.type) && is_known(values.type) && keys.count != values.count) {
    in.contradict(fmt::format("has {} keys, but {} values", keys.count, values.count));
    return false;
  }
  return !is_known(values.type) || require_default_label(in, values);
}

}  // namespace

void infer_label_encoder(Inference& in) {
  if (in.params.schema().attribute("classes_strings")) return infer_swapped_type(in);
  if (!require_labels(in)) return;
  in.same_as(0, 0);
  if (in.params.attribute("values_strings")) {
    in.set_element(0, ElementType::kString);
  } else if (in.params.attribute("values_int64s")) {
    in.set_element(0, ElementType::kInt64);
  } else if (in.params.attribute("values_floats")) {
    in.set_element(0, ElementType::kFloat);
  } else if (const Tensor* values = in.params.tensor("values_tensor"); values && is_known(values->type)) {
    in.set_element(0, values->type);
  }
}

bool evaluate_label_encoder(Call& call) {
  const Array& x = call.array(0);
  if (const auto classes = call.params.texts("classes_strings")) return encode_by_place(call, texts_as_array(*classes));
  const auto keys = list_of(call.params, "keys"), values = list_of(call.params, "values");
  if (!keys || !values || keys->count() != values->count()) return call.fail("the numbers of keys and values differ");
  if (keys->type() != x.type()) return call.fail("the keys do not have the type of the input");
  const auto places = Lookup(*keys).places(x);
  const Array otherwise = default_label(call.params, values->type());
  if (!places || otherwise.count() != 1) return call.fail_type();
  return call.done(mapped(*places, *values, otherwise, x.sizes()));
}

void infer_category_mapper(Inference& in) {
  const auto integers = in.params.integers("cats_int64s");
  const auto texts = in.params.texts("cats_strings");
  for (const std::string_view name : {"cats_int64s", "cats_strings"}) {
    if (!in.params.attribute(name)) return in.contradict(fmt::format("has no attribute {}", name));
  }
  if (integers && texts && integers->size() != texts->size())
    return in.contradict(
        fmt::format("cats_int64s has {} entries, but cats_strings has {}", integers->size(), texts->size()));
  infer_swapped_type(in);
}

bool evaluate_category_mapper(Call& call) {
  const Array& x = call.array(0);
  const auto integers = call.params.integers("cats_int64s");
  const auto texts = call.params.texts("cats_strings");
  if (!integers || !texts || integers->size() != texts->size())
    return call.fail("the numbers of integers and strings differ");
  const Array numbers = Array::of<std::int64_t>(*integers), names = texts_as_array(*texts);
  if (x.is_string())
    return call.done(
        mapped(*Lookup(names).places(x), numbers, default_label(call.params, ElementType::kInt64), x.sizes()));
  if (x.type() != ElementType::kInt64) return call.fail_type();
  return call.done(
      mapped(*Lookup(numbers).places(x), names, default_label(call.params, ElementType::kString), x.sizes()));
}

void infer_one_hot_encoder(Inference& in) {
  if (!require_one_of(in, {"cats_int64s", "cats_strings"}, true)) return;
  const Shape* x = in.shape(0);
  if (!x) return;
  const auto integers = in.params.integers("cats_int64s");
  const auto texts = in.params.texts("cats_strings");
  const std::size_t categories = integers && !integers->empty() ? integers->size() : texts ? texts->size() : 0;
  Shape y = *x;
  y.push_back(categories > 0 ? Dim::size(static_cast<std::int64_t>(categories)) : Dim());
  in.set_shape(y);
  if (in.result_count() > 0) in.result().range = {0, 1, true};
}

bool evaluate_one_hot_encoder(Call& call) {
  const Array& given = call.array(0);
  const auto integers = call.params.integers("cats_int64s");
  const auto texts = call.params.texts("cats_strings");
  const Array categories = given.is_string() ? texts_as_array(texts.value_or(std::vector<std::string_view>()))
                                             : Array::of<std::int64_t>(integers.value_or(std::vector<std::int64_t>()));
  if (categories.count() == 0) return call.fail("there are no categories of the input's type");
  Array x = given;
  if (is_float(given.type())) {
    const Array numbers = converted<double>(given);
    const auto whole = numbers.type() == ElementType::kDouble
                           ? array_from(numbers.data<double>(), given.sizes(), ElementType::kInt64)
                           : std::nullopt;
    if (!whole) return call.fail_type();
    x = *whole;
  }
  const auto places = Lookup(categories).places(x);
  if (!places) return call.fail_type();
  Sizes sizes = x.sizes();
  sizes.push_back(static_cast<std::int64_t>(categories.count()));
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  Array y = Array::make<float>(sizes);
  std::memset(y.mutable_bytes(), 0, y.count() * y.width());
  for (std::size_t i = 0; i < places->size(); ++i) {
    if ((*places)[i] != kNowhere) {
      y.mutable_data<float>()[i * categories.count() + (*places)[i]] = 1;
    } else if (call.params.integer_or("zeros", 1) == 0) {
      return call.fail("an element is not one of the categories");
    }
  }
  return call.done(std::move(y));
}

}  // namespace onnxpress::ops
