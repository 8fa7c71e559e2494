/// \file
/// Arena: bump allocation for a model's graph. Addresses are stable and nothing is freed before the arena.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace onnxpress {

/// Memory for many small objects that die together.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (auto it = destructors_.rbegin(); it != destructors_.rend(); ++it) it->second(it->first);
  }

  /// When the arena is destroyed, the destructors of types that need one run in reverse order.
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    T* object = new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      destructors_.emplace_back(object, [](void* p) { static_cast<T*>(p)->~T(); });
    }
    return object;
  }

  /// `count` value-initialized elements.
  template <typename T>
  std::span<T> array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    T* first = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  template <typename T>
  std::span<T> copy(std::span<const T> from) {
    std::span<T> to = array<T>(from.size());
    std::copy(from.begin(), from.end(), to.begin());
    return to;
  }

  /// A copy of `text` that lives as long as the arena. An empty text stays present (its data() is not null).
  std::string_view text(std::string_view text) {
    if (text.empty()) return "";
    char* to = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  /// Makes the next block at least this large, for a graph whose size is known before it is built. Memory that is never
  /// used costs only address space.
  void expect(std::size_t bytes) { expected_ = std::min(bytes, kMostExpected); }

  std::size_t bytes_reserved() const { return reserved_; }

 private:
  static constexpr std::size_t kMostExpected = std::size_t{256} << 20;

  struct Free {
    std::size_t size;
    void operator()(std::byte* block) const;
  };
  using Block = std::unique_ptr<std::byte, Free>;

  static Block make_block(std::size_t& size);  // may increase `size`

  void* allocate(std::size_t size, std::size_t align) {
    auto at = (next_ + align - 1) & ~(align - 1);
    if (at + size > end_) {
      grow(size + align);
      at = (next_ + align - 1) & ~(align - 1);
    }
    next_ = at + size;
    return reinterpret_cast<void*>(at);
  }

  void grow(std::size_t least) {
    // The first block is small, so that small models cost little; later ones are large, so that big models need few
    // system calls and, with huge pages, few page faults, which took half the time of reading a large graph.
    constexpr std::size_t kFirst = std::size_t{16} << 10, kLargest = std::size_t{8} << 20;
    std::size_t size = blocks_.empty() ? kFirst : std::min(kLargest, reserved_);
    size = std::max({size, least, std::exchange(expected_, 0)});
    blocks_.push_back(make_block(size));
    next_ = reinterpret_cast<std::uintptr_t>(blocks_.back().get());
    end_ = next_ + size;
    reserved_ += size;
  }

  std::uintptr_t next_ = 0, end_ = 0;
  std::size_t reserved_ = 0;
  std::size_t expected_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::pair<void*, void (*)(void*)>> destructors_;
};

}  // namespace onnxpress
