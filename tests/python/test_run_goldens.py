"""The golden runner itself: passes, failures, malformed files and --update, against a stand-in for the command."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parent.parent / "run_goldens.py"

# Prints its arguments and the files it is given; the words 'fail' and 'crash' make it fail and crash.
STAND_IN = f"""#!{sys.executable}
import os, signal, sys
print(*sys.argv[1:])
for word in sys.argv[1:]:
    if os.path.isfile(word):
        print(ascii(open(word, "rb").read().decode("latin-1")))
    if word == "after.onnxtxt":
        open(word, "w").write("written\\n")
if "fail" in sys.argv:
    sys.exit("talk")
if "crash" in sys.argv:
    os.kill(os.getpid(), signal.SIGSEGV)
"""


class RunGoldens(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "stand_in"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)

    def run_golden(self, text, *options, name="says_something.golden"):
        for old in self.folder.glob("*.golden"):
            old.unlink()
        self.path = self.folder / name
        self.path.write_text(text)
        done = subprocess.run([sys.executable, RUNNER, "--folder", self.folder, "--onnxpress", self.program, *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def assert_passes(self, text, *options):
        code, output = self.run_golden(text, *options)
        self.assertEqual((code, output), (0, "1 passed, 0 failed\n"))

    def assert_fails(self, text, message, *options, **keywords):
        code, output = self.run_golden(text, *options, **keywords)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)
        self.assertTrue(output.endswith("0 passed, 1 failed\n"), output)

    def test_expands_paths_and_writes_inputs(self):
        self.assert_passes("RUN: onnxpress a 'b c' %before\n---- before\nhi\n---- stdout\na b c before.onnxtxt\n'hi\\n'\n")
        self.assert_passes("RUN: onnxpress sub/x\n---- file sub/x\nhi\n---- stdout\nsub/x\n'hi\\n'\n")
        self.assert_passes("RUN: onnxpress x\n---- hex x\n0a 41 # comment\n---- stdout\nx\n'\\nA'\n")
        self.assert_passes("RUN: onnxpress %dir/x\n---- stdout\n%dir/x\n")

    def test_joins_several_runs(self):
        self.assert_passes("RUN: onnxpress a\nRUN: onnxpress fail\n---- stdout\na\nfail\n---- stderr\ntalk\n---- exit 1\n")
        self.assert_fails("RUN: onnxpress fail\nRUN: onnxpress a\n---- stdout\nfail\na\n", "before the last one gave exit 1")

    def test_compares_every_expectation(self):
        self.assert_fails("RUN: onnxpress a\n---- stdout\nb\n", "-b\n+a\n")
        self.assert_fails("RUN: onnxpress fail\n---- stdout\nfail\n", "exit 1, expected 0")
        self.assert_fails("RUN: onnxpress a\n---- exit 1\n", "exit 0, expected 1")
        self.assert_fails("RUN: onnxpress fail\n---- stderr\nother\n---- exit 1\n", "-other\n+talk\n")
        self.assert_fails("RUN: onnxpress %after\n---- after\nother\n", "-other\n+written\n")
        self.assert_passes("RUN: onnxpress %after\n---- after\nwritten\n")

    def test_wildcards_stand_for_one_line(self):
        self.assert_passes("RUN: onnxpress took 12.5 s\n---- stdout\ntook {{[0-9.]+}} s\n")
        self.assert_fails("RUN: onnxpress took long s\n---- stdout\ntook {{[0-9.]+}} s\n", "+took long s")

    def test_refuses_malformed_goldens(self):
        self.assert_fails("RUN: onnxpress a\n", "asserts nothing")
        self.assert_fails("---- stdout\n", "no 'RUN")
        self.assert_fails("RUN: onnxpress a\n---- stdou\n", "unknown section")
        self.assert_fails("RUN: onnxpress a\n---- stdout\n---- stdout\n", "a second '---- stdout'")
        self.assert_fails("RUN: onnxpress a\n---- file x\n---- hex x\n---- stdout\n", "a second")
        self.assert_fails("RUN: onnxpress a\n---- file ../x\n---- stdout\n", "leaves the temporary folder")
        self.assert_fails("RUN: onnxpress a\n---- exit one\n", "needs a number")
        self.assert_fails("RUN: onnxpress a\n---- after\n", "no RUN line writes")
        self.assert_fails("words\nRUN: onnxpress a\n---- stdout\na\n", "line 1")
        self.assert_fails("RUN: onnxpress a\n---- stdout\na\n", "named by a sentence", name="Case.golden")

    def test_a_crash_is_never_expected(self):
        self.assert_fails("RUN: onnxpress crash\n---- stdout\ncrash\n", "crashed: exit -11")
        self.assert_fails("RUN: onnxpress crash\n---- stdout\ncrash\n", "crashed: exit -11", "--update")

    def test_update_rewrites_expectations_only(self):
        self.run_golden("# why\n\nRUN: onnxpress 12 fail\n---- before\nx\n---- stdout\n{{[0-9]+}} fail\nold\n", "--update")
        self.assertEqual(self.path.read_text(),
                         "# why\n\nRUN: onnxpress 12 fail\n---- before\nx\n---- stdout\n{{[0-9]+}} fail\n---- exit 1\n")
        self.run_golden("RUN: onnxpress fail\n", "--update")
        self.assertEqual(self.path.read_text(), "RUN: onnxpress fail\n---- stdout\nfail\n---- stderr\ntalk\n---- exit 1\n")

    def test_filter_that_matches_nothing_fails(self):
        golden = "RUN: onnxpress a\n---- stdout\na\n"
        self.assertEqual(self.run_golden(golden, "--filter", "nothing"), (1, "no golden has 'nothing' in its path\n"))
        for near in ("say_something", "something_it_says"):
            self.assertEqual(self.run_golden(golden, "--filter", near),
                             (1, f"no golden has '{near}' in its path; the nearest names are says_something\n"))

    def test_update_refuses_a_program_older_than_its_sources(self):
        golden = "RUN: onnxpress a\n---- stdout\nold\n"
        os.utime(self.program, (0, 0))
        code, output = self.run_golden(golden, "--update")
        self.assertEqual((code, self.path.read_text()), (2, golden))
        self.assertRegex(output, r"is older than \S+/\S+, so .* build it first")
        self.assert_fails(golden, "+a")  # a comparison needs no new program

    @unittest.skipUnless(shutil.which("ninja"), "ninja is not installed")
    def test_update_asks_ninja_what_a_program_is_made_of(self):
        (self.folder / "source").write_text("")
        (self.folder / "build.ninja").write_text("rule touch\n  command = touch $out\nbuild stand_in: touch | source\n")
        golden = "RUN: onnxpress a\n---- stdout\nold\n"
        code, output = self.run_golden(golden, "--update")  # as old as nothing: the source is newer
        self.assertEqual((code, self.path.read_text()), (2, golden), output)
        subprocess.run(["ninja", "-C", self.folder], check=True, capture_output=True)
        os.utime(self.program, (2**31 - 1, 2**31 - 1))
        code, output = self.run_golden(golden, "--update")
        self.assertEqual((code, output), (0, "updated says_something\n1 passed, 0 failed\n"))
        os.utime(self.folder / "source", (2**31, 2**31))
        code, output = self.run_golden(golden, "--update")
        self.assertEqual(code, 2, output)
        self.assertRegex(output, r"is older than \S*/source, so ")


if __name__ == "__main__":
    unittest.main()
