"""Random models: official test models and small graphs with bodies, functions and ops of ONNX Runtime are changed at random.
Those that ONNX Runtime loads must still load after `shrink`, `shrink --shorten-names` and `infer -o`, and give the same bits.

COUNT=n makes n mutants (default 500), SEED=n chooses other ones, KEEP=folder keeps the models that failed.
"""
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

sys.path.insert(0, str(Path(__file__).parent))
from mutations import built_models, is_random, mutate, official_models  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
COUNT = int(os.environ.get("COUNT", "500"))
SEED = int(os.environ.get("SEED", "1"))
KEEP = os.environ.get("KEEP")
SECONDS = 10  # time limit for one model in ONNX Runtime
# ONNX forbids two inputs with the same name, though ONNX Runtime treats them as one; we refuse such models with an error.
HONEST_REFUSAL = "is the name of two values, so its meaning is ambiguous"

DTYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16", "tensor(bool)": "bool",
          "tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(int16)": "int16", "tensor(int8)": "int8",
          "tensor(uint64)": "uint64", "tensor(uint32)": "uint32", "tensor(uint16)": "uint16", "tensor(uint8)": "uint8",
          "tensor(string)": "str"}


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_session_config_entry("session.disable_prepacking", "1")
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def inputs_of(session):
    rng = numpy.random.default_rng(5)
    inputs = {}
    for value in session.get_inputs():
        if value.type not in DTYPES:
            return None
        shape = [d if isinstance(d, int) and d >= 0 else 2 for d in value.shape]
        if numpy.prod([float(d) for d in shape]) > 1e6:
            return None
        kind = DTYPES[value.type]
        if kind == "str":
            inputs[value.name] = numpy.array(rng.integers(0, 3, shape).astype(str).tolist(), dtype=object).reshape(shape)
        elif kind == "bool":
            inputs[value.name] = rng.integers(0, 2, shape).astype(bool)
        elif kind.startswith("float"):
            inputs[value.name] = rng.standard_normal(shape).astype(kind)
        else:
            inputs[value.name] = rng.integers(0, 3, shape).astype(kind)
    return inputs


def digest_of(values):
    total = hashlib.sha256()

    def add(value):
        if isinstance(value, (list, tuple)):
            total.update(b"[")
            for each in value:
                add(each)
        elif isinstance(value, dict):
            for key in sorted(value):
                add([key, value[key]])
        elif isinstance(value, numpy.ndarray) and value.dtype != object:
            total.update(f"{value.dtype}{value.shape}".encode())
            nans = value.dtype.kind == "f" and numpy.isnan(value)  # their payload depends on the processor
            total.update((numpy.where(nans, 0, value) if nans is not False else value).tobytes() + bytes(numpy.packbits(nans)))
        else:
            total.update(repr(value.tolist() if hasattr(value, "tolist") else value).encode())

    add(values)
    return total.hexdigest()


def outcome_of(path, twice):
    """{"loads": bool, "why": text, "digest": of the outputs, or null when it cannot be run or is random}"""
    try:
        session = session_of(path)
    except Exception as error:
        return {"loads": False, "why": str(error)[:300]}
    inputs = inputs_of(session)
    digests = []
    for _ in range(2 if twice else 1):
        try:
            digests.append(digest_of(session.run(None, inputs)) if inputs is not None else None)
        except Exception as error:
            digests.append(None)
    return {"loads": True, "digest": digests[0] if len(set(digests)) == 1 else None}


def worker():
    """Reads paths, writes outcomes. A model may crash ONNX Runtime, which then ends this process, but not the test."""
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    for line in sys.stdin:
        twice, path = line.rstrip("\n").split(" ", 1)
        signal.alarm(SECONDS)
        print(json.dumps(outcome_of(path, twice == "1")), flush=True)


