// Parses patterns, and searches for them with backtracking.
#include "onnxpress/passes/shared/pattern.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>

#include "onnxpress/base/from_chars.h"

namespace onnxpress::passes {

// --- Reading

class PatternReader {
 public:
  PatternReader(std::string_view text, Pattern& pattern) : text_(text), pattern_(pattern) {}

  void read() {
    pattern_.root_ = term();
    skip_spaces();
    assert(at_ == text_.size() && "a pattern ends with its expression");
  }

 private:
  using Term = Pattern::Term;

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char wanted) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    assert(at_ > begin && "a pattern has a name here");
    return text_.substr(begin, at_ - begin);
  }
  std::uint32_t add(Term term) {
    pattern_.terms_.push_back(std::move(term));
    return static_cast<std::uint32_t>(pattern_.terms_.size() - 1);
  }

  std::uint32_t term() {
    if (take('(')) return choice();
    if (take('#')) return add({.kind = Term::Kind::kAnyNumber, .text = word()});
    skip_spaces();
    const char first = at_ < text_.size() ? text_[at_] : ' ';
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '-') return number();
    Term made{.kind = Term::Kind::kValue, .text = word()};
    if (std::islower(static_cast<unsigned char>(made.text.front())) && take('=')) {
      made.name = made.text;
      made.text = word();
    }
    if (!std::isupper(static_cast<unsigned char>(made.text.front()))) return add(std::move(made));
    made.kind = Term::Kind::kOp;
    made.optional = take('?');
    for (bool more = take('('); more; more = take(',')) made.operands.push_back(term());
    [[maybe_unused]] const bool closed = take(')');
    assert(closed && "an op has operands in parentheses");
    return add(std::move(made));
  }

  std::uint32_t choice() {
    Term made{.kind = Term::Kind::kChoice};
    do {
      made.operands.push_back(term());
    } while (take('|'));
    [[maybe_unused]] const bool closed = take(')');
    assert(closed && "a choice ends with a parenthesis");
    return add(std::move(made));
  }

  std::uint32_t number() {
    Term made{.kind = Term::Kind::kNumber};
    const auto [end, error] = onnxpress::from_chars(text_.data() + at_, text_.data() + text_.size(), made.number);
    assert(error == std::errc());
    at_ = static_cast<std::size_t>(end - text_.data());
    return add(std::move(made));
  }

  std::string_view text_;
  Pattern& pattern_;
  std::size_t at_ = 0;
};

Pattern::Pattern(std::string_view text) { PatternReader(text, *this).read(); }

// --- Searching

Value* Match::operator[](std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &std::pair<std::string_view, Value*>::first);
  return found == values_.end() ? nullptr : found->second;
}

Node* Match::node(std::string_view name) const {
  Value* value = (*this)[name];
  return value ? value->producer() : nullptr;
}

double Match::number(std::string_view name) const {
  const auto found = std::ranges::find(numbers_, name, &std::pair<std::string_view, double>::first);
  return found == numbers_.end() ? 0 : found->second;
}

bool Match::has_number(std::string_view name) const {
  return std::ranges::find(numbers_, name, &std::pair<std::string_view, double>::first) != numbers_.end();
}

class PatternSearch {
 public:
  PatternSearch(const Pattern& pattern, const Rewriter& rw) : pattern_(pattern), rw_(rw) {}

  std::optional<Match> find(Node& root) {
    goals_.push_back({pattern_.root(), root.output(), nullptr});
    return reach() ? std::optional(std::move(found_)) : std::nullopt;
  }

 private:
  using Term = Pattern::Term;
  // The value must match the term; `user` is the node that reads it.
  struct Goal {
    std::uint32_t term;
    Value* value;
    const Node* user;
  };

  // Tries to reach all goals. On failure, restores the state.
  bool reach() {
    if (goals_.empty()) return is_closed();
    const Goal goal = goals_.back();
    goals_.pop_back();
    const std::vector<Goal> goals = goals_;
    const std::size_t values = found_.values_.size(), numbers = found_.numbers_.size(), nodes = found_.nodes_.size();
    if (goal.value && attempt(goal, [&] {
          goals_ = goals;
          found_.values_.resize(values);
          found_.numbers_.resize(numbers);
          found_.nodes_.resize(nodes);
        }))
      return true;
    goals_ = goals;
    goals_.push_back(goal);
    return false;
  }

