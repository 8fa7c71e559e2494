// Maps: CastMap, DictVectorizer, ZipMap.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onnxpress/base/from_chars.h"
#include "onnxpress/ops/core/rules.h"
#include "onnxpress/ops/ml/ml_features.h"

namespace onnxpress::ops {

namespace {

const Map* map_of(Call& call) {
  if (!call.has(0)) return nullptr;
  const auto* held = std::get_if<std::shared_ptr<const Map>>(&call.datum(0).content);
  return held ? held->get() : nullptr;
}

Dim size_or_unknown(std::int64_t size) { return size >= 0 && Dim::fits(size) ? Dim::size(size) : Dim(); }

}  // namespace

// --- CastMap

void infer_cast_map(Inference& in) {
  const std::string_view to = in.params.text_or("cast_to", "TO_FLOAT");
  in.set_element(0, to == "TO_STRING"  ? ElementType::kString
                    : to == "TO_INT64" ? ElementType::kInt64
                                       : ElementType::kFloat);
  if (in.result_count() == 0) return;
  const bool sparse = in.params.text_or("map_form", "DENSE") == "SPARSE";
  in.set_shape({Dim::size(1), sparse ? size_or_unknown(in.params.integer_or("max_map", 1)) : in.fresh(0, 1)});
}

namespace {

// Converts one value of the map to the type of `to`.
bool cast_value(const Array& values, std::size_t i, Array& to, std::size_t at) {
  if (values.is_string()) {
    const std::string& text = values.data<std::string>()[i];
    if (to.is_string()) {
      to.mutable_data<std::string>()[at] = text;
      return true;
    }
    float number = 0;
    const auto [end, error] = onnxpress::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    if (to.type() == ElementType::kFloat) {
      to.mutable_data<float>()[at] = number;
    } else {
      if (!(std::abs(number) < 9e18F)) return false;
      to.mutable_data<std::int64_t>()[at] = static_cast<std::int64_t>(number);
    }
    return true;
  }
  if (values.type() != ElementType::kFloat) return false;
  const float number = values.data<float>()[i];
  if (to.is_string()) {
    to.mutable_data<std::string>()[at] = fmt::format("{:f}", number);
  } else if (to.type() == ElementType::kFloat) {
    to.mutable_data<float>()[at] = number;
  } else {
    if (!(std::abs(number) < 9e18F)) return false;
    to.mutable_data<std::int64_t>()[at] = static_cast<std::int64_t>(number);
  }
  return true;
}

}  // namespace

bool evaluate_cast_map(Call& call) {
  const Map* map = map_of(call);
  if (!map || map->keys.type() != ElementType::kInt64) return call.fail("the operand is not a map with integer keys");
  const auto keys = map->keys.data<std::int64_t>();
  const bool sparse = call.params.text_or("map_form", "DENSE") == "SPARSE";
  const std::int64_t length = sparse ? call.params.integer_or("max_map", 1) : static_cast<std::int64_t>(keys.size());
  if (!count_of(Sizes{1, length})) return call.fail("max_map is not valid");
  const std::string_view to = call.params.text_or("cast_to", "TO_FLOAT");
  const ElementType type = to == "TO_STRING"  ? ElementType::kString
                           : to == "TO_INT64" ? ElementType::kInt64
                                              : ElementType::kFloat;
  Array made = Array::make(type, {1, length});
  if (type == ElementType::kFloat) std::fill_n(made.mutable_data<float>().data(), made.count(), 0.0F);
  if (type == ElementType::kInt64) std::fill_n(made.mutable_data<std::int64_t>().data(), made.count(), 0);
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t at = sparse ? keys[order[i]] : static_cast<std::int64_t>(i);
    if (at < 0 || at >= length) return call.fail("a key is beyond max_map");
    if (!cast_value(map->values, order[i], made, static_cast<std::size_t>(at)))
      return call.fail("a value cannot be cast");
  }
  return call.done(std::move(made));
}

// --- DictVectorizer

