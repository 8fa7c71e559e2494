"""External data that leads outside the model's folder, or nowhere. README.md names public vulnerabilities of this kind."""
import os

from case import BAD_INPUT, DONE, MODEL, NO, SECRET, Case, Run, check, convert, info
from onnx_bytes import (FLOAT, INT64, ONES, X, Y, attribute, function, graph, graph_attribute, model, node, opset, plain_model, sparse,
                        sparse_attribute, tensor, tensor_attribute, text, value_info)

SINGLE = ("--single-file",)
ABSOLUTE = "is an absolute path"
DOTDOT = "contains '..'"
LINK = "leads outside the model's folder through a link"


def bad_data(message, told_by_check=None):
    """The weight cannot be read: the graph can still be shown, but nothing that needs the weight works."""
    return [info(DONE), check(NO, told_by_check or message), convert(BAD_INPUT, message, SINGLE), convert(BAD_INPUT, message)]


def bad_range(told_by_check, told_by_convert):
    """The file exists, but does not have what the model says. Keeping it as it is needs no valid range; moving the weight inside does."""
    return [info(DONE), check(NO, told_by_check), convert(BAD_INPUT, told_by_convert, SINGLE), convert(DONE)]


def location(where, **more):
    return plain_model(tensor(external={"location": where, **more}))


def with_file(encoded, prepare):
    """Writes the model, then lets `prepare(folder in/)` put files next to it."""
    def make(folder):
        (folder / "in" / "model.onnx").write_bytes(encoded)
        prepare(folder / "in")
    return make


def beside(content=ONES, name="w.bin"):
    def prepare(folder):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return prepare


def range_case(name, runs, content=ONES, **keys):
    return Case(f"external/{name}", with_file(location("w.bin", **keys), beside(content)), runs)


def unreadable(message):
    """An offset or length that is not a number: the whole file is refused."""
    return [check(BAD_INPUT, message), info(BAD_INPUT, message), convert(BAD_INPUT, message)]


def path_case(name, where, message):
    return Case(f"external/{name}", location(where), bad_data(message))


PATHS = [
    path_case("dotdot", "../canary/secret.bin", DOTDOT),
    path_case("dotdot_deep", "../" * 40 + "etc/passwd", DOTDOT),
    path_case("mid_dotdot", "a/../../canary/secret.bin", DOTDOT),
    path_case("nodir_dotdot", "nodir/../../canary/secret.bin", DOTDOT),
    path_case("end_dotdot", "..", DOTDOT),
    path_case("dotdot_backslash", "a\\..\\..\\canary\\secret.bin", DOTDOT),
    path_case("abs", "/etc/passwd", ABSOLUTE),
    path_case("abs_dslash", "//etc/passwd", ABSOLUTE),
    path_case("backslash", "\\etc\\passwd", ABSOLUTE),
    path_case("drive", "C:\\secret.bin", ABSOLUTE),
    path_case("drive_slash", "c:/secret.bin", ABSOLUTE),
    path_case("drive_relative", "c:secret.bin", ABSOLUTE),
    path_case("unc", "\\\\server\\share\\secret.bin", ABSOLUTE),
    path_case("nul", "w.bin\0.txt", "the path contains a NUL byte"),
    path_case("ort_mem", "*/_ORT_MEM_ADDR_/*", "is an in-memory address of ONNX Runtime, not a file"),
    Case("external/empty_location", location(""), bad_data("has no location", "its data is external, but no file is named")),
    path_case("missing_file", "w.bin", "cannot open: No such file or directory"),
    path_case("missing_folder", "weights/w.bin", "cannot open: No such file or directory"),
    path_case("long_location", "a" * 1_000_000, "...(1000000 bytes)..."),
    path_case("control_characters", "w\x1b[31m\n.bin", "w\\x1b[31m\\x0a.bin"),
    Case("external/no_location", plain_model(tensor(external={"offset": "0"})), bad_data("has no location", "its data is external, but no file is named")),
]


