// Arrays from tensors and back, and their shapes.
#include "onnxpress/ops/core/array.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <new>

#include "onnxpress/base/error.h"
#include "onnxpress/base/platform/process.h"
#include "onnxpress/ops/core/budget.h"

namespace onnxpress::ops {

static_assert(std::endian::native == std::endian::little, "raw tensor data is little-endian and used in place");

namespace {

// Bytes that an element takes in memory.
std::size_t width_of(ElementType type) {
  if (type == ElementType::kString) return sizeof(std::string);
  return static_cast<std::size_t>((bits_of(type) + 7) / 8);
}

bool is_packed(ElementType type) { return bits_of(type) > 0 && bits_of(type) < 8; }
bool is_signed_narrow(ElementType type) { return type == ElementType::kInt4 || type == ElementType::kInt2; }

// Enough for every element type and for vector loads.
constexpr std::size_t kAlignment = 64;

// Bytes charged to the evaluation that allocated them, and returned when the last array that shares them is gone.
class Charge {
 public:
  explicit Charge(std::size_t size) : size_(size) {
    const EvaluationMeter* meter = current_meter();
    if (!meter) return;
    meter->require_bytes(size);
    counter_ = meter->live_counter();
    counter_->fetch_add(size_);
  }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() {
    if (counter_) counter_->fetch_sub(size_);
  }

 private:
  std::size_t size_;
  std::shared_ptr<std::atomic<std::uint64_t>> counter_;
};

// Bytes that an array takes in addition to its elements, so that many small arrays count, too.
constexpr std::size_t kOverhead = 128;

// The memory of one array. Large arrays use large pages: most arrays are written once and freed soon, and a page fault
// for every 4 KB would cost more than the work on the elements.
class Block {
 public:
  explicit Block(std::size_t size)
      : charge_(size + kOverhead),
        pages_(pages_for(size)),
        start_(pages_ ? platform::allocate_large_pages(pages_)
                      : ::operator new(std::max<std::size_t>(size, 1), std::align_val_t(kAlignment))) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (pages_)
      platform::free_large_pages(static_cast<std::byte*>(start_), pages_);
    else
      ::operator delete(start_, std::align_val_t(kAlignment));
  }
  void* start() const { return start_; }

 private:
  // The size rounded up to large pages; 0 for a small array.
  static std::size_t pages_for(std::size_t size) {
    constexpr std::size_t kPage = platform::kLargePage;
    return size < kPage ? 0 : (size + kPage - 1) / kPage * kPage;
  }

  Charge charge_;
  std::size_t pages_;
  void* start_;
};

struct Texts {
  explicit Texts(std::size_t count) : charge(count * sizeof(std::string) + kOverhead), texts(count) {}
  Charge charge;  // without the heap memory of long strings
  std::vector<std::string> texts;
};

}  // namespace

std::optional<std::size_t> count_of(std::span<const std::int64_t> sizes) {
  const auto count = product_of(sizes);
  if (!count || *count > kMostElements) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

std::uint64_t steps_over(std::span<const std::int64_t> sizes) {
  std::uint64_t steps = 1;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(steps, static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)), &steps))
      return std::numeric_limits<std::uint64_t>::max();
  }
  return steps;
}

Sizes strides_of(std::span<const std::int64_t> sizes) {
  Sizes strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= sizes[axis];
  }
  return strides;
}

Array Array::make(ElementType type, Sizes sizes) {
  const auto count = count_of(sizes);
  if (!count) throw std::bad_alloc();
  require_scratch(*count, width_of(type));  // before the steps, because memory is the clearer reason to report
  spend_steps(steps_over(sizes));
  Array made;
  made.type_ = type;
  made.sizes_ = std::move(sizes);
  made.count_ = *count;
  made.width_ = width_of(type);
  if (type == ElementType::kString) {
    auto texts = std::make_shared<Texts>(*count);
    made.data_ = texts->texts.data();
    made.keep_alive_ = std::move(texts);
    return made;
  }
  const auto block = std::make_shared<const Block>(made.count_ * made.width_);
  made.data_ = block->start();
  made.keep_alive_ = block;
  return made;
}

Array Array::from(const Tensor& tensor) {
  const Sizes sizes(tensor.dims.begin(), tensor.dims.end());
  const auto count = count_of(sizes);
  if (!count)
    throw Error("", "a tensor has dims " + to_string(tensor.dims) + ", more elements than can be evaluated", "");
  if (tensor.type == ElementType::kString) {
    if (tensor.strings().size() != *count)
      throw Error("", "the number of elements of a string tensor does not match its dims", "");
    Array made = make(tensor.type, sizes);
    std::copy(tensor.strings().begin(), tensor.strings().end(), made.mutable_data<std::string>().begin());
    return made;
  }
  if (!is_known(tensor.type)) throw Error("", "a tensor has no known element type", "");
  const Bytes raw = tensor.bytes();
  if (is_packed(tensor.type)) {
    Array made = make(tensor.type, sizes);
    auto* out = reinterpret_cast<std::uint8_t*>(made.mutable_bytes());
    unpack(raw.data(), bits_of(tensor.type), 0, *count, out);
    if (is_signed_narrow(tensor.type)) {
      for (std::size_t i = 0; i < *count; ++i)
        out[i] = static_cast<std::uint8_t>(sign_extended(out[i], bits_of(tensor.type)));
    }
    return made;
  }
  const std::size_t natural = std::min<std::size_t>(width_of(tensor.type), 8);
  if (reinterpret_cast<std::uintptr_t>(raw.data()) % natural == 0 && *count > 0) {
    Array made;
    made.type_ = tensor.type;
    made.sizes_ = sizes;
    made.count_ = *count;
    made.width_ = width_of(tensor.type);
    made.data_ = raw.data();
    made.keep_alive_ = raw.keep_alive();
    return made;
  }
  Array made = make(tensor.type, sizes);
  if (*count > 0) std::memcpy(made.mutable_bytes(), raw.data(), *count * made.width_);
  return made;
}

