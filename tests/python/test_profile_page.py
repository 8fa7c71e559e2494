"""The page of `profile --report`, opened in Chromium: it shows what the JSON says, loads nothing, fits a phone, and names from a model
stay text. SCREENSHOTS=folder keeps pictures."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import chromium

if chromium.PROGRAM is None:
    print("SKIPPED: no Chromium")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
MODELS = Path(os.environ.get("MODELS", "models"))
HOSTILE = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N,4] x, float[4,4] w) => (float[N,4] y) {
  ["</script><script>window.bad = 1</script>"] a = MatMul (x, w)
  ["/layers.0/<img src=x onerror=alert(1)>/MatMul"] b = MatMul (a, w)
  ["/layers.1/act/Relu"] y = Relu (b)
}
"""


class ProfilePageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def page_of(self, model, *arguments):
        page = Path(self.folder.name) / "page.html"
        done = subprocess.run([ONNXPRESS, "profile", str(model), "--report", str(page), "--json", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return page, json.loads(done.stdout)

    def check(self, browser, report, name):
        self.assertEqual(browser.problems, [])
        self.assertEqual([each for each in browser.requests if not each.startswith("file:")], [])
        self.assertGreater(browser.evaluate("document.querySelectorAll('#map .tile').length"), 0)
        self.assertEqual(browser.evaluate("document.querySelectorAll('#node-rows tr').length"), min(2000, len(report["node_list"])))
        self.assertEqual(browser.evaluate("document.querySelectorAll('#ops tbody tr').length"), len(report["ops"]))
        outer = [line for line in report["layers"] if line["depth"] == 0]
        self.assertGreaterEqual(browser.evaluate("document.querySelectorAll('#layers tr').length"), len(outer))
        wide = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertEqual(wide, 0, f"{name}: the page is wider than the screen")

    def test_pages(self):
        hostile = Path(self.folder.name) / "hostile.onnxtxt"
        hostile.write_text(HOSTILE)
        models = [hostile, *(path for path in [MODELS / "yolov8n.onnx", MODELS / "silero_vad_v5.onnx"] if path.exists())]
        for model in models:
            page, report = self.page_of(model)
            size = page.stat().st_size
            self.assertLess(size, 300_000 + 450 * len(report["node_list"]))
            for width in (360, 1280):
                with self.subTest(model=model.name, width=width), chromium.Chromium() as browser:
                    browser.open(page, width=width)
                    self.check(browser, report, model.name)
                    self.assertTrue(browser.evaluate("window.bad === undefined"))
                    # Only columns that can be sorted have arrows; on a phone, figures have titles.
                    self.assertTrue(browser.evaluate("[...document.querySelectorAll('.fold')].every((e) => getComputedStyle(e, '::after').content === 'none')"))
                    self.assertTrue(browser.evaluate("[...document.querySelectorAll('#layers td.number')].every((e) => e.dataset.title)"))
                    if folder := os.environ.get("SCREENSHOTS"):
                        browser.screenshot(Path(folder) / f"profile_{model.stem}_{width}.png")

    def test_sorting_filtering_and_folding(self):
        model = MODELS / "yolov8n.onnx"
        if not model.exists():
            self.skipTest("no model")
        page, report = self.page_of(model)
        with chromium.Chromium() as browser:
            browser.open(page)
            first = browser.evaluate("document.querySelector('#node-rows tr th').textContent.trim()")
            self.assertEqual(first, max(report["node_list"], key=lambda node: node["work"] or 0)["name"])
            browser.evaluate("{ const f = document.getElementById('filter'); f.value = 'softmax'; f.dispatchEvent(new Event('input')); }")
            softmax = [node for node in report["node_list"] if "softmax" in (node["name"] + node["op"]).lower()]
            self.assertEqual(browser.evaluate("document.querySelectorAll('#node-rows tr').length"), len(softmax))
            before = browser.evaluate("document.querySelectorAll('#layers tr').length")
            browser.evaluate("document.querySelector('#layers .fold[aria-expanded=true]').click(); 0")
            self.assertLess(browser.evaluate("document.querySelectorAll('#layers tr').length"), before)
            for metric in ("parameters", "written"):
                browser.evaluate(f"{{ const m = document.getElementById('metric'); m.value = '{metric}'; m.dispatchEvent(new Event('change')); }}")
                self.assertGreater(browser.evaluate("document.querySelectorAll('#map .tile').length"), 10)
            self.assertEqual(browser.problems, [])


if __name__ == "__main__":
    unittest.main()
