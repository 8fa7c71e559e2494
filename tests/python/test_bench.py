#!/usr/bin/env python3
"""`onnxpress bench`: what it measures and compares, and that a variant which fails, crashes or hangs becomes a row and does not end the run.

Skips (exit code 77) without the Python packages onnx and onnxruntime.
"""
import csv
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

sys.path.insert(0, str(Path(__file__).resolve().parent))
from chromium import PROGRAM, Chromium  # noqa: E402

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/dev/onnxpress")).resolve()
LIBRARY = next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
SUPPRESSIONS = Path(__file__).resolve().parent.parent / "support" / "lsan_suppressions.txt"
SANITIZED = b"__asan_init" in ONNXPRESS.read_bytes()
ENVIRONMENT = {**os.environ, "ONNXPRESS_ORT": str(LIBRARY), "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:print_suppressions=0"}


def write_model(path, scale=1.0):
    numbers = np.random.default_rng(1)
    weights = [numpy_helper.from_array((numbers.normal(size=(64, 64)) / 8).astype(np.float32), f"w{i}") for i in range(2)]
    weights.append(numpy_helper.from_array(np.float32(scale), "s"))
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["a"], "first"), helper.make_node("Relu", ["a"], ["b"], "middle"),
             helper.make_node("Identity", ["b"], ["i"], "nothing"), helper.make_node("MatMul", ["i", "w1"], ["c"], "second"),
             helper.make_node("Mul", ["c", "s"], ["y"], "scaled")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 64])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="onnxpress_bench")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        write_model(self.folder / "m.onnx")

    def bench(self, *arguments, expect=0, **environment):
        done = subprocess.run([ONNXPRESS, "bench", *map(str, arguments), "--seconds", "0.3"], capture_output=True, text=True,
                              cwd=self.folder, env={**ENVIRONMENT, **environment}, check=False)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def report(self, *arguments, **environment):
        return json.loads(self.bench(*arguments, "--json", **environment).stdout)

    def test_measures_variants(self):
        report = self.report("m.onnx", "--with", "optimize,optimize+int8", "--keep", "kept", "--shape", "x=8x64")
        rows = {row["name"]: row for row in report["rows"]}
        self.assertEqual([row["name"] for row in report["rows"]], ["m.onnx", "optimize", "optimize+int8"])
        self.assertEqual([row["error"] for row in report["rows"]], ["", "", ""])
        first, simple, small = rows["m.onnx"], rows["optimize"], rows["optimize+int8"]
        self.assertEqual((first["nodes"], first["macs"], first["parameters"]), (5, 2 * 8 * 64 * 64, 2 * 64 * 64 + 1))
        self.assertLess(simple["nodes"], first["nodes"])
        self.assertLess(small["bytes"], first["bytes"] / 3)
        self.assertEqual(first["bytes"], (self.folder / "m.onnx").stat().st_size)
        self.assertLess(first["gzip"], first["bytes"])
        self.assertGreater(small["snr"], 30)
        self.assertLess(small["snr"], 80)
        for row in report["rows"]:
            self.assertGreater(row["memory"], 10 << 20)
            self.assertLessEqual(row["low"], row["median"])
            self.assertLessEqual(row["median"], row["p95"])
            self.assertAlmostEqual(row["throughput"] * row["median"], 1)
        self.assertGreaterEqual(report["rounds"], 2)
        self.assertIsNotNone(report["noise"])
        self.assertTrue((self.folder / "kept" / "m.optimize+int8.onnx").exists())

    def test_compares_files(self):
        write_model(self.folder / "other.onnx", scale=1.001)
        rows = self.report("m.onnx", "other.onnx", "m.onnx")["rows"]
        self.assertAlmostEqual(rows[1]["snr"], 60, delta=0.5)
        self.assertFalse(rows[1]["same_bits"])
        self.assertTrue(rows[2]["same_bits"])

    def test_tells_errors_from_rounding(self):
        # ONNX Runtime fuses a Gelu for one order of its factors, but not for the other.
        def write_gelu(path, half):
            constants = [numpy_helper.from_array(np.float32(n), name) for n, name in ((2 ** 0.5, "root"), (1, "one"), (half, "half"))]
            nodes = [helper.make_node("Div", ["x", "root"], ["a"]), helper.make_node("Erf", ["a"], ["b"]), helper.make_node("Add", ["b", "one"], ["c"]),
                     helper.make_node("Mul", ["c", "half"], ["d"]), helper.make_node("Mul", ["x", "d"], ["y"])]
            if path == "gelu.onnx":
                nodes[3:] = [helper.make_node("Mul", ["x", "c"], ["d"]), helper.make_node("Mul", ["d", "half"], ["y"])]
            types = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, 64]) for name in "xy"]
            graph = helper.make_graph(nodes, "g", types[:1], types[1:], constants)
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / path)

        write_gelu("gelu.onnx", 0.5)
        write_gelu("other.onnx", 0.5)
        write_gelu("wrong.onnx", 0.5001)
        report = self.report("gelu.onnx", "other.onnx", "wrong.onnx", "gelu.onnx")
        self.assertGreater(report["floor_snr"], 100)
        self.assertEqual([(row["same_bits"], row["in_floor"]) for row in report["rows"][1:]], [(False, True), (False, False), (True, False)])

    def test_what_fails_is_a_row(self):
        (self.folder / "broken.onnx").write_bytes(b"\x08\x08 this is no model")
        python = self.folder / "python"
        python.write_text("#!/bin/sh\ncase \"$2\" in *slim*) sleep 60;; *onnxsim*) kill -SEGV $$;; *) echo 'no such module' >&2; exit 1;; esac\n")
        python.chmod(0o755)
        report = self.report("m.onnx", "broken.onnx", "--with", "onnxslim,onnxsim,onnxoptimizer,optimize", "--python", python, "--time-limit", "2")
        errors = {row["name"]: row["error"] for row in report["rows"]}
        self.assertIn("broken.onnx", errors["broken.onnx"])
        self.assertEqual(errors["onnxslim"], "onnxslim took more than 2 s")
        self.assertEqual(errors["onnxsim"], "onnxsim crashed (signal 11)")
        self.assertEqual(errors["onnxoptimizer"], "onnxoptimizer ended with exit code 1: no such module")
        self.assertEqual(errors["optimize"], "")
        self.assertIsNotNone(report["rows"][0]["median"])

    def test_what_hangs_or_is_too_large_is_a_row(self):
        body = helper.make_graph([helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Abs", ["v"], ["o"])], "body",
                                 [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("c", TensorProto.BOOL, []),
                                  helper.make_tensor_value_info("v", TensorProto.FLOAT, None)],
                                 [helper.make_tensor_value_info("d", TensorProto.BOOL, []), helper.make_tensor_value_info("o", TensorProto.FLOAT, None)])
        cases = {"endless.onnx": ([helper.make_node("Loop", ["trips", "yes", "x"], ["y"], body=body)],
                                  {"trips": np.int64(1 << 50), "yes": np.bool_(True)}),
                 "huge.onnx": ([helper.make_node("ConstantOfShape", ["size"], ["h"]), helper.make_node("ReduceSum", ["h"], ["s"], keepdims=0),
                                helper.make_node("Add", ["x", "s"], ["y"])], {"size": np.array([1 << 44], np.int64)})}
        for name, (nodes, constants) in cases.items():
            graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 64])],
                                      [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 64])],
                                      [numpy_helper.from_array(np.asarray(array), key) for key, array in constants.items()])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / name)
        report = self.report("m.onnx", *cases, "--time-limit", "3", "--level", "off")
        errors = [row["error"] for row in report["rows"]]
        self.assertEqual(errors[0], "")
        self.assertIsNotNone(report["rows"][0]["median"])
        self.assertIn("took more than 3 s", errors[1])
        if SANITIZED:  # AddressSanitizer ends the worker where an allocation should have failed; it still becomes a row
            self.assertIn("exit code", errors[2])
            return
        self.assertIn("memory", errors[2].lower())
        said = self.bench("huge.onnx", "m.onnx", "--time-limit", "3").stdout
        self.assertIn("nothing was run, because the first model does not run: ", said)

    def test_wrong_shapes(self):
        self.assertIn("'x'", self.bench("m.onnx", "--shape", "x=2x5", expect=3).stderr)
        (self.folder / "samples").mkdir()
        np.save(self.folder / "samples" / "0.npy", np.zeros((4, 5), np.float32))
        self.assertIn("0.npy: input 'x' is float[n,64], but this is float[4,5]", self.bench("m.onnx", "--samples", "samples", expect=3).stderr)

    def test_without_a_runtime(self):
        report = self.report("m.onnx", "--with", "optimize", ONNXPRESS_ORT="none")
        self.assertIn("no ONNX Runtime was found", report["notes"][0])
        self.assertEqual([row["median"] for row in report["rows"]], [None, None])
        self.assertLess(report["rows"][1]["nodes"], report["rows"][0]["nodes"])

    def test_example(self):
        script = Path(__file__).resolve().parents[2] / "examples" / "crnn" / "make_crnn.py"
        subprocess.run([sys.executable, script, "crnn.onnx"], cwd=self.folder, check=True)
        rows = self.report("crnn.onnx", "--with", "optimize", "--shape", "image=1x1x32x64")["rows"]
        self.assertAlmostEqual(rows[0]["parameters"], 1.49e6, delta=1e4)
        self.assertLessEqual(rows[1]["nodes"], 25)
        self.assertEqual(rows[1]["error"], "")

    def test_unknown_variant(self):
        self.assertIn("there is no variant 'optimise'", self.bench("m.onnx", "--with", "optimise", expect=2).stderr)

    def test_times_nodes(self):
        nodes = self.report("m.onnx", "--nodes", "--level", "off", "--shape", "x=8x64")["nodes"]
        lines = {line["node"]: line for line in nodes["nodes"]}
        self.assertEqual(lines["first"]["macs"], 8 * 64 * 64)
        self.assertGreater(lines["first"]["gflops"], 0)
        self.assertAlmostEqual(sum(line["share"] for line in nodes["nodes"]), 1, places=6)

    def test_tables_and_page(self):
        done = self.bench("m.onnx", "--with", "int8", "--markdown", "--csv", "t.csv", "--report", "page.html", "--nodes")
        self.assertTrue(done.stdout.startswith("| model | size | gzip |"))
        self.assertIn("| int8 |", done.stdout)
        with open(self.folder / "t.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["name"] for row in rows], ["m.onnx", "int8"])
        self.assertGreater(float(rows[1]["median"]), 0)
        if not PROGRAM:
            print("!!! SKIPPED: no Chromium to open the page with")
            return
        with Chromium() as browser:
            browser.open(self.folder / "page.html")
            self.assertEqual(browser.problems, [])
            self.assertEqual(len(browser.requests), 1)  # only the page itself
            self.assertEqual(browser.evaluate("document.querySelectorAll('rect').length"), 2)
            self.assertEqual(browser.evaluate("document.querySelectorAll('circle').length"), 2)


if __name__ == "__main__":
    unittest.main()
