"""The `onnx` package loads every model we encode, and sees what it sees in the original.

Every message of every official and real model is encoded again by tests/models/round_trip (nothing is copied from the file),
then both files are parsed by onnx and compared as protobufs.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import onnx
except ImportError:
    print("SKIPPED: no onnx package (scripts/setup test installs it)")
    sys.exit(77)

OFFICIAL = "/usr/share/libonnx-testdata/data"
PLACES = [place for place in (os.environ.get("OFFICIAL_MODELS", OFFICIAL), os.environ.get("MODELS", "models")) if Path(place).is_dir()]


def main():
    if not PLACES:
        print("SKIPPED: neither official nor real models are here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([os.environ["ROUND_TRIP"], "--write", folder, *PLACES], capture_output=True, text=True)
        print(run.stdout, end="")
        if run.returncode != 0:
            print(run.stderr)
            return 1
        passed, failed = 0, 0
        for line in Path(folder, "list.txt").read_text().splitlines():
            written, original = line.split("\t")
            ours = onnx.load(Path(folder, written), load_external_data=False)
            theirs = onnx.load(original, load_external_data=False)
            if ours == theirs:
                passed += 1
            else:
                failed += 1
                print(f"FAILED {original}: onnx sees another model")
        print(f"{passed} passed, {failed} failed")
        return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
