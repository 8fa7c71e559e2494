"""Compares `onnxpress profile` with an independent oracle (profile_oracle.py): multiply-adds of all real models and of generated ones; also
parameters with `info`, formulas with numbers, the documented operations with single nodes, and the bytes of several runs.

COUNT and SEED (default 60 and 1) choose the generated models, LARGEST=bytes takes larger real ones too (default 30 MB).
"""
import json
import math
import os
import random
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
import profile_oracle  # noqa: E402
from test_models_run import inputs_of, session_of  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
LARGEST = int(os.environ.get("LARGEST", "30000000"))
COUNT, SEED = int(os.environ.get("COUNT", "60")), int(os.environ.get("SEED", "1"))
make, FLOAT = onnx.helper, onnx.TensorProto.FLOAT


def call(*arguments):
    return subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True, text=True)


def profile(path, *arguments):
    done = call("profile", path, "--json", *arguments)
    assert done.returncode == 0, f"{path} {arguments}: {done.stderr}"
    return json.loads(done.stdout)


def bindings_of(feeds):
    """Options for the inputs of a run: shapes, and the values of small integers and flags."""
    options = []
    for name, value in feeds.items():
        if value.dtype in (numpy.int64, numpy.int32, numpy.bool_) and value.size == 1:
            options += ["--value", f"{name}={int(value.reshape(-1)[0])}"]
        elif value.shape:
            options += ["--shape", f"{name}={'x'.join(map(str, value.shape))}"]
    return options


class Training(unittest.TestCase):
    def test_gradients_cost_as_much_as_the_products_they_are_of(self):
        weights = [onnx.numpy_helper.from_array(numpy.ones(shape, numpy.float32), name) for name, shape in (("v", (8, 16)), ("w", (16, 4)))]
        nodes = [make.make_node("MatMul", ["x", "v"], ["a"]), make.make_node("Relu", ["a"], ["b"]), make.make_node("MatMul", ["b", "w"], ["c"]),
                 make.make_node("Transpose", ["c"], ["d"]), make.make_node("MatMul", ["c", "d"], ["y"])]
        graph = make.make_graph(nodes, "g", [make.make_tensor_value_info("x", FLOAT, ["n", 8])], [make.make_tensor_value_info("y", FLOAT, ["n", "n"])], weights)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8), path)
            report = profile(path, "--dim", "n=3")
            self.assertEqual(report["macs"]["value"], 3 * 8 * 16 + 3 * 16 * 4 + 3 * 4 * 3)
            # x has no gradient; both operands of the last product have one.
            self.assertEqual(report["backward_macs"], 3 * 8 * 16 + 2 * 3 * 16 * 4 + 2 * 3 * 4 * 3)
            terms = {tuple(term["factors"]): int(term["coefficient"]) for term in profile(path)["macs"]["terms"]}
            self.assertEqual(terms, {("n",): 8 * 16 + 16 * 4, ("n", "n"): 4})


