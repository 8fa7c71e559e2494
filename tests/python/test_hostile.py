#!/usr/bin/env python3
"""Runs the program on every hostile case of tests/hostile/: it must answer in time, with the right exit code and message, never
crash, and never create or change anything outside the output folder.

  ONNXPRESS=build/dev/onnxpress tests/python/test_hostile.py            all
  ONNXPRESS=build/dev/onnxpress tests/python/test_hostile.py external/  those whose name contains this
"""
import hashlib
import os
import re
import resource
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "hostile"))
from cases import CASES  # noqa: E402

PROGRAM = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress")).resolve()
MEMORY = 1 << 30  # of address space; the largest case has 6 MB of input
SANITIZED = b"__asan_init" in PROGRAM.read_bytes()
# Everything takes under a second in a release build; anything that is not linear would take minutes in any build.
SECONDS = 150 if SANITIZED else 20
LONGEST_ANSWER = 1_000_000  # characters, also for a file with a million mistakes
TRACES = ("AddressSanitizer", "LeakSanitizer", "runtime error:", "this is a bug in onnxpress", "terminate called")


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def environment(run):
    # A sanitized program reserves terabytes of addresses, so there the sanitizer itself has to limit the memory. Looking for leaks and
    # keeping the stacks of functions that have returned takes half the time of a run, so only the first run of a case does it (`check` in most
    # cases). The other runs do not record where each block was allocated either: they still report errors, but with less detail.
    options = f"{os.environ.get('ASAN_OPTIONS', '')}:max_allocation_size_mb=512:hard_rss_limit_mb=2048"
    if not run.is_first:
        options += ":detect_leaks=0:detect_stack_use_after_return=0:malloc_context_size=1"
    return {**os.environ, "NO_COLOR": "1", "ASAN_OPTIONS": options}


def snapshot(folder, left_out):
    """Describes every file outside `out`: kind, links, mode, content. Fifos are not opened."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.split("/")[0] == "out" or name in left_out:
            continue
        status = path.lstat()
        content = b""
        if stat.S_ISLNK(status.st_mode):
            content = os.readlink(path).encode()
        elif stat.S_ISREG(status.st_mode):
            content = hashlib.sha256(path.read_bytes()).digest()
        seen[name] = (status.st_mode, status.st_nlink if stat.S_ISREG(status.st_mode) else 0, content)
    return seen


def run_program(run, folder):
    """Exit code (None if it hung) and everything it printed."""
    arguments = [each.replace("{folder}", str(folder)) for each in run.arguments]
    try:
        done = subprocess.run([PROGRAM, *arguments], cwd=folder, env=environment(run), stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=SECONDS, preexec_fn=None if SANITIZED else limit_memory)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def judge(run, code, said):
    """Yields what is wrong with the answer, in words."""
    allowed = run.code if isinstance(run.code, tuple) else (run.code,)
    if code is None:
        yield f"takes more than {SECONDS} s"
        return
    if code < 0:
        yield f"died of signal {-code}"
    elif code not in allowed:
        yield f"exit code {code}, expected {' or '.join(map(str, allowed))}"
    if run.message not in said:
        yield f"did not say {run.message!r}"
    if trace := [each for each in TRACES if each in said]:
        yield f"printed {trace[0]!r}"
    if len(said) > LONGEST_ANSWER:
        yield f"printed {len(said)} characters"


def problems_of(case):
    with tempfile.TemporaryDirectory(prefix="onnxpress-hostile-") as name:
        folder = Path(name) / "case"
        case.write_files(folder)
        before = snapshot(folder, case.changes)
        for number, run in enumerate(case.runs):
            run.is_first = number == 0
            code, said = run_program(run, folder)
            if problems := list(judge(run, code, said)):
                shown = "\n".join("    " + line[:200] for line in said.splitlines()[-12:])
                yield f"{case.name}: onnxpress {' '.join(run.arguments)}: {'; '.join(problems)}\n{shown}"
        after = snapshot(folder, case.changes)
        for changed in sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)):
            yield f"{case.name}: {changed} was created, changed or removed"
        if beside := [path.name for path in Path(name).iterdir() if path != folder]:
            yield f"{case.name}: made {beside}"
        if case.after:
            try:
                case.after(folder)
            except (AssertionError, OSError) as error:
                yield f"{case.name}: {error!r}"


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [case for case in CASES if wanted in case.name]
    names = {case.name for case in CASES}
    assert cases and len(names) == len(CASES), "no case, or two of one name"
    promised = re.findall(r"\b(?:external|wire|tensor|graph|write|fold)/\w+", (ROOT / "tests" / "hostile" / "README.md").read_text())
    assert promised and names.issuperset(promised), f"README.md names cases that do not exist: {set(promised) - names}"
    # Long cases start first, so that no core waits for them at the end.
    cases.sort(key=lambda case: -len(case.make) if isinstance(case.make, bytes) else 0)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [problem for problems in pool.map(lambda case: list(problems_of(case)), cases) for problem in problems]
    for problem in found:
        print(problem)
    print(f"hostile: {len(cases)} cases, {sum(len(case.runs) for case in cases)} runs, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
