// The public interface, as a program that has models in memory uses it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "onnxpress/base/error.h"
#include "onnxpress/base/thread_pool.h"
#include "onnxpress/check.h"
#include "onnxpress/diff.h"
#include "onnxpress/files.h"
#include "onnxpress/format/write_model.h"
#include "onnxpress/infer.h"
#include "onnxpress/info.h"
#include "onnxpress/run.h"
#include "onnxpress/shrink.h"
#include "onnxpress/tasks/by_name/option_values.h"
#include "onnxpress/tasks/jobs/shrink_file.h"
#include "onnxpress/tasks/optimize/optimize.h"
#include "onnxpress/tasks/quantize/quantize.h"
#include "tests/support/temp_folder.h"

namespace onnxpress {
namespace {

namespace fs = std::filesystem;
using tests::content_of;
using tests::TempFolder;

// Weights of several kinds: all elements equal, few values, equal to another weight, and none of these.
std::string model_text() {
  std::string text =
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "agraph (float[32,32] x) => (float[32,32] y)\n<\n";
  const auto add = [&text](std::string_view name, const auto& element, std::string_view comma = ",\n") {
    std::string elements;
    for (int i = 0; i < 1024; ++i) elements += fmt::format("{}{}", i == 0 ? "" : ", ", element(i));
    text += fmt::format("  float[32,32] {} = {{{}}}{}", name, elements, comma);
  };
  add("splat", [](int) { return 1.5F; });
  add("few", [](int i) { return static_cast<float>(i * i % 7); });
  add("same", [](int i) { return static_cast<float>(i * i % 7); });
  add(
      "other", [](int i) { return static_cast<float>((i * 7919 % 1009)) / 1009.0F; }, "\n>\n");
  return text + "{\n  a = Add(x, splat)\n  b = MatMul(a, few)\n  c = Mul(b, same)\n  y = MatMul(c, other)\n}\n";
}

Bytes onnx_bytes() {
  Model model = load_model(Bytes::owned(model_text()));
  return save_model(model);
}

NamedTensor input() {
  std::vector<float> elements(1024);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i % 13) - 6;
  std::string raw(elements.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), elements.data(), raw.size());
  return {"x", ElementType::kFloat, {32, 32}, Bytes::owned(std::move(raw)), {}};
}

TEST(Api, ShrinksInMemoryAsItDoesInFiles) {
  const TempFolder folder;
  const Bytes before = onnx_bytes();
  shrink_file(folder.write("in.onnx", std::string(before.view())).string(), (folder / "out.onnx").string(),
              ShrinkOptions(), {});

  Model model = load_model(before);
  const ShrinkReport report = shrink(model);
  const Bytes after = save_model(model);
  EXPECT_EQ(after.view(), content_of(folder / "out.onnx"));
  EXPECT_EQ(report.before.total(), before.size());
  EXPECT_EQ(report.after.total(), after.size());
  EXPECT_LT(after.size(), before.size() * 3 / 4);
}

TEST(Api, ShrinksToTheSameBytesWithAnyNumberOfThreads) {
  const Bytes before = onnx_bytes();
  std::vector<std::string> results;
  for (const unsigned threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    const UseThreads scope(pool);
    Model shrunk = load_model(before), quantized = load_model(before);
    shrink(shrunk);
    quantize(quantized, {.to = Bits::kInt8});
    for (Model* model : {&shrunk, &quantized}) results.emplace_back(save_model(*model).view());
  }
  for (std::size_t i = 2; i < results.size(); ++i) EXPECT_EQ(results[i], results[i % 2]);
  EXPECT_NE(results[0], results[1]);
}

TEST(Api, ComputesTheSameAfterShrinkingAndExpanding) {
  const Bytes before = onnx_bytes();
  Model original = load_model(before), model = load_model(before);
  const auto expected = run(original, {input()});
  ASSERT_EQ(expected.size(), 1U);
  EXPECT_EQ(expected[0].name, "y");
  EXPECT_EQ(expected[0].dims, (std::vector<std::int64_t>{32, 32}));
  shrink(model);
  EXPECT_EQ(run(model, {input()})[0].content.view(), expected[0].content.view());
  EXPECT_GT(expand(model).tensors, 0U);
  EXPECT_EQ(run(model, {input()})[0].content.view(), expected[0].content.view());
  EXPECT_THROW(run(original, {}), Error);
}

