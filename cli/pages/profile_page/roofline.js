// Plots each node by its operations per byte, under the limits of the device: memory is the slope, arithmetic the flat part.
function add_roofline(report) {
  const { roof } = report;
  byId("roof-section").hidden = !roof;
  if (!roof) return;
  const nodes = report.nodes.filter((node) => node.counted && node.flops > 0 && node.read + node.written > 0 && (!report.time || node.microseconds > 0));
  byId("roof-lead").textContent = `${shown(roof.device)}: ${commas(Math.round(roof.gflops))} GFLOP/s in 32 bits and ${roof.gb_per_s.toFixed(1)} GB/s. All nodes together take ` +
    `${milliseconds(1000 * roof.milliseconds)} at least${roof.share ? `; their kernels reach ${Math.round(100 * roof.share)} % of that` : ""}.`;
  const small = window.innerWidth < 700, width = small ? 420 : 1000, height = small ? 320 : 360, left = 64, right = 12, bottom = 40, top = 12;
  const intensity = (node) => node.flops / (node.read + node.written);
  const rate = (node) => report.time ? node.flops / node.microseconds / 1000 : node.flops / node.roof / 1000;
  const ridge = roof.gflops / roof.gb_per_s, span = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  const [x0, x1] = span([ridge / 100, ridge * 10, ...nodes.map(intensity)]), [y0, y1] = span([roof.gflops / 1000, roof.gflops * 2, ...nodes.map(rate)]);
  const x = (v) => left + (width - left - right) * (Math.log10(v) - x0) / (x1 - x0), y = (v) => top + (height - top - bottom) * (1 - (Math.log10(v) - y0) / (y1 - y0));
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "operations per second over operations per byte, by node" });
  for (let p = y0; p <= y1; p += 1) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: y(10 ** p), y2: y(10 ** p) }), draw("text", { x: left - 6, y: y(10 ** p) + 4, "text-anchor": "end" }, `${p >= 0 ? commas(10 ** p) : 10 ** p}`));
  }
  for (let p = x0; p <= x1; p += 1) svg.append(draw("text", { x: x(10 ** p), y: height - 22, "text-anchor": p === x1 ? "end" : "middle" }, `${p >= 0 ? commas(10 ** p) : 10 ** p}`));
  svg.append(draw("text", { x: width - right, y: height - 4, "text-anchor": "end" }, "operations per byte"), draw("text", { x: 4, y: height - 4 }, "GFLOP/s"));
  const start = Math.max(10 ** x0, 10 ** y0 / roof.gb_per_s);
  svg.append(draw("path", { class: "roof", d: `M${x(start)} ${y(start * roof.gb_per_s)}L${x(ridge)} ${y(roof.gflops)}L${x(10 ** x1)} ${y(roof.gflops)}` }));
  const most = Math.max(...nodes.map((node) => node.flops), 1), detail = byId("roof-detail");
  for (const node of nodes) {
    const dot = draw("circle", { class: `dot ${node.bound}`, cx: x(intensity(node)).toFixed(1), cy: y(Math.max(rate(node), 10 ** y0)).toFixed(1), r: (2 + 6 * Math.sqrt(node.flops / most)).toFixed(1) });
    dot.addEventListener("pointerenter", () => detail.replaceChildren(make("b", { class: "mono" }, shown(node.name)), make("span", { class: "values" },
      make("span", {}, "op ", make("em", {}, shown(node.op))), make("span", {}, "bound by ", make("em", {}, node.bound)),
      make("span", {}, "GFLOP/s ", make("em", {}, rate(node).toFixed(1))), make("span", {}, "operations per byte ", make("em", {}, intensity(node).toFixed(1))))));
    svg.append(dot);
  }
  byId("roofline").append(svg);
  detail.replaceChildren(make("span", { class: "faint" }, nodes.length ? `Point at a node. The larger the dot, the more it computes.${report.time ? "" : " Without measured times every node is at its roof."}` : "No node computes anything."));
}
