// The onnxpress command: finds the subcommand, runs it, and turns every failure into one clear message and an exit
// code.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <new>

#include "cli/arguments/help.h"
#include "cli/arguments/parse.h"
#include "cli/cli.h"
#include "cli/run_command.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/signals.h"
#include "onnxpress/base/option_error.h"
#include "onnxpress/base/thread_pool.h"
#include "onnxpress/base/version.h"

namespace onnxpress::cli {

namespace {

struct CommandRow {
  const char* name;
  const char* summary;
  const char* example;
  Action (*add)(Command& command);  // adds options; the Action reads the parsed values
  const char* common = nullptr;     // options that --help shows, if there are too many for one screen
};

// All commands, in the order of --help.
constexpr CommandRow kCommands[] = {
    {"info", "show what is in a model, on one screen",
     "  onnxpress info model.onnx                  inputs, ops, weights, and where the bytes are\n"
     "  onnxpress info model.onnx --interface      inputs and outputs only\n"
     "  onnxpress info model.onnx --tensors        every weight, largest first\n"
     "  onnxpress info model.onnx --duplicates     weights that are stored twice\n"
     "  onnxpress info models/ 'more/*.onnx'       compare many models\n"
     "  onnxpress info a.onnx b.onnx --compressed  compare downloads\n"
     "  onnxpress info model.onnx --json | jq .weights.parameters\n",
     add_info},
    {"check", "tell whether a model is valid, and where it is not",
     "  onnxpress check model.onnx                 exit code 1 if there are errors\n"
     "  onnxpress check models/ 'more/*.onnx'      several models\n"
     "  onnxpress check model.onnx --strict        treat warnings as errors\n"
     "  onnxpress check model.onnx --json | jq '.findings[].code'\n",
     add_check},
    {"diff", "show what differs between two models",
     "  onnxpress diff a.onnx b.onnx               exit code 1 if they differ\n"
     "  onnxpress diff a.onnx b.onnx --summary     only counts, by kind\n"
     "  onnxpress diff a.onnx b.onnx --ignore names,docs --tolerance 1e-5\n",
     add_diff},
    {"shrink", "write the smallest file that computes the same, bit for bit",
     "  onnxpress shrink model.onnx                          writes model.shrunk.onnx\n"
     "  onnxpress shrink model.onnx -o small.onnx --verify   also compares all outputs in ONNX Runtime\n"
     "  onnxpress shrink models/ -o small/                   many models, with a table of the savings\n"
     "  onnxpress shrink encoder.onnx decoder.onnx --share weights.data   one file of weights for both\n"
     "  onnxpress shrink model.onnx --target any             for runtimes that do not fold constants\n"
     "  onnxpress shrink model.onnx --report page.html       a page with maps of the bytes and a table\n"
     "  onnxpress shrink model.onnx --dry-run --json | jq .after\n",
     add_shrink,
     "--output --in-place --target --only --skip --freeze --pack --share --verify --report --dry-run --json"},
    {"quantize", "store weights in fewer bits, by a promise of quality or size",
     "  onnxpress quantize model.onnx --to int8 --verify       8-bit weights, and their effect on the outputs\n"
     "  onnxpress quantize model.onnx --to auto                as few bits as possible with outputs at 30 dB\n"
     "  onnxpress quantize model.onnx --quality 40 --samples inputs/     judged by your own inputs\n"
     "  onnxpress quantize model.onnx --max-size 20MB          choose bits for each tensor to fit the size\n"
     "  onnxpress quantize model.onnx --max-download 15MB:brotli         the same for the download\n"
     "  onnxpress quantize model.onnx --activations dynamic    MatMul and Gemm with integers, activations rounded at "
     "run time\n"
     "  onnxpress quantize model.onnx --to int8 --report page.html       a page with maps, errors and a table\n"
     "  onnxpress quantize models/ -o small/ --to fp16         many models\n",
     add_quantize,
     "--output --in-place --to --activations --quality --may-miss --max-size --max-download --samples --shape --dim "
     "--value --recipe --exclude --target --verify --report --dry-run --json"},
    {"optimize", "write the same model with fewer nodes: compute constants, simplify shapes, fuse layers",
     "  onnxpress optimize model.onnx                        writes model.optimized.onnx\n"
     "  onnxpress optimize model.onnx -o out.onnx --verify   also compares all outputs\n"
     "  onnxpress optimize model.onnx --exact                only rewrites that keep every bit\n"
     "  onnxpress optimize model.onnx --shape x=1x3x224x224  for one input size\n"
     "  onnxpress optimize model.onnx --shrink               also make the file as small as possible\n"
     "  onnxpress optimize model.onnx --opset 21             convert to another opset\n"
     "  onnxpress optimize model.onnx --why /layer1/Conv     what happened to a node, and why\n"
     "  onnxpress optimize models/ -o optimized/             many models\n"
     "  onnxpress optimize --list                            all rewrites\n",
     add_optimize,
     "--output --target --exact --also --only --skip --opset --freeze --shape --dim --shrink --verify --why --list "
     "--report --dry-run --json"},
    {"fuse", "replace a region of the graph, and all regions like it, by one node",
     "  onnxpress fuse model.onnx -o out.onnx --from x --to y --as my.domain::Block     between two values\n"
     "  onnxpress fuse model.onnx -o out.onnx --nodes conv1..relu1 --as my.domain::Block\n",
     add_fuse},
    {"expand", "turn the decoding nodes of a shrunk model back into plain tensors",
     "  onnxpress expand model.shrunk.onnx -o model.onnx     the same tensors, bit for bit\n", add_expand},
    {"convert", "write a model as .onnx, ONNX text or JSON, with weights inside or in external files",
     "  onnxpress convert model.onnx model.onnxtxt           to text, for reading and diffs\n"
     "  onnxpress convert model.onnx - --to text --elide 8   print it, with long tensors shortened\n"
     "  onnxpress convert model.onnxtxt model.onnx           and back\n"
     "  onnxpress convert big.onnx out.onnx --external-data  weights into out.onnx.data\n"
     "  onnxpress convert split.onnx one.onnx --single-file  weights back inside\n"
     "  onnxpress convert m.onnx m.onnx --strip docs,metadata\n",
     add_convert},
    {"extract", "cut a part out of a model and save it as a model",
     "  onnxpress extract model.onnx --inputs a,b --outputs c -o part.onnx\n"
     "  onnxpress extract model.onnx --outputs features -o head.onnx     from the model's inputs\n"
     "  onnxpress extract model.onnx --prefix /layers.3/ -o layer3.onnx\n",
     add_extract},
    {"edit", "make common changes, several at once: rename values, remove nodes, change types",
     "  onnxpress edit model.onnx -o new.onnx --rename input.1=image --set-shape input.1=N,3,224,224\n"
     "  onnxpress edit model.onnx -o new.onnx --remove-node dropout_3 --add-output /layer4/Relu_output_0\n"
     "  onnxpress edit model.onnx --in-place --set-attribute Softmax_9.axis=-1 --set-type image=float16\n",
     add_edit},
    {"split", "cut a model into stages that feed each other",
     "  onnxpress split model.onnx --parts 4 -o stage                    stage.json, stage.0.onnx, ...\n"
     "  onnxpress split model.onnx --parts 2 --by memory -o stage --share-weights\n"
     "  onnxpress split model.onnx --at hidden_7,hidden_15 -o stage\n",
     add_split},
    {"merge", "join two models: outputs of one feed inputs of the other",
     "  onnxpress merge encoder.onnx decoder.onnx --map hidden=encoder_states -o both.onnx\n"
     "  onnxpress merge preprocess.onnx model.onnx -o all.onnx           connect equal names\n",
     add_merge},
    {"tensors", "export weights to files, and import changed ones",
     "  onnxpress tensors model.onnx -o weights.safetensors\n"
     "  onnxpress tensors model.onnx -o folder --names conv1.weight,conv1.bias\n"
     "  onnxpress tensors model.onnx --from weights.npz -o new.onnx\n"
     "  onnxpress tensors model.onnx --as-inputs -o small.onnx           repeated constants become inputs\n",
     add_tensors},
    {"infer", "find the type and symbolic shape of every value, and say why some stay unknown",
     "  onnxpress infer model.onnx                              how much is known, and what is not\n"
     "  onnxpress infer model.onnx --all                        every value with its type\n"
     "  onnxpress infer model.onnx -o typed.onnx                write the types into the model\n"
     "  onnxpress infer model.onnx --dim batch=1 --shape x=1x3x224x224\n"
     "  onnxpress infer model.onnx --custom-ops ops.rules       with shape rules for your own ops\n"
     "  onnxpress infer models/                                 a table of all models in a folder\n"
     "  onnxpress infer model.onnx --json | jq '.losses[].why'\n",
     add_infer},
    {"shapes", "export every shape as a formula of the model's symbols, as JSON and a C++ header",
     "  onnxpress shapes model.onnx -o engine      engine.json, engine.h, and engine.onnx without shape computations\n",
     add_shapes},
    {"profile", "count multiply-adds, parameters and memory, by op, layer and node",
     "  onnxpress profile model.onnx                         totals, the heaviest ops and nodes\n"
     "  onnxpress profile model.onnx --dim batch=8 --shape x=8x3x224x224\n"
     "  onnxpress profile model.onnx --by tree --depth 2     layers, equal ones on one line\n"
     "  onnxpress profile model.onnx --by node --top 0 --sort order\n"
     "  onnxpress profile model.onnx --count flop -o profile.csv\n"
     "  onnxpress profile model.onnx --sparsity              zeros in weights and their patterns\n"
     "  onnxpress profile model.onnx --time                  measure every node in ONNX Runtime\n"
     "  onnxpress profile model.onnx --report page.html      a web page with maps, layers, memory and nodes\n"
     "  onnxpress profile new.onnx --against old.onnx --fail-over 2%\n"
     "  onnxpress profile models/                            a table of all models in a folder\n",
     add_profile,
     "--output --by --sort --top --depth --count --device --sparsity --shape --dim --time --report --against "
     "--fail-over "
     "--json"},
    {"memory", "plan the memory of activations: an offset for each in one pool, for runtimes",
     "  onnxpress memory model.onnx                          pool, peak, the largest values\n"
     "  onnxpress memory model.onnx --dim batch=8 -o plan.json\n"
     "  onnxpress memory model.onnx --align 64 -o plan.h     a C header\n"
     "  onnxpress memory model.onnx --reorder -o better.onnx\n",
     add_memory},
    {"llm", "compute parameters, work, cache and time of a language model from its config.json",
     "  onnxpress llm config.json                            a Hugging Face style config\n"
     "  onnxpress llm llama-3-8b --weights int4 --device rtx-4090 --prompt 2048\n"
     "  onnxpress llm qwen3-30b-a3b --kv int8 --batch 8 --json | jq .kv_bytes\n"
     "  onnxpress llm gpt2 --onnx gpt2.onnx --layers 1       one layer as a graph, without stored weights\n"
     "  onnxpress llm --list                                 known models and devices\n",
     add_llm},
    {"run", "run a model with the built-in evaluator",
     "  onnxpress run model.onnx                                random inputs, and a summary of the outputs\n"
     "  onnxpress run model.onnx --input x=image.npy --output-dir results\n"
     "  onnxpress run model.onnx --dim batch=2 --input mask=ones --seed 7\n"
     "  onnxpress run model.onnx --json | jq '.outputs[].mean'\n",
     add_run},
    {"verify", "test whether two models compute the same, and find where they differ",
     "  onnxpress verify a.onnx b.onnx                       exit code 1 if an output differs by more than its "
     "floor\n"
     "  onnxpress verify a.onnx b.onnx --locate              find the node where the difference begins\n"
     "  onnxpress verify a.onnx b.onnx --samples samples/ --quality 40\n"
     "  onnxpress verify a.onnx b.onnx --engine both --json | jq '.engines[].verdict'\n"
     "  onnxpress verify model.onnx --nodes                  each node in our evaluator and in ONNX Runtime\n",
     add_verify,
     "--samples --tolerance --quality --locate --nodes --engine --sets --labels --metric --shape --dim --value --json"},
    {"bench", "measure time, size, memory and error of models and their variants, side by side",
     "  onnxpress bench model.onnx --with optimize,shrink,int8\n"
     "  onnxpress bench model.onnx --with optimize,onnxsim,onnxslim,ort-all --report page.html\n"
     "  onnxpress bench before.onnx after.onnx --markdown      a table for a README\n"
     "  onnxpress bench model.onnx --nodes                     where the time goes, node by node\n"
     "  onnxpress bench model.onnx --with optimize+int8 --keep variants/ --json | jq '.rows[].median'\n",
     add_bench, "--with --samples --keep --seconds --nodes --shape --dim --report --csv --markdown --json"},
    {"generate", "make a synthetic model of any size, for tests and benchmarks",
     "  onnxpress generate chain -o chain.onnx --nodes 100000             a large graph\n"
     "  onnxpress generate transformer -o t.onnx --layers 12 --hidden 768 --heads 12\n"
     "  onnxpress generate weights -o big.onnx --bytes 10GB --fill zeros  10 GB in a second, without using disk space\n"
     "  onnxpress generate weights -o big.onnx --bytes 1GB --external-data big.data\n"
     "  onnxpress generate subgraphs -o deep.onnx --depth 30\n",
     add_generate},
    {"completion", "print shell completion for bash, zsh or fish",
     "  source <(onnxpress completion bash)        for this shell\n"
     "  onnxpress completion bash > ~/.local/share/bash-completion/completions/onnxpress\n"
     "  onnxpress completion zsh > \"${fpath[1]}/_onnxpress\"\n"
     "  onnxpress completion fish > ~/.config/fish/completions/onnxpress.fish\n",
     add_completion},
    {"man", "print manual pages",
     "  onnxpress man shrink | man -l -            read one page\n"
     "  onnxpress man -o /usr/local/share/man/man1 write all pages (make install does this)\n",
     add_man},
    {"help", "explain a command", "  onnxpress help shrink                      all options, like shrink --help-all\n",
     add_help},
};

int run(const Texts& words) {
  Program program;
  describe(program);
  const Parsed parsed = parse(program, words);
  if (parsed.asks == Asks::kVersion) {
    print(fmt::format("onnxpress {}\n", version()));
    return kDone;
  }
  if (parsed.asks != Asks::kNothing || !parsed.command) {
    print(help_text(program, parsed.command, parsed.asks == Asks::kAllHelp));
    return kDone;
  }
  ThreadPool threads(program.threads);  // one pool for the whole run; threads start only when there is work
  const UseThreads scope(threads);
  return parsed.command->action();
}

}  // namespace

void describe(Program& program) {
  program.name = "onnxpress";
  program.summary = "inspects, checks, shrinks, optimizes, profiles, converts and compares ONNX models";
  program.example =
      "  onnxpress info model.onnx\n"
      "  onnxpress convert model.onnx model.onnxtxt\n"
      "  onnxpress info --help                      every command has its own help\n";
  add_standard_options(program.options, program.threads);
  program.options.push_back(version_option());
  for (const CommandRow& row : kCommands) {
    Command& command = program.add_command(row.name, row.summary, row.example);
    command.action = row.add(command);
    if (row.common) command.show_first(row.common);
  }
}

int safely(const std::function<int()>& work) {
  try {
    const int code = work();
    flush_output();
    return code;
  } catch (const ClosedPipe&) {
    return 128 + SIGPIPE;  // what shells report for a program that this signal ended
  } catch (const UsageError& error) {
    talk_error(error.what(), error.hint);
    return kUsage;
  } catch (const OptionError& error) {
    talk_error(error.message(), error.hint());  // without the file: it would be wrong for any
    return kUsage;
  } catch (const Error& error) {
    talk_error(error);
  } catch (const std::bad_alloc&) {
    talk_error("out of memory", "close other programs, or use a machine with more memory");
  } catch (const std::exception& error) {
    talk_error(fmt::format("unexpected: {}", error.what()), "this is a bug in onnxpress; please report it");
  }
  return kBadInput;
}

int run_command(int argc, char** argv) {
  install_signal_handlers();
  // ONNX Runtime sends telemetry to its makers unless this is set. A value that the user has set is kept.
  ::setenv("ORT_DISABLE_TELEMETRY", "1", /*overwrite=*/0);
  return safely([&] { return run({argv + std::min(argc, 1), argv + argc}); });
}

}  // namespace onnxpress::cli
