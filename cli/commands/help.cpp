// `onnxpress help` and `onnxpress man`: the text of --help, and manual pages.
#include "cli/arguments/help.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cli/arguments/man_page.h"
#include "cli/arguments/options.h"
#include "cli/arguments/usage.h"
#include "cli/cli.h"
#include "cli/terminal/cell_text.h"
#include "cli/terminal/output.h"
#include "cli/terminal/screen.h"
#include "onnxpress/base/atomic_file.h"

namespace onnxpress::cli {

namespace {

void add_command_argument(Command& command, std::string& name, const char* help) {
  const auto set = [&name](const Texts& texts) { name = texts.back(); };
  command.add({.names = {"COMMAND"}, .label = "COMMAND", .help = help, .set = set});
}

// Null for an empty name; throws UsageError for an unknown command.
const Command* command_named(const Program& program, const std::string& name) {
  if (name.empty()) return nullptr;
  if (const Command* found = program.find(name)) return found;
  throw unknown_command(program, name);
}

void write_pages(const Program& program, const std::string& folder) {
  make_output_folder(folder);
  const auto write = [&](const Command* command) {
    const std::filesystem::path path = std::filesystem::path(folder) / (man_page_name(program, command) + ".1");
    write_file(path, man_page(program, command));
    talk(fmt::format("wrote {}\n", printable(path.string())));
  };
  write(nullptr);
  for (const Command& command : program.commands) write(&command);
}

}  // namespace

Action add_help(Command& command) {
  auto name = std::make_shared<std::string>();
  add_command_argument(command, *name, "the command to explain (default: list all commands)");
  return [name, &command] {
    print(help_text(*command.program, command_named(*command.program, *name), !name->empty()));
    return kDone;
  };
}

Action add_man(Command& command) {
  struct Arguments {
    std::string name, folder;
  };
  auto arguments = std::make_shared<Arguments>();
  add_command_argument(command, arguments->name, "the command to explain (default: the page about all commands)");
  add_file(command, {"-o", "--output"}, arguments->folder, "write the pages of all commands into this folder").label =
      "DIR";
  return [arguments, &command] {
    const Program& program = *command.program;
    const Command* wanted = command_named(program, arguments->name);
    if (arguments->folder.empty()) {
      print(man_page(program, wanted));
    } else if (wanted) {
      throw UsageError("-o writes the pages of all commands", "leave out the command or -o");
    } else {
      write_pages(program, arguments->folder);
    }
    return kDone;
  };
}

}  // namespace onnxpress::cli
