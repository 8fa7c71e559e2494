// Real-ESRGAN (x4): 23 dense residual blocks, then two upsamplings by 2.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

constexpr std::int64_t kWidth = 64, kGrowth = 32;

Picture leaky(Net& net, Picture x) { return net.act(x, "LeakyRelu"); }

// Each convolution sees the results of all before it.
Picture dense_block(Net& net, Picture x) {
  std::vector<Picture> seen = {x};
  for (int i = 0; i < 4; ++i) seen.push_back(leaky(net, net.conv(i == 0 ? x : net.concat(seen), kGrowth, 3)));
  return net.add(net.times(net.conv(net.concat(seen), kWidth, 3), 0.2), x);
}

}  // namespace

void build_realesrgan(Net& net) {
  constexpr int kBlocks = 23;
  const Picture first = net.conv(net.input(3, 64, 64), kWidth, 3);
  Picture x = first;
  for (int i = 0; i < kBlocks; ++i) {
    Picture y = x;
    for (int k = 0; k < 3; ++k) {
      const auto scope = net.in(fmt::format("body.{}.rdb{}", i, k + 1));
      y = dense_block(net, y);
    }
    x = net.add(net.times(y, 0.2), x);
  }
  x = net.add(net.conv(x, kWidth, 3), first);
  for (int i = 0; i < 2; ++i) x = leaky(net, net.conv(net.upsample(x, 2), kWidth, 3));
  net.output(net.conv(leaky(net, net.conv(x, kWidth, 3)), 3, 3), "output", {{3, 256, 256}});
}

}  // namespace onnxpress
