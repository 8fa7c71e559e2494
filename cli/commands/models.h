// Shared by commands that take one or several models: their paths, the options of the task, and --json.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
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

// `page` is the file in docs/commands/ that lists the fields of the report.
template <typename Options>
Action add_models(Command& command, std::string_view page,
                  int (*show_one)(const std::string& path, const ModelArguments<Options>& arguments),
                  int (*show_several)(const std::vector<std::string>& paths,
                                      const ModelArguments<Options>& arguments)) {
  auto arguments = std::make_shared<ModelArguments<Options>>();
  add_file_argument(command, "MODEL", arguments->models,
                    "models (.onnx, .onnxtxt, .json, - for standard input), folders and patterns");
  add_options(command, arguments->options);
  add_flag(command, "--json", arguments->json,
           fmt::format("print the report as JSON (docs/commands/{} lists the fields)", page));
  return [=] {
    const Inputs inputs = expand_inputs(arguments->models);
    return inputs.several ? show_several(inputs.paths, *arguments) : show_one(inputs.paths.front(), *arguments);
  };
}

}  // namespace onnxpress::cli
