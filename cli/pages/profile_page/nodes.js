// All nodes, sorted by any column and filtered.
function add_nodes(report) {
  const kMostRows = 2000;  // more rows make browsers slow; the filter searches all nodes
  const all = report.total;
  const columns = [
    { title: "node", value: (e) => e.index, text: (e) => make("span", { class: "mono" }, "\u00a0".repeat(2 * Math.min(e.depth, 10)) + shown(e.name)) },
    { title: "op", value: (e) => e.op, text: (e) => shown(e.op) },
    number_column(report.unit, "work", work),
    { title: "share", number: true, value: (e) => e.work, text: (e) => (e.counted ? percent(e.work || 0, all) : "not counted") },
    number_column("parameters", "parameters", count), number_column("written", "written", bytes), number_column("alive", "live", bytes),
  ];
  if (report.time) columns.push(number_column("time", "microseconds", milliseconds));
  columns.push({ title: "result", value: (e) => e.output, text: (e) => make("span", { class: "mono" }, shown(e.output || "")) });
  report.nodes.forEach((node, i) => { node.index = i; });
  const buttons = [], body = make("tbody", { id: "node-rows" });
  const head = table_head(columns, buttons);
  byId("nodes").append(make("table", {}, head, body));
  const words = report.nodes.map((node) => `${node.name}\n${node.op}`.toLowerCase());
  const collator = new Intl.Collator("en", { numeric: true });
  let sorted = { column: 2, way: -1 };
  function show() {
    const text = byId("filter").value.toLowerCase(), column = columns[sorted.column];
    const found = report.nodes.filter((node) => words[node.index].includes(text));
    found.sort((a, b) => {
      const [first, second] = [column.value(a), column.value(b)];
      if (absent(first) || absent(second)) return Number(absent(first)) - Number(absent(second));
      const order = typeof first === "string" ? collator.compare(first, second) : first - second;
      return sorted.way * order || a.index - b.index;
    });
    body.replaceChildren(...found.slice(0, kMostRows).map((node) => (node.row = node.row || table_row(columns, node))));
    byId("shown").textContent = found.length > kMostRows ? `${commas(kMostRows)} of ${commas(found.length)} nodes` : counted(found.length, "node", "nodes");
    buttons.forEach((button, i) => {
      if (i === sorted.column) button.parentNode.setAttribute("aria-sort", sorted.way > 0 ? "ascending" : "descending");
      else button.parentNode.removeAttribute("aria-sort");
    });
  }
  buttons.forEach((button, i) => button.addEventListener("click", () => {
    sorted = { column: i, way: sorted.column === i ? -sorted.way : columns[i].number ? -1 : 1 };
    show();
  }));
  byId("filter").addEventListener("input", show);
  show();
}
