// How much tensors differ, for every element type and form of storage; and which nodes are matched.
#include "onnxpress/analysis/diff/differences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "onnxpress/base/error.h"

namespace onnxpress::analysis {
namespace {

// --- Tensors

template <typename T>
std::string bytes_of(std::initializer_list<T> numbers) {
  std::string bytes;
  for (const T& number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return bytes;
}

// A stream that gives its content in pieces whose size is not a multiple of an element.
class Pieces final : public ByteStream {
 public:
  Pieces(std::string content, std::size_t piece) : content_(std::move(content)), piece_(piece) {}
  std::uint64_t size() const override { return content_.size(); }
  void produce(const std::function<void(std::string_view)>& take) const override {
    for (std::size_t at = 0; at < content_.size(); at += piece_) take(std::string_view(content_).substr(at, piece_));
  }

 private:
  std::string content_;
  std::size_t piece_;
};

class Zeros final : public ByteStream {
 public:
  explicit Zeros(std::uint64_t size) : size_(size) {}
  std::uint64_t size() const override { return size_; }
  void produce(const std::function<void(std::string_view)>& take) const override {
    take(std::string_view(static_cast<const char*>(nullptr), size_));
  }

 private:
  std::uint64_t size_;
};

class TensorTest : public testing::Test {
 protected:
  Tensor tensor(ElementType type, std::int64_t count, Tensor::Content content) {
    Tensor made;
    made.type = type;
    made.storage = Storage::kMade;
    made.dims = arena_.copy(std::span<const std::int64_t>(&count, 1));
    made.content = std::move(content);
    return made;
  }
  Tensor raw(ElementType type, std::int64_t count, std::string bytes) {
    return tensor(type, count, Bytes::owned(std::move(bytes)));
  }

  Arena arena_;
};

TEST_F(TensorTest, FindsTheLargestDifference) {
  const Tensor a = raw(ElementType::kFloat, 4, bytes_of<float>({1, 2, 3, 4})),
               b = raw(ElementType::kFloat, 4, bytes_of<float>({1, 2.5, 1, 4}));
  const auto distance = distance_between(a, b);
  ASSERT_TRUE(distance);
  EXPECT_EQ(distance->elements, 4U);
  EXPECT_EQ(distance->differing, 2U);
  EXPECT_EQ(distance->max_absolute, 2);
  EXPECT_EQ(distance->at, 2U);
  EXPECT_DOUBLE_EQ(distance->max_relative, 2.0 / 3);
  EXPECT_EQ(distance_between(a, b, 0.5)->differing, 1U);
  EXPECT_EQ(distance_between(a, b, 2)->differing, 0U);
}

TEST_F(TensorTest, SeesBitsWithoutTolerance) {
  const Tensor a = raw(ElementType::kFloat, 1, bytes_of<float>({0.0F})),
               b = raw(ElementType::kFloat, 1, bytes_of<float>({-0.0F}));
  EXPECT_EQ(distance_between(a, b)->differing, 1U);
  EXPECT_EQ(distance_between(a, b)->max_absolute, 0);
  EXPECT_EQ(distance_between(a, b, 1e-9)->differing, 0U);
}

TEST_F(TensorTest, KnowsNansAndInfinities) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Tensor a = raw(ElementType::kFloat, 4, bytes_of<float>({nan, nan, inf, inf}));
  const Tensor b = raw(ElementType::kFloat, 4, bytes_of<float>({nan, 1, inf, 1}));
  const auto distance = distance_between(a, b, 0.1);
  EXPECT_EQ(distance->differing, 2U);
  EXPECT_EQ(distance->one_sided_nans, 1U);
  EXPECT_EQ(distance->max_absolute, inf);
  EXPECT_EQ(distance->at, 3U);
}

TEST_F(TensorTest, KeepsTheLowBitsOfLargeIntegers) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 60;
  EXPECT_EQ(distance_between(raw(ElementType::kInt64, 1, bytes_of<std::int64_t>({kLarge})),
                             raw(ElementType::kInt64, 1, bytes_of<std::int64_t>({kLarge + 1})))
                ->max_absolute,
            1);
  EXPECT_EQ(distance_between(raw(ElementType::kInt64, 1, bytes_of<std::int64_t>({INT64_MIN})),
                             raw(ElementType::kInt64, 1, bytes_of<std::int64_t>({INT64_MAX})))
                ->max_absolute,
            0x1p64);
  EXPECT_EQ(distance_between(raw(ElementType::kUint64, 1, bytes_of<std::uint64_t>({UINT64_MAX})),
                             raw(ElementType::kUint64, 1, bytes_of<std::uint64_t>({UINT64_MAX - 2})))
                ->max_absolute,
            2);
}

// One pair of elements per type that differ by one: 2 and 3, or neighbouring values.
TEST_F(TensorTest, DecodesEveryType) {
  struct Case {
    ElementType type;
    std::string two, three;
  };
  const Case cases[] = {
      {ElementType::kFloat, bytes_of<float>({2}), bytes_of<float>({3})},
      {ElementType::kDouble, bytes_of<double>({2}), bytes_of<double>({3})},
      {ElementType::kInt8, bytes_of<std::int8_t>({-2}), bytes_of<std::int8_t>({-3})},
      {ElementType::kUint8, "\x02", "\x03"},
      {ElementType::kBool, std::string("\x00", 1), "\x01"},
      {ElementType::kInt16, bytes_of<std::int16_t>({-2}), bytes_of<std::int16_t>({-3})},
      {ElementType::kUint16, bytes_of<std::uint16_t>({2}), bytes_of<std::uint16_t>({3})},
      {ElementType::kInt32, bytes_of<std::int32_t>({-2}), bytes_of<std::int32_t>({-3})},
      {ElementType::kUint32, bytes_of<std::uint32_t>({2}), bytes_of<std::uint32_t>({3})},
      {ElementType::kInt64, bytes_of<std::int64_t>({-2}), bytes_of<std::int64_t>({-3})},
      {ElementType::kUint64, bytes_of<std::uint64_t>({2}), bytes_of<std::uint64_t>({3})},
      {ElementType::kFloat16, bytes_of<std::uint16_t>({0x4000}), bytes_of<std::uint16_t>({0x4200})},
      {ElementType::kBfloat16, bytes_of<std::uint16_t>({0x4000}), bytes_of<std::uint16_t>({0x4040})},
      {ElementType::kFloat8e4m3fn, "\x40", "\x44"},
      {ElementType::kFloat8e4m3fnuz, "\x48", "\x4c"},
      {ElementType::kFloat8e5m2, "\x40", "\x42"},
      {ElementType::kFloat8e5m2fnuz, "\x44", "\x46"},
      {ElementType::kFloat8e8m0, "\x7f", "\x80"},  // 1 and 2
      {ElementType::kFloat6e2m3, "\x10", "\x14"},
      {ElementType::kFloat6e3m2, "\x10", "\x12"},
      {ElementType::kFloat4e2m1, "\x04", "\x05"},
      {ElementType::kUint4, "\x0e", "\x0f"},
      {ElementType::kInt4, "\x0e", "\x0f"},  // -2 and -1
      {ElementType::kUint2, "\x02", "\x03"},
      {ElementType::kInt2, "\x02", "\x03"},  // -2 and -1
      {ElementType::kComplex64, bytes_of<float>({2, 7}), bytes_of<float>({3, 7})},
      {ElementType::kComplex128, bytes_of<double>({7, 2}), bytes_of<double>({7, 3})},
  };
  EXPECT_EQ(std::size(cases), static_cast<std::size_t>(kElementTypeCount - 2));  // all except undefined and string
  for (const Case& each : cases) {
    SCOPED_TRACE(std::string(name_of(each.type)));
    const auto distance = distance_between(raw(each.type, 1, each.two), raw(each.type, 1, each.three));
    ASSERT_TRUE(distance);
    EXPECT_EQ(distance->differing, 1U);
    EXPECT_EQ(distance->max_absolute, 1);
    EXPECT_EQ(distance_between(raw(each.type, 1, each.two), raw(each.type, 1, each.two))->differing, 0U);
  }
}

TEST_F(TensorTest, ComparesValuesAcrossTypes) {
  const Tensor a = raw(ElementType::kFloat, 3, bytes_of<float>({2, 3, -1}));
  EXPECT_EQ(distance_between(a, raw(ElementType::kFloat4e2m1, 3, "\x54\x0a"))->differing, 0U);
  EXPECT_EQ(distance_between(a, raw(ElementType::kInt8, 3, bytes_of<std::int8_t>({2, 3, 0})))->max_absolute, 1);
  EXPECT_FALSE(distance_between(a, raw(ElementType::kComplex64, 3, std::string(24, '\0'))));
}

TEST_F(TensorTest, WalksLongTensorsOfTypesThatDoNotFitBytes) {
  constexpr std::int64_t kCount = 1'000'003;
  for (const ElementType type :
       {ElementType::kFloat6e2m3, ElementType::kInt4, ElementType::kUint2, ElementType::kComplex128}) {
    SCOPED_TRACE(std::string(name_of(type)));
    const std::string zeros(*raw_size(type, kCount), '\0');
    std::string other = zeros;
    // The second to last element: elements are whole bytes there, or do not cross one.
    const std::uint64_t bit = (kCount - 3) * static_cast<std::uint64_t>(bits_of(type));
    other[bit / 8] = static_cast<char>(1U << (bit % 8));
    const auto distance = distance_between(raw(type, kCount, zeros), raw(type, kCount, other));
    EXPECT_EQ(distance->differing, 1U);
    EXPECT_EQ(distance->at, static_cast<std::uint64_t>(kCount - 3));
    const auto streamed = distance_between(tensor(type, kCount, std::make_shared<Zeros>(zeros.size())),
                                           tensor(type, kCount, std::make_shared<Pieces>(other, 1013)));
    EXPECT_EQ(streamed->at, distance->at);
  }
}

TEST_F(TensorTest, ReadsStreamsOnEitherSide) {
  const std::string a = bytes_of<float>({1, 2, 3}), b = bytes_of<float>({1, 2, 5});
  const auto stream = [&](const std::string& bytes) {
    return tensor(ElementType::kFloat, 3, std::make_shared<Pieces>(bytes, 5));
  };
  const auto plain = [&](const std::string& bytes) { return raw(ElementType::kFloat, 3, bytes); };
  EXPECT_EQ(distance_between(stream(a), plain(b))->max_absolute, 2);
  EXPECT_EQ(distance_between(plain(a), stream(b))->max_absolute, 2);
  EXPECT_EQ(distance_between(stream(a), stream(b))->max_absolute, 2);
  EXPECT_EQ(distance_between(stream(a), stream(a))->differing, 0U);
}

TEST_F(TensorTest, DoesNotTakeAShortStreamForEqual) {
  const std::string bytes = bytes_of<float>({1, 2, 3});
  const Tensor whole = raw(ElementType::kFloat, 3, bytes);
  const Tensor cut = tensor(ElementType::kFloat, 3, std::make_shared<Pieces>(bytes.substr(0, 8), 4));
  EXPECT_THROW(distance_between(cut, whole), Error);
  EXPECT_THROW(distance_between(whole, cut), Error);
}

TEST_F(TensorTest, ComparesStrings) {
  const std::string_view a[] = {"x", "y"}, b[] = {"x", "z"};
  const Tensor first = tensor(ElementType::kString, 2, std::span<const std::string_view>(a));
  const Tensor second = tensor(ElementType::kString, 2, std::span<const std::string_view>(b));
  EXPECT_EQ(distance_between(first, second)->differing, 1U);
  EXPECT_FALSE(distance_between(first, second)->has_distance);
  EXPECT_EQ(distance_between(first, first)->differing, 0U);
}

// --- Graphs

// A chain of nodes, each reading the one before it; `name(i)` makes the names.
template <typename Name>
Model chain(const std::vector<std::string_view>& ops, const Name& name) {
  Model model;
  model.ir_version = 10;
  Graph& graph = model.graph();
  Value* value = graph.create_value("x");
  graph.add_input(value, nullptr);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const std::string_view label = model.arena().text(name(i));
    Value* output = graph.create_value(i + 1 == ops.size() ? std::string_view("y") : label);
    graph.append({.op_type = ops[i], .name = label, .inputs = {&value, 1}, .outputs = {&output, 1}});
    value = output;
  }
  graph.add_output(value, nullptr);
  return model;
}

