#!/usr/bin/env python3
"""`onnxpress verify` on models that leave sizes open: which sizes it tries, and that it needs little memory to find some that work.

Skips (exit code 77) without the Python packages onnx and onnxruntime.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    from cached_decoder import cached_decoder
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/dev/onnxpress")).resolve()
LIBRARY = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
SUPPRESSIONS = Path(__file__).resolve().parent.parent / "support" / "lsan_suppressions.txt"
ENVIRONMENT = {**os.environ, "ONNXPRESS_ORT": str(LIBRARY),
               "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:print_suppressions=0"}
MOST_MEMORY = 2 << 30  # attention scores of 16,000 tokens take 4 GB


def model_of(nodes, inputs, outputs, weights=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(array, name) for name, array in weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape))


def sizes_in(run):
    """{"batch_size": 1, ...} of "random, batch_size=1, ..."."""
    return {name: int(size) for name, size in re.findall(r", ([^=]+)=(\d+)", run)}


class VerifySizes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="onnxpress_sizes")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def verify(self, model, *arguments, expect=0):
        path = self.folder / "m.onnx"
        onnx.save(model, path)
        with open(self.folder / "out", "w+b") as out, open(self.folder / "err", "w+b") as err:
            process = subprocess.Popen([ONNXPRESS, "verify", path, path, *arguments], stdout=out, stderr=err, env=ENVIRONMENT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        said = (self.folder / "err").read_text()
        self.assertEqual(process.returncode, expect, said)
        self.assertLess(usage.ru_maxrss * 1024, MOST_MEMORY)
        return (self.folder / "out").read_text() if expect == 0 else said

    def runs(self, model, *arguments):
        return json.loads(self.verify(model, "--json", *arguments))["engines"][0]["runs"]

    def test_decoders_with_caches(self):
        past = "past_sequence_length"
        for total, sequence, strict in [("total_sequence_length", "sequence_length", True), (f"{past} + sequence_length", "sequence_length", True),
                                        (f"{past} + 1", 1, True), ("attention_mask_length", "sequence_length", True),
                                        ("total_sequence_length", "sequence_length", False), ("mask", "tokens", False)]:
            for runtime in ("ort", "onnxpress"):
                with self.subTest(total=total, runtime=runtime):
                    runs = self.runs(cached_decoder(total, sequence, strict), "--engine", runtime)
                    self.assertGreaterEqual(len(runs), 10)
                    for run in runs:
                        sizes = sizes_in(run)
                        new = sizes.get(sequence, 1)
                        self.assertEqual(sizes[total], sizes[past] + new, run)
                        self.assertGreater(sizes[past], 0, run)
                        self.assertLessEqual(sizes[total], 16, run)
                    self.assertGreater(len({sizes_in(run)[past] for run in runs}), 1, runs)

    def test_text_says_the_sizes(self):
        self.assertIn(", batch_size=1 to 3, sequence_length=2 to 4, total_sequence_length=4 to 6, past_sequence_length=2 to 4\n", self.verify(cached_decoder(), "--engine", "onnxpress"))

    def test_sizes_that_cannot_work_are_found_out_cheaply(self):
        # The scores have S * S elements; after that no size fits.
        model = model_of([helper.make_node("Transpose", ["x"], ["turned"], perm=[0, 2, 1]), helper.make_node("MatMul", ["x", "turned"], ["scores"]),
                          helper.make_node("Softmax", ["scores"], ["shares"]), helper.make_node("Reshape", ["shares", "odd"], ["y"])],
                         [floats("x", "batch", "S", 64)], [floats("y", "rows", 10007)], [("odd", numpy.array([-1, 10007]))])
        for runtime in ("ort", "onnxpress"):
            with self.subTest(runtime):
                report = json.loads(self.verify(model, "--json", "--engine", runtime))
                self.assertRegex(report["engines"][0]["reason"], "larger sizes were not tried, because a run with batch=1, S=16000 takes")

    def test_images_that_must_be_large(self):
        kernel = numpy.full((4, 3, 300, 300), 1e-5, numpy.float32)
        model = model_of([helper.make_node("Conv", ["x", "w"], ["y"], strides=[64, 64])], [floats("x", "batch", 3, "height", "width")],
                         [floats("y", "batch", 4, "h", "w_")], [("w", kernel)])
        runs = self.runs(model, "--engine", "ort", "--sets", "3")
        self.assertEqual(runs[0], "random, batch=1, height=512, width=512")

    def test_sizes_without_names(self):
        model = model_of([helper.make_node("Relu", ["x"], ["y"])], [floats("x", None, 3, None)], [floats("y", None, 3, None)])
        self.assertEqual(self.runs(model)[0], "random, x.0=1, x.2=2")


if __name__ == "__main__":
    unittest.main()
