// ConvNeXt-L and Swin-T: images as rows of channels.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

Picture channels_last(Net& net, Picture x) { return net.transpose(x, {0, 2, 3, 1}); }
Picture channels_first(Net& net, Picture x) { return net.transpose(x, {0, 3, 1, 2}); }

// Normalization over the channels of an image.
Picture picture_norm(Net& net, Picture x) { return channels_first(net, net.layer_norm(channels_last(net, x))); }

Picture convnext_block(Net& net, Picture x) {
  Picture y = net.layer_norm(channels_last(net, net.conv(x, x.channels, 7, {.group = x.channels})));
  y = net.linear(net.act(net.linear(y, 4 * x.channels), "Gelu"), x.channels);
  return net.add(channels_first(net, net.scaled(y)), x);
}

constexpr std::int64_t kWindow = 7;

// Attention inside windows of 7 x 7, which are shifted by half a window in every second block.
Picture window_attention(Net& net, Picture x, std::int64_t side, std::int64_t heads, bool shifted) {
  const std::int64_t c = x.channels, across = side / kWindow, area = kWindow * kWindow;
  if (shifted) x = net.roll(net.roll(x, kWindow / 2, 1), kWindow / 2, 2);
  Picture y = net.reshape(x, {0, across, kWindow, across, kWindow, c}, c);
  y = net.reshape(net.transpose(y, {0, 1, 3, 2, 4, 5}), {-1, area, c}, c);
  const Picture qkv = net.linear(y, 3 * c);
  const std::vector<Picture> parts = net.split(qkv, 3, 2);
  // The table of (2 * 7 - 1)^2 relative places, gathered for each pair.
  std::vector<std::int64_t> pairs;
  for (std::int64_t a = 0; a < area; ++a) {
    for (std::int64_t b = 0; b < area; ++b)
      pairs.push_back((a / kWindow - b / kWindow + kWindow - 1) * (2 * kWindow - 1) + a % kWindow - b % kWindow +
                      kWindow - 1);
  }
  const std::int64_t places = (2 * kWindow - 1) * (2 * kWindow - 1);
  const Picture rows = net.lookup(net.builder().shape(pairs), places, heads);
  const Picture bias = net.transpose(net.reshape(rows, {area, area, heads}, heads), {2, 0, 1});
  y = net.linear(net.attention(parts[0], parts[1], parts[2], heads, bias.value), c);
  y = net.reshape(y, {-1, across, across, kWindow, kWindow, c}, c);
  y = net.reshape(net.transpose(y, {0, 1, 3, 2, 4, 5}), {-1, side, side, c}, c);
  if (shifted) y = net.roll(net.roll(y, -(kWindow / 2), 1), -(kWindow / 2), 2);
  return y;
}

// Merges four neighbouring positions into one with twice the channels.
Picture merged(Net& net, Picture x, std::int64_t side) {
  const std::int64_t c = x.channels, half = side / 2;
  Picture y = net.transpose(net.reshape(x, {0, half, 2, half, 2, c}, c), {0, 1, 3, 4, 2, 5});
  y = net.layer_norm(net.reshape(y, {0, half, half, 4 * c}, 4 * c));
  return net.linear(y, 2 * c, /*bias=*/false);
}

}  // namespace

void build_convnext_large(Net& net) {
  constexpr std::int64_t kBlocks[] = {3, 3, 27, 3}, kWidths[] = {192, 384, 768, 1536};
  Picture x = picture_norm(net, net.conv(net.input(3, 224, 224), kWidths[0], 4, {.stride = 4, .padding = 0}));
  for (std::size_t i = 0; i < std::size(kBlocks); ++i) {
    if (i > 0) {
      const auto scope = net.in(fmt::format("downsample{}", i));
      x = net.conv(picture_norm(net, x), kWidths[i], 2, {.stride = 2, .padding = 0});
    }
    for (std::int64_t k = 0; k < kBlocks[i]; ++k) {
      const auto scope = net.in(fmt::format("stage{}.{}", i, k));
      x = convnext_block(net, x);
    }
  }
  x = net.layer_norm(net.flatten(net.global_pool(x), x.channels));
  net.output(net.gemm(x, 1000), "output", {{1000}});
}

void build_swin_tiny(Net& net) {
  constexpr std::int64_t kBlocks[] = {2, 2, 6, 2};
  std::int64_t side = 56, heads = 3;
  Picture x = net.layer_norm(channels_last(net, net.conv(net.input(3, 224, 224), 96, 4, {.stride = 4, .padding = 0})));
  for (std::size_t i = 0; i < std::size(kBlocks); ++i) {
    for (std::int64_t k = 0; k < kBlocks[i]; ++k) {
      const auto scope = net.in(fmt::format("stage{}.{}", i, k));
      x = net.add(x, window_attention(net, net.layer_norm(x), side, heads, k % 2 == 1 && side > kWindow));
      const Picture inner = net.act(net.linear(net.layer_norm(x), 4 * x.channels), "Gelu");
      x = net.add(x, net.linear(inner, x.channels));
    }
    if (i + 1 == std::size(kBlocks)) break;
    const auto scope = net.in(fmt::format("merge{}", i));
    x = merged(net, x, side);
    side /= 2;
    heads *= 2;
  }
  x = net.global_pool(channels_first(net, net.layer_norm(x)));
  net.output(net.gemm(net.flatten(x, x.channels), 1000), "output", {{1000}});
}

}  // namespace onnxpress
