/// \file
/// The C interface of onnxpress, in C99: for C programs, and for languages that call C. docs/c_api.md is a tour of it.
///
/// **Results.** Every call that can fail returns an int: ONNXPRESS_DONE, or the exit code that the command would have.
/// Unless it is ONNXPRESS_DONE, `*error` says why; free it with onnxpress_error_free(). `error` may be NULL. Outputs
/// (`*model`, `*report`, `*bytes`, ...) are NULL after a call that failed; after ONNXPRESS_NO, the report is there.
/// A call that fails leaves its models as they were.
///
/// **Ownership.** Models, reports, engines, errors and bytes that a call returns belong to the caller, who frees each
/// with the function of its kind. All of these accept NULL. Texts (`const char *`) are UTF-8. Those that are passed in
/// are only read during the call; those that are returned live as long as the object that they came from.
///
/// **Options.** A call takes a pointer to a struct of options, or NULL for the defaults. Its first field is its size,
/// and zero in any other field means the default, so that a struct is ready after
///
///     onnxpress_shrink_options options = ONNXPRESS_SHRINK_OPTIONS;
///
/// or, in other languages, after filling it with zeros and setting `size`. Every field is as wide as a pointer, double
/// or int64_t, all of 8 bytes on 64-bit machines, so there is no padding. New versions only add fields at the end:
/// programs and libraries of different versions work together. A field that the library is too old for is refused,
/// unless it is zero. Choices are words, as on the command line ("ort", "int8"). Flags are 0 or 1. Lists are arrays of
/// texts that end with NULL. Each field means what the option of the same name means to the command
/// (docs/commands/).
///
/// **Threads.** Different models may be used in different threads at the same time, each model in one thread at a time.
/// Engines and reports never change, so any number of threads may share them.
#ifndef ONNXPRESS_ONNXPRESS_C_H
#define ONNXPRESS_ONNXPRESS_C_H

// NOLINTBEGIN: clang-tidy would like C++ better.
#include <stddef.h>
#include <stdint.h>

/// Marks what the library exports.
#ifndef ONNXPRESS_API
#if defined(__GNUC__)
#define ONNXPRESS_API __attribute__((visibility("default")))
#else
#define ONNXPRESS_API
#endif
#endif

/// A struct of options with its size set and everything else zero.
#ifdef __cplusplus
#define ONNXPRESS_OPTIONS(type) \
  { sizeof(type) }
#else
#define ONNXPRESS_OPTIONS(type) \
  { .size = sizeof(type) }
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// What calls return.
enum {
  ONNXPRESS_DONE = 0,        ///< it is done; where there is a question, the answer is yes
  ONNXPRESS_NO = 1,          ///< the answer is no: errors were found, models differ, a goal is missed
  ONNXPRESS_BAD_CALL = 2,    ///< the call itself makes no sense: an argument is NULL, or an option has no such value
  ONNXPRESS_FAILED = 3,      ///< the model is damaged or does not fit the request; or there is not enough memory
  ONNXPRESS_CANCELLED = 130  ///< the progress function ended the call
};

/// A model in memory. Its weights may stay in the file that it was loaded from, which must then not change.
typedef struct onnxpress_model onnxpress_model;
/// What a call found or did: a tree of named values, as JSON. Never changes.
typedef struct onnxpress_report onnxpress_report;
/// Runs models for calls that have to compare outputs. Never changes.
typedef struct onnxpress_engine onnxpress_engine;
/// Why a call did not do what it was asked to do.
typedef struct onnxpress_error onnxpress_error;

/// Called from time to time by calls that take long, always in the thread that made the call. `stage` says what is
/// being done, such as "encoding weights"; `total` is 0 if the amount of work is not known. Unless it returns 0, the
/// call ends with ONNXPRESS_CANCELLED. It must not use the models of the call, and no exception may leave it.
typedef int (*onnxpress_progress)(void* data, const char* stage, uint64_t done, uint64_t total);

/// The version of the library, such as "0.1.0".
ONNXPRESS_API const char* onnxpress_version(void);

