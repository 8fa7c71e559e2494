// Runs three streaming compressors and counts their output.
#include "onnxpress/tasks/files/compressed_sizes.h"

#include "onnxpress/base/error.h"

#ifdef ONNXPRESS_HAVE_COMPRESSION

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "onnxpress/base/parallel_for.h"

namespace onnxpress {

namespace {

constexpr std::size_t kPart = std::size_t{1} << 20;

[[noreturn]] void fail(std::string_view library) {
  throw Error("option `compressed`", std::string(library) + " failed", "is there enough memory?");
}

// What is compressed: a file, or bytes in memory.
struct Source {
  std::string path;
  std::optional<std::string_view> bytes;

  std::uint64_t size() const { return bytes ? bytes->size() : std::filesystem::file_size(path); }
};

// Calls take(part, is_last) for the whole content; the last part may be empty.
template <typename Take>
void for_each_part(const Source& source, const std::function<void(std::uint64_t)>& tell, Take&& take) {
  for (std::size_t at = 0; source.bytes; at += kPart) {
    const std::string_view part = source.bytes->substr(at, kPart);
    const bool last = part.size() < kPart;
    take(part, last);
    tell(part.size());
    if (last) return;
  }
  const std::string& path = source.path;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    Error error("", "cannot be read");
    error.set_file(path);
    throw error;
  }
  std::string part(kPart, '\0');
  for (bool last = false; !last;) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    const auto size = static_cast<std::size_t>(in.gcount());
    last = size < part.size();
    take(std::string_view(part).substr(0, size), last);
    tell(size);
  }
}

std::uint64_t gzip_size(const Source& source, const std::function<void(std::uint64_t)>& tell) {
  constexpr int kGzipHeader = 16, kWindow = 15, kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, kWindow + kGzipHeader, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) fail("zlib");
  const std::unique_ptr<z_stream, decltype(&deflateEnd)> end(&stream, &deflateEnd);
  std::array<unsigned char, 65536> out;
  std::uint64_t size = 0;
  for_each_part(source, tell, [&](std::string_view part, bool last) {
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<unsigned>(part.size());
    do {
      stream.next_out = out.data();
      stream.avail_out = out.size();
      if (deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) fail("zlib");
      size += out.size() - stream.avail_out;
    } while (stream.avail_out == 0);
  });
  return size;
}

std::uint64_t brotli_size(const Source& source, const std::function<void(std::uint64_t)>& tell) {
  const std::unique_ptr<BrotliEncoderState, decltype(&BrotliEncoderDestroyInstance)> state(
      BrotliEncoderCreateInstance(nullptr, nullptr, nullptr), &BrotliEncoderDestroyInstance);
  if (!state) fail("brotli");
  BrotliEncoderSetParameter(state.get(), BROTLI_PARAM_QUALITY, 11);
  BrotliEncoderSetParameter(state.get(), BROTLI_PARAM_LGWIN, BROTLI_MAX_WINDOW_BITS);
  const std::uint64_t bytes = source.size();
  BrotliEncoderSetParameter(state.get(), BROTLI_PARAM_SIZE_HINT,
                            static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 1U << 30)));
  std::uint64_t size = 0;
  for_each_part(source, tell, [&](std::string_view part, bool last) {
    std::size_t left = part.size(), room = 0;
    const auto* next = reinterpret_cast<const std::uint8_t*>(part.data());
    const auto operation = last ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS;
    do {
      if (!BrotliEncoderCompressStream(state.get(), operation, &left, &next, &room, nullptr, nullptr)) fail("brotli");
      std::size_t made = 0;
      while (BrotliEncoderHasMoreOutput(state.get()) && BrotliEncoderTakeOutput(state.get(), &made)) {
        size += made;
        made = 0;
      }
    } while (left > 0 || (last && !BrotliEncoderIsFinished(state.get())));
  });
  return size;
}

std::uint64_t zstd_size(const Source& source, const std::function<void(std::uint64_t)>& tell) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  if (!context || ZSTD_isError(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 19))) fail("zstd");
  std::string room(ZSTD_CStreamOutSize(), '\0');
  std::uint64_t size = 0;
  for_each_part(source, tell, [&](std::string_view part, bool last) {
    ZSTD_inBuffer in{part.data(), part.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      if (ZSTD_isError(left)) fail("zstd");
      size += out.pos;
      done = last ? left == 0 : in.pos == in.size;
    }
  });
  return size;
}

}  // namespace

bool can_compress() { return true; }

namespace {

using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;
using Compress = std::uint64_t (*)(const Source&, const std::function<void(std::uint64_t)>&);

// The sum over the sources for each compressor.
std::vector<std::uint64_t> sizes_by(std::span<const Compress> compressors, const std::vector<Source>& sources,
                                    const Progress& progress) {
  std::uint64_t total = 0, done = 0;
  for (const Source& source : sources) total += compressors.size() * source.size();
  std::mutex mutex;
  const auto tell = [&](std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    done += bytes;
    if (progress) progress(done, total);
  };
  std::vector<std::atomic<std::uint64_t>> sums(compressors.size());
  parallel_for(compressors.size() * sources.size(), [&](std::size_t i) {
    const std::size_t method = i / sources.size();
    sums[method] += compressors[method](sources[i % sources.size()], tell);
  });
  return {sums.begin(), sums.end()};
}

std::vector<Source> sources_of(const std::vector<std::string>& files) {
  std::vector<Source> sources;
  for (const std::string& file : files) sources.push_back({file, std::nullopt});
  return sources;
}

Compress function_of(Compressor compressor) {
  return compressor == Compressor::kGzip ? gzip_size : compressor == Compressor::kBrotli ? brotli_size : zstd_size;
}

}  // namespace

CompressedSizes compressed_sizes(const std::vector<std::string>& files, const Progress& progress) {
  constexpr Compress kAll[] = {brotli_size, zstd_size, gzip_size};  // the slowest first
  const auto sums = sizes_by(kAll, sources_of(files), progress);
  return {.gzip = sums[2], .brotli = sums[0], .zstd = sums[1]};
}

std::uint64_t compressed_size(const std::vector<std::string>& files, Compressor compressor, const Progress& progress) {
  const Compress one = function_of(compressor);
  return sizes_by(std::span(&one, 1), sources_of(files), progress).front();
}

std::uint64_t compressed_size(std::string_view bytes, Compressor compressor, const Progress& progress) {
  const Compress one = function_of(compressor);
  return sizes_by(std::span(&one, 1), {{"", bytes}}, progress).front();
}

}  // namespace onnxpress

#else

namespace onnxpress {

bool can_compress() { return false; }

[[noreturn]] static void refuse() {
  throw Error("", "this build has no compressors", "build with zlib, brotli and zstd (scripts/setup)");
}
CompressedSizes compressed_sizes(const std::vector<std::string>&,
                                 const std::function<void(std::uint64_t, std::uint64_t)>&) {
  refuse();
}
std::uint64_t compressed_size(const std::vector<std::string>&, Compressor,
                              const std::function<void(std::uint64_t, std::uint64_t)>&) {
  refuse();
}
std::uint64_t compressed_size(std::string_view, Compressor, const std::function<void(std::uint64_t, std::uint64_t)>&) {
  refuse();
}

}  // namespace onnxpress

#endif
