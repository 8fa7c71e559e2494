#!/usr/bin/env python3
"""A write that is killed, interrupted or refused leaves the complete old file, and nothing else under its name."""
import hashlib
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress")).resolve()
MODEL_BYTES = 100_000_000
ROUNDS = 24


def onnxpress(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.sha256(file.read()).hexdigest()


class AtomicWrite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.source = Path(tempfile.mkdtemp(prefix="onnxpress-atomic-"))
        cls.addClassCleanup(shutil.rmtree, cls.source)
        cls.big, cls.split = cls.source / "big.onnx", cls.source / "split.onnx"
        for arguments in ([cls.big, "--bytes", MODEL_BYTES], [cls.split, "--bytes", MODEL_BYTES, "--seed", 1, "--external-data", "split.data"]):
            done = onnxpress("generate", "weights", "-o", *arguments)
            assert done.returncode == 0, done.stderr

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="onnxpress-atomic-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    # --- killed

    def kill_at_random_times(self, command, watched):
        """Runs `command` again and again and kills it at random times; then each of the `watched` files must be completely old or completely new."""
        for path in watched:
            path.write_bytes(b"old")
        started = time.monotonic()
        self.assertEqual(onnxpress(*command).returncode, 0)
        whole_time = time.monotonic() - started
        new = {path: digest(path) for path in watched}
        old = hashlib.sha256(b"old").hexdigest()
        chance = random.Random(4)
        outcomes = []
        for _ in range(ROUNDS):
            for path in watched:
                path.write_bytes(b"old")
            process = subprocess.Popen([PROGRAM, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, whole_time * 1.1))
            process.kill()
            process.wait()
            now = {path: digest(path) for path in watched}
            for path in watched:
                self.assertIn(now[path], (old, new[path]), f"{path.name} is neither the old nor the new file")
            outcomes.append(now[watched[0]] == old)
        self.assertTrue(any(outcomes), "no round was killed before the end: nothing was tested")

    def test_killed_while_writing_a_model(self):
        target = self.folder / "target.onnx"
        self.kill_at_random_times(["convert", self.big, target], [target])
        # If the file system supports unnamed files, a killed process leaves nothing at all.
        self.assertLessEqual(len([name for name in self.names() if name != "target.onnx"]), ROUNDS)
        self.assertFalse([name for name in self.names() if name != "target.onnx" and not name.startswith(".target.onnx.")])

    def test_killed_while_writing_external_data(self):
        model, data = self.folder / "target.onnx", self.folder / "w.data"
        self.kill_at_random_times(["convert", self.big, model, "--external-data", "w.data"], [model, data])

    def test_interrupted_by_ctrl_c(self):
        target = self.folder / "target.onnx"
        target.write_bytes(b"old")
        for _ in range(5):
            process = subprocess.Popen([PROGRAM, "convert", self.big, target], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.03)
            process.send_signal(signal.SIGINT)
            if process.wait() != 0:
                self.assertEqual(target.read_bytes(), b"old")
                self.assertEqual(self.names(), ["target.onnx"])
            target.write_bytes(b"old")

    # --- no room

    def test_file_size_limit(self):
        target = self.folder / "target.onnx"
        target.write_bytes(b"old")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        for command in (["generate", "weights", "-o", target, "--bytes", "50MB"], ["convert", self.split, target, "--single-file"]):
            done = onnxpress(*command, preexec_fn=limit)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("cannot write at", done.stderr)
            self.assertIn("File too large", done.stderr)
            self.assertEqual(target.read_bytes(), b"old")
            self.assertEqual(self.names(), ["target.onnx"])

    def test_every_command_leaves_old_files_when_it_fails(self):
        """No room for the weights or for the text; the limit counts for each file."""
        small = self.source / "small.onnx"
        made = onnxpress("generate", "transformer", "-o", small, "--external-data", "small.data")
        self.assertEqual(made.returncode, 0, made.stderr)
        size = (self.source / "small.data").stat().st_size
        self.assertGreater(size, 4096)
        commands = {
            "infer": ["infer", small, "-o"],
            "edit": ["edit", small, "--doc=new", "-o"],
            "memory": ["memory", small, "--reorder", "-o"],
            "profile": ["profile", small, "-o"],
            "expand": ["expand", small, "-o"],
            "optimize": ["optimize", small, "--opset", "20", "-o"],
            "quantize": ["quantize", small, "--to", "int8", "--encoding", "simulate", "-o"],
        }

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))

        old = {name: f"old {name}".encode() for name in ("r.onnx", "r.onnx.data", "r.onnxtxt", "r.json", "small.data")}
        for name, command in commands.items():
            for output in ("r.onnx", "r.onnxtxt", "r.json"):
                if output != "r.onnx" and name in ("memory", "profile"):
                    continue
                for file, content in old.items():
                    (self.folder / file).write_bytes(content)
                done = onnxpress(*command, self.folder / output, preexec_fn=limit)
                with self.subTest(command=name, output=output):
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn("error: ", done.stderr)
                    self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, old)

    def test_text_that_does_not_fit_leaves_no_weights(self):
        """The weights would fit, but the text with its long documentation does not: neither may appear."""
        model, documented = self.source / "few.onnx", self.source / "documented.onnx"
        made = onnxpress("generate", "weights", "-o", model, "--bytes", 20000, "--external-data", "few.data", "--external-threshold", 1)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(onnxpress("edit", model, "--doc=" + "long " * 20000, "-o", documented).returncode, 0)
        most = 2 * (self.source / "documented.onnx.data").stat().st_size
        self.assertLess(most, 100_000)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        for command in (["convert"], ["edit", "--set-metadata", "a=b"], ["expand"], ["infer", "-o"]):
            for output in ("r.onnxtxt", "r.json"):
                with self.subTest(command=command[0], output=output):
                    words = [command[0], documented, *command[1:], self.folder / output]
                    done = onnxpress(*words, preexec_fn=limit)
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertIn("File too large", done.stderr)
                    self.assertEqual(self.names(), [])

    def test_weights_of_a_changed_model_go_next_to_it(self):
        """The old external file is neither copied nor replaced."""
        split = self.source / "copied.onnx"
        self.assertEqual(onnxpress("generate", "transformer", "-o", split, "--external-data", "copied.data").returncode, 0)
        for command in (["infer", split], ["edit", split, "--doc=new"], ["profile", split], ["optimize", split, "--opset", "20"],
                        ["quantize", split, "--to", "int8", "--encoding", "simulate"]):
            target = self.folder / "target.onnx"
            done = onnxpress(*command, "-o", target)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.names(), ["target.onnx", "target.onnx.data"], command[0])
            self.assertEqual(onnxpress("check", target).returncode, 0)
            for name in self.names():
                (self.folder / name).unlink()

    def test_full_disk(self):
        """A file system of one megabyte, in a separate mount namespace."""
        target = self.folder / "small" / "target.onnx"
        target.parent.mkdir()
        script = f"""mount -t tmpfs -o size=1m none {target.parent} || exit 77
            echo -n old > {target}
            "$@"; code=$?
            [ "$(cat {target})" = old ] && [ "$(ls -A {target.parent})" = target.onnx ] || exit 99
            exit $code"""
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", PROGRAM, "convert", self.big, target],
                              capture_output=True, text=True)
        if done.returncode == 77 or "unshare failed" in done.stderr or "Operation not permitted" in done.stderr:
            self.skipTest("may not mount here")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertIn("hint: free some disk space", done.stderr)

    def test_full_standard_output(self):
        if not Path("/dev/full").exists():
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "info", self.split], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("No space left on device", done.stderr)

    # --- in place

    def test_in_place(self):
        target = self.folder / "target.onnx"
        shutil.copy(self.big, target)
        before = digest(target)
        os.chmod(target, 0o640)
        self.assertEqual(onnxpress("convert", target, target).returncode, 0)
        self.assertEqual(digest(target), before)
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)
        self.assertEqual(self.names(), ["target.onnx"])

    # --- the input changes while it is read

    def cut_while_running(self, command, file):
        """Truncates `file` again and again while `command` runs, until it notices; returns what it printed."""
        size = file.stat().st_size
        for delay in [0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3]:
            with open(file, "r+b") as opened:
                opened.truncate(size)  # as large as before, but the end is zeros now
            process = subprocess.Popen([PROGRAM, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            time.sleep(delay)
            os.truncate(file, 1000)
            said = process.communicate()[0]
            self.assertGreaterEqual(process.returncode, 0, f"died of signal {-process.returncode}: {said}")
            self.assertNotIn("Sanitizer", said)
            if process.returncode != 0:
                yield process.returncode, said

    def test_cut_while_mapped(self):
        model = self.folder / "split.onnx"
        shutil.copy(self.split, model)
        shutil.copy(self.source / "split.data", self.folder / "split.data")
        answers = list(self.cut_while_running(["info", "--duplicates", model], self.folder / "split.data"))
        self.assertTrue(answers, "was never cut in time")
        for code, said in answers:  # truncated while a weight was read, or just before
            self.assertEqual(code, 3, said)
            self.assertTrue("the file was truncated while it was being read" in said or "Could not be read" in said, said)

    def test_cut_while_converting(self):
        model = self.folder / "model.onnx"
        shutil.copy(self.big, model)
        target = self.folder / "target.onnx"
        target.write_bytes(b"old")
        for code, said in self.cut_while_running(["convert", model, target], model):
            self.assertEqual(code, 3, said)
            self.assertIn("error: ", said)


if __name__ == "__main__":
    unittest.main()
