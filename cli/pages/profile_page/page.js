// Reads the data and fills in the sections.
function add_facts(report) {
  const facts = [
    [report.unit, `${report.at_least ? "≥ " : ""}${work(report.total)}`, report.formula !== commas(report.total) ? `= ${report.formula.length > 200 ? `${report.formula.slice(0, 200)}…` : report.formula}` : commas(report.total)],
    ["parameters", count(report.parameters), `${bytes(report.weight_bytes)} of weights`],
    ["activations", bytes(report.memory.peak), `most in use at once; pool ${bytes(report.memory.pool)}`],
    ["moved", bytes((report.read || 0) + (report.written || 0)), `${bytes(report.read || 0)} read, ${bytes(report.written || 0)} written`],
    ["nodes", commas(report.nodes.length), counted(report.ops.length, "operator", "operators")],
  ];
  if (report.time) facts.push(["time", milliseconds(1000 * report.time.median_ms), `median of ${report.time.runs} runs, p90 ${milliseconds(1000 * report.time.p90_ms)}`]);
  if (report.roof) facts.push(["roof", milliseconds(1000 * report.roof.milliseconds), `at least, on ${report.roof.device}`]);
  if (report.sparsity) facts.push(["zeros", percent(report.sparsity.zeros, report.sparsity.elements), `${work(report.sparsity.effective_macs)} MACs with nonzero weights`]);
  for (const [title, value, more] of facts) {
    byId("facts").append(make("div", {}, make("dt", {}, title), make("dd", { class: "value" }, value), make("dd", { class: "more" }, shown(more))));
  }
  const notes = [];
  if (report.assumed.length > 0) notes.push(`Assumed sizes: ${some_of(report.assumed.map(([name, size]) => `${name} = ${size}`))}.`);
  for (const [name, a, b, counted_one] of report.choices) notes.push(`The branch of ${name} is known only at run time: then ${work(a || 0)}, else ${work(b || 0)} MACs; ${counted_one} counts.`);
  if (report.unknown_ops.length > 0) notes.push(`Not counted, because their cost is unknown: ${report.unknown_ops.join(", ")}.`);
  byId("note").hidden = notes.length === 0;
  byId("note").textContent = shown(notes.join(" "));
}

function add_map(report, colour) {
  const metrics = [["work", report.unit, work], ["parameters", "parameters", count], ["written", "bytes written", bytes]];
  if (report.time) metrics.push(["microseconds", "time", milliseconds]);
  for (const [key, title] of metrics) byId("metric").append(make("option", { value: key }, title));
  const place_in = byId("map-place"), detail = byId("map-detail");
  function show() {
    const [key, title, format] = metrics.find((each) => each[0] === byId("metric").value);
    const items = report.nodes.filter((node) => node.counted && node[key] > 0);
    const all = sum(items, (node) => node[key]), groups = new Map();
    for (const node of items) {
      const name = node.name.split(/[/.]/).filter(Boolean).slice(0, 2).join(".") || node.op;
      if (!groups.has(name)) groups.set(name, { name, size: 0, items: [], rest: { name: "", op: "smaller ones", size: 0, count: 0 } });
      const group = groups.get(name);
      group.size += node[key];
      if (node[key] >= all / 3000) group.items.push({ size: node[key], node });
      else { group.rest.size += node[key]; group.rest.count += 1; }
    }
    const frame = { x: 0, y: 0, w: 1000, h: window.innerWidth < 700 ? 1000 : 500 };
    const map = make("div", { class: "map", role: "group", id: "map", "aria-label": `${title} by node; arrow keys go from node to node` }), tiles = [];
    const by_size = (a, b) => b.size - a.size;
    for (const group of squarify([...groups.values()].sort(by_size), frame)) {
      const box = place(make("div", { class: "group" }), group, frame), parts = [...group.item.items];
      if (group.item.rest.count > 0) parts.push({ size: group.item.rest.size, node: { name: counted(group.item.rest.count, "smaller node", "smaller nodes"), op: "", rest: true } });
      for (const each of squarify(parts.sort(by_size), group)) {
        const { node } = each.item;
        const tile = make("div", { class: `tile ${node.rest ? "fill-rest" : colour(node.op)}`, role: "img", "aria-label": `${shown(node.name)}, ${format(each.item.size)}` },
          make("span", { class: "op" }, shown(node.op || node.name)), make("span", { class: "name" }, shown(node.rest ? "" : node.name)), make("span", { class: "size" }, format(each.item.size)));
        tile.node = node;
        tile.size = each.item.size;
        tiles.push(tile);
        box.append(place(tile, each, group));
      }
      map.append(box);
    }
    place_in.replaceChildren(map);
    steppable(map, tiles, (tile) => detail.replaceChildren(make("b", { class: "mono" }, shown(tile.node.name)), make("span", { class: "values" },
      make("span", {}, "op ", make("em", {}, shown(tile.node.op))), make("span", {}, `${title} `, make("em", {}, `${format(tile.size)}, ${percent(tile.size, all)}`)),
      make("span", {}, "result ", make("em", {}, shown(tile.node.output || ""))))));
    detail.replaceChildren(make("span", { class: "faint" }, items.length ? "Point at a tile, or go through them with Tab and the arrow keys." : `There is nothing to show: no node has ${title}.`));
  }
  byId("metric").addEventListener("change", show);
  show();
  for (const op of report.ops.slice(0, 7)) byId("legend").append(make("span", {}, make("i", { class: colour(op.op) }), shown(op.op)));
  if (report.ops.length > 7) byId("legend").append(make("span", {}, make("i", { class: "fill7" }), "others"));
}

function add_ops(report) {
  const columns = [
    { title: "operator", text: (op) => shown(op.op) }, number_column("nodes", "nodes", commas), number_column(report.unit, "work", work),
    { title: "share", number: true, text: (op) => percent(op.work, report.total) }, { title: "", text: (op) => share_bar(op.work, report.total) },
    number_column("parameters", "parameters", count), number_column("read", "read", bytes), number_column("written", "written", bytes),
  ];
  byId("ops").append(make("table", {}, table_head(columns), make("tbody", {}, ...report.ops.map((op) => table_row(columns, op)))));
}

const report = JSON.parse(byId("report").textContent);
report.nodes = unpack(["name", "op", "depth", "counted", "work", "parameters", "written", "live", "microseconds", "flops", "read", "roof", "bound", "output"], report.nodes);
report.layers = unpack(["name", "op", "depth", "repeats", "nodes", "work", "parameters", "written", "microseconds"], report.layers);
report.ops = unpack(["op", "nodes", "work", "parameters", "read", "written"], report.ops);
byId("name").textContent = shown(report.file.split("/").pop());
byId("inputs").textContent = shown(some_of(report.inputs));
const colour = colours_of(report.ops);
add_facts(report);
add_map(report, colour);
add_tree(report);
add_timeline(report);
add_roofline(report);
add_ops(report);
add_nodes(report);
byId("foot").textContent = `Made by onnxpress ${report.version}.`;
