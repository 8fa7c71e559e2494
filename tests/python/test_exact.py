"""Holds every rewrite of the class `exact` to what it promises: runs its goldens with --exact, in every element type that they can be given, on
inputs with zeros of both signs, NaN, infinities, subnormals and the extremes of integers, and compares every bit of the outputs before and
after, in our evaluator and in ONNX Runtime with its optimizations off. Any NaN is as good as another.

ONLY=text takes the rewrites with this text in their names, SEED=n draws other inputs, KEEP=folder keeps the pairs that differ.
"""
import collections
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
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from golden_mutations import WHOLE  # noqa: E402
from golden_variants import ONNXPRESS, all_variants, goldens, valid  # noqa: E402
from run_pairs import Pair, Runtime, departure_of, in_evaluator  # noqa: E402
from special_inputs import input_sets  # noqa: E402
from test_mutated import session_of  # noqa: E402

ONLY = os.environ.get("ONLY", "")
SEED = int(os.environ.get("SEED", "1"))
KEEP = os.environ.get("KEEP")
INEXACT = "merge-constants"
# Exact rewrites that no golden with inputs can show, with the reason.
NOT_RUN = dict.fromkeys(WHOLE, "it works on whole models and has no goldens of its own: test_rewrites_mutated.py")


def exact_rewrites():
    table = subprocess.run([ONNXPRESS, "optimize", "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    at = table[0].index("keeps")
    return [line.split()[0] for line in table[1:] if line[at:].startswith("exact")]


def optimized(paths, out, *options):
    """path -> the rewrites that were applied."""
    fired = {}
    for begin in range(0, len(paths), 200):
        batch = paths[begin:begin + 200]
        done = subprocess.run([ONNXPRESS, "optimize", *batch, out / "absent.onnx", "-o", out, "--allow-growth", "--json", *options],
                              capture_output=True, text=True, errors="replace")
        if done.returncode not in (0, 3):
            raise AssertionError(done.stderr[-2000:])
        for row in json.loads(done.stdout)["models"]:
            if Path(row["file"]) in batch:
                fired[Path(row["file"])] = {each["rewrite"] for each in row.get("rewrites") or []}
    return fired


class ExactTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.names = [name for name in exact_rewrites() if ONLY in name and name not in NOT_RUN]
        models = cls.write_models([*cls.names, INEXACT])
        good = set(valid(sorted(models)))
        cls.models = {path: model for path, model in models.items() if path in good}
        cls.pairs = {name: cls.pairs_of(name, "--exact") for name in cls.names}

    @classmethod
    def pairs_of(cls, name, *options):
        """The models to which the rewrite applies."""
        paths = [path for path in sorted(cls.models) if path.name.startswith(name.replace("-", "_") + ".")]
        out = cls.folder / name
        out.mkdir()
        fired = optimized(paths, out, "--only", name, *options)
        return [Pair(path, out / path.name, cls.models[path], input_sets(cls.models[path], SEED)) for path in paths if name in fired.get(path, ())]

    @classmethod
    def write_models(cls, names):
        models = {}
        wanted = {name.replace("-", "_") for name in names}
        for folder, stem, golden in goldens():
            if folder not in wanted or stem.startswith("keeps_"):
                continue
            for kind, model in all_variants(golden):
                path = cls.folder / f"{folder}.{stem}.{kind}.onnx"
                path.write_bytes(model.SerializeToString())
                models[path] = model
        return models

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def failures(self, pairs, outcomes, is_allowed):
        failed = []
        for pair, found in zip(pairs, outcomes):
            wrong = [f"{pair.before.name} set {i}: {each.word}, {each.where}" for i, each in enumerate(found)
                     if each.word not in ("same", "unfit") and not is_allowed(pair, each)]
            failed += wrong
            if wrong and KEEP:
                shutil.copy(pair.before, Path(KEEP) / pair.before.name)
                shutil.copy(pair.after, Path(KEEP) / f"after.{pair.before.name}")
        return failed

    def test_every_bit_stays_in_our_evaluator(self):
        failed, ran = [], collections.Counter()
        for name, pairs in self.pairs.items():
            data = self.folder / f"data.{name}"
            data.mkdir()
            outcomes = in_evaluator(pairs, data)
            failed += self.failures(pairs, outcomes, lambda pair, outcome: False)
            ran[name] = sum(each.word == "same" for found in outcomes for each in found)
        print(f"evaluator: {sum(ran.values())} runs of {sum(map(len, self.pairs.values()))} models by {len(self.pairs)} rewrites")
        self.assertFalse(failed, f"{len(failed)} differ:\n" + "\n".join(failed))
        self.assertFalse([name for name in self.names if not ran[name]], "no golden of these rewrites was run")

    def test_every_bit_stays_in_onnx_runtime(self):
        failed, ran, runtime, self.allowed = [], collections.Counter(), Runtime(), collections.Counter()
        for name, pairs in self.pairs.items():
            outcomes = [runtime.compare(pair) for pair in pairs]
            failed += self.failures(pairs, outcomes, self.is_its_own)
            ran[name] = sum(each.word == "same" for found in outcomes for each in found)
        print(f"ONNX Runtime: {sum(ran.values())} runs; its own departures: {dict(self.allowed)}; none ran: {[n for n in self.names if not ran[n]]}")
        self.assertFalse(failed, f"{len(failed)} differ:\n" + "\n".join(failed))

    def test_finds_a_rewrite_that_is_not_exact(self):
        """The sum of x, a and b is rounded twice. If nobody noticed here that once is not the same, the tests above would show nothing."""
        pairs = self.pairs_of(INEXACT)
        data = self.folder / f"data.{INEXACT}"
        data.mkdir()
        runtime = Runtime()
        self.assertTrue(self.failures(pairs, in_evaluator(pairs, data), lambda pair, outcome: False))
        self.assertTrue(self.failures(pairs, [runtime.compare(pair) for pair in pairs], lambda pair, outcome: departure_of(pair, outcome)))

    def is_its_own(self, pair, outcome):
        """Whether the difference comes from how ONNX Runtime computes an operator, and not from the rewrite."""
        reason = departure_of(pair, outcome)
        self.allowed[reason] += 1
        return reason is not None


class DepartureTest(unittest.TestCase):
    """What departure_of() puts down to ONNX Runtime happens there without any rewrite. When a version mends one, its entry must go."""

    def run_text(self, graph, **inputs):
        model = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 17]> ' + graph)
        path = Path(tempfile.mkdtemp()) / "model.onnx"
        path.write_bytes(model.SerializeToString())
        try:
            return session_of(path).run(None, inputs)
        finally:
            shutil.rmtree(path.parent)

    def test_where_loses_the_sign_of_a_zero(self):
        zero = numpy.asarray([-0.0], "float32")
        found, = self.run_text("g (bool[1] c, float[1] x, float[1] z) => (float[1] y) { y = Where (c, x, z) }", c=numpy.asarray([True]), x=zero, z=zero + 1)
        self.assertFalse(numpy.signbit(found[0]))

    def test_a_function_depends_on_the_place(self):
        x = numpy.random.default_rng(1).random(1003).astype("float32")
        graph = "g (float[N] x) => (float[N] y) { y = Log (x) }"
        together, = self.run_text(graph, x=x)
        alone = numpy.concatenate([self.run_text(graph, x=x[i:i + 1])[0] for i in range(200)])
        self.assertTrue((together[:200] != alone).any())
        numpy.testing.assert_allclose(together[:200], alone, rtol=1e-6)

    def test_float16_is_not_rounded_between_nodes(self):
        x, one = numpy.asarray([2.0**-12], "float16"), numpy.asarray([1], "float16")
        found, = self.run_text("g (float16[1] x, float16[1] o) => (float16[1] y) { a = Add (x, o) y = Sub (a, o) }", x=x, o=one)
        self.assertEqual((x + one) - one, 0)
        self.assertEqual(found, x)

    def test_max_pool_takes_or_leaves_nan_by_its_place(self):
        graph = "g (double[1,1,2] x) => (double[1,1,1] y) { y = MaxPool <kernel_shape = [2]> (x) }"
        found = [self.run_text(graph, x=numpy.asarray([[numbers]], "float64"))[0].item() for numbers in ([1, numpy.nan], [numpy.nan, 1])]
        self.assertNotEqual(*map(numpy.isnan, found))

    def test_gather_and_loop_lose_strings(self):
        x = numpy.asarray([["a", "b"], ["c", "d"]], object)
        found, = self.run_text("g (string[2,2] x) => (string[2,2] y) <int64[2] i = {0, 1}> { y = Gather (x, i) }", x=x)
        self.assertNotEqual(found.tolist(), x.tolist())
        found, = self.run_text("""g (string[2] x) => (string[2,2] y) <int64 n = {2}, bool t = {1}> {
          z, y = Loop <body = b (int64 i, bool c, string[2] k) => (bool d, string[2] s, string[2] u) { d = Identity (c) s = Identity (k) u = Identity (k) }> (n, t, x)
        }""", x=x[0])
        self.assertNotEqual(found.tolist(), [["a", "b"], ["a", "b"]])


if __name__ == "__main__":
    unittest.main()
