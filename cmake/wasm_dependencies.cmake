# Libraries of the WebAssembly build: those that are or can be header-only. They come from the packages of the build
# machine, through a folder of links, because the rest of /usr/include is for another processor. Features that need a compiled
# library are left out: regular expressions (RE2), download estimates (brotli, zlib, zstd) and .npz files (libzip).
set(wasm_headers "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${wasm_headers}")
foreach(name fast_float fmt hwy nlohmann protozero xxhash.h)
  if(NOT EXISTS "/usr/include/${name}")
    message(FATAL_ERROR "/usr/include/${name} is missing; run scripts/setup wasm")
  endif()
  file(CREATE_LINK "/usr/include/${name}" "${wasm_headers}/${name}" SYMBOLIC)
endforeach()

add_library(fmt::fmt INTERFACE IMPORTED)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
foreach(library fmt::fmt nlohmann_json::nlohmann_json protozero::protozero Threads::Threads)
  if(NOT TARGET ${library})
    add_library(${library} INTERFACE IMPORTED)
  endif()
  target_include_directories(${library} SYSTEM INTERFACE "${wasm_headers}")
endforeach()
add_compile_definitions(ONNXPRESS_HAVE_FAST_FLOAT)
set(XXHASH_LIBRARY_NAME "")
set(HIGHWAY_LIBRARY_NAME "")