Array Array::from(const SparseTensor& sparse) {
  if (!sparse.values || !sparse.indices) throw Error("", "a sparse tensor lacks its values or indices", "");
  const Array values = from(*sparse.values);
  const auto indices = from(*sparse.indices).integers();
  const Sizes sizes(sparse.dims.begin(), sparse.dims.end());
  Array made = make(values.type(), sizes);
  if (values.is_string() || !indices) throw Error("", "a sparse tensor has elements or indices of a wrong type", "");
  std::memset(made.mutable_bytes(), 0, made.count() * made.width());
  const bool linear = sparse.indices->dims.size() == 1;
  const std::size_t rank = linear ? 1 : sizes.size();
  if (indices->size() != values.count() * rank)
    throw Error("", "the numbers of indices and values of a sparse tensor do not match", "");
  const Sizes strides = linear ? Sizes{1} : strides_of(sizes);
  for (std::size_t k = 0; k < values.count(); ++k) {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const std::int64_t index = (*indices)[k * rank + axis];
      if (index < 0 || (!linear && index >= sizes[axis]))
        throw Error("", "a sparse tensor has an index out of range", "");
      at += index * strides[axis];
    }
    if (static_cast<std::uint64_t>(at) >= made.count())
      throw Error("", "a sparse tensor has an index out of range", "");
    std::memcpy(made.mutable_bytes() + static_cast<std::size_t>(at) * made.width(), values.bytes() + k * made.width(),
                made.width());
  }
  return made;
}

Tensor* Array::to_tensor(Arena& arena, std::string_view name) const {
  auto* tensor = arena.make<Tensor>();
  tensor->name = name;
  tensor->type = type_;
  tensor->dims = arena.copy(std::span<const std::int64_t>(sizes_));
  if (is_string()) {
    const auto texts = arena.array<std::string_view>(count_);
    for (std::size_t i = 0; i < count_; ++i) texts[i] = arena.text(data<std::string>()[i]);
    tensor->storage = Storage::kStrings;
    tensor->content = std::span<const std::string_view>(texts);
    return tensor;
  }
  tensor->storage = Storage::kMade;
  if (is_packed(type_)) {
    std::string packed(*raw_size(type_, count_), '\0');
    pack(reinterpret_cast<const std::uint8_t*>(bytes()), count_, bits_of(type_), packed.data());
    tensor->content = Bytes::owned(std::move(packed));
  } else {
    tensor->content = Bytes(std::string_view(reinterpret_cast<const char*>(data_), count_ * width_), keep_alive_);
  }
  return tensor;
}

Array Array::reshaped(Sizes sizes) const {
  assert(count_of(sizes) == count_);
  Array copy = *this;
  copy.sizes_ = std::move(sizes);
  return copy;
}

std::optional<std::vector<std::int64_t>> Array::integers() const {
  using Types =
      TypeList<ElementType::kInt64, ElementType::kInt32, ElementType::kUint8, ElementType::kInt8, ElementType::kUint16,
               ElementType::kInt16, ElementType::kUint32, ElementType::kUint64, ElementType::kBool, ElementType::kInt4,
               ElementType::kUint4, ElementType::kInt2, ElementType::kUint2>;
  std::vector<std::int64_t> list(count_);
  const bool known = dispatch(Types(), type_, [&]<typename T>() {
    const auto from = data<T>();
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8 is a number here
    for (std::size_t i = 0; i < count_; ++i) list[i] = static_cast<std::int64_t>(from[i]);
  });
  if (!known) return std::nullopt;
  return list;
}

std::optional<double> Array::number() const {
  if (count_ != 1) return std::nullopt;
  if (const auto whole = integers(); whole && type_ != ElementType::kUint64) return static_cast<double>(whole->front());
  using Types = TypeList<ElementType::kFloat, ElementType::kDouble, ElementType::kFloat16, ElementType::kBfloat16,
                         ElementType::kUint64, ElementType::kFloat8e4m3fn, ElementType::kFloat8e4m3fnuz,
                         ElementType::kFloat8e5m2, ElementType::kFloat8e5m2fnuz, ElementType::kFloat8e8m0,
                         ElementType::kFloat6e2m3, ElementType::kFloat6e3m2, ElementType::kFloat4e2m1>;
  double number = 0;
  if (!dispatch(Types(), type_,
                [&]<typename T>() { number = static_cast<double>(static_cast<Computed<T>>(data<T>()[0])); }))
    return std::nullopt;
  return number;
}

std::string type_text(const Array& array) { return to_string(array.type(), array.sizes()); }

std::string type_text(const Datum& datum) {
  if (datum.array()) return type_text(*datum.array());
  return datum.sequence() ? "sequence" : datum.empty() ? "nothing" : "map";
}

}  // namespace onnxpress::ops
