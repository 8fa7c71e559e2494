"""Runs the command as shells, pipes and terminals do: full disks, closed pipes, truncated files, colours, completion."""

import fcntl
import json
import os
import pty
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
from pathlib import Path

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/onnxpress")).resolve()
# A sanitizer's finding must not look like one of our exit codes.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99", "LC_ALL": "C.UTF-8"}
ENVIRONMENT.pop("NO_COLOR", None)

TEXT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 4] x) => (float[N, 4] y)
<float[4] w = {1, 2, 3, 4}>
{
  y = Add (x, w)
}
"""


def field(number, content):
    """A length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def large_model(megabytes):
    """IR version 8 and one initializer 'w' of uint8 elements."""
    size = megabytes << 20
    tensor = b"\x08" + varint(size) + b"\x10\x02" + field(8, b"w") + field(9, bytes(range(256)) * (size // 256))
    return b"\x08\x08" + field(7, field(2, b"g") + field(5, tensor))


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="onnxpress_cli")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "m.onnxtxt").write_text(TEXT)

    def run_command(self, *arguments, expect=0, **options):
        options = {"capture_output": True, "cwd": self.folder, "env": ENVIRONMENT, "timeout": 120, **options}
        done = subprocess.run([ONNXPRESS, *arguments], check=False, **options)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done


class Streams(CommandTest):
    def test_models_come_from_standard_input(self):
        self.run_command("convert", "m.onnxtxt", "m.onnx")
        self.run_command("convert", "m.onnx", "m.json")
        for name in ("m.onnx", "m.onnxtxt", "m.json"):
            with open(self.folder / name, "rb") as model:
                report = json.loads(self.run_command("info", "-", "--json", stdin=model).stdout)
            self.assertEqual(report["weights"]["parameters"], 4, name)
            self.assertEqual(report["file"], "standard input")

    def test_a_streamed_model_that_cannot_get_smaller_is_copied(self):
        self.run_command("convert", "m.onnxtxt", "m.onnx")
        self.run_command("shrink", "m.onnx", "-o", "small.onnx")
        with open(self.folder / "small.onnx", "rb") as model:
            report = json.loads(self.run_command("shrink", "-", "-o", "again.onnx", "--json", stdin=model).stdout)
        self.assertTrue(report["unchanged"])
        self.assertEqual((self.folder / "again.onnx").read_bytes(), (self.folder / "small.onnx").read_bytes())

    def test_models_go_to_standard_output_unchanged(self):
        self.run_command("convert", "m.onnxtxt", "m.onnx")
        encoded = (self.folder / "m.onnx").read_bytes()
        done = self.run_command("convert", "-", "-", "--to", "onnx", input=encoded)
        self.assertEqual(done.stdout, encoded)
        self.assertEqual(done.stderr, b"")

    def test_a_full_disk_is_an_error(self):
        for arguments in (["--version"], ["--help"], ["info", "m.onnxtxt"], ["convert", "m.onnxtxt", "-", "--to", "json"]):
            with open("/dev/full", "wb") as full:
                done = self.run_command(*arguments, expect=3, stdout=full, stderr=subprocess.PIPE, capture_output=False)
            self.assertIn(b"error: standard output: cannot be written: No space left on device", done.stderr)

    def test_a_closed_pipe_is_quiet(self):
        (self.folder / "large.onnx").write_bytes(large_model(4))
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as pipe:
            done = self.run_command("convert", "large.onnx", "-", "--to", "json", expect=141, stdout=pipe, stderr=subprocess.PIPE,
                                    capture_output=False)
        self.assertEqual(done.stderr, b"")

    def test_no_arguments_show_the_help(self):
        self.assertEqual(self.run_command().stdout, self.run_command("--help").stdout)