def symlink(target, name="w.bin"):
    return lambda folder: os.symlink(target, folder / name)


def linked_folder(folder):
    os.symlink("../canary", folder / "linked")


def symlink_inside(folder):
    (folder / "blobs").mkdir()
    (folder / "blobs" / "0123").write_bytes(ONES)
    os.symlink("blobs/0123", folder / "w.bin")


def link_chain(folder):
    """Fifty links, each pointing at the next: more than the kernel follows."""
    (folder / "link_50").write_bytes(ONES)
    for i in range(50):
        os.symlink(f"link_{i + 1}", folder / f"link_{i}")
    os.symlink("link_0", folder / "w.bin")


def hard_link_out(folder):
    os.link(folder.parent / "canary" / "secret.bin", folder / "w.bin")


def hard_link_inside(folder):
    (folder / "first.bin").write_bytes(ONES)
    os.link(folder / "first.bin", folder / "w.bin")


def no_secret(folder):
    """No file that was written contains the canary."""
    for path in (folder / "out").rglob("*"):
        assert not path.is_file() or SECRET not in path.read_bytes(), f"{path.name} holds the secret"


def file_case(name, prepare, runs, where="w.bin"):
    return Case(f"external/{name}", with_file(location(where), prepare), runs, no_secret)


WORKS = [info(DONE), check(DONE), convert(DONE, options=SINGLE), convert(DONE)]
OUTSIDE = ("--allow-outside-paths",)


def allowed(folder):
    """Users who trust a model can allow this; then the outside file is read, but still nothing outside is written."""
    assert SECRET in (folder / "out" / "converted.onnx").read_bytes()


FILES = [
    file_case("symlink", symlink("../canary/secret.bin"), bad_data(LINK)),
    file_case("symlink_absolute", symlink("/etc/passwd"), bad_data(LINK)),
    file_case("symlink_loop", symlink("w.bin"), bad_data(LINK)),
    file_case("symlink_chain", link_chain, bad_data(LINK)),
    file_case("symlink_parent", linked_folder, bad_data(LINK), "linked/secret.bin"),
    file_case("symlink_proc", symlink("/proc/self/environ"), bad_data(LINK)),
    file_case("device", symlink("/dev/zero"), bad_data(LINK)),
    file_case("ok_symlink_inside", symlink_inside, WORKS),
    file_case("hardlink", hard_link_out, bad_data("is a hard link (2 names)")),
    file_case("hardlink_inside", hard_link_inside, WORKS),
    file_case("fifo", lambda folder: os.mkfifo(folder / "w.bin"), bad_data("is not a regular file")),
    file_case("directory", lambda folder: (folder / "w.bin").mkdir(), bad_data("is a folder, not a file")),
    file_case("file_as_folder", beside(), bad_data("cannot open: Not a directory"), "w.bin/w.bin"),
    file_case("ok_subfolder", beside(name="a/b/w.bin"), WORKS, "a/b/w.bin"),
    file_case("ok_dot", beside(), WORKS, "./w.bin"),
    Case("external/allow_outside", location("../canary/secret.bin"), [convert(DONE, "", SINGLE + OUTSIDE)], allowed),
    Case("external/allow_outside_fifo", with_file(location("w.bin"), lambda folder: os.mkfifo(folder / "w.bin")),
         [convert(BAD_INPUT, "is not a regular file", SINGLE + OUTSIDE)]),
    Case("external/allow_outside_nul", location("w.bin\0"),
         [convert(BAD_INPUT, "the path contains a NUL byte", SINGLE + OUTSIDE)]),
]

NOT_A_NUMBER = "which is not a whole number of bytes"
MAX = 2**63 - 1