TEST(Api, ConvertsBetweenFormsInMemory) {
  const Bytes onnx = onnx_bytes();
  for (const ModelForm form : {ModelForm::kText, ModelForm::kJson, ModelForm::kOnnx}) {
    Model model = load_model(onnx);
    Model again = load_model(save_model(model, form));
    EXPECT_TRUE(diff(model, again).equal);
    EXPECT_EQ(save_model(again).view(), onnx.view());
  }
}

TEST(Api, SavesAndLoadsFiles) {
  const TempFolder folder;
  Model model = load_model(onnx_bytes());
  for (const char* name : {"m.onnx", "m.onnxtxt", "m.json"}) {
    save_model(model, folder / name);
    EXPECT_TRUE(diff(model, load_model(folder / name)).equal) << name;
  }
  EXPECT_THROW(save_model(model, folder / "m.unknown"), Error);
  EXPECT_EQ(model.graph().nodes().size(), 4U);  // unchanged after a failure
}

// A model whose weights are in a second file, both in memory.
struct SplitModel {
  Bytes model, weights;
};

SplitModel split_model() {
  const TempFolder folder;
  Model model = load_model(Bytes::owned(model_text()));
  format::WriteOptions options;
  options.weights = format::WriteOptions::Weights::kExternal;
  options.external_name = "weights.bin";
  format::write_model(model, folder / "split.onnx", options);
  return {Bytes::owned(content_of(folder / "split.onnx")), Bytes::owned(content_of(folder / "weights.bin"))};
}

TEST(Api, ReadsExternalDataFromMemory) {
  const SplitModel split = split_model();
  LoadOptions external;
  external.external = [&split](std::string_view location) -> std::optional<Bytes> {
    return location == "weights.bin" ? std::optional(split.weights) : std::nullopt;
  };
  Model model = load_model(split.model, external);
  Model whole = load_model(Bytes::owned(model_text()));
  EXPECT_TRUE(diff(whole, model).equal);
  EXPECT_EQ(run(model, {input()}).front().content.view(), run(whole, {input()}).front().content.view());

  const ShrinkReport report = shrink(model);
  EXPECT_GT(report.before.total(), split.weights.size());
  EXPECT_LT(report.after.total(), report.before.total());
  EXPECT_EQ(run(model, {input()}).front().content.view(), run(whole, {input()}).front().content.view());
  Model inside = load_model(save_model(model));
  EXPECT_TRUE(diff(model, inside).equal);

  const TempFolder folder;
  Model again = load_model(split.model, external);
  save_model(again, folder / "split.onnx");
  EXPECT_EQ(content_of(folder / "weights.bin"), split.weights.view()) << "is copied to the folder of the model";
}

TEST(Api, SaysWhichExternalDataIsMissing) {
  const SplitModel split = split_model();
  LoadOptions options;
  options.external = [](std::string_view) { return std::nullopt; };
  const Model model = load_model(split.model, options);
  try {
    run(model, {input()});
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'weights.bin'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("was not provided"), std::string::npos) << error.what();
  }
}

TEST(Api, AnswersQuestionsAboutAModelInMemory) {
  Model model = load_model(onnx_bytes());
  EXPECT_TRUE(check(model).ok);
  const InfoReport about = info(model);
  EXPECT_EQ(about.model.nodes.total, 4U);
  EXPECT_EQ(about.weights.tensors, 4U);
  EXPECT_EQ(about.weights.parameters, 4096U);
  EXPECT_EQ(about.weights.bytes, 16384U);
  InferOptions every;
  every.all = true;
  const InferReport types = infer(model, every);
  const auto found = std::ranges::find(types.all, "b", &ValueLine::name);
  ASSERT_NE(found, types.all.end());
  EXPECT_EQ(found->type, "float[32,32]");
  EXPECT_TRUE(found->complete);

  Model other = load_model(onnx_bytes());
  EXPECT_TRUE(diff(model, other).equal);
  shrink(other);
  EXPECT_FALSE(diff(model, other).equal);
}

