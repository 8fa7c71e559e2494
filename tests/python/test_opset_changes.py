"""`optimize --opset`, change by change: values of attributes that only one of two versions lists are expressed otherwise or refused, and
what is converted computes the same in ONNX Runtime and in the built-in evaluator."""
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

try:
    import onnx
    import onnxruntime  # noqa: F401
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "update_schemas"

# (from, to, the nodes with their graph's head)
CONVERTED = [
    (18, 17, '(float[4,5] d, float[2,5] u) => (float[4,5] y) <int64[2,1] i = {3, -3}> { y = ScatterND <reduction="max"> (d, i, u) }'),
    (18, 17, '(float[4,5] d, float[2] u) => (float[4,5] y) <int64[2,2] i = {3, 1, 3, 2}> { y = ScatterND <reduction="min"> (d, i, u) }'),
    (18, 13, '(int64[4,5] d, int64[2,5] u) => (int64[4,5] y) <int64[2,1] i = {0, 1}> { y = ScatterND <reduction="mul"> (d, i, u) }'),
    (18, 17, '(float[3,4] d, float[2,3] u) => (float[3,4] y) <int64[2,3] i = {0, 1, 2, -1, 0, 1}> '
             '{ y = ScatterElements <reduction="max", axis=0> (d, i, u) }'),
    (18, 15, '(float[3,4] d, float[2,3] u) => (float[3,4] y) <int64[2,3] i = {0, 1, 3, -1, 0, 1}> '
             '{ y = ScatterElements <reduction="add", axis=-1> (d, i, u) }'),
    (19, 17, '(float[1,1,5,7] x) => (float[A,B,C,D] y) <int64[4] s = {1, 1, 11, 3}> '
             '{ y = Resize <coordinate_transformation_mode="half_pixel_symmetric", mode="linear"> (x, "", "", s) }'),
    (19, 17, '(float[1,1,4,6] x) => (float[A,B,C,D] y) <float[4] s = {1.0, 1.0, 2.25, 0.5}> '
             '{ y = Resize <coordinate_transformation_mode="half_pixel_symmetric", mode="cubic"> (x, "", s) }'),
    (11, 13, '(float[1,1,5,7] x) => (float[A,B,C,D] y) <float[0] r = {}, float[4] s = {1.0, 1.0, 2.25, 3.0}> '
             '{ y = Resize <coordinate_transformation_mode="tf_half_pixel_for_nn", nearest_mode="floor"> (x, r, s) }'),
    (11, 13, '(float[1,1,5,7] x) => (float[A,B,C,D] y) <float[0] r = {}, float[4] s = {1.0, 1.0, 0.6, 3.0}> '
             '{ y = Resize <coordinate_transformation_mode="tf_half_pixel_for_nn"> (x, r, s) }'),
    (20, 19, '(float[1,2,6,6] x, float[1,4,4,2] g) => (float[A,B,C,D] y) { y = GridSample <mode="cubic"> (x, g) }'),
    (16, 20, '(float[1,2,6,6] x, float[1,4,4,2] g) => (float[A,B,C,D] y) { y = GridSample <mode="bicubic"> (x, g) }'),
    (10, 11, '(float[1,1,5,7] x) => (float[A,B,C,D] y) <float[4] s = {1.0, 1.0, 2.0, 3.0}> { y = Resize (x, s) }'),
    (10, 12, '(float[1,1,6,9] x) => (float[A,B,C,D] y) <float[4] s = {1.0, 1.0, 0.5, 0.4}> { y = Resize (x, s) }'),
    (10, 12, '(float[1,1,6,9] x) => (float[A,B,C,D] y) <float[4] s = {1.0, 1.0, 0.5, 2.0}> { y = Resize <mode="linear"> (x, s) }'),
    (13, 11, '(float[1,1,6,9] x) => (float[A,B,C,D] y) <int64[4] s = {1, 1, 5, 11}> { y = Resize <mode="cubic"> (x, "", "", s) }'),
    (1, 4, '(float[2,3] a, float[2,4] b) => (float[2,7] c) { c = Concat (a, b) }'),
    (1, 13, '(float[2,3] a, float[2,4] b) => (float[2,7] c) { c = Concat (a, b) }'),
    (6, 7, '(float[1,1,2,2] x) => (float[1,1,4,6] y) { y = Upsample <height_scale=2.0, width_scale=3.0> (x) }'),
    (6, 9, '(float[1,1,2,2] x) => (float[1,1,4,6] y) { y = Upsample <height_scale=2.0, mode="bilinear", width_scale=3.0> (x) }'),
    (6, 18, '(float[1,1,3,2] x) => (float[A,B,C,D] y) { y = Upsample <height_scale=1.5, mode="nearest", width_scale=3.0> (x) }'),
    (8, 9, '(float[2,2] start, float[2,2] x, float[2,3,2] xs) => (float[2,2] sum, float[2,3,2] sums) { sum, sums = Scan '
           '<num_scan_inputs = 1, body = b (float[2] s, float[2] e) => (float[2] t, float[2] u) { m = ReduceSum <axes = [0], keepdims = 0> (x) '
           'a = Mul (s, e) t = Add (a, m) u = Identity (t) }> ("", start, xs) }'),
    (8, 11, '(float[2,2] start, float[2,3,2] xs, float[2,3,2] ys) => (float[2,2] sum, float[2,3,2] sums) { sum, sums = Scan '
            '<num_scan_inputs = 2, directions = [0, 1], body = b (float[2] s, float[2] e, float[2] f) => (float[2] t, float[2] u) '
            '{ a = Mul (s, e) t = Add (a, f) u = Identity (t) }> ("", start, xs, ys) }'),
    (20, 19, '(float[2,8,1] x) => (float[A,B,C] y) { y = DFT (x) }'),
    (20, 19, '(float[2,8,6,2] x) => (float[A,B,C,D] y) <int64 a = {1}> { y = DFT <inverse = 1> (x, "", a) }'),
    (20, 17, '(float[2,8,6,1] x) => (float[A,B,C,D] y) <int64 a = {-2}, int64 n = {5}> { y = DFT <onesided = 1> (x, n, a) }'),
    (13, 12, '(float[2,3,4] x) => (float[2,3,4] y) { y = Softmax (x) }'),
    (13, 12, '(float[2,3,4] x) => (float[2,3,4] y) { y = Softmax <axis = 0> (x) }'),
    (13, 11, '(float[2,3,4] x) => (float[2,3,4] y) { y = LogSoftmax <axis = 1> (x) }'),
    (13, 12, '(float[2,3,1] x) => (float[2,3,1] y) { y = LogSoftmax <axis = -2> (x) }'),
    (13, 12, '(float[4] x) => (float[4] y) { y = Softmax <axis = 0> (x) }'),
    (13, 12, '(float[2,3,4] x) => (float[2,3,4] y) { y = Hardmax <axis = -2> (x) }'),
    (12, 13, '(float[2,3,4] x) => (float[2,3,4] y) { y = Softmax (x) }'),
    (28, 27, '(int64[4] x, int64[4] y) => (int64[4] z) { z = Mod (x, y) }'),
]
REFUSED = [
    (18, 17, "max", '(float[4,5] d, int64[2,1] i, float[2,5] u) => (float[4,5] y) { y = ScatterND <reduction="max"> (d, i, u) }'),
    (18, 17, "min", '(float[4,5] d, float[2,5] u) => (float[4,5] y) <int64[2,1] i = {1, -3}> { y = ScatterND <reduction="min"> (d, i, u) }'),
    (18, 17, "max", '(float[3,4] d, float[1,2] u) => (float[3,4] y) <int64[1,2] i = {1, -3}> { y = ScatterElements <reduction="max", axis=1> (d, i, u) }'),
    (18, 17, "opset 17", '(bool[3] d, bool[1] u) => (bool[3] y) <int64[1,1] i = {1}> { y = ScatterND <reduction="max"> (d, i, u) }'),
    (19, 17, "half_pixel_symmetric", '(float[1,1,3,3] x) => (float[A,B,C,D] y) <float[4] s = {1.0, 1.0, 1.5, 1.5}> '
                                     '{ y = Resize <coordinate_transformation_mode="half_pixel_symmetric"> (x, "", s) }'),
    (11, 13, "tf_half_pixel_for_nn", '(float[1,1,3,3] x) => (float[A,B,C,D] y) <float[0] r = {}, float[4] s = {1.0, 1.0, 2.0, 2.0}> '
                                     '{ y = Resize <mode="linear", coordinate_transformation_mode="tf_half_pixel_for_nn"> (x, r, s) }'),
    (19, 18, "wrap", '(float[3] x) => (float[5] y) <int64[2] p = {1, 1}> { y = Pad <mode="wrap"> (x, p) }'),
    (19, 18, "float8e4m3fn", '(float[3] x) => (float8e4m3fn[3] y) { y = Cast <to = 17> (x) }'),
    (23, 22, "float4e2m1", '(float[3] x) => (float4e2m1[3] y) <float s = {1.0}> { y = QuantizeLinear <output_dtype = 23> (x, s) }'),
    (28, 27, "integers", '(float[3] x, float[3] y) => (float[3] z) { z = Mod (x, y) }'),
    (8, 9, "length", '(int64[2] n, float[2,2] s, float[2,3,2] x) => (float[2,2] y) { y = Scan <num_scan_inputs = 1, '
                     'body = b (float[2] s, float[2] e) => (float[2] t) { t = Add (s, e) }> (n, s, x) }'),
    (13, 12, "rank", '(float x, int64[N] s) => (float[?] y) { r = Reshape (x, s) y = Softmax <axis = 1> (r) }'),
]


