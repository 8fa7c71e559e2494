// Kinds that imitate what makes some published models large: `masks` (GMFlow's attention masks of shifted windows, one
// copy per layer), `indices` (HitNet's expanded gather indices), `swin` (relative position tables, spread out) and
// `tied` (an embedding that is stored a second time, transposed).
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "onnxpress/tasks/generate/generate_builder.h"
#include "onnxpress/tasks/generate/generate_fill.h"

namespace onnxpress {

namespace {

// A stream whose elements a function computes from their position while it is written.
template <typename T>
class Computed final : public ByteStream {
 public:
  Computed(std::uint64_t count, std::function<T(std::uint64_t i)> element)
      : count_(count), element_(std::move(element)) {}
  std::uint64_t size() const override { return count_ * sizeof(T); }
  void produce(const std::function<void(std::string_view)>& take) const override {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;
    std::vector<T> piece;
    for (std::uint64_t begin = 0; begin < count_; begin += kPiece) {
      piece.resize(std::min(kPiece, count_ - begin));
      for (std::uint64_t i = 0; i < piece.size(); ++i) piece[i] = element_(begin + i);
      take({reinterpret_cast<const char*>(piece.data()), piece.size() * sizeof(T)});
    }
  }

 private:
  std::uint64_t count_;
  std::function<T(std::uint64_t i)> element_;
};

template <typename T>
Value* computed(ModelBuilder& builder, std::string_view name, ElementType type, std::vector<std::int64_t> dims,
                std::function<T(std::uint64_t i)> element) {
  Arena& arena = builder.model().arena();
  auto* tensor = arena.make<Tensor>();
  tensor->type = type;
  tensor->storage = Storage::kMade;
  tensor->dims = arena.copy(std::span<const std::int64_t>(dims));
  tensor->content = std::make_shared<Computed<T>>(*tensor->element_count(), std::move(element));
  Value* value = builder.graph().create_value(builder.text(name));
  builder.graph().add_initializer(value, tensor);
  return value;
}

// Numbers like those of the fill "random", computed from the position alone.
float noise(std::uint64_t i, std::uint64_t seed) {
  const std::uint64_t bits = splitmix64(seed ^ i);
  return (static_cast<float>(bits >> 40) - 0x1p23F) * 0x1p-28F;
}

const Type* fixed_type(ModelBuilder& builder, ElementType element, std::span<const std::int64_t> dims) {
  std::vector<Dim> sizes;
  for (const std::int64_t dim : dims) sizes.push_back(Dim::size(dim));
  return builder.type(element, sizes);
}

}  // namespace

// --bytes is the size of one mask: 8 x n x n floats of 0 and -100, which say whether two positions of a window are
// neighbours.
void build_masks(ModelBuilder& builder) {
  constexpr std::int64_t kWindows = 8;
  const auto n =
      std::max<std::int64_t>(8, std::llround(std::sqrt(static_cast<double>(builder.options().sizes.bytes) / 32)));
  const std::int64_t dims[] = {kWindows, n, n};
  Value* x = builder.input("x", fixed_type(builder, ElementType::kFloat, dims));
  const auto mask = [n](std::uint64_t i) {
    const auto size = static_cast<std::uint64_t>(n), window = i / (size * size);
    const auto label = [window, size](std::uint64_t place) {
      const std::uint64_t width = 32, row = place / width, column = place % width, rows = size / width + 1;
      const bool lower = window >= 4 && row > rows / 2, right = window % 2 == 1 && column > width / 2;
      return (lower ? 2U : 0U) + (right ? 1U : 0U);
    };
    return label(i / size % size) == label(i % size) ? 0.0F : -100.0F;
  };
  for (std::uint64_t i = 0; i < builder.options().sizes.layers; ++i) {
    Value* added = computed<float>(builder, fmt::format("mask_{}", i), ElementType::kFloat, {kWindows, n, n}, mask);
    x = builder.node("Add", fmt::format("Add_{}", i), {x, added});
  }
  const auto hidden = static_cast<std::int64_t>(builder.options().sizes.hidden);
  const std::int64_t weight_dims[] = {n, hidden}, result_dims[] = {kWindows, n, hidden};
  builder.output(builder.node("MatMul", "MatMul", {x, builder.weight("weight", weight_dims)}, {}, "y"),
                 fixed_type(builder, ElementType::kFloat, result_dims));
}

// --bytes is the size of one index tensor: column numbers, expanded along all other axes.
void build_indices(ModelBuilder& builder) {
  const auto count = static_cast<std::int64_t>(builder.options().sizes.bytes / sizeof(std::int64_t));
  const bool large = count >= 960 * 720;
  const std::int64_t height = large ? 720 : 12, width = large ? 960 : 16;
  const std::int64_t depth = std::max<std::int64_t>(1, count / (height * width));
  const std::int64_t dims[] = {1, depth, height, width};
  const Type* type = fixed_type(builder, ElementType::kFloat, dims);
  Value* x = builder.input("x", type);
  const auto column = [width](std::uint64_t i) { return static_cast<std::int64_t>(i) % width; };
  const std::uint64_t tensors = builder.options().sizes.tensors;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    Value* index = computed<std::int64_t>(builder, fmt::format("index_{}", i), ElementType::kInt64,
                                          {1, depth, height, width}, column);
    x = builder.node("GatherElements", fmt::format("GatherElements_{}", i), {x, index},
                     {builder.attribute("axis", std::int64_t{3})}, i + 1 == tensors ? "y" : "");
  }
  builder.output(x, type);
}

