// The report of info, and the forms in which a model can be given.
#include "onnxpress/tasks/inspect/info.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "onnxpress/base/error.h"
#include "onnxpress/tasks/files/convert.h"
#include "onnxpress/tasks/files/model_files.h"
#include "onnxpress/tasks/inspect/check.h"
#include "onnxpress/tasks/inspect/infer.h"
#include "onnxpress/tasks/jobs/ask_files.h"
#include "onnxpress/tasks/llm/llm.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "onnxpress/tasks/report/field_lists/diff.h"
#include "onnxpress/tasks/report/field_lists/edit.h"
#include "onnxpress/tasks/report/field_lists/memory.h"
#include "onnxpress/tasks/report/field_lists/parts.h"
#include "onnxpress/tasks/report/field_lists/profile.h"
#include "onnxpress/tasks/report/field_lists/verify.h"
#include "onnxpress/tasks/report/rows.h"
#include "onnxpress/tasks/shrink/expand.h"
#include "onnxpress/tasks/shrink/shrink.h"
#include "tests/support/encode.h"
#include "tests/support/field_table.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

using tests::TempFolder;

constexpr std::string_view kModel = R"(<ir_version: 8, opset_import: ["" : 17], producer_name: "tester">
g (float[N, 4] x) => (float[N, 4] y)
<float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, float[4] b = {1, 2, 3, 4}, float[4] b2 = {1, 2, 3, 4}>
{
  h = MatMul (x, w)
  [sum] y = Add (h, b)
}
)";

std::string converted(const TempFolder& folder, const std::string& from, const std::string& to,
                      const ConvertOptions& options = {}) {
  convert((folder / from).string(), (folder / to).string(), options, {});
  return (folder / to).string();
}

std::uint64_t sum_of_parts(const ByteTotals& bytes) {
  return std::accumulate(bytes.parts.begin(), bytes.parts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const BytePart& part) { return sum + part.bytes; });
}

TEST(Info, PartsSumToTheFileSize) {
  const TempFolder folder;
  const std::string text = folder.write("m.onnxtxt", kModel).string();
  const std::string onnx = converted(folder, "m.onnxtxt", "m.onnx"), json = converted(folder, "m.onnx", "m.json");
  for (const std::string& path : {text, onnx, json}) {
    const InfoReport report = info_file(path, {});
    EXPECT_EQ(report.file_bytes, std::filesystem::file_size(path));
    EXPECT_EQ(sum_of_parts(report.bytes), report.bytes.total) << path;
    EXPECT_EQ(report.bytes.total, std::filesystem::file_size(onnx)) << path;
    EXPECT_EQ(report.weights.parameters, 24u);
    EXPECT_EQ(report.model.nodes.total, 2u);
    EXPECT_FALSE(report.duplicates.has_value());
    EXPECT_FALSE(report.tensors.has_value());
  }
}

TEST(Info, ShowsAModelThatIsDamagedWhereNobodyReads) {
  // An attribute of type INT that also has a tensor, and a broken one: the reader skips it, the byte map looks into it.
  namespace fields = format::fields;
  const tests::Message attribute = tests::Message()
                                       .text(fields::attribute::kName, "axis")
                                       .number(fields::attribute::kType, 2)
                                       .number(fields::attribute::kI, 1)
                                       .text(fields::attribute::kT, "keepdims");
  const tests::Message node =
      tests::Message().text(fields::node::kOpType, "Relu").message(fields::node::kAttribute, attribute);
  const tests::Message model =
      tests::Message()
          .number(fields::model::kIrVersion, 8)
          .message(fields::model::kGraph, tests::Message().message(fields::graph::kNode, node));
  const TempFolder folder;
  const InfoReport report = info_file(folder.write("m.onnx", model.bytes()).string(), {});
  EXPECT_EQ(report.model.nodes.total, 1u);
  EXPECT_EQ(sum_of_parts(report.bytes), report.file_bytes);
}

TEST(Info, TensorsComeInTheOrderAskedFor) {
  const TempFolder folder;
  const std::string path = folder.write("m.onnxtxt", kModel).string();
  const auto names = [&path](TensorOrder order) {
    InfoOptions options;
    options.tensors = true;
    options.sort = order;
    std::string joined;
    const InfoReport report = info_file(path, options);
    for (const TensorLine& line : *report.tensors) joined += line.name + " ";
    return joined;
  };
  EXPECT_EQ(names(TensorOrder::kSize), "w b b2 ");
  EXPECT_EQ(names(TensorOrder::kName), "b b2 w ");
  EXPECT_EQ(names(TensorOrder::kFile), "w b b2 ");
}

