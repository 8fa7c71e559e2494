// Residual networks: ResNet-18 and 50, networks built on them (FCN, SSD), and IR-100 for faces.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

struct ResNetStage {
  std::int64_t blocks, channels, stride, dilation = 1;
};

struct Residual {
  bool bottleneck = true;
  bool stride_in_first = false;  // version 1: the stride is in the 1x1 convolution; later versions: in the 3x3
};

Picture block(Net& net, Picture x, const ResNetStage& stage, std::int64_t stride, const Residual& kind) {
  const std::int64_t out = kind.bottleneck ? 4 * stage.channels : stage.channels;
  const Picture side = stride != 1 || x.channels != out ? net.unit(x, out, 1, {.stride = stride}, "") : x;
  Picture y;
  if (kind.bottleneck) {
    const std::int64_t first = kind.stride_in_first ? stride : 1, second = kind.stride_in_first ? 1 : stride;
    y = net.unit(x, stage.channels, 1, {.stride = first}, "Relu");
    y = net.unit(y, stage.channels, 3, {.stride = second, .dilation = stage.dilation}, "Relu");
    y = net.unit(y, out, 1, {}, "");
  } else {
    y = net.unit(net.unit(x, out, 3, {.stride = stride}, "Relu"), out, 3, {}, "");
  }
  return net.act(net.add(y, side), "Relu");
}

Picture run_stage(Net& net, Picture x, const std::string& name, const ResNetStage& stage, const Residual& kind) {
  for (std::int64_t i = 0; i < stage.blocks; ++i) {
    const auto scope = net.in(fmt::format("{}.{}", name, i));
    x = block(net, x, stage, i == 0 ? stage.stride : 1, kind);
  }
  return x;
}

Picture stem(Net& net, Picture x) { return net.max_pool(net.unit(x, 64, 7, {.stride = 2}, "Relu"), 3, 2, 1); }

void classifier(Net& net, std::initializer_list<ResNetStage> stages, const Residual& kind) {
  Picture x = stem(net, net.input(3, 224, 224));
  int number = 0;
  for (const ResNetStage& stage : stages) x = run_stage(net, x, fmt::format("layer{}", ++number), stage, kind);
  net.output(net.gemm(net.flatten(net.global_pool(x), x.channels), 1000), "output", {{1000}});
}

// A head of FCN: classes at the size of the features, then resized to that of the image.
Picture segments(Net& net, Picture x, std::int64_t inner, const char* name) {
  const auto scope = net.in(name);
  x = net.conv(net.unit(x, inner, 3, {}, "Relu"), 21, 1);
  return net.upsample(x, 8, "linear");
}

}  // namespace

void build_resnet18(Net& net) {
  classifier(net, {{2, 64, 1}, {2, 128, 2}, {2, 256, 2}, {2, 512, 2}}, {.bottleneck = false});
}
void build_resnet50_v1(Net& net) {
  classifier(net, {{3, 64, 1}, {4, 128, 2}, {6, 256, 2}, {3, 512, 2}}, {.stride_in_first = true});
}
void build_resnet50(Net& net) { classifier(net, {{3, 64, 1}, {4, 128, 2}, {6, 256, 2}, {3, 512, 2}}, {}); }

void build_fcn_resnet50(Net& net) {
  Picture x = stem(net, net.input(3, 256, 256));
  x = run_stage(net, x, "layer1", {3, 64, 1}, {});
  x = run_stage(net, x, "layer2", {4, 128, 2}, {});
  const Picture middle = run_stage(net, x, "layer3", {6, 256, 1, 2}, {});
  x = run_stage(net, middle, "layer4", {3, 512, 1, 4}, {});
  net.output(segments(net, x, 512, "classifier"), "out", {{21, 256, 256}});
  net.output(segments(net, middle, 256, "aux_classifier"), "aux", {{21, 256, 256}});
}

// MLPerf's SSD for images of 1200 x 1200: the third stage keeps its size, and heads have a stride of 3.
void build_ssd_resnet34(Net& net) {
  constexpr std::int64_t kClasses = 81;
  struct Extra {
    std::int64_t inner, out, stride, padding;
  };
  constexpr Extra kExtras[] = {
      {256, 512, 2, 1}, {256, 512, 2, 1}, {128, 256, 2, 1}, {128, 256, 2, 0}, {128, 256, 1, 0}};
  constexpr std::int64_t kBoxes[] = {4, 6, 6, 6, 4, 4};
  const Residual plain{.bottleneck = false};
  Picture x = stem(net, net.input(3, 1200, 1200));
  x = run_stage(net, x, "layer1", {3, 64, 1}, plain);
  x = run_stage(net, x, "layer2", {4, 128, 2}, plain);
  x = run_stage(net, x, "layer3", {6, 256, 1}, plain);
  std::vector<Picture> places, scores;
  for (std::size_t i = 0; i < std::size(kBoxes); ++i) {
    const auto scope = net.in(fmt::format("feature{}", i));
    if (i > 0) {
      const Extra& extra = kExtras[i - 1];
      x = net.act(net.conv(x, extra.inner, 1), "Relu");
      x = net.act(net.conv(x, extra.out, 3, {.stride = extra.stride, .padding = extra.padding}), "Relu");
    }
    places.push_back(net.reshape(net.conv(x, 4 * kBoxes[i], 3, {.stride = 3}), {0, 4, -1}, 4));
    scores.push_back(net.reshape(net.conv(x, kClasses * kBoxes[i], 3, {.stride = 3}), {0, kClasses, -1}, kClasses));
  }
  constexpr std::int64_t kAll = 15'130;  // 4*50*50 + 6*(25*25 + 13*13 + 7*7) + 4*(3*3 + 3*3)
  net.output(net.concat(places, 2), "boxes", {{4, kAll}});
  net.output(net.concat(scores, 2), "scores", {{kClasses, kAll}});
}

// LResNet100E-IR: normalization first, PReLU, no activation after the sum.
void build_ir100(Net& net) {
  constexpr ResNetStage kStages[] = {{3, 64, 2}, {13, 128, 2}, {30, 256, 2}, {3, 512, 2}};
  Picture x = net.prelu(net.unit(net.input(3, 112, 112), 64, 3, {}, ""));
  for (std::size_t i = 0; i < std::size(kStages); ++i) {
    for (std::int64_t k = 0; k < kStages[i].blocks; ++k) {
      const auto scope = net.in(fmt::format("stage{}.{}", i + 1, k));
      const std::int64_t stride = k == 0 ? 2 : 1, out = kStages[i].channels;
      const Picture side = k == 0 ? net.unit(x, out, 1, {.stride = stride}, "") : x;
      Picture y = net.prelu(net.unit(net.batch_norm(x), out, 3, {}, ""));
      y = net.unit(y, out, 3, {.stride = stride}, "");
      x = net.add(y, side);
    }
  }
  x = net.gemm(net.flatten(net.batch_norm(x), 512 * 7 * 7), 512);
  net.output(net.batch_norm(x), "embedding", {{512}});
}

}  // namespace onnxpress