RANGES = [
    range_case("offset_neg", unreadable("offset '-1', " + NOT_A_NUMBER), offset="-1"),
    range_case("length_neg", unreadable("length '-16', " + NOT_A_NUMBER), length="-16"),
    range_case("offset_plus", unreadable("offset '+1', " + NOT_A_NUMBER), offset="+1"),
    range_case("offset_hex", unreadable("offset '0x10', " + NOT_A_NUMBER), offset="0x10"),
    range_case("offset_empty", unreadable("offset '', " + NOT_A_NUMBER), offset=""),
    range_case("nan_offset", unreadable("offset 'nan', " + NOT_A_NUMBER), offset="nan"),
    range_case("length_fraction", unreadable("length '16.0', " + NOT_A_NUMBER), length="16.0"),
    range_case("offset_2e64", unreadable(NOT_A_NUMBER), offset=str(2**64)),
    range_case("offset_2e63", unreadable(NOT_A_NUMBER), offset=str(2**63)),
    range_case("length_pb", bad_range("needs 9007199254740992 bytes at 0x0 of 'w.bin', which ends at 0x10",
                                      "the file has 16 and the model says 9007199254740992"), length=str(2**53)),
    range_case("length_over", bad_range("needs 17 bytes at 0x0 of 'w.bin', which ends at 0x10", "the file has 16 and the model says 17"), length="17"),
    range_case("length_short", bad_range("needs 16 bytes, but length is 15", "the file has 16 and the model says 15"), length="15"),
    range_case("length_long", bad_range("needs 16 bytes, but length is 20", "the file has 32 and the model says 20"), ONES + ONES, length="20"),
    range_case("offset_over", bad_range("needs 16 bytes at 0x11 of 'w.bin', which ends at 0x10", "a tensor needs 16 bytes at 0x11, the file has 16"), offset="17"),
    range_case("offset_at_end", bad_range("needs 16 bytes at 0x10 of 'w.bin', which ends at 0x10", "a tensor needs 16 bytes at 0x10"), offset="16"),
    range_case("offset_1_too_far", bad_range("needs 16 bytes at 0x1 of 'w.bin', which ends at 0x10", "a tensor needs 16 bytes at 0x1"), offset="1"),
    range_case("off_len_overflow", bad_range(f"needs {MAX} bytes at 0x7fffffffffffffff", "a tensor needs 16 bytes at 0x7fffffffffffffff"),
               offset=str(MAX), length=str(MAX)),
    range_case("empty_file", bad_range("needs 16 bytes at 0x0 of 'w.bin', which ends at 0x0", "the file has 0"), b""),
    range_case("dunder", WORKS, __class__="str", __init__="x"),
    range_case("unknown_key", WORKS, mode="exec", basepath="/etc"),
    range_case("ok_offset", WORKS, ONES + ONES, offset="16", length="16"),
    Case("external/two_locations", with_file(plain_model(tensor(external=[("location", "w.bin"), ("location", "../canary/secret.bin")])), beside()),
         bad_data(DOTDOT)),
    Case("external/and_raw", with_file(plain_model(tensor(raw=ONES, external={"location": "w.bin"})), beside()),
         [info(DONE), check(NO, "has data in more than one field")]),
]


EVIL = {"location": "../canary/secret.bin"}
BRANCH = graph([node("Constant", [], ["b"], [tensor_attribute("value", tensor(external=EVIL))])], [], [], [value_info("b")], "branch")
IF = [node("If", ["c"], ["y"], [graph_attribute("then_branch", BRANCH), graph_attribute("else_branch", BRANCH)])]
BODY_WEIGHT = graph([node("Identity", ["inner"], ["b"])], [tensor("inner", external=EVIL)], [], [value_info("b")], "branch")
IF_WEIGHT = [node("If", ["c"], ["y"], [graph_attribute("then_branch", BODY_WEIGHT), graph_attribute("else_branch", BODY_WEIGHT)])]
CONDITION = value_info("c", (), 9)
EVIL_VALUES = sparse(tensor("w", (2,), external=EVIL), dims=(2, 2))
EVIL_INDICES = sparse(tensor("w", (2,), FLOAT, ONES[:8]), tensor("", (1,), INT64, external=EVIL), (2, 2))


