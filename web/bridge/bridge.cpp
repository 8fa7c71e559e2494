// The function that JavaScript calls: a JSON request in, a JSON answer out. Files of the request and of its result are
// in the module's file system.
#include <emscripten/em_js.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/report/json_report.h"
#include "web/bridge/tasks.h"

namespace onnxpress::web {

namespace {

// Pass progress and stages to the page, which shows them. Amounts are doubles, as JavaScript has no other numbers.
EM_JS(void, tell_progress, (double done, double total), {
  if (Module.onProgress) Module.onProgress({done, total});
});
EM_JS(void, tell_stage, (const char* name), {
  if (Module.onProgress) Module.onProgress({stage : UTF8ToString(name)});
});

std::string failure(const std::string& file, const std::string& where, const std::string& message,
                    const std::string& hint, const std::string& text) {
  const auto quoted = [](const std::string& each) { return json_text(each); };
  return fmt::format(R"({{"error":{{"file":{},"where":{},"message":{},"hint":{},"text":{}}}}})", quoted(file),
                     quoted(where), quoted(message), quoted(hint), quoted(text));
}

// Throws Error when a field has another type.
Request request_in(const char* json) {
  const nlohmann::json given = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!given.is_object()) throw Error("", "a request must be a JSON object");
  const auto text = [&given](const char* name) {
    const auto found = given.find(name);
    return found != given.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  Request request{.task = text("task"), .output = text("output"), .tensor = text("tensor")};
  if (const auto inputs = given.find("inputs"); inputs != given.end() && inputs->is_array()) {
    for (const nlohmann::json& each : *inputs) {
      if (!each.is_string()) throw Error("", "inputs must be names of files");
      request.inputs.push_back(each.get<std::string>());
    }
  }
  if (const auto graph = given.find("graph"); graph != given.end() && graph->is_number_unsigned())
    request.graph = graph->get<std::uint64_t>();
  if (const auto options = given.find("options"); options != given.end()) request.options = options->dump();
  return request;
}

std::string answer_to(const char* json) {
  const HearStages hearing([](std::string_view name) { tell_stage(std::string(name).c_str()); });
  const auto progress = [](std::uint64_t done, std::uint64_t total) {
    tell_progress(static_cast<double>(done), static_cast<double>(total));
  };
  return fmt::format(R"({{"report":{}}})", run_request(request_in(json), progress));
}

// Turns every exception into an answer with the text that the command prints on standard error.
std::string safe_answer_to(const char* json) {
  try {
    return answer_to(json);
  } catch (const Error& error) {
    return failure(error.file(), error.where(), error.message(), error.hint(), error.what());
  } catch (const std::bad_alloc&) {
    return failure("", "", "out of memory", "WebAssembly has 4 GB: use the command for models this large",
                   "out of memory");
  } catch (const std::exception& error) {
    const std::string text = fmt::format("unexpected: {}", error.what());
    return failure("", "", text, "this is a bug in onnxpress; please report it", text);
  }
}

}  // namespace

}  // namespace onnxpress::web

// The answer is valid until the next call.
extern "C" const char* onnxpress_call(const char* request) {
  static std::string answer;
  answer = onnxpress::web::safe_answer_to(request);
  return answer.c_str();
}