void infer_dict_vectorizer(Inference& in) {
  const auto integers = in.params.integers("int64_vocabulary");
  const auto texts = in.params.texts("string_vocabulary");
  const std::size_t length = integers && !integers->empty() ? integers->size() : texts ? texts->size() : 0;
  in.set_shape({Dim::size(1), length ? Dim::size(static_cast<std::int64_t>(length)) : Dim()});
  if (const auto& values = in.operand(0).inner; values && values->is_tensor()) in.set_element(0, values->element);
}

namespace {

template <typename T>
Array vectorized(const Map& map, std::span<const std::size_t> places, std::int64_t length) {
  Array made = Array::make<T>({1, length});
  std::fill_n(made.mutable_data<T>().data(), made.count(), T());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < made.count()) made.mutable_data<T>()[places[i]] = map.values.data<T>()[i];
  }
  return made;
}

// The position of each key of the map in the vocabulary; the length of the vocabulary for unknown keys.
template <typename Key, typename Word>
std::vector<std::size_t> places_in(std::span<const Key> keys, std::span<const Word> vocabulary) {
  std::vector<std::size_t> places;
  for (const Key& key : keys)
    places.push_back(
        static_cast<std::size_t>(std::find(vocabulary.begin(), vocabulary.end(), key) - vocabulary.begin()));
  return places;
}

}  // namespace

bool evaluate_dict_vectorizer(Call& call) {
  const Map* map = map_of(call);
  if (!map) return call.fail("the operand is not a map");
  std::vector<std::size_t> places;
  std::int64_t length = 0;
  if (map->keys.is_string()) {
    const auto words = call.params.texts("string_vocabulary").value_or(std::vector<std::string_view>());
    places = places_in(map->keys.data<std::string>(), std::span<const std::string_view>(words));
    length = static_cast<std::int64_t>(words.size());
  } else if (map->keys.type() == ElementType::kInt64) {
    const auto words = call.params.integers("int64_vocabulary").value_or(std::vector<std::int64_t>());
    places = places_in(map->keys.data<std::int64_t>(), std::span<const std::int64_t>(words));
    length = static_cast<std::int64_t>(words.size());
  }
  using Types = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kInt64, ElementType::kString>;
  return dispatch(Types(), map->values.type(),
                  [&]<typename T>() { return call.done(vectorized<T>(*map, places, length)); }) ||
         call.fail("the map's values have a type that is not supported");
}

// --- ZipMap

void infer_zip_map(Inference& in) {
  if (!require_one_of(in, {"classlabels_strings", "classlabels_int64s"}, true)) return;
  if (const Shape* x = in.shape(0); x && x->size() != 1 && x->size() != 2)
    return in.contradict(fmt::format("operand 0 has rank {}, but must have rank 1 or 2", x->size()));
  const bool texts = in.params.given("classlabels_strings");
  Fact map{.kind = Fact::Kind::kMap, .element = texts ? ElementType::kString : ElementType::kInt64};
  map.inner = std::make_shared<const Fact>(Fact::tensor(ElementType::kFloat, {}));
  in.set(0, {.kind = Fact::Kind::kSequence, .inner = std::make_shared<const Fact>(std::move(map))});
}

bool evaluate_zip_map(Call& call) {
  const Array& x = call.array(0);
  if (x.type() != ElementType::kFloat) return call.fail_type();
  if (x.rank() != 1 && x.rank() != 2) return call.fail("the input does not have one or two axes");
  Array keys;
  if (const auto texts = call.params.texts("classlabels_strings"); texts && !texts->empty()) {
    keys = Array::make<std::string>({static_cast<std::int64_t>(texts->size())});
    std::copy(texts->begin(), texts->end(), keys.mutable_data<std::string>().begin());
  } else {
    keys = Array::of<std::int64_t>(call.params.integers("classlabels_int64s").value_or(std::vector<std::int64_t>()));
  }
  const auto columns = static_cast<std::size_t>(x.sizes().back());
  if (columns != keys.count() || columns == 0) return call.fail("the number of labels is not the number of columns");
  Sequence maps;
  for (std::size_t begin = 0; begin < x.count(); begin += columns) {
    Datum map;
    map.content = std::make_shared<const Map>(Map{keys, Array::of<float>(x.data<float>().subspan(begin, columns))});
    maps.push_back(std::move(map));
  }
  return call.done(Datum(std::move(maps)));
}

}  // namespace onnxpress::ops