class RealModels(unittest.TestCase):
    def test_sizes_without_a_formula_are_counted_with_numbers(self):
        path = MODELS / "moonshine_tiny_encoder.onnx"
        if not path.exists():
            self.skipTest("no model")
        report = profile(path)
        assumed = {each["symbol"]: each["size"] for each in report["assumed"]}
        self.assertEqual(set(assumed), {"batch_size", "num_samples"})
        given = [word for name, size in assumed.items() for word in ("--dim", f"{name}={size}")]
        self.assertEqual(report["macs"]["value"], profile(path, *given)["macs"]["value"])

    def test_multiply_adds_equal_the_oracle(self):
        for path in sorted(MODELS.glob("*.onnx")):
            if path.stat().st_size > LARGEST:
                continue
            for use_cache in [False, True] if "merged" in path.stem else [False]:
                with self.subTest(model=path.stem, use_cache=use_cache):
                    feeds = inputs_of(path.stem, session_of(path), use_cache, numpy.random.default_rng(5))
                    self.compare(path, feeds)

    def compare(self, path, feeds):
        expected = profile_oracle.total_macs(path, feeds)
        report = profile(path, *bindings_of(feeds))
        found = {}
        for node in report["node_list"]:
            if node["counted"]:
                found[node["name"]] = found.get(node["name"], 0) + (node["macs"] or 0)
        wrong = {name: (found.get(name), count) for name, count in expected.items() if count and found.get(name) != count}
        self.assertEqual(wrong, {}, "found, expected")
        self.assertEqual(report["macs"]["value"], sum(expected.values()))
        self.assertFalse(report["macs"]["at_least"])

    def test_parameters_are_those_of_info(self):
        for path in sorted(MODELS.glob("*.onnx")):
            with self.subTest(model=path.stem):
                info = json.loads(call("info", path, "--json").stdout)
                report = profile(path)
                self.assertEqual(report["parameters"], info["weights"]["parameters"])
                self.assertEqual(report["weight_bytes"], info["weights"]["bytes"])
                self.assertEqual(sum(op["work"] for op in report["ops"]), report["work"]["value"])
                self.assertEqual(sum(line["work"] for line in report["layers"] if line["depth"] == 0), report["work"]["value"])
                self.assertEqual(sum(line["nodes"] for line in report["layers"] if line["depth"] == 0), report["nodes"])
                self.assertGreaterEqual(report["memory"]["pool"], report["memory"]["peak"])
                self.assertLessEqual(report["memory"]["pool"], 1.1 * report["memory"]["peak"])

    def test_formulas_give_the_same_numbers(self):
        """A formula with numbers in place of its symbols gives the same as a profile with those sizes."""
        for name, sizes in {"ppocr_v2_cls": {"p2o.DynamicDimension.0": 2, "p2o.DynamicDimension.1": 48, "p2o.DynamicDimension.2": 96},
                            "ppocr_v4_det": {"p2o.DynamicDimension.0": 1, "p2o.DynamicDimension.1": 64, "p2o.DynamicDimension.2": 96},
                            "ddddocr": {"image_width": 100}}.items():
            path = MODELS / f"{name}.onnx"
            if not path.exists():
                continue
            with self.subTest(model=name):
                value = evaluate(profile(path)["macs"]["formula"], sizes)
                options = [text for dim, size in sizes.items() for text in ("--dim", f"{dim}={size}")]
                self.assertEqual(value, profile(path, *options)["macs"]["value"])

    def test_same_bytes_in_every_run(self):
        path = MODELS / "ppocr_v4_det.onnx"
        if path.exists():
            texts = set()
            for _ in range(5):
                report = profile(path, "--sparsity")
                report["seconds"] = report["sparsity"]["seconds"] = 0
                texts.add(json.dumps(report))
            self.assertEqual(len(texts), 1)


def evaluate(formula, sizes):
    """Our formulas in Python: 1,234 is a number; a comma with a blank, or inside a function, separates arguments."""
    for name in sorted(sizes, key=len, reverse=True):
        formula = formula.replace(name, f"({sizes[name]})")
    text, depth = "", []
    for i, c in enumerate(formula):
        if c == "(":
            word = ""
            while i - len(word) > 0 and formula[i - len(word) - 1].isalpha():
                word = formula[i - len(word) - 1] + word
            depth.append(word in ("min", "max", "broadcast"))
        if c == ")":
            depth.pop()
        digits = c == "," and formula[i - 1].isdigit() and formula[i + 1: i + 4].isdigit() and not any(depth)
        text += "" if digits else c
    floor_div = text.replace("/", "//").replace("ceil(", "ceil_of(")
    return eval(floor_div, {"floor": int, "min": min, "max": max, "ceil_of": math.ceil, "broadcast": max})  # noqa: S307


# --- Generated models

