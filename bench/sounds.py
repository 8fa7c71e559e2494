"""Does `onnxpress quantize --quality DB` reach that quality on spoken sentences and tones? The program makes up its inputs and has never heard one:

  .venv/bin/python bench/sounds.py [--quality 30] [--samples 32000] [--onnxpress PATH] [model.onnx ...]

The sentences are spoken by espeak-ng (Debian's package of that name) in several voices, also quietly and in noise; the tones are a sweep, a chord and
noise. By default, all models of models/ that have one input, samples of sound as floats; those have 16 kHz.
"""
import argparse
import io
import subprocess
import sys
import wave

import numpy
from real_inputs import add_arguments, measure_all

RATE = 16000
VOICES = ("en", "en-us+f3", "de", "fr+f2", "es", "it", "ru+m5", "pt")
SENTENCES = ("The quick brown fox jumps over the lazy dog, and then it rests for a while in the warm sun.",
             "One, two, three, four. Hello? Please call me back tomorrow at nine, thank you.")


def spoken(text, voice):
    made = subprocess.run(["espeak-ng", "-v", voice, "--stdout", text], capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(made)) as file:
        sound = numpy.frombuffer(file.readframes(len(made)), "<i2") / 32768
        rate = file.getframerate()
    return numpy.interp(numpy.arange(0, len(sound) / rate, 1 / RATE), numpy.arange(len(sound)) / rate, sound)


def sounds(count):
    random, time = numpy.random.default_rng(1), numpy.arange(count) / RATE
    found = {f"{voice} {i + 1}": spoken(text, voice) for voice in VOICES for i, text in enumerate(SENTENCES)}
    found = {name: numpy.resize(sound, count) for name, sound in found.items()}
    found["sweep"] = 0.3 * numpy.sin(2 * numpy.pi * (200 + 900 * time) * time)
    found["chord"] = sum(0.2 * numpy.sin(2 * numpy.pi * pitch * time) for pitch in (262, 330, 392)) * numpy.exp(-2 * time)
    found["noise"] = 0.05 * random.standard_normal(count)
    found["quiet"] = 0.02 * found["en 1"]
    found["in noise"] = found["en 2"] + found["noise"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=2 * RATE, help="where the model leaves their number open")
    add_arguments(parser)
    arguments = parser.parse_args()

    def inputs_for(port):
        sizes = [each for each in port.shape[1:] if each != 1]  # without the batch and channels
        if port.type != "tensor(float)" or len(sizes) != 1 or isinstance(sizes[0], int) and sizes[0] < RATE // 10:
            return {}
        count = sizes[0] if isinstance(sizes[0], int) else arguments.samples
        shape = [1 if i == 0 or each == 1 else count for i, each in enumerate(port.shape)]
        return {name: sound.astype(numpy.float32).reshape(shape) for name, sound in sounds(count).items()}

    return measure_all(arguments, inputs_for)


if __name__ == "__main__":
    sys.exit(main())
