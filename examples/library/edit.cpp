// Prepares a model for a look inside: any batch size, no Identity nodes, and one inner value as an output called
// "inside".
#include <iostream>
#include <string>
#include <vector>

#include "onnxpress/onnxpress.h"

namespace {

// Changes one by one: the editor keeps types and shapes up to date, and refuses what would break the model.
void open_batches_and_remove_identities(onnxpress::Model& model) {
  onnxpress::Editor editor(model);
  for (const onnxpress::ValueInfo* input : model.graph().inputs()) {
    if (!input->type || input->type->dims.empty()) continue;
    std::vector<onnxpress::Dim> shape(input->type->dims.begin(), input->type->dims.end());
    shape[0] = onnxpress::Dim::symbol(model.context().symbol("batch"));
    editor.set_shape(*input->value, shape);
  }
  for (onnxpress::Node& node : model.graph().nodes()) {  // removing nodes on the way is fine
    if (node.is("Identity")) editor.bypass(node);
  }
  editor.tidy();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: edit model.onnx edited.onnx value\n";
    return 2;
  }
  onnxpress::Model model = onnxpress::load_model(argv[1]);
  open_batches_and_remove_identities(model);

  onnxpress::EditOptions options;  // the same changes as those of the command, by name
  options.add_output = {argv[3]};
  options.rename = {std::string(argv[3]) + "=inside"};
  for (const std::string& change : onnxpress::edit(model, options).changes) std::cout << change << '\n';

  onnxpress::save_model(model, argv[2]);
  return 0;
} catch (const onnxpress::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  if (!error.hint().empty()) std::cerr << "hint: " << error.hint() << '\n';
  return 3;
}