/// The whole message: file, place and what is wrong. Empty for NULL, as are the next two.
ONNXPRESS_API const char* onnxpress_error_text(const onnxpress_error* error);
/// What to do about it; empty if there is no advice.
ONNXPRESS_API const char* onnxpress_error_hint(const onnxpress_error* error);
/// The file that it is about; empty if there is none.
ONNXPRESS_API const char* onnxpress_error_file(const onnxpress_error* error);
/// Frees an error.
ONNXPRESS_API void onnxpress_error_free(onnxpress_error* error);

/// How to read a model.
typedef struct onnxpress_load_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  int64_t no_mmap;              ///< read files instead of mapping them, for files that may change
  int64_t allow_outside_paths;  ///< allow external data outside the model's folder; only for models that you trust
  int64_t borrow_bytes;  ///< onnxpress_load_bytes() copies nothing: the bytes stay as they are until all models that
                         ///< come from this one are freed
} onnxpress_load_options;
/// The defaults of onnxpress_load_options.
#define ONNXPRESS_LOAD_OPTIONS ONNXPRESS_OPTIONS(onnxpress_load_options)

/// Reads a model from a file: .onnx, ONNX text or JSON, which the name or the first bytes tell.
ONNXPRESS_API int onnxpress_load(const char* path, const onnxpress_load_options* options, onnxpress_model** model,
                                 onnxpress_error** error);
/// Reads a model from memory, in any of these forms. External data is looked up in the current folder.
ONNXPRESS_API int onnxpress_load_bytes(const void* bytes, size_t count, const onnxpress_load_options* options,
                                       onnxpress_model** model, onnxpress_error** error);

/// How to write a model.
typedef struct onnxpress_save_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  const char* form;             ///< "onnx", "text" or "json"; NULL: what the name says, and "onnx" in memory
  const char* weights;         ///< files: "as-loaded" (default: in PATH.data if external files were read, else inside),
                               ///< "keep" (where they are), "external" or "inside"
  const char* external_name;   ///< "external": name of that file, next to the model; NULL: PATH.data
  int64_t external_threshold;  ///< "external": tensors of fewer bytes stay inside; 0: 1024
  int64_t encode_anew;         ///< encode everything again instead of copying what did not change
} onnxpress_save_options;
/// The defaults of onnxpress_save_options.
#define ONNXPRESS_SAVE_OPTIONS ONNXPRESS_OPTIONS(onnxpress_save_options)

/// Writes a model to a file, completely or not at all, and reads it back to make sure. Values without a name get one.
ONNXPRESS_API int onnxpress_save(onnxpress_model* model, const char* path, const onnxpress_save_options* options,
                                 onnxpress_error** error);
/// Writes a model to memory. Weights in external files move inside, and stay there. Free the bytes with
/// onnxpress_bytes_free().
ONNXPRESS_API int onnxpress_save_bytes(onnxpress_model* model, const onnxpress_save_options* options, void** bytes,
                                       size_t* count, onnxpress_error** error);
/// Frees bytes.
ONNXPRESS_API void onnxpress_bytes_free(void* bytes);

/// A copy, which shares the weights.
ONNXPRESS_API int onnxpress_clone(const onnxpress_model* model, onnxpress_model** copy, onnxpress_error** error);
/// Frees a model.
ONNXPRESS_API void onnxpress_model_free(onnxpress_model* model);

/// How to check a model.
typedef struct onnxpress_check_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  int64_t strict;               ///< warnings count as errors
  int64_t no_external;          ///< do not open files of external data
  int64_t limit;                ///< how many findings to list; 0: 100
} onnxpress_check_options;
/// The defaults of onnxpress_check_options.
#define ONNXPRESS_CHECK_OPTIONS ONNXPRESS_OPTIONS(onnxpress_check_options)

/// Is the model valid? ONNXPRESS_NO if there are errors, which the report lists.
ONNXPRESS_API int onnxpress_check(onnxpress_model* model, const onnxpress_check_options* options,
                                  onnxpress_report** report, onnxpress_error** error);

/// What to describe.
typedef struct onnxpress_info_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  int64_t tensors;              ///< list every weight
  int64_t duplicates;           ///< find weights that are stored more than once
  int64_t all_inputs;           ///< list initializers that are inputs, too
  const char* sort;             ///< order of weights: "size" (default), "name" or "order"
  int64_t top;                  ///< how many of the largest to list; 0: 10
} onnxpress_info_options;
/// The defaults of onnxpress_info_options.
#define ONNXPRESS_INFO_OPTIONS ONNXPRESS_OPTIONS(onnxpress_info_options)