std::string summary_of(const Model& before, const Model& after, const DiffSettings& settings = {}) {
  const Differences found = find_differences(before, after, settings);
  std::string text;
  for (std::size_t change = 0; change < kChangeCount; ++change) {
    const std::size_t count = found.count(Subject::kNode, static_cast<Change>(change));
    if (count > 0) text += std::to_string(count) + " " + std::string(name_of(static_cast<Change>(change))) + " ";
  }
  const std::size_t nodes =
      found.count(Subject::kNode, Change::kAdded) + found.count(Subject::kNode, Change::kRemoved) +
      found.count(Subject::kNode, Change::kChanged) + found.count(Subject::kNode, Change::kRenamed) +
      found.count(Subject::kNode, Change::kReordered);
  return found.total == nodes ? text : text + "and other things";
}

const std::vector<std::string_view> kOps = {"Conv", "Relu", "Conv", "Relu", "Conv",
                                            "Add",  "Mul",  "Conv", "Relu", "Softmax"};

std::string numbered(std::size_t i) { return "node_" + std::to_string(i); }
std::string other_name(std::size_t i) { return "other" + std::to_string(i * 7 % 10); }

std::vector<std::string_view> with(std::size_t at, std::string_view op) {
  std::vector<std::string_view> ops = kOps;
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(at), op);
  return ops;
}

