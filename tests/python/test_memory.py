"""`onnxpress memory`: plans of all real models are correct (checked here for every pair of values alive at the same time), the C header
compiles, and a model with reordered nodes computes the same with a lower peak. `profile --time` assigns kernels to nodes."""
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
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ARGUMENTS, sys.argv = sys.argv[1:], sys.argv[:1]
from test_models_run import SIZES, inputs_of, session_of  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
make, FLOAT = onnx.helper, onnx.TensorProto.FLOAT
WITHIN = 1.02  # of the live peak


def call(*arguments):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


def fan(branches=6, size=64):
    """Branches with large inner values and small results: running all first halves before all second halves is a bad order."""
    nodes = [make.make_node("Expand", ["x", "shape"], [f"big{i}"], name=f"grow{i}") for i in range(branches)]
    nodes += [make.make_node("ReduceSum", [f"big{i}", "axes"], [f"small{i}"], name=f"sum{i}") for i in range(branches)]
    nodes += [make.make_node("Concat", [f"small{i}" for i in range(branches)], ["y"], name="join", axis=0)]
    constants = [onnx.numpy_helper.from_array(numpy.array([size, size], numpy.int64), "shape"),
                 onnx.numpy_helper.from_array(numpy.array([0], numpy.int64), "axes")]
    graph = make.make_graph(nodes, "g", [make.make_tensor_value_info("x", FLOAT, [1, size])],
                            [make.make_tensor_value_info("y", FLOAT, [branches, size])], constants)
    return make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8)


class MemoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check_plan(self, report, align):
        values = [each for each in report["values"] if each["bytes"] > 0]
        for each in values:
            self.assertLessEqual(each["offset"] + each["bytes"], report["pool"])
            self.assertEqual(each["offset"] % align, 0)
        values.sort(key=lambda each: each["first"])
        alive = []
        for value in values:
            alive = [each for each in alive if each["last"] >= value["first"]]
            for other in alive:
                apart = other["offset"] + other["bytes"] <= value["offset"] or value["offset"] + value["bytes"] <= other["offset"]
                # A view shares the memory of its operand; with in-place operation, the operand ends where the result begins.
                shared = other["offset"] == value["offset"] and value["shares"] in ("view", "in place")
                self.assertTrue(apart or shared, f"{other['name']} and {value['name']}")
            alive.append(value)

    def test_plans_of_real_models_hold(self):
        for path in sorted(MODELS.glob("*.onnx")):
            sizes = [text for dim, size in SIZES.get(path.stem, {}).items() for text in ("--dim", f"{dim}={size}")]
            for align in (1, 64):
                with self.subTest(model=path.stem, align=align):
                    report = json.loads(call("memory", path, "--json", "--align", align, *sizes))
                    self.check_plan(report, align)
                    self.assertGreaterEqual(report["pool"], report["peak"])
                    self.assertLessEqual(report["pool"], WITHIN * report["peak"] + 1)

    def test_header_compiles(self):
        compiler = shutil.which("cc") or shutil.which("clang") or shutil.which("gcc")
        if not compiler:
            self.skipTest("no C compiler")
        model = fan(3)
        model.graph.node[0].output[0] = model.graph.node[3].input[0] = 'odd"\\name\n'
        onnx.save(model, self.folder / "2 odd-name.onnx")
        call("memory", self.folder / "2 odd-name.onnx", "-o", self.folder / "plan.h", "--align", 16)
        (self.folder / "main.c").write_text('#include "plan.h"\n#include <stdio.h>\nint main(void) {\n  size_t end = 0; unsigned i;\n'
                                            "  for (i = 0; i < MODEL_2_ODD_NAME_TENSOR_COUNT; ++i) {\n"
                                            "    size_t last = model_2_odd_name_tensors[i].offset + model_2_odd_name_tensors[i].bytes;\n"
                                            "    if (last > end) end = last;\n  }\n"
                                            '  printf("%u", (unsigned)(end <= MODEL_2_ODD_NAME_POOL_BYTES));\n  return 0;\n}\n')
        subprocess.run([compiler, "-std=c99", "-Wall", "-Werror", "main.c", "-o", "main"], cwd=self.folder, check=True)
        self.assertEqual(subprocess.run([self.folder / "main"], capture_output=True, text=True).stdout, "1")

    def test_another_order_needs_less_and_computes_the_same(self):
        for branches, optimal, old in ((5, True, False), (5, True, True), (40, False, False)):
            with self.subTest(branches=branches, old=old):
                path, better = self.folder / "fan.onnx", self.folder / "better.onnx"
                model = fan(branches)
                if old:  # in the style of old files, which list their weights as inputs, too
                    model.graph.input.extend(make.make_tensor_value_info(each.name, each.data_type, each.dims) for each in model.graph.initializer)
                onnx.save(model, path)
                report = json.loads(call("memory", path, "--reorder", "--json", "-o", better))
                self.assertEqual(report["optimal_order"], optimal)
                self.assertLess(report["peak"], report["peak_before"] / 3)
                onnx.checker.check_model(onnx.load(better))
                self.assertEqual(json.loads(call("memory", better, "--json"))["peak"], report["peak"])
                feeds = {"x": numpy.arange(64, dtype=numpy.float32).reshape(1, 64)}
                before, after = (session_of(each).run(None, feeds) for each in (path, better))
                self.assertEqual(before[0].tobytes(), after[0].tobytes())

    def test_times_are_joined_with_nodes(self):
        for name in ("ppocr_v4_det", "ddddocr", "silero_vad_legacy"):
            path = MODELS / f"{name}.onnx"
            if not path.exists():
                continue
            with self.subTest(model=name):
                feeds = inputs_of(name, session_of(path), False, numpy.random.default_rng(1))
                options = []
                for key, value in feeds.items():
                    options += ["--value", f"{key}={int(value)}"] if value.shape == () else ["--shape", f"{key}={'x'.join(map(str, value.shape))}"]
                options += [] if name == "ddddocr" else ["--device", "t4"]  # measure this machine only once, because it takes a while
                report = json.loads(call("profile", path, "--time", "--time-threads", 1, "--runs", 3, "--json", *options))
                self.assertGreaterEqual(report["time"]["joined"], 0.99)
                self.assertEqual(report["time"]["runs"], 3)
                # The work of a node is done by its own kernel, or by one that lists the node as covered.
                covered = {other for node in report["node_list"] for other in node["covers"]}
                for node in report["node_list"]:
                    if node["depth"] == 0 and node["counted"] and node["macs"]:
                        self.assertTrue(node["microseconds"] is not None or node["name"] in covered, node["name"])
                    if node["microseconds"] is not None:
                        self.assertGreaterEqual(node["p90_microseconds"], node["microseconds"])
                self.assertEqual(report["roof"]["cache_gb_per_s"] > 0, name == "ddddocr")
                times = sum(node["microseconds"] or 0 for node in report["node_list"])
                self.assertAlmostEqual(times / 1000, report["time"]["kernels_ms"] * report["time"]["joined"], delta=0.01 * times / 1000 + 1e-6)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *ARGUMENTS], verbosity=1)