/// What is in the model: inputs, outputs, ops, weights, sizes.
ONNXPRESS_API int onnxpress_info(onnxpress_model* model, const onnxpress_info_options* options,
                                 onnxpress_report** report, onnxpress_error** error);

/// What counts as a difference.
typedef struct onnxpress_diff_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  const char* const* ignore;    ///< any of "names", "docs", "metadata", "value-info", "order"
  double tolerance;             ///< elements of tensors that differ by no more are equal
  int64_t limit;                ///< how many differences of each kind to list; 0: 50
} onnxpress_diff_options;
/// The defaults of onnxpress_diff_options.
#define ONNXPRESS_DIFF_OPTIONS ONNXPRESS_OPTIONS(onnxpress_diff_options)

/// What differs between two models? ONNXPRESS_NO if anything does.
ONNXPRESS_API int onnxpress_diff(const onnxpress_model* before, const onnxpress_model* after,
                                 const onnxpress_diff_options* options, onnxpress_report** report,
                                 onnxpress_error** error);

/// How to infer types and shapes.
typedef struct onnxpress_infer_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  const char* const* shape;     ///< shapes of inputs: "x=1x3x224x224"
  const char* const* dim;       ///< sizes of named dims: "batch=8"
  const char* const* value;     ///< values of inputs that shapes depend on: "size=640,640"
  const char* custom_ops;       ///< a file that describes ops that are not built in
  int64_t trust_value_info;     ///< use declared types where nothing can be inferred
  int64_t all;                  ///< list every value
  int64_t limit;                ///< how many unknown values to explain; 0: 20
  int64_t declare;              ///< write the types of inner values into the model
} onnxpress_infer_options;
/// The defaults of onnxpress_infer_options.
#define ONNXPRESS_INFER_OPTIONS ONNXPRESS_OPTIONS(onnxpress_infer_options)

/// The type and shape of every value. Changes the model only with `declare`.
ONNXPRESS_API int onnxpress_infer(onnxpress_model* model, const onnxpress_infer_options* options,
                                  onnxpress_report** report, onnxpress_error** error);

/// How to count.
typedef struct onnxpress_profile_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  const char* const* shape;     ///< shapes of inputs: "x=1x3x224x224"
  const char* const* dim;       ///< sizes of named dims: "batch=8"
  const char* const* value;     ///< values of inputs that shapes depend on: "size=640,640"
  const char* custom_ops;       ///< a file that describes ops that are not built in
  const char* cost;             ///< a text file that gives the work of ops
  const char* count;            ///< "mac" (default), "flop", or what another tool counts: "onnx-tool", "fvcore", "thop"
  const char* device;           ///< a device, or a JSON file about one: also compute the least time of each node
  int64_t align;                ///< alignment of buffers in bytes; 0: 1
  int64_t sparsity;             ///< read the weights and count zeros
} onnxpress_profile_options;
/// The defaults of onnxpress_profile_options.
#define ONNXPRESS_PROFILE_OPTIONS ONNXPRESS_OPTIONS(onnxpress_profile_options)

/// What the model costs to run: multiply-adds, parameters, bytes moved and memory, node by node.
ONNXPRESS_API int onnxpress_profile(onnxpress_model* model, const onnxpress_profile_options* options,
                                    onnxpress_report** report, onnxpress_error** error);

/// How to plan memory.
typedef struct onnxpress_memory_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  const char* const* shape;     ///< shapes of inputs: "x=1x3x224x224"
  const char* const* dim;       ///< sizes of named dims: "batch=8"
  const char* const* value;     ///< values of inputs that shapes depend on: "size=640,640"
  const char* custom_ops;       ///< a file that describes ops that are not built in
  int64_t align;                ///< offsets and sizes are multiples of this; 0: 1
  int64_t reorder;              ///< look for an order of nodes with a lower peak; the model gets that order
} onnxpress_memory_options;
/// The defaults of onnxpress_memory_options.
#define ONNXPRESS_MEMORY_OPTIONS ONNXPRESS_OPTIONS(onnxpress_memory_options)

/// Where each activation goes in one pool of memory. Changes the model only with `reorder`.
ONNXPRESS_API int onnxpress_plan_memory(onnxpress_model* model, const onnxpress_memory_options* options,
                                        onnxpress_report** report, onnxpress_error** error);

