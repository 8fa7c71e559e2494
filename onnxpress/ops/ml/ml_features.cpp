// Features as numbers: ArrayFeatureExtractor, Binarizer, FeatureVectorizer, Imputer, Normalizer, Scaler.
#include "onnxpress/ops/ml/ml_features.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "onnxpress/ops/kernels/float_arrays.h"

namespace onnxpress::ops {

void infer_array_feature_extractor(Inference& in) {
  const Shape *x = in.shape(0), *y = in.shape(1);
  if (!x || x->empty()) return;
  Shape z = *x;
  if (z.size() == 1) z.insert(z.begin(), Dim::size(1));
  z.back() = y ? in.dims.product(*y) : Dim();
  in.set_shape(z);
}

bool evaluate_array_feature_extractor(Call& call) {
  const Array& x = call.array(0);
  const auto chosen = call.array(1).integers();
  if (!chosen) return call.fail_type();
  if (x.rank() == 0) return call.fail("the input has no axes");
  const std::int64_t features = x.sizes().back();
  for (const std::int64_t each : *chosen) {
    if (each < 0 || each >= features) return call.fail("an index is out of range");
  }
  Sizes sizes = x.sizes();
  if (sizes.size() == 1) sizes.insert(sizes.begin(), 1);
  sizes.back() = static_cast<std::int64_t>(chosen->size());
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  Array z = Array::make(x.type(), sizes);
  const std::size_t rows = features == 0 ? 0 : x.count() / static_cast<std::size_t>(features);
  for (std::size_t row = 0, to = 0; row < rows; ++row) {
    for (const std::int64_t each : *chosen) {
      const std::size_t from = row * static_cast<std::size_t>(features) + static_cast<std::size_t>(each);
      if (x.is_string()) {
        z.mutable_data<std::string>()[to++] = x.data<std::string>()[from];
      } else {
        std::memcpy(z.mutable_bytes() + x.width() * to++, x.bytes() + x.width() * from, x.width());
      }
    }
  }
  return call.done(std::move(z));
}

bool evaluate_binarizer(Call& call) {
  const Array numbers = converted<double>(call.array(0));
  if (numbers.type() != ElementType::kDouble) return call.fail_type();
  const double threshold = call.params.real_or("threshold", 0);
  std::vector<double> results;
  for (const double each : numbers.data<double>()) results.push_back(each > threshold ? 1 : 0);
  return call.done(*array_from(results, numbers.sizes(), call.array(0).type()));
}

// --- FeatureVectorizer

void infer_feature_vectorizer(Inference& in) {
  const auto widths = in.params.integers("inputdimensions");
  Dim rows, total = widths ? Dim::size(0) : Dim();
  for (std::size_t i = 0; widths && i < widths->size(); ++i)
    total = in.dims.add(total, (*widths)[i] >= 0 && Dim::fits((*widths)[i]) ? Dim::size((*widths)[i]) : Dim());
  for (std::size_t i = 0; i < in.operand_count(); ++i) {
    const Shape* x = in.shape(i);
    if (x && x->size() == 2 && rows.is_unknown()) rows = (*x)[0];
    if (x && x->size() == 1) rows = Dim::size(1);
  }
  in.set_shape({rows, total});
}

// Each operand gets the number of columns in `inputdimensions`: it is cut, or padded with zeros.
bool evaluate_feature_vectorizer(Call& call) {
  const auto widths = call.params.integers("inputdimensions");
  if (!widths || widths->size() != call.operand_count())
    return call.fail("inputdimensions must have one size per operand");
  std::vector<Array> parts;
  Sizes sizes{0, 0};
  for (std::size_t i = 0; i < widths->size(); ++i) {
    parts.push_back(converted<double>(call.array(i)));
    const Array& part = parts.back();
    if (part.type() != ElementType::kDouble) return call.fail_type();
    if (part.rank() != 1 && part.rank() != 2) return call.fail("an operand does not have one or two axes");
    const std::int64_t rows = part.rank() == 1 ? 1 : part.size(0);
    if (i > 0 && rows != sizes[0]) return call.fail("the operands have different numbers of rows");
    if ((*widths)[i] < 0 || (*widths)[i] > std::int64_t{1} << 32) return call.fail("inputdimensions is not valid");
    sizes[0] = rows;
    sizes[1] += (*widths)[i];
  }
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  std::vector<double> results;
  for (std::size_t row = 0; row < static_cast<std::size_t>(sizes[0]); ++row) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto width = static_cast<std::size_t>(parts[i].sizes().back());
      for (std::size_t k = 0; k < static_cast<std::size_t>((*widths)[i]); ++k)
        results.push_back(k < width ? parts[i].data<double>()[row * width + k] : 0);
    }
  }
  return call.done(*array_from(results, sizes, ElementType::kFloat));
}