TEST(Info, TopLimitsTheLargest) {
  const TempFolder folder;
  const std::string path = folder.write("m.onnxtxt", kModel).string();
  InfoOptions options;
  options.top = 2;
  EXPECT_EQ(info_file(path, options).largest.size(), 2u);
  options.top = 0;
  EXPECT_EQ(info_file(path, options).largest.size(), 0u);
}

TEST(Info, CountsExternalFilesAndWhatIsUnusedInThem) {
  const TempFolder folder;
  folder.write("m.onnxtxt", kModel);
  ConvertOptions options;
  options.weights.external_data = "w.data";
  options.weights.external_threshold = 0;
  const std::string path = converted(folder, "m.onnxtxt", "m.onnx", options);
  const InfoReport report = info_file(path, {});
  ASSERT_EQ(report.bytes.external_files.size(), 1u);
  const ExternalFileLine& file = report.bytes.external_files[0];
  EXPECT_EQ(file.location, "w.data");
  EXPECT_EQ(file.tensors, 3u);
  EXPECT_EQ(file.used_bytes, 96u);
  EXPECT_EQ(file.file_bytes, std::filesystem::file_size(folder / "w.data"));
  EXPECT_EQ(report.bytes.external, *file.file_bytes);
  EXPECT_EQ(sum_of_parts(report.bytes), report.file_bytes);

  InfoOptions duplicates;
  duplicates.duplicates = true;
  EXPECT_EQ(info_file(path, duplicates).duplicates->duplicated_bytes, 16u);

  std::filesystem::remove(folder / "w.data");
  const InfoReport missing = info_file(path, duplicates);
  EXPECT_EQ(missing.bytes.external_files[0].file_bytes, std::nullopt);
  EXPECT_NE(missing.bytes.external_files[0].problem, "");
  EXPECT_EQ(missing.duplicates->unreadable.size(), 2u) << "w is the only one of its size, so it is not read";
}

TEST(Info, AFailingModelIsARow) {
  const TempFolder folder;
  const std::string good = folder.write("good.onnxtxt", kModel).string(),
                    bad = folder.write("bad.onnx", "\xff\xff").string();
  const std::vector<std::string> paths{bad, good, (folder / "none.onnx").string()};
  const std::vector<InfoRow> rows = report_on_each(paths, [](const std::string& path) { return info_file(path, {}); });
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_FALSE(rows[0].report);
  EXPECT_EQ(rows[0].error.find(bad), 0u);
  EXPECT_TRUE(rows[1].report);
  EXPECT_FALSE(rows[2].report);
  const auto json = nlohmann::json::parse(to_json(rows));
  EXPECT_EQ(json["models"].size(), 3u);
  EXPECT_EQ(json["models"][0]["file"], bad);
  EXPECT_EQ(json["models"][1]["nodes"]["total"], 2);
}

TEST(Info, JsonIsValidWhateverNamesTheModelHas) {
  InfoReport report;
  report.file = "\xff\xfe broken \"quoted\" \n";
  report.model.graph = std::string("\0\x80", 2);
  report.model.inputs.push_back(
      {"\xc3", "float", "float",
       std::vector<InterfaceLine::DimText>{std::monostate(), std::int64_t{-1}, "\xed\xa0\x80"}});
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["inputs"][0]["shape"][0], nullptr);
  EXPECT_EQ(json["inputs"][0]["shape"][1], -1);
  EXPECT_EQ(json["duplicates"], nullptr);
}

// --- Documentation

void expect_documented(const char* page, const std::vector<std::string>& lines) {
  std::ifstream file(page);
  ASSERT_TRUE(file) << page;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string missing;
  for (const std::string& line : lines) {
    if (text.find(line + "\n") == std::string::npos) missing += line + "\n";
  }
  EXPECT_EQ(missing, "") << "lines to put into " << page;
}

// The page is made from the headers by a script, so this is a second opinion on what the fields are.
template <typename... Reports>
void expect_reports() {
  (expect_documented("docs/reference/reports.md", tests::field_lines<Reports>()), ...);
}

TEST(Documentation, ListsEveryJsonField) {
  expect_reports<CheckReport, ConvertReport, DiffReport, EditReport, ExpandReport, ExtractReport, FuseReport,
                 InferReport, InfoReport, MemoryReport, MergeReport, OptimizeReport, ProfileReport, QuantizeReport,
                 ShrinkReport, SplitReport, TensorReport, VerifyReport>();
  expect_documented("docs/commands/llm.md", tests::field_lines<LlmReport>());
}

