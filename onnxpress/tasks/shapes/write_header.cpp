// The engine as a C++17 header: table lookups and integer arithmetic, no allocation.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "onnxpress/tasks/shapes/shapes.h"

namespace onnxpress {

namespace {

// Any text as a C++ literal: special characters become octal escapes, whose length is fixed.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 32 && byte < 127 && c != '"' && c != '\\' && c != '?';
    out += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return out + "\"";
}

// Members are named dim_<name>, with a number where two names would be the same.
std::vector<std::string> member_names(const std::vector<EngineSymbol>& symbols) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const EngineSymbol& each : symbols) {
    std::string stem = "dim_";
    for (const char c : each.name.substr(0, 60)) stem += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    std::string name = stem;
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}_{}", stem, number);
    names.push_back(name);
  }
  return names;
}

std::string step_text(const EngineStep& step, const std::vector<std::string>& members) {
  if (step.op == "number") return fmt::format("{}", step.a);
  if (step.op == "symbol") return members[static_cast<std::size_t>(step.a)];
  if (step.op == "add") return fmt::format("r{} + r{}", step.a, step.b);
  if (step.op == "subtract") return fmt::format("r{} - r{}", step.a, step.b);
  if (step.op == "multiply") return fmt::format("r{} * r{}", step.a, step.b);
  return fmt::format("{}(r{}, r{})", step.op, step.a, step.b);
}

// Tables of names, ranks, and where the numbers of each value begin.
std::string tables(std::string_view what, const std::vector<EngineValue>& values) {
  std::string names, ranks, firsts, bits;
  std::size_t first = 0;
  for (const EngineValue& each : values) {
    names += fmt::format("      {},\n", literal(each.name));
    ranks += fmt::format("{}, ", each.dims.size());
    firsts += fmt::format("{}, ", first);
    bits += fmt::format("{}, ", each.element_bits);
    first += each.dims.size();
  }
  // One entry more, so that no table is empty.
  return fmt::format(
      "  static constexpr std::size_t k{0}Count = {1};\n  static constexpr const char* k{0}Names[] = {{\n{2}      "
      "\"\"}};\n"
      "  static constexpr std::uint32_t k{0}Lengths[] = {{{3}0}};\n  static constexpr std::uint32_t k{0}First[] = "
      "{{{4}{5}}};\n"
      "  static constexpr std::uint32_t k{0}Bits[] = {{{6}0}};\n",
      what, values.size(), names, ranks, firsts, first, bits);
}

std::string lifetimes(const std::vector<EngineValue>& values) {
  std::string first, last;
  for (const EngineValue& each : values) {
    first += fmt::format("{}, ", each.element_bits == 0 ? -1 : each.first);
    last += fmt::format("{}, ", each.last);
  }
  return fmt::format(
      "  // Nodes of the compute graph between which a value lives; -1: it is not in the compute graph.\n"
      "  static constexpr std::int32_t kValueMade[] = {{{}0}};\n"
      "  static constexpr std::int32_t kValueLast[] = {{{}0}};\n",
      first, last);
}

std::size_t numbers_of(const std::vector<EngineValue>& values) {
  std::size_t count = 0;
  for (const EngineValue& each : values) count += each.dims.size();
  return count;
}

std::string assignments(std::string_view array, const std::vector<EngineValue>& values) {
  std::string out;
  std::size_t at = 0;
  for (const EngineValue& each : values) {
    for (const std::int64_t step : each.dims)
      out += step < 0 ? fmt::format("    {}[{}] = -1;\n", array, at++)
                      : fmt::format("    {}[{}] = r{};\n", array, at++, step);
  }
  return out;
}

// Braces are doubled, since this is a format.
constexpr std::string_view kHeader =
    R"(// Shapes of a model at any size of its symbols. Made by `onnxpress shapes`: do not edit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Set the symbols, call update(), and ask for shapes; plan() places values in one arena. Nothing is allocated.
struct {name} {{
{symbols}
{values}{operands}
  // Computes everything for the symbols as they are now.
  void update() {{
{steps}{dims}{elements}  }}

  // kValueCount (or kOperandCount) when there is none of that name.
  static constexpr std::size_t find_value(std::string_view wanted) {{ return find(kValueNames, kValueCount, wanted); }}
  static constexpr std::size_t find_operand(std::string_view wanted) {{ return find(kOperandNames, kOperandCount, wanted); }}

