// The memory in use while each node runs, as an area over the order of nodes.
function add_timeline(report) {
  const nodes = report.nodes.filter((node) => node.depth === 0), memory = report.memory;
  byId("memory-lead").textContent = `At most ${bytes(memory.peak)} are in use at once; a pool of ${bytes(memory.pool)} holds everything, ` +
    `${bytes(memory.pool + memory.weights + memory.inputs)} with weights and inputs.`;
  const width = window.innerWidth < 700 ? 420 : 1000, height = 260, left = 70, bottom = 24, top = 8;
  const most = Math.max(...nodes.map((node) => node.live), 1), step = (width - left) / Math.max(nodes.length, 1);
  const x = (i) => left + i * step, y = (n) => top + (height - top - bottom) * (1 - n / most);
  let path = `M${left} ${y(0)}`;
  nodes.forEach((node, i) => { path += `L${x(i).toFixed(2)} ${y(node.live).toFixed(2)}L${x(i + 1).toFixed(2)} ${y(node.live).toFixed(2)}`; });
  path += `L${x(nodes.length).toFixed(2)} ${y(0)}Z`;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `memory in use by node, at most ${bytes(memory.peak)}` });
  for (const part of [0, 0.5, 1]) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width, y1: y(part * most), y2: y(part * most) }),
      draw("text", { x: left - 6, y: y(part * most) + 4, "text-anchor": "end" }, bytes(part * most)));
  }
  svg.append(draw("path", { class: "area", d: path }));
  const peak = nodes.findIndex((node) => node.live === most);
  if (peak >= 0) svg.append(draw("line", { class: "mark", x1: x(peak + 0.5), x2: x(peak + 0.5), y1: top, y2: y(0) }));
  svg.append(draw("text", { x: left, y: height - 6 }, "first node"), draw("text", { x: width, y: height - 6, "text-anchor": "end" }, "last node"));
  const cursor = draw("line", { class: "cursor", y1: top, y2: y(0), x1: -10, x2: -10 });
  svg.append(cursor);
  byId("timeline").append(svg);
  const detail = byId("memory-detail");
  function show(i) {
    const node = nodes[i];
    cursor.setAttribute("x1", x(i + 0.5));
    cursor.setAttribute("x2", x(i + 0.5));
    detail.replaceChildren(make("b", { class: "mono" }, shown(node.name)), make("span", { class: "values" },
      make("span", {}, "op ", make("em", {}, shown(node.op))), make("span", {}, "alive ", make("em", {}, bytes(node.live))),
      make("span", {}, "result ", make("em", {}, shown(node.output || "")))));
  }
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect(), at = ((event.clientX - box.left) / box.width) * width;
    const i = Math.floor((at - left) / step);
    if (i >= 0 && i < nodes.length) show(i);
  });
  const alive = memory.alive.slice(0, 6).map(([name, type, size]) => `${shown(name)} ${shown(type)} ${bytes(size)}`).join("; ");
  detail.append(make("b", {}, `At the peak${memory.peak_node ? `, ${shown(memory.peak_node)}` : ""}`), make("span", { class: "faint" }, alive ||
    "nothing is in use"));
}
