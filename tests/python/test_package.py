#!/usr/bin/env python3
"""Packs the module of a build tree (PACKAGE) as a wheel, installs that into a fresh virtual environment, and runs python/tests there.

The module is the one that this tree built, sanitizers included, so nothing is compiled twice: the build backend only packs it. The
runtime of the sanitizers has to be loaded before Python, which PRELOAD names. `make wheel` does the same with a release build.
"""
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = os.environ.get("PACKAGE")


def run(*words, **options):
    return subprocess.run(list(map(str, words)), check=True, text=True, **options)


def pip(*words):
    run(sys.executable, "-m", "pip", *words[:-1], "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", words[-1])


def pack(folder):
    """A wheel with the settings of pyproject.toml, but without running CMake again."""
    run("cmake", "--install", PACKAGE, "--component", "python", "--prefix", folder / "content", stdout=subprocess.DEVNULL)
    settings = {"wheel.cmake": "false", "wheel.platlib": "true", "wheel.packages": folder / "content" / "onnxpress",
                "sdist.include": "*.so"}  # ignored by .gitignore
    pip("wheel", "--no-build-isolation", "-w", folder, *(f"--config-settings={name}={value}" for name, value in settings.items()), ROOT)
    shutil.rmtree(folder / "content")  # hundreds of megabytes with sanitizers
    return next(folder.glob("onnxpress-*.whl"))


def fresh_environment(folder):
    """A virtual environment without pip, which takes long to install, and with the packages of this Python."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", capture_output=True).stdout.strip()
    Path(site, "packages_of_tests.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def main():
    if not PACKAGE:
        print("skipped: built without the Python module (-DONNXPRESS_PYTHON=ON)")
        return 77
    try:
        import pytest, scikit_build_core  # noqa: E401, F401
    except ImportError as error:
        print(f"skipped: needs {error.name} (scripts/setup test)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, python = pack(folder), fresh_environment(folder / "fresh")
        pip("--python", python, "install", wheel)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("PYTHONPATH", None)
        if os.environ.get("PRELOAD"):
            environment["LD_PRELOAD"] = os.environ["PRELOAD"]
            # Python itself keeps memory until it exits, so leak detection is off. The tests count what the module leaks, so
            # freed memory must not be kept for long.
            environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0:quarantine_size_mb=8"
        where = run(python, "-c", "import onnxpress; print(onnxpress.__file__)", env=environment, cwd=folder, capture_output=True)
        assert where.stdout.startswith(str(folder / "fresh")), f"another package is tested: {where.stdout}"
        version = run(folder / "fresh" / "bin" / "onnxpress", "--version", env=environment, capture_output=True).stdout
        print(f"{wheel.name}, {wheel.stat().st_size:,} bytes: {version.strip()}", flush=True)
        tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "python" / "tests"]
        return subprocess.run(list(map(str, tests)), env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
