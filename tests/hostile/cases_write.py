"""The writing side: whatever the model or the output path says, nothing outside the output folder changes, and old files survive."""
import os

from case import BAD_INPUT, DONE, MODEL, NO, SECRET, Case, Run, convert
from cases_external import beside, location, with_file
from onnx_bytes import ONES, X, Y, graph, model, node, plain_model, tensor

OLD = b"the old file"


def old_output(folder):
    (folder / "out" / "converted.onnx").write_bytes(OLD)


def still_old(folder):
    """The old file is intact, and there is no half-written one next to it."""
    assert (folder / "out" / "converted.onnx").read_bytes() == OLD
    names = sorted(path.name for path in (folder / "out").iterdir())
    assert names == ["converted.onnx"], names


def plain(prepare=lambda folder: None, weight=None):
    def make(folder):
        (folder / "in" / "model.onnx").write_bytes(plain_model(weight))
        prepare(folder)
    return make


def link_to_secret(folder):
    os.symlink("../canary/secret.bin", folder / "out" / "converted.onnx")


def link_was_replaced(folder):
    path = folder / "out" / "converted.onnx"
    assert not path.is_symlink() and path.read_bytes() == plain_model()


def data_link_to_secret(folder):
    os.symlink("../canary/secret.bin", folder / "out" / "w.data")


def data_link_was_replaced(folder):
    path = folder / "out" / "w.data"
    assert not path.is_symlink() and path.read_bytes() == ONES


def folder_link(folder):
    os.symlink("../canary", folder / "out" / "linked")


OUTPUT = [
    Case("write/output_symlink", plain(link_to_secret), [convert(DONE)], link_was_replaced),
    Case("write/output_symlink_dangling", plain(lambda folder: os.symlink("../canary/new.bin", folder / "out" / "converted.onnx")), [convert(DONE)], link_was_replaced),
    Case("write/data_symlink", plain(data_link_to_secret), [convert(DONE, options=("--external-data", "w.data", "--external-threshold", "0"))],
         data_link_was_replaced),
    Case("write/no_folder", plain(), [Run(["convert", MODEL, "out/no/such/converted.onnx"], BAD_INPUT, "the folder does not exist; create it first")]),
    Case("write/output_is_folder", plain(lambda folder: (folder / "out" / "converted.onnx").mkdir()), [convert(BAD_INPUT, "cannot write: is a folder")]),
    Case("write/output_is_fifo", plain(lambda folder: os.mkfifo(folder / "out" / "converted.onnx")), [convert(BAD_INPUT, "cannot write: is not a regular file")]),
    Case("write/parent_is_file", plain(lambda folder: (folder / "out" / "file").write_bytes(OLD)),
         [Run(["convert", MODEL, "out/file/converted.onnx"], BAD_INPUT, "Not a directory")]),
    Case("write/unreadable_input_keeps_output", with_file(location("missing.bin"), lambda folder: old_output(folder.parent)),
         [convert(BAD_INPUT, "cannot open", ("--single-file",))], still_old),
]

DATA_NAMES = [
    Case(f"write/data_name_{name}", plain(), [convert((2, BAD_INPUT), message, ("--external-data", where, "--external-threshold", "0"))])
    for name, where, message in [
        ("dotdot", "../canary/secret.bin", "contains '..'"),
        ("abs", "{folder}/canary/new.bin", "is an absolute path"),
        ("mid_dotdot", "a/../../canary/secret.bin", "contains '..'"),
    ]
] + [
    Case("write/data_name_is_output", plain(), [convert((2, BAD_INPUT), "", ("--external-data", "converted.onnx", "--external-threshold", "0"))]),
    Case("write/data_name_through_link", plain(folder_link), [convert(BAD_INPUT, "", ("--external-data", "linked/secret.bin", "--external-threshold", "0"))]),
]


def kept_data_link(folder):
    """The model has w.bin next to it; in the folder of the output, a link of that name leads to the canary."""
    os.symlink("../canary/secret.bin", folder.parent / "out" / "w.bin")
    beside()(folder)


def kept_folder_link(folder):
    os.symlink("../canary", folder.parent / "out" / "sub")
    (folder / "sub").mkdir()
    (folder / "sub" / "secret.bin").write_bytes(ONES)


def other_data_in_the_way(folder):
    beside()(folder)
    (folder.parent / "out" / "w.bin").write_bytes(OLD)


def not_overwritten(folder):
    assert (folder / "out" / "w.bin").read_bytes() == OLD


RESAVED = [
    Case("write/kept_data_is_link", with_file(location("w.bin"), kept_data_link), [convert((DONE, BAD_INPUT))]),
    Case("write/kept_folder_is_link", with_file(location("sub/secret.bin"), kept_folder_link), [convert(BAD_INPUT)]),
    Case("write/kept_data_would_overwrite", with_file(location("w.bin"), other_data_in_the_way), [convert(BAD_INPUT, "w.bin")], not_overwritten),
    Case("write/resave_in_place", location("../canary/secret.bin"), [Run(["convert", MODEL, MODEL], (DONE, BAD_INPUT))], changes=("in/model.onnx",)),
    Case("write/resave_allowed", location("../canary/secret.bin"), [convert((DONE, BAD_INPUT), options=("--allow-outside-paths",))]),
]

FOLDABLE = model(graph([node("Identity", ["x"], ["t"]), node("Add", ["t", "w"], ["y"])], [tensor(raw=ONES)], [X], [Y]))
OPTIMIZED = ["optimize", MODEL, "-o", "out/converted.onnx"]


def foldable(prepare=lambda folder: None):
    def make(folder):
        (folder / "in" / "model.onnx").write_bytes(FOLDABLE)
        prepare(folder)
    return make


def was_optimized(folder):
    path = folder / "out" / "converted.onnx"
    assert not path.is_symlink() and b"Identity" not in path.read_bytes()
    assert [each.name for each in (folder / "out").iterdir()] == ["converted.onnx"]


def was_optimized_in_place(folder):
    assert b"Identity" not in (folder / "in" / "model.onnx").read_bytes()


OPTIMIZE = [
    Case("write/optimize", foldable(), [Run(OPTIMIZED, DONE)], was_optimized),
    Case("write/optimize_over_symlink", foldable(link_to_secret), [Run(OPTIMIZED, DONE)], was_optimized),
    Case("write/optimize_over_old_file", foldable(old_output), [Run(OPTIMIZED, DONE)], was_optimized),
    Case("write/optimize_in_place", foldable(), [Run(["optimize", MODEL, "-o", MODEL], DONE)], was_optimized_in_place, changes=("in/model.onnx",)),
    Case("write/optimize_no_folder", foldable(), [Run(["optimize", MODEL, "-o", "out/no/such/converted.onnx"], BAD_INPUT, "the folder does not exist; create it first")]),
    Case("write/optimize_over_fifo", foldable(lambda folder: os.mkfifo(folder / "out" / "converted.onnx")), [Run(OPTIMIZED, BAD_INPUT, "is not a regular file")]),
    Case("write/optimize_keeps_old_file", with_file(location("missing.bin"), lambda folder: old_output(folder.parent)), [Run(OPTIMIZED, BAD_INPUT, "cannot open")], still_old),
    Case("write/profile_over_folder", plain(lambda folder: (folder / "out" / "p.csv").mkdir()), [Run(["profile", MODEL, "-o", "out/p.csv"], BAD_INPUT, "is a folder")]),
]

CASES = OUTPUT + DATA_NAMES + RESAVED + OPTIMIZE
