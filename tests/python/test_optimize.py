"""`optimize` on models that it was not tuned for: official ones, small graphs with bodies and functions, random mutations of both,
graphs of patterns that the rewrites look for (random_patterns.py), and the real models. ONNX Runtime must load the result and compute the
same: the same bits with --exact, otherwise up to rounding.

COUNT=n makes n mutants (default 300), PATTERNS=n graphs of patterns (default 150), SEED=n chooses other ones, MOST=bytes takes larger
real models, KEEP=folder keeps failures.
"""
import collections
import json
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
import test_models_run  # noqa: E402
from mutations import built_models, is_random, mutate, official_models  # noqa: E402
from pattern_functions import put_function  # noqa: E402
from pattern_goldens import GoldenBuilder  # noqa: E402
from random_patterns import PatternBuilder  # noqa: E402
from test_mutated import digest_of, inputs_of, session_of  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
COUNT = int(os.environ.get("COUNT", "300"))
PATTERNS = int(os.environ.get("PATTERNS", "150"))
SEED = int(os.environ.get("SEED", "1"))
MOST = int(os.environ.get("MOST", "3000000"))
KEEP = os.environ.get("KEEP")
APPROXIMATION = 2e-3  # that of Gelu is off by 5e-4, however large the result is


def run_in_child(path, inputs):
    try:
        session = session_of(path)
        inputs = inputs if inputs is not None else inputs_of(session)
        return None if inputs is None else (inputs, session.run(None, inputs))
    except Exception:
        return None


class Runner:
    """ONNX Runtime in a separate process, because a mutant may crash it."""

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


def no_difference(path, outputs):
    return 0


def rounding(path, outputs):
    half = any(isinstance(each, numpy.ndarray) and each.dtype == numpy.float16 for each in outputs)
    return 2e-2 if half else 1e-4


