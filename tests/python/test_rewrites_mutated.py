"""Mutates the models of the optimize goldens (golden_mutations.py), lets the rewrite of each golden work on its mutants, and compares the outputs
before and after, in our evaluator and in ONNX Runtime: every bit for exact rewrites with --exact, otherwise up to rounding. Counts how often
each rewrite was applied; none may be at zero, so that each was really tried.

COUNT=n makes n mutants for each rewrite (default 8), SEED=n chooses other ones, ONLY=text takes rewrites with this text in their names,
KEEP=folder keeps the models that failed.
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
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from golden_mutations import WHOLE, mutant_of  # noqa: E402
from golden_variants import ONNXPRESS, draws, goldens  # noqa: E402
from run_pairs import Outcome, Pair, Runtime, departure_of, in_evaluator, ops_in  # noqa: E402
from special_inputs import KINDS, inputs_of  # noqa: E402

COUNT = int(os.environ.get("COUNT", "8"))
SEED = int(os.environ.get("SEED", "1"))
ONLY = os.environ.get("ONLY", "")
ATTEMPTS = 5  # so many times COUNT mutants for a rewrite that was not applied yet
KEEP = os.environ.get("KEEP")
NARROW = (onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
UNREACHED = {}  # rewrites that mutants of goldens cannot reach, with the reason: none


def listed():
    """name -> class of every rewrite."""
    table = subprocess.run([ONNXPRESS, "optimize", "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    at = table[0].index("keeps")
    return {line.split()[0]: line[at:].split()[0] for line in table[1:]}


def narrow(model):
    return any(value.type.tensor_type.elem_type in NARROW for value in [*model.graph.input, *model.graph.output])


class MutatedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.classes = listed()
        cls.sources = collections.defaultdict(list)
        for folder, stem, model in goldens():
            for name in (folder.replace("_", "-"), *WHOLE):
                cls.sources[name].append((stem, model))
        cls.fired, cls.pairs, cls.exact = collections.Counter(), [], set()
        for name in sorted(cls.sources):
            if ONLY not in name:
                continue
            for attempt in range(ATTEMPTS):
                mutants = cls.mutants_of(name, attempt * COUNT)
                half = len(mutants) // 2 if cls.classes.get(name) == "exact" else 0
                cls.optimize(name, attempt, mutants[:half], True)
                cls.optimize(name, attempt, mutants[half:], False)
                if cls.fired[name] or name not in cls.classes:
                    break

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def mutants_of(cls, name, first):
        """(path, model); most from goldens to which the rewrite applies, some from those to which it must not."""
        made = []
        for i in range(first, first + COUNT):
            rng = random.Random(f"mutated/{SEED}/{name}/{i}")
            sources = cls.sources[name]
            applies = [each for each in sources if not each[0].startswith("keeps_")]
            _, golden = rng.choice(applies if applies and rng.random() < 0.8 else sources)
            model = mutant_of(golden, rng, most=1 if i % 2 else 3)
            if name in WHOLE:
                WHOLE[name](model, rng)
            if draws(model):
                continue
            path = cls.folder / f"{name}.{i}.onnx"
            try:
                path.write_bytes(model.SerializeToString())
            except ValueError:
                continue
            made.append((path, model))
        return made

    @classmethod
    def options_for(cls, name, exact):
        options = ["--allow-growth", "--json", *(["--exact"] if exact else [])]
        if name in cls.classes:
            options += ["--only", name]
        if name.startswith("ort-"):
            options += ["--target", "ort"]
        return options + (["--approximate"] if cls.classes.get(name) == "approximate" else [])

    @classmethod
    def optimize(cls, name, attempt, mutants, exact):
        if not mutants:
            return
        out = cls.folder / f"{name}.{attempt}{'.exact' if exact else ''}"
        out.mkdir()
        models = dict(mutants)
        done = subprocess.run([ONNXPRESS, "optimize", *models, out / "absent.onnx", "-o", out, *cls.options_for(name, exact)],
                              capture_output=True, text=True, errors="replace")
        if done.returncode not in (0, 3):
            raise AssertionError(f"{name}: exit code {done.returncode}: {done.stderr[-2000:]}")
        for row in json.loads(done.stdout)["models"]:
            path = Path(row["file"])
            steps = {each["rewrite"] for each in row.get("rewrites") or []}
            if path not in models or not steps:
                continue
            cls.fired.update(steps)
            sets = [inputs_of(models[path], kind, SEED, sizes) for kind, sizes in cls.kinds(exact, models[path])]
            cls.pairs.append(Pair(path, out / path.name, models[path], [each for each in sets if each is not None]))
            if exact:
                cls.exact.add(path)

    @staticmethod
    def kinds(exact, model):
        """(kind of numbers, sizes for open dims). A Slice of a single element may be empty, and ONNX Runtime joins empty tensors of any shape."""
        least = 2 if "Slice" in ops_in(model) else 1
        if exact:
            return [(kind, (2, 3) if i % 2 else (least, 4)) for i, kind in enumerate(KINDS)]
        return [("ordinary", (2, 3)), ("ordinary", (least,)), ("ordinary", (3, 4))]

    def allowed(self, path, model):
        if path in self.exact:
            return 0
        name = path.name.split(".")[0]
        rounding = 2e-2 if narrow(model) else 1e-4
        return {"approximate": 5e-2}.get(self.classes.get(name), 2 * rounding if name.startswith("ort-") else rounding)

    def wrong(self, outcomes_of, floor_of, own):
        failed, words = [], collections.Counter()
        for pair, outcomes in zip(self.pairs, outcomes_of):
            for i, each in enumerate(outcomes):
                words[each.word] += 1
                if each.word in ("same", "unfit") or each.distance <= self.allowed(pair.before, pair.model) and pair.before not in self.exact:
                    continue
                if each.word == "differs" and each.odd and pair.before not in self.exact:
                    words["overflows"] += 1  # where a number overflows is a matter of rounding
                    continue
                if own(pair, each) or (pair.before not in self.exact and each.word == "differs" and each.distance <= 10 * floor_of(pair, i)):
                    words["explained"] += 1
                    continue
                failed.append(f"{pair.before.name} set {i}: {each.word} by {each.distance:.2g}, {each.where}")
                if KEEP:
                    shutil.copy(pair.before, Path(KEEP) / pair.before.name)
                    shutil.copy(pair.after, Path(KEEP) / f"after.{pair.before.name}")
        return failed, words

    def test_mutants_compute_the_same_in_onnx_runtime(self):
        runtime = Runtime()

        def floor(pair, i):
            """How far the outputs move when the floats of the inputs change by a millionth."""
            found = runtime.call(moved_in_child, pair.before, pair.sets[i])
            return found.distance if found else 0

        failed, words = self.wrong([runtime.compare(pair) for pair in self.pairs], floor, lambda pair, outcome: departure_of(pair, outcome))
        print(f"ONNX Runtime, {len(self.pairs)} changed mutants: {dict(words)}")
        self.assertFalse(failed, f"{len(failed)} differ:\n" + "\n".join(failed))

    def test_mutants_compute_the_same_in_our_evaluator(self):
        runtime, data = Runtime(), self.folder / "data"
        data.mkdir()

        def floor(pair, i):
            found = runtime.call(moved_in_child, pair.before, pair.sets[i])
            return found.distance if found else 1e-3

        failed, words = self.wrong(in_evaluator(self.pairs, data), floor, lambda pair, outcome: False)
        print(f"evaluator, {len(self.pairs)} changed mutants: {dict(words)}")
        self.assertFalse(failed, f"{len(failed)} differ:\n" + "\n".join(failed))

    def test_every_rewrite_was_applied(self):
        names = [name for name in self.classes if ONLY in name]
        print("applied to mutants: " + ", ".join(f"{name} {self.fired[name]}" for name in names), flush=True)
        never = [name for name in names if not self.fired[name] and name not in UNREACHED]
        self.assertFalse(never, "no mutant let these rewrites apply; take a larger COUNT, or add a golden")
        self.assertFalse([name for name in UNREACHED if self.fired[name]], "these are reached now")


def moved_in_child(path, inputs):
    """An Outcome between the outputs for these inputs and for inputs that are changed a little."""
    from run_pairs import compared, opened, run_once
    rng = numpy.random.default_rng(SEED)
    nudged = {name: (array * (1 + 1e-6 * rng.choice([-1, 1], array.shape))).astype(array.dtype) if array.dtype.kind == "f" else array
              for name, array in inputs.items()}
    session = opened(path)
    first, second = (run_once(session, each) if session else None for each in (inputs, nudged))
    if first is None or second is None:
        return Outcome("unfit")
    return max((compared(x, y) for x, y in zip(first, second)), key=lambda each: each.distance, default=Outcome("same"))


if __name__ == "__main__":
    unittest.main()
