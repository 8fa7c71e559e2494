// The functions of ONNX Runtime's C interface that we call: their positions in its table, and their signatures.
//
// No package has the C header, and nothing here is linked. The library exports one function, OrtGetApiBase; that gives
// a table of functions for a version of the interface. The table is public ABI: entries are only ever appended, and
// ONNX Runtime asserts at compile time where the table of each version ends. So a number and a signature per function
// are all we need. Source: include/onnxruntime/core/session/onnxruntime_c_api.h of ONNX Runtime.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::engines::abi {

// The version of ONNX Runtime 1.11 (2022), the oldest that we support. Later libraries return the same table for it.
// All entries below are within it (it ends at 209), unless they say otherwise.
inline constexpr std::uint32_t kVersion = 11;
inline constexpr std::uint32_t kVersionWithProviders = 12;  // has AppendProvider

// Objects of the library, which we know only by their address.
struct Status;
struct Env;
struct SessionOptions;
struct RunOptions;
struct Session;
struct Value;
struct TypeInfo;
struct TensorInfo;
struct MemoryInfo;
struct Allocator;
struct CudaOptions;

struct ApiBase {
  const void* const* (*get_api)(std::uint32_t version);  // null for versions it does not have
  const char* (*version_string)();
};
inline constexpr const char* kApiBaseName = "OrtGetApiBase";

// Numbers of C enums.
inline constexpr int kOnlyFatalMessages = 4;  // log severity; errors are returned as a Status anyway
inline constexpr int kOptimizationsOff = 0, kBasicOptimizations = 1, kExtendedOptimizations = 2, kAllOptimizations = 99;
inline constexpr int kDeviceAllocator = 0, kDefaultMemory = 0;
enum Kind : int { kUnknown, kTensor, kSequence, kMap, kOpaque, kSparseTensor, kOptional };

template <std::size_t kPlace, typename Signature>
struct Entry;
template <std::size_t kPlace, typename Result, typename... Arguments>
struct Entry<kPlace, Result(Arguments...)> {
  static constexpr std::size_t kSlot = kPlace;
  using Function = Result (*)(Arguments...);
};

// Functions that return a Status: null means success, anything else is owned by the caller.
using CreateEnv = Entry<3, Status*(int severity, const char* id, Env** out)>;
using DisableTelemetry = Entry<6, Status*(const Env*)>;
using CreateSession = Entry<7, Status*(const Env*, const char* path, const SessionOptions*, Session** out)>;
using CreateSessionFromArray =
    Entry<8, Status*(const Env*, const void* data, std::size_t size, const SessionOptions*, Session** out)>;
using Run = Entry<9, Status*(Session*, const RunOptions*, const char* const* input_names, const Value* const* inputs,
                             std::size_t input_count, const char* const* output_names, std::size_t output_count,
                             Value** outputs)>;
using CreateSessionOptions = Entry<10, Status*(SessionOptions** out)>;
using SetOptimizedPath = Entry<11, Status*(SessionOptions*, const char* path)>;
using EnableProfiling = Entry<14, Status*(SessionOptions*, const char* prefix)>;
using SetLogSeverity = Entry<22, Status*(SessionOptions*, int severity)>;
using SetOptimizationLevel = Entry<23, Status*(SessionOptions*, int level)>;
using SetThreads = Entry<24, Status*(SessionOptions*, int count)>;
using InputCount = Entry<30, Status*(const Session*, std::size_t* out)>;
using OutputCount = Entry<31, Status*(const Session*, std::size_t* out)>;
using InputType = Entry<33, Status*(const Session*, std::size_t index, TypeInfo** out)>;
using OutputType = Entry<34, Status*(const Session*, std::size_t index, TypeInfo** out)>;
using InputName = Entry<36, Status*(const Session*, std::size_t index, Allocator*, char** out)>;
using OutputName = Entry<37, Status*(const Session*, std::size_t index, Allocator*, char** out)>;
using CreateTensor =
    Entry<48, Status*(Allocator*, const std::int64_t* dims, std::size_t rank, int element, Value** out)>;
using CreateTensorWithData = Entry<49, Status*(const MemoryInfo*, void* data, std::size_t size,
                                               const std::int64_t* dims, std::size_t rank, int element, Value** out)>;
using TensorData = Entry<51, Status*(Value*, void** out)>;
using FillStrings = Entry<52, Status*(Value*, const char* const* texts, std::size_t count)>;
using StringsLength = Entry<53, Status*(const Value*, std::size_t* out)>;
using StringsContent =
    Entry<54, Status*(const Value*, void* out, std::size_t size, std::size_t* offsets, std::size_t count)>;
using AsTensorInfo = Entry<55, Status*(const TypeInfo*, const TensorInfo** out)>;  // borrowed; null: no tensor
using KindOfType = Entry<56, Status*(const TypeInfo*, int* out)>;
using ElementOf = Entry<60, Status*(const TensorInfo*, int* out)>;
using RankOf = Entry<61, Status*(const TensorInfo*, std::size_t* out)>;
using DimsOf = Entry<62, Status*(const TensorInfo*, std::int64_t* out, std::size_t count)>;
using SymbolsOf = Entry<63, Status*(const TensorInfo*, const char** out, std::size_t count)>;  // borrowed
using TensorInfoOf = Entry<65, Status*(const Value*, TensorInfo** out)>;
using KindOfValue = Entry<67, Status*(const Value*, int* out)>;
using CreateCpuMemoryInfo = Entry<69, Status*(int allocator, int memory, MemoryInfo** out)>;
using Free = Entry<76, Status*(Allocator*, void* memory)>;
using DefaultAllocator = Entry<78, Status*(Allocator** out)>;                         // never released
using PartOf = Entry<80, Status*(const Value*, int index, Allocator*, Value** out)>;  // of a sequence or map
using PartCount = Entry<81, Status*(const Value*, std::size_t* out)>;                 // a map has 2: keys, values
using AvailableProviders = Entry<125, Status*(char*** names, int* count)>;
using FreeProviders = Entry<126, Status*(char** names, int count)>;
using EndProfiling = Entry<110, Status*(Session*, Allocator*, char** out)>;                  // the name of the file
using AddConfig = Entry<130, Status*(SessionOptions*, const char* key, const char* value)>;  // unknown keys are fine
using AppendCuda = Entry<204, Status*(SessionOptions*, const CudaOptions*)>;
using CreateCudaOptions = Entry<205, Status*(CudaOptions** out)>;
using AppendProvider = Entry<216, Status*(SessionOptions*, const char* name, const char* const* keys,
                                          const char* const* values, std::size_t count)>;  // kVersionWithProviders
using HasValue = Entry<192, Status*(const Value*, int* out)>;                              // of an optional

// Functions that cannot fail.
using MessageOf = Entry<2, const char*(const Status*)>;
using ReleaseEnv = Entry<92, void(Env*)>;
using ReleaseStatus = Entry<93, void(Status*)>;
using ReleaseMemoryInfo = Entry<94, void(MemoryInfo*)>;
using ReleaseSession = Entry<95, void(Session*)>;
using ReleaseValue = Entry<96, void(Value*)>;
using ReleaseTypeInfo = Entry<98, void(TypeInfo*)>;
using ReleaseTensorInfo = Entry<99, void(TensorInfo*)>;
using ReleaseSessionOptions = Entry<100, void(SessionOptions*)>;
using ReleaseCudaOptions = Entry<208, void(CudaOptions*)>;

}  // namespace onnxpress::engines::abi
