"""bench/suites/run.py: captures the models of a small test suite and of its tool, and judges what onnxpress makes of them."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

if any(importlib.util.find_spec(name) is None for name in ("onnx", "onnxruntime", "pytest")):
    print("SKIPPED: needs onnx, onnxruntime and pytest (scripts/setup test installs them)")
    sys.exit(77)

RUN = Path(__file__).resolve().parents[2] / "bench/suites/run.py"
PROGRAM = Path(os.environ.get("ONNXPRESS", "build/onnxpress")).resolve()

# A tool under the name of a real one: removes every node but the first, which is right for the first model only. It crashes on the third.
TOOL = '''
import os
def slim(model):
    if model.graph.name == "third":
        os.abort()
    del model.graph.node[1:]
    model.graph.output[0].name = model.graph.node[0].output[0]
    return model
'''
SUITE = '''
import onnx, onnxslim
HEAD = '<ir_version: 8, opset_import: ["" : 17]> '
FIRST = HEAD + "first (float[N] x) => (float[N] y) { a = Relu(x)  b = Identity(a)  y = Relu(b) }"
SECOND = HEAD + "second (float[N] x) => (float[N] y) { a = Exp(x)  y = Exp(a) }"
THIRD = HEAD + "third (float[N] x) => (float[N] y) { y = Neg(x) }"
WRONG = HEAD + "wrong (float[N] x) => (float[N] y) { y = NoSuchOperator(x) }"

def test_first():
    onnxslim.slim(onnx.parser.parse_model(FIRST))

def test_second():
    onnxslim.slim(onnx.parser.parse_model(SECOND))

def test_crash():
    onnxslim.slim(onnx.parser.parse_model(THIRD))

def test_wrong(tmp_path):
    model = onnx.parser.parse_model(WRONG)
    onnx.save(model, tmp_path / "model.onnx")
    assert False
'''


class Suites(unittest.TestCase):
    def test_a_small_suite(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "tests").mkdir()
            (folder / "onnxslim.py").write_text(TOOL)
            (folder / "tests/test_small.py").write_text(SUITE)
            command = [sys.executable, RUN, folder / "tests", "--python", sys.executable, "--import-from", folder, "--onnxpress", PROGRAM,
                       "--keep", folder / "models", "--json", folder / "lines.jsonl", "--verbs", "check,optimize,exact"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("the tool crashed 1 times", done.stdout)
            lines = [json.loads(line) for line in (folder / "lines.jsonl").read_text().splitlines()]
        found = {(line["model"].split("_", 1)[-1], line["verb"]): line for line in lines}
        first, second, wrong = "test_small_py_test_first", "test_small_py_test_second", "test_small_py_test_wrong"
        for model in (first, second):
            self.assertEqual([found[model, verb]["verdict"] for verb in ("check", "optimize", "exact")], ["same"] * 3)
        self.assertEqual([found[first, "optimize"][key] for key in ("nodes", "peer_nodes", "peer_verdict")], [1, 1, "same"])
        self.assertEqual(found[second, "optimize"]["peer_verdict"], "wrong")
        self.assertEqual((found[wrong, "check"]["verdict"], found[wrong, "optimize"]["verdict"]), ("same", "not run"))
        self.assertIn("| optimize | 4 | 3 | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 0 |", done.stdout)  # with the model that the tool crashed on
        self.assertIn("the tool's own result is wrong, or does not load, for 1", done.stdout)

    def test_a_program_that_is_wrong(self):
        """A stand-in that writes another model than it should, or crashes."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "models").mkdir()
            import onnx
            head = '<ir_version: 8, opset_import: ["" : 17]> '
            for file, body in (("good", "y = Exp(x)"), ("other", "y = Neg(x)")):
                onnx.save(onnx.parser.parse_model(f"{head} g (float[N] x) => (float[N] y) {{ {body} }}"), folder / f"{file}.onnx")
            (folder / "good.onnx").rename(folder / "models/good.onnx")
            program = folder / "program"
            program.write_text(f"#!/bin/sh\ncase \"$1 $2\" in\n*--exact) kill -ABRT $$;;\nesac\ncp {folder}/other.onnx \"$(eval echo \\${{$(($# - 1))}})\"\n")
            program.chmod(0o755)
            done = subprocess.run([sys.executable, RUN, folder / "models", "--python", sys.executable, "--onnxpress", program, "--keep",
                                   folder / "models", "--verbs", "optimize,exact"], capture_output=True, text=True, check=False, timeout=600)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"wrong: optimize: good: outputs differ by ")
            self.assertIn("crash: exact: good", done.stdout)

    def test_a_judge_that_crashes(self):
        """A model that crashes the judge each time is not run; one that crashes it only as a result is wrong."""
        spec = importlib.util.spec_from_file_location("run", RUN)
        run = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(run)
        with tempfile.TemporaryDirectory() as name:
            crashing = Path(name) / "python"
            crashing.write_text("#!/bin/sh\nread line\nkill -ABRT $$\n")
            crashing.chmod(0o755)
            judge = run.Judge(crashing)
            self.assertIn("problem", judge.ask(open="model.onnx"))
            self.assertIn("problem", judge.ask(result="result.onnx", exact=False))
            judge.close()


if __name__ == "__main__":
    unittest.main()
