// Schemes as text: "int4 block=32 asym scale=mse", "palette4", "float16", "keep", "levels=100".
#include "onnxpress/weights/lossy/scheme.h"

#include <fmt/format.h>

#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/from_chars.h"

namespace onnxpress::weights {

namespace {

constexpr std::pair<std::string_view, Codes> kPlain[] = {{"keep", Codes::kKeep},
                                                         {"float16", Codes::kFloat16},
                                                         {"bfloat16", Codes::kBfloat16},
                                                         {"float8", Codes::kFloat8},
                                                         {"nf4", Codes::kNf4}};
constexpr std::pair<std::string_view, ScaleMethod> kMethods[] = {{"min-max", ScaleMethod::kMinMax},
                                                                 {"mse", ScaleMethod::kMse},
                                                                 {"least-squares", ScaleMethod::kLeastSquares},
                                                                 {"hqq", ScaleMethod::kHqq}};
constexpr std::string_view kKnown =
    "a scheme is keep, float16, bfloat16, float8, nf4, palette1 to palette6, palette8, int2 to int8, int10, int12, "
    "int16 or levels=N; then block=N, per-tensor or per-channel; sym, asym or offset; scale=min-max, mse, "
    "least-squares or hqq; or int8 dynamic";

std::optional<std::int64_t> number_after(std::string_view word, std::string_view start) {
  if (!word.starts_with(start)) return std::nullopt;
  const std::string_view digits = word.substr(start.size());
  std::int64_t value = 0;
  const auto [end, failure] = onnxpress::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool takes_bits(Codes codes, std::int64_t bits) {
  if (codes == Codes::kPalette) return (bits >= 1 && bits <= 6) || bits == 8;
  return (bits >= 2 && bits <= 8) || bits == 10 || bits == 12 || bits == 16;
}

bool set_first(Scheme& scheme, std::string_view word) {
  for (const auto& [name, codes] : kPlain) {
    if (name != word) continue;
    scheme.codes = codes;
    if (codes == Codes::kNf4) scheme.bits = 4, scheme.block = 64;
    return true;
  }
  for (const auto& [start, codes] : {std::pair{"int", Codes::kInteger}, std::pair{"palette", Codes::kPalette}}) {
    const auto bits = number_after(word, start);
    if (!bits || !takes_bits(codes, *bits)) continue;
    scheme.codes = codes;
    scheme.bits = static_cast<int>(*bits);
    if (codes == Codes::kPalette) scheme.block = Scheme::kPerTensor;
    return true;
  }
  const auto levels = number_after(word, "levels=");
  if (!levels || *levels < 2 || *levels > 65536) return false;
  scheme.levels = static_cast<std::uint32_t>(*levels);
  scheme.bits = *levels > 256 ? 16 : 8;
  scheme.block = Scheme::kPerTensor;
  scheme.symmetric = false;
  scheme.method = ScaleMethod::kMinMax;
  return true;
}

// Whether blocks or channels may share a scale; otherwise there is one table or one scale for the tensor, or none.
bool has_groups(const Scheme& scheme) {
  return scheme.levels == 0 &&
         (scheme.codes == Codes::kInteger || scheme.codes == Codes::kNf4 || scheme.codes == Codes::kFloat8);
}

std::string first_word(const Scheme& scheme) {
  for (const auto& [name, codes] : kPlain) {
    if (codes == scheme.codes) return std::string(name);
  }
  if (scheme.levels != 0) return fmt::format("levels={}", scheme.levels);
  return fmt::format("{}{}", scheme.codes == Codes::kPalette ? "palette" : "int", scheme.bits);
}

// Whether a word after the first can mean anything for these codes.
bool applies(const Scheme& scheme, std::string_view word) {
  if (word == "per-channel" || word.starts_with("block=")) return has_groups(scheme);
  if (word == "per-tensor") return has_groups(scheme) || scheme.levels != 0 || scheme.codes == Codes::kPalette;
  return scheme.codes == Codes::kInteger;
}

bool set_detail(Scheme& scheme, std::string_view word) {
  if (word == "dynamic") return set_dynamic(scheme), true;
  if (word == "sym") return scheme.symmetric = true, scheme.offset = false, true;
  if (word == "asym") return scheme.symmetric = scheme.offset = false, true;
  if (word == "offset") return scheme.symmetric = false, scheme.offset = true, true;
  if (word == "per-tensor") return scheme.block = Scheme::kPerTensor, true;
  if (word == "per-channel") return scheme.block = Scheme::kPerChannel, true;
  if (const auto block = number_after(word, "block="); block && *block >= 2 && *block <= 65536)
    return scheme.block = *block, true;
  for (const auto& [name, method] : kMethods) {
    if (word.starts_with("scale=") && word.substr(6) == name) return scheme.method = method, true;
  }
  return false;
}

}  // namespace

void set_dynamic(Scheme& scheme) {
  scheme.dynamic = true;
  scheme.method = ScaleMethod::kMinMax;
}

std::string to_string(const Scheme& scheme) {
  std::string text = first_word(scheme);
  Scheme usual;
  set_first(usual, text);
  if (scheme.dynamic) {
    text += " dynamic";
    set_dynamic(usual);
  }
  if (has_groups(scheme) && (scheme.block != usual.block || scheme.codes == Codes::kNf4)) {
    if (scheme.block == Scheme::kPerTensor) text += " per-tensor";
    if (scheme.block == Scheme::kPerChannel) text += " per-channel";
    if (scheme.block > 0) text += fmt::format(" block={}", scheme.block);
  }
  if (scheme.codes != Codes::kInteger) return text;
  if (scheme.symmetric != usual.symmetric || scheme.offset)
    text += scheme.symmetric ? " sym" : scheme.offset ? " offset" : " asym";
  for (const auto& [name, method] : kMethods) {
    if (method == scheme.method && method != usual.method) text += fmt::format(" scale={}", name);
  }
  return text;
}

Scheme parse_scheme(std::string_view text) {
  Scheme scheme;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (word.empty()) continue;
    if (!(first ? set_first(scheme, word) : set_detail(scheme, word)))
      throw Error("", fmt::format("{} is not valid in a scheme", quote_name(word)), std::string(kKnown));
    if (!first && !applies(scheme, word))
      throw Error("", fmt::format("{} does not apply to {}", quote_name(word), first_word(scheme)), "leave it out");
    first = false;
  }
  if (first) throw Error("", "the scheme is missing", std::string(kKnown));
  if (scheme.offset && (scheme.codes != Codes::kInteger || scheme.bits > 8 || scheme.levels != 0))
    throw Error("", "'offset' works only with int2 to int8", "");
  const bool per_channel = scheme.codes == Codes::kInteger && scheme.bits == 8 && scheme.levels == 0 &&
                           scheme.block == Scheme::kPerChannel && scheme.symmetric;
  if (scheme.dynamic && !per_channel) throw Error("", "'dynamic' works only with int8, sym and per-channel", "");
  return scheme;
}

}  // namespace onnxpress::weights
