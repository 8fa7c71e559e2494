// `onnxpress completion`: shell completion, generated from the same option tree that parses the command line.
#include <fmt/format.h>

#include <memory>

#include "cli/cli.h"
#include "cli/completion_script.h"
#include "cli/screen.h"

namespace onnxpress::cli {

Action add_completion(Command& command) {
  auto shell = std::make_shared<std::string>();
  const auto set = [shell](const Texts& texts) {
    *shell = texts.back();
    if (*shell != "bash" && *shell != "zsh")
      throw BadValue(fmt::format("'{}' is not a shell we know (bash, zsh)", *shell));
  };
  command.add({.names = {"SHELL"}, .label = "bash|zsh", .help = "bash or zsh", .set = set, .required = true});
  return [shell, &command] {
    print(*shell == "bash" ? bash_completion(*command.program) : zsh_completion(*command.program));
    return kDone;
  };
}

}  // namespace onnxpress::cli
