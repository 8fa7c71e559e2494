#!/usr/bin/env python3
"""Runs python/tests with pytest against the package as it is installed: PACKAGE is the build tree that made the module.

The module is built from the objects of that tree, sanitizers included, so nothing is compiled twice; then the runtime of
the sanitizers has to be loaded before Python, which PRELOAD names.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = os.environ.get("PACKAGE")


def main():
    if not PACKAGE:
        print("skipped: built without the Python module (-DONNXPRESS_PYTHON=ON)")
        return 77
    try:
        import pytest  # noqa: F401
    except ImportError:
        print("skipped: needs pytest (scripts/setup test)")
        return 77
    with tempfile.TemporaryDirectory() as site:
        subprocess.run(["cmake", "--install", PACKAGE, "--component", "python", "--prefix", site], check=True,
                       stdout=subprocess.DEVNULL)
        environment = {**os.environ, "PYTHONPATH": site, "PYTHONDONTWRITEBYTECODE": "1"}
        if os.environ.get("PRELOAD"):
            environment["LD_PRELOAD"] = os.environ["PRELOAD"]
            # Python itself keeps memory until its end; what the module leaks is counted by the tests, so freed memory
            # must not be kept for long.
            environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0:quarantine_size_mb=8"
        return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(ROOT / "python" / "tests")],
                              env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
