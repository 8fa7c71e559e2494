"""`onnxpress check` refuses everything that onnx.checker (with full check) refuses: tests the official models as they are, and seeded mutants.

Refusing more is fine where ONNX Runtime refuses it too, or where the standard is clear; EXPECTED_EXTRA says which codes may do so.
With --seeds FIRST LAST it prints a table for these seeds instead.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import onnx
except ImportError:
    print("SKIPPED: needs onnx (scripts/setup test installs it)")
    sys.exit(77)

from mutate_model import mutant

PROGRAM = os.environ.get("ONNXPRESS", "build/onnxpress")
OFFICIAL = Path(os.environ.get("OFFICIAL_MODELS", "/usr/share/libonnx-testdata/data"))
REAL = Path(os.environ.get("MODELS", "models"))
SMALL = 60_000  # bytes
MUTANTS = 500

# The checker's own expansion of this op is wrong for old versions: it makes Constants without a value.
CHECKER_IS_WRONG = {"test_mvn"}
# What onnx.checker accepts and we do not, and why.
EXPECTED_EXTRA = {
    "broken-rule": "shapes that follow from constants, which onnx.checker does not compute",
    "missing-input": "an empty name among variadic inputs; ONNX Runtime refuses it or cannot run it",
    "unknown-element-type": "an output whose element type is 0; ONNX Runtime refuses it",
    "attribute-reference": "a reference to a function's attribute outside of functions has no value",
    "duplicate-node-name": "ONNX Runtime refuses it",
    "duplicate-opset": "it is not specified which of the two versions counts",
    "inferred-type": "the value_info of an output contradicts the operator; onnx.checker looks at the other declaration only",
    "unknown-value": "a text that the operator does not list for its attribute; ONNX Runtime refuses it",
    "unknown-op": "ops of ai.onnx.preview.training that do not exist; ONNX Runtime refuses them",
}


def refusal(model):
    try:
        onnx.checker.check_model(model, full_check=True)
    except Exception as problem:  # the package raises several kinds
        return str(problem).strip().splitlines()[0]
    return None


def check(paths):
    """The report on each file, in one process. --limit 1 is enough: the first finding is the most severe."""
    run = subprocess.run([PROGRAM, "check", "--json", "--limit", "1", *map(str, paths)], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 3):
        raise AssertionError(f"exit {run.returncode}: {run.stderr[-3000:]}")
    return json.loads(run.stdout)["models"]


def code_of(report):
    return report["findings"][0]["code"] if report.get("findings") else "unreadable"


def official_models():
    return sorted(OFFICIAL.rglob("*.onnx"))


def small_valid_models():
    models = []
    for path in official_models():
        if path.stat().st_size <= SMALL:
            model = onnx.load(path)
            if refusal(model) is None:
                models.append(model)
    return models


def judge_mutants(folder, seeds):
    """Yields (mutation, seed, what onnx.checker says, our report)."""
    sources = small_valid_models()
    said = {}
    for seed in seeds:
        name, model = mutant(sources, seed)
        path = Path(folder, f"{seed:06}.onnx")
        path.write_bytes(model.SerializeToString())
        said[str(path)] = (name, seed, refusal(model))
    for report in check([folder]):
        yield *said[report["file"]], report


@unittest.skipUnless(OFFICIAL.is_dir(), "libonnx-testdata is not installed")
class CheckMutated(unittest.TestCase):
    def test_agrees_about_official_and_real_models(self):
        paths = [path for path in official_models() if path.parent.name not in CHECKER_IS_WRONG]
        paths += [path for path in sorted(REAL.glob("*.onnx")) if path.stat().st_size < 30_000_000]
        reports = check(paths)
        self.assertEqual(len(reports), len(paths))
        refused = 0
        for path, report in zip(paths, reports):
            by_checker = refusal(onnx.load(path))
            refused += by_checker is not None
            with self.subTest(path=str(path)):
                self.assertEqual(report.get("ok"), by_checker is None, f"onnx.checker: {by_checker}; we: {report.get('findings')}")
        print(f"{len(paths)} models, {refused} of them refused by both")

    def test_refuses_what_the_checker_refuses(self):
        counts = collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            for name, seed, by_checker, report in judge_mutants(folder, range(MUTANTS)):
                with self.subTest(mutation=name, seed=seed):
                    if by_checker:
                        counts["refused by both"] += 1
                        self.assertFalse(report.get("ok"), f"onnx.checker: {by_checker}")
                    elif report.get("ok"):
                        counts["valid for both"] += 1
                    else:
                        counts["refused by us only"] += 1
                        self.assertIn(code_of(report), EXPECTED_EXTRA, report)
        print(dict(counts))
        self.assertGreater(counts["refused by both"], MUTANTS // 2)
        self.assertGreater(counts["valid for both"], MUTANTS // 10)


def print_table(first, last):
    missed, extra = collections.defaultdict(list), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for name, seed, by_checker, report in judge_mutants(folder, range(first, last)):
            if by_checker and report.get("ok"):
                missed[by_checker[:150]].append((seed, name))
            elif not by_checker and not report.get("ok"):
                extra[(code_of(report), name)].append((seed, (report.get("findings") or [report])[0]))
    for title, table in (("refused by onnx.checker only", missed), ("refused by us only", extra)):
        print(f"{title}: {sum(map(len, table.values()))}")
        for key, examples in sorted(table.items(), key=lambda item: -len(item[1])):
            print(f"  {len(examples):4} {key}  {examples[0]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seeds", nargs=2, type=int)
    arguments, rest = parser.parse_known_args()
    if arguments.seeds:
        print_table(*arguments.seeds)
    else:
        unittest.main(argv=[sys.argv[0], *rest])
