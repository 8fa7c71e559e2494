// Stable Diffusion 1.5: text encoder, UNet, and both halves of the autoencoder.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

constexpr std::int64_t kTokens = 77, kTextWidth = 768, kGroups = 32;

Picture active_norm(Net& net, Picture x) { return net.act(net.group_norm(x, kGroups), "Silu"); }

// Two convolutions with a shortcut; `time`, if any, is added between them.
Picture residual(Net& net, Picture x, std::int64_t out, Picture time = {}) {
  Picture y = net.conv(active_norm(net, x), out, 3);
  if (time.value) {
    const Picture shift = net.gemm(net.act(time, "Silu"), out);
    y = net.add(y, net.reshape(shift, {0, out, 1, 1}, out));
  }
  y = net.conv(active_norm(net, y), out, 3);
  return net.add(y, x.channels == out ? x : net.conv(x, out, 1));
}

Picture to_rows(Net& net, Picture x) {
  return net.transpose(net.reshape(x, {0, x.channels, -1}, x.channels), {0, 2, 1});
}
Picture to_picture(Net& net, Picture x, std::int64_t side) {
  return net.reshape(net.transpose(x, {0, 2, 1}), {0, x.channels, side, side}, x.channels);
}

// --- UNet

Picture attend(Net& net, Picture x, Picture to) {
  constexpr std::int64_t kHeads = 8;
  const Picture q = net.linear(x, x.channels, false), k = net.linear(to, x.channels, false),
                v = net.linear(to, x.channels, false);
  return net.linear(net.attention(q, k, v, kHeads), x.channels);
}

Picture transformer(Net& net, Picture x, Picture text, std::int64_t side) {
  const std::int64_t c = x.channels;
  Picture rows = to_rows(net, net.conv(net.group_norm(x, kGroups), c, 1));
  const Picture first = net.layer_norm(rows);
  rows = net.add(attend(net, first, first), rows);
  rows = net.add(attend(net, net.layer_norm(rows), text), rows);
  const std::vector<Picture> halves = net.split(net.linear(net.layer_norm(rows), 8 * c), 2, 2);
  rows = net.add(net.linear(net.multiply(halves[0], net.act(halves[1], "Gelu")), c), rows);
  return net.add(net.conv(to_picture(net, rows, side), c, 1), x);
}

// --- Autoencoder

Picture middle(Net& net, Picture x, std::int64_t side) {
  const auto scope = net.in("mid");
  x = residual(net, x, x.channels);
  const Picture rows = to_rows(net, net.group_norm(x, kGroups));
  const std::int64_t c = x.channels;
  const Picture mixed = net.attention(net.linear(rows, c), net.linear(rows, c), net.linear(rows, c), 1);
  x = net.add(to_picture(net, net.linear(mixed, c), side), x);
  return residual(net, x, c);
}

}  // namespace

void build_sd_text_encoder(Net& net) {
  constexpr std::int64_t kHeads = 12, kLayers = 12;
  Picture x = net.lookup(net.ids_input("input_ids", kTokens), 49408, kTextWidth);
  x = net.weight_added(x, {kTokens, kTextWidth});
  // Causal mask: a token sees only itself and those before it.
  const Picture ones = net.node("ConstantOfShape", {net.builder().shape({kTokens, kTokens})}, {}, kTokens);
  const Picture low = net.node("Sub", {ones.value, net.scalar(65504)}, {}, kTokens);
  Value* mask = net.node("Trilu", {low.value, net.builder().integer("one", 1)}, {}, kTokens).value;
  for (std::int64_t i = 0; i < kLayers; ++i) {
    const auto scope = net.in(fmt::format("layers.{}", i));
    const Picture y = net.layer_norm(x);
    const Picture q = net.linear(y, kTextWidth), k = net.linear(y, kTextWidth), v = net.linear(y, kTextWidth);
    x = net.add(x, net.linear(net.attention(q, k, v, kHeads, mask), kTextWidth));
    x = net.add(x, net.linear(net.act(net.linear(net.layer_norm(x), 4 * kTextWidth), "QuickGelu"), kTextWidth));
  }
  net.output(net.layer_norm(x), "last_hidden_state", {{kTokens, kTextWidth}});
}

void build_sd_unet(Net& net) {
  constexpr std::int64_t kWidths[] = {320, 640, 1280, 1280};
  std::int64_t side = 64;
  Picture x = net.conv(net.input(4, side, side, "sample"), kWidths[0], 3);
  const Dim time_dims[] = {net.builder().symbol("batch"), Dim::size(kWidths[0])};
  Picture time{net.builder().input("time", net.builder().type(time_dims)), kWidths[0]};
  const Picture text = net.rows_input("encoder_hidden_states", kTokens, kTextWidth);
  time = net.gemm(net.act(net.gemm(time, 1280), "Silu"), 1280);
  std::vector<Picture> skips = {x};
  for (std::size_t i = 0; i < 4; ++i) {
    for (int k = 0; k < 2; ++k) {
      const auto scope = net.in(fmt::format("down.{}.{}", i, k));
      x = residual(net, x, kWidths[i], time);
      if (i < 3) x = transformer(net, x, text, side);
      skips.push_back(x);
    }
    if (i == 3) break;
    x = net.conv(x, x.channels, 3, {.stride = 2});
    skips.push_back(x);
    side /= 2;
  }
  {
    const auto scope = net.in("mid");
    x = residual(net, transformer(net, residual(net, x, 1280, time), text, side), 1280, time);
  }
  for (std::size_t i = 4; i-- > 0;) {
    for (int k = 0; k < 3; ++k) {
      const auto scope = net.in(fmt::format("up.{}.{}", 3 - i, k));
      x = residual(net, net.concat({x, skips.back()}), kWidths[i], time);
      skips.pop_back();
      if (i < 3) x = transformer(net, x, text, side);
    }
    if (i == 0) break;
    x = net.conv(net.upsample(x, 2), x.channels, 3);
    side *= 2;
  }
  net.output(net.conv(active_norm(net, x), 4, 3), "out_sample", {{4, 64, 64}});
}

void build_sd_vae_encoder(Net& net) {
  constexpr std::int64_t kWidths[] = {128, 256, 512, 512};
  Picture x = net.conv(net.input(3, 512, 512, "sample"), 128, 3);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto scope = net.in(fmt::format("down.{}", i));
    for (int k = 0; k < 2; ++k) x = residual(net, x, kWidths[i]);
    if (i < 3) x = net.conv(x, x.channels, 3, {.stride = 2});
  }
  x = net.conv(active_norm(net, middle(net, x, 64)), 8, 3);
  net.output(net.conv(x, 8, 1), "latent_parameters", {{8, 64, 64}});
}

void build_sd_vae_decoder(Net& net) {
  constexpr std::int64_t kWidths[] = {512, 512, 256, 128};
  Picture x = net.conv(net.conv(net.input(4, 64, 64, "latent_sample"), 4, 1), 512, 3);
  x = middle(net, x, 64);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto scope = net.in(fmt::format("up.{}", i));
    for (int k = 0; k < 3; ++k) x = residual(net, x, kWidths[i]);
    if (i < 3) x = net.conv(net.upsample(x, 2), x.channels, 3);
  }
  net.output(net.conv(active_norm(net, x), 3, 3), "sample_out", {{3, 512, 512}});
}

}  // namespace onnxpress
