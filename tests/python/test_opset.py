"""`optimize --opset`: official operator tests and real models, converted to newer opsets, compute the same in ONNX Runtime.

EVERY=n takes every n-th official test (default 8), OPSETS=21,24 other versions, MOST=bytes larger real models.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import onnx
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from test_mutated import inputs_of, session_of  # noqa: E402
from test_optimize import distance  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
OFFICIAL = Path(os.environ.get("OFFICIAL_MODELS", "/usr/share/libonnx-testdata/data"))
EVERY = int(os.environ.get("EVERY", "8"))
OPSETS = [int(each) for each in os.environ.get("OPSETS", "17,21").split(",")]
MOST = int(os.environ.get("MOST", "3000000"))
# Cannot be expressed in the new version.
IMPOSSIBLE = {"test_scan_sum"}


def opset_of(model):
    return next((each.version for each in model.opset_import if each.domain in ("", "ai.onnx")), None)


def official_inputs(folder, session):
    inputs = {}
    for i, value in enumerate(session.get_inputs()):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((folder / f"test_data_set_0/input_{i}.pb").read_bytes())
        inputs[value.name] = onnx.numpy_helper.to_array(tensor)
    return inputs


class OpsetTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "in").mkdir()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def converted(self, paths, opset):
        out = self.folder / f"out{opset}"
        errors = ""
        for begin in range(0, len(paths), 100):
            done = subprocess.run([ONNXPRESS, "optimize", *paths[begin:begin + 100], self.folder / "absent.onnx", "-o", out, "--opset", str(opset),
                                   "--only", "inline-functions"], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 3), done.stderr[-2000:])
            errors += done.stderr
        return out, errors

    def check(self, cases, opset):
        """Cases are (path, inputs, outputs)."""
        out, errors = self.converted([path for path, _, _ in cases], opset)
        failed, same = [], 0
        for path, inputs, expected in cases:
            result = out / path.name
            if not result.exists():
                if path.stem not in IMPOSSIBLE:
                    failed.append(f"{path.name}: not converted")
                continue
            self.assertEqual(opset_of(onnx.load(result, load_external_data=False)), opset)
            try:
                found = session_of(result).run(None, inputs)
            except Exception as problem:
                if "NOT_IMPLEMENTED" not in str(problem):  # ONNX Runtime has no kernel for the new version yet
                    failed.append(f"{path.name}: {str(problem)[:200]}")
                continue
            far = distance(expected, found)
            if far > 1e-5:
                failed.append(f"{path.name}: outputs differ by {far:.2g}")
            same += 1
        self.assertFalse(failed, "\n".join(failed) + "\n" + errors[-2000:])
        return same

    def test_official_operators(self):
        cases = {opset: [] for opset in OPSETS}
        for path in sorted(OFFICIAL.glob("**/model.onnx"))[::EVERY]:
            model = onnx.load(path)
            if opset_of(model) is None or "bernoulli" in str(path) or "dropout" in str(path):
                continue
            named = self.folder / "in" / f"{path.parent.name}.onnx"
            shutil.copy(path, named)
            try:
                session = session_of(path)
                inputs = official_inputs(path.parent, session)
                outputs = session.run(None, inputs)
            except Exception:
                continue
            for opset in OPSETS:
                if opset_of(model) < opset:
                    cases[opset].append((named, inputs, outputs))
        for opset in OPSETS:
            self.assertGreater(self.check(cases[opset], opset), 400 // EVERY)

    def test_real_models(self):
        for opset in OPSETS:
            cases = []
            for path in sorted(MODELS.glob("*.onnx")):
                if path.stat().st_size > MOST or opset_of(onnx.load(path)) >= opset:
                    continue
                session = session_of(path)
                try:
                    inputs = inputs_of(session)
                    cases.append((path.resolve(), inputs, session.run(None, inputs)))
                except Exception:
                    continue
            self.check(cases, opset)


if __name__ == "__main__":
    unittest.main()