class Optimized(unittest.TestCase):
    """Optimizes models in a folder and compares their outputs."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())

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
        """Cases are (path, inputs, outputs); `allowed` returns how much the outputs of a case may differ."""
        results = self.optimize([path for path, _, _ in cases], *options)
        failed = []
        for path, inputs, expected in cases:
            result = results[path]
            if not result.exists():
                failed.append(f"{path.name}: nothing was written")
            elif not (found := outputs_of(result, inputs)):
                failed.append(f"{path.name}: ONNX Runtime refuses the result")
            elif (far := distance(expected, found[1])) > allowed(path, expected):
                failed.append(f"{path.name}: outputs differ by {far:.2g}")
            elif "--allow-growth" not in options and result.stat().st_size > path.stat().st_size:
                failed.append(f"{path.name}: larger")
            else:
                continue
            if KEEP:
                shutil.copy(path, Path(KEEP) / path.name)
        self.assertFalse(failed, "\n".join(failed))


class OptimizeTest(Optimized):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
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
            except (ValueError, TypeError):  # the onnx package cannot build it
                continue
            ran = outputs_of(path)
            if ran:
                cls.cases.append((path, *ran))
        print(f"seed {SEED}: ONNX Runtime runs {len(cls.cases)} of {COUNT}", flush=True)

    def test_mutants_compute_the_same(self):
        self.check(self.cases, rounding)

    def test_mutants_keep_every_bit_with_exact(self):
        self.check(self.cases, no_difference, "--exact")

    def test_twice_changes_nothing_more(self):
        paths = [path for path, _, _ in self.cases[:100]]
        once = self.optimize(paths)
        again = self.optimize([path for path in once.values() if path.exists()])
        for first, second in again.items():
            self.assertEqual(first.read_bytes(), second.read_bytes(), first.name)

    def test_real_models_compute_the_same(self):
        """Decoders without and with past key values."""
        for use_cache in (False, True):
            cases = []
            for path in sorted(MODELS.glob("*.onnx")):
                if path.stat().st_size > MOST or (use_cache and "decoder_merged" not in path.stem):
                    continue
                inputs = test_models_run.inputs_of(path.stem, session_of(path), use_cache, numpy.random.default_rng(3))
                ran = outputs_of(path, inputs)
                self.assertTrue(ran, path.name)
                cases.append((path.resolve(), *ran))
            self.check(cases, rounding)


def nudged(inputs):
    """Changes each number by a millionth, up or down, because a norm would cancel a common change."""
    rng = numpy.random.default_rng(SEED)
    return {name: (array * (1 + 1e-6 * rng.choice([-1, 1], array.shape))).astype(array.dtype) if array.dtype.kind == "f" else array
            for name, array in inputs.items()}


class PatternTest(Optimized):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cases, cls.floors = [], {}
        for i in range(PATTERNS):
            rng = random.Random(f"patterns/{SEED}/{i}")
            builder = PatternBuilder(rng, onnx, numpy) if i % 2 else GoldenBuilder(rng)
            model = builder.build()
            if model is None:
                continue
            if rng.random() < 0.1:
                put_function(model, rng)
            path = cls.folder / f"p{i}.onnx"
            path.write_bytes(model.SerializeToString())
            inputs = {value.name: builder.feeds[value.name] for value in model.graph.input if value.name in builder.feeds}
            if (ran := outputs_of(path, inputs)) and (moved := outputs_of(path, nudged(inputs))):
                cls.cases.append((path, *ran))
                cls.floors[path] = distance(ran[1], moved[1])
        print(f"seed {SEED}: ONNX Runtime runs {len(cls.cases)} of {PATTERNS} graphs of patterns", flush=True)

    def test_patterns_compute_the_same(self):
        """Even if the result takes more bytes: with such small weights, most do."""
        self.check(self.cases, lambda path, outputs: max(rounding(path, outputs), 10 * self.floors[path]), "--allow-growth")

    def test_patterns_keep_every_bit_with_exact(self):
        self.check(self.cases, no_difference, "--exact")

    def test_patterns_compute_the_same_with_ops_of_onnx_runtime(self):
        """Its kernels for quantized products and attention round at other points."""
        self.check(self.cases, lambda path, outputs: max(2 * rounding(path, outputs), 10 * self.floors[path]), "--target", "ort", "--allow-growth")

    def test_patterns_compute_nearly_the_same_with_approximations(self):
        def allowed(path, outputs):  # as a share of the largest element
            largest = max([float(numpy.max(numpy.abs(each))) for each in outputs if isinstance(each, numpy.ndarray) and each.dtype.kind == "f" and each.size] + [0])
            return max(APPROXIMATION / max(min(largest, 1), 1e-6), 10 * self.floors[path])
        self.check(self.cases, allowed, "--approximate", "--target", "ort", "--allow-growth")

    def test_patterns_compute_the_same_in_our_evaluator(self):
        """--verify runs both models there and leaves out rewrites that change an output: there must be none."""
        paths = [path for path, _, _ in self.cases]
        done = subprocess.run([ONNXPRESS, "optimize", *paths, "-o", self.folder / "verified", "--verify", "--allow-growth", "--json"], capture_output=True,
                              text=True, env={**os.environ, "ONNXPRESS_ORT": "none"})
        rows = json.loads(done.stdout)["models"]
        self.tell_what_fired(rows)
        self.assertEqual(len(rows), len(paths))
        checks = {row["file"]: row["check"] for row in rows}
        wrong = [f"{file}: {check['left_out']} {check['reason']}" for file, check in checks.items() if check["left_out"]]
        self.assertFalse(wrong, "\n".join(wrong))
        done = sum(check["done"] for check in checks.values())
        self.assertGreater(done, 0.7 * len(checks), [check["reason"] for check in checks.values() if not check["done"]][:5])

    def tell_what_fired(self, rows):
        """In how many graphs each rewrite was applied. A default rewrite that is never applied would not be tested here."""
        fired = collections.Counter(each["rewrite"] for row in rows for each in row["rewrites"])
        table = subprocess.run([ONNXPRESS, "optimize", "--list"], capture_output=True, text=True).stdout.splitlines()
        listed = [line.split()[0] for line in table[1:] if not any(word in line[:60] for word in ("on request", "target ort", "approximat"))]
        never = [name for name in listed if name not in fired]
        print("fired in graphs: " + ", ".join(f"{name} {count}" for name, count in sorted(fired.items())) + f"\nnever: {', '.join(never) or 'none'}", flush=True)


if __name__ == "__main__":
    unittest.main()
