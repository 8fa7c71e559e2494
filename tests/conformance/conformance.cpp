// Runs the official operator tests (a folder each: model.onnx, test_data_set_*/input_*.pb, output_*.pb) through our
// evaluator and our inference, and reports by name what passed, what failed and what is not covered.
//
//   conformance [--only TEXT] [--exceptions FILE] [--list] FOLDER...
//
// Fails when a test that FILE does not list does not pass, and when a test that FILE lists passes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "onnxpress/analysis/evaluator.h"
#include "onnxpress/analysis/facts/facts.h"
#include "onnxpress/base/error.h"
#include "onnxpress/format/read_model.h"
#include "tests/conformance/compare_data.h"
#include "tests/conformance/read_data.h"
#include "tests/support/fact_check.h"

namespace fs = std::filesystem;
using namespace onnxpress;

namespace {

enum class Verdict { kPassed, kFailed, kNotCovered };

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string why;
};

std::size_t inferred = 0, outputs_seen = 0;
std::set<std::string> incomplete;

struct Options {
  std::string only;
  fs::path exceptions;
  bool list = false;
  std::vector<fs::path> folders;
};

// Each value belongs to its own model, which must outlive it.
struct DataSet {
  std::vector<std::unique_ptr<Model>> holders;
  std::vector<std::pair<std::string, ops::Datum>> inputs, outputs;
};

DataSet read_data_set(const fs::path& folder, const Model& model) {
  DataSet data;
  const auto read = [&](const char* kind, std::span<ValueInfo* const> declared, auto& into) {
    for (std::size_t i = 0; i < declared.size(); ++i) {
      const fs::path path = folder / fmt::format("{}_{}.pb", kind, i);
      if (!fs::exists(path)) continue;
      data.holders.push_back(std::make_unique<Model>());
      into.emplace_back(std::string(declared[i]->value->name()),
                        tests::read_datum(path, declared[i]->type, *data.holders.back()));
    }
  };
  read("input", model.graph().inputs(), data.inputs);
  read("output", model.graph().outputs(), data.outputs);
  return data;
}

// What was inferred must hold for the inputs, for every inner value and for the expected outputs.
Outcome run_data_set(const DataSet& data, Model& model, const tests::Tolerance& tolerance) {
  const analysis::Facts facts(model);
  tests::FactCheck check(facts);
  std::string contradiction;
  const auto hold = [&](const Value& value, const ops::Datum& datum) {
    if (contradiction.empty()) contradiction = check.contradiction(value, datum);
  };
  analysis::Evaluator evaluator(model);
  evaluator.observe = hold;
  analysis::Evaluator::Inputs inputs;
  for (const auto& [name, value] : data.inputs) inputs.emplace(name, value);
  for (const ValueInfo* input : model.graph().inputs()) {
    if (const auto found = inputs.find(input->value->name()); found != inputs.end()) hold(*input->value, found->second);
  }
  for (std::size_t i = 0; i < data.outputs.size(); ++i)
    hold(*model.graph().outputs()[i]->value, data.outputs[i].second);
  if (!contradiction.empty()) return {Verdict::kFailed, contradiction};
  inferred += facts.is_complete(*model.graph().outputs()[0]->value);
  ++outputs_seen;
  if (!facts.is_complete(*model.graph().outputs()[0]->value))
    incomplete.insert(std::string(model.graph().nodes().empty() ? "" : model.graph().nodes().back()->op_type()));
  const auto results = evaluator.run(inputs);
  if (!results) {
    const bool uncovered = evaluator.why().find("cannot be evaluated") != std::string::npos ||
                           evaluator.why().find("no such op") != std::string::npos;
    return {uncovered ? Verdict::kNotCovered : Verdict::kFailed, evaluator.why()};
  }
  for (std::size_t i = 0; i < data.outputs.size(); ++i) {
    const std::string difference = tests::difference(results->at(i), data.outputs[i].second, tolerance);
    if (!difference.empty())
      return {Verdict::kFailed, fmt::format("output '{}': {}", data.outputs[i].first, difference)};
  }
  if (!contradiction.empty()) return {Verdict::kFailed, contradiction};
  return {};
}

Outcome run_test(const fs::path& folder) {
  try {
    Model model = format::read_model(folder / "model.onnx");
    tests::Tolerance tolerance;
    std::ifstream(folder / "tolerance.txt") >> tolerance.relative >> tolerance.absolute;  // if the test has its own
    for (int set = 0;; ++set) {
      const fs::path data_folder = folder / fmt::format("test_data_set_{}", set);
      if (!fs::is_directory(data_folder)) break;
      const DataSet data = read_data_set(data_folder, model);
      if (Outcome outcome = run_data_set(data, model, tolerance); outcome.verdict != Verdict::kPassed) return outcome;
    }
  } catch (const Error& error) {
    return {Verdict::kFailed, error.what()};
  }
  return {};
}

std::set<std::string> read_exceptions(const fs::path& path) {
  std::set<std::string> names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::string name = line.substr(0, line.find_first_of(" #"));
    if (!name.empty()) names.insert(name);
  }
  return names;
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--only" && i + 1 < count) {
      options.only = arguments[++i];
    } else if (argument == "--exceptions" && i + 1 < count) {
      options.exceptions = arguments[++i];
    } else if (argument == "--list") {
      options.list = true;
    } else {
      options.folders.emplace_back(argument);
    }
  }
  return options;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  const std::set<std::string> exceptions = read_exceptions(options.exceptions);
  std::map<Verdict, std::size_t> totals;
  std::size_t lost = 0, gained = 0;
  for (const fs::path& place : options.folders) {
    std::vector<fs::path> tests;
    if (fs::is_directory(place)) {
      for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
        if (fs::exists(entry.path() / "model.onnx") &&
            entry.path().filename().string().find(options.only) != std::string::npos)
          tests.push_back(entry.path());
      }
    } else {
      fmt::print("SKIPPED: no tests in {}\n", place.string());
    }
    std::sort(tests.begin(), tests.end());
    for (const fs::path& test : tests) {
      const std::string name = test.filename().string();
      const Outcome outcome = run_test(test);
      ++totals[outcome.verdict];
      // "node/test_x" is the test in that folder only, because old data may be wrong where newer data is right.
      const bool excepted =
          exceptions.contains(name) || exceptions.contains(fmt::format("{}/{}", place.filename().string(), name));
      const bool passed = outcome.verdict == Verdict::kPassed;
      lost += !passed && !excepted;
      gained += passed && excepted;
      if (passed && excepted) fmt::print("passes now, remove it from the list: {}\n", name);
      if (!passed && (!excepted || options.list)) {
        fmt::print("{} {}: {}\n", outcome.verdict == Verdict::kFailed ? "FAILED" : "not covered", name, outcome.why);
      }
    }
  }
  fmt::print("conformance: {} passed, {} failed, {} not covered\n", totals[Verdict::kPassed], totals[Verdict::kFailed],
             totals[Verdict::kNotCovered]);
  fmt::print("inferred: the first output's type and shape in {} of {} data sets; not of {}\n", inferred, outputs_seen,
             fmt::join(incomplete, " "));
  if (totals.empty()) return 77;
  return lost + gained == 0 ? 0 : 1;
}
