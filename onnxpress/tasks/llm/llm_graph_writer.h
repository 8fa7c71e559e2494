// Writes the steps of a language model as nodes; llm_graph() uses it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnxpress/tasks/generate/generate_builder.h"
#include "onnxpress/tasks/llm/llm_graph.h"

namespace onnxpress {

class LlmGraphWriter : public LlmOps {
 public:
  LlmGraphWriter(ModelBuilder& builder, const LlmCall& call, const LlmGraphOptions& options)
      : b_(builder), call_(call), options_(options) {}

  void enter(LlmPart part, const std::string& scope) override;
  Flow tokens(const std::string& input, std::uint64_t count) override;
  Flow lookup(Flow ids, const std::string& table, std::int64_t count, std::int64_t width) override;
  Flow add_table(Flow x, const std::string& name, std::int64_t count) override;
  Flow sound(std::int64_t channels, std::uint64_t steps) override;
  Flow convolve(Flow x, const std::string& name, std::int64_t channels, std::int64_t stride) override;
  Flow to_tokens(Flow x) override;
  Flow linear(Flow x, const std::string& name, std::int64_t out, bool bias) override;
  Flow tied_linear(Flow x, const std::string& table, std::int64_t count) override;
  Flow head_linear(Flow x, const std::string& name, std::int64_t heads, std::int64_t out) override;
  Flow norm(Flow x, const std::string& name, LlmNorm kind, std::int64_t heads) override;
  Flow activate(Flow x, std::string_view kind) override;
  Flow add(Flow a, Flow b) override;
  Flow multiply(Flow a, Flow b) override;
  Flow last_token(Flow x) override;
  Flow first_token(Flow x) override;
  Flow rotary(Flow x, std::int64_t heads, std::int64_t rotary_dim) override;
  Flow relative_bias(const std::string& name, std::int64_t buckets, std::int64_t heads) override;
  Flow linear_bias(std::int64_t heads) override;
  Flow slice(Flow x, std::int64_t heads, std::int64_t begin, std::int64_t width) override;
  Flow join(Flow a, Flow b, std::int64_t heads, std::int64_t b_heads) override;
  Flow cached(Flow x, const std::string& name) override;
  Flow cross_input(const std::string& name, std::int64_t width) override;
  Flow attention(const LlmAttention& call) override;
  Flow experts(Flow x, const LlmExperts& call) override;
  void output(Flow x, const std::string& name) override;

 private:
  static Flow flow(Value* value, std::int64_t width) {
    return {.value = value, .rows = 0, .width = static_cast<std::uint64_t>(width)};
  }
  static std::int64_t width_of(Flow x) { return static_cast<std::int64_t>(x.width); }

  Value* node(std::string_view op, std::string_view name, std::initializer_list<Value*> inputs,
              std::initializer_list<Attribute*> attributes = {});
  Value* weight(const std::string& name, std::initializer_list<std::int64_t> dims);
  Value* input(const std::string& name, ElementType type, std::initializer_list<Dim> dims);
  Value* constant(const std::string& name, double value);
  Value* index(const std::string& name, std::int64_t value);
  Value* reshape(Value* x, std::initializer_list<std::int64_t> dims);
  Attribute* number(std::string_view name, std::int64_t value);

  Flow one_node_attention(const LlmAttention& call, double scale);
  Flow plain_attention(const LlmAttention& call, double scale);
  // Keys or values as [batch, heads, tokens, width], appended to those of the cache.
  Value* by_heads(Flow x, std::int64_t heads, const LlmAttention& call, const char* what);
  Value* causal_mask(Value* queries, Value* keys);
  Value* past(const std::string& name, std::int64_t heads, std::int64_t width);
  void keep(Value* value, const Type* type) { caches_.emplace_back(value, type); }
  const Type* cache_type(std::int64_t heads, std::int64_t width);
  std::vector<Value*> angles(std::int64_t rotary_dim);

  ModelBuilder& b_;
  const LlmCall call_;
  const LlmGraphOptions options_;
  std::string scope_;
  Dim sequence_;
  std::unordered_map<std::string, std::uint64_t> names_;
  std::unordered_map<std::string, Value*> weights_, inputs_;
  std::vector<std::pair<Value*, const Type*>> caches_;
  Value* mask_ = nullptr;
};

}  // namespace onnxpress