/// How to shrink.
typedef struct onnxpress_shrink_options {
  size_t size;                     ///< of this struct
  int64_t threads;                 ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;     ///< may be NULL
  void* progress_data;             ///< first argument of `progress`
  const char* target;              ///< the runtime that the result is for: "ort" (default), "ort-web-gpu", "any", ...
  const char* const* only;         ///< use only these methods
  const char* const* skip;         ///< skip these methods
  int64_t freeze;                  ///< turn initializers that are also inputs into constants
  int64_t pack;                    ///< also pack floats into 28 bits and codes into fewer, for a longer load time
  int64_t shorten_names;           ///< shorten the names of inner values, and remove those of nodes
  int64_t verify;                  ///< also run both models in `engine`, and compare their outputs
  const onnxpress_engine* engine;  ///< NULL: the built-in evaluator
} onnxpress_shrink_options;
/// The defaults of onnxpress_shrink_options.
#define ONNXPRESS_SHRINK_OPTIONS ONNXPRESS_OPTIONS(onnxpress_shrink_options)

/// Makes the model smaller; every bit of its weights stays. The result is decoded and compared with the original.
ONNXPRESS_API int onnxpress_shrink(onnxpress_model* model, const onnxpress_shrink_options* options,
                                   onnxpress_report** report, onnxpress_error** error);

/// How to expand.
typedef struct onnxpress_expand_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
} onnxpress_expand_options;
/// The defaults of onnxpress_expand_options.
#define ONNXPRESS_EXPAND_OPTIONS ONNXPRESS_OPTIONS(onnxpress_expand_options)

/// Undoes onnxpress_shrink(): nodes that only decode constants are replaced by what they decode to.
ONNXPRESS_API int onnxpress_expand(onnxpress_model* model, const onnxpress_expand_options* options,
                                   onnxpress_report** report, onnxpress_error** error);

/// How to store weights in fewer bits. `to`, `scheme`, `recipe`, a goal or `activations` has to be set; at most one
/// goal.
typedef struct onnxpress_quantize_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  const char* to;               ///< "int8", "int6", "int4", "fp16", "bf16", or "auto" (a goal: outputs at 30 dB)
  const char* scheme;           ///< in detail: "int4 block=32 asym scale=mse", "nf4", ... (docs/commands/quantize.md)
  const char* recipe;           ///< a file with a pattern of tensors and a scheme per line
  const char* samples;          ///< a folder of inputs to run the model on, instead of made-up ones
  double quality;               ///< goal: every output keeps this SNR in dB
  double may_miss;              ///< percent of the inputs that may have less
  double weight_quality;        ///< goal: the weights keep this SNR in dB; the model is not run
  double max_error;             ///< goal: no element is off by more than this share of the largest one
  int64_t max_size;             ///< goal: bytes of the file
  int64_t max_download;         ///< goal: bytes of the compressed file
  const char* compressor;       ///< what compresses it: "brotli" (default), "gzip" or "zstd"
  const char* activations;      ///< "float" (default), or 8 bits with ranges found at run time ("dynamic") or in
                                ///< advance ("static")
  const char* layers;           ///< "dynamic": "inner" (default), "conv" (these, too) or "all" (first and last, too)
  const char* target;           ///< the runtime that the result is for, as for onnxpress_shrink()
  const char* encoding;         ///< "folded", "dq", "ort" or "simulate"; NULL: what suits the target
  const char* const* include;   ///< round only these: patterns of tensors, nodes or ops
  const char* const* exclude;   ///< do not round these
  int64_t min_elements;         ///< leave smaller tensors as they are; 0: 1024
  int64_t best_effort;          ///< if a goal is missed, change the model anyway
  int64_t verify;               ///< run the model before and after, and report how far apart the outputs are
  const char* const* shape;     ///< shapes of inputs that the model is run on: "x=1x3x224x224"
  const char* const* dim;       ///< sizes of named dims: "batch=8"
  const char* const* value;     ///< values of inputs that shapes depend on: "size=640,640"
  const onnxpress_engine* engine;  ///< NULL: the built-in evaluator, which is much slower than ONNX Runtime
} onnxpress_quantize_options;
/// The defaults of onnxpress_quantize_options.
#define ONNXPRESS_QUANTIZE_OPTIONS ONNXPRESS_OPTIONS(onnxpress_quantize_options)

