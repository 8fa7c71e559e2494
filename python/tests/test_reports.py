"""Reports in memory say nothing about files that there are none of, and are printed as tables."""

import pytest
from conftest import TEXT

import onnxpress
from onnxpress import Model

CALLS = {
    "check": lambda m: onnxpress.check(m),
    "edit": lambda m: onnxpress.edit(m, rename={"x": "image"}),
    "expand": lambda m: onnxpress.expand(m),
    "extract": lambda m: onnxpress.extract(m, outputs=["b"]),
    "infer": lambda m: onnxpress.infer(m),
    "info": lambda m: onnxpress.info(m),
    "interface": lambda m: onnxpress.info(m, interface=True),
    "optimize": lambda m: onnxpress.optimize(m),
    "profile": lambda m: onnxpress.profile(m),
    "quantize": lambda m: onnxpress.quantize(m, to="fp16", min_elements=1),
    "shrink": lambda m: onnxpress.shrink(m),
    "split": lambda m: onnxpress.split(m, parts=2),
    "diff": lambda m: onnxpress.diff(m, m.copy()),
    "verify": lambda m: onnxpress.verify(m, m.copy(), engine="onnxpress", sets=1),
    "merge": lambda m: onnxpress.merge(onnxpress.extract(m, outputs=["b"]).model, onnxpress.extract(m, inputs=["b"]).model),
}
OF_FILES = {"file", "output", "input", "first", "second", "dry_run", "unchanged"}


@pytest.mark.parametrize("task", CALLS)
def test_nothing_is_a_placeholder(task):
    fields = CALLS[task](Model.parse(TEXT)).to_dict()
    of_files = OF_FILES & set(fields) - ({"unchanged"} if task == "optimize" else set())
    assert of_files == set()
    assert not {"standard input", ""} & {value for name, value in fields.items() if name in ("before", "after") and isinstance(value, str)}
    for name in ("bytes_before", "bytes_after", "file_bytes", "seconds", "peak_memory", "peak_anonymous"):
        assert name not in fields or fields[name] > 0, name
    assert all("file" not in each for each in fields.get("stages", []))


def test_optimize_knows_the_bytes(model):
    before = len(model.to_bytes())
    report = onnxpress.optimize(model, dim={"N": 3})
    assert (report.bytes_before, report.bytes_after) == (before, len(model.to_bytes()))


def test_the_file_of_a_model_is_named(tmp_path):
    path = tmp_path / "m.onnx"
    Model.parse(TEXT).save(path)
    for task in ("check", "edit", "expand", "extract", "infer", "info", "optimize", "profile", "quantize", "shrink", "split"):
        assert CALLS[task](Model.load(path)).file == str(path), task


def test_what_was_written_is_named(tmp_path):
    path = tmp_path / "o.onnx"
    for task in ("optimize", "shrink", "expand"):
        report = getattr(onnxpress, task)(Model.parse(TEXT), output=path)
        assert report.output == str(path), task
        assert [(each.path, each.bytes) for each in report.files] == [(str(path), path.stat().st_size)], task


def test_repr_is_a_table(model):
    lines = repr(onnxpress.optimize(model)).splitlines()
    assert any(line.split() == ["nodes_before", "4"] for line in lines)
    assert all(len(line) < 200 for line in lines)
    assert lines[-1].startswith("(nothing: ") and "looping" in lines[-1]
    profile = onnxpress.profile(model, dim={"N": 1000})
    text = str(profile)
    assert "weight_bytes" in text and text == repr(profile)
    head, *rows = repr(profile.ops).splitlines()
    assert head.split()[0] == "op" and len(rows) == len(profile.ops)
    assert repr(profile.ops[:2]).count("\n") == 2
    assert repr(profile.ops[0]).splitlines()[0].startswith("op ")


