// Stacks of plain convolutions: AlexNet (BVLC, in two groups), VGG19, and the VGG13 of Emotion FERPlus.
#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

constexpr std::int64_t kPool = 0;  // in a list of channels: halve the picture

// 3x3 convolutions with the given channels.
Picture stack(Net& net, Picture x, std::initializer_list<std::int64_t> plan) {
  for (const std::int64_t channels : plan)
    x = channels == kPool ? net.max_pool(x, 2, 2) : net.act(net.conv(x, channels, 3), "Relu");
  return x;
}

// Two hidden layers and the result.
void classify(Net& net, Picture x, std::int64_t inner, std::int64_t classes) {
  x = net.act(net.gemm(x, inner), "Relu");
  x = net.act(net.gemm(x, inner), "Relu");
  net.output(net.gemm(x, classes), "output", {{classes}});
}

}  // namespace

void build_alexnet(Net& net) {
  const auto pooled = [&](Picture x) { return net.max_pool(x, 3, 2); };
  Picture x = net.act(net.conv(net.input(3, 224, 224), 96, 11, {.stride = 4, .padding = 0}), "Relu");
  x = pooled(net.lrn(x));
  x = pooled(net.lrn(net.act(net.conv(x, 256, 5, {.group = 2}), "Relu")));
  x = net.act(net.conv(x, 384, 3), "Relu");
  x = net.act(net.conv(x, 384, 3, {.group = 2}), "Relu");
  x = net.act(net.conv(x, 256, 3, {.group = 2}), "Relu");
  x = net.max_pool(x, 3, 2, 0, /*ceil=*/true);  // the layers after it need 6 x 6
  classify(net, net.flatten(x, 256 * 6 * 6), 4096, 1000);
}

void build_vgg19(Net& net) {
  const Picture x = stack(net, net.input(3, 224, 224), {64,  64,  kPool, 128, 128,   kPool, 256, 256, 256, 256,  kPool,
                                                        512, 512, 512,   512, kPool, 512,   512, 512, 512, kPool});
  classify(net, net.flatten(x, 512 * 7 * 7), 4096, 1000);
}

void build_ferplus(Net& net) {
  const Picture x =
      stack(net, net.input(1, 64, 64), {64, 64, kPool, 128, 128, kPool, 256, 256, 256, kPool, 256, 256, 256, kPool});
  classify(net, net.flatten(x, 256 * 4 * 4), 1024, 8);
}

}  // namespace onnxpress
