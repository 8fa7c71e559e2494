#!/usr/bin/env python3
"""Runs the golden files tests/golden/**/*.golden: one command line and the exact answer it must give.

tests/golden/README.md describes the format. Needs nothing but Python's standard library.
"""
import argparse
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

GOLDENS = Path(__file__).resolve().parent / "golden"
ROOT = GOLDENS.parent.parent
TIMEOUT_SECONDS = 120

SECTION = re.compile(r"---- (\w+)(?: (.+))?")
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
WILDCARD = re.compile(r"\{\{(.*?)\}\}")
NO_NEWLINE = "\\ no newline at end\n"

INPUTS = ("before", "file", "hex")
OUTPUTS = ("after", "stdout", "stderr", "exit")


class Malformed(Exception):
    """The golden file itself is wrong."""


@dataclass
class Section:
    kind: str  # one of INPUTS or OUTPUTS
    argument: str = ""  # the name of a file, the number of an exit
    text: str = ""

    def header(self):
        return f"---- {self.kind} {self.argument}".rstrip() + "\n"


@dataclass
class Golden:
    head: str = ""  # comment and RUN lines, as written
    commands: list = field(default_factory=list)
    sections: list = field(default_factory=list)

    def find(self, kind):
        return next((section for section in self.sections if section.kind == kind), None)

    def text(self):
        return self.head + "".join(section.header() + section.text for section in self.sections)


def parse(text):
    golden = Golden()
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if not line.endswith("\n"):
            raise Malformed("the last line has no newline")
        if match := SECTION.fullmatch(line.rstrip("\n")):
            add_section(golden, Section(match[1], match[2] or ""), number)
        elif golden.sections:
            golden.sections[-1].text += line
        elif line.startswith("RUN: onnxpress "):
            golden.commands.append(line.removeprefix("RUN: onnxpress ").rstrip("\n"))
            golden.head += line
        elif line.startswith("#") or not line.strip():
            golden.head += line
        else:
            raise Malformed(f"line {number}: expected '# comment', 'RUN: onnxpress ...' or '---- section'")
    if not golden.commands:
        raise Malformed("no 'RUN: onnxpress ...' line")
    for section in golden.sections:
        if section.kind == "exit" and section.text:
            raise Malformed("'---- exit' takes no lines")
    if golden.find("after") and not any("%after" in command for command in golden.commands):
        raise Malformed("has '---- after', but no RUN line writes %after")
    return golden


def add_section(golden, section, number):
    if section.kind not in INPUTS + OUTPUTS:
        raise Malformed(f"line {number}: unknown section '{section.kind}'; known: {', '.join(INPUTS + OUTPUTS)}")
    takes_argument = section.kind in ("file", "hex", "exit")
    if takes_argument != bool(section.argument):
        raise Malformed(f"line {number}: '---- {section.kind}' {'needs' if takes_argument else 'takes no'} argument")
    if section.kind == "exit" and not section.argument.isdigit():
        raise Malformed(f"line {number}: '---- exit' needs a number")
    identity = (section.argument,) if section.kind in ("file", "hex") else (section.kind,)
    for other in golden.sections:
        if identity == ((other.argument,) if other.kind in ("file", "hex") else (other.kind,)):
            raise Malformed(f"line {number}: a second '---- {' '.join(identity)}'")
    golden.sections.append(section)


# --- Running


def input_files(golden):
    """Name and content of each file the command finds in its folder."""
    for section in golden.sections:
        if section.kind == "before":
            yield "before.onnxtxt", section.text.encode()
        elif section.kind == "file":
            yield section.argument, section.text.encode()
        elif section.kind == "hex":
            lines = (line.split("#")[0] for line in section.text.splitlines())
            try:
                yield section.argument, bytes.fromhex("".join(lines))
            except ValueError as problem:
                raise Malformed(f"'---- hex {section.argument}': {problem}") from None


def write_inputs(golden, folder):
    for name, content in input_files(golden):
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise Malformed(f"'{name}' leaves the temporary folder")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def run_environment():
    """Plain text in a fixed language; a sanitizer's finding must not look like the answer "no", which is exit 1."""
    # It must not matter whether this machine has ONNX Runtime, and which version; tests/python/test_verify.py runs it.
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "ONNXPRESS_ORT": "none"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        environment[name] = ":".join(filter(None, [environment.get(name), "exitcode=99"]))
    return environment