def test_tables_are_aligned_and_short():
    rows = [{"name": f"node {i}", "count": 10**i, "why": ""} for i in range(12)]
    text = repr(onnxpress.Report({"total": 1234567, "share": 0.25, "ok": True, "rows": rows, "names": ["a", "b"], "none": None}))
    assert text.splitlines() == [
        "total  1,234,567", "share  0.25", "ok     True",
        "rows   name         count", "       node 0           1", "       node 1          10", "       node 2         100",
        "       node 3       1,000", "       node 4      10,000", "       node 5     100,000", "       node 6   1,000,000",
        "       node 7  10,000,000", "       ... 4 more", "names  a, b", "(nothing: none)"]
    assert len(repr(onnxpress.Report({"text": "x" * 1000}))) < 80
    assert "\n" not in repr(onnxpress.Report({"text": "two\nlines \x1b[31m"})) and "\x1b" not in repr(onnxpress.Report({"t": "\x1b[31m"}))


def test_batches_of_html_still_work(model):
    assert onnxpress.profile(model).ops._repr_html_().startswith("<table>")


def test_the_interface_of_a_model(model):
    report = onnxpress.info(model, interface=True)
    assert report.to_dict() == {
        "inputs": [{"name": "x", "type": "float[N,4]", "element": "float", "shape": ["N", 4]}], "inputs_with_default": [],
        "outputs": [{"name": "y", "type": "float[N,4]", "element": "float", "shape": ["N", 4]}]}
    with pytest.raises(onnxpress.Error, match="option `interface` and option `tensors` cannot be combined"):
        onnxpress.info(model, interface=True, tensors=True)


@pytest.mark.parametrize("call", [
    lambda m: onnxpress.quantize(m), lambda m: onnxpress.shrink(m, only="splatt"), lambda m: onnxpress.optimize(m, exact=True, approximate=True),
    lambda m: onnxpress.verify(m, m.copy(), samples="folder", sets=3), lambda m: onnxpress.infer(m, shape="x"),
    lambda m: onnxpress.convert(m, "m.onnx", elide=3), lambda m: onnxpress.infer(m, limit=-1)])
def test_wrong_options_are_plain_errors(model, call):
    with pytest.raises(onnxpress.Error) as caught:
        call(model)
    assert type(caught.value) is onnxpress.Error and caught.value.file == ""


def test_convert_strips_a_model_in_memory(model, tmp_path):
    report = onnxpress.convert(model, tmp_path / "m.onnx", strip_names=True)
    assert report.stripped.names == 4
    assert [node.name for node in Model.load(tmp_path / "m.onnx").graph.nodes] == [""] * 4
    assert [node.name for node in model.graph.nodes] == ["n1", "n2", "n3", "n4"]


def test_find_nodes():
    model = Model.parse("""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
g (float[2] x, bool c) => (float[2] y)
{
  ["a/relu"] r = Relu (x)
  ["a/relu_1"] s = Relu (r)
  ["b/gelu"] t = com.microsoft.Gelu (s)
  ["b/if"] y = If (c) <then_branch = t () => (float[2] z) { ["inner/relu"] z = Relu (t) }, else_branch = e () => (float[2] w) { ["inner/neg"] w = Neg (t) }>
}
""")
    graph = model.graph

    def names(*words, **options):
        return [node.name for node in graph.find_nodes(*words, **options)]

    assert names() == ["a/relu", "a/relu_1", "b/gelu", "b/if"] and names(bodies=True)[-2:] == ["inner/relu", "inner/neg"]
    assert names("Relu") == ["a/relu", "a/relu_1"] and names("Relu", bodies=True) == ["a/relu", "a/relu_1", "inner/relu"]
    assert names(["Relu", "If"], name="*/relu") == ["a/relu"] and names(name=["b/*", "a/relu_?"]) == ["a/relu_1", "b/gelu", "b/if"]
    assert names("Gelu") == names("com.microsoft::Gelu") == names("com.microsoft::*") == ["b/gelu"]
    assert names("::Gelu") == [] and names("ai.onnx::Relu") == names("::Relu") == ["a/relu", "a/relu_1"]
    assert names([]) == [] and names("relu") == []
    body = graph.node("b/if").attributes["then_branch"]
    assert [node.name for node in body.find_nodes("Relu")] == ["inner/relu"]
    with pytest.raises(TypeError):
        graph.find_nodes(3)