def text_of(opset, graph):
    newest = {(1, 8): 3, (9, 9): 4, (10, 10): 5, (11, 11): 6, (12, 14): 7, (15, 18): 8, (19, 20): 9, (21, 22): 10, (23, 27): 11, (28, 99): 14}
    ir = next(ir for (first, last), ir in newest.items() if first <= opset <= last)
    return f'<ir_version: {ir}, opset_import: ["" : {opset}]>\ng {graph}\n'


def lists_of_versions():
    """(op, attribute) -> [(version, values)], from what the schema table is made of."""
    loader = importlib.machinery.SourceFileLoader("update_schemas", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("update_schemas", loader))
    loader.exec_module(module)
    lists = {}
    for schema in sorted(onnx.defs.get_all_schemas_with_history(), key=lambda each: (each.name, each.since_version)):
        for each in module.values_of(schema).split():
            name, values = each.split("=")
            lists.setdefault((schema.name, name), []).append((schema.since_version, set(values.split(","))))
    return lists


class OpsetChangesTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def convert(self, opset, graph, to):
        before, after = self.folder / "before.onnxtxt", self.folder / "after.onnx"
        before.write_text(text_of(opset, graph))
        after.unlink(missing_ok=True)
        done = subprocess.run([ONNXPRESS, "optimize", before, "-o", after, "--opset", str(to), "--only", "inline-functions",
                               "--allow-growth", "--quiet"], capture_output=True, text=True)
        return before, after, done

    def test_converted_models_compute_the_same(self):
        in_runtime = 0
        for opset, to, graph in CONVERTED:
            with self.subTest(f"{opset} -> {to}: {graph}"):
                before, after, done = self.convert(opset, graph, to)
                self.assertEqual(done.returncode, 0, done.stderr)
                onnx.checker.check_model(after, full_check=True)
                for engine in ("onnxpress", "ort"):
                    verified = subprocess.run([ONNXPRESS, "verify", before, after, "--engine", engine, "--sets", "6", "--tolerance", "1e-6", "--quiet"],
                                              capture_output=True, text=True)
                    if engine == "ort" and verified.returncode > 1:
                        continue  # it does not have one of the two versions
                    self.assertEqual(verified.returncode, 0, f"{engine}: {verified.stdout} {verified.stderr}")
                    in_runtime += engine == "ort"
        self.assertGreater(in_runtime, 20)

    def test_what_has_no_other_form_is_refused(self):
        for opset, to, word, graph in REFUSED:
            with self.subTest(f"{opset} -> {to}: {graph}"):
                _, after, done = self.convert(opset, graph, to)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(word, done.stderr)
                self.assertFalse(after.exists())

    def test_no_value_is_written_that_the_opset_lacks(self):
        """Every op whose values changed: each model of the onnx package that has the op, in the version before and with each value."""
        from onnx.backend.test.case.node import collect_testcases
        warnings.simplefilter("ignore")  # of the calculations in that package
        changed = {}
        for (op, name), versions in lists_of_versions().items():
            for (_, older), (since, newer) in zip(versions, versions[1:]):
                if newer != older:
                    changed.setdefault(op, []).append((name, since, older, newer - older))
        self.assertGreaterEqual(set(changed), {"GridSample", "Pad", "Resize", "ScatterElements", "ScatterND"})
        models = {}
        for case in collect_testcases(None):
            if case.model and len(case.model.graph.node) == 1 and case.model.graph.node[0].op_type in changed:
                models.setdefault(case.model.graph.node[0].op_type, []).append(case.model)
        for op, changes in changed.items():
            for name, since, older, gone in changes:
                if since - 1 < 11 or not gone:
                    continue
                paths = []
                for value in sorted(gone):
                    model = onnx.ModelProto()
                    model.CopyFrom(models[op][0])
                    node = model.graph.node[0]
                    kept = [each for each in node.attribute if each.name != name]
                    del node.attribute[:]
                    node.attribute.extend(kept + [onnx.helper.make_attribute(name, value)])
                    paths.append(self.folder / f"{op}_{name}_{value}_{since}.onnx")
                    onnx.save(model, paths[-1])
                out = self.folder / "out"
                subprocess.run([ONNXPRESS, "optimize", *paths, self.folder / "absent.onnx", "-o", out, "--opset", str(since - 1),
                                "--only", "inline-functions", "--allow-growth", "--quiet"], capture_output=True)
                for path in paths:
                    if not (out / path.name).exists():
                        continue
                    for node in onnx.load(out / path.name).graph.node:
                        for each in node.attribute:
                            if node.op_type == op and each.name == name:
                                self.assertIn(onnx.helper.get_attribute_value(each).decode(), older, path.name)


if __name__ == "__main__":
    unittest.main()
