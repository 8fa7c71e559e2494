// YOLOv4: CSPDarknet53, spatial pyramid pooling, a path aggregation network, and three heads.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

Picture mish(Net& net, Picture x, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
  return net.unit(x, out, kernel, {.stride = stride}, "Mish");
}
Picture leaky(Net& net, Picture x, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
  return net.unit(x, out, kernel, {.stride = stride}, "LeakyRelu");
}

// Half the channels go through residual blocks, half around them; in the first stage, both paths have all channels.
Picture cross_stage(Net& net, Picture x, std::int64_t channels, std::int64_t blocks, bool first) {
  const auto scope = net.in(fmt::format("stage_{}", channels));
  const std::int64_t part = first ? channels : channels / 2;
  x = mish(net, x, channels, 3, 2);
  const Picture around = mish(net, x, part, 1);
  Picture y = mish(net, x, part, 1);
  for (std::int64_t i = 0; i < blocks; ++i)
    y = net.add(mish(net, mish(net, y, first ? channels / 2 : part, 1), part, 3), y);
  return mish(net, net.concat({mish(net, y, part, 1), around}), channels, 1);
}

// Five convolutions, alternately 1x1 and 3x3.
Picture five(Net& net, Picture x, std::int64_t channels) {
  for (int i = 0; i < 2; ++i) x = leaky(net, leaky(net, x, channels, 1), 2 * channels, 3);
  return leaky(net, x, channels, 1);
}

Picture raised(Net& net, Picture deep, Picture side, std::int64_t channels) {
  const Picture up = net.upsample(leaky(net, deep, channels, 1), 2);
  return five(net, net.concat({leaky(net, side, channels, 1), up}), channels);
}

void head(Net& net, Picture x, std::int64_t side, const char* name) {
  constexpr std::int64_t kOutputs = 3 * (5 + 80);
  net.output(net.conv(leaky(net, x, 2 * x.channels, 3), kOutputs, 1), name, {{kOutputs, side, side}});
}

}  // namespace

void build_yolov4(Net& net) {
  Picture x = cross_stage(net, mish(net, net.input(3, 416, 416), 32, 3), 64, 1, true);
  x = cross_stage(net, x, 128, 2, false);
  const Picture c3 = cross_stage(net, x, 256, 8, false);
  const Picture c4 = cross_stage(net, c3, 512, 8, false);
  x = cross_stage(net, c4, 1024, 4, false);
  const auto scope = net.in("neck");
  x = leaky(net, leaky(net, leaky(net, x, 512, 1), 1024, 3), 512, 1);
  x = net.concat({net.max_pool(x, 13, 1, 6), net.max_pool(x, 9, 1, 4), net.max_pool(x, 5, 1, 2), x});
  const Picture p5 = leaky(net, leaky(net, leaky(net, x, 512, 1), 1024, 3), 512, 1);
  const Picture p4 = raised(net, p5, c4, 256), p3 = raised(net, p4, c3, 128);
  head(net, p3, 52, "large");
  const Picture n4 = five(net, net.concat({leaky(net, p3, 256, 3, 2), p4}), 256);
  head(net, n4, 26, "medium");
  head(net, five(net, net.concat({leaky(net, n4, 512, 3, 2), p5}), 512), 13, "small");
}

}  // namespace onnxpress
