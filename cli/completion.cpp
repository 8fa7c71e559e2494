// `onnxpress completion`: shell completion, generated from the same option tree that parses the command line.
#include <fmt/format.h>

#include <memory>

#include "cli/cli.h"
#include "cli/completion_script.h"
#include "cli/screen.h"

namespace onnxpress::cli {

Action add_completion(CLI::App& command) {
  auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->type_name("bash|zsh")
      ->check([](const std::string& name) -> std::string {
        return name == "bash" || name == "zsh" ? "" : fmt::format("'{}' is not a shell we know (bash, zsh)", name);
      });
  return [shell, &command] {
    const CLI::App& root = *command.get_parent();
    print(*shell == "bash" ? bash_completion(root) : zsh_completion(root));
    return kDone;
  };
}

}  // namespace onnxpress::cli
