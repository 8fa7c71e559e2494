// Weights that are another weight with other dims, transposed, sliced, or times a power of two.
#include "onnxpress/weights/lossless/derived.h"

#include <gtest/gtest.h>

#include <random>

#include "onnxpress/weights/lossless/permutation.h"

namespace onnxpress::weights {
namespace {

using Dims = std::vector<std::int64_t>;

class Weights {
 public:
  Weights() {
    model_.ir_version = 8;
    model_.opsets.push_back({.domain = "", .version = 17});
  }

  std::size_t add(const Dims& dims, const std::vector<float>& values) {
    auto* tensor = model_.arena().make<Tensor>();
    tensor->type = ElementType::kFloat;
    tensor->storage = Storage::kMade;
    tensor->dims = model_.arena().copy(std::span<const std::int64_t>(dims));
    tensor->content = Bytes::owned(std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4));
    Value* value = model_.graph().create_value(model_.arena().text("w" + std::to_string(members_.size())));
    model_.graph().add_initializer(value, tensor);
    members_.push_back({value, tensor, true});
    return members_.size() - 1;
  }

  // The method of the first offer that is proved; "" when there is none.
  std::string method_of(std::size_t i) {
    const DerivedIndex index(model_, members_);
    const Candidate candidate(model_, *members_[i].tensor, "w", Target::kOrt);
    for (const DerivedIndex::Offer& offer : index.offers_for(i, candidate)) {
      EXPECT_NE(offer.chain.base, nullptr);
      EXPECT_NE(offer.chain.base, members_[i].value);
      if (decodes_exactly(offer.chain, candidate)) return std::string(offer.method);
    }
    return "";
  }

 private:
  Model model_;
  std::vector<Member> members_;
};

std::vector<float> noise(std::size_t count, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<float> transposed(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  std::vector<float> turned(values.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) turned[j * rows + i] = values[i * columns + j];
  }
  return turned;
}

TEST(Derived, TheSameBytesInOtherDims) {
  Weights weights;
  weights.add({20, 30}, noise(600));
  EXPECT_EQ(weights.method_of(weights.add({600}, noise(600))), "reshaped");
  EXPECT_EQ(weights.method_of(0), "");  // the first one stays
}

TEST(Derived, ATransposedTwin) {
  Weights weights;
  weights.add({20, 30}, noise(600));
  EXPECT_EQ(weights.method_of(weights.add({30, 20}, transposed(noise(600), 20, 30))), "transposed");
  EXPECT_EQ(weights.method_of(weights.add({1, 30, 20, 1}, transposed(noise(600), 20, 30))), "transposed");
}

TEST(Derived, APart) {
  Weights weights;
  const auto all = noise(2400);
  weights.add({40, 60}, all);
  EXPECT_EQ(weights.method_of(weights.add({10, 60}, {all.begin() + 300, all.begin() + 900})), "sliced");
  std::vector<float> columns;
  for (std::size_t i = 0; i < 40; ++i)
    columns.insert(columns.end(), all.begin() + static_cast<std::ptrdiff_t>(i * 60 + 20),
                   all.begin() + static_cast<std::ptrdiff_t>(i * 60 + 40));
  EXPECT_EQ(weights.method_of(weights.add({40, 20}, columns)), "sliced");
  columns.back() = 0;
  EXPECT_EQ(weights.method_of(weights.add({40, 20}, columns)), "");
}

TEST(Derived, TimesAPowerOfTwo) {
  Weights weights;
  auto values = noise(500);
  values[0] = 0;
  weights.add({500}, values);
  for (float& value : values) value *= value == 0 ? 1.0F : -0.125F;
  EXPECT_EQ(weights.method_of(weights.add({500}, values)), "");  // 0 * -0.125 is -0.0, but the element is +0.0
  values[0] = -0.0F;
  for (float& value : values) value = -value;
  EXPECT_EQ(weights.method_of(weights.add({500}, values)), "scaled");
}

TEST(Derived, SomethingElse) {
  Weights weights;
  weights.add({20, 30}, noise(600));
  EXPECT_EQ(weights.method_of(weights.add({30, 20}, noise(600, 2))), "");
  auto shuffled = noise(600);
  std::swap(shuffled[5], shuffled[77]);  // the same elements, but not in any order of axes
  EXPECT_EQ(weights.method_of(weights.add({20, 30}, shuffled)), "");
}

TEST(Permutation, FindsTheOrderOfAxes) {
  const std::vector<float> from = noise(24);
  std::vector<float> to;
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 3; ++j) to.push_back(from[i * 12 + j * 4 + k]);
    }
  }
  const auto view = [](const std::vector<float>& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  };
  const Dims from_dims = {2, 3, 4}, to_dims = {4, 2, 3};
  const auto way = permutation_between(view(from), from_dims, view(to), to_dims, 4);
  ASSERT_TRUE(way);
  EXPECT_EQ(way->order, (Dims{2, 0, 1}));
}

}  // namespace
}  // namespace onnxpress::weights