/// Stores weights in fewer bits. ONNXPRESS_NO if the goal is missed: the model stays as it was, and the report and the
/// error say why.
ONNXPRESS_API int onnxpress_quantize(onnxpress_model* model, const onnxpress_quantize_options* options,
                                     onnxpress_report** report, onnxpress_error** error);

/// How to optimize.
typedef struct onnxpress_optimize_options {
  size_t size;                          ///< of this struct
  int64_t threads;                      ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;          ///< may be NULL
  void* progress_data;                  ///< first argument of `progress`
  const char* target;                   ///< "standard" (default), or "ort": may use ONNX Runtime's own operators
  int64_t exact;                        ///< only rewrites that keep every bit of the outputs
  int64_t approximate;                  ///< also rewrites that change numbers slightly
  int64_t freeze;                       ///< turn initializers that are also inputs into constants
  int64_t costs;                        ///< report what the model costs before and after
  int64_t verify;                       ///< run the model before and after, and leave out rewrites that change outputs
  const char* const* only;              ///< use only these rewrites
  const char* const* also;              ///< also use these, which are off by default
  const char* const* skip;              ///< skip these rewrites
  const char* const* inline_functions;  ///< inline calls of these functions; "all" for all
  const char* const* why;               ///< nodes for which the report says what happened to them
  int64_t opset;                        ///< convert to this version of the standard operators first; 0: leave it
  const char* rules;                    ///< a file of your own rewrites
  const char* const* shape;             ///< shapes of inputs: "x=1x3x224x224"
  const char* const* dim;               ///< sizes of named dims: "batch=8"
  const char* const* value;             ///< values of inputs that become constants: "size=640,640"
  const onnxpress_engine* engine;       ///< NULL: the built-in evaluator
} onnxpress_optimize_options;
/// The defaults of onnxpress_optimize_options.
#define ONNXPRESS_OPTIMIZE_OPTIONS ONNXPRESS_OPTIONS(onnxpress_optimize_options)

/// The same model with fewer nodes: computes constants, simplifies shapes, fuses layers.
ONNXPRESS_API int onnxpress_optimize(onnxpress_model* model, const onnxpress_optimize_options* options,
                                     onnxpress_report** report, onnxpress_error** error);

/// What to edit.
typedef struct onnxpress_edit_options {
  size_t size;                       ///< of this struct
  int64_t threads;                   ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;       ///< may be NULL
  void* progress_data;               ///< first argument of `progress`
  const char* const* rename;         ///< values or nodes: "old=new"
  const char* const* set_shape;      ///< shapes of inputs and outputs: "x=N,3,224,224"
  const char* const* set_type;       ///< element types of inputs and outputs: "x=float16"
  const char* const* set_attribute;  ///< "node.attribute=value"
  const char* const* set_metadata;   ///< "key=value"
  const char* const* remove_node;    ///< readers of their results read their operands instead
  const char* const* add_output;     ///< values that also become outputs
  const char* const* remove_input;   ///< inputs that nothing reads, or that have an initializer
  const char* const* remove_output;  ///< with the nodes that only they need
  const char* doc;                   ///< documentation of the model
} onnxpress_edit_options;
/// The defaults of onnxpress_edit_options.
#define ONNXPRESS_EDIT_OPTIONS ONNXPRESS_OPTIONS(onnxpress_edit_options)

/// Makes changes, several at once. All names are those of the model before the call.
ONNXPRESS_API int onnxpress_edit(onnxpress_model* model, const onnxpress_edit_options* options,
                                 onnxpress_report** report, onnxpress_error** error);

/// Which part to extract: where it begins and ends, or its nodes.
typedef struct onnxpress_extract_options {
  size_t size;                  ///< of this struct
  int64_t threads;              ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;  ///< may be NULL
  void* progress_data;          ///< first argument of `progress`
  const char* const* inputs;    ///< values where it begins; NULL: the inputs of the model
  const char* const* outputs;   ///< values where it ends; NULL: the outputs of the model
  const char* const* nodes;     ///< its nodes, by name
  const char* prefix;           ///< all nodes whose names begin with this
} onnxpress_extract_options;
/// The defaults of onnxpress_extract_options.
#define ONNXPRESS_EXTRACT_OPTIONS ONNXPRESS_OPTIONS(onnxpress_extract_options)

