// `onnxpress completion`: prints shell completion, generated from the same option tables that parse the command line.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "cli/arguments/completion_script.h"
#include "cli/cli.h"
#include "cli/terminal/screen.h"

namespace onnxpress::cli {

namespace {

struct Shell {
  std::string_view name;
  std::string (*script)(const Program& program);
};
constexpr Shell kShells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

}  // namespace

Action add_completion(Command& command) {
  auto chosen = std::make_shared<const Shell*>(nullptr);
  const auto set = [chosen](const Texts& texts) {
    for (const Shell& shell : kShells) {
      if (shell.name == texts.back()) *chosen = &shell;
    }
    if (!*chosen) throw BadValue(fmt::format("unknown shell '{}'; use bash, zsh or fish", texts.back()));
  };
  command.add(
      {.names = {"SHELL"}, .label = "bash|zsh|fish", .help = "bash, zsh or fish", .set = set, .required = true});
  return [chosen, &command] {
    print((*chosen)->script(*command.program));
    return kDone;
  };
}

}  // namespace onnxpress::cli
