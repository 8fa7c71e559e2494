// The one way to write a model file: under a temporary name first, then read back, compared with what was meant and
// checked, and only then renamed. docs/design/writing.md says why.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnxpress/base/atomic_file.h"
#include "onnxpress/tasks/files/load_model.h"
#include "onnxpress/tasks/files/valid_result.h"
#include "onnxpress/tasks/report/field_lists/files.h"
#include "onnxpress/tasks/report/fields.h"

namespace onnxpress {

// Where the weights of a result go.
enum class Placement : std::uint8_t {
  kAsLoaded,    // as in the original: to one file OUTPUT.data if it had external files, otherwise inside
  kKeep,        // where they are: inside, or in the same external files, which are copied to another folder
  kExternal,    // large ones to one external file
  kSingleFile,  // all inside
};

// Details of a file that only some callers choose.
struct FileForm {
  std::optional<ModelForm> format = {};      // empty: what the name of the file says
  std::string external_name = {};            // kExternal: a file next to the output; empty: OUTPUT.data
  std::uint64_t external_threshold = 1024;   // kExternal: smaller tensors stay inside
  bool external_attributes = false;          // kExternal: tensors in attributes move, too
  bool overwrite_external = false;           // kKeep: replace existing files that differ
  bool encode_anew = false;                  // encode everything again, in canonical form
  std::optional<std::uint64_t> elide_above;  // text: shorten tensors with more elements
};

// A file that belongs to a result, such as a list of its names.
struct Beside {
  std::string path;
  std::function<void(AtomicFile& file)> write;
  bool comes_last = false;  // named after the models: it lists them
};

// Throws Error when the model that was read back is not the intended one. It may change the model. Its path is that of
// the file under its temporary name; it is empty if the file cannot be loaded there, because its external data is
// elsewhere.
using ResultCheck = std::function<void(Model& written)>;

struct SaveRequest {
  std::string output;  // a file, or "-": the model goes to `standard_output`, and nothing is read back
  Placement weights = Placement::kAsLoaded;
  FileForm form = {};
  bool dry_run = false;    // writes among the temporary files of the system, checks and deletes
  bool read_back = true;   // false where nothing is claimed about the result, as by `convert`
  ResultCheck check = {};  // empty: the file must equal the model that was saved
  OriginalModel original =
      {};  // what the model was made from: the result must be valid if that was; empty: it need not be
  std::uint64_t smaller_than = 0;  // if not 0: a result of this size or more is not written (SaveReport::too_large)
  std::vector<Beside> beside = {};
  LoadOptions load = {};
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  std::function<void(std::string_view text)> standard_output = {};
};

struct SaveReport {
  std::vector<WrittenFile> files;         // models first, then their external files, then files beside them
  std::uint64_t bytes = 0, external = 0;  // of the models, and of the external files that were written
  ModelForm format = ModelForm::kOnnx;
  std::uint64_t kept_inside = 0;   // tensors over the threshold that shape inference reads
  bool moved_to_external = false;  // because the file would be over 2 GiB
  bool too_large = false;
  std::vector<std::string> lost;  // what the form cannot hold. If anything is lost, the result is not compared.
};

// Writes `model`; values without a name get one. If it throws Error, all files are as they were: none is new, and none
// was replaced.
SaveReport save_checked(Model& model, const SaveRequest& request);

// Writes a result that is the input itself: byte for byte if both have the same form.
SaveReport copy_unchanged(const std::string& input, const SaveRequest& request);

// The check of a result against the file that it was made from, for SaveRequest::original.
OriginalModel original_in(const std::string& path, const LoadOptions& options);

// The form of the file: FileForm::format, or what the name implies; nullopt when neither decides it.
std::optional<ModelForm> format_of_output(const std::string& output, const FileForm& form);

}  // namespace onnxpress
