// The table of architectures.
#include "onnxpress/tasks/generate/architectures/architecture.h"

#include <fmt/format.h>

#include "onnxpress/base/error.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/tasks/generate/architectures/net.h"
#include "onnxpress/tasks/generate/generate_builder.h"
#include "onnxpress/tasks/llm/llm_graph.h"

namespace onnxpress {

namespace {

constexpr std::uint64_t kOldestOpset = 20;

struct NetRow {
  ArchitectureRow row;
  void (*build)(Net&);
};

constexpr NetRow kNets[] = {
    {{"alexnet", "AlexNet (BVLC), 224"}, build_alexnet},
    {{"vgg19", "VGG19, 224"}, build_vgg19},
    {{"googlenet", "GoogLeNet (BVLC), 224"}, build_googlenet},
    {{"googlenet-age", "GoogLeNet for 8 age groups, 224"}, build_googlenet_age},
    {{"squeezenet-1.0", "SqueezeNet 1.0, 224"}, build_squeezenet_1_0},
    {{"squeezenet-1.1", "SqueezeNet 1.1, 224"}, build_squeezenet_1_1},
    {{"resnet18", "ResNet-18, 224"}, build_resnet18},
    {{"resnet50-v1", "ResNet-50, strides in the 1x1 convolutions"}, build_resnet50_v1},
    {{"resnet50", "ResNet-50 v1.5, strides in the 3x3 convolutions"}, build_resnet50},
    {{"mobilenet-v2", "MobileNetV2, 224"}, build_mobilenet_v2},
    {{"shufflenet-v2", "ShuffleNetV2 x1.0, 224"}, build_shufflenet_v2},
    {{"efficientnet-lite4", "EfficientNet-Lite4, 224"}, build_efficientnet_lite4},
    {{"convnext-large", "ConvNeXt-L, 224"}, build_convnext_large},
    {{"swin-tiny", "Swin-T, 224"}, build_swin_tiny},
    {{"fcn-resnet50", "FCN on ResNet-50, 256"}, build_fcn_resnet50},
    {{"ssd-resnet34", "MLPerf's SSD on ResNet-34, 1200"}, build_ssd_resnet34},
    {{"ir100", "LResNet100E-IR (ArcFace), 112"}, build_ir100},
    {{"ferplus", "Emotion FERPlus (VGG13), 64"}, build_ferplus},
    {{"realesrgan-x4", "Real-ESRGAN x4, 64"}, build_realesrgan},
    {{"yolov4", "YOLOv4, 416"}, build_yolov4},
    {{"bidaf", "BiDAF, question answering with LSTMs"}, build_bidaf},
    {{"sd-text-encoder", "Stable Diffusion 1.5: text encoder (CLIP ViT-L/14)"}, build_sd_text_encoder},
    {{"sd-unet", "Stable Diffusion 1.5: UNet, latents of 64"}, build_sd_unet},
    {{"sd-vae-encoder", "Stable Diffusion 1.5: VAE encoder, 512"}, build_sd_vae_encoder},
    {{"sd-vae-decoder", "Stable Diffusion 1.5: VAE decoder, latents of 64"}, build_sd_vae_decoder},
};

// Language models, as `llm` describes them, with every position's logits, spelled out in plain operators.
struct TextRow {
  ArchitectureRow row;
  std::string_view model;   // of known_llms()
  std::string_view config;  // instead of it
  std::int64_t layers;      // 0: all
};

constexpr TextRow kTexts[] = {
    {{"bert-base", "BERT base"}, "bert-base-uncased", "", 0},
    {{"roberta-base", "RoBERTa base"}, "roberta-base", "", 0},
    {{"gpt2", "GPT-2 with its head"}, "gpt2", "", 0},
    {{"t5-base", "T5 base, encoder and decoder"}, "t5-base", "", 0},
    {{"gptj-layer", "GPT-J 6B with one layer"}, "gpt-j-6b", "", 1},
    {{"llama-layer", "LLaMA 7B with one layer"}, "llama-2-7b", "", 1},
    {{"mpt-layer", "MPT of width 2048 with one layer"},
     "",
     R"({"model_type":"mpt","d_model":2048,"n_layers":1,"n_heads":16,"vocab_size":50368})",
     1},
};

Model build_text(const TextRow& text, const GenerateOptions& options) {
  LlmConfig config = text.config.empty() ? load_llm_config(std::string(text.model))
                                         : parse_llm_config(text.config, std::string(text.row.name));
  if (text.layers > 0) config.layers = text.layers;
  return llm_graph(config, {.all_logits = true}, {options.type, options.opset, fill_of(options), options.seed});
}

}  // namespace

std::span<const ArchitectureRow> architectures() {
  static const std::vector<ArchitectureRow> kRows = [] {
    std::vector<ArchitectureRow> rows;
    for (const NetRow& each : kNets) rows.push_back(each.row);
    for (const TextRow& each : kTexts) rows.push_back(each.row);
    return rows;
  }();
  return kRows;
}

Model build_architecture(const GenerateOptions& options) {
  if (options.opset < kOldestOpset)
    throw OptionError(fmt::format("option `opset` is {}", options.opset),
                      fmt::format("architectures need {} or later", kOldestOpset));
  for (const TextRow& each : kTexts) {
    if (each.row.name == options.architecture) return build_text(each, options);
  }
  for (const NetRow& each : kNets) {
    if (each.row.name != options.architecture) continue;
    Model model = empty_model(options, options.architecture);
    ModelBuilder builder(model, options);
    Net net(builder);
    each.build(net);
    return model;
  }
  throw OptionError(fmt::format("there is no architecture '{}'", options.architecture));
}

}  // namespace onnxpress
