// Writes the command line that is meant instead of one with options that moved.
#include "cli/arguments/moved_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/arguments/flag_text.h"

namespace onnxpress::cli {

namespace {

Texts parts_of(std::string_view text, char at = ' ') {
  Texts words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

// "x:1,3,224,224" -> "x=1x3x224x224"
std::string as_shape(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string name = colon == std::string::npos ? "INPUT" : text.substr(0, colon);
  return name + "=" +
         fmt::format("{}", fmt::join(parts_of(text.substr(colon == std::string::npos ? 0 : colon + 1), ','), "x"));
}

const Option* known_option(const Command& command, std::string_view name) {
  const auto has_name = [&](const Option& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  };
  const auto found = std::ranges::find_if(command.options, has_name);
  return found == command.options.end() ? nullptr : &*found;
}

// One option with its values, or one argument.
struct Piece {
  Texts words;
  const MovedOption* row = nullptr;  // null: it stays as it is
  Texts values = {};                 // of a moved option

  bool is_argument() const { return !is_option(words.front()); }
  std::string name() const { return words.front().substr(0, words.front().find('=')); }
  bool names_output() const { return name() == "-o" || name() == "--output" || name() == "--in-place"; }
};

bool takes_value(const MovedOption& row) { return row.option.find(' ') != std::string_view::npos; }

// "NAMES" of "--skip NAMES...": stands for a value that is missing.
std::string label_of_value(const MovedOption& row) {
  std::string label = parts_of(row.option)[1];
  if (label.ends_with("...")) label.resize(label.size() - 3);
  return label;
}

// Is the row about this option, with this value? `value` is empty if none was given, which may be a mistake.
bool fits(const MovedOption& row, std::string_view name, std::string_view value) {
  const Texts option = parts_of(row.option);
  if (option.front() != name) return false;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !takes_value(row) || std::ranges::any_of(option[1], is_capital) || option[1] == value;
}

const MovedOption* row_of(std::string_view command, std::string_view name, std::string_view value) {
  for (const MovedOption& row : moved_options()) {
    if (row.owner == command && fits(row, name, value)) return &row;
  }
  // Other tools' options are typed where those tools would be.
  if (command != "optimize" && command != "shrink" && command != "quantize") return nullptr;
  for (const MovedOption& row : peer_options()) {
    if (fits(row, name, value)) return &row;
  }
  return nullptr;
}

// Splits a command line into its options and arguments.
class Pieces {
 public:
  Pieces(std::string_view command, const Texts& words, const Command* known)
      : command_(command), words_(words), known_(known) {
    while (next_ < words_.size()) pieces_.push_back(take());
  }

  std::vector<Piece> take_all() { return std::move(pieces_); }

 private:
  Piece take() {
    const std::string& word = words_[next_++];
    Piece piece{.words = {word}};
    if (!is_option(word)) return piece;
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option* option = known_ ? known_option(*known_, name) : nullptr;
    const bool has_next = equals == std::string::npos && next_ < words_.size() && !is_option(words_[next_]);
    if (!option) {
      const std::string inside = equals == std::string::npos ? "" : word.substr(equals + 1);
      piece.row = row_of(command_, name, has_next ? words_[next_] : inside);
    }
    if (piece.row && equals != std::string::npos) piece.values = {word.substr(equals + 1)};
    if (piece.row && takes_value(*piece.row) && !has_next && piece.values.empty())
      piece.values = {label_of_value(*piece.row)};
    if (!has_next) return piece;
    if (piece.row) {
      take_values(piece);
    } else if (option && option->takes != Takes::kNothing && option->takes != Takes::kMaybe) {
      piece.words.push_back(words_[next_++]);
    }
    return piece;
  }

  void take_values(Piece& piece) {
    if (!takes_value(*piece.row)) return;
    const bool several = piece.row->option.ends_with("...");
    do {
      piece.values.push_back(words_[next_++]);
    } while (several && next_ < words_.size() && !is_option(words_[next_]));
  }

  std::string_view command_;
  const Texts& words_;
  const Command* known_;
  std::size_t next_ = 0;
  std::vector<Piece> pieces_;
};

// A command line in the making. Options are not repeated.
struct Draft {
  std::string command;
  std::vector<Texts> parts;

  // `once`: the last of these options counts.
  void add(Texts words, bool once = false) {
    const auto says_the_same = [&](const Texts& part) { return once ? part.front() == words.front() : part == words; };
    const auto earlier = is_option(words.front()) ? std::ranges::find_if(parts, says_the_same) : parts.end();
    if (earlier == parts.end())
      parts.push_back(std::move(words));
    else
      *earlier = std::move(words);
  }
  bool names_output() const {
    const auto arguments = std::ranges::count_if(parts, [](const Texts& part) { return !is_option(part.front()); });
    return arguments > 1 || std::ranges::any_of(parts, [](const Texts& part) { return Piece{part}.names_output(); });
  }
  std::string text(std::string_view program) const {
    std::string out = fmt::format("{} {}", program, command);
    for (const Texts& part : parts) {
      for (const std::string& word : part) out += " " + shell_word(word);
    }
    return out;
  }
};

// What a row says to type: "quantize MODEL --to {}".
struct Instead {
  enum class Place { kHere, kFirst, kThen };
  Place place = Place::kHere;
  std::string command;
  Texts arguments, output;     // MODEL; -o inputs.onnx
  std::vector<Texts> options;  // with the values that were given

  explicit Instead(const Piece& piece) {
    Texts words = parts_of(piece.row->instead);
    if (words.empty()) return;
    if (words.front() == "first" || words.front() == "then") {
      place = words.front() == "first" ? Place::kFirst : Place::kThen;
      words.erase(words.begin());
    }
    command = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i].starts_with('[')) {
        output = {words[i].substr(1), words[i + 1].substr(0, words[i + 1].size() - 1)};
        ++i;
      } else if (is_option(words[i])) {
        options.push_back({words[i]});
      } else if (options.empty()) {
        arguments.push_back(words[i]);
      } else {
        options.back().push_back(words[i]);
      }
    }
    for (std::size_t i = 0; i < options.size(); ++i) fill(i, piece.values);
  }