  template <typename Undo>
  bool attempt(const Goal& goal, Undo&& undo) {
    const Term& term = pattern_.term(goal.term);
    switch (term.kind) {
      case Term::Kind::kValue:
        if (bind(term.text, goal.value) && reach()) return true;
        break;
      case Term::Kind::kNumber:
      case Term::Kind::kAnyNumber:
        if (is_number(term, goal) && reach()) return true;
        break;
      case Term::Kind::kChoice:
        for (const std::uint32_t each : term.operands) {
          goals_.push_back({each, goal.value, goal.user});
          if (reach()) return true;
          undo();
        }
        return false;
      case Term::Kind::kOp:
        for (const bool swapped : {false, true}) {
          if (open(term, goal, swapped) && reach()) return true;
          undo();
        }
        if (!term.optional) return false;
        goals_.push_back({term.operands.front(), goal.value, goal.user});
        if (reach()) return true;
        break;
    }
    undo();
    return false;
  }

  bool bind(std::string_view name, Value* value) {
    if (name.empty()) return true;
    if (Value* bound = found_[name]) return bound == value;
    found_.values_.emplace_back(name, value);
    return true;
  }

  // Matches the node of the term and adds its operands as further goals.
  bool open(const Term& term, const Goal& goal, bool swapped) {
    Node* node = rw_.producer(goal.value, term.text);
    if (!node || goal.value != node->output() || node->input_count() < term.operands.size()) return false;
    if (swapped && (term.operands.size() != 2 || !rw_.op_of(*node)->has(ops::kCommutative))) return false;
    if (!bind(term.name, goal.value)) return false;
    if (std::ranges::find(found_.nodes_, node) == found_.nodes_.end()) found_.nodes_.push_back(node);
    for (std::size_t i = term.operands.size(); i-- > 0;)
      goals_.push_back({term.operands[i], node->input(swapped ? 1 - i : i), node});
    return true;
  }

  // Must be a constant of one element. It must not have more axes than the other operands of its user, because then the
  // result would have more axes, too.
  bool is_number(const Term& term, const Goal& goal) {
    const auto shape = rw_.shape_of(goal.value);
    if (!shape || !rw_.is_constant(goal.value)) return false;
    if (std::ranges::any_of(*shape, [](Dim dim) { return dim.size() != 1; })) return false;
    for (const Use& use : goal.user ? goal.user->inputs() : std::span<const Use>()) {
      if (shape->empty() || use.value() == goal.value) continue;
      const auto other = rw_.shape_of(use.value());
      if (!other || other->size() < shape->size()) return false;
    }
    const auto array = rw_.constant(goal.value);
    const auto number = array ? array->number() : std::nullopt;
    if (!number) return false;
    if (term.kind == Term::Kind::kNumber) return is_near(*number, term.number, array->type());
    found_.numbers_.emplace_back(term.text, *number);
    return true;
  }

  static bool is_near(double number, double wanted, ElementType type) {
    const double rounding = type == ElementType::kFloat16 ? 0x1p-10 : type == ElementType::kBfloat16 ? 0x1p-7 : 1e-6;
    return std::abs(number - wanted) <= std::abs(wanted) * rounding;
  }

  bool is_closed() const {
    for (const Node* node : found_.nodes_) {
      if (node == found_.nodes_.front()) continue;
      if (node->used_outputs() != 1 || node->output()->is_output()) return false;
      for (const Use* use = node->output()->first_use(); use; use = use->next()) {
        if (std::ranges::find(found_.nodes_, use->user()) == found_.nodes_.end()) return false;
      }
    }
    return true;
  }

  const Pattern& pattern_;
  const Rewriter& rw_;
  std::vector<Goal> goals_;
  Match found_;
};

std::optional<Match> Pattern::find(Node& root, const Rewriter& rw) const {
  return root.output_count() > 0 ? PatternSearch(*this, rw).find(root) : std::nullopt;
}

}  // namespace onnxpress::passes