TEST(Api, RefusesToChangeACycle) {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "g (float[4] x, int64[1] s) => (float[4] y) { a = Reshape (y, s) y = Reshape (a, s) }";
  Model model = load_model(Bytes::borrowed(text));
  EXPECT_THROW(shrink(model), Error);
  EXPECT_THROW(expand(model), Error);
  EXPECT_THROW(run_task("expand", model, "{}"), Error);
  EXPECT_THROW(optimize(model, {}), Error);
}

// Integer activations cannot keep 70 dB.
constexpr std::string_view kTooMuch =
    R"({"quality": 70, "activations": "dynamic", "layers": "all", "min_elements": 1})";

TEST(Api, LeavesTheModelAloneIfAQualityIsMissed) {
  Model model = load_model(onnx_bytes());
  const std::string before = format::encode_model(model);
  const auto report = nlohmann::json::parse(run_task("quantize", model, kTooMuch));
  EXPECT_NE(report["refused"].get<std::string>().find("70.0 dB were asked for"), std::string::npos) << report;
  EXPECT_EQ(format::encode_model(model), before);
}

TEST(Api, ChangesTheModelIfAMissedQualityIsAccepted) {
  Model model = load_model(onnx_bytes());
  const std::string before = format::encode_model(model);
  nlohmann::json options = nlohmann::json::parse(kTooMuch);
  options["best_effort"] = true;
  const auto report = nlohmann::json::parse(run_task("quantize", model, options.dump()));
  EXPECT_EQ(report["refused"], "");
  EXPECT_LT(report["reached"].get<double>(), report["asked"].get<double>());
  EXPECT_NE(format::encode_model(model), before);
}

TEST(Api, QuantizesToADownload) {
  if (!can_compress()) GTEST_SKIP();
  Model model = load_model(onnx_bytes());
  const auto report = nlohmann::json::parse(
      run_task("quantize", model, R"({"max_download": "3000:gzip", "min_elements": 1, "compensate": "off"})"));
  EXPECT_LE(report["download"].get<std::uint64_t>(), 3000U);
  EXPECT_EQ(report["files"].size(), 0U);
  EXPECT_EQ(format::encode_model(model).size(), report["after"]["file"].get<std::uint64_t>());
}

struct Numbers {
  std::int64_t wide = 0;
  std::uint8_t narrow = 0;
  DownloadTarget download;

  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("wide", &Numbers::wide, "");
    visit("narrow", &Numbers::narrow, "");
    visit("download", &Numbers::download, "");
  }
};

TEST(Options, RefuseNumbersThatDoNotFit) {
  const auto message_of = [](std::string_view json) -> std::string {
    try {
      Numbers numbers;
      set_options(numbers, json);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message_of(R"({"wide": -9223372036854775808, "narrow": 255})"), "");
  EXPECT_EQ(message_of(R"({"narrow": 256})"), "option 'narrow' must be a whole number from 0 to 255");
  EXPECT_EQ(message_of(R"({"narrow": -1})"), "option 'narrow' must be a whole number from 0 to 255");
  EXPECT_EQ(message_of(R"({"narrow": 1.5})"), "option 'narrow' must be a whole number");
  EXPECT_EQ(message_of(R"({"wide": 9223372036854775808})"),
            "option 'wide' must be a whole number from -9223372036854775808 to 9223372036854775807");
}

TEST(Options, TakeSizesOfDownloads) {
  const auto target_of = [](std::string_view json) {
    Numbers numbers;
    set_options(numbers, json);
    return numbers.download;
  };
  EXPECT_EQ(target_of(R"({"download": "15MB:gzip"})"), (DownloadTarget{15000000, Compressor::kGzip}));
  EXPECT_EQ(target_of(R"({"download": 5000})"), (DownloadTarget{5000, Compressor::kBrotli}));
  for (const char* json : {R"({"download": "15MB:zip"})", R"({"download": "much"})", R"({"download": -1})"})
    EXPECT_THROW(target_of(json), Error) << json;
}

TEST(Api, SaysWhichSettingIsWrong) {
  Model model = load_model(onnx_bytes());
  ShrinkOptions options;
  options.only = {"everything"};
  try {
    shrink(model, options);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no method 'everything'");
  }
  EXPECT_THROW(load_model(Bytes::owned("no model")), Error);
  EXPECT_THROW(load_model(Bytes()), Error);
}

}  // namespace
}  // namespace onnxpress
