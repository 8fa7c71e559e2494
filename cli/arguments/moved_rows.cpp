// The table of options that moved to another name or command. A row may go after one minor release.
#include "cli/arguments/moved_options.h"

namespace onnxpress::cli {

namespace {

constexpr MovedOption kMoved[] = {
    // Weights in fewer bits have a command of their own.
    {"shrink", "--weights small", "quantize MODEL --weight-quality 34"},
    {"shrink", "--weights tiny", "quantize MODEL --weight-quality 22"},
    {"shrink", "--weights X", "quantize MODEL --to {}"},
    {"shrink", "--scheme TEXT", "quantize MODEL --scheme {}"},
    {"shrink", "--levels N", "quantize MODEL --scheme levels={}"},
    {"shrink", "--encoding X", "quantize MODEL --encoding {}"},
    {"shrink", "--optimize-for X", "quantize MODEL --optimize-for {}"},
    {"shrink", "--min-elements N", "quantize MODEL --min-elements {}"},
    {"shrink", "--include NAMES", "quantize MODEL --include {}"},
    {"shrink", "--exclude NAMES", "quantize MODEL --exclude {}"},
    {"shrink", "--recipe FILE", "quantize MODEL --recipe {}"},
    {"shrink", "--keep FILE", "quantize MODEL --recipe {}"},
    {"shrink", "--save-recipe FILE", "quantize MODEL --save-recipe {}"},
    {"shrink", "--quality DB", "quantize MODEL --quality {}"},
    {"shrink", "--may-miss PERCENT", "quantize MODEL --may-miss {}"},
    {"shrink", "--best-effort", "quantize MODEL --best-effort"},
    {"shrink", "--weight-quality DB", "quantize MODEL --weight-quality {}"},
    {"shrink", "--max-error X", "quantize MODEL --max-error {}"},
    {"shrink", "--max-size BYTES", "quantize MODEL --max-size {}"},
    {"shrink", "--target-size BYTES", "quantize MODEL --max-size {}"},
    {"shrink", "--max-download BYTES", "quantize MODEL --max-download {}"},
    {"shrink", "--target-download BYTES", "quantize MODEL --max-download {}"},
    {"shrink", "--dynamic", "quantize MODEL --activations dynamic"},
    {"shrink", "--dynamic-conv", "quantize MODEL --activations dynamic --layers conv"},
    {"shrink", "--dynamic-all", "quantize MODEL --activations dynamic --layers all"},
    {"shrink", "--dynamic-codes X", "quantize MODEL --codes {}"},
    {"shrink", "--static", "quantize MODEL --activations static"},
    {"shrink", "--ranges X", "quantize MODEL --ranges {}"},
    {"shrink", "--compensate X", "quantize MODEL --compensate {}"},
    {"shrink", "--samples DIR", "quantize MODEL --samples {}"},
    {"shrink", "--measure", "quantize MODEL --verify"},
    {"shrink", "--allow-lossy-overwrite", "quantize MODEL --allow-lossy-overwrite"},

    // So have constants that become inputs, other types of constants, and sizes after a compressor.
    {"shrink", "--npy", "tensors MODEL [-o inputs.onnx] --as-inputs"},
    {"shrink", "--extract NAMES", "tensors MODEL [-o inputs.onnx] --as-inputs --names {}"},
    {"shrink", "--extract-node NODES", "tensors MODEL [-o inputs.onnx] --as-inputs --nodes {}"},
    {"shrink", "--npy-names X", "", "the inputs keep the names of the constants"},
    {"shrink", "--narrow-types", "optimize MODEL --also narrow-types"},
    {"shrink", "--compressed", "then info MODEL RESULT --compressed"},

    // The same word means the same everywhere.
    {"verify", "--inputs DIR", "verify A B --samples {}"},
    {"verify", "--snr DB", "verify A B --quality {}"},
    {"verify", "--runtime X", "verify A B --engine {}"},
    {"run", "--compare-nodes", "verify MODEL --nodes"},
    {"bench", "--inputs DIR", "bench MODEL --samples {}"},
    {"bench", "--limit SECONDS", "bench MODEL --time-limit {}"},
    {"profile", "--alignment N", "profile MODEL --align {}"},
    {"optimize", "--inputs NAMES", "first extract MODEL -o part.onnx --inputs {}"},
    {"optimize", "--outputs NAMES", "first extract MODEL -o part.onnx --outputs {}"},
    {"edit", "--set-opset N", "optimize MODEL --opset {}"},
};

}  // namespace

std::span<const MovedOption> moved_options() { return kMoved; }

}  // namespace onnxpress::cli
