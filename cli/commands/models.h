// Shared by commands that take one or several models: their paths, the options of the task, and --json.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/arguments/options.h"
#include "cli/cli.h"
#include "onnxpress/tasks/files/model_files.h"

namespace onnxpress::cli {

template <typename Options>
struct ModelArguments {
  std::vector<std::string> models;
  bool json = false;
  Options options;
};

template <typename Options>
Action add_models(Command& command, int (*show_one)(const std::string& path, const ModelArguments<Options>& arguments),
                  int (*show_several)(const std::vector<std::string>& paths,
                                      const ModelArguments<Options>& arguments)) {
  auto arguments = std::make_shared<ModelArguments<Options>>();
  add_file_argument(command, "MODEL", arguments->models,
                    "models (.onnx, .onnxtxt, .json, - for standard input), folders and patterns");
  add_options(command, arguments->options);
  add_json(command, arguments->json);
  return [=] {
    const Inputs inputs = expand_inputs(arguments->models);
    return inputs.several ? show_several(inputs.paths, *arguments) : show_one(inputs.paths.front(), *arguments);
  };
}

}  // namespace onnxpress::cli