def outcomes(paths, twice=False):
    """One outcome for each path; null if ONNX Runtime crashed or took too long."""
    found = []
    while len(found) < len(paths):
        rest = paths[len(found):]
        done = subprocess.run([sys.executable, __file__, "--worker"], input="".join(f"{int(twice)} {p}\n" for p in rest),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        found += lines
        if len(lines) < len(rest):
            found.append(None)
    return found


def all_outcomes(paths, twice=False):
    half = (len(paths) + 1) // 2
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda part: outcomes(part, twice), [paths[:half], paths[half:]])
    return first + second


class MutatedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        sources = official_models() + built_models()
        made = []
        for i in range(COUNT):
            rng = random.Random(f"{SEED}/{i}")
            try:
                model = mutate(rng.choice(sources)(rng), rng)
                if is_random(model):
                    continue
                path = cls.folder / f"m{i}.onnx"
                path.write_bytes(model.SerializeToString())
                made.append(path)
            except (ValueError, TypeError):  # the onnx package cannot build it
                continue
        before = all_outcomes([str(path) for path in made], twice=True)
        cls.loaded = [(path, outcome) for path, outcome in zip(made, before) if outcome and outcome["loads"]]
        for path in set(made) - {path for path, _ in cls.loaded}:
            path.unlink()
        cls.running = sum(outcome["digest"] is not None for _, outcome in cls.loaded)
        print(f"seed {SEED}: {len(made)} mutants, ONNX Runtime loads {len(cls.loaded)} and runs {cls.running}", flush=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def compare(self, what, results):
        """results: path of the mutant -> path of the result, or an error message."""
        paths = {source: path for source, path in results.items() if isinstance(path, Path)}
        after = dict(zip(paths, all_outcomes([str(path) for path in paths.values()])))
        failed = []
        for source, before in self.loaded:
            if source not in paths:
                if HONEST_REFUSAL not in results[source]:
                    failed.append((source, f"refused: {results[source]}"))
            elif after[source] is None:
                failed.append((source, "crashes ONNX Runtime"))
            elif not after[source]["loads"]:
                failed.append((source, f"does not load: {after[source]['why']}"))
            elif before["digest"] is not None and before["digest"] != after[source]["digest"]:
                failed.append((source, "computes something else"))
        if KEEP:
            Path(KEEP).mkdir(exist_ok=True)
            for source, _ in failed:
                shutil.copy(source, Path(KEEP) / f"{what}_{SEED}_{source.name}")
        self.assertEqual(failed, [], "\n" + "\n".join(f"{what} {path.name}: {why}" for path, why in failed))

    def shrink(self, what, *options):
        folder = self.folder / what
        folder.mkdir()
        results = {}
        sources = [path for path, _ in self.loaded]
        for begin in range(0, len(sources), 200):
            part = sources[begin:begin + 200]
            done = subprocess.run([ONNXPRESS, "shrink", *map(str, part), "-o", str(folder), "--json", *options],
                                  capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            for row in json.loads(done.stdout)["models"]:
                source = Path(row["file"])
                results[source] = folder / source.name if row.get("error") is None else row["error"]
        self.compare(what, results)

    def test_shrink(self):
        self.shrink("shrink")

    def test_shorten_names(self):
        self.shrink("shorten-names", "--shorten-names")

    def test_infer(self):
        folder = self.folder / "infer"
        folder.mkdir()

        def infer(path):
            done = subprocess.run([ONNXPRESS, "infer", str(path), "-o", str(folder / path.name), "--json"],
                                  capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            return folder / path.name if done.returncode == 0 else done.stderr

        sources = [path for path, _ in self.loaded]
        with ThreadPoolExecutor(2) as pool:
            self.compare("infer", dict(zip(sources, pool.map(infer, sources))))

    def test_enough(self):
        self.assertGreater(len(self.loaded), COUNT // 4)
        self.assertGreater(self.running, COUNT // 8)


if __name__ == "__main__":
    if "--worker" in sys.argv:
        worker()
    else:
        unittest.main()