// --- Loading

std::string problem_of(const std::string& path) {
  try {
    open_model(path);
  } catch (const Error& error) {
    return fmt::format("{} | {}", error.message(), error.hint());
  }
  return "no problem";
}

TEST(LoadModel, CallsOtherFilesByTheirName) {
  const TempFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"},
      {std::string("PK\x03\x04 and more bytes", 20), "ZIP"},
      {std::string("\x1f\x8b\x08\x00", 4), "gzip"},
      {"<!DOCTYPE html><html>", "web page"},
      {std::string("\x20\x00\x00\x00ORTM\x00\x00", 10), ".ort"},
      {std::string("\x10\x00\x00\x00\x00\x00\x00\x00{\"a\"", 12), "safetensors"},
  };
  for (const auto& [content, kind] : cases) {
    const std::string problem = problem_of(folder.write("m.onnx", content).string());
    EXPECT_EQ(problem.find("not an ONNX model | "), 0u) << problem;
    EXPECT_NE(problem.find(kind), std::string::npos) << problem;
  }
}

TEST(LoadModel, RefusesWhatIsNotThere) {
  const TempFolder folder;
  EXPECT_EQ(problem_of(folder.write("empty.onnx", "").string()), "the file is empty | export the model again");
  EXPECT_NE(problem_of((folder / "none.onnx").string()), "no problem");
  EXPECT_NE(problem_of(folder.path().string()), "no problem");
}

TEST(LoadModel, LooksInsideWhenTheNameSaysNothing) {
  const TempFolder folder;
  folder.write("m.onnxtxt", kModel);
  const std::string onnx = converted(folder, "m.onnxtxt", "m.onnx"), json = converted(folder, "m.onnx", "m.json");
  std::filesystem::copy(onnx, folder / "a.model");
  std::filesystem::copy(json, folder / "b.model");
  EXPECT_EQ(open_model((folder / "a.model").string()).format, ModelForm::kOnnx);
  EXPECT_EQ(open_model((folder / "b.model").string()).format, ModelForm::kJson);
  EXPECT_EQ(open_model(folder.write("c.model", kModel).string()).format, ModelForm::kText);
  EXPECT_EQ(format_of_name("X.ONNX"), ModelForm::kOnnx);
  EXPECT_EQ(format_of_name("x.txt"), ModelForm::kText);
  EXPECT_EQ(format_of_name("onnx"), std::nullopt);
}

// --- Inputs

TEST(Inputs, FoldersAndPatternsAreExpanded) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "sub/deeper");
  for (const char* name : {"b.onnx", "a.onnx", "sub/c.ONNX", "sub/deeper/d.onnx", "sub/e.txt"}) folder.write(name, "x");
  const auto relative = [&folder](const std::vector<std::string>& named) {
    std::string joined;
    for (const std::string& path : expand_inputs(named).paths)
      joined += std::filesystem::path(path).lexically_relative(folder.path()).string() + " ";
    return joined;
  };
  EXPECT_EQ(relative({folder.path().string()}), "a.onnx b.onnx sub/c.ONNX sub/deeper/d.onnx ");
  EXPECT_EQ(relative({(folder / "*.onnx").string()}), "a.onnx b.onnx ");
  EXPECT_EQ(relative({(folder / "s*").string(), (folder / "a.onnx").string()}), "sub/c.ONNX sub/deeper/d.onnx a.onnx ");
  EXPECT_EQ(relative({(folder / "missing.onnx").string()}), "missing.onnx ");
  EXPECT_FALSE(expand_inputs({(folder / "a.onnx").string()}).several);
  EXPECT_TRUE(expand_inputs({(folder / "a*.onnx").string()}).several);
  EXPECT_TRUE(expand_inputs({folder.path().string()}).several);
  EXPECT_THROW(expand_inputs({(folder / "z*.onnx").string()}), Error);
  std::filesystem::create_directory(folder / "empty");
  EXPECT_THROW(expand_inputs({(folder / "empty").string()}), Error);
}

TEST(Inputs, AFileWhoseNameLooksLikeAPatternIsAFile) {
  const TempFolder folder;
  const std::string odd = folder.write("a[1].onnx", "x").string();
  EXPECT_EQ(expand_inputs({odd}).paths, std::vector<std::string>{odd});
  EXPECT_FALSE(expand_inputs({odd}).several);
}

}  // namespace
}  // namespace onnxpress
