"""The command `onnxpress`, and `python -m onnxpress`: the same as the one that `make` builds, but in the extension module."""

import os
import sys
import sysconfig

from ._onnxpress import _run_command


def main() -> int:
    # `bench` starts the command again, in separate processes.
    script = os.path.join(sysconfig.get_path("scripts"), "onnxpress")
    if os.access(script, os.X_OK):
        os.environ.setdefault("ONNXPRESS_PROGRAM", script)
    return _run_command(["onnxpress", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
