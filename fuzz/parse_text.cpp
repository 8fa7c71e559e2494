// Fuzzes the text parser: any bytes parse or give an Error, and printing a parsed model gives a text that parses and
// prints the same again.
#include <fmt/format.h>

#include <cstdlib>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/verify.h"
#include "onnxpress/text/parse_model.h"
#include "onnxpress/text/print_model.h"

using namespace onnxpress;

namespace {

void require(bool holds, std::string_view what, const std::string& text) {
  if (holds) return;
  fmt::print(stderr, "{}\n{}\n", what, text);
  std::abort();
}

// The printed text must parse, and must print the same again.
void check_stable(const Model& model, const text::PrintOptions& options) {
  const std::string printed = text::print_model(model, options);
  try {
    const Model again = text::parse_model(printed);
    require(verify(again).empty(), "the printed model is broken: " + verify(again), printed);
    require(text::print_model(again, options) == printed, "printing again gives another text", printed);
  } catch (const Error& error) {
    require(false, fmt::format("the printed text does not parse: {}", error.what()), printed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Model model = text::parse_model(text, "fuzz.onnxtxt");
    require(verify(model).empty(), "the model is broken: " + verify(model), std::string(text));
    check_stable(model, {});
    text::PrintOptions options;
    options.elide_above = 3;
    options.small_types_as_values = true;
    check_stable(model, options);
  } catch (const Error&) {
  }
  return 0;
}
