// The only place where reports meet nlohmann's templates.
#include "onnxpress/tasks/report/json_report.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace onnxpress {

namespace {

using Json = nlohmann::ordered_json;

// Builds the document from the events.
class JsonSink : public ReportSink {
 public:
  void begin_object() override { open(Json::object()); }
  void key(std::string_view name) override { key_ = name; }
  void end_object() override { open_.pop_back(); }
  void begin_list() override { open(Json::array()); }
  void end_list() override { open_.pop_back(); }

  void text(std::string_view value) override { add(std::string(value)); }
  void integer(std::int64_t value) override { add(value); }
  void natural(std::uint64_t value) override { add(value); }
  void real(double value) override { add(value); }
  void boolean(bool value) override { add(value); }
  void nothing() override { add(nullptr); }

  const Json& root() const { return root_; }

 private:
  Json& add(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_object()) return parent[key_] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }

  // A parent gets no further child before this one is closed, so the pointer stays valid.
  void open(Json empty) { open_.push_back(&add(std::move(empty))); }

  Json root_;
  std::vector<Json*> open_;
  std::string key_;
};

}  // namespace

std::string json_text_of(const std::function<void(ReportSink&)>& write) {
  JsonSink sink;
  write(sink);
  return sink.root().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace onnxpress
