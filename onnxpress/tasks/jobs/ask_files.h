// Questions about models in files: each call loads the model and lets the task of the same name answer. Errors name
// the file. The path "-" is standard input.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "onnxpress/engines/engine.h"

namespace onnxpress {

struct CheckOptions;
struct CheckReport;
struct DiffOptions;
struct DiffReport;
struct InferOptions;
struct InferReport;
struct InfoOptions;
struct InfoReport;
struct MemoryOptions;
struct MemoryReport;
struct NodeReport;
struct ProfileOptions;
struct ProfileReport;
struct RunOptions;
struct RunReport;
struct VerifyOptions;
struct VerifyResult;

CheckReport check_file(const std::string& path, const CheckOptions& options);
// Sizes are those of the file. Does not read the weights, unless duplicates are asked for.
InfoReport info_file(const std::string& path, const InfoOptions& options);
InferReport infer_file(const std::string& path, const InferOptions& options);
ProfileReport profile_file(const std::string& path, const ProfileOptions& options);
MemoryReport plan_memory_of_file(const std::string& path, const MemoryOptions& options);
// Files with the same bytes are equal, without looking inside.
DiffReport diff_files(const std::string& before, const std::string& after, const DiffOptions& options);
RunReport run_file(const std::string& path, const RunOptions& options,
                   const std::function<void(std::uint64_t done, std::uint64_t total)>& progress = {});
// Runs on the first of the samples, or on made-up inputs.
NodeReport compare_nodes_of_file(const engines::Engine& engine, const std::string& path, const VerifyOptions& options);
VerifyResult verify_files(const std::string& first, const std::string& second, const VerifyOptions& options,
                          const engines::Engines& engines);

}  // namespace onnxpress