// --- Column by column

namespace {

// result = work(element, column); lists of parameters have one entry, or one per column.
template <typename Work>
bool by_column(Call& call, ElementType type, std::initializer_list<std::size_t> lengths, Work&& work) {
  const Array numbers = converted<double>(call.array(0));
  if (numbers.type() != ElementType::kDouble) return call.fail_type();
  const std::size_t columns = numbers.rank() == 0 ? 1 : static_cast<std::size_t>(numbers.sizes().back());
  for (const std::size_t length : lengths) {
    if (length != 1 && length != columns) return call.fail("a list has neither one entry nor one per feature");
  }
  std::vector<double> results;
  for (std::size_t i = 0; i < numbers.count(); ++i) results.push_back(work(numbers.data<double>()[i], i % columns));
  return call.done(*array_from(results, numbers.sizes(), type));
}

}  // namespace

bool evaluate_scaler(Call& call) {
  const auto offset = call.params.reals("offset"), scale = call.params.reals("scale");
  if (!offset || !scale) return call.fail("offset or scale is missing");
  const auto at = [](const std::vector<float>& list, std::size_t i) { return list[list.size() == 1 ? 0 : i]; };
  return by_column(call, ElementType::kFloat, {offset->size(), scale->size()}, [&](double x, std::size_t column) {
    return (x - static_cast<double>(at(*offset, column))) * static_cast<double>(at(*scale, column));
  });
}

bool evaluate_imputer(Call& call) {
  const bool real = is_float(call.array(0).type());
  std::vector<double> values;
  for (const float each : call.params.reals("imputed_value_floats").value_or(std::vector<float>()))
    if (real) values.push_back(static_cast<double>(each));
  for (const std::int64_t each : call.params.integers("imputed_value_int64s").value_or(std::vector<std::int64_t>()))
    if (!real) values.push_back(static_cast<double>(each));
  if (values.empty()) return call.fail("there is no value to impute for this type");
  const double replaced = real ? call.params.real_or("replaced_value_float", 0)
                               : static_cast<double>(call.params.integer_or("replaced_value_int64", 0));
  return by_column(call, call.array(0).type(), {values.size()}, [&](double x, std::size_t column) {
    const bool hit = x == replaced || (std::isnan(x) && std::isnan(replaced));
    return hit ? values[values.size() == 1 ? 0 : column] : x;
  });
}

bool evaluate_normalizer(Call& call) {
  const Array numbers = converted<double>(call.array(0));
  const std::string_view norm = call.params.text_or("norm", "MAX");
  if (numbers.type() != ElementType::kDouble) return call.fail_type();
  if (norm != "MAX" && norm != "L1" && norm != "L2") return call.fail("norm is not known");
  if (numbers.rank() != 1 && numbers.rank() != 2) return call.fail("the input does not have one or two axes");
  std::vector<double> results(numbers.data<double>().begin(), numbers.data<double>().end());
  const auto columns = static_cast<std::size_t>(numbers.sizes().back());
  for (std::size_t begin = 0; columns > 0 && begin < results.size(); begin += columns) {
    const std::span row = std::span(results).subspan(begin, columns);
    double divisor = norm == "MAX" ? *std::max_element(row.begin(), row.end()) : 0;
    for (const double each : row) {
      if (norm == "L1") divisor += std::abs(each);
      if (norm == "L2") divisor += each * each;
    }
    if (norm == "L2") divisor = std::sqrt(divisor);
    if (divisor == 0) continue;
    for (double& each : row) each /= divisor;
  }
  return call.done(*array_from(results, numbers.sizes(), ElementType::kFloat));
}

}  // namespace onnxpress::ops
