// Saving results: what is written, what is checked, and that an error leaves every file as it was.
#include "onnxpress/tasks/files/save_checked.h"

#include <gtest/gtest.h>

#include <map>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/save_together.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

namespace fs = std::filesystem;
using tests::TempFolder;

constexpr std::string_view kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float[N, 4] y)
<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}>
{
  y = MatMul (x, w)
}
)";

class SaveChecked : public testing::Test {
 protected:
  SaveChecked() {
    folder_.write("m.onnxtxt", kModel);
    ConvertOptions options;
    options.weights.external_data = "w.data";
    options.weights.external_threshold = 1;
    fs::create_directory(folder_ / "in");
    convert(path("m.onnxtxt"), path("in/m.onnx"), options, {});
    fs::create_directory(folder_ / "out");
    for (const std::string name : {"r.onnx", "r.onnx.data", "r.onnxtxt", "r.json", "w.data"})
      folder_.write("out/" + name, "old " + name);
    old_ = files();
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // Content of everything in the folder of the results, by path.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& each : fs::recursive_directory_iterator(folder_ / "out"))
      found[each.path().string()] = each.is_regular_file() ? tests::content_of(each.path()) : "folder";
    return found;
  }
  SaveRequest request_to(const std::string& name) const {
    SaveRequest request{.output = path("out/" + name)};
    request.form.external_threshold = 1;
    request.form.overwrite_external = true;
    return request;
  }
  template <typename Action>
  static std::string error_of(Action&& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  TempFolder folder_;
  std::map<std::string, std::string> old_;
};

// Changes the model, so that it is encoded again.
LoadedModel changed(const std::string& path) {
  LoadedModel loaded = open_model(path);
  loaded.model.doc = "changed";
  loaded.model.mark_changed();
  return loaded;
}

TEST_F(SaveChecked, PutsExternalDataNextToTheResult) {
  LoadedModel loaded = changed(path("in/m.onnx"));
  const SaveReport report = save_checked(loaded.model, request_to("r.onnx"));
  ASSERT_EQ(report.files.size(), 2U);
  EXPECT_EQ(report.files[0].path, path("out/r.onnx"));
  EXPECT_EQ(report.files[1].path, path("out/r.onnx.data"));
  EXPECT_EQ(report.bytes, fs::file_size(path("out/r.onnx")));
  EXPECT_EQ(report.external, 64U);
  EXPECT_EQ(files().size(), old_.size());
  EXPECT_EQ(tests::content_of(folder_ / "out/w.data"), "old w.data");
  const LoadedModel again = open_model(path("out/r.onnx"));
  EXPECT_EQ(again.model.graph().initializers().front()->initializer()->bytes().size(), 64U);
}

TEST_F(SaveChecked, LeavesEveryFileAloneWhenTheCheckFails) {
  for (const std::string name : {"r.onnx", "r.onnxtxt", "r.json"}) {
    LoadedModel loaded = changed(path("in/m.onnx"));
    SaveRequest request = request_to(name);
    bool was_called = false;
    request.check = [&](Model& written) {
      was_called = true;
      // External data can be read before the files have their names.
      EXPECT_EQ(written.graph().initializers().front()->initializer()->bytes().size(), 64U);
      throw Error("", "not what was meant");
    };
    request.beside.push_back({path("out/r.names"), [](AtomicFile& file) { file.write("names"); }});
    request.beside.push_back({path("in/far.names"), [](AtomicFile& file) { file.write("names"); }});
    EXPECT_EQ(error_of([&] { save_checked(loaded.model, request); }), path("out/" + name) + ": not what was meant");
    EXPECT_TRUE(was_called) << name;
    EXPECT_EQ(files(), old_) << name;
    EXPECT_FALSE(fs::exists(path("in/far.names")));
  }
}

TEST_F(SaveChecked, BringsOldFilesBackWhenTheLastRenameFails) {
  LoadedModel loaded = changed(path("in/m.onnx"));
  SaveRequest request = request_to("r.onnx");
  // The weights are renamed first, and then the model cannot be.
  request.check = [&](Model&) {
    fs::remove(path("out/r.onnx"));
    fs::create_directory(path("out/r.onnx"));
  };
  EXPECT_NE(error_of([&] { save_checked(loaded.model, request); }).find("cannot rename into place"), std::string::npos);
  old_[path("out/r.onnx")] = "folder";
  EXPECT_EQ(files(), old_);
}

TEST_F(SaveChecked, WritesNothingInADryRunOrWhenTooLarge) {
  LoadedModel loaded = changed(path("in/m.onnx"));
  SaveRequest request = request_to("r.onnx");
  request.dry_run = true;
  const SaveReport dry = save_checked(loaded.model, request);
  EXPECT_EQ(dry.files.front().path, path("out/r.onnx"));
  EXPECT_GT(dry.bytes, 0U);
  EXPECT_EQ(files(), old_);
  request.dry_run = false;
  request.smaller_than = dry.bytes + dry.external;
  const SaveReport large = save_checked(loaded.model, request);
  EXPECT_TRUE(large.too_large);
  EXPECT_TRUE(large.files.empty());
  EXPECT_EQ(files(), old_);
  ++request.smaller_than;
  EXPECT_FALSE(save_checked(loaded.model, request).too_large);
}

TEST_F(SaveChecked, RefusesAResultThatIsNotValidAnyMore) {
  std::string text(kModel);
  text.replace(text.find("(x, w)"), 6, "(x)");
  folder_.write("bad.onnxtxt", text);
  Model model = open_model(path("bad.onnxtxt")).model;
  SaveRequest request = request_to("r.onnx");
  EXPECT_EQ(error_of([&] { save_checked(model, request); }), "no error");
  request.original = original_in(path("in/m.onnx"), {});
  old_ = files();
  EXPECT_NE(error_of([&] { save_checked(model, request); }).find("would not be a valid model"), std::string::npos);
  EXPECT_EQ(files(), old_);
}

TEST_F(SaveChecked, WritesFilesBesideTheResult) {
  LoadedModel loaded = changed(path("in/m.onnx"));
  SaveRequest request = request_to("r.onnx");
  request.beside.push_back({path("out/r.names"), [](AtomicFile& file) { file.write("near"); }});
  request.beside.push_back({path("in/far.names"), [](AtomicFile& file) { file.write("far"); }});
  request.beside.push_back({path("out/list.json"), [](AtomicFile& file) { file.write("last"); }, true});
  std::vector<std::string> paths;
  for (const WrittenFile& each : save_checked(loaded.model, request).files) paths.push_back(each.path);
  EXPECT_EQ(paths, (std::vector{path("out/list.json"), path("out/r.onnx"), path("out/r.onnx.data"), path("out/r.names"),
                                path("in/far.names")}));
  EXPECT_EQ(tests::content_of(folder_ / "out/r.names"), "near");
  EXPECT_EQ(tests::content_of(folder_ / "in/far.names"), "far");
  request.beside = {{path("out/r.onnx"), [](AtomicFile&) {}}};
  EXPECT_NE(error_of([&] { save_checked(loaded.model, request); }).find("two files"), std::string::npos);
}

TEST_F(SaveChecked, SavesSeveralModelsOrNone) {
  LoadedModel one = changed(path("in/m.onnx")), two = changed(path("in/m.onnx"));
  std::vector<SaveTarget> targets = {{&one.model, path("out/r.onnx")}, {&two.model, path("out/s.onnx")}};
  targets[1].check = [](Model&) { throw Error("", "not what was meant"); };
  EXPECT_EQ(error_of([&] { save_together(targets, nullptr, request_to("")); }),
            path("out/s.onnx") + ": not what was meant");
  EXPECT_EQ(files(), old_);
  targets[1].check = {};
  const SaveReport report = save_together(targets, nullptr, request_to(""));
  ASSERT_EQ(report.files.size(), 4U);
  EXPECT_EQ(report.files[3].path, path("out/s.onnx.data"));
}

TEST_F(SaveChecked, CopiesByteForByte) {
  const SaveReport report = copy_unchanged(path("in/m.onnx"), request_to("r.onnx"));
  EXPECT_EQ(tests::content_of(folder_ / "out/r.onnx"), tests::content_of(folder_ / "in/m.onnx"));
  EXPECT_EQ(tests::content_of(folder_ / "out/w.data"), tests::content_of(folder_ / "in/w.data"));
  EXPECT_EQ(report.files.size(), 2U);
}

}  // namespace
}  // namespace onnxpress
