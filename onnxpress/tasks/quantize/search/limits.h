// Every number that decides how bits are chosen: what it limits, its unit, and what doubling it does.
//
// docs/design/bit_search.md explains the steps, and lists the same members (tests/python/test_bit_search_page.py
// compares the two). Work is counted in multiply-adds of runs (engines/run_work.h), never in seconds, so that results
// do not depend on the machine; 2e10 of them take about a second in ONNX Runtime on two cores.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onnxpress::tasks {

struct SearchLimits {
  // The inputs that the model is run on, if there are no samples.
  struct Inputs {
    // inputs of each kind that bits are chosen on; half as many if a run is not cheap, a quarter (of basic kinds) if it
    // is slow. Doubled: the worst input of a kind is rather among them, and each trial takes twice as long.
    std::uint64_t to_choose = 4;
    // inputs of each kind that a choice is checked on; a quarter if a run is not cheap, an eighth if it is slow.
    // Doubled: fewer choices fail later, on fresh inputs.
    std::uint64_t to_check = 8;
    // multiply-adds of a run that is cheap: sizes that the model leaves open may grow up to here (five times as far for
    // layers with next to nothing to work on). Doubled: more models get many and large inputs, and take longer.
    double cheap_run = 0.6e9;
    // multiply-adds from which a run is slow. Doubled: large models are tried on all kinds of inputs, and take longer.
    double slow_run = 20e9;
    // bytes of inputs and outputs kept in memory; half as many for fresh ones. Doubled: twice the memory; large images
    // get more inputs.
    double bytes = 512e6;
    // elements that every axis inside the model should have; open sizes are doubled until then. Doubled: layers see
    // more, runs take longer.
    std::int64_t long_axis = 64;
    // elements: an open size from here on is meant for sound or text, not for images. Doubled: images may be tried that
    // take very long.
    std::int64_t large_size = 512;
    // bytes that all made-up inputs may have together if an open size is that large. Doubled: larger ones are tried.
    std::uint64_t bytes_if_large = 16'777'216;
  };

  // Models with many weights: all forms are tried on some rows of a weight, and the promising ones on all of it.
  struct Rows {
    // weights in the model from which this is done. Doubled: models of that size take several times as long.
    double many_weights = 2e7;
    // elements of a weight that show what rounding does to it. Doubled: surer, and twice the time for the rows.
    std::uint64_t elements = 65'536;
    // rows at least. Doubled: surer for weights with long rows.
    std::size_t least = 16;
    // times that the weight must be larger than its rows. Doubled: more weights are tried as a whole.
    std::size_t least_part = 4;
    // dB that a weight may be worse than the outputs should be. Doubled: more forms are tried in full, mostly in vain.
    double below = 8;
    // dB that a weight may be better than the outputs should be. Doubled: the same, for precise forms.
    double above = 26;
  };

  // What is recorded of the inputs of layers, so that errors can cancel out in their results.
  struct Layers {
    // runs to fit on, and as many to check on; at least a quarter. Doubled: corrections suit more kinds of inputs.
    std::size_t runs = 24;
    // multiply-adds of these runs. Doubled: slow models get up to twice the runs.
    double work = 1e11;
    // numbers kept for all layers. Doubled: twice the memory (4 bytes each), and better corrections in large models.
    double numbers = 1.2e8;
    // multiply-adds to check a form, on all layers. Doubled: the gain of corrections is known better; slower.
    double checks = 4e9;
    // multiply-adds of error compensation for a form, on all layers. Doubled: errors cancel out among more columns.
    double feedback = 6e9;
    // noise of a form with corrections, over that without: more is not worth it. Doubled: above 1, so any correction
    // would be taken, useful or not.
    double compensated = 0.97;
    // noise with scaled channels, over that without. Doubled: channels would be scaled even if that adds noise.
    double scaled = 0.9;
  };

  // Measuring how much the outputs change when one weight is rounded.
  struct Sensitivity {
    // dB of the weight that is rounded: visible at the outputs, and small enough that they change in proportion.
    // Doubled: rounding noise of the runtime disturbs the measurement.
    double visible_noise = 25;
    // multiply-adds for all weights; twice as many if no search follows, as for a size or for integers. Doubled: in
    // slow models, twice as many weights are measured, and fewer estimated.
    double work = 1.5e11;
    // inputs that weights are compared on if a trial is slow. Doubled: half as many weights are measured.
    std::size_t inputs_if_slow = 2;
    // dB between the predicted and the measured quality that make sensitivities wrong, so that they are measured again.
    // Doubled: wrong ones stay, and other weights pay for it.
    double mispredicted = 10;
  };

  // One price per byte for all weights.
  struct Price {
    // halvings of the range of prices. Doubled: no change, the price is exact already.
    int questions = 60;
    // weights that may take a smaller form each time, with what the price left. Doubled: choices change in finer steps
    // in models of more weights than that.
    int single_steps = 64;
  };

  // The smallest choice that reaches an aim on the inputs of the search.
  struct Aim {
    // dB above the aim that are near enough. Doubled: larger files, fewer trials.
    double near_enough = 0.35;
    // dB above the aim that are near enough if a trial is slow. Doubled: larger files, fewer trials.
    double near_enough_if_slow = 0.8;
    // multiply-adds from which a trial is slow. Doubled: more models are searched thoroughly, and take longer.
    double slow_trial = 1e10;
    // trials. Doubled: slower for models whose quality jumps, hardly smaller files.
    int trials = 14;
    // multiply-adds of all trials and checks, after which the first choice that reaches the aim is taken. Doubled: slow
    // models take twice as long and get slightly smaller.
    double work = 2.5e11;
    // trials after that, if the choice is far above the aim. Doubled: the same.
    int late_trials = 3;
    // dB: a step that gains less is followed by a larger one. Doubled: larger steps, which may go too far.
    double least_gain = 0.1;
  };

