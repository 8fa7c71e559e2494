"""`optimize` on models that nobody tuned it for: official ones, small graphs with bodies and functions, random mutations of both,
and the real models. ONNX Runtime must load the result and compute the same: the same bits with --exact, else up to rounding.

COUNT=n makes n mutants (default 300), SEED=n others than usual, MOST=bytes takes larger real models, KEEP=folder keeps failures.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from mutations import built_models, is_random, mutate, official_models  # noqa: E402
from test_mutated import digest_of, inputs_of, session_of  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
COUNT = int(os.environ.get("COUNT", "300"))
SEED = int(os.environ.get("SEED", "1"))
MOST = int(os.environ.get("MOST", "3000000"))
KEEP = os.environ.get("KEEP")


def run_in_child(path, inputs):
    try:
        session = session_of(path)
        inputs = inputs if inputs is not None else inputs_of(session)
        return None if inputs is None else (inputs, session.run(None, inputs))
    except Exception:
        return None


class Runner:
    """ONNX Runtime in a process of its own: a mutant may crash it."""

    def __init__(self):
        self.pool = None

    def outputs_of(self, path, inputs=None):
        """(inputs, outputs), or None when ONNX Runtime does not load or run it."""
        self.pool = self.pool or ProcessPoolExecutor(1)
        try:
            return self.pool.submit(run_in_child, path, inputs).result(timeout=60)
        except (BrokenProcessPool, TimeoutError):
            self.pool = None
            return None


RUNNER = Runner()


def outputs_of(path, inputs=None):
    return RUNNER.outputs_of(path, inputs)


def distance(a, b):
    """The largest difference as a share of the largest element; infinite for other types, shapes, nans or infinities."""
    if isinstance(a, list):
        return max([distance(x, y) for x, y in zip(a, b)] + [0 if isinstance(b, list) and len(a) == len(b) else numpy.inf])
    if not isinstance(a, numpy.ndarray) or a.dtype.kind not in "fc":
        return 0 if digest_of(a) == digest_of(b) else numpy.inf
    if not isinstance(b, numpy.ndarray) or a.dtype != b.dtype or a.shape != b.shape:
        return numpy.inf
    a, b = a.astype("float64"), b.astype("float64")
    odd = ~numpy.isfinite(a) | ~numpy.isfinite(b)
    if not numpy.array_equal(a[odd], b[odd], equal_nan=True):
        return numpy.inf
    a, b = a[~odd], b[~odd]
    return 0 if a.size == 0 else float(numpy.max(numpy.abs(a - b)) / max(numpy.max(numpy.abs(a)), 1e-6))


def tolerance_for(outputs):
    half = any(isinstance(each, numpy.ndarray) and each.dtype == numpy.float16 for each in outputs)
    return 2e-2 if half else 1e-4


class OptimizeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        sources = official_models() + built_models()
        cls.cases = []
        for i in range(COUNT):
            rng = random.Random(f"optimize/{SEED}/{i}")
            try:
                model = rng.choice(sources)(rng)
                model = model if i % 2 else mutate(model, rng)
                if is_random(model):
                    continue
                path = cls.folder / f"m{i}.onnx"
                path.write_bytes(model.SerializeToString())
            except (ValueError, TypeError):  # what the onnx package cannot build
                continue
            ran = outputs_of(path)
            if ran:
                cls.cases.append((path, *ran))
        print(f"seed {SEED}: ONNX Runtime runs {len(cls.cases)} of {COUNT}", flush=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def optimize(self, paths, *options):
        """path -> path of the result."""
        results = {}
        for begin in range(0, len(paths), 50):
            out = self.folder / f"out{len(list(self.folder.glob('out*')))}"
            out.mkdir()
            done = subprocess.run([ONNXPRESS, "optimize", *paths[begin:begin + 50], self.folder / "absent.onnx", "-o", out, *options],
                                  capture_output=True, text=True, errors="replace")
            self.assertIn(done.returncode, (0, 3), done.stderr[-2000:])
            results.update({path: out / path.name for path in paths[begin:begin + 50]})
        return results

    def check(self, cases, allowed, *options):
        results = self.optimize([path for path, _, _ in cases], *options)
        failed = []
        for path, inputs, expected in cases:
            result = results[path]
            if not result.exists():
                failed.append(f"{path.name}: nothing was written")
            elif not (found := outputs_of(result, inputs)):
                failed.append(f"{path.name}: ONNX Runtime refuses the result")
            elif (far := distance(expected, found[1])) > allowed(expected):
                failed.append(f"{path.name}: outputs differ by {far:.2g}")
            elif result.stat().st_size > path.stat().st_size:
                failed.append(f"{path.name}: larger")
            else:
                continue
            if KEEP:
                shutil.copy(path, Path(KEEP) / path.name)
        self.assertFalse(failed, "\n".join(failed))

    def test_mutants_compute_the_same(self):
        self.check(self.cases, tolerance_for)

    def test_mutants_keep_every_bit_with_exact(self):
        self.check(self.cases, lambda expected: 0, "--exact")

    def test_twice_changes_nothing_more(self):
        paths = [path for path, _, _ in self.cases[:100]]
        once = self.optimize(paths)
        again = self.optimize([path for path in once.values() if path.exists()])
        for first, second in again.items():
            self.assertEqual(first.read_bytes(), second.read_bytes(), first.name)

    def test_real_models_compute_the_same(self):
        cases = []
        for path in sorted(MODELS.glob("*.onnx")):
            if path.stat().st_size <= MOST and (ran := outputs_of(path)):
                cases.append((path.resolve(), *ran))
        self.check(cases, tolerance_for)


if __name__ == "__main__":
    unittest.main()
