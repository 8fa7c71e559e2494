// Loads the model, quantizes it, saves the result, and measures it.
#include "onnxpress/tasks/jobs/quantize_file.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "onnxpress/base/error.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/tasks/files/save_checked.h"
#include "onnxpress/tasks/quantize/request.h"
#include "onnxpress/tasks/report/cost_meter.h"

namespace onnxpress {

namespace {

// nullopt: the file as it is, uncompressed.
std::optional<Compressor> compressor_of(OptimizeFor optimize_for) {
  switch (optimize_for) {
    case OptimizeFor::kFile:
      break;
    case OptimizeFor::kGzip:
      return Compressor::kGzip;
    case OptimizeFor::kBrotli:
      return Compressor::kBrotli;
    case OptimizeFor::kZstd:
      return Compressor::kZstd;
  }
  return std::nullopt;
}

class QuantizeJob {
 public:
  QuantizeJob(const std::string& input, const std::string& output, const QuantizeOptions& options,
              const ConvertStreams& streams)
      : input_(input),
        output_(output),
        options_(options),
        streams_(streams),
        loaded_(open_model(input, options.load)) {}

  QuantizeReport run() {
    try {
      report_ = quantize(loaded_.model, options_, streams_.progress);
      name_report();
      if (report_.refused.empty()) write();
      add_download();
      return std::move(report_);
    } catch (Error& error) {
      error.set_file(loaded_.name);
      throw;
    }
  }

 private:
  // Does it compute with other nodes, or with floats that were only rounded? Then it is written, whatever its size.
  bool may_grow() const {
    return options_.activations != Activations::kFloat || options_.encoding == WeightEncoding::kSimulate;
  }

  void name_report() {
    report_.file = loaded_.name;
    report_.output = output_;
    report_.dry_run = options_.dry_run;
  }

  void write() {
    if (!may_grow() && report_.after.total() >= report_.before.total()) return copy(report_.after.total());
    if (options_.dry_run) return;
    SaveRequest request = request_for(output_);
    request.original = original_in(input_, options_.load);
    // Alignment can make external data larger than it was. Sizes are those of .onnx files.
    const bool is_onnx = format_of_output(output_, {}) == ModelForm::kOnnx;
    if (!may_grow() && is_onnx) request.smaller_than = report_.before.total();
    const SaveReport saved = save_checked(loaded_.model, request);
    if (saved.too_large) return copy(saved.bytes + saved.external);
    if (saved.format == ModelForm::kOnnx) report_.after = {saved.bytes, saved.external};
    report_.files = saved.files;
  }

  SaveRequest request_for(const std::string& output) const {
    return {.output = output,
            .load = options_.load,
            .progress = streams_.progress,
            .standard_output = streams_.standard_output};
  }

  // For a model that does not get smaller: writes it as it is, byte for byte if both files have the same form.
  void copy(std::uint64_t bytes) {
    if (report_.rounded > 0) forget_rounding(bytes);
    report_.unchanged = true;
    report_.after = report_.before;
    report_.methods.clear();
    report_.others.clear();
    begin_stage("copying");
    if (!options_.dry_run) report_.files = copy_unchanged(input_, request_for(output_)).files;
  }

  // The copy has no rounded weights.
  void forget_rounding(std::uint64_t bytes) {
    QuantizeReport plain{.before = report_.before, .overridable = report_.overridable};
    plain.note = fmt::format("with its weights in fewer bits, the file would take {} bytes, which is not less", bytes);
    report_ = std::move(plain);
    name_report();
  }

  // The size after the compressor that the codes are made for; with --max-download, it is known already.
  void add_download() {
    const auto compressor = compressor_of(*request_of(options_).options.optimize_for);
    std::vector<std::string> files;  // not what goes through a pipe
    for (const WrittenFile& file : report_.files) {
      if (file.path != "-") files.push_back(file.path);
    }
    if (report_.download || !compressor || files.empty() || !can_compress()) return;
    begin_stage("measuring the compressed size of the result");
    report_.download = compressed_size(files, *compressor, streams_.progress);
  }

  const std::string &input_, &output_;
  const QuantizeOptions& options_;
  const ConvertStreams& streams_;
  LoadedModel loaded_;
  QuantizeReport report_;
};

}  // namespace

QuantizeReport quantize_file(const std::string& input, const std::string& output, const QuantizeOptions& options,
                             const ConvertStreams& streams) {
  CostMeter cost;
  begin_stage("reading");
  QuantizeReport report = QuantizeJob(input, output, options, streams).run();
  cost.fill(report);
  return report;
}

}  // namespace onnxpress
