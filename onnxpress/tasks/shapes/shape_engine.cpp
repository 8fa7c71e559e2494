// The shape engine in memory: the report of `shapes`, and tables that update() fills.
#include <algorithm>
#include <unordered_map>

#include "onnxpress/base/error.h"
#include "onnxpress/ir/identifier.h"
#include "onnxpress/shapes.h"
#include "onnxpress/tasks/shapes/program.h"
#include "onnxpress/tasks/shapes/shapes.h"

namespace onnxpress {

namespace {

// The dims, or elements, of many values in one table; those of value i start at first[i].
struct Table {
  std::vector<std::string> names;
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<std::size_t> first = {0};
  std::vector<std::int64_t> steps, numbers;

  explicit Table(const std::vector<EngineValue>& values) {
    for (const EngineValue& each : values) {
      names.push_back(each.name);
      steps.insert(steps.end(), each.dims.begin(), each.dims.end());
      first.push_back(steps.size());
    }
    for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
    numbers.assign(steps.size(), -1);
  }
  void fill(const std::vector<std::int64_t>& results) {
    for (std::size_t i = 0; i < steps.size(); ++i)
      numbers[i] = steps[i] < 0 ? -1 : results[static_cast<std::size_t>(steps[i])];
  }
  std::span<const std::int64_t> of(std::size_t i) const {
    return std::span(numbers).subspan(first[i], first[i + 1] - first[i]);
  }
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = index.find(name);
    return found == index.end() ? std::nullopt : std::optional(found->second);
  }
};

Program::Step step_of(const EngineStep& step) {
  const Program::Kind kind = kind_named(step.op);
  if (kind == Program::Kind::kNumber || kind == Program::Kind::kSymbol) return {kind, step.a, 0, 0};
  return {kind, 0, static_cast<std::uint32_t>(step.a), static_cast<std::uint32_t>(step.b)};
}

}  // namespace

struct ShapeEngine::State {
  Model compute_graph;
  ShapesReport report;
  std::vector<ShapeSymbol> symbols;
  std::vector<std::int64_t> sizes, results, bytes;
  std::vector<Program::Step> steps;
  Table values, operands;
  EnginePlan plan;

  State(Model graph, ShapesReport made)
      : compute_graph(std::move(graph)), report(std::move(made)), values(report.values), operands(report.operands) {
    for (const EngineSymbol& each : report.symbols) symbols.push_back({each.name, each.from, each.is_input});
    for (const EngineStep& each : report.steps) steps.push_back(step_of(each));
    sizes.assign(symbols.size(), 1);
    bytes.assign(report.values.size(), -1);
    plan.offsets.assign(report.values.size(), -1);
    update();
  }

  void update() {
    run_steps(steps, sizes, results);
    values.fill(results);
    operands.fill(results);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = bytes_of(i);
  }

  std::int64_t bytes_of(std::size_t value) const {
    std::uint64_t count = 1;
    for (const std::int64_t size : values.of(value)) {
      if (size < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return -1;
    }
    const auto bits = static_cast<std::uint64_t>(report.values[value].element_bits);
    std::int64_t total = 0;
    if (__builtin_mul_overflow(count, bits, &total) || __builtin_add_overflow(total, 7, &total)) return -1;
    return total / 8;
  }
};

ShapeEngine::ShapeEngine(const Model& model) {
  Model graph;
  ShapesReport report = shapes(model, ShapesOptions(), graph);
  state_ = std::make_unique<State>(std::move(graph), std::move(report));
}

ShapeEngine::~ShapeEngine() = default;
ShapeEngine::ShapeEngine(ShapeEngine&& other) noexcept = default;
ShapeEngine& ShapeEngine::operator=(ShapeEngine&& other) noexcept = default;

const Model& ShapeEngine::compute_graph() const { return state_->compute_graph; }
const std::vector<ShapeSymbol>& ShapeEngine::symbols() const { return state_->symbols; }

void ShapeEngine::set(std::string_view symbol, std::int64_t size) {
  const auto found = std::ranges::find(state_->symbols, symbol, &ShapeSymbol::name);
  if (found == state_->symbols.end()) throw Error("", "there is no symbol " + quote_name(symbol));
  state_->sizes[static_cast<std::size_t>(found - state_->symbols.begin())] = size;
}

void ShapeEngine::update() { state_->update(); }

const std::vector<std::string>& ShapeEngine::values() const { return state_->values.names; }
std::optional<std::size_t> ShapeEngine::find_value(std::string_view name) const { return state_->values.find(name); }
std::span<const std::int64_t> ShapeEngine::shape(std::size_t value) const { return state_->values.of(value); }
std::int64_t ShapeEngine::bytes(std::size_t value) const { return state_->bytes[value]; }

const std::vector<std::string>& ShapeEngine::operands() const { return state_->operands.names; }
std::optional<std::size_t> ShapeEngine::find_operand(std::string_view name) const {
  return state_->operands.find(name);
}
std::span<const std::int64_t> ShapeEngine::operand(std::size_t which) const { return state_->operands.of(which); }

std::int64_t ShapeEngine::plan() {
  state_->plan = plan_of(state_->report.values, state_->bytes);
  return state_->plan.arena_bytes;
}
std::int64_t ShapeEngine::offset(std::size_t value) const { return state_->plan.offsets[value]; }

std::string to_json(const ShapeEngine& engine) { return to_json(engine.state_->report); }

std::string to_cpp_header(const ShapeEngine& engine, const std::string& name) {
  if (!is_identifier(name)) throw Error("", quote_name(name) + " cannot be the name of a struct");
  return header_of(engine.state_->report, name);
}

}  // namespace onnxpress