def hidden_case(name, encoded):
    return Case(f"external/{name}", encoded, bad_data(DOTDOT), no_secret)


def constant(attribute_bytes):
    return model(graph([node("Constant", [], ["y"], [attribute_bytes])], [], [], [Y]))


HIDDEN = [
    hidden_case("in_constant_attr", constant(tensor_attribute("value", tensor(external=EVIL)))),
    hidden_case("in_tensors_attr", constant(attribute("values", 9, 10, tensor(external=EVIL)))),
    hidden_case("in_constant_sparse", constant(sparse_attribute("sparse_value", EVIL_VALUES))),
    hidden_case("in_sparse_tensors_attr", constant(attribute("values", 12, 23, EVIL_VALUES))),
    hidden_case("in_sparse_initializer", model(graph([node("Identity", ["w"], ["y"])], [], [], [Y], extra=text(15, EVIL_VALUES)))),
    hidden_case("in_sparse_indices", model(graph([node("Identity", ["w"], ["y"])], [], [], [Y], extra=text(15, EVIL_INDICES)))),
    hidden_case("in_subgraph", model(graph(IF, [], [CONDITION], [Y]))),
    hidden_case("in_subgraph_initializer", model(graph(IF_WEIGHT, [], [CONDITION], [Y]))),
    hidden_case("in_function", model(graph([node("F", ["x"], ["y"], domain="local")], [], [X], [Y]), [
        function("F", [node("Constant", [], ["b"], [tensor_attribute("value", tensor(external=EVIL))]), node("Add", ["x", "b"], ["y"])])],
        [opset(), opset(1, "local")])),
    # Nothing reads the default value of a function's attribute, so nothing is refused; the file must not be opened either.
    Case("external/in_function_default", model(graph([node("F", ["x"], ["y"], domain="local")], [], [X], [Y]), [
        function("F", [node("Identity", ["x"], ["y"])], extra=text(11, tensor_attribute("value", tensor(external=EVIL))))],
        [opset(), opset(1, "local")]), [info(DONE), check(DONE), convert(DONE, options=SINGLE), convert(DONE)], no_secret),
    hidden_case("in_training_info", plain_model(extra=text(20, text(1, graph([], [tensor("t", external=EVIL)]))))),
]


def same_twice(folder):
    """Both tensors are views of one file, which is written once."""
    written = [path.name for path in (folder / "out").iterdir()]
    assert sorted(written) == ["converted.onnx", "w.bin"], written
    assert (folder / "out" / "w.bin").read_bytes() == ONES


DESTROYS = "is the output file itself, which would destroy these weights"

SHARED = [
    Case("external/dup_location", with_file(model(graph([node("Add", ["v", "w"], ["y"])], [
        tensor("v", external={"location": "w.bin"}), tensor("w", external={"location": "w.bin"})], [], [Y])), beside()),
        [check(DONE), convert(DONE)], same_twice),
    # The model file is its own weight file: reading is harmless, but replacing it would replace the weights.
    Case("external/self", location("model.onnx"), [info(DONE), convert(DONE, options=SINGLE)], no_secret),
    Case("external/self_in_place", location("model.onnx"), [Run(["convert", MODEL, MODEL], BAD_INPUT, DESTROYS)]),
    Case("external/self_as_output", with_file(location("converted.onnx"), beside(name="converted.onnx")), [convert(BAD_INPUT, DESTROYS)]),
    Case("external/output_is_data", with_file(location("w.onnx"), beside(name="w.onnx")),
         [Run(["convert", MODEL, "in/w.onnx"], BAD_INPUT, DESTROYS), Run(["convert", MODEL, "in/./w.onnx"], BAD_INPUT, DESTROYS)]),
    Case("external/locations_10k", model(graph([], [tensor(f"w{i}", external={"location": f"{i}.bin"}) for i in range(10_000)])),
         [info(DONE), check(NO, "No such file"), convert(BAD_INPUT, "No such file")]),
]

CASES = PATHS + FILES + RANGES + HIDDEN + SHARED
