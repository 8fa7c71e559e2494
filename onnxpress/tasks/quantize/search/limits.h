// Every number that decides how bits are chosen: [unit], what it is, and what doubling it does.
//
// docs/design/bit_search.md explains the steps and shows the same list; tests/python/test_bit_search_page.py compares
// the two. Work is counted in multiply-adds of runs (engines/run_work.h), never in seconds, so that results do not
// depend on the machine: ONNX Runtime does about 2e10 of them in a second on two cores.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress {

struct SearchLimits {
  // The inputs that the model is run on, if the user gives none.
  struct Inputs {
    // [inputs] Of each kind, to choose bits on; half as many if a run is not cheap, a quarter if it is slow. Doubled:
    // the worst inputs are found more surely, with more runs and memory before the search.
    std::uint64_t to_choose = 4;
    // [inputs] Of each kind, to check a choice on; a quarter if a run is not cheap, an eighth if it is slow. Doubled:
    // checks take longer, and fewer choices fail later, on fresh inputs.
    std::uint64_t to_check = 8;
    // [multiply-adds] A run up to here is cheap. Sizes that the model leaves open also grow up to here, and five times
    // as far for layers with next to nothing to work on. Doubled: more models get many and large inputs; slower.
    double cheap_run = 0.6e9;
    // [multiply-adds] A run from here on is slow: bits are chosen on one input of the basic kinds. Doubled: larger
    // models are tried on all kinds of inputs; slower.
    double slow_run = 20e9;
    // [bytes] Memory for inputs and outputs; half as much for fresh ones. Doubled: models of large images get more
    // inputs.
    double bytes = 512e6;
    // [elements] Open sizes are doubled until every axis inside the model is this long. Doubled: layers have more to
    // work on; slower.
    std::int64_t long_axis = 64;
    // [elements] An open size from here on is meant for sound or text, not for images. Doubled: images may be tried
    // that take very long.
    std::int64_t large_size = 512;
    // [bytes] Memory for one set of inputs with such a size. Doubled: longer sounds and texts are tried.
    std::uint64_t bytes_if_large = 16'777'216;
  };

  // In models with many weights, all forms are tried on some rows of a weight, and the promising ones on all of it.
  struct Rows {
    // [weights] Models with more do this. Doubled: models of that size take several times as long.
    double many_weights = 2e7;
    // [weights] These show what rounding does to all rows. Doubled: surer, in twice the time.
    std::uint64_t elements = 65'536;
    // [rows] At least. Doubled: surer for weights with long rows; slower.
    std::size_t least = 16;
    // [ratio] The whole weight must be this many times as large. Doubled: more weights are tried as a whole; slower.
    std::size_t least_part = 4;
    // [dB] A form may be this much worse than the outputs should be. Doubled: more forms are tried, mostly in vain.
    double below = 8;
    // [dB] A form may be this much better than the outputs should be. Doubled: more forms are tried, mostly in vain.
    double above = 26;
  };

  // What is recorded of the inputs of layers, so that errors can cancel out in their results.
  struct Layers {
    // [runs] To fit corrections on, and as many to check them on; a quarter if a run is slow. Doubled: corrections suit
    // more kinds of inputs.
    std::size_t runs = 24;
    // [multiply-adds] Work of these runs. Doubled: slow models get more runs.
    double work = 1e11;
    // [numbers] Recorded in all layers together, in 4 bytes each. Doubled: twice the memory, and better corrections in
    // large models.
    double numbers = 1.2e8;
    // [multiply-adds] To check one form of all weights. Doubled: the gain of corrections is known better; slower.
    double checks = 4e9;
    // [multiply-adds] To compensate the errors of one form of all weights. Doubled: errors cancel out among more
    // columns in large models; slower.
    double feedback = 6e9;
    // [ratio] Noise with a correction over that without: above this, it is not worth having. Doubled: corrections are
    // used even where they add noise.
    double compensated = 0.97;
    // [ratio] The same for scaled channels. Doubled: channels are scaled even where that adds noise.
    double scaled = 0.9;
  };

