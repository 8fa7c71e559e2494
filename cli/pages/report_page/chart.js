// Error by tensor: SQNR over size or over bits per weight. Colour and shape show the scheme, the area of a dot its bytes.
const kShapes = [
  (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`,
  (r) => `M${-0.9 * r},${-0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}Z`,
  (r) => `M0,${-1.25 * r}L${1.25 * r},0L0,${1.25 * r}L${-1.25 * r},0Z`,
  (r) => `M0,${-1.2 * r}L${1.15 * r},${0.9 * r}H${-1.15 * r}Z`,
];
const shape_of = (colour, r) => kShapes[colour % kShapes.length](r);

// About `wanted` round numbers that reach from `low` to `high`.
function ticks(low, high, wanted) {
  const span = Math.max(high - low, 1e-9), power = 10 ** Math.floor(Math.log10(span / wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => span / each <= wanted);
  const out = [];
  for (let i = Math.floor(low / step + 1e-9); i * step < high + step * (1 - 1e-9); ++i) out.push(Number((i * step).toPrecision(12)));
  return out;
}

// Chosen from 1, 2, 5, 10, ..., or from 1, 10, 100, ... if those would be too many.
function log_ticks(low, high) {
  const factors = high / low < 500 ? [1, 2, 5] : [1], out = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1; ++power) {
    for (const factor of factors) out.push(factor * 10 ** power);
  }
  const first = out.findLastIndex((each) => each <= low), last = out.findIndex((each) => each >= high);
  return out.slice(Math.max(0, first), last + 1);
}

function x_axis(entries, key) {
  const values = entries.map((entry) => entry[key]);
  const low = Math.min(...values), high = Math.max(...values);
  if (key === "elements") {
    const at = log_ticks(Math.max(1, low), Math.max(1, high) * 1.0001);
    return { at, of: (value) => Math.log10(Math.max(1, value)), text: (value) => count(value).replace(/\.0+(?=\D|$)/, ""), title: "elements of the tensor" };
  }
  const at = ticks(low - 0.02, high + 0.02, 8);
  return { at, of: (value) => value, text: (value) => `${value}`, title: "bits per weight, scales and decoding nodes included" };
}

function draw_chart(entries, key, mean, colours) {
  const width = Math.max(300, byId("chart").clientWidth), height = width < 560 ? 300 : 380;
  const box = { left: 44, right: width - 12, top: 26, bottom: height - 44 };
  const x = x_axis(entries, key), measured = entries.filter((entry) => entry.sqnr !== null);
  const found = measured.map((entry) => entry.sqnr).concat(mean === null ? [] : [mean]);
  const y = found.length ? ticks(Math.min(...found) - 1, Math.max(...found) + 1, 6) : [0, 10];
  const has_exact = measured.length < entries.length;
  const top = box.top + (has_exact ? 26 : 0);
  const spread = (value, all, low, high) => low + ((value - all[0]) / Math.max(1e-9, all[all.length - 1] - all[0])) * (high - low);
  const to_x = (value) => spread(x.of(value), x.at.map(x.of), box.left, box.right);
  const to_y = (db) => (db === null ? box.top : spread(db, y, box.bottom, top));

  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `SQNR by ${x.title}; arrow keys go from tensor to tensor` });
  const line = (x1, y1, x2, y2, name) => svg.append(draw("line", { x1, y1, x2, y2, class: name }));
  const text = (at_x, at_y, anchor, words, name) => svg.append(draw("text", { x: at_x, y: at_y, "text-anchor": anchor, class: name }, words));
  for (const db of y) {
    line(box.left, to_y(db), box.right, to_y(db), "grid");
    text(box.left - 8, to_y(db) + 4, "end", `${db}`);
  }
  if (has_exact) {
    line(box.left, box.top, box.right, box.top, "grid exact");
    text(box.left - 8, box.top + 4, "end", "exact");
  }
  const every = Math.ceil(x.at.length / (width < 560 ? 5 : 12));
  x.at.forEach((value, i) => {
    if (i % every === 0) text(to_x(value), box.bottom + 18, i === 0 ? "start" : i === x.at.length - 1 ? "end" : "middle", x.text(value));
  });
  text(box.left - 36, 12, "start", "SQNR in dB");
  text((box.left + box.right) / 2, height - 8, "middle", x.title);
  if (mean !== null) line(box.left, to_y(mean), box.right, to_y(mean), "mean");
  const most = Math.max(...entries.map((entry) => entry.before));
  const dots = entries.map((entry) => {  // largest first, so that small ones lie on top
    const colour = colours.of(entry.key), r = 2.5 + 8 * Math.sqrt(entry.before / most);
    const words = `${shown(entry.name)}, ${entry.sqnr === null ? "exact" : decibels(entry.sqnr)}, ${entry.bits.toFixed(2)} bits per weight`;
    const dot = draw("path", {
      class: `dot fill${colour}`, d: shape_of(colour, r), role: "img", "aria-label": words,
      transform: `translate(${to_x(entry[key]).toFixed(1)} ${to_y(entry.sqnr).toFixed(1)})`,
    });
    dot.entry = entry;
    svg.append(dot);
    return dot;
  });
  if (mean !== null) text(box.right, to_y(mean) - 6, "end", `all weights ${decibels(mean)}`, "mean-label");
  steppable(svg, dots, (dot) => show_detail(byId("chart-detail"), dot.entry));
  byId("chart").replaceChildren(svg);
  return svg;
}

function add_chart(report, entries, colours) {
  const changed = entries.filter((entry) => entry.state === "changed");
  if (changed.length === 0) return;
  byId("errors").hidden = false;
  let width = 0;
  const redraw = () => { width = byId("chart").clientWidth; draw_chart(changed, byId("chart-axis").value, report.sqnr, colours); };
  redraw();
  byId("chart-axis").addEventListener("change", redraw);
  addEventListener("resize", () => { if (byId("chart").clientWidth !== width) redraw(); });
  const used = new Set(changed.map((entry) => colours.of(entry.key)));
  for (const { key, text } of legend_items(colours)) {
    if (!used.has(colours.of(key)) || typeof colours.of(key) !== "number" || key === "lossless") continue;
    const mark = draw("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" }, draw("path", { class: `dot fill${colours.of(key)}`, d: shape_of(colours.of(key), 6) }));
    byId("chart-legend").append(make("span", {}, mark, text));
  }
  byId("chart-detail").append(make("span", { class: "faint" }, "Point at a dot, or go through them with Tab and the arrow keys. Larger dots are larger tensors."));
}