  // Smaller forms for single weights, while the outputs are better than the aim.
  struct Slack {
    // dB above the aim that are worth a try. Doubled: larger files, fewer trials.
    double worthwhile = 0.4;
    // dB above the aim that are far: some weights matter more than predicted, and halves of the weights are tried to
    // find them. Doubled: such weights keep others from getting smaller.
    double far_above = 4;
    // trials. Doubled: slower, slightly smaller files.
    int tries = 5;
    // trials if the choice is far above the aim. Doubled: the same, for the models where halves are tried.
    int tries_if_far_above = 30;
    // dB that one try of a half may use. Doubled: more tries fail.
    double at_once = 12;
    // dB added to the aim when halves are tried: so many tries also find errors that cancel out by chance. Doubled:
    // larger files, fewer failures on fresh inputs.
    double reserve = 1;
  };

  // The quality that was asked for must hold on inputs that were not used to choose.
  struct Promise {
    // dB asked for by `auto`. Doubled: files about twice as large.
    double auto_quality = 30;
    // dB added to what is asked for. Doubled: larger files, fewer failures on fresh inputs.
    double margin = 0.2;
    // dB that this may grow to if inputs of a kind differ; twice as many if an output has few numbers. Doubled: larger
    // files of slow models.
    double most_margin = 4;
    // The margin is the spread of a kind of inputs, in dB, over this. Doubled: half the margin for slow models.
    double spreads = 3;
    // numbers of an output that are few: it may be near zero for any input. Doubled: more models get larger margins and
    // more fresh inputs.
    std::size_t few_numbers = 64;
    // inputs that the search runs on, the worst ones, besides those that may miss the quality. Doubled: each trial
    // takes twice as long, and fewer checks fail.
    std::size_t worst_inputs = 4;
    // dB above the worst input, from which an input is left out until the end if a trial is slow. Doubled: slower.
    double easy = 12;
    // searches, each with the inputs that failed the last check. Doubled: no change for most models, which need two.
    int rounds = 10;
  };

  // Inputs that are made up after the first choice, to check it.
  struct Fresh {
    // inputs of each kind. Doubled: results hold for rarer inputs, and are larger.
    std::size_t inputs = 48;
    // times as many where this costs next to nothing (that part of the work) or an output has few numbers. Doubled: the
    // same, for small models.
    std::size_t more = 4;
    // inputs of each kind that are enough; models that are too slow for that get some of the worst kinds only. Doubled:
    // fewer kinds are checked in slow models.
    std::size_t enough = 8;
    // inputs of all kinds together that are many: then no margin is needed for the spread of the few inputs before.
    // Doubled: more models get larger margins, and larger files.
    std::size_t many = 32;
    // multiply-adds of the runs on them. Doubled: up to twice as many inputs for models that are not small.
    double work = 4e10;
    // multiply-adds for models that are too slow for enough inputs of all kinds. Doubled: twice as many; slower.
    double work_if_slow = 2.2e11;
    // sets: a choice that failed on one is checked on another one. Doubled: a failure is found rather before the file
    // is written, and a search may take twice as long.
    int sets = 2;
    // searches for a set. Doubled: more sets end with a choice that holds, instead of a report of what was reached.
    int rounds = 4;
    // inputs that such a search runs on at least, the hardest ones; half as many if a trial is slow. Doubled: slower
    // trials, fewer rounds.
    std::size_t hardest = 24;
    // One in this many is among the hardest. Doubled: faster trials, more rounds.
    std::size_t hardest_part = 6;
    // multiply-adds of these searches, as in Aim. Doubled: slow models take longer and get slightly smaller.
    double search_work = 1.5e11;
  };

  // The quality of one input in a thousand, estimated from fewer.
  struct Rare {
    // part of all inputs that may miss the quality. Doubled: smaller files, and twice as many misses.
    double part = 1e-3;
    // dB that these may be below it. Doubled: smaller files, worse misses.
    double below = 0.4;
    // inputs in the tail that the estimate is made from, of at least four times as many. Doubled: a steadier estimate,
    // but from inputs that are less rare.
    std::size_t least_tail = 4;
    // One input in this many is in the tail. Doubled: an estimate that depends more on single inputs.
    std::size_t tail_part = 24;
  };

  // Layers that compute with integers.
  struct Integers {
    // dB added to what is asked for. Doubled: more layers stay floats.
    double margin = 0.3;
    // numbers of an activation that are kept of each run, to choose its range. Doubled: better percentiles, more
    // memory.
    std::size_t numbers = 4096;
    // layers that are tried again after the worst ones were left out. Doubled: some more layers compute with integers.
    int tries = 12;
  };

  // Small weights get more bits in the preset int8.
  struct Presets {
    // elements from which a weight is not small. Doubled: more precise and larger.
    std::uint64_t small_elements = 16'384;
    // part of all weights that small ones may have together. Doubled: the same, for models of small weights.
    double small_part = 0.1;
  };

  // The size after a compressor.
  struct Download {
    // sizes that are tried with gzip. Doubled: results come closer to the goal, and take longer.
    int tries = 6;
    // tries with the requested compressor, each smaller than the last. Doubled: fewer goals are refused.
    int exact_tries = 3;
    // part of the goal that is near enough. It cannot be doubled; closer to 1: up to all tries are used.
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

}  // namespace onnxpress::tasks
