// BiDAF (bidirectional attention flow), which finds the answer to a question in a text, as in CNTK's example for SQuAD.
// Words and characters are given as numbers; the published file contains the tables that number them.
#include <fmt/format.h>

#include "onnxpress/tasks/generate/architectures/architecture.h"
#include "onnxpress/tasks/generate/architectures/net.h"

namespace onnxpress {

namespace {

// The numbers of words and characters depend on the training data; about 77,000 words match the published file's size.
constexpr std::int64_t kWords = 77'000, kCharacters = 1'000;
constexpr std::int64_t kHidden = 100, kWordSize = 16, kCharacterWidth = 8, kCharacterKernel = 5, kHighways = 2;

// Turns a text into rows, [words, channels]. Both texts go through the same layers, so their weights are made first.
class BidafReader {
 public:
  explicit BidafReader(Net& net)
      : net_(net),
        characters_(net.weight("characters", {kCharacters, kCharacterWidth})),
        kernel_(net.weight("charcnn.weight", {kHidden, 1, kCharacterKernel, kCharacterWidth})),
        kernel_bias_(net.weight("charcnn.bias", {kHidden})),
        words_(net.weight("words", {kWords, kHidden})) {
    for (std::int64_t i = 0; i < kHighways; ++i) {
      for (const std::string_view part : {"gate", "update"}) {
        const std::string name = fmt::format("highway{}.{}", i, part);
        highway_.push_back(net.weight(name + ".weight", {2 * kHidden, 2 * kHidden}));
        highway_.push_back(net.weight(name + ".bias", {2 * kHidden}));
      }
    }
  }

  // Word vectors, concatenated with the result of a convolution over the characters, then two highway layers.
  Picture read(std::string_view text) {
    const auto scope = net_.in(text);
    ModelBuilder& b = net_.builder();
    const Dim one = Dim::size(1), length = b.symbol(text);
    const Dim word_dims[] = {length, one}, letter_dims[] = {length, one, one, Dim::size(kWordSize)};
    Value* word = b.input(fmt::format("{}_word", text), b.type(ElementType::kInt64, word_dims));
    Value* letters = b.input(fmt::format("{}_char", text), b.type(ElementType::kInt64, letter_dims));

    const Picture vectors = net_.reshape(net_.node("Gather", {words_, word}, {}, kHidden), {-1, kHidden}, kHidden);
    Picture spelled = net_.node("Gather", {characters_, letters}, {}, kCharacterWidth);
    spelled = net_.reshape(spelled, {-1, 1, kWordSize, kCharacterWidth}, 1);
    spelled = net_.act(net_.node("Conv", {spelled.value, kernel_, kernel_bias_}, {}, kHidden), "Relu");
    const Picture most =
        net_.node("ReduceMax", {spelled.value, b.shape({2, 3})}, {b.attribute("keepdims", std::int64_t{0})}, kHidden);
    Picture x = net_.concat({most, vectors}, 1);
    for (std::size_t i = 0; i < highway_.size(); i += 4) x = highway(x, i);
    return x;
  }

 private:
  Picture dense(Picture x, std::size_t weights) {
    const Picture product = net_.node("MatMul", {x.value, highway_[weights]}, {}, x.channels);
    return net_.node("Add", {product.value, highway_[weights + 1]}, {}, x.channels);
  }
  // x + gate * (update - x)
  Picture highway(Picture x, std::size_t weights) {
    const Picture gate = net_.act(dense(x, weights), "Sigmoid"), update = net_.act(dense(x, weights + 2), "Relu");
    const Picture change = net_.node("Sub", {update.value, x.value}, {}, x.channels);
    return net_.add(x, net_.multiply(gate, change));
  }

  Net& net_;
  Value *characters_, *kernel_, *kernel_bias_, *words_;
  std::vector<Value*> highway_;
};

// An LSTM with two directions, each `kHidden` wide.
class BidafRnn {
 public:
  BidafRnn(Net& net, std::string_view name, std::int64_t width)
      : net_(net),
        input_(net.weight(fmt::format("{}.W", name), {2, 4 * kHidden, width})),
        recurrent_(net.weight(fmt::format("{}.R", name), {2, 4 * kHidden, kHidden})),
        bias_(net.weight(fmt::format("{}.B", name), {2, 8 * kHidden})) {}