TEST(Differences, ModelIsEqualToItself) {
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(kOps, numbered)), "");
  EXPECT_EQ(summary_of(chain({}, numbered), chain({}, numbered)), "");
}

TEST(Differences, RecognizesRenamedNodes) {
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(kOps, other_name)), "10 renamed ");
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(kOps, other_name), {.names = false}), "");
}

TEST(Differences, FindsAnInsertedNodeAmongStableNames) {
  const auto stable = [](std::size_t i) { return i == 3 ? std::string("new") : numbered(i < 3 ? i : i - 1); };
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(with(3, "Relu"), stable)), "1 added 1 changed ");
  EXPECT_EQ(summary_of(chain(with(3, "Relu"), stable), chain(kOps, numbered)), "1 removed 1 changed ");
}

// After the new node, every name belongs to another node than before.
TEST(Differences, FindsAnInsertedNodeAmongNumberedNames) {
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(with(3, "Relu"), numbered)), "1 added 1 changed 5 renamed ");
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(with(0, "Neg"), numbered), {.names = false}), "1 added 1 changed ");
}

// The same names are neighbours in both models here, so the names are consistent; but the ops show that the nodes are
// different ones.
TEST(Differences, IsNotFooledByNamesThatAllMoved) {
  const std::vector<std::string_view> ops = {"Abs",  "Relu", "Relu", "Abs",  "Relu",
                                             "Relu", "Abs",  "Relu", "Relu", "Abs"};
  const auto moved = [](std::size_t i) { return numbered(i + 3); };
  EXPECT_EQ(summary_of(chain(ops, numbered), chain(ops, moved), {.names = false}), "");
}

TEST(Differences, RecognizesAReplacedOp) {
  std::vector<std::string_view> ops = kOps;
  ops[3] = "Gelu";
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(ops, numbered)), "1 changed ");
  EXPECT_EQ(summary_of(chain(kOps, numbered), chain(ops, other_name), {.names = false}), "1 changed ");
}

TEST(Differences, TakesLinearTimeOnHubsAndManyEqualNodes) {
  const auto hub = [](int nodes) {
    Model model;
    Graph& graph = model.graph();
    Value* x = graph.create_value("x");
    graph.add_input(x, nullptr);
    for (int i = 0; i < nodes; ++i) {
      Value* output = graph.create_value("");
      graph.append({.op_type = "Relu", .inputs = {&x, 1}, .outputs = {&output, 1}});
    }
    return model;
  };
  EXPECT_EQ(summary_of(hub(100'000), hub(100'000)), "");
  EXPECT_EQ(summary_of(hub(100'000), hub(99'999)), "1 removed ");
}

}  // namespace
}  // namespace onnxpress::analysis