  static constexpr std::size_t rank(std::size_t value) {{ return kValueLengths[value]; }}
  // -1 is a dim that depends on the data.
  const std::int64_t* shape(std::size_t value) const {{ return dims + kValueFirst[value]; }}
  // -1 when a dim is not known.
  std::int64_t bytes(std::size_t value) const {{
    std::int64_t count = 1;
    for (std::size_t i = 0; i < rank(value); ++i) {{
      if (shape(value)[i] < 0) return -1;
      count *= shape(value)[i];
    }}
    return (count * static_cast<std::int64_t>(kValueBits[value]) + 7) / 8;
  }}
  // The elements of an input of the compute graph that the engine gives.
  static constexpr std::size_t length(std::size_t operand) {{ return kOperandLengths[operand]; }}
  const std::int64_t* operand(std::size_t which) const {{ return elements + kOperandFirst[which]; }}

  // Places the values of the compute graph, inputs and outputs included, for the sizes of the last update(). Returns the
  // bytes of the arena: large values come first, each at the lowest place that is free as long as it lives.
  std::int64_t plan() {{
    std::size_t count = 0;
    for (std::size_t v = 0; v < kValueCount; ++v) {{
      offsets[v] = -1;
      sizes[v] = bytes(v);
      if (kValueMade[v] < 0 || sizes[v] < 0) continue;
      std::size_t at = count++;
      for (; at > 0 && sizes[order[at - 1]] < sizes[v]; --at) order[at] = order[at - 1];
      order[at] = static_cast<std::uint32_t>(v);
    }}
    std::int64_t arena = 0;
    for (std::size_t i = 0; i < count; ++i) {{
      const std::uint32_t v = order[i];
      std::int64_t at = 0;
      for (std::size_t p = 0; p < i; ++p) {{
        const std::uint32_t other = placed[p];
        if (kValueLast[other] < kValueMade[v] || kValueLast[v] < kValueMade[other]) continue;
        if (at + sizes[v] <= offsets[other]) break;
        at = max(at, offsets[other] + aligned(sizes[other]));
      }}
      offsets[v] = at;
      arena = max(arena, at + aligned(sizes[v]));
      std::size_t p = i;
      for (; p > 0 && offsets[placed[p - 1]] > at; --p) placed[p] = placed[p - 1];
      placed[p] = v;
    }}
    return arena;
  }}
  // The offset of a value in the arena, a multiple of {alignment}; -1 if it has no size or no place.
  std::int64_t offset(std::size_t value) const {{ return offsets[value]; }}

 private:
  static constexpr std::int64_t aligned(std::int64_t size) {{ return (size + {alignment} - 1) / {alignment} * {alignment}; }}
  static constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {{
    return b == 0 ? -1 : a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
  }}
  static constexpr std::int64_t min(std::int64_t a, std::int64_t b) {{ return a < b ? a : b; }}
  static constexpr std::int64_t max(std::int64_t a, std::int64_t b) {{ return a < b ? b : a; }}
  static constexpr std::int64_t broadcast(std::int64_t a, std::int64_t b) {{ return a == 1 ? b : a; }}
  static constexpr std::size_t find(const char* const* names, std::size_t count, std::string_view wanted) {{
    for (std::size_t i = 0; i < count; ++i) {{
      if (wanted == names[i]) return i;
    }}
    return count;
  }}

  std::int64_t dims[{dim_count}] = {{}};
  std::int64_t elements[{element_count}] = {{}};
  std::int64_t offsets[kValueCount + 1] = {{}}, sizes[kValueCount + 1] = {{}};
  std::uint32_t order[kValueCount + 1] = {{}}, placed[kValueCount + 1] = {{}};
}};
)";

}  // namespace

std::string header_of(const ShapesReport& report, const std::string& name) {
  const std::vector<std::string> members = member_names(report.symbols);
  std::string symbols, steps;
  for (std::size_t i = 0; i < members.size(); ++i)
    symbols +=
        fmt::format("  std::int64_t {} = 1;  // {}{}\n", members[i], literal(report.symbols[i].name),
                    report.symbols[i].is_input ? "" : ": depends on data, shown by " + literal(report.symbols[i].from));
  for (std::size_t i = 0; i < report.steps.size(); ++i)
    steps += fmt::format("    [[maybe_unused]] const std::int64_t r{} = {};\n", i, step_text(report.steps[i], members));
  return fmt::format(kHeader, fmt::arg("name", name), fmt::arg("symbols", symbols),
                     fmt::arg("values", tables("Value", report.values) + lifetimes(report.values)),
                     fmt::arg("operands", tables("Operand", report.operands)), fmt::arg("steps", steps),
                     fmt::arg("dims", assignments("dims", report.values)),
                     fmt::arg("elements", assignments("elements", report.operands)), fmt::arg("alignment", kAlignment),
                     fmt::arg("dim_count", numbers_of(report.values) + 1),
                     fmt::arg("element_count", numbers_of(report.operands) + 1));
}

}  // namespace onnxpress
