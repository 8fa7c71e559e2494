// Each step that makes a variant is a command line.
#include "onnxpress/tasks/bench/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/platform/child_process.h"
#include "onnxpress/base/platform/process.h"
#include "onnxpress/base/suggest.h"

namespace onnxpress {

namespace fs = std::filesystem;

namespace {

// The command of each of our steps; the input, -o and the output are appended.
struct OwnStep {
  const char* name;
  std::vector<std::string> words;
};
const std::vector<OwnStep>& own_steps() {
  static const std::vector<OwnStep> kSteps = {{"optimize", {"optimize"}},
                                              {"shrink", {"shrink"}},
                                              {"int8", {"quantize", "--to", "int8"}},
                                              {"int4", {"quantize", "--to", "int4"}},
                                              {"fp16", {"quantize", "--to", "fp16"}},
                                              {"dynamic", {"quantize", "--activations", "dynamic"}}};
  return kSteps;
}

// Python code that makes model `b` from model `a`.
struct PeerStep {
  const char* name;
  const char* code;
};
constexpr PeerStep kPeers[] = {
    {"onnxsim",
     "import onnx, onnxsim\nm, ok = onnxsim.simplify(onnx.load(a))\nassert ok, 'its own check failed'\nonnx.save(m, "
     "b)"},
    {"onnxslim", "import onnxslim\nonnxslim.slim(a, b)"},
    {"onnxoptimizer", "import onnx, onnxoptimizer\nonnx.save(onnxoptimizer.optimize(onnx.load(a)), b)"},
    {"ort-basic", "ort('ORT_ENABLE_BASIC')"},
    {"ort-extended", "ort('ORT_ENABLE_EXTENDED')"},
    {"ort-all", "ort('ORT_ENABLE_ALL')"},
    {"shrinkray",
     "import shutil, glob, os, runpy\nd = os.path.dirname(b) + '/ray'\nos.makedirs(d)\nshutil.copy(a, d + '/m.onnx')\n"
     "sys.argv = ['shrink', '--output_suffix', '_ray.onnx', '--method', 'integer_weights', d + '/m.onnx']\n"
     "runpy.run_module('onnx_shrink_ray.shrink', run_name='__main__')\n"
     "shutil.move(next(f for f in glob.glob(d + '/*.onnx') if not f.endswith('/m.onnx')), b)"},
    {"quantize-dynamic", "from onnxruntime.quantization import quantize_dynamic\nquantize_dynamic(a, b)"},
};
constexpr const char* kBegin =
    "import sys\na, b = sys.argv[1], sys.argv[2]\n"
    "def ort(level):\n"
    "    import onnxruntime as o\n"
    "    s = o.SessionOptions()\n"
    "    s.graph_optimization_level = getattr(o.GraphOptimizationLevel, level)\n"
    "    s.optimized_model_filepath = b\n"
    "    s.log_severity_level = 4\n"
    "    o.InferenceSession(a, s, providers=['CPUExecutionProvider'])\n";

const OwnStep* find_own(const std::string& name) {
  const auto found = std::ranges::find(own_steps(), name, &OwnStep::name);
  return found != own_steps().end() ? &*found : nullptr;
}
const PeerStep* find_peer(const std::string& name) {
  const auto found = std::ranges::find_if(kPeers, [&](const PeerStep& each) { return each.name == name; });
  return found != std::end(kPeers) ? &*found : nullptr;
}

std::string last_line(const std::string& text) {
  const std::size_t at = text.find_last_of('\n');
  return at == std::string::npos ? text : text.substr(at + 1);
}

}  // namespace

std::vector<std::string> steps_of(const std::string& variant) {
  std::vector<std::string> steps;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(variant.find('+', begin), variant.size());
    steps.push_back(variant.substr(begin, end - begin));
    if (end == variant.size()) break;
    begin = end + 1;
  }
  for (const std::string& step : steps) {
    if (find_own(step) || find_peer(step)) continue;
    std::string known;
    for (const OwnStep& each : own_steps()) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
    for (const PeerStep& each : kPeers) known += fmt::format(", {}", each.name);
    throw OptionError(fmt::format("there is no variant {}", quote_name(step)),
                      fmt::format("the variants are {}", known));
  }
  return steps;
}

MadeVariant make_variant(const fs::path& model, const std::string& variant, const fs::path& result,
                         const VariantTools& tools) {
  MadeVariant made;
  fs::path from = model;
  const std::vector<std::string> steps = steps_of(variant);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const fs::path to = i + 1 == steps.size() ? result : result.parent_path() / fmt::format("step{}.onnx", i);
    std::vector<std::string> words;
    if (const OwnStep* own = find_own(steps[i])) {
      words = {tools.program};
      words.insert(words.end(), own->words.begin(), own->words.end());
      words.insert(words.end(), {from.string(), "-o", to.string()});
    } else {
      words = {tools.python, "-c", std::string(kBegin) + find_peer(steps[i])->code, from.string(), to.string()};
    }
    try {
      platform::ChildProcess child(words);
      const platform::ChildEnd end = child.finish(tools.limit);
      made.seconds += end.seconds;
      made.memory = std::max(made.memory, end.peak_memory);
      if (!end.is_good() || !fs::exists(to)) {
        const std::string said = last_line(child.errors());
        made.error =
            fmt::format("{} {}{}{}", steps[i], end.is_good() ? "wrote no model" : platform::to_string(end, tools.limit),
                        said.empty() ? "" : ": ", said);
        return made;
      }
    } catch (const Error& error) {
      made.error = fmt::format("{}: {}", steps[i], error.message());
      return made;
    }
    from = to;
  }
  return made;
}

std::string find_python() {
  if (const char* active = std::getenv("VIRTUAL_ENV"); active && *active) return std::string(active) + "/bin/python";
  // We are about to run this program, so in the working folder it must belong to the user.
  if (fs::exists(".venv/bin/python") && platform::belongs_to_user(".venv")) return ".venv/bin/python";
  return "python3";
}

}  // namespace onnxpress
