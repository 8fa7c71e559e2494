// The building blocks of architectures: layers that know the channels of their operand and name their own weights.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "onnxpress/tasks/generate/generate_builder.h"

namespace onnxpress {

// An image, [batch, channels, height, width], or rows, [batch, ..., channels].
struct Picture {
  Value* value = nullptr;
  std::int64_t channels = 0;
};

// Options of a convolution besides its channels and kernel size.
struct ConvOptions {
  std::int64_t stride = 1;
  std::int64_t padding = -1;  // -1: enough to keep the size at stride 1
  std::int64_t group = 1, dilation = 1;
  bool bias = true;
};

class Net {
 public:
  explicit Net(ModelBuilder& builder) : b_(builder) {}
  ModelBuilder& builder() { return b_; }

  // While a Scope exists, new names begin with its name and a dot.
  class Scope {
   public:
    Scope(Net& net, std::string_view name);
    ~Scope() { net_.path_.resize(before_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Net& net_;
    std::size_t before_;
  };
  [[nodiscard]] Scope in(std::string_view name) { return Scope(*this, name); }

  Picture input(std::int64_t channels, std::int64_t height, std::int64_t width, std::string_view name = "input");
  Picture rows_input(std::string_view name, std::int64_t rows, std::int64_t width);
  Value* ids_input(std::string_view name, std::int64_t count);
  void output(Picture x, std::string_view name, std::span<const std::int64_t> dims_behind_batch);

  // --- Layers with weights
  Picture conv(Picture x, std::int64_t out, std::int64_t kernel, ConvOptions options = {});
  Picture conv_transpose(Picture x, std::int64_t out, std::int64_t kernel, std::int64_t stride);
  Picture batch_norm(Picture x);
  Picture layer_norm(Picture x);  // over the last axis
  Picture group_norm(Picture x, std::int64_t groups);
  Picture prelu(Picture x);
  Picture linear(Picture x, std::int64_t out, bool bias = true);  // rows times a matrix
  Picture gemm(Picture x, std::int64_t out);                      // the same for [batch, width]
  Picture scaled(Picture x);                                      // times a weight per channel of rows
  Picture weight_added(Picture x, std::initializer_list<std::int64_t> dims);
  Picture lookup(Value* ids, std::int64_t count, std::int64_t width);
  // A convolution without bias, its normalization, and an activation ("" for none).
  Picture unit(Picture x, std::int64_t out, std::int64_t kernel, ConvOptions options, std::string_view activation);

  // --- Layers without weights
  Picture act(Picture x, std::string_view op);  // an op, or Silu, Relu6, Mish, QuickGelu, LeakyRelu
  Picture max_pool(Picture x, std::int64_t kernel, std::int64_t stride, std::int64_t padding = 0, bool ceil = false);
  Picture average_pool(Picture x, std::int64_t kernel, std::int64_t stride, std::int64_t padding = 0);
  Picture global_pool(Picture x);
  Picture flatten(Picture x, std::int64_t width);
  Picture lrn(Picture x);
  Picture add(Picture a, Picture b);
  Picture multiply(Picture a, Picture b);
  Picture concat(std::span<const Picture> parts, std::int64_t axis = 1);
  Picture concat(std::initializer_list<Picture> parts, std::int64_t axis = 1) {
    return concat(std::span(parts.begin(), parts.size()), axis);
  }
  std::vector<Picture> split(Picture x, std::int64_t parts, std::int64_t axis);
  Picture upsample(Picture x, std::int64_t factor, std::string_view mode = "nearest");
  Picture times(Picture x, double factor);
  Picture softmax(Picture x, std::int64_t axis = -1);
  Picture reshape(Picture x, std::initializer_list<std::int64_t> dims, std::int64_t channels);
  Picture transpose(Picture x, std::initializer_list<std::int64_t> order);
  Picture matmul(Picture a, Picture b, std::int64_t channels);
  Picture roll(Picture x, std::int64_t by, std::int64_t axis);
  // softmax(q k^T / sqrt(width of a head)) v over rows, with a bias on the scores where there is one.
  Picture attention(Picture q, Picture k, Picture v, std::int64_t heads, Value* bias = nullptr);

  Picture node(std::string_view op, std::span<Value* const> inputs, std::span<Attribute* const> attributes,
               std::int64_t channels);
  Picture node(std::string_view op, std::initializer_list<Value*> inputs, std::initializer_list<Attribute*> attributes,
               std::int64_t channels) {
    return node(op, std::span(inputs.begin(), inputs.size()), std::span(attributes.begin(), attributes.size()),
                channels);
  }
  Value* weight(std::string_view name, std::initializer_list<std::int64_t> dims);
  Value* scalar(double value);

 private:
  // "layer1.0.conv2": the second convolution of that scope.
  std::string next(std::string_view kind);

  ModelBuilder& b_;
  std::string path_;
  std::unordered_map<std::string, std::uint64_t> counts_;
  std::unordered_map<double, Value*> scalars_;
};

}  // namespace onnxpress
