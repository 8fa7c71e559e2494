"""`shrink --report page.html` and `quantize --report page.html` in a real browser: it shows the same as --json, parts sum to the file, names from a hostile model stay
text, nothing is loaded from elsewhere, and 5,000 tensors are no problem."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    import numpy
    import onnx
except ImportError as missing:
    print(f"SKIPPED: {missing} (scripts/setup test)")
    sys.exit(77)
import chromium

if not chromium.PROGRAM:
    print("SKIPPED: there is no Chromium: the report page was NOT opened (scripts/setup test installs it)")
    sys.exit(77)

ROOT = Path(__file__).resolve().parent.parent.parent
ONNXPRESS = Path(os.environ.get("ONNXPRESS", ROOT / "build" / "onnxpress")).resolve()
MODEL = Path(os.environ.get("MODELS", ROOT / "models")).resolve() / "yolov8n.onnx"

HOSTILE = [
    "</script><script>window.executed = 1; alert(1)</script>",
    "<img src=x onerror='window.executed = 1'>",
    "<!--<script>", "]]>", "--><b>bold</b>",
    "\"'`&amp;&lt;${window.executed = 1}{{data}}{{title}}",
    "a\u2028b\u2029c", "reversed \u202egnirts", "line\nbreak\ttab\x01",
    "javascript:alert(1)", "\\u003c/script\\u003e", "", "中文 🎛️ weight",
    "https://example.com/pixel.png", "x" * 3000,
]


def run(*arguments, code=0):
    done = subprocess.run([ONNXPRESS, *map(str, arguments)], capture_output=True)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout.decode())


def shrink(*arguments):
    return run("shrink", *arguments)


def quantize(*arguments, code=0):
    return run("quantize", *arguments, code=code)


def matmuls(path, names, shape=(32, 64), raw=()):
    """A chain of MatMuls with a weight for each name. `raw` pairs of bytes of the same length are replaced in the file."""
    rows, columns = shape
    random = numpy.random.default_rng(7)
    graph = onnx.GraphProto(name="g")
    graph.input.append(onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, rows]))
    for i, name in enumerate(names):
        weight = random.standard_normal((rows, columns)).astype(numpy.float32)
        graph.initializer.append(onnx.numpy_helper.from_array(weight, name or "unnamed"))
        graph.node.append(onnx.helper.make_node("MatMul", ["x", name or "unnamed"], [f"y{i}"]))
        graph.output.append(onnx.helper.make_tensor_value_info(f"y{i}", onnx.TensorProto.FLOAT, [1, columns]))
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    data = model.SerializeToString()
    for before, after in raw:
        assert len(before) == len(after) and before in data
        data = data.replace(before, after)
    path.write_bytes(data)


def plain(text):
    return text.replace("\u00a0", " ").replace("−", "-")


def human(n):
    for unit in ("B", "KB", "MB", "GB"):
        if n < 999.5 or unit == "GB":
            return f"{n} B" if unit == "B" else f"{n:.{2 if n < 9.995 else 1 if n < 99.95 else 0}f} {unit}"
        n /= 1000


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(chromium.Chromium())

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="onnxpress-report-")))
        self.page = self.folder / "page.html"

    def open(self, **settings):
        self.browser.open(self.page, **settings)
        self.assertEqual(self.browser.problems, [])
        self.assertEqual(self.browser.requests, [self.page.resolve().as_uri()], "the page loads something")

    def ask(self, expression):
        return self.browser.evaluate(expression)

    def text(self, selector):
        return plain(self.ask(f"document.querySelector({json.dumps(selector)}).textContent"))

    def is_hidden(self, selector):
        return self.ask(f"document.querySelector({json.dumps(selector)}).checkVisibility() === false")

    def rows(self):
        self.ask("new Promise(done => { const look = () => document.querySelector('#rows[data-whole]') ? done() : setTimeout(look, 10); look(); })")
        return json.loads(self.ask("JSON.stringify([...document.querySelectorAll('#rows tr')].map(r => [...r.children].map(c => c.textContent)))"))

    def check_maps(self, report):
        """The tiles sum to the files, and an area is the same number of bytes in both maps."""
        scales = []
        for side in ("before", "after"):
            whole = report[side]["file"] + report[side]["external"]
            tiles = json.loads(self.ask(f"""JSON.stringify([...document.querySelectorAll('#map-{side} .tile')].map(t => {{
                const r = t.getBoundingClientRect(); return [Number(t.dataset.bytes), r.width * r.height]; }}))"""))
            self.assertEqual(sum(size for size, _ in tiles), whole, side)
            box = self.ask(f"(() => {{ const r = document.querySelector('#map-{side}').getBoundingClientRect(); return r.width * r.height; }})()")
            scales.append(box / whole)
            self.assertAlmostEqual(sum(area for _, area in tiles) / box, 1, delta=0.03)
            for size, area in tiles:
                if area > 2000:  # borders take a pixel or two
                    self.assertAlmostEqual(area / box, size / whole, delta=0.12 * size / whole, msg=f"{side}: a tile of {size} bytes")
        self.assertAlmostEqual(scales[0] / scales[1], 1, delta=0.02)

    # --- what it shows

    @unittest.skipUnless(MODEL.exists(), "no real models (scripts/fetch_models)")
    def test_real_model_shows_what_json_says(self):
        report = quantize(MODEL, "-o", self.folder / "small.onnx", "--to", "int8", "--verify", "--json", "--report", self.page)
        self.open()
        before, after = report["before"]["file"], report["after"]["file"]
        self.assertEqual(self.text("h1"), "yolov8n.onnx")
        self.assertEqual(self.text("header .kind"), "onnxpress quantize")
        self.assertEqual(self.text("#sizes-text"), f"{human(before)} → {human(after)}")
        self.assertEqual(self.text("#saved"), f"-{100 * (before - after) / before:.1f} %")
        self.assertEqual(self.text("#exact"), f"{before:,} → {after:,} bytes")
        self.assertEqual(self.text("#output-snr"), f"{report['reached']:.1f} dB")
        self.assertEqual(self.text("#sqnr"), f"{report['sqnr']:.1f} dB")
        self.assertEqual(self.text("#bits"), f"{report['bits']:.2f}")
        self.assertEqual(self.text("#rounded"), f"{report['rounded']}")
        self.assertEqual(self.ask("[...document.querySelectorAll('#asked li')].map(l => l.textContent)"), ["--to int8", "--verify"])
        self.check_maps(report)
        self.check_rows(report["tensors"])
        self.assertEqual(self.ask("document.querySelectorAll('#chart .dot').length"), report["rounded"])
        self.assertEqual(self.ask("document.querySelectorAll('#methods-table tbody tr').length"), len(report["methods"]))
        kept = self.ask("[...document.querySelectorAll('#kept-table tbody tr')].map(r => r.children[0].textContent)")
        self.assertEqual(set(kept), {line["kept"] for line in report["tensors"]} - {""})
        self.ask("{ const s = document.getElementById('state'); s.value = ''; s.dispatchEvent(new Event('change')); }")
        model = onnx.load(MODEL)
        own = {each.name for each in model.graph.initializer} | {node.output[0] for node in model.graph.node if node.op_type == "Constant"}
        self.assertLessEqual({row[0] for row in self.rows()}, own, "codes and scales are no tensors of the model")

    def check_rows(self, tensors):
        rows = self.rows()
        self.assertEqual(len(rows), len(tensors))
        by_name = {row[0]: [plain(each) for each in row] for row in rows}
        for line in tensors:
            row = by_name[line["tensor"]]
            self.assertEqual(row[1:4], [line["op"], f"{line['elements']:,}", human(line["before"])])
            if line["kept"]:
                self.assertEqual(row[6:9], ["", "", ""])
                self.assertIn(f"kept: {line['kept']}", row[9])
                continue
            self.assertEqual(row[4:7], [human(line["after"]), f"{line['bits']:.2f}", f"{line['sqnr']:.1f} dB"])
            self.assertAlmostEqual(float(row[7]), line["largest_error"], delta=0.01 * line["largest_error"])
            self.assertAlmostEqual(float(row[8]), line["cosine"], delta=1e-5)
            self.assertEqual(row[9], line["scheme"])

    def test_sorts_and_filters(self):
        names = [f"layer{i}.weight" for i in range(12)]
        matmuls(self.folder / "m.onnx", names)
        quantize(self.folder / "m.onnx", "--to", "int8", "--exclude", "layer11*", "--json", "--report", self.page)
        self.open()
        press = "[...document.querySelectorAll('#table th button')].find(b => b.textContent === %s).click()"
        self.ask(press % "'tensor'")
        self.assertEqual([row[0] for row in self.rows()], names)
        self.assertEqual(self.ask("document.querySelector('#table th').getAttribute('aria-sort')"), "ascending")
        self.ask(press % "'tensor'")
        self.assertEqual([row[0] for row in self.rows()], names[::-1])
        self.ask(press % "'SQNR'")
        found = [row[6] for row in self.rows()]
        self.assertEqual(found[-1], "", "what has none comes last")
        values = [float(each.split("\u00a0")[0]) for each in found[:-1]]
        self.assertEqual(values, sorted(values, reverse=True))
        write = "{ const f = document.getElementById('%s'); f.value = '%s'; f.dispatchEvent(new Event('%s')); }"
        self.ask(write % ("filter", "LAYER1", "input"))
        self.assertEqual({row[0] for row in self.rows()}, {"layer1.weight", "layer10.weight", "layer11.weight"})
        self.assertEqual(self.text("#shown"), "3 of 12 tensors")
        self.ask(write % ("state", "kept", "change"))
        self.assertEqual([row[0] for row in self.rows()], ["layer11.weight"])
        self.ask(write % ("chart-axis", "bits", "change"))
        self.assertIn("bits per weight", self.ask("document.querySelector('#chart').textContent"))
        self.assertEqual(self.browser.problems, [])

    def test_keyboard_reaches_tiles_and_details(self):
        matmuls(self.folder / "m.onnx", ["first", "second"])
        quantize(self.folder / "m.onnx", "--to", "int8", "--json", "--report", self.page)
        self.open()
        for place in ("#map-after", "#chart svg"):
            detail = "#maps-detail" if "map" in place else "#chart-detail"
            self.assertEqual(self.ask(f"document.querySelectorAll('{place} [tabindex=\"0\"]').length"), 1, "one stop of the tab key")
            self.ask(f"document.querySelector('{place} [tabindex=\"0\"]').focus()")
            one = self.text(detail)
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", windowsVirtualKeyCode=39)
            two = self.text(detail)
            self.assertNotEqual(one, two)
            self.assertEqual({re.match("first|second", each).group() for each in (one, two)}, {"first", "second"})
        self.ask("document.querySelector('#map-before .tile').dispatchEvent(new PointerEvent('pointerenter'))")
        self.assertEqual(self.ask("document.querySelectorAll('.twin').length"), 2, "marked in both maps")

    def test_lossless_page_has_no_error_parts(self):
        weight = numpy.random.default_rng(1).standard_normal((64, 64)).astype(numpy.float32)
        graph = onnx.GraphProto(name="g")
        graph.input.append(onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 64]))
        for name, value in (("a", weight), ("b", weight), ("zeros", numpy.zeros((64, 64), numpy.float32))):
            graph.initializer.append(onnx.numpy_helper.from_array(value, name))
            graph.node.append(onnx.helper.make_node("MatMul", ["x", name], [f"y_{name}"]))
            graph.output.append(onnx.helper.make_tensor_value_info(f"y_{name}", onnx.TensorProto.FLOAT, [1, 64]))
        onnx.save(onnx.helper.make_model(graph), self.folder / "m.onnx")
        for extra in (["--verify"], ["--dry-run"]):
            report = shrink(self.folder / "m.onnx", "-o", self.folder / "s.onnx", "--json", "--report", self.page, *extra)
            self.open()
            self.assertTrue(self.is_hidden("#errors"))
            self.assertTrue(self.is_hidden("#kept"))
            self.assertTrue(self.is_hidden("#state-label"))
            self.check_maps(report)
            self.assertEqual({row[0] for row in self.rows()}, {"b", "zeros"})
            self.assertIn("dry run" if "--dry-run" in extra else "verified", self.text("#badges"))

    @unittest.skipUnless(MODEL.exists(), "no real models (scripts/fetch_models)")
    def test_lossless_page_says_what_the_bytes_are(self):
        report = shrink(MODEL, "-o", self.folder / "small.onnx", "--json", "--report", self.page)
        self.open()
        self.check_maps(report)
        tiles = json.loads(self.ask("JSON.stringify([...document.querySelectorAll('#map-before .tile')].map(t => [t.getAttribute('aria-label'), Number(t.dataset.bytes)]))"))
        self.assertLess(max(size for _, size in tiles), 0.2 * report["before"]["file"], "one tile is nearly everything")
        largest = max(onnx.load(MODEL).graph.initializer, key=lambda each: len(each.raw_data))
        self.assertTrue(any(label.startswith(largest.name) and size == len(largest.raw_data) for label, size in tiles), "the largest weight has a tile of its size")
        rest = {label.split(",")[0] for label, _ in tiles}
        self.assertLessEqual({"value names", "node names", "attributes", "structure"}, rest)

    def test_unchanged_model_has_a_page(self):
        matmuls(self.folder / "m.onnx", ["w"])
        shrink(self.folder / "m.onnx", "-o", self.folder / "s.onnx", "--json", "--report", self.page)
        report = shrink(self.folder / "s.onnx", "-o", self.folder / "t.onnx", "--json", "--report", self.page)
        self.assertTrue(report["unchanged"])
        self.open()
        self.check_maps(report)
        self.assertIn("cannot get smaller", self.text("#badges"))
        self.assertTrue(self.is_hidden("#tensors"))

    def test_says_why_there_is_no_result(self):
        matmuls(self.folder / "m.onnx", ["first", "second"])
        report = quantize(self.folder / "m.onnx", "--quality", 70, "--activations", "dynamic", "--layers", "all", "--json", "--report", self.page, code=1)
        self.open()
        self.assertIn(f"refused: {report['refused']}", self.text("#badges"))
        self.assertIn("nothing was written", self.text("#paths"))

    # --- what it must not do

    def test_hostile_names_stay_text(self):
        broken = b"broken \xff\xfe\xc3( <b>"
        names = [*HOSTILE, "BROKEN UTF8 <b>"]
        name = "<img src=x onerror=window.executed=1>&lt;\u202e'\".onnx"
        matmuls(self.folder / name, names, raw=[(b"BROKEN UTF8 <b>", broken)])
        report = quantize(self.folder / name, "-o", self.folder / "s.onnx", "--to", "int8", "--exclude", "a*,--*", "--json", "--report", self.page)
        self.open()
        self.assertIsNone(self.ask("window.executed"))
        self.assertEqual(self.ask("document.querySelectorAll('script').length"), 2)
        self.assertEqual(self.ask("document.querySelectorAll('img, b:not(.detail b):not(figcaption b), iframe, object').length"), 0)
        self.assertEqual(self.ask("document.title"), name.replace("\u202e", "\\u{202e}") + " · onnxpress quantize")
        self.assertEqual(self.ask("JSON.parse(document.getElementById('report').textContent).report.file"), report["file"])
        shown = {row[0] for row in self.rows()}
        for each in names:
            each = each or "unnamed"
            if each.startswith("BROKEN"):
                self.assertTrue(any(one.startswith("broken \ufffd") and one.endswith("( <b>") for one in shown))
                continue
            self.assertIn(re.sub("[\x01-\x1f\u2028-\u202e]", lambda c: f"\\u{{{ord(c.group()):x}}}", each), shown)
        for selector in ("#map-before .tile", "#map-after .tile", "#chart .dot"):
            self.ask(f"for (const each of document.querySelectorAll('{selector}')) each.dispatchEvent(new PointerEvent('pointerenter'))")
        self.assertEqual(self.browser.problems, [])
        self.assertIsNone(self.ask("window.executed"))
        self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), 1200)
        self.check_maps(report)

    def test_page_itself_asks_for_nothing(self):
        matmuls(self.folder / "m.onnx", ["w"])
        quantize(self.folder / "m.onnx", "--to", "int4", "--json", "--report", self.page)
        text = self.page.read_text(encoding="utf-8")
        for word in ("http:", "https:", "src=", "href=", "url(", "@import", "innerHTML", "eval("):
            self.assertNotIn(word, text)
        self.assertIn("default-src 'none'", text)

    def test_policy_stops_injected_handlers(self):
        """The second line of defense: even if markup were injected, its handlers would not run."""
        matmuls(self.folder / "m.onnx", ["w"])
        shrink(self.folder / "m.onnx", "--json", "--report", self.page)
        self.page.write_text(self.page.read_text().replace("<main>", "<main><img src=x onerror='window.executed=1'>"))
        self.browser.open(self.page)
        self.assertIsNone(self.ask("window.executed"))
        self.assertTrue(self.browser.problems, "the browser should have said that it blocked something")

    # --- how it looks and how fast it is

    def test_fits_a_phone_and_the_dark(self):
        matmuls(self.folder / "m.onnx", [f"encoder.layers.{i}.self_attention.query.weight" for i in range(20)])
        report = quantize(self.folder / "m.onnx", "--to", "int8", "--verify", "--json", "--report", self.page)
        for width in (360, 400, 768, 1600):
            self.open(width=width)
            self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width)
            self.check_maps(report)
        for width in (360, 500, 700):
            self.open(width=width)
            self.rows()
            for place in ("#table", "#methods-table", "#kept-table"):
                sideways = self.ask(f"(() => {{ const p = document.querySelector('{place}'); return p.scrollWidth - p.clientWidth; }})()")
                self.assertLessEqual(sideways, 0, f"{place} has to be moved sideways at {width} px")
            self.assertGreater(self.ask("document.querySelector('#rows th').clientWidth"), 0.8 * (width - 64), "names have the whole width")
            lines = self.ask("(() => { const n = document.querySelector('#rows th span'); return n.getBoundingClientRect().height / parseFloat(getComputedStyle(n).lineHeight); })()")
            self.assertLess(lines, 2.5, "a name of 45 letters takes two lines at most")
        colours = []
        for dark in (False, True):
            self.open(dark=dark)
            colours.append(self.ask("getComputedStyle(document.body).backgroundColor"))
            self.check_contrast()
        self.assertNotEqual(*colours)
        self.open(dark=True, media="print", width=794)
        self.assertEqual(self.ask("getComputedStyle(document.body).backgroundColor"), colours[0], "printed on white")
        self.assertGreater(self.ask("document.querySelector('#rows th').clientWidth"), 120)
        self.assertLessEqual(self.ask("document.querySelector('#table table').getBoundingClientRect().right"), 794, "no column is cut off")

    def check_contrast(self):
        """All text has at least 4.5 : 1 (WCAG AA) against the nearest background that is not transparent."""
        worst = json.loads(self.ask(r"""(() => {
            const numbers = c => c.match(/[\d.]+/g).map(Number);
            const light = c => { const [r, g, b] = numbers(c).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            let worst = [99, ''];
            for (const node of document.querySelectorAll('body *')) {
              if (![...node.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !node.checkVisibility() || ['SCRIPT', 'STYLE', 'OPTION'].includes(node.tagName)) continue;
              let back = node; while (back && (numbers(getComputedStyle(back).backgroundColor)[3] ?? 1) === 0) back = back.parentElement;
              const style = getComputedStyle(node), ink = node.namespaceURI.includes('svg') ? style.fill : style.color;
              const a = light(ink), b = light(getComputedStyle(back || document.body).backgroundColor);
              const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              if (ratio < worst[0]) worst = [ratio, node.outerHTML.slice(0, 200)];
            }
            return JSON.stringify(worst); })()"""))
        self.assertGreaterEqual(worst[0], 4.5, worst[1])

    def test_five_thousand_tensors_are_quick(self):
        matmuls(self.folder / "m.onnx", [f"layers.{i}.weight" for i in range(5000)], shape=(16, 64))
        # Skips comparing every tensor with every other, which is not tested here and takes long.
        report = quantize(self.folder / "m.onnx", "--to", "int8", "--weights-only", "--json", "--report", self.page)
        begin = time.monotonic()
        self.open()
        seconds = time.monotonic() - begin
        self.assertEqual(len(self.rows()), len(report["tensors"]))
        self.assertLess(self.ask("document.querySelectorAll('.tile').length"), 6000)
        self.assertEqual(self.ask("[...document.querySelectorAll('#map-before .tile:not(.fill-rest)')].reduce((n, t) => n + Number(t.dataset.count), 0)"), 5000)
        self.check_maps(report)
        print(f"5,000 tensors: drawn in {seconds:.2f} s, {self.page.stat().st_size:,} bytes")
        self.assertLess(seconds, 20, "it takes 1 to 2 s on a machine with nothing else to do")


if __name__ == "__main__":
    unittest.main()
