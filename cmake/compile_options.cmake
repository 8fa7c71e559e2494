# Language level, warnings, sanitizers and ccache for every target of this project.

# Extensions off: the code must build with both g++ 12 and clang 14.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

if(EMSCRIPTEN)
  # Native exceptions and vectors of WebAssembly, which every browser has had since 2022.
  add_compile_options(-fwasm-exceptions -msimd128)
  add_link_options(-fwasm-exceptions)
endif()

if(ONNXPRESS_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "ONNXPRESS_FUZZ needs clang (libFuzzer is part of it); use: cmake --preset dev")
endif()

# If it is installed, lld links in a fraction of the time of GNU's linker.
find_program(LLD_PROGRAM ld.lld)
mark_as_advanced(LLD_PROGRAM)
if(LLD_PROGRAM AND NOT EMSCRIPTEN)
  add_link_options(-fuse-ld=lld)
endif()

# Kept in a variable because tests/find_package.sh has to link its consumer with the same flags.
set(ONNXPRESS_SANITIZER_FLAGS "")
if(ONNXPRESS_SANITIZE)
  set(ONNXPRESS_SANITIZER_FLAGS -fsanitize=address,undefined)
  # Also for the tests, because a second build of everything for the fuzz targets would take as long as the first. Without
  # the calls at every comparison that libFuzzer can also use: they make everything, even compiling, a quarter slower.
  if(ONNXPRESS_FUZZ)
    list(APPEND ONNXPRESS_SANITIZER_FLAGS -fsanitize-coverage=inline-8bit-counters,pc-table)
  endif()
  # no-sanitize-recover: UBSan findings must fail the test, not scroll past.
  list(APPEND ONNXPRESS_SANITIZER_FLAGS -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Otherwise there are two and a half million relocations at every start, which take most of the time of tests that run
  # the command often.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  add_compile_options(${ONNXPRESS_SANITIZER_FLAGS})
  add_link_options(${ONNXPRESS_SANITIZER_FLAGS})
  # Bounds checks in operator[] and optional of libstdc++; does not change the ABI.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# Vectorizes loops over elements. At -O2, g++ 12 does not vectorize loops of unknown length, nor loops with branches as
# long as comparing with NaN or sqrt(-1) might have to raise a flag or set errno. Results are the same bit for bit. Set for
# whole targets, because a precompiled header only works for files with the same flags.
function(onnxpress_fast_loops target)
  target_compile_options(${target} PRIVATE
      "$<$<NOT:$<CONFIG:Debug>>:-fno-math-errno;-fno-trapping-math>"
      "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-fvect-cost-model=dynamic>")
endfunction()

function(onnxpress_compile_options target)
  set_target_properties(${target} PROPERTIES COMPILE_WARNING_AS_ERROR ${ONNXPRESS_WARNINGS_AS_ERRORS})
  target_compile_options(${target} PRIVATE
      -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
      # Op and pass tables are designated initializers that leave fields out on purpose.
      -Wno-missing-field-initializers)
  if(ONNXPRESS_UNITY)
    # In a unity build, a local name may be that of a function in another file. g++ also treats the included files as
    # headers, where types must not use unnamed namespaces.
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # False alarm on `"text" + std::string` with optimization (GCC bug 105651).
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
    if(ONNXPRESS_SANITIZE)
      # The GCC manual warns that sanitizers make this one report false positives.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()
