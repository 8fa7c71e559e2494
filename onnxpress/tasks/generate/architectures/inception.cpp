// Networks with parallel paths that are concatenated: GoogLeNet (BVLC) and SqueezeNet.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

// Channels of the four paths: 1x1; 1x1 then 3x3; 1x1 then 5x5; pooled then 1x1.
struct Inception {
  const char* name;
  std::int64_t one, reduce3, three, reduce5, five, pooled;
};
constexpr Inception kInceptions[] = {
    {"3a", 64, 96, 128, 16, 32, 32},     {"3b", 128, 128, 192, 32, 96, 64},   {"4a", 192, 96, 208, 16, 48, 64},
    {"4b", 160, 112, 224, 24, 64, 64},   {"4c", 128, 128, 256, 24, 64, 64},   {"4d", 112, 144, 288, 32, 64, 64},
    {"4e", 256, 160, 320, 32, 128, 128}, {"5a", 256, 160, 320, 32, 128, 128}, {"5b", 384, 192, 384, 48, 128, 128}};

Picture active_conv(Net& net, Picture x, std::int64_t out, std::int64_t kernel, ConvOptions options = {}) {
  return net.act(net.conv(x, out, kernel, options), "Relu");
}

Picture halved(Net& net, Picture x) { return net.max_pool(x, 3, 2, 0, /*ceil=*/true); }

void build_googlenet_for(Net& net, std::int64_t classes) {
  Picture x = halved(net, active_conv(net, net.input(3, 224, 224), 64, 7, {.stride = 2}));
  x = active_conv(net, active_conv(net, net.lrn(x), 64, 1), 192, 3);
  x = halved(net, net.lrn(x));
  for (const Inception& each : kInceptions) {
    const auto scope = net.in(fmt::format("inception_{}", each.name));
    if (std::string_view(each.name) == "4a" || std::string_view(each.name) == "5a") x = halved(net, x);
    x = net.concat({active_conv(net, x, each.one, 1),
                    active_conv(net, active_conv(net, x, each.reduce3, 1), each.three, 3),
                    active_conv(net, active_conv(net, x, each.reduce5, 1), each.five, 5),
                    active_conv(net, net.max_pool(x, 3, 1, 1), each.pooled, 1)});
  }
  x = net.flatten(net.average_pool(x, 7, 1), x.channels);
  net.output(net.softmax(net.gemm(x, classes)), "output", {{classes}});
}

// `squeeze` channels become two times `expand`.
struct Fire {
  std::int64_t squeeze, expand;
};
constexpr Fire kFires[] = {{16, 64}, {16, 64}, {32, 128}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {64, 256}};

// Pictures are halved before the fires with these numbers.
void build_squeezenet(Net& net, Picture x, std::initializer_list<std::int64_t> pooled) {
  for (std::int64_t i = 0; i < std::ssize(kFires); ++i) {
    const auto scope = net.in(fmt::format("fire{}", i + 2));
    if (std::find(pooled.begin(), pooled.end(), i + 2) != pooled.end()) x = halved(net, x);
    const Picture small = active_conv(net, x, kFires[i].squeeze, 1);
    x = net.concat({active_conv(net, small, kFires[i].expand, 1), active_conv(net, small, kFires[i].expand, 3)});
  }
  x = net.global_pool(active_conv(net, x, 1000, 1));
  net.output(net.softmax(net.flatten(x, 1000)), "output", {{1000}});
}

}  // namespace

void build_googlenet(Net& net) { build_googlenet_for(net, 1000); }
void build_googlenet_age(Net& net) { build_googlenet_for(net, 8); }

void build_squeezenet_1_0(Net& net) {
  build_squeezenet(net, active_conv(net, net.input(3, 224, 224), 96, 7, {.stride = 2, .padding = 0}), {2, 5, 9});
}

void build_squeezenet_1_1(Net& net) {
  build_squeezenet(net, active_conv(net, net.input(3, 224, 224), 64, 3, {.stride = 2, .padding = 0}), {2, 4, 6});
}

}  // namespace onnxpress
