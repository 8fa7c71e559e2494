"""`onnxpress check` agrees with the onnx package and with ONNX Runtime about what is a valid model.

Tests small models with one problem each: those that onnx.checker (with full check) refuses or ONNX Runtime does not load must have errors,
and those that both accept must have none. test_check_mutated.py does the same for the official models and mutants of them.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError:
    print("SKIPPED: needs onnx and onnxruntime (scripts/setup test installs them)")
    sys.exit(77)

PROGRAM = os.environ.get("ONNXPRESS", "build/onnxpress")


def value(name, kind=TensorProto.FLOAT, shape=(2,)):
    return helper.make_tensor_value_info(name, kind, list(shape))


def floats(name, count=2):
    return helper.make_tensor(name, TensorProto.FLOAT, [count], [1.0] * count)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=f"{op}_{'_'.join(outputs)}", **attributes)


def graph(nodes, outputs, name="body", inputs=(), initializers=()):
    return helper.make_graph(nodes, name, list(inputs), outputs, list(initializers))


def model(nodes=None, inputs=(), initializers=(), outputs=None, opsets=(("", 17),), functions=(), **keywords):
    main = helper.make_graph(nodes or [node("Relu", ["x"], ["y"])], "main", [value("x"), *inputs], outputs or [value("y")],
                             list(initializers), **keywords)
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets]
    return helper.make_model(main, opset_imports=imports, ir_version=8, functions=list(functions))


def conditional(then_nodes, then_output="t", before=(), **keywords):
    """If(c) whose then-branch has these nodes; the other branch is valid."""
    then_body = graph(then_nodes, [value(then_output)], "then", **keywords)
    else_body = graph([node("Abs", ["x"], ["e"])], [value("e")], "else")
    return model([*before, node("If", ["c"], ["y"], then_branch=then_body, else_branch=else_body)],
                 inputs=[value("c", TensorProto.BOOL, ())])


def function(nodes, imports=(("", 17),), name="F"):
    return helper.make_function("my", name, ["a"], ["b"], nodes, [helper.make_opsetid(*each) for each in imports])


def calling(functions, count=1, opsets=(("", 17), ("my", 1))):
    return model([helper.make_node("F", ["x"] * count, ["y"], domain="my", name="call")], opsets=opsets, functions=functions)


def changed(edit, base=None):
    made = copy.deepcopy(base or model())
    edit(made)
    return made


def cases():
    """Names and models, valid and broken ones."""
    add_w = [node("Add", ["x", "w"], ["y"])]
    yield "sound", model()
    yield "default of an input", model(add_w, inputs=[value("w")], initializers=[floats("w")])
    yield "undefined input", model([node("Relu", ["z"], ["y"])])
    yield "undefined output", model(outputs=[value("y"), value("z")])
    yield "input twice", model(inputs=[value("x")])
    yield "output of two nodes", model([node("Relu", ["x"], ["y"]), node("Abs", ["x"], ["y"])])
    yield "initializer twice", model(add_w, initializers=[floats("w"), floats("w")])
    yield "unsorted", model([node("Relu", ["t"], ["y"]), node("Abs", ["x"], ["t"])])
    yield "cycle", model([node("Add", ["x", "q"], ["p"]), node("Relu", ["p"], ["q"]), node("Abs", ["q"], ["y"])])
    yield "body", conditional([node("Neg", ["x"], ["t"])])
    yield "body hides output of a node", conditional([node("Neg", ["x"], ["t"])], before=[node("Relu", ["x"], ["t"])])
    yield "body hides by initializer", conditional([node("Add", ["x", "k"], ["t"])], before=[node("Relu", ["x"], ["k"])],
                                                   initializers=[floats("k")])
    yield "body returns an outer value", conditional([], "x")
    yield "no opsets", changed(lambda m: m.ClearField("opset_import"))
    yield "standard domain not imported", model(opsets=[("com.microsoft", 1)])
    yield "domain not imported", calling([function([node("Relu", ["a"], ["b"])])], opsets=[("", 17)])
    yield "function without opset", calling([function([node("Relu", ["a"], ["b"])], imports=())])
    yield "function", calling([function([node("Relu", ["a"], ["b"])])])
    yield "function in another opset", calling([function([node("Relu", ["a"], ["b"])], (("", 16),))])
    yield "function with another version of an op", calling([function([node("Relu", ["a"], ["b"])], (("", 13),))])
    yield "function with an op that the model lacks", calling([function([node("Mish", ["a"], ["b"])], (("", 18),))])
    yield "function calls itself", calling([function([helper.make_node("F", ["a"], ["b"], domain="my")], (("", 17), ("my", 1)))])
    yield "function twice", calling([function([node("Relu", ["a"], ["b"])])] * 2)
    yield "too many inputs for a function", calling([function([node("Relu", ["a"], ["b"])])], count=2)
    yield "no IR version", changed(lambda m: setattr(m, "ir_version", 0))
    yield "new IR version", changed(lambda m: setattr(m, "ir_version", 15))
    yield "no graph name", changed(lambda m: setattr(m.graph, "name", ""))
    yield "metadata twice", changed(lambda m: [m.metadata_props.add(key="k", value=each) for each in "ab"])
    yield "input without type", changed(lambda m: m.graph.input[0].ClearField("type"))
    yield "output without type", changed(lambda m: m.graph.output[0].ClearField("type"))
    yield "input without shape", changed(lambda m: m.graph.input[0].type.tensor_type.ClearField("shape"))
    # In both places, because onnx.checker treats -1 as a normal size, which only has to be the same wherever it is inferred.
    yield "negative dimension", changed(lambda m: [setattr(each.type.tensor_type.shape.dim[0], "dim_value", -1)
                                                   for each in (*m.graph.input, *m.graph.output)])
    yield "unknown element type", changed(lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 99))
    yield "initializer of another shape", model(add_w, inputs=[value("w")], initializers=[floats("w", 3)])
    yield "value_info of another type", model(add_w, initializers=[floats("w")], value_info=[value("w", TensorProto.INT32)])
    yield "value_info of nothing", model(value_info=[value("gone")])
    yield "unused initializer", model(initializers=[floats("w")])
    yield "attribute without type", changed(lambda m: m.graph.node[0].attribute.add(name="axis", i=1),
                                            model([node("Flatten", ["x"], ["y"])]))
    yield "attribute twice", changed(lambda m: m.graph.node[0].attribute.append(m.graph.node[0].attribute[0]),
                                     model([node("Flatten", ["x"], ["y"], axis=1)]))
    yield "nodes of one name", model([helper.make_node(op, [a], [b], name="n") for op, a, b in
                                      (("Relu", "x", "t"), ("Abs", "t", "y"))])
    yield "raw data too short", model(add_w, initializers=[TensorProto(name="w", data_type=1, dims=[2], raw_data=b"1234")])
    yield "raw data too long", model(add_w, initializers=[TensorProto(name="w", data_type=1, dims=[2], raw_data=b"1" * 12)])
    yield "typed data too short", model(add_w, initializers=[TensorProto(name="w", data_type=1, dims=[2], float_data=[1])])
    yield "two data fields", model(add_w, initializers=[TensorProto(name="w", data_type=1, dims=[2], float_data=[1, 2],
                                                                    raw_data=b"12345678")])
    yield "no data", model(add_w, initializers=[TensorProto(name="w", data_type=1, dims=[2])])
    yield "negative tensor dimension", model(add_w, initializers=[TensorProto(name="w", data_type=1, dims=[-2], float_data=[1])])


def refusal_by_checker(proto):
    try:
        onnx.checker.check_model(proto, full_check=True)
    except Exception as problem:  # the package raises several kinds
        return str(problem).splitlines()[0]
    return None


def refusal_by_runtime(proto):
    try:
        onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as problem:  # likewise
        return str(problem).splitlines()[0]
    return None


def check(path, *options):
    run = subprocess.run([PROGRAM, "check", "--json", *options, str(path)], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise AssertionError(f"exit {run.returncode}: {run.stderr}")
    report = json.loads(run.stdout)
    assert report["ok"] == (run.returncode == 0), report
    return report


class Check(unittest.TestCase):
    def test_agrees_with_the_checker_and_the_runtime(self):
        onnxruntime.set_default_logger_severity(4)
        with tempfile.TemporaryDirectory() as folder:
            for name, proto in cases():
                with self.subTest(name):
                    path = Path(folder, "model.onnx")
                    path.write_bytes(proto.SerializeToString())
                    report = check(path)
                    by_checker, by_runtime = refusal_by_checker(proto), refusal_by_runtime(proto)
                    if name == "new IR version":  # for us this is only a note, because we read the parts that we know
                        self.assertTrue(report["ok"], report["findings"])
                    else:
                        refused = by_checker or by_runtime
                        self.assertEqual(report["ok"], not refused, f"{refused}; we: {report['findings']}")


if __name__ == "__main__":
    unittest.main()
