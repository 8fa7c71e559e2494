// This process: its id, peak memory and user, and memory in large pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace onnxpress::platform {

// Different in a forked process.
std::uint64_t process_id();
// Peak resident memory of this process in bytes, with pages of mapped files; 0 when the system does not tell.
std::uint64_t peak_memory();
// Resident memory of this process right now, without pages of files and shared memory; 0 when the system does not tell.
std::uint64_t anonymous_memory();
// For a short-lived program: the memory of large arrays goes back to the system when they are freed, instead of being
// kept for the next ones, which are rarely as large.
void return_freed_memory();
// Whether a file belongs to the user of this process (or to root) and is not writable by everyone.
bool belongs_to_user(const std::filesystem::path& path);

// Memory in whole large pages, at an address that is a multiple of their size. `size` must be a multiple, too. Throws
// bad_alloc.
inline constexpr std::size_t kLargePage = std::size_t{2} << 20;
std::byte* allocate_large_pages(std::size_t size);
void free_large_pages(std::byte* pages, std::size_t size);

}  // namespace onnxpress::platform
