"""Compares onnxpress/tasks/quantize/search/limits.h, which has all numbers of the bit search, with the table on
docs/design/bit_search.md, row by row in both directions, and with the code that uses the numbers."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUANTIZE = ROOT / "onnxpress/tasks/quantize"
HEADER = (QUANTIZE / "search/limits.h").read_text()
PAGE = (ROOT / "docs/design/bit_search.md").read_text()

GROUP = re.compile(r"^  struct (\w+) \{\n(.*?)^  \};", re.M | re.S)
MEMBER = re.compile(r"((?:^    //.*\n)*)^    [\w:]+ (\w+) = ([^;]+);\n", re.M)
MEANING = re.compile(r"\[(?P<unit>[^\]]+)\] (?P<what>.+) Doubled: (?P<doubled>.+)")
ROW = re.compile(r"^\| `[a-z]+\.[a-z_0-9]+` \|.*\|$", re.M)


def members():
    """Group, name, value and comment of each member of SearchLimits."""
    names = dict(re.findall(r"^  (\w+) (\w+);", HEADER, re.M))
    for struct, body in GROUP.findall(HEADER):
        for comment, name, value in MEMBER.findall(body):
            yield names[struct], name, value.replace("'", ","), " ".join(comment.replace("//", " ").split())


def row_of(group, name, value, comment):
    meaning = MEANING.fullmatch(comment)
    if not meaning:
        raise AssertionError(f"{group}.{name} has no comment of the form '[unit] What it is. Doubled: what happens.'")
    return f"| `{group}.{name}` | {value} | {meaning['unit']} | {meaning['what']} | {meaning['doubled']} |"


class BitSearchPage(unittest.TestCase):
    def test_the_pipeline_is_short(self):
        """quantize() is a list of named steps that one can read at a glance."""
        body = re.search(r"^QuantizeReport quantize\(Model&.*?^\}", (QUANTIZE / "quantize.cpp").read_text(), re.M | re.S)[0]
        self.assertLessEqual(body.count("\n"), 31)

    def test_header_is_understood(self):
        """No number in the header is overlooked by the patterns above."""
        self.assertEqual(len(list(members())), len(re.findall(r"=\s*-?[\d.]", HEADER)))
        self.assertGreater(len(list(members())), 20)

    def test_table_equals_header(self):
        self.maxDiff = None
        self.assertEqual(ROW.findall(PAGE), [row_of(*each) for each in members()],
                         "the second list is what the table should have")

    def test_every_number_is_used(self):
        sources = [path.read_text() for path in sorted(QUANTIZE.rglob("*.cpp"))]
        for group, name, _, _ in members():
            short = re.compile(rf"kLimits\.{group};.*\blimits\.{name}\b", re.S)  # const ...& limits = kLimits.group;
            used = any(f"kLimits.{group}.{name}" in text or short.search(text) for text in sources)
            self.assertTrue(used, f"kLimits.{group}.{name} is not used")

    def test_other_files_have_no_numbers(self):
        """Apart from some that limit nothing: sizes of buffers, and values that cannot occur."""
        own = [f"{path.relative_to(QUANTIZE)}: {found}" for path in sorted(QUANTIZE.rglob("*.cpp"))
               for found in re.findall(r"k[A-Z]\w+ = -?[0-9.]+", path.read_text())]
        self.assertLessEqual(len(own), 15, "\n".join(own))


if __name__ == "__main__":
    unittest.main()