class CutFiles(CommandTest):
    def convert_while_cutting(self, *options):
        """Starts a conversion that blocks on a full pipe, truncates the model, and lets it continue."""
        model = self.folder / "large.onnx"
        model.write_bytes(large_model(16))
        process = subprocess.Popen([ONNXPRESS, "convert", "large.onnx", "-", "--to", "json", *options], cwd=self.folder, env=ENVIRONMENT,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = process.stdout.read(1)  # it has begun to write, so the file is mapped or read
        os.truncate(model, 4096)
        rest, errors = process.communicate(timeout=120)
        return process.returncode, first + rest, errors.decode()

    def test_a_file_cut_while_mapped_is_an_error_with_its_name(self):
        code, _, errors = self.convert_while_cutting()
        self.assertEqual(code, 3, errors)
        self.assertRegex(errors, r"^error: .*/large\.onnx: the file was truncated while it was being read\n"
                                 r"hint: try again, or use --no-mmap\n$")

    def test_without_mapping_nothing_happens(self):
        code, output, errors = self.convert_while_cutting("--no-mmap")
        self.assertEqual(code, 0, errors)
        self.assertGreater(len(output), 16 << 20)


class Terminals(CommandTest):
    def on_terminal(self, *arguments, columns=80, stdin=None, **environment):
        """The output of the command on a terminal of that width. `stdin`: a pipe to read from."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen([ONNXPRESS, *arguments], cwd=self.folder, stdin=stdin or slave, stdout=slave, stderr=slave,
                                   env={**ENVIRONMENT, "TERM": "xterm", **environment})
        os.close(slave)
        output = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # Linux returns EIO when the other side is closed
                break
            if not piece:
                break
            output += piece
        os.close(master)
        process.wait(timeout=120)
        return output.decode()

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertIn("\x1b[", self.on_terminal("info", "m.onnxtxt"))
        self.assertNotIn("\x1b[", self.on_terminal("info", "m.onnxtxt", NO_COLOR="1"))
        self.assertNotIn("\x1b[", self.on_terminal("info", "m.onnxtxt", TERM="dumb"))
        self.assertNotIn(b"\x1b[", self.run_command("info", "m.onnxtxt").stdout)
        self.assertIn("\x1b[", self.on_terminal("info", "none.onnx"))
        self.assertNotIn(b"\x1b[", self.run_command("info", "none.onnx", expect=3).stderr)

    def test_an_empty_no_color_does_not_count(self):
        self.assertIn("\x1b[", self.on_terminal("info", "m.onnxtxt", NO_COLOR=""))

    def test_lines_fit_a_narrow_terminal(self):
        names = [f"a_rather_long_name_of_a_layer_somewhere_deep_in_the_network.{i}.weight" for i in range(3)]
        weights = ", ".join(f'float[2] "{name}" = {{1, 2}}' for name in names)
        (self.folder / "wide.onnxtxt").write_text(f'<ir_version: 8, opset_import: ["" : 17]> g () => () <{weights}> {{}}')
        for columns in (60, 80, 100):
            for line in self.on_terminal("info", "wide.onnxtxt", columns=columns, NO_COLOR="1").splitlines():
                self.assertLessEqual(len(line), columns, line)


    def test_long_names_lose_what_they_have_in_common(self):
        names = [f"/model/encoder/layers/self_attention/projection_of_the_{part}/weight" for part in ("queries", "keys", "values")]
        weights = ", ".join(f'float[2] "{name}" = {{1, 2}}' for name in names)
        (self.folder / "wide.onnxtxt").write_text(f'<ir_version: 8, opset_import: ["" : 17]> g () => () <{weights}> {{}}')
        shown = self.on_terminal("info", "wide.onnxtxt", NO_COLOR="1")
        for part in ("queries", "keys", "values"):
            self.assertIn(f"…/projection_of_the_{part}/weight", shown)
        piped = self.run_command("info", "wide.onnxtxt").stdout.decode()
        for name in names:
            self.assertIn(name, piped)

    def shrink_slowly(self, *options):
        """What a terminal shows while the model takes a second to arrive."""
        self.run_command("convert", "m.onnxtxt", "m.onnx")
        reading, writing = os.pipe()
        def feed():
            time.sleep(1)
            os.write(writing, (self.folder / "m.onnx").read_bytes())
            os.close(writing)
        feeder = threading.Thread(target=feed)
        feeder.start()
        shown = self.on_terminal("shrink", "-", "-o", "small.onnx", *options, stdin=reading)
        feeder.join()
        os.close(reading)
        return shown

    def test_progress_names_its_stage_and_goes_away(self):
        shown = self.shrink_slowly()
        pieces = shown.split("\r")
        drawn = [i for i, piece in enumerate(pieces) if piece.endswith(" s\x1b[K")]
        self.assertIn("reading  0 s\x1b[K", pieces)
        self.assertNotIn("100 %", "".join(pieces[i] for i in drawn))
        self.assertTrue(pieces[drawn[-1] + 1].startswith("\x1b[K"), "it is removed before anything else is said")

    def test_quiet_and_pipes_have_no_progress(self):
        self.assertNotIn("reading", self.shrink_slowly("--quiet"))
        self.run_command("convert", "m.onnxtxt", "m.onnx")
        command = f"(sleep 0.7; cat m.onnx) | {shlex.quote(str(ONNXPRESS))} shrink - -o small.onnx"
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env={**ENVIRONMENT, "TERM": "xterm"}, capture_output=True, check=True)
        self.assertNotIn(b"reading", done.stderr)


class Help(CommandTest):
    def test_the_list_of_rewrites_needs_no_model(self):
        self.assertIn("fold-constants", self.run_command("optimize", "--list").stdout.decode())
        self.assertIn("MODEL is missing", self.run_command("optimize", expect=2).stderr.decode())

    def test_rare_options_take_help_all(self):
        short, whole = (self.run_command("quantize", flag).stdout.decode() for flag in ("--help", "--help-all"))
        self.assertNotIn("--min-elements", short)
        self.assertIn("--min-elements", whole)
        self.assertEqual(whole, self.run_command("help", "quantize").stdout.decode())

    def test_manual_pages_are_written_for_every_command(self):
        self.run_command("man", "-o", "pages")
        self.assertIn("onnxpress-shrink.1", [path.name for path in (self.folder / "pages").iterdir()])


class StandardOutput(CommandTest):
    def test_models_go_to_standard_output(self):
        self.run_command("convert", "m.onnxtxt", "m.onnx")
        for arguments in (("shrink", "m.onnx", "-o", "-"), ("shrink", "m.onnx", "-"), ("expand", "m.onnx", "-"), ("infer", "m.onnx", "-o", "-"),
                          ("generate", "chain", "--nodes", "3", "-o", "-")):
            with self.subTest(arguments):
                model = self.run_command(*arguments).stdout
                with open(self.folder / "piped.onnx", "wb") as file:
                    file.write(model)
                self.run_command("check", "piped.onnx")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.name.startswith(".")), [])


class Completion(CommandTest):
    BASH = """
set -u
source <("$1" completion bash)
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMPREPLY=()
_onnxpress
printf '%s\\n' "${COMPREPLY[@]+"${COMPREPLY[@]}"}"
"""

    def bash(self, *words):
        done = subprocess.run(["bash", "-c", self.BASH, "bash", ONNXPRESS, "onnxpress", *words], cwd=self.folder, env=ENVIRONMENT, text=True,
                              capture_output=True, check=False, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1]

    def test_bash_completes(self):
        (self.folder / "other.onnx").touch()
        (self.folder / "notes.md").touch()
        (self.folder / "with space.onnx").touch()
        (self.folder / "sub").mkdir()
        self.assertEqual(self.bash("inf"), ["info", "infer"])
        self.assertIn("convert", self.bash(""))
        self.assertIn("--version", self.bash("--v"))
        self.assertEqual(self.bash("info", "--dup"), ["--duplicates"])
        self.assertEqual(self.bash("info", "--sort", "n"), ["name"])
        self.assertEqual(self.bash("info", "--sort", "=", "n"), ["name"])
        self.assertEqual(self.bash("info", "--top", ""), [""])
        self.assertEqual(sorted(self.bash("info", "")), ["m.onnxtxt", "other.onnx", "sub", "with space.onnx"])
        self.assertEqual(self.bash("convert", "m.onnxtxt", "ot"), ["other.onnx"])
        self.assertEqual(self.bash("convert", "--strip", "docs,na"), ["docs,names"])
        self.assertEqual(self.bash("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.bash("help", "exp"), ["expand"])

    def test_bash_knows_every_option_of_the_help(self):
        for command in ("info", "convert", "completion"):
            offered = self.bash(command, "-")
            for line in self.run_command(command, "--help").stdout.decode().splitlines():
                words = [word.rstrip(",") for word in line.split("  ")[1].split(" ")] if line.startswith("  -") else []
                for word in words:
                    if word.startswith("-"):
                        self.assertIn(word, offered)

    def test_fish_script_offers_commands_and_words(self):
        lines = self.run_command("completion", "fish").stdout.decode().splitlines()
        self.assertIn("complete -c onnxpress -n __fish_use_subcommand -a info -d 'show what is in a model, on one screen'", lines)
        self.assertTrue(any("from info' -l sort -x -a 'size" in line for line in lines), lines)
        if shutil.which("fish"):
            checked = subprocess.run(["fish", "--no-execute"], input="\n".join(lines).encode(), capture_output=True, check=False, timeout=120)
            self.assertEqual((checked.returncode, checked.stderr), (0, b""))

    ZSH = """
autoload -Uz compinit
compinit -u -D
source <("$1" completion zsh)
print -r -- "$_comps[onnxpress]"
"""

    def test_zsh_loads_it(self):
        if not shutil.which("zsh"):
            print("SKIPPED: zsh is not installed, so its completion was not tried", file=sys.stderr)
            self.skipTest("zsh is not installed")
        done = subprocess.run(["zsh", "-f", "-c", self.ZSH, "zsh", ONNXPRESS], env=ENVIRONMENT, text=True, capture_output=True, check=False,
                              timeout=120)
        self.assertEqual((done.stdout, done.stderr), ("_onnxpress\n", ""))
        script = self.run_command("completion", "zsh").stdout
        checked = subprocess.run(["zsh", "-n"], input=script, capture_output=True, check=False, timeout=120)
        self.assertEqual((checked.returncode, checked.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