def expand(command, folder):
    names = {"%before": "before.onnxtxt", "%after": "after.onnxtxt", "%dir": str(folder)}
    return [re.sub("%before|%after|%dir", lambda match: names[match[0]], word) for word in shlex.split(command)]


def run(golden, program):
    """The actual results: a dict with the texts of stdout, stderr and after, and the exit code."""
    with tempfile.TemporaryDirectory(prefix="golden") as name:
        folder = Path(name).resolve()
        write_inputs(golden, folder)
        environment = run_environment()
        actual = {"stdout": "", "stderr": "", "exit": "0"}
        for command in golden.commands:
            if actual["exit"] != "0":
                raise Malformed(f"a RUN line before the last one gave exit {actual['exit']}:\n{actual['stderr']}")
            done = subprocess.run([program, *expand(command, folder)], cwd=folder, env=environment, timeout=TIMEOUT_SECONDS,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
            actual["stdout"] += normalized(done.stdout, folder)
            actual["stderr"] += normalized(done.stderr, folder)
            actual["exit"] = str(done.returncode)
        after = folder / "after.onnxtxt"
        if after.exists():
            actual["after"] = normalized(after.read_bytes(), folder)
        return actual


def normalized(output, folder):
    text = output.decode("utf-8", "backslashreplace").replace(str(folder), "%dir")
    return text if not text or text.endswith("\n") else text + "\n" + NO_NEWLINE


# --- Comparing


def matches(expected, line):
    """Whether `line` matches `expected`, in which {{regex}} stands for parts that vary from run to run."""
    if "{{" not in expected:
        return expected == line
    parts = WILDCARD.split(expected)  # literal, regex, literal, ...
    pattern = "".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    return re.fullmatch(pattern, line) is not None


def with_wildcards(actual, expected):
    """`actual`, with lines that match a wildcard line of `expected` replaced by that line."""
    expected_lines = expected.splitlines(keepends=True)
    wild = [line for line in expected_lines if "{{" in line]
    result = []
    for i, line in enumerate(actual.splitlines(keepends=True)):
        if i < len(expected_lines) and matches(expected_lines[i], line):
            line = expected_lines[i]
        elif line not in expected_lines:
            line = next((each for each in wild if matches(each, line)), line)
        result.append(line)
    return "".join(result)


def differences(golden, actual):
    """Unified diffs of every expectation that does not hold."""
    found = []
    expected_exit = golden.find("exit").argument if golden.find("exit") else "0"
    if actual["exit"] != expected_exit:
        found.append(f"exit {actual['exit']}, expected {expected_exit}\n")
        if not golden.find("stderr"):
            found.append(actual["stderr"])
    for section in golden.sections:
        if section.kind not in ("after", "stdout", "stderr"):
            continue
        if section.kind not in actual:
            found.append("%after was not written\n")
            continue
        text = with_wildcards(actual[section.kind], section.text)
        found.extend(difflib.unified_diff(section.text.splitlines(keepends=True), text.splitlines(keepends=True),
                                          f"{section.kind} expected", f"{section.kind} actual"))
    return "".join(found)


def updated(golden, actual):
    """The golden with its expectations updated. One without any gets those that are not empty."""
    inputs = [section for section in golden.sections if section.kind in INPUTS]
    wanted = [section.kind for section in golden.sections if section.kind not in INPUTS + ("exit",)]
    if not wanted:
        wanted = ["after"] if "after" in actual else ["stdout"] if actual["stdout"] or not actual["stderr"] else []
        wanted += ["stderr"] if actual["stderr"] else []
    outputs = []
    for kind in wanted:
        old = golden.find(kind)
        outputs.append(Section(kind, "", with_wildcards(actual.get(kind, ""), old.text if old else "")))
    if actual["exit"] != "0":
        outputs.append(Section("exit", actual["exit"]))
    return Golden(golden.head, golden.commands, inputs + outputs)


# --- The command


@dataclass
class Outcome:
    name: str
    problem: str = ""  # empty: passed
    updated: bool = False


def run_case(path, options):
    name = str(path.relative_to(options.folder).with_suffix(""))
    try:
        if not NAME.fullmatch(path.stem):
            raise Malformed("a case is named by a sentence: keeps_conv_with_two_users.golden")
        golden = parse(path.read_text(encoding="utf-8"))
        if not options.update and not any(section.kind in OUTPUTS for section in golden.sections):
            raise Malformed("asserts nothing; give it '---- stdout' or another expectation, or run with --update")
        actual = run(golden, options.program)
        if int(actual["exit"]) < 0 or int(actual["exit"]) > 3:  # also with --update: a crash is never expected
            return Outcome(name, f"crashed: exit {actual['exit']}\n{actual['stderr']}")
        if options.update:
            text = updated(golden, actual).text()
            if text != golden.text():
                path.write_text(text, encoding="utf-8")
                return Outcome(name, updated=True)
            return Outcome(name)
        return Outcome(name, differences(golden, actual))
    except Malformed as problem:
        return Outcome(name, f"malformed golden: {problem}\n")
    except subprocess.TimeoutExpired:
        return Outcome(name, f"did not end within {TIMEOUT_SECONDS} s\n")


def newer_source(program):
    """A source that changed since `program` was built; None if there is none."""
    build = next((folder for folder in program.parents if (folder / "build.ninja").is_file()), None)
    if build and shutil.which("ninja"):
        # Under its own name, the manifest would be made again by CMake first, and ninja would not say more than that.
        with tempfile.NamedTemporaryFile(suffix=".ninja") as copy:
            copy.write((build / "build.ninja").read_bytes())
            copy.flush()
            command = ["ninja", "-C", build, "-f", copy.name, "-n", "-d", "explain", program.relative_to(build)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            newer = re.search(r"older than most recent input (\S+)", done.stdout + done.stderr)
            return None if "no work to do" in done.stdout else os.path.relpath(build / newer[1], ROOT) if newer else "one of its sources"
    built = program.stat().st_mtime
    sources = (path for folder in ("include", "onnxpress", "cli") for path in sorted((ROOT / folder).rglob("*.*")))
    return next((str(path.relative_to(ROOT)) for path in sources if path.stat().st_mtime > built), None)


def nearest(word, names):
    """Up to four of `names`, their folders or last parts that `word` may have meant."""
    known = sorted({part for name in names for part in (name, *(f"{folder}/" for folder in Path(name).parts[:-1]), Path(name).name)})
    close = difflib.get_close_matches(word, known, n=4)
    words = [part for part in re.split(r"[\W_]+", word) if len(part) > 2]
    return close or [name for name in known if words and all(part in name for part in words)][:4]


def default_program():
    built = [path for path in (ROOT / "build/dev/onnxpress", ROOT / "build/onnxpress") if path.exists()]
    return max(built, key=lambda path: path.stat().st_mtime, default=ROOT / "build/onnxpress")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--onnxpress", metavar="PROGRAM", type=Path, default=default_program(),
                        help="the command to test (default: the newest of build/dev/onnxpress and build/onnxpress)")
    parser.add_argument("--update", action="store_true", help="replace the expectations by what the command prints now")
    parser.add_argument("--filter", metavar="SUBSTR", default="", help="only cases whose path contains this")
    parser.add_argument("--folder", metavar="DIR", type=Path, default=GOLDENS, help="where the golden files are")
    parser.add_argument("-j", "--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="cases at a time")
    options = parser.parse_args()
    options.program = options.onnxpress.resolve()
    if not options.program.is_file():
        parser.error(f"'{options.onnxpress}' does not exist; build it first (make) or use --onnxpress PROGRAM")
    if options.update and (newer := newer_source(options.program)):
        parser.error(f"'{options.onnxpress}' is older than {newer}, so the goldens would record what an old program says;"
                     " build it first (cmake --build --preset dev --target onnxpress_cli)")
    return options


def main():
    options = arguments()
    all_paths = sorted(options.folder.rglob("*.golden"))
    paths = [path for path in all_paths if options.filter in str(path.relative_to(options.folder))]
    if options.filter and not paths:
        close = nearest(options.filter, [str(path.relative_to(options.folder).with_suffix("")) for path in all_paths])
        print(f"no golden has '{options.filter}' in its path{'; the nearest names are ' + ', '.join(close) if close else ''}", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda path: run_case(path, options), paths))
    for outcome in outcomes:
        if outcome.problem:
            print(f"FAILED {outcome.name}\n{outcome.problem}")
        elif outcome.updated:
            print(f"updated {outcome.name}")
    failed = sum(1 for outcome in outcomes if outcome.problem)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
