"""python -m onnxpress: the command that the wheel carries."""

import os
import shutil
import sys
import sysconfig


def main() -> int:
    beside = os.path.join(sysconfig.get_path("scripts"), "onnxpress")
    program = beside if os.path.exists(beside) else shutil.which("onnxpress")
    if program is None:
        print("onnxpress: the command is not installed", file=sys.stderr)
        return 2
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
