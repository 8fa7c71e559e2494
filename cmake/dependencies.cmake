# Third-party libraries, all installed as packages by scripts/setup; nothing is vendored or downloaded here.
if(EMSCRIPTEN)
  include(wasm_dependencies)
  return()
endif()
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)

# protozero (headers only) and xxHash come without CMake packages on Debian.
# xxHash and Highway are linked by plain name, which stays valid in the installed onnxpressTargets.cmake.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
find_path(HIGHWAY_INCLUDE_DIR hwy/highway.h REQUIRED)
# On x86 its headers are enough: see onnxpress/base/highway_targets.cpp.
set(HIGHWAY_LIBRARY_NAME "")
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  find_library(HIGHWAY_LIBRARY hwy REQUIRED)
  set(HIGHWAY_LIBRARY_NAME hwy)
endif()
mark_as_advanced(PROTOZERO_INCLUDE_DIR XXHASH_INCLUDE_DIR XXHASH_LIBRARY HIGHWAY_INCLUDE_DIR HIGHWAY_LIBRARY)
add_library(protozero::protozero INTERFACE IMPORTED)
target_include_directories(protozero::protozero INTERFACE "${PROTOZERO_INCLUDE_DIR}")

# Optional: without RE2 (WebAssembly, wheels) RegexFullMatch has shapes but is not evaluated. Debian's package has no
# CMake files either.
find_path(RE2_INCLUDE_DIR re2/re2.h)
find_library(RE2_LIBRARY re2)
mark_as_advanced(RE2_INCLUDE_DIR RE2_LIBRARY)

# Optional: the sizes of `info --compressed`. Linked by plain name, as above.
find_path(ZLIB_INCLUDE_DIR zlib.h)
find_path(BROTLI_INCLUDE_DIR brotli/encode.h)
find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(ZLIB_LIBRARY z)
find_library(BROTLI_LIBRARY brotlienc)
find_library(ZSTD_LIBRARY zstd)
mark_as_advanced(ZLIB_INCLUDE_DIR BROTLI_INCLUDE_DIR ZSTD_INCLUDE_DIR ZLIB_LIBRARY BROTLI_LIBRARY ZSTD_LIBRARY)

# Optional: .npz files as samples. (Its CMake files require tools that Debian has in other packages.)
find_path(ZIP_INCLUDE_DIR zip.h)
find_library(ZIP_LIBRARY zip)
mark_as_advanced(ZIP_INCLUDE_DIR ZIP_LIBRARY)

# How they are linked. Debian's RE2 and libzip cannot become part of a wheel, so wheels do without them; {fmt} is compiled
# in (static_fmt.cpp), and --as-needed then leaves out its shared library.
set(XXHASH_LIBRARY_NAME xxhash)
set(COMPRESSION_LIBRARY_NAMES z brotlienc zstd)
if(ONNXPRESS_STATIC_LIBRARIES)
  set(XXHASH_LIBRARY_NAME -l:libxxhash.a)
  set(COMPRESSION_LIBRARY_NAMES -l:libz.a -l:libbrotlienc.a -l:libbrotlicommon.a -l:libzstd.a)
  set(RE2_LIBRARY "")
  set(ZIP_LIBRARY "")
  add_link_options(-Wl,--as-needed -static-libstdc++ -static-libgcc)
endif()
