// `onnxpress generate`: makes a synthetic model of a chosen kind and size.
#include "onnxpress/tasks/generate/generate.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/commands/one_model.h"
#include "onnxpress/tasks/files/save_checked.h"

namespace onnxpress::cli {

namespace {

struct ExternalOptions {
  std::optional<std::string> external_data;
  std::uint64_t external_threshold = FileForm().external_threshold;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("external_data", &ExternalOptions::external_data,
          "put the weights into a file next to the model (default: OUTPUT.data)");
    visit("external_threshold", &ExternalOptions::external_threshold, "smaller weights stay inside (default 1024)");
  }
};

struct GenerateArguments {
  std::string output;
  GenerateOptions options;
  ExternalOptions external;
};

bool lists_word(std::string_view words, std::string_view word) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
}

// A size of another kind is a mistake, not something to ignore.
void require_sizes_of_kind(const Command& command, const GenerateOptions& options) {
  const bool is_kind = options.architecture.empty();
  const ModelKind kind = options.kind;
  Fields<GenerateSizes>::visit([&](std::string_view field, auto, std::string_view) {
    if (!command.was_given(flag_name(field))) return;
    std::vector<std::string_view> kinds;
    for (const ModelKindRow& row : model_kinds()) {
      if (!lists_word(row.sizes, field)) continue;
      if (is_kind && row.kind == kind) return;
      kinds.push_back(word_of(row.kind));
    }
    throw UsageError(fmt::format("{} does not apply to {} '{}'", flag_name(field), is_kind ? "kind" : "architecture",
                                 is_kind ? word_of(kind) : options.architecture),
                     fmt::format("it applies to: {}", fmt::join(kinds, ", ")));
  });
}

void require_usable(const Command& command, const GenerateOptions& options) {
  require_sizes_of_kind(command, options);
  require_valid(options);
}

int generate(const GenerateArguments& arguments) {
  if (arguments.output == "-" && arguments.external.external_data)
    throw UsageError("--external-data needs a file as output", "add -o FILE");
  std::optional<ModelOutput> piped;
  if (arguments.output == "-") piped.emplace(arguments.output, false);
  Model model = generate_model(arguments.options);
  ProgressBar bar("writing");
  SaveRequest request{.output = piped ? piped->path() : arguments.output, .read_back = false};
  request.form.format = ModelForm::kOnnx;
  request.progress = bar.shower();
  if (arguments.external.external_data) {
    request.weights = Placement::kExternal;
    request.form.external_name = *arguments.external.external_data;
    request.form.external_threshold = arguments.external.external_threshold;
    request.form.external_attributes = true;
  }
  const SaveReport report = save_checked(model, request);
  bar.clear();
  if (piped) {
    piped->deliver(report.files);
    return kDone;
  }
  tell_files(report.files);
  if (report.moved_to_external) {
    talk(fmt::format("{} in one file the model would be over 2 GiB, so its weights are in an external file\n",
                     inked("note:", Ink::kWarning, standard_error())));
  }
  return kDone;
}

// The kinds, then the architectures.
WordList kind_words() {
  WordList words = words_of<ModelKind>();
  for (const ArchitectureRow& row : onnxpress::architectures()) words.push_back(row.name);
  return words;
}

void add_kind(Command& command, GenerateOptions& options) {
  std::vector<std::string> kinds;
  WordList architectures;
  for (const ModelKindRow& row : model_kinds()) kinds.push_back(fmt::format("{} ({})", word_of(row.kind), row.summary));
  for (const ArchitectureRow& row : onnxpress::architectures()) architectures.push_back(row.name);
  const auto set = [&options](const Texts& texts) {
    const WordList words = kind_words();
    const std::size_t at = index_of_word(texts.back(), words), kind_count = model_kinds().size();
    if (at < kind_count) options.kind = Words<ModelKind>::kAll[at].second;
    options.architecture = at < kind_count ? "" : std::string(words[at]);
  };
  command.add({.names = {"KIND"},
               .label = fmt::format("{}", fmt::join(kind_words(), "|")),
               .help = fmt::format("kind of model to make: {}; or a real architecture with made-up weights: {}",
                                   fmt::join(kinds, ", "), fmt::join(architectures, ", ")),
               .set = set,
               .required = true});
}

}  // namespace

Action add_generate(Command& command) {
  auto arguments = std::make_shared<GenerateArguments>();
  add_kind(command, arguments->options);
  add_file(command, {"-o", "--output"}, arguments->output, "the model file to write; - for standard output").required =
      true;
  add_options(command, arguments->options);
  add_options(command, arguments->external);
  return [arguments, &command] {
    require_usable(command, arguments->options);
    return generate(*arguments);
  };
}

}  // namespace onnxpress::cli
