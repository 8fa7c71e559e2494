"""Options and the pages of the docs agree: every option is on the page of its command, and every row and every command line of
the docs has options that exist."""

import os
import re
import shlex
import subprocess
import unittest
from pathlib import Path

ONNXPRESS = Path(os.environ.get("ONNXPRESS", "build/onnxpress")).resolve()
ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ROOT / "docs" / "commands"
FLAG = re.compile(r"(?<![\w-])(?:--[a-z][a-z0-9-]*|-[a-zA-Z])(?![\w-])")
COMMAND_LINE = re.compile(r"^(?:\$ )?onnxpress ([a-z]+)\b(.*)$")
EXPLAINED_BY_HELP = {"man": "help"}
# For processes that the command starts itself.
INTERNAL = {"bench": {"--worker"}}


def help_of(*words):
    return subprocess.run([ONNXPRESS, *words], capture_output=True, text=True, check=True).stdout


def commands():
    listed = help_of("--help").split("\nCommands\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)


def flags_in_help(text):
    """Flags in the left columns of a help text: those of the command, and those of all commands (group Other)."""
    own, common = set(), set()
    group = own
    for line in text.splitlines():
        if line and not line.startswith(" "):
            group = common if line == "Other" else own
        elif line.startswith("  -"):
            group |= set(FLAG.findall(re.split(r"\s{2,}", line.strip())[0]))
    return own, common


def rows(page):
    """First cells of the rows of tables about options."""
    is_about_options = False
    for line in page.splitlines():
        if not line.startswith("|"):
            is_about_options = False
            continue
        first = re.split(r"(?<!\\)\|", line)[1].strip()
        if first == "option":
            is_about_options = True
        elif is_about_options and not set(first) <= set("-: "):
            yield first


class OptionPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.options, cls.common = {}, set()
        for command in commands():
            own, common = flags_in_help(help_of(command, "--help-all"))
            cls.options[command] = own
            cls.common |= common

    def page_of(self, command):
        return (PAGES / f"{EXPLAINED_BY_HELP.get(command, command)}.md").read_text()

    def test_help_lists_options(self):
        self.assertLess({"--tensors", "--json", "--no-mmap"}, self.options["info"])
        self.assertLess({"--threads", "-q", "--help"}, self.common)
        self.assertGreater(sum(map(len, self.options.values())), 250)

    def test_every_option_is_on_the_page_of_its_command(self):
        for command, options in self.options.items():
            page = self.page_of(command)
            shown = set(FLAG.findall(" ".join(re.findall(r"`[^`\n]+`", page))))
            with self.subTest(command=command):
                # -o stands for --output.
                internal = INTERNAL.get(command, set())
                lacking = sorted(options - shown - internal - ({"--output"} if "-o" in shown else set()))
                self.assertEqual(lacking, [], f"docs/commands/{command}.md says nothing about these")

    def test_options_of_every_command_are_on_the_page_of_help(self):
        shown = set(FLAG.findall("".join(rows((PAGES / "help.md").read_text()))))
        self.assertEqual(sorted(self.common - shown - {"-V", "--version"}), [])

    def test_every_row_of_a_page_is_an_option(self):
        for path in sorted(PAGES.glob("*.md")):
            known = set(self.common)
            for command in [path.stem, *(name for name, page in EXPLAINED_BY_HELP.items() if page == path.stem)]:
                known |= self.options[command]
            for row in rows(path.read_text()):
                with self.subTest(page=path.name, row=row):
                    flags = set(FLAG.findall(row))
                    self.assertTrue(flags, "a row of a table about options names none")
                    self.assertLessEqual(flags, known)

    def test_every_command_line_has_options_that_exist(self):
        seen = 0
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            lines = path.read_text().splitlines()
            for line, answer in zip(lines, [*lines[1:], ""]):
                found = COMMAND_LINE.match(line.strip())
                if not found or found[1] not in self.options or answer.startswith("error:"):
                    continue
                words = shlex.split(re.split(r"\s#|\s[|>]\s|&&", found[2])[0])
                flags = {word.split("=")[0] for word in words if re.match(r"--[a-z]|-[a-zA-Z]$", word)}
                seen += 1
                with self.subTest(page=path.name, line=line.strip()):
                    self.assertLessEqual(flags, self.options[found[1]] | self.common)
        self.assertGreater(seen, 100, "hardly any command line was found: has their form changed?")


if __name__ == "__main__":
    unittest.main()