// Windows of 7 x 7: the bias for two positions depends on how far apart they are, in rows and columns.
void build_swin(ModelBuilder& builder) {
  constexpr std::int64_t kSide = 7, kPlaces = kSide * kSide;
  const auto heads = static_cast<std::int64_t>(builder.options().sizes.heads);
  const std::int64_t dims[] = {heads, kPlaces, kPlaces};
  const Type* type = fixed_type(builder, ElementType::kFloat, dims);
  Value* x = builder.input("x", type);
  const std::uint64_t layers = builder.options().sizes.layers, seed = builder.options().seed;
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    const auto bias = [=](std::uint64_t i) {
      const auto side = static_cast<std::uint64_t>(kSide), places = static_cast<std::uint64_t>(kPlaces);
      const std::uint64_t head = i / (places * places), a = i / places % places, b = i % places;
      const std::uint64_t rows = a / side + side - 1 - b / side, columns = a % side + side - 1 - b % side;
      return noise(head * 169 + rows * 13 + columns, seed + layer);
    };
    Value* added =
        computed<float>(builder, fmt::format("bias_{}", layer), ElementType::kFloat, {heads, kPlaces, kPlaces}, bias);
    x = builder.node("Add", fmt::format("Add_{}", layer), {x, added}, {}, layer + 1 == layers ? "y" : "");
  }
  builder.output(x, type);
}

void build_tied(ModelBuilder& builder) {
  const auto rows = static_cast<std::int64_t>(builder.options().sizes.vocab),
             width = static_cast<std::int64_t>(builder.options().sizes.hidden);
  const std::uint64_t seed = builder.options().seed;
  const Dim length[] = {builder.symbol("length")};
  Value* ids = builder.input("ids", builder.type(ElementType::kInt64, length));
  Value* embedding = computed<float>(builder, "embedding", ElementType::kFloat, {rows, width},
                                     [seed](std::uint64_t i) { return noise(i, seed); });
  Value* head = computed<float>(builder, "lm_head", ElementType::kFloat, {width, rows}, [=](std::uint64_t i) {
    const auto columns = static_cast<std::uint64_t>(rows);
    return noise(i % columns * static_cast<std::uint64_t>(width) + i / columns, seed);
  });
  Value* x = builder.node("Gather", "Gather", {embedding, ids});
  const Dim logits[] = {builder.symbol("length"), Dim::size(rows)};
  builder.output(builder.node("MatMul", "MatMul", {x, head}, {}, "logits"), builder.type(ElementType::kFloat, logits));
}

}  // namespace onnxpress