  // Measuring how much the outputs change when one weight is rounded.
  struct Sensitivity {
    // [dB] The weight is rounded to about this quality. Doubled: it is rounded so finely that the measurement says less
    // about forms of few bits.
    double visible_noise = 25;
    // [multiply-adds] For all weights; twice as much if no search follows (goals in bytes, integer layers). Doubled: in
    // slow models, more weights are measured and fewer estimated.
    double work = 1.5e11;
    // [inputs] Weights are compared on these if a trial is slow. Doubled: half as many weights are measured.
    std::size_t inputs_if_slow = 2;
    // [dB] If the prediction is off by more, sensitivities are measured again. Doubled: wrong ones stay, and the other
    // weights pay for it with larger forms.
    double mispredicted = 10;
  };

  // One price per byte for all weights.
  struct Price {
    // [steps] Halvings of the range of prices. Doubled: no change, because the price is exact already.
    int questions = 60;
    // [weights] Take a smaller form each time, with the harm that the price left over. Doubled: finer steps in models
    // of more weights than this.
    int single_steps = 64;
  };

  // The smallest choice that reaches an aim on the inputs of the search.
  struct Aim {
    // [dB] This much above the aim is near enough. Doubled: larger files, fewer trials.
    double near_enough = 0.35;
    // [dB] The same if a trial is slow. Doubled: larger files, fewer trials.
    double near_enough_if_slow = 0.8;
    // [multiply-adds] A trial from here on is slow. Doubled: more models are searched thoroughly; slower.
    double slow_trial = 1e10;
    // [trials] At most. Doubled: slower where the quality jumps; hardly smaller files.
    int trials = 14;
    // [multiply-adds] After this, the first choice that reaches the aim is taken. Doubled: slow models take twice as
    // long and get slightly smaller.
    double work = 2.5e11;
    // [trials] After that, if the choice is still far above the aim. Doubled: slower, slightly smaller files.
    int late_trials = 3;
    // [dB] After a step that gains less, the next one is larger. Doubled: larger steps, which may go too far.
    double least_gain = 0.1;
  };

  // Smaller forms for single weights, while the outputs are better than the aim.
  struct Slack {
    // [dB] This much above the aim is worth a try. Doubled: larger files, fewer trials.
    double worthwhile = 0.4;
    // [dB] This much above the aim is far: halves of the weights are tried. Doubled: a few weights that matter more
    // than predicted keep all others from getting smaller.
    double far_above = 4;
    // [trials] At most. Doubled: slower, slightly smaller files.
    int tries = 5;
    // [trials] At most, if halves are tried. Doubled: slower, smaller files for such models.
    int tries_if_far_above = 30;
    // [dB] One try of a half may cost this much. Doubled: more tries fail.
    double at_once = 12;
    // [dB] Added to the aim if halves are tried, because so many tries also find errors that cancel out by chance.
    // Doubled: larger files, fewer failures on fresh inputs.
    double reserve = 1;
  };

  // The quality that was asked for must hold on inputs that were not used to choose.
  struct Promise {
    // [dB] What `auto` asks for. Doubled: files about twice as large.
    double auto_quality = 30;
    // [dB] Added to what is asked for. Doubled: larger files, fewer failures on fresh inputs.
    double margin = 0.2;
    // [dB] The margin grows up to here if inputs of a kind differ; twice as far if an output has few numbers. Doubled:
    // larger files of slow models.
    double most_margin = 4;
    // [ratio] Spread of the inputs of a kind over the margin for it. Doubled: half the margin for slow models.
    double spreads = 3;
    // [numbers] An output with fewer may be near zero for any input. Doubled: more models get larger margins and more
    // fresh inputs.
    std::size_t few_numbers = 64;
    // [inputs] The search runs on the worst ones (and on those that may miss the quality). Doubled: each trial takes
    // twice as long, and fewer checks fail.
    std::size_t worst_inputs = 4;
    // [dB] Above the worst input; if a trial is slow, easier inputs are left out until the end. Doubled: slower.
    double easy = 12;
    // [searches] At most, each with the inputs that failed the last check. Doubled: rarely a change, as few are needed.
    int rounds = 10;
  };