 private:
  void fill(std::size_t i, const Texts& values) {
    if (options[i].size() < 2) return;
    if (options[i][1] == "{shape}") {  // one option for each
      const std::string name = options[i].front();
      options.erase(options.begin() + static_cast<std::ptrdiff_t>(i));
      for (const std::string& value : values) options.push_back({name, as_shape(value)});
    } else if (const std::size_t mark = options[i][1].find("{}"); mark != std::string::npos) {
      options[i][1].replace(mark, 2, fmt::format("{}", fmt::join(values, ",")));
    }
  }
};

class Answer {
 public:
  Answer(std::string_view command, std::vector<Piece> pieces, const Program* program)
      : command_(command), pieces_(std::move(pieces)), program_(program) {
    find_target();
    find_files();
    for (const Piece& piece : pieces_) {
      if (piece.row)
        add_moved(piece);
      else
        add_kept(piece);
    }
    if (!output_.empty() && !main_.names_output()) main_.add(output_);
  }

  std::string text() const {
    const std::string name = program_ ? program_->name : "onnxpress";
    std::string out;
    for (const std::vector<Draft>& lines : {before_, {main_}, after_}) {
      for (const Draft& line : lines) out += (out.empty() ? "" : " && ") + line.text(name);
    }
    return out;
  }

 private:
  // The command of the first option that names one.
  void find_target() {
    main_.command = command_;
    for (const Piece& piece : pieces_) {
      if (!piece.row) continue;
      const Instead instead(piece);
      if (instead.place != Instead::Place::kHere || instead.command.empty()) continue;
      main_.command = instead.command;
      return;
    }
  }

