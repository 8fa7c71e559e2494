// Forks when a session is opened: the copy has the model in its memory already, so only inputs and outputs travel.
#include "onnxpress/engines/own_process.h"

#include <fmt/format.h>

#include <cstdlib>
#include <new>
#include <optional>

#include "onnxpress/base/platform/forked.h"
#include "onnxpress/base/stages.h"
#include "onnxpress/engines/datum_stream.h"

namespace onnxpress::engines {

namespace {

enum Answer : std::uint64_t { kFine, kError, kTooMuch, kNoMemory };

void say_error(DatumWriter& out, Answer kind, const Error& error) {
  out.number(kind);
  for (const std::string* part : {&error.file(), &error.where(), &error.message(), &error.hint()}) out.text(*part);
}

// Does the work and says how it went; the work itself writes what follows kFine.
template <typename Work>
bool answer(DatumWriter& out, const Work& work) {
  try {
    work();
    return true;
  } catch (const TooMuchToRun& error) {
    say_error(out, kTooMuch, error);
  } catch (const Error& error) {
    say_error(out, kError, error);
  } catch (const std::bad_alloc&) {
    out.number(kNoMemory);
  } catch (const std::exception& error) {
    say_error(out, kError, Error("", error.what()));
  }
  return false;
}

[[noreturn]] void throw_error(Answer kind, DatumReader& in) {
  if (kind == kNoMemory) throw std::bad_alloc();
  const std::string file = in.text(), where = in.text(), message = in.text(), hint = in.text();
  const auto complete = [&file](auto error) {
    if (!file.empty()) error.set_file(file);
    return error;
  };
  if (kind == kTooMuch) throw complete(TooMuchToRun(where, message, hint));
  throw complete(Error(where, message, hint));
}

// In the copy: opens the session, then runs it for each set of inputs that comes.
void serve(platform::Channel& parent, const std::function<std::unique_ptr<Session>()>& open) {
  const HearStages nobody([](std::string_view) {});  // the listener belongs to the other process
  DatumWriter out(parent);
  DatumReader in(parent);
  std::unique_ptr<Session> session;
  const bool opened = answer(out, [&] {
    session = open();
    out.number(kFine);
  });
  if (!parent.flush() || !opened) return;
  try {
    for (;;) {
      NamedArrays inputs(in.number());
      for (auto& [name, array] : inputs) {
        name = in.text();
        array = in.array();
      }
      answer(out, [&] {
        const std::vector<ops::Datum> outputs = session->run(inputs);
        out.number(kFine);
        out.number(outputs.size());
        for (const ops::Datum& each : outputs) out.datum(each);
      });
      if (!parent.flush()) return;
    }
  } catch (const StreamEnded&) {
    return;  // nobody asks any more
  } catch (const std::bad_alloc&) {
    return;
  }
}

class ForkedSession : public Session {
 public:
  ForkedSession(std::string engine, double seconds, const std::function<std::unique_ptr<Session>()>& open)
      : engine_(std::move(engine)),
        seconds_(seconds),
        forked_(std::in_place, [&open](platform::Channel& parent) { serve(parent, open); }) {
    ask(
        "loading the model", [](DatumWriter&) {}, [](DatumReader&) {});
  }

  std::vector<ops::Datum> run(const NamedArrays& inputs) override {
    std::vector<ops::Datum> outputs;
    ask(
        "running the model",
        [&](DatumWriter& out) {
          out.number(inputs.size());
          for (const auto& [name, array] : inputs) {
            out.text(name);
            out.array(array);
          }
        },
        [&](DatumReader& in) {
          constexpr std::uint64_t kMostOutputs = std::uint64_t{1} << 24;
          outputs.resize(in.number_up_to(kMostOutputs));
          for (ops::Datum& each : outputs) each = in.datum();
        });
    return outputs;
  }

 private:
  template <typename Write, typename Read>
  void ask(std::string_view what, const Write& write, const Read& read) {
    if (death_) throw *death_;
    platform::Channel& channel = forked_->channel();
    channel.allow(seconds_);
    DatumWriter out(channel);
    DatumReader in(channel);
    try {
      write(out);
      channel.flush();
      const auto kind = static_cast<Answer>(in.number_up_to(kNoMemory));
      if (kind != kFine) throw_error(kind, in);
      read(in);
    } catch (const StreamEnded&) {
      die(what);
    }
  }

  [[noreturn]] void die(std::string_view what) {
    const platform::ChildEnd end = forked_->end();
    forked_.reset();
    if (end.timed_out) {
      death_.emplace(fmt::format("{} gave no answer within {:g} s while {}", engine_, seconds_, what), true,
                     "ONNXPRESS_ORT_SECONDS=N waits longer; ONNXPRESS_ORT=none uses the built-in evaluator instead");
    } else {
      death_.emplace(fmt::format("{} {} while {}", engine_, platform::to_string(end, 0), what), false,
                     "ONNXPRESS_ORT=none uses the built-in evaluator instead");
    }
    throw *death_;
  }

  std::string engine_;
  double seconds_;
  std::optional<EngineDied> death_;
  std::optional<platform::Forked> forked_;
};

class OwnProcessEngine : public Engine {
 public:
  OwnProcessEngine(std::shared_ptr<const Engine> engine, double seconds)
      : engine_(std::move(engine)), seconds_(seconds) {}
  std::string name() const override { return engine_->name(); }
  bool is_evaluator() const override { return engine_->is_evaluator(); }
  std::unique_ptr<Session> open(const Model& model, const EngineSettings& settings) const override {
    if (!platform::Forked::is_possible()) return engine_->open(model, settings);
    return std::make_unique<ForkedSession>(name(), seconds_, [&] { return engine_->open(model, settings); });
  }

 private:
  std::shared_ptr<const Engine> engine_;
  double seconds_;
};

}  // namespace

std::shared_ptr<const Engine> in_own_process(std::shared_ptr<const Engine> engine, double seconds) {
  return std::make_shared<OwnProcessEngine>(std::move(engine), seconds);
}

double patience() {
  constexpr double kUsual = 600;
  const char* const named = std::getenv("ONNXPRESS_ORT_SECONDS");
  if (!named || !*named) return kUsual;
  char* end = nullptr;
  const double seconds = std::strtod(named, &end);
  if (*end != '\0' || !(seconds > 0))
    throw Error("ONNXPRESS_ORT_SECONDS", fmt::format("{} is not a number of seconds", quote_name(named)),
                "use a number above 0, such as 600");
  return seconds;
}

}  // namespace onnxpress::engines
