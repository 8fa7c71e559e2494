"""Compares our text syntax with the official parser and printer (PyPI `onnx`).

For hand-made models that contain everything a model may contain, and for official and real models:
our text, read by the official parser, is the same model (except for the extensions of docs/reference/text.md);
  our text, read by us, is the same model, and printing it again gives the same text;
  the official printer's text, read by us, is what the official parser reads.
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

try:
    import onnx
    from onnx import parser, printer
except ImportError:
    print("SKIPPED: the onnx package is not installed (scripts/setup test)")
    sys.exit(77)

from text_cases import all_cases  # noqa: E402
from text_equality import same_model  # noqa: E402

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
OFFICIAL_MODELS = Path("/usr/share/libonnx-testdata")  # from the Debian package libonnx-testdata
REAL_MODELS = Path(os.environ.get("MODELS", "models"))
LARGEST = 3_000_000  # bytes: the official parser takes a second per 20 MB of text
EVERY = int(os.environ.get("EVERY", "12"))  # of the official models; 1 takes them all


class Failure(Exception):
    pass


def convert(source, target):
    done = subprocess.run([ONNXPRESS, "convert", source, target], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"convert {source.name} {target.name}: {done.stderr.strip()}")


def require_same(found, expected, what, official=False):
    difference = same_model(found, expected, official)
    if difference:
        raise Failure(f"{what}: {difference}")


def load(path):
    return onnx.load(path, load_external_data=False)


def check_ours(model, path, folder, official):
    """`official` is the expected result of the official parser for our text: the "same" model, an "other" one, or it "refuses" it."""
    ours, back, again = folder / "ours.onnxtxt", folder / "back.onnx", folder / "again.onnxtxt"
    convert(path, ours)
    convert(ours, back)
    require_same(load(back), model, "our text, read by us")
    convert(back, again)
    if again.read_bytes() != ours.read_bytes():
        raise Failure("printing the parsed text gives another text")
    try:
        read = parser.parse_model(ours.read_bytes().decode("utf-8"))
    except Exception as error:  # the binding raises several kinds; it refuses text that is not UTF-8
        if official != "refuses":
            raise Failure(f"the official parser does not read our text: {error}") from error
        return
    if official == "refuses":
        raise Failure("the official parser reads our text now: docs/reference/text.md says that it does not")
    if official == "same":
        require_same(read, model, "our text, read officially", official=True)


def check_official_text(model, folder):
    """Returns whether there was something to compare, which is not the case if the official text contains "..."."""
    text, read = folder / "official.onnxtxt", folder / "read.onnx"
    printed = printer.to_text(model)
    if "..." in printed:
        return False
    text.write_bytes(printed.encode("utf-8"))
    try:
        expected = parser.parse_model(printed)
    except Exception:  # the official parser does not read everything that the official printer writes, but we do
        convert(text, read)
        require_same(load(read), model, "the official text, which only we read", official=True)
        return True
    convert(text, read)
    require_same(load(read), expected, "the official text, read by us")
    return True


def check(name, path, official="same", has_official_text=True):
    with tempfile.TemporaryDirectory() as folder:
        try:
            model = load(path)
            check_ours(model, path, Path(folder), official)
            compared = has_official_text and check_official_text(model, Path(folder))
            return None, compared
        except Failure as failure:
            return f"{name}: {failure}", False


def run(kind, jobs):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: check(*job), jobs))
    failures = [failure for failure, _ in results if failure]
    for failure in failures[:20]:
        print(f"FAILED {failure}")
    compared = sum(compared for _, compared in results)
    print(f"test_text: {len(results) - len(failures)} of {len(results)} {kind} models, "
          f"of which {compared} also from official text")
    return not failures


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "weights.bin").write_bytes(bytes(8192))  # contains the external tensors of text_cases.py
        jobs = []
        for name, model, official, has_official_text in all_cases():
            path = Path(folder) / f"{name}.onnx"
            path.write_bytes(model.SerializeToString())
            jobs.append((name, path, official, has_official_text))
        good &= run("hand-made", jobs)
    real = sorted(p for p in REAL_MODELS.glob("*.onnx") if p.stat().st_size <= LARGEST)
    if real:
        good &= run("real", [(p.name, p) for p in real])
    official = sorted(p for p in OFFICIAL_MODELS.rglob("*.onnx") if p.stat().st_size <= LARGEST)[::EVERY]
    if official:
        good &= run("official", [(str(p.relative_to(OFFICIAL_MODELS)), p) for p in official])
    if not good:
        return 1
    if not official:
        print("SKIPPED: the official models (install libonnx-testdata)")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