  void find_files() {
    Texts arguments;
    for (const Piece& piece : pieces_) {
      if (piece.row) continue;
      if (piece.is_argument()) arguments.push_back(piece.words.front());
      if (piece.names_output() && piece.words.size() > 1) result_ = piece.words[1];
    }
    model_ = arguments.empty() ? "MODEL" : arguments.front();
    if (result_.empty()) result_ = arguments.size() > 1 ? arguments[1] : "RESULT";
  }

  const Command* known(std::string_view command) const { return program_ ? program_->find(command) : nullptr; }

  Draft& line_of(std::vector<Draft>& lines, const std::string& command, const Texts& arguments) {
    const auto found = std::ranges::find(lines, command, &Draft::command);
    if (found != lines.end()) return *found;
    lines.push_back({command, {}});
    for (const std::string& argument : arguments) lines.back().add({argument});
    return lines.back();
  }

  bool counts_once(std::string_view name) const {
    const Command* target = known(main_.command);
    const Option* option = target ? known_option(*target, name) : nullptr;
    return option && option->takes == Takes::kValue;
  }

  void add_moved(const Piece& piece) {
    Instead instead(piece);
    if (instead.command.empty()) return;
    if (instead.place == Instead::Place::kFirst) {
      for (std::string& argument : instead.arguments) argument = model_;
      Draft& line = line_of(before_, instead.command, instead.arguments);
      for (const Texts& option : instead.options) {
        if (option.front() == "-o") input_ = option[1];
        line.add(option);
      }
      replace_input();
    } else if (instead.place == Instead::Place::kHere && instead.command == main_.command) {
      for (const Texts& option : instead.options) main_.add(option, counts_once(option.front()));
      if (!instead.output.empty()) output_ = instead.output;
    } else {
      const bool names_both = instead.arguments.size() > 1;
      for (std::string& argument : instead.arguments) argument = names_both && argument == "MODEL" ? model_ : result_;
      Draft& line = line_of(after_, instead.command, instead.arguments);
      if (!instead.output.empty()) line.add(instead.output);
      for (const Texts& option : instead.options) line.add(option);
    }
  }

  // What the new command does not know stays with the old one.
  void add_kept(const Piece& piece) {
    const Command* target = known(main_.command);
    const bool stays = !piece.is_argument() && main_.command != command_ && target && known(command_) &&
                       known_option(*known(command_), piece.name()) && !known_option(*target, piece.name());
    if (!stays) {
      main_.add(piece.words);
      if (piece.is_argument()) replace_input();
      return;
    }
    Draft& line = line_of(after_, std::string(command_), {result_});
    if (known_option(*known(command_), "--in-place")) line.add({"--in-place"});
    line.add(piece.words);
  }

  // The model that comes out of the command before.
  void replace_input() {
    if (input_.empty()) return;
    const auto first = std::ranges::find_if(main_.parts, [](const Texts& part) { return !is_option(part.front()); });
    if (first != main_.parts.end() && first->front() == model_) *first = {input_};
  }

  std::string_view command_;
  std::vector<Piece> pieces_;
  const Program* program_;
  Draft main_;
  std::vector<Draft> before_, after_;
  std::string model_, result_, input_;
  Texts output_;
};

}  // namespace

std::optional<MovedAnswer> moved_answer(std::string_view command, const Texts& words, const Program* program) {
  std::vector<Piece> pieces = Pieces(command, words, program ? program->find(command) : nullptr).take_all();
  const auto moved = std::ranges::find_if(pieces, [](const Piece& piece) { return piece.row != nullptr; });
  if (moved == pieces.end()) return std::nullopt;
  std::string problem = fmt::format("{} has no option '{}'", command, moved->name());
  if (moved->row->instead.empty()) problem += fmt::format(": {}", moved->row->remark);
  std::erase(problem, '`');  // of the page
  return MovedAnswer{std::move(problem), Answer(command, std::move(pieces), program).text()};
}

}  // namespace onnxpress::cli