  // Inputs that are made up after the first choice, to check it.
  struct Fresh {
    // [inputs] Of each kind. Doubled: results hold for rarer inputs; larger files, slower.
    std::size_t inputs = 48;
    // [ratio] Times as many if they take one part in this many of the work, or if an output has few numbers. Doubled:
    // such models are checked on twice as many; slower.
    std::size_t more = 4;
    // [inputs] Enough of a kind; slower models get this many of the worst kinds only. Doubled: they are checked on
    // fewer kinds, with more inputs of each.
    std::size_t enough = 8;
    // [inputs] If there will be so many, the margin need not grow. Doubled: more models get larger margins and files.
    std::size_t many = 32;
    // [multiply-adds] Work of a set. Doubled: more inputs, unless runs are very cheap.
    double work = 4e10;
    // [multiply-adds] The same for slower models. Doubled: more inputs or kinds; slower.
    double work_if_slow = 2.2e11;
    // [sets] A choice that failed on one is checked on the next. Doubled: failures are found more surely; slower.
    int sets = 2;
    // [searches] For each set. Doubled: rarely a change; more choices hold in the end.
    int rounds = 4;
    // [inputs] Such a search runs on at least this many of the hardest; half as many if a trial is slow. Doubled:
    // slower trials, fewer searches.
    std::size_t hardest = 24;
    // [ratio] One input in this many is among the hardest. Doubled: faster trials, more searches.
    std::size_t hardest_part = 6;
    // [multiply-adds] Like `aim.work`, for these searches. Doubled: slow models take longer and get slightly smaller.
    double search_work = 1.5e11;
  };

  // The quality of one input in a thousand, estimated from fewer.
  struct Rare {
    // [part of all inputs] That may miss the quality. Doubled: smaller files, twice as many misses.
    double part = 1e-3;
    // [dB] Such an input may miss it by this much. Doubled: smaller files, worse misses.
    double below = 0.4;
    // [inputs] In the tail that the estimate is made from, of at least four times as many. Doubled: a steadier
    // estimate, from inputs that are less rare.
    std::size_t least_tail = 4;
    // [ratio] One input in this many is in the tail. Doubled: the estimate depends more on single inputs.
    std::size_t tail_part = 24;
  };

  // Layers that compute with integers.
  struct Integers {
    // [dB] Added to what is asked for. Doubled: more layers stay floats.
    double margin = 0.3;
    // [numbers] Kept of an activation in each run, to choose its range. Doubled: better ranges, more memory.
    std::size_t numbers = 4096;
    // [trials] To take layers back in after the worst were left out. Doubled: some more layers compute with integers.
    int tries = 12;
  };

  // Small weights, which get more bits in the preset int8.
  struct Presets {
    // [weights] A tensor with fewer is small. Doubled: more precise, larger.
    std::uint64_t small_elements = 16'384;
    // [part of all weights] That small tensors may have together. Doubled: more precise, larger.
    double small_part = 0.1;
  };

  // The size after a compressor.
  struct Download {
    // [trials] With gzip, at most. Doubled: results come closer to the goal; slower.
    int tries = 6;
    // [trials] With the compressor that was asked for, each smaller than the last. Doubled: fewer goals are refused.
    int exact_tries = 3;
    // [part of the goal] Near enough. Doubled: above 1, so all trials are always used.
    double near_enough = 0.99;
  };

  Inputs inputs;
  Rows rows;
  Layers layers;
  Sensitivity sensitivity;
  Price price;
  Aim aim;
  Slack slack;
  Promise promise;
  Fresh fresh;
  Rare rare;
  Integers integers;
  Presets presets;
  Download download;
};

inline constexpr SearchLimits kLimits{};

}  // namespace onnxpress
