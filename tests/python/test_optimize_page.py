"""`optimize --report` in a headless Chromium: nothing is loaded, no script of the model runs, and a phone shows all of it."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from chromium import PROGRAM, Chromium  # noqa: E402

try:
    from onnx import TensorProto, helper
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)
if not PROGRAM:
    print("SKIPPED: there is no Chromium")
    sys.exit(77)

ONNXPRESS = os.environ.get("ONNXPRESS", "build/onnxpress")
EVIL = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>"


class OptimizePageTest(unittest.TestCase):
    def test_page(self):
        value = helper.make_tensor_value_info
        nodes = [helper.make_node("Identity", ["x"], [EVIL], name=EVIL), helper.make_node("Neg", [EVIL], ["y"])]
        graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, ["N", 4])], [value("y", TensorProto.FLOAT, ["N", 4])])
        with tempfile.TemporaryDirectory() as folder:
            model, page = Path(folder) / "m.onnx", Path(folder) / "page.html"
            model.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
            subprocess.run([ONNXPRESS, "optimize", model, "-o", Path(folder) / "o.onnx", "--report", page], check=True, capture_output=True)
            with Chromium() as browser:
                for width in (360, 1200):
                    browser.open(page, width=width)
                    self.assertEqual(browser.problems, [])
                    self.assertIsNone(browser.evaluate("window.broken === undefined ? null : 1"))
                    self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"), width)
                    text = browser.evaluate("document.body.innerText")
                    self.assertIn("remove-identity", text)
                    self.assertIn("window.broken=1", text)
                    self.assertIn("2 → 1 node", text.replace("\n", " "))


if __name__ == "__main__":
    unittest.main()
