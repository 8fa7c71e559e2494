// Strings: StringConcat, StringSplit, StringNormalizer, RegexFullMatch, TfIdfVectorizer.
#include <algorithm>
#include <unordered_set>

#ifdef ONNXPRESS_HAVE_RE2
#include <re2/re2.h>
#endif

#include "onnxpress/ops/core/cost.h"
#include "onnxpress/ops/core/families.h"
#include "onnxpress/ops/kernels/elementwise.h"
#include "onnxpress/ops/tensor/tf_idf.h"

namespace onnxpress::ops {

namespace {

// --- StringConcat

bool evaluate_string_concat(Call& call) {
  const Array &a = call.array(0), &b = call.array(1);
  if (!a.is_string() || !b.is_string()) return call.fail_type();
  const Sizes* shapes[] = {&a.sizes(), &b.sizes()};
  const auto sizes = broadcast_sizes(shapes);
  if (!sizes || !count_of(*sizes)) return call.fail("the operands' shapes cannot be broadcast together");
  Array result = Array::make<std::string>(*sizes);
  std::string* to = result.mutable_data<std::string>().data();
  const Walk walk(*sizes, shapes);
  walk.for_each_row([&](const Sizes& at) {
    for (std::int64_t i = 0; i < walk.sizes.back(); ++i) {
      *to++ = a.data<std::string>()[static_cast<std::size_t>(at[0] + i * walk.strides[0].back())] +
              b.data<std::string>()[static_cast<std::size_t>(at[1] + i * walk.strides[1].back())];
    }
  });
  return call.done(std::move(result));
}

// --- StringSplit, which splits like Python

constexpr std::string_view kBlanks = " \t\n\r\f\v";

// Blanks at both ends are not part of any piece, not even of the rest after the last split.
std::vector<std::string_view> split_at_blanks(std::string_view text, std::size_t most) {
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  std::vector<std::string_view> pieces;
  std::size_t begin = text.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end =
        pieces.size() == most ? text.size() : std::min(text.find_first_of(kBlanks, begin), text.size());
    pieces.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return pieces;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view delimiter, std::size_t most) {
  if (delimiter.empty()) return split_at_blanks(text, most);
  std::vector<std::string_view> pieces;
  while (pieces.size() < most) {
    const std::size_t found = text.find(delimiter);
    if (found == std::string_view::npos) break;
    pieces.push_back(text.substr(0, found));
    text.remove_prefix(found + delimiter.size());
  }
  pieces.push_back(text);
  return pieces;
}

void infer_string_split(Inference& in) {
  in.set_element(1, ElementType::kInt64);
  const Shape* x = in.shape(0);
  if (!x || in.result_count() == 0) return;
  Shape y = *x;
  y.push_back(in.fresh(0, y.size()));
  in.set_shape(0, y);
  in.set_shape(1, *x);
}

bool evaluate_string_split(Call& call) {
  const Array& x = call.array(0);
  if (!x.is_string()) return call.fail_type();
  const std::string_view delimiter = call.params.text_or("delimiter", "");
  const std::int64_t limit = call.params.integer_or("maxsplit", -1);
  const std::size_t most = limit < 0 ? std::string_view::npos : static_cast<std::size_t>(limit);
  std::vector<std::vector<std::string_view>> pieces;
  Array counts = Array::make<std::int64_t>(x.sizes());
  std::size_t longest = 0;
  for (const std::string& text : x.data<std::string>()) {
    pieces.push_back(split_at(text, delimiter, most));
    counts.mutable_data<std::int64_t>()[pieces.size() - 1] = static_cast<std::int64_t>(pieces.back().size());
    longest = std::max(longest, pieces.back().size());
  }
  Sizes sizes = x.sizes();
  sizes.push_back(static_cast<std::int64_t>(longest));
  if (!count_of(sizes)) return call.fail("the result has too many elements");
  Array y = Array::make<std::string>(sizes);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    std::copy(pieces[i].begin(), pieces[i].end(),
              y.mutable_data<std::string>().begin() + static_cast<std::ptrdiff_t>(i * longest));
  call.set(0, std::move(y));
  call.set(1, std::move(counts));
  return true;
}

// --- StringNormalizer

void infer_string_normalizer(Inference& in) {
  const Shape* x = in.shape(0);
  if (!x || in.result_count() == 0) return;
  const auto rows = x->size() == 2 ? in.dims.resolve(x->front()).size() : std::nullopt;
  if ((x->size() != 1 && x->size() != 2) || rows.value_or(1) != 1)
    return in.contradict("operand 0 is neither a list nor a single row");
  Shape y = *x;
  // Without words to drop, all strings are kept, but an empty list becomes one empty string.
  const auto words = in.params.texts("stopwords");
  const bool keeps_all = !in.params.given("stopwords") || (words && words->empty());
  if (!keeps_all || !in.dims.at_least(y.back(), 1)) y.back() = in.fresh(0, y.size() - 1);
  in.set_shape(y);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string raised(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

// Letters beyond ASCII change case by the rules of the locale, which differ between machines, so such text is refused.
bool evaluate_string_normalizer(Call& call) {
  const Array& x = call.array(0);
  if (!x.is_string()) return call.fail_type();
  if (x.rank() != 1 && (x.rank() != 2 || x.size(0) != 1)) return call.fail("the input is not of shape [C] or [1, C]");
  const std::string_view action = call.params.text_or("case_change_action", "NONE");
  const bool exact = call.params.flag("is_case_sensitive");
  if (action != "NONE" && action != "LOWER" && action != "UPPER") return call.fail("case_change_action is not known");
  const auto stopwords = call.params.texts("stopwords").value_or(std::vector<std::string_view>());
  std::unordered_set<std::string> dropped;
  for (const std::string_view word : stopwords) dropped.insert(exact ? std::string(word) : lowered(word));
  std::vector<std::string> kept;
  for (const std::string& text : x.data<std::string>()) {
    const bool compares_case = !dropped.empty() && !exact;
    if ((action != "NONE" || compares_case) && !is_ascii(text))
      return call.fail("changing the case of non-ASCII letters is not supported");
    if (dropped.contains(exact ? text : lowered(text))) continue;
    kept.push_back(action == "LOWER" ? lowered(text) : action == "UPPER" ? raised(text) : text);
  }
  if (kept.empty()) kept.emplace_back();
  Sizes sizes = x.sizes();
  sizes.back() = static_cast<std::int64_t>(kept.size());
  return call.done(Array::of<std::string>(kept).reshaped(sizes));
}

// --- RegexFullMatch

bool evaluate_regex_full_match(Call& call) {
  const Array& x = call.array(0);
  if (!x.is_string()) return call.fail_type();
#ifdef ONNXPRESS_HAVE_RE2
  const std::string_view pattern = call.params.text_or("pattern", "");
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!regex.ok()) return call.fail("the pattern is not valid: " + regex.error());
  Array y = Array::make<Bool>(x.sizes());
  for (std::size_t i = 0; i < x.count(); ++i)
    y.mutable_data<Bool>()[i] = Bool(RE2::FullMatch(x.data<std::string>()[i], regex));
  return call.done(std::move(y));
#else
  // Not std::regex: it recurses per character, can overflow the stack, and has a different syntax.
  return call.fail("built without RE2, which regular expressions need");
#endif
}

constexpr OpDef kStringRows[] = {
    {.name = "RegexFullMatch",
     .traits = kElementwise,
     .infer = infer_same_shape,
     .evaluate = evaluate_regex_full_match},
    {.name = "StringConcat", .traits = kElementwise, .infer = infer_broadcast, .evaluate = evaluate_string_concat},
    {.name = "StringNormalizer",
     .infer = infer_string_normalizer,
     .evaluate = evaluate_string_normalizer,
     .cost = cost_times_operand<1>},
    {.name = "StringSplit",
     .infer = infer_string_split,
     .evaluate = evaluate_string_split,
     .cost = cost_times_operand<1>},
    {.name = "TfIdfVectorizer", .infer = infer_tf_idf, .evaluate = evaluate_tf_idf, .cost = cost_times_operand<1>},
};

}  // namespace

Family string() { return kStringRows; }

}  // namespace onnxpress::ops
