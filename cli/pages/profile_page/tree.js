// The tree of layers: lines with a depth; the deeper lines that follow a line belong to it.
function add_tree(report) {
  const lines = report.layers, all = sum(lines.filter((line) => line.depth === 0), (line) => line.work);
  const around = [];
  for (const line of lines) {
    line.parts = [];
    around.length = line.depth;
    if (line.depth > 0) around[line.depth - 1].parts.push(line);
    around.push(line);
  }
  const columns = [
    { title: "layer", text: (line) => name_of(line) },
    number_column("nodes", "nodes", commas), number_column(report.unit, "work", work),
    { title: "share", number: true, text: (line) => percent(line.work, all) },
    { title: "", text: (line) => share_bar(line.work, all) },
    number_column("parameters", "parameters", count), number_column("written", "written", bytes),
  ];
  if (report.time) columns.push(number_column("time", "microseconds", milliseconds));
  const body = make("tbody", { id: "layers" });
  byId("tree").append(make("table", {}, table_head(columns), body));

  function name_of(line) {
    const indent = make("span", { "aria-hidden": "true" }, "\u00a0".repeat(3 * Math.min(line.depth, 20)));
    const times = line.repeats > 1 ? make("span", { class: "times" }, `${commas(line.repeats)} × `) : "";
    const words = make("span", { class: "mono" }, shown(line.name), line.op && !line.name.endsWith(line.op) ? ` (${shown(line.op)})` : "");
    if (line.parts.length === 0) return [indent, make("span", { class: "fold", "aria-hidden": "true" }, " "), times, words];
    line.button = make("button", { class: "fold", type: "button", "aria-expanded": "false", "aria-label": `parts of ${shown(line.name)}` }, "▸");
    line.button.addEventListener("click", () => (line.open ? fold(line) : unfold(line)));
    return [indent, line.button, times, words];
  }
  function unfold(line) {
    line.open = true;
    line.button.setAttribute("aria-expanded", "true");
    line.button.textContent = "▾";
    let after = line.row;
    for (const part of line.parts) {
      part.row = part.row || table_row(columns, part);
      after.after(part.row);
      after = part.row;
    }
  }
  function fold(line) {
    line.open = false;
    line.button.setAttribute("aria-expanded", "false");
    line.button.textContent = "▸";
    for (const part of line.parts) {
      if (part.open) fold(part);
      part.row.remove();
    }
  }
  const outer = lines.filter((line) => line.depth === 0);
  for (const line of outer) body.append((line.row = table_row(columns, line)));
  // Opens the heaviest layers first, until about forty lines are shown.
  let shown_lines = outer.length;
  for (let at = outer; ;) {
    const next = at.filter((line) => !line.open && line.parts.length > 0).sort((a, b) => b.work - a.work)[0];
    if (!next || shown_lines + next.parts.length > 40) break;
    unfold(next);
    shown_lines += next.parts.length;
    at = [...at, ...next.parts];
  }
}
