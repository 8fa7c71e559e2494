// Small networks of depthwise convolutions: MobileNetV2, ShuffleNetV2, EfficientNet-Lite4.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

struct Stage {
  std::int64_t expand, channels, blocks, stride, kernel = 3;
};

// An inverted residual block: expand, depthwise convolution, project; a shortcut where shapes agree.
Picture inverted(Net& net, Picture x, const Stage& stage, std::int64_t stride) {
  Picture y = x;
  if (stage.expand != 1) y = net.unit(y, x.channels * stage.expand, 1, {}, "Relu6");
  y = net.unit(y, y.channels, stage.kernel, {.stride = stride, .group = y.channels}, "Relu6");
  y = net.unit(y, stage.channels, 1, {}, "");
  return stride == 1 && x.channels == stage.channels ? net.add(y, x) : y;
}

void build_inverted(Net& net, std::span<const Stage> stages) {
  Picture x = net.unit(net.input(3, 224, 224), 32, 3, {.stride = 2}, "Relu6");
  int number = 0;
  for (const Stage& stage : stages) {
    for (std::int64_t i = 0; i < stage.blocks; ++i) {
      const auto scope = net.in(fmt::format("features.{}", ++number));
      x = inverted(net, x, stage, i == 0 ? stage.stride : 1);
    }
  }
  x = net.unit(x, 1280, 1, {}, "Relu6");
  net.output(net.gemm(net.flatten(net.global_pool(x), 1280), 1000), "output", {{1000}});
}

// Shuffles channels, so that neighbouring ones come from different halves.
Picture shuffled(Net& net, Picture x, std::int64_t side) {
  const std::int64_t half = x.channels / 2;
  const Picture pairs = net.transpose(net.reshape(x, {0, 2, half, side, side}, x.channels), {0, 2, 1, 3, 4});
  return net.reshape(pairs, {0, x.channels, side, side}, x.channels);
}

Picture shuffle_branch(Net& net, Picture x, std::int64_t out, std::int64_t stride) {
  const Picture y = net.unit(x, out, 1, {}, "Relu");
  return net.unit(net.unit(y, out, 3, {.stride = stride, .group = out}, ""), out, 1, {}, "Relu");
}

}  // namespace

void build_mobilenet_v2(Net& net) {
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  build_inverted(net, kStages);
}

// Widths are those of B0 times 1.4, depths times 1.8; the first and the last stage, stem and head are not scaled.
void build_efficientnet_lite4(Net& net) {
  constexpr Stage kStages[] = {{1, 24, 1, 1, 3},  {6, 32, 4, 2, 3},  {6, 56, 4, 2, 5}, {6, 112, 6, 2, 3},
                               {6, 160, 6, 1, 5}, {6, 272, 8, 2, 5}, {6, 448, 1, 1, 3}};
  build_inverted(net, kStages);
}

void build_shufflenet_v2(Net& net) {
  struct Group {
    std::int64_t blocks, channels, side;
  };
  constexpr Group kGroups[] = {{4, 116, 28}, {8, 232, 14}, {4, 464, 7}};
  Picture x = net.max_pool(net.unit(net.input(3, 224, 224), 24, 3, {.stride = 2}, "Relu"), 3, 2, 1);
  for (std::size_t i = 0; i < std::size(kGroups); ++i) {
    const std::int64_t half = kGroups[i].channels / 2;
    for (std::int64_t k = 0; k < kGroups[i].blocks; ++k) {
      const auto scope = net.in(fmt::format("stage{}.{}", i + 2, k));
      if (k == 0) {
        const Picture side =
            net.unit(net.unit(x, x.channels, 3, {.stride = 2, .group = x.channels}, ""), half, 1, {}, "Relu");
        x = net.concat({side, shuffle_branch(net, x, half, 2)});
      } else {
        const std::vector<Picture> halves = net.split(x, 2, 1);
        x = net.concat({halves[0], shuffle_branch(net, halves[1], half, 1)});
      }
      x = shuffled(net, x, kGroups[i].side);
    }
  }
  x = net.unit(x, 1024, 1, {}, "Relu");
  net.output(net.gemm(net.flatten(net.global_pool(x), 1024), 1000), "output", {{1000}});
}

}  // namespace onnxpress
