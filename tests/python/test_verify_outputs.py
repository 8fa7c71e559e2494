#!/usr/bin/env python3
"""`onnxpress verify` with files of inputs, labels and metrics, in ONNX Runtime and in our evaluator; `expand --verify`.

Skips (exit code 77) without the Python packages onnx and onnxruntime.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/dev/onnxpress")).resolve()
MODELS = Path(os.environ.get("MODELS", "models")).resolve()
LIBRARY = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
SUPPRESSIONS = Path(__file__).resolve().parent.parent / "support" / "lsan_suppressions.txt"
ENVIRONMENT = {**os.environ, "ONNXPRESS_ORT": str(LIBRARY), "VIRTUAL_ENV": sys.prefix,
               "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:print_suppressions=0"}


def classifier(path, noise=0.0):
    numbers = np.random.default_rng(1)
    w = numbers.normal(size=(16, 7)) + noise * np.random.default_rng(2).normal(size=(16, 7))
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["s"], "layer"), helper.make_node("Softmax", ["s"], ["y"])], "g",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 16])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 7])],
                              [numpy_helper.from_array(w.astype(np.float32), "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class VerifyOutputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="onnxpress_outputs")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        classifier(self.folder / "a.onnx")
        classifier(self.folder / "b.onnx", 0.05)
        (self.folder / "samples").mkdir()
        self.inputs = [np.random.default_rng(i).normal(size=(4, 16)).astype(np.float32) for i in range(3)]
        for i, array in enumerate(self.inputs):
            np.save(self.folder / "samples" / f"{i}.npy", array)

    def verify(self, *arguments, expect, **environment):
        done = subprocess.run([ONNXPRESS, "verify", *map(str, arguments), "--json"], capture_output=True, text=True, cwd=self.folder,
                              env={**ENVIRONMENT, **environment}, check=False)
        self.assertEqual(done.returncode, expect, done.stderr)
        return json.loads(done.stdout) if done.returncode < 2 else done.stderr

    def probabilities(self, name):
        session = onnxruntime.InferenceSession(self.folder / name)
        return np.concatenate([session.run(None, {"x": array})[0] for array in self.inputs])

    def test_figures_are_those_of_numpy(self):
        report = self.verify("a.onnx", "b.onnx", "--samples", "samples", "--engine", "both", expect=1)
        a, b = (self.probabilities(name).astype(np.float64) for name in ("a.onnx", "b.onnx"))
        for engine in report["engines"]:
            line = engine["outputs"][0]
            self.assertEqual(len(engine["runs"]), 3)
            self.assertAlmostEqual(line["max_abs"], np.abs(a - b).max(), places=5)
            self.assertAlmostEqual(line["top1"], (a.argmax(1) == b.argmax(1)).mean(), places=9)
            worst = min(10 * np.log10((x ** 2).sum() / ((x - y) ** 2).sum()) for x, y in zip(np.split(a, 3), np.split(b, 3)))
            self.assertAlmostEqual(line["snr"], worst, places=2)
        self.assertEqual(self.verify("a.onnx", "b.onnx", "--samples", "samples", "--quality", "10", expect=0)["verdict"], "equal")

    def test_labels(self):
        labels = np.arange(12) % 7
        np.save(self.folder / "labels.npy", labels)
        report = self.verify("a.onnx", "b.onnx", "--samples", "samples", "--labels", "labels.npy", "--quality", "5", expect=0)
        metrics = {line["name"]: line for line in report["metrics"]}
        for side, name in (("first", "a.onnx"), ("second", "b.onnx")):
            p = self.probabilities(name)
            self.assertAlmostEqual(metrics["cross-entropy"][side], -np.log(p[np.arange(12), labels]).mean(), places=4)
            self.assertAlmostEqual(metrics["top-1"][side], (p.argmax(1) == labels).mean(), places=9)
        np.save(self.folder / "numbers.npy", np.zeros((12, 7), np.float32))
        report = self.verify("a.onnx", "b.onnx", "--samples", "samples", "--labels", "numbers.npy", "--quality", "5", expect=0)
        self.assertAlmostEqual(report["metrics"][0]["first"], (self.probabilities("a.onnx") ** 2).mean(), places=6)
        np.save(self.folder / "few.npy", labels[:5])
        self.assertIn("there are 5 labels", self.verify("a.onnx", "b.onnx", "--samples", "samples", "--labels", "few.npy", expect=3))

    def test_metric(self):
        (self.folder / "metric.py").write_text(
            "import numpy as np\ndef metric(outputs, labels):\n    return {'mean': np.mean([o['y'].max() for o in outputs]), 'runs': len(outputs)}\n")
        report = self.verify("a.onnx", "b.onnx", "--samples", "samples", "--metric", "metric.py", "--quality", "5", expect=0)
        metrics = {line["name"]: line for line in report["metrics"]}
        self.assertEqual(metrics["runs"]["first"], 3)
        expected = np.mean([part.max() for part in np.split(self.probabilities("b.onnx"), 3)])
        self.assertAlmostEqual(metrics["mean"]["second"], expected, places=5)
        (self.folder / "bad.py").write_text("def metric(outputs, labels):\n    raise ValueError('not like this')\n")
        self.assertIn("not like this", self.verify("a.onnx", "b.onnx", "--samples", "samples", "--metric", "bad.py", expect=3))

    def test_official_form_of_inputs(self):
        sample = self.folder / "official" / "test_data_set_0"
        sample.mkdir(parents=True)
        (sample / "input_0.pb").write_bytes(numpy_helper.from_array(self.inputs[0], "x").SerializeToString())
        report = self.verify("a.onnx", "a.onnx", "--samples", "official", expect=0)
        self.assertEqual(report["engines"][0]["outputs"][0]["type"], "float[4,7]")

    def test_expand(self):
        subprocess.run([ONNXPRESS, "shrink", "a.onnx", "-o", "small.onnx", "--quiet"], cwd=self.folder, check=True, capture_output=True)
        done = subprocess.run([ONNXPRESS, "expand", "small.onnx", "-o", "back.onnx", "--verify"], cwd=self.folder, env=ENVIRONMENT, text=True,
                              capture_output=True, check=True)
        self.assertIn(f"verified: ONNX Runtime {onnxruntime.__version__} gives the same bits in all outputs\n", done.stdout)

    def test_without_a_runtime(self):
        report = self.verify("a.onnx", "b.onnx", "--sets", "1", expect=1, ONNXPRESS_ORT="none")
        self.assertEqual([engine["engine"] for engine in report["engines"]], ["onnxpress"])
        said = self.verify("a.onnx", "b.onnx", "--engine", "ort", expect=3, ONNXPRESS_ORT="none")
        self.assertIn("no ONNX Runtime was found", said)
        self.assertIn("hint: pip install onnxruntime", said)

    def test_wrong_shapes(self):
        self.assertIn("'x'", self.verify("a.onnx", "b.onnx", "--shape", "x=2x5", expect=3))
        np.save(self.folder / "samples" / "9.npy", np.zeros((4, 5), np.float32))
        for runtime in ("ort", "onnxpress"):
            said = self.verify("a.onnx", "b.onnx", "--samples", "samples", "--engine", runtime, expect=3)
            self.assertIn("9.npy", said)
            self.assertIn("[4,5]", said)

    def endless(self, name, limit):
        """y = x, after a loop of this many steps."""
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Sin", ["s"], ["t"])], "body",
            [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
             helper.make_tensor_value_info("s", TensorProto.FLOAT, [4])],
            [helper.make_tensor_value_info("on", TensorProto.BOOL, []), helper.make_tensor_value_info("t", TensorProto.FLOAT, [4])])
        graph = helper.make_graph(
            [helper.make_node("Loop", ["limit", "", "x"], ["z"], body=body), helper.make_node("Identity", ["z"], ["y"])], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])],
            [helper.make_tensor("limit", TensorProto.INT64, [], [limit])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / name)
        return name

    def test_time_limit(self):
        quick, slow = self.endless("quick.onnx", 2), self.endless("slow.onnx", 1 << 40)
        said = self.verify(quick, slow, "--time-limit", "1", expect=3)
        self.assertIn(f"the second model with random: ONNX Runtime {onnxruntime.__version__} gave no answer within 1 s", said)
        self.assertIn("--time-limit", said)

    def test_the_evaluator_answers_for_what_the_runtime_refuses(self):
        """ONNX Runtime has no kernel for Det of float64 in opset 22 and earlier; if it gets one, its answer is the same."""
        graph = helper.make_graph([helper.make_node("Det", ["x"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.DOUBLE, [3, 3])],
                                  [helper.make_tensor_value_info("y", TensorProto.DOUBLE, [])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "det.onnx")
        report = self.verify("det.onnx", "det.onnx", expect=0)
        self.assertEqual(report["engines"][-1]["engine"], "onnxpress")
        self.assertIn("does not load there", report["engines"][0]["reason"])
        self.assertIn("so the built-in evaluator runs both", report["notes"][0])
        self.assertIn("does not load there", self.verify("det.onnx", "a.onnx", "--engine", "ort", expect=1)["engines"][0]["reason"])

    def layers_and(self, name, nodes, initializers, extra):
        """Weights that can be rounded, beside nodes that a runtime does not survive."""
        graph = helper.make_graph(
            [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Identity", ["a"], ["b"]), helper.make_node("Tanh", ["b"], ["y"]), *nodes], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 64]), extra],
            [numpy_helper.from_array(np.random.default_rng(1).normal(size=(64, 64)).astype(np.float32), "w"), *initializers])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / name)

    def test_every_command_survives_its_runtime(self):
        """A run that never ends, and one that ends the process of ONNX Runtime 1.31."""
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Sin", ["s"], ["t"])], "body",
            [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("go", TensorProto.BOOL, []),
             helper.make_tensor_value_info("s", TensorProto.FLOAT, [1, 64])],
            [helper.make_tensor_value_info("on", TensorProto.BOOL, []), helper.make_tensor_value_info("t", TensorProto.FLOAT, [1, 64])])
        self.layers_and("hangs.onnx", [helper.make_node("Loop", ["limit", "", "x"], ["z"], body=body)],
                        [numpy_helper.from_array(np.array(1 << 40, np.int64), "limit")], helper.make_tensor_value_info("z", TensorProto.FLOAT, [1, 64]))
        # A ConvInteger of a scalar, which inference cannot see: its shape is cut out of another one by a number that is computed.
        self.layers_and("crashes.onnx",
                        [helper.make_node("ReduceMax", ["x"], ["top"], keepdims=0), helper.make_node("Mul", ["top", "zero"], ["f"]),
                         helper.make_node("Cast", ["f"], ["i"], to=TensorProto.INT64), helper.make_node("Reshape", ["i", "one"], ["end"]),
                         helper.make_node("Slice", ["one", "begin", "end"], ["shape"]), helper.make_node("Reshape", ["top", "shape"], ["scalar"]),
                         helper.make_node("Cast", ["scalar"], ["u"], to=TensorProto.UINT8), helper.make_node("ConvInteger", ["u", "k"], ["z"])],
                        [helper.make_tensor("k", TensorProto.UINT8, [1, 1, 2, 2], [1, 2, 3, 4]), numpy_helper.from_array(np.float32(0), "zero"),
                         numpy_helper.from_array(np.array([1], np.int64), "one"), numpy_helper.from_array(np.array([0], np.int64), "begin")],
                        helper.make_tensor_value_info("z", TensorProto.INT32, None))
        for model, said in (("hangs.onnx", "gave no answer within 1 s"), ("crashes.onnx", "crashed (signal ")):
            for words in (["quantize", "--quality", "30"], ["quantize", "--to", "auto"], ["shrink", "--verify"], ["optimize", "--verify"]):
                with self.subTest(model=model, words=words):
                    done = subprocess.run([ONNXPRESS, words[0], model, "-o", "out.onnx", *words[1:]], capture_output=True, text=True, cwd=self.folder,
                                          env={**ENVIRONMENT, "ONNXPRESS_ORT_SECONDS": "1"}, check=False, timeout=120)
                    self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                    self.assertIn(said, done.stderr)
                    self.assertIn("hint: ", done.stderr)
                    self.assertFalse((self.folder / "out.onnx").exists())

    def test_providers(self):
        quick = self.endless("quick.onnx", 2)
        said = self.verify(quick, quick, "--provider", "no such", expect=3)
        self.assertIn("has no provider 'no such'", said)
        self.assertIn("cpu", said)
        self.verify(quick, quick, "--provider", "CPUExecutionProvider", "--sets", "1", expect=0)
        self.verify(quick, quick, "--provider", "cpu", "--engine", "onnxpress", expect=2)

    def test_a_runtime_that_crashes(self):
        """ONNX Runtime 1.31 ends the whole process for a ConvInteger of a scalar. If it does not, the answer is the same."""
        def write(name, operand):
            graph = helper.make_graph(
                [helper.make_node("ReduceMax", ["x"], ["top"], keepdims=0), helper.make_node("Cast", [operand], ["u"], to=TensorProto.UINT8),
                 helper.make_node("ConvInteger", ["u", "w"], ["y"], name="conv")], "g",
                [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 4, 4])],
                [helper.make_tensor_value_info("y", TensorProto.INT32, None)],
                [helper.make_tensor("w", TensorProto.UINT8, [1, 1, 2, 2], [1, 2, 3, 4])])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / name)
            return name

        report = self.verify(write("good.onnx", "x"), write("bad.onnx", "top"), "--locate", expect=1)
        self.assertEqual(report["verdict"], "differs")
        said = self.verify(write("bad.onnx", "top"), write("good.onnx", "x"), expect=3)
        self.assertIn("the first model" if "crashed" in said else "does not", said)

    def test_a_result_that_needs_too_much_memory(self):
        """A failure at run time is a result about the second model, and does not end the command."""
        size = numpy_helper.from_array(np.array([1 << 44], np.int64), "size")
        graph = helper.make_graph([helper.make_node("ConstantOfShape", ["size"], ["huge"]), helper.make_node("ReduceSum", ["huge"], ["sum"], keepdims=0),
                                   helper.make_node("MatMul", ["x", "w"], ["s"]), helper.make_node("Add", ["s", "sum"], ["y"])], "g",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 16])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 7])],
                                  [size, numpy_helper.from_array(np.zeros((16, 7), np.float32), "w")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "huge.onnx")
        # AddressSanitizer ends the program where an allocation of ONNX Runtime should fail.
        runtime = "onnxpress" if b"__asan_init" in ONNXPRESS.read_bytes() else "both"
        report = self.verify("a.onnx", "huge.onnx", "--engine", runtime, expect=1)
        for engine in report["engines"]:
            self.assertEqual(engine["verdict"], "differs")
            self.assertIn("runs the original, but not the result: ", engine["reason"])
        self.assertIn("the original does not run there", self.verify("huge.onnx", "a.onnx", "--engine", runtime, expect=3))

    def test_our_own_results_on_real_models(self):
        for name in ("silero_vad_v5", "ppocr_v2_cls", "yolov8_nms"):
            if not (MODELS / f"{name}.onnx").exists():
                continue
            subprocess.run([ONNXPRESS, "optimize", MODELS / f"{name}.onnx", "-o", "o.onnx", "--quiet"], cwd=self.folder, check=True,
                           capture_output=True)
            # The second model has two numbers as outputs, so its floor depends on chance for speech, the fourth kind of inputs. The third has thresholds
            # as inputs.
            report = self.verify(MODELS / f"{name}.onnx", "o.onnx", "--engine", "both", "--sets", "5", expect=0)
            self.assertIn(report["verdict"], ("identical", "equal"), name)


if __name__ == "__main__":
    unittest.main()