/// Copies a part of the model, as a model of its own.
ONNXPRESS_API int onnxpress_extract(onnxpress_model* model, const onnxpress_extract_options* options,
                                    onnxpress_model** part, onnxpress_report** report, onnxpress_error** error);

/// Which engine to find.
typedef struct onnxpress_engine_options {
  size_t size;           ///< of this struct
  const char* runtime;   ///< "ort", "onnxpress" (the built-in evaluator) or "both"; NULL: ONNX Runtime, if it is there
  const char* provider;  ///< execution provider of ONNX Runtime: "cpu" (default), "cuda", ...
  const char* library;   ///< path of ONNX Runtime's library; NULL: look in the usual places
  double time_limit;     ///< seconds that loading a model or a run may take; 0: 600
} onnxpress_engine_options;
/// The defaults of onnxpress_engine_options.
#define ONNXPRESS_ENGINE_OPTIONS ONNXPRESS_OPTIONS(onnxpress_engine_options)

/// Finds what runs models. ONNX Runtime runs in a copy (fork) of the calling process, so that a crash or a hang there
/// is an error here; no thread of the program may hold a lock that ONNX Runtime needs while a call uses the engine. The
/// same holds for the built-in evaluator if it has a time limit.
ONNXPRESS_API int onnxpress_find_engine(const onnxpress_engine_options* options, onnxpress_engine** engine,
                                        onnxpress_error** error);
/// Its name and version, such as "ONNX Runtime 1.23.2", or "onnxpress" for the built-in evaluator; empty for NULL.
ONNXPRESS_API const char* onnxpress_engine_name(const onnxpress_engine* engine);
/// Frees an engine.
ONNXPRESS_API void onnxpress_engine_free(onnxpress_engine* engine);

/// How to compare two models by running them.
typedef struct onnxpress_verify_options {
  size_t size;                     ///< of this struct
  int64_t threads;                 ///< 0: one per processor; 1: start no thread
  onnxpress_progress progress;     ///< may be NULL
  void* progress_data;             ///< first argument of `progress`
  const char* samples;             ///< a folder of inputs, instead of made-up ones
  int64_t sets;                    ///< how many sets of inputs to make up; 0: all kinds, for about 20 seconds
  int64_t seed;                    ///< of made-up inputs
  double tolerance;                ///< accept differences up to this share of the output's largest element
  double quality;                  ///< accept outputs down to this SNR in dB
  int64_t locate;                  ///< if the models differ, find the node where the difference begins
  double time_limit;               ///< try no further inputs after this many seconds; 0: no limit
  const char* const* shape;        ///< shapes of inputs: "x=1x3x224x224"
  const char* const* dim;          ///< sizes of named dims: "batch=8"
  const char* const* value;        ///< values of inputs: "size=640,640"
  const onnxpress_engine* engine;  ///< NULL: the built-in evaluator
} onnxpress_verify_options;
/// The defaults of onnxpress_verify_options.
#define ONNXPRESS_VERIFY_OPTIONS ONNXPRESS_OPTIONS(onnxpress_verify_options)

/// Do two models compute the same? ONNXPRESS_NO if an output differs by more than rounding alone explains.
ONNXPRESS_API int onnxpress_verify(onnxpress_model* reference, onnxpress_model* other,
                                   const onnxpress_verify_options* options, onnxpress_report** report,
                                   onnxpress_error** error);

/// The report as JSON, as the command prints it with --json; empty for NULL. docs/commands/ lists the fields.
ONNXPRESS_API const char* onnxpress_report_json(const onnxpress_report* report);
/// One number of a report, by its path: "after.file", "findings.0.count". true is 1, and a list is its length.
/// ONNXPRESS_NO: the value is null, which means that it was not measured. ONNXPRESS_BAD_CALL: there is no such number.
ONNXPRESS_API int onnxpress_report_number(const onnxpress_report* report, const char* path, double* number);
/// The same for a text, such as "findings.0.message". It lives as long as the report.
ONNXPRESS_API int onnxpress_report_text(const onnxpress_report* report, const char* path, const char** text);
/// Frees a report.
ONNXPRESS_API void onnxpress_report_free(onnxpress_report* report);

#ifdef __cplusplus
}
#endif
// NOLINTEND

#endif
