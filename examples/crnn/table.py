#!/usr/bin/env python3
"""Prints a table for the CRNN as in a model zoo: parameters, time, loss, accuracy, size and nodes of the original and of its variants.

    python table.py crnn.onnx [--with optimize,optimize+shrink,...] [--images 32] [--onnxpress PROGRAM]

`onnxpress bench` makes and times the variants; `onnxpress verify --metric` runs each of them on the same images. The weights are random, so the
labels are what the original reads in the images before they are slightly blurred: its accuracy is not 100 %, and can get better or worse.
"""
import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

HERE = Path(__file__).resolve().parent
VARIANTS = "onnxoptimizer+onnxsim,optimize,optimize+shrink,optimize+int8"


def images(count):
    """Smooth dark strokes on a light background, 32 x 128."""
    numbers = np.random.default_rng(3)
    rows, columns = np.mgrid[0:32, 0:128]
    made = []
    for _ in range(count):
        image = np.ones((32, 128))
        for _ in range(24):
            x, y, width, turn = numbers.uniform(0, 128), numbers.uniform(6, 26), numbers.uniform(1, 3), numbers.uniform(-1, 1)
            image -= np.exp(-((columns - x - turn * (rows - y)) ** 2) / width**2 - ((rows - y) / 9) ** 4)
        made.append(np.clip(image, 0, 1).astype(np.float32)[None, None])
    return made


def blurred(image):
    return (0.9 * image + 0.05 * np.roll(image, 1, -1) + 0.05 * np.roll(image, -1, -1)).astype(np.float32)


def call(words):
    return json.loads(subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--with", dest="variants", default=VARIANTS)
    parser.add_argument("--images", type=int, default=32)
    parser.add_argument("--seconds", default="20")
    parser.add_argument("--onnxpress", default="onnxpress")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        session = onnxruntime.InferenceSession(str(arguments.model), providers=["CPUExecutionProvider"])
        (folder / "images").mkdir()
        labels = []
        for i, image in enumerate(images(arguments.images)):
            labels.append(session.run(None, {"image": image})[0][:, 0].argmax(-1))
            np.save(folder / "images" / f"{i:04}.npy", blurred(image))
        np.save(folder / "labels.npy", np.array(labels))
        report = call([arguments.onnxpress, "bench", arguments.model, "--with", arguments.variants, "--keep", folder / "variants", "--threads", 1,
                       "--shape", "image=1x1x32x128", "--seconds", arguments.seconds, "--json"])
        print("| model | parameters | time of a run | cross-entropy | accuracy | size | nodes | error |\n|---|---:|---:|---:|---:|---:|---:|---:|")
        for row in report["rows"]:
            if row["error"]:
                print(f"| {row['name']} | {row['error']} | | | | | | |")
                continue
            compared = call_verify(arguments, folder, row["file"])
            loss = {line["name"]: line["second"] for line in compared["metrics"]}
            error = "" if row is report["rows"][0] else "same bits" if row["same_bits"] else f"{row['snr']:.1f} dB"
            print(f"| {row['name']} | {row['parameters']:,} | {row['median'] * 1e3:.2f} ms{' ~' if row['in_noise'] else ''} | {loss['cross-entropy']:.4f} | "
                  f"{loss['accuracy']:.2%} | {row['bytes'] / 1e6:.2f} MB | {row['nodes']} | {error} |", flush=True)
        noise = report["noise"]
        print(f"\n{report['runtime']}, 1 thread; two processes of the original are {noise:.1%} apart; ~ marks differences within the noise.")


def call_verify(arguments, folder, path):
    """Runs verify. If a variant differs (exit code 1), that is no failure."""
    done = subprocess.run([arguments.onnxpress, "verify", str(arguments.model), path, "--samples", str(folder / "images"), "--labels",
                           str(folder / "labels.npy"), "--metric", str(HERE / "metric.py"), "--json"], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    report["metrics"] = [line for line in report["metrics"] if line["name"] in ("cross-entropy", "accuracy")]
    return report


if __name__ == "__main__":
    main()