  Picture run(Picture x) {
    ModelBuilder& b = net_.builder();
    const Picture steps = net_.reshape(x, {-1, 1, x.channels}, x.channels);
    const Picture both =
        net_.node("LSTM", {steps.value, input_, recurrent_, bias_},
                  {b.attribute("hidden_size", kHidden), b.attribute("direction", std::string_view("bidirectional"))},
                  kHidden);  // [words, 2, 1, hidden]
    return net_.reshape(both, {-1, 2 * kHidden}, 2 * kHidden);
  }

 private:
  Net& net_;
  Value *input_, *recurrent_, *bias_;
};

// Each word of the text with what the question says about it, and with the words that matter most to the question.
Picture attention_flow(Net& net, Picture context, Picture query) {
  const auto scope = net.in("attention");
  ModelBuilder& b = net.builder();
  const std::int64_t c = context.channels;
  const auto reduced = [&](std::string_view op, Picture x, std::int64_t axis, std::int64_t keep) {
    return net.node(op, {x.value, b.shape({axis})}, {b.attribute("keepdims", keep)}, c);
  };
  const Picture of_context = net.linear(context, 1, false);
  const Picture of_query = net.reshape(net.linear(query, 1, false), {1, -1}, 1);
  const Picture pairs = net.multiply(net.reshape(context, {-1, 1, c}, c), net.scaled(query));  // [context, query, c]
  Picture scores = net.add(net.add(reduced("ReduceSum", pairs, 2, 0), of_context), of_query);
  scores = net.node("Add", {scores.value, net.weight("attention.bias", {1})}, {}, 1);
  const Picture shares = net.softmax(scores);
  const Picture weighted =
      net.multiply(net.reshape(query, {1, -1, c}, c), net.node("Unsqueeze", {shares.value, b.shape({2})}, {}, c));
  const Picture to_query = reduced("ReduceSum", weighted, 1, 0);
  const Picture importance = net.softmax(reduced("ReduceMax", scores, 1, 1), 0);
  const Picture to_context = reduced("ReduceSum", net.multiply(context, importance), 0, 1);
  return net.concat({context, to_query, net.multiply(context, to_query), net.multiply(context, to_context)}, 1);
}

// The number of the word with the highest score, as an output.
Picture best_word(Net& net, Picture scores, std::string_view name) {
  ModelBuilder& b = net.builder();
  const Picture word = net.node("ArgMax", {scores.value},
                                {b.attribute("axis", std::int64_t{0}), b.attribute("keepdims", std::int64_t{0})}, 1);
  const Dim dims[] = {Dim::size(1)};
  b.output(b.node("Identity", fmt::format("{}.Identity", name), {word.value}, {}, name),
           b.type(ElementType::kInt64, dims));
  return word;
}

}  // namespace

void build_bidaf(Net& net) {
  constexpr std::int64_t kBoth = 2 * kHidden;
  BidafReader reader(net);
  BidafRnn input(net, "input_rnn", kBoth);
  const Picture context = input.run(reader.read("context")), query = input.run(reader.read("query"));
  const Picture flow = attention_flow(net, context, query);
  const Picture model = BidafRnn(net, "model_rnn1", kBoth).run(BidafRnn(net, "model_rnn0", flow.channels).run(flow));

  const Picture both = net.concat({model, flow}, 1);
  // The end depends on the word that the answer begins with.
  const Picture start = best_word(net, net.linear(both, 1), "start_pos");
  const Picture row = net.node("Gather", {model.value, start.value}, {}, kBoth);
  const Picture product = net.multiply(model, row);
  const Picture repeated = net.node("Expand", {row.value, net.node("Shape", {model.value}, {}, 1).value}, {}, kBoth);
  const Picture all = net.concat({flow, model, repeated, product}, 1);
  const Picture end = net.concat({BidafRnn(net, "output_rnn", all.channels).run(all), flow}, 1);
  best_word(net, net.linear(end, 1), "end_pos");
}

}  // namespace onnxpress
