// Fuzzes the binary reader, and everything a read model promises: sound links, byte-exact writing, a stable canonical
// form.
#include "onnxpress/format/read_model.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzz_model.h"
#include "fuzz/message_mutator.h"
#include "onnxpress/analysis/check/check.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/byte_map.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/ir/walk.h"
#include "onnxpress/text/print_model.h"

const std::size_t onnxpress::fuzz::kOptionBytes = 0;

namespace {

using onnxpress::Bytes;
using onnxpress::Error;
using onnxpress::Model;
using onnxpress::fuzz::read;
using onnxpress::fuzz::require;

void look_at_tensors(const Model& model) {
  onnxpress::for_each_tensor(model, [](const onnxpress::Tensor& tensor, const onnxpress::TensorPlace&) {
    try {
      const Bytes bytes = tensor.bytes();
      require(tensor.storage != onnxpress::Storage::kExternal || bytes.empty(), "no external file was read");
      require(tensor.expected_bytes() == bytes.size(), "a tensor has the bytes that its type and dims need");
    } catch (const Error&) {
    }
    try {
      static_cast<void>(tensor.stored_bytes());
    } catch (const Error&) {
    }
  });
}

// Tasks that only read a model must not throw (check), or may only refuse it (text, if external weights are missing).
void look_at_model(Model& model, std::string_view encoded) {
  require(onnxpress::format::map_bytes(encoded).total() == encoded.size(), "the parts of a file sum to its size");
  onnxpress::analysis::CheckSettings settings;
  settings.external_files = false;
  bool threw = false;
  try {
    static_cast<void>(onnxpress::analysis::check(model, settings));
  } catch (const Error&) {
    threw = true;
  }
  require(!threw, "check does not throw for a model that can be read");
  try {
    static_cast<void>(onnxpress::text::print_model(model));
  } catch (const Error&) {
  }
}

// Encoding every message anew gives a canonical form: reading and encoding that again changes nothing.
void check_canonical_form(Model& model) {
  const std::string canonical = onnxpress::format::encode_model(model, true);
  Model again;
  try {
    again = read(canonical);
  } catch (const Error& error) {
    require(false, "the canonical form can be read:", error.what());
  }
  require(onnxpress::verify(again).empty(), "the canonical form reads as a sound model");
  require(onnxpress::format::encode_model(again) == canonical, "the canonical form is written as it was read");
  require(onnxpress::format::encode_model(again, true) == canonical, "the canonical form is stable");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view encoded(reinterpret_cast<const char*>(data), size);
  try {
    Model model = read(encoded);
    const std::string problem = onnxpress::verify(model);
    require(problem.empty(), "a model that was read is sound:", problem);
    look_at_tensors(model);
    look_at_model(model, encoded);
    require(onnxpress::format::encode_model(model) == encoded, "an unchanged model is written byte for byte");
    check_canonical_form(model);
  } catch (const Error& error) {
    require(error.what()[0] != '\0', "an error says what is wrong");
  }
  return 0;
}
