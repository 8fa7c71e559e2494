"""Several models with one shared file of weights: each result is a valid model for the onnx package, loads in ONNX Runtime by
itself, and computes the same bits.
"""
import json
import os
import shutil
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
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

from test_models_run import MERGED, inputs_of
from test_shrink import bits, session_of
from test_shrink_lookalikes import inputs_of as random_inputs

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))


def call(*arguments, code=0):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.returncode}: {done.stderr}"
    return done.stdout if code == 0 else done.stderr


def external_tensors(path):
    """{(offset, length)} of a model's tensors in external files, and the names of these files."""
    found, names = [], set()
    for tensor in onnx.external_data_helper._get_all_tensors(onnx.load(path, load_external_data=False)):
        if tensor.data_location == TensorProto.EXTERNAL:
            entries = {entry.key: entry.value for entry in tensor.external_data}
            names.add(entries["location"])
            found.append((int(entries["offset"]), int(entries["length"])))
    return found, names


class ShareTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def check_outputs(self, before, after, inputs):
        for a, b in zip(session_of(before).run(None, inputs), session_of(after).run(None, inputs)):
            self.assertEqual(bits(a), bits(b))
        onnxruntime.InferenceSession(str(after), providers=["CPUExecutionProvider"])

    def check_alone(self, output, name):
        """A copy of the model and the shared file, without the other models, is a valid model."""
        with tempfile.TemporaryDirectory() as other:
            for file in (output.name, name):
                shutil.copy(output.parent / file, other)
            onnx.checker.check_model(str(Path(other) / output.name))
            onnxruntime.InferenceSession(str(Path(other) / output.name), providers=["CPUExecutionProvider"])

    def check_file(self, outputs, name):
        """Aligned, without overlaps, and no content twice."""
        places = set()
        for output in outputs:
            found, names = external_tensors(output)
            self.assertEqual(names, {name})
            places |= set(found)
        data = (outputs[0].parent / name).read_bytes()
        end, contents = 0, set()
        for offset, length in sorted(places):
            self.assertGreaterEqual(offset, end)
            self.assertEqual(offset % (65536 if length >= 1 << 20 else 4096), 0)
            end = offset + length
            contents.add(data[offset:end])
        self.assertEqual(end, len(data))
        self.assertEqual(len(contents), len(places))

    def test_generated_pair(self):
        models = [self.folder / "encoder.onnx", self.folder / "decoder.onnx"]
        for model, layers in zip(models, (2, 4)):
            call("generate", "transformer", "--seed", 5, "--layers", layers, "-o", model)
        report = json.loads(call("shrink", *models, "--share", "weights.data", "-o", self.folder / "out", "--verify", "--json"))
        outputs = [self.folder / "out" / model.name for model in models]
        before = sum(model.stat().st_size for model in models)
        after = sum(file.stat().st_size for file in (self.folder / "out").iterdir())
        self.assertEqual((report["before"], report["after"]), (before, after))
        self.assertLess(after, 0.65 * before)
        self.assertGreater(report["shared"]["references"], report["shared"]["tensors"])
        self.assertTrue(all(each["verified"] for each in report["models"]))
        self.check_file(outputs, "weights.data")
        for model, output in zip(models, outputs):
            self.check_alone(output, "weights.data")
            self.check_outputs(model, output, random_inputs(session_of(model)))

    def test_does_not_destroy_what_it_reads(self):
        models = [self.folder / "a.onnx", self.folder / "b.onnx"]
        for model in models:
            call("generate", "transformer", "--layers", 1, "-o", model, "--external-data", model.name + ".data")
        error = call("shrink", *models, "--share", "a.onnx.data", code=3)
        self.assertIn("which it would overwrite", error)
        self.assertIn("one of the models", call("shrink", *models, "--share", "a.onnx", code=3))

    def test_moonshine(self):
        for size in ("tiny", "base"):
            models = [MODELS / f"moonshine_{size}_{part}.onnx" for part in ("encoder", "decoder_merged")]
            if not all(model.exists() for model in models):
                self.skipTest("no models (scripts/fetch_models)")
            out = self.folder / size
            report = json.loads(call("shrink", *models, "--share", "weights.data", "-o", out, "--json"))
            after = sum(file.stat().st_size for file in out.iterdir())
            self.assertEqual(report["after"], after)
            self.assertLess(after, sum(model.stat().st_size for model in models))
            print(f"moonshine {size}: {report['before']:,} -> {after:,}", flush=True)
            for model in models:
                if report["shared"]["path"]:
                    self.check_alone(out / model.name, "weights.data")
                session = session_of(model)
                for use_cache in MERGED if "decoder_merged" in model.stem else [False]:
                    self.check_outputs(model, out / model.name,
                                       inputs_of(model.stem, session, use_cache, numpy.random.default_rng(7)))


if __name__ == "__main__":
    unittest.main()