class Maker:
    """One model with a few nodes that multiply, with known inputs."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.nodes, self.inputs, self.feeds, self.functions = [], [], {}, []

    def array(self, shape, dtype=numpy.float32):
        name = f"x{len(self.inputs)}"
        element = onnx.helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype))
        self.inputs.append(make.make_tensor_value_info(name, element, shape))
        values = numpy.random.default_rng(len(self.inputs)).integers(0, 3, shape)
        self.feeds[name] = values.astype(dtype)
        return name

    def node(self, op, inputs, outputs=1, **attributes):
        name = f"{op}_{len(self.nodes)}"
        results = [f"{name}.{i}" if i < outputs else "" for i in range(outputs)]
        self.nodes.append(make.make_node(op, inputs, results, name=name, **attributes))
        return results[0]

    def size(self, least=1, most=6):
        return self.random.randint(least, most)

    def conv(self):
        rank, groups = self.size(1, 3), self.random.choice([1, 1, 2, 3])
        channels, filters = groups * self.size(1, 3), groups * self.size(1, 3)
        kernel = [self.size(1, 3) for _ in range(rank)]
        extra = {"strides": [self.size(1, 2) for _ in range(rank)], "pads": [self.size(0, 2) for _ in range(2 * rank)]}
        x = self.array([self.size(1, 2), channels, *[self.size(5, 9) for _ in range(rank)]])
        if self.random.random() < 0.4:
            extra["pads"] = [0] * (2 * rank)
            return self.node("ConvTranspose", [x, self.array([channels, filters // groups, *kernel])], group=groups, **extra)
        return self.node("Conv", [x, self.array([filters, channels // groups, *kernel]), self.array([filters])], group=groups, **extra)

    def matmul(self):
        m, k, n = self.size(), self.size(), self.size()
        batch = [self.size(1, 3) for _ in range(self.size(0, 2))]
        other = [d if self.random.random() < 0.7 else 1 for d in batch][self.size(0, max(len(batch), 1)) if batch else 0:]
        a, b = [*batch, m, k], [*other, k, n]
        if self.random.random() < 0.15:
            a = [k]
        if self.random.random() < 0.15:
            b = [k]
        return self.node("MatMul", [self.array(a), self.array(b)])

    def gemm(self):
        m, k, n, ta, tb = self.size(), self.size(), self.size(), self.size(0, 1), self.size(0, 1)
        return self.node("Gemm", [self.array([k, m] if ta else [m, k]), self.array([n, k] if tb else [k, n]), self.array([n])],
                         transA=ta, transB=tb)

    def integers(self):
        m, k, n = self.size(), self.size(), self.size()
        if self.random.random() < 0.5:
            return self.node("MatMulInteger", [self.array([m, k], numpy.uint8), self.array([k, n], numpy.uint8)])
        return self.node("ConvInteger", [self.array([1, 2, 7, 6], numpy.uint8), self.array([3, 2, 3, 2], numpy.uint8)])

    def recurrent(self):
        op = self.random.choice(["LSTM", "GRU", "RNN"])
        gates, directions, hidden, size = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], self.size(1, 2), self.size(), self.size()
        return self.node(op, [self.array([self.size(), self.size(), size]), self.array([directions, gates * hidden, size]),
                              self.array([directions, gates * hidden, hidden])], hidden_size=hidden,
                         direction="bidirectional" if directions == 2 else "forward")

    def einsum(self):
        i, j, k, b = self.size(), self.size(), self.size(), self.size()
        equation, shapes = self.random.choice([("bij,bjk->bik", [[b, i, j], [b, j, k]]), ("ij,kj->ik", [[i, j], [k, j]]),
                                               ("bi,bi->b", [[b, i], [b, i]]), ("ij,jk,kb->ib", [[i, j], [j, k], [k, b]])])
        return self.node("Einsum", [self.array(shape) for shape in shapes], equation=equation)

    def loop(self):
        n, trips = self.size(1, 4), self.size(0, 4)
        x = self.array([n, n])
        body = make.make_graph([make.make_node("Identity", ["c"], ["c2"], name=f"id{len(self.nodes)}"),
                                make.make_node("MatMul", ["s", x], ["s2"], name=f"inner{len(self.nodes)}")], "body",
                               [make.make_tensor_value_info("i", onnx.TensorProto.INT64, []),
                                make.make_tensor_value_info("c", onnx.TensorProto.BOOL, []),
                                make.make_tensor_value_info("s", FLOAT, [n, n])],
                               [make.make_tensor_value_info("c2", onnx.TensorProto.BOOL, []),
                                make.make_tensor_value_info("s2", FLOAT, [n, n])])
        count = self.node("Constant", [], value=make.make_tensor("n", onnx.TensorProto.INT64, [], [trips]))
        go = self.node("Constant", [], value=make.make_tensor("c", onnx.TensorProto.BOOL, [], [1]))
        return self.node("Loop", [count, go, x], body=body)

    def function(self):
        """One function, called twice with operands of different sizes, and one that calls it."""
        if not self.functions:
            opset = [make.make_opsetid("", 17), make.make_opsetid("own", 1)]
            inner = make.make_function("own", "Mix", ["a", "b"], ["y"], [make.make_node("MatMul", ["a", "b"], ["t"]),
                                                                        make.make_node("Relu", ["t"], ["y"])], opset)
            outer = make.make_function("own", "Twice", ["a"], ["y"], [
                make.make_node("Mix", ["a", "a"], ["t"], domain="own"), make.make_node("Mix", ["t", "a"], ["y"], domain="own")], opset)
            self.functions = [inner, outer]
        m, k, n = self.size(), self.size(), self.size()
        name = f"call{len(self.nodes)}"
        if self.random.random() < 0.5:
            self.nodes.append(make.make_node("Mix", [self.array([m, k]), self.array([k, n])], [name], name=name, domain="own"))
        else:
            self.nodes.append(make.make_node("Twice", [self.array([k, k])], [name], name=name, domain="own"))
        return name

    def model(self):
        kinds = [self.conv, self.matmul, self.gemm, self.integers, self.recurrent, self.einsum, self.loop, self.function]
        outputs = [make.make_empty_tensor_value_info(self.random.choice(kinds)()) for _ in range(self.size(2, 5))]
        graph = make.make_graph(self.nodes, "g", self.inputs, outputs)
        return make.make_model(graph, opset_imports=[make.make_opsetid("", 17), make.make_opsetid("own", 1)], functions=self.functions,
                               ir_version=8)


class GeneratedModels(unittest.TestCase):
    def test_multiply_adds_equal_the_oracle(self):
        compared = 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(SEED * 1000, SEED * 1000 + COUNT):
                maker = Maker(seed)
                path = Path(folder) / f"{seed}.onnx"
                onnx.save(maker.model(), path)
                try:
                    expected = sum(profile_oracle.total_macs(path, maker.feeds).values())
                except Exception as error:  # ONNX Runtime has no kernel for it
                    print(f"seed {seed}: {str(error)[:120]}")
                    continue
                with self.subTest(seed=seed):
                    report = profile(path)
                    self.assertEqual(report["macs"]["value"], expected)
                    self.assertFalse(report["macs"]["at_least"])
                    compared += 1
        self.assertGreater(compared, COUNT * 0.8)


# --- Operations, as docs/commands/profile.md has them

def single(folder, op, shapes, opset=17, constants=(), **attributes):
    inputs = [make.make_tensor_value_info(f"x{i}", FLOAT, shape) for i, shape in enumerate(shapes)]
    names = [f"x{i}" for i in range(len(shapes))] + [name for name, _ in constants]
    graph = make.make_graph([make.make_node(op, names, ["y"], **attributes)], "g", inputs, [make.make_empty_tensor_value_info("y")],
                            [onnx.numpy_helper.from_array(numpy.array(value), name) for name, value in constants])
    path = Path(folder) / "one.onnx"
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", opset)], ir_version=8), path)
    return path


class Operations(unittest.TestCase):
    def test_each_op_costs_what_the_documentation_says(self):
        x = [2, 3, 8, 10]
        n = math.prod(x)
        c = [3]
        cases = [
            ("Relu", [x], {}, n), ("Sigmoid", [x], {}, n), ("Add", [x, x], {}, n), ("Mul", [x, [1, 3, 1, 1]], {}, n),
            ("Div", [x, x], {}, n), ("Exp", [x], {}, n), ("Sqrt", [x], {}, n), ("Tanh", [x], {}, n), ("Erf", [x], {}, n),
            ("Softmax", [x], {"axis": -1}, 5 * n), ("BatchNormalization", [x, c, c, c, c], {}, 2 * n),
            ("InstanceNormalization", [x, c, c], {}, 7 * n), ("LayerNormalization", [x, [10]], {"axis": -1}, 7 * n),
            ("ReduceMean", [x], {"axes": [2, 3], "keepdims": 1}, n - 6), ("ReduceMax", [x], {"axes": [1], "keepdims": 0}, n - n // 3),
            ("GlobalAveragePool", [x], {}, n - 6), ("MaxPool", [x], {"kernel_shape": [2, 2], "strides": [2, 2]}, 4 * n // 4),
            ("AveragePool", [x], {"kernel_shape": [2, 2], "strides": [2, 2]}, 4 * n // 4),
            ("Transpose", [x], {}, 0), ("Concat", [x, x], {"axis": 1}, 0), ("Flatten", [x], {}, 0), ("Identity", [x], {}, 0),
            ("MatMul", [[4, 5], [5, 6]], {}, 2 * 4 * 5 * 6), ("Gemm", [[4, 5], [5, 6]], {}, 2 * 4 * 5 * 6),
            ("Conv", [[1, 3, 8, 8], [4, 3, 3, 3]], {}, 2 * 4 * 6 * 6 * 27),
        ]
        with tempfile.TemporaryDirectory() as folder:
            for op, shapes, attributes, expected in cases:
                with self.subTest(op=op):
                    self.assertEqual(profile(single(folder, op, shapes, **attributes))["flops"]["value"], expected)

    def test_costs_that_a_user_teaches(self):
        with tempfile.TemporaryDirectory() as folder:
            path = single(folder, "Own", [[4, 5], [5, 6]], domain="my")
            model = onnx.load(path)
            model.opset_import.append(make.make_opsetid("my", 1))
            onnx.save(model, path)
            self.assertTrue(profile(path)["macs"]["at_least"])
            rules = Path(folder) / "costs"
            rules.write_text("# a comment\nmy.Own (T[N,K] a, T[K,M] b) : macs N*K*M, flops N*M\n")
            report = profile(path, "--cost", rules)
            self.assertEqual((report["macs"]["value"], report["flops"]["value"]), (120, 240 + 24))
            self.assertFalse(report["macs"]["at_least"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *ARGUMENTS], verbosity=1)
