// Puts the page of `optimize --report` together.
const { version, asked, report } = JSON.parse(byId("report").textContent);
const base_name = (path) => shown(path.split("/").pop() || path);

function add_header() {
  byId("name").textContent = base_name(report.file);
  byId("paths").textContent = `${shown(report.file)} → ${report.dry_run ? "nothing was written (dry run)" : shown(report.output)}`;
  const badges = [];
  if (report.dry_run) badges.push(make("li", {}, "dry run: nothing was written"));
  if (report.unchanged) badges.push(make("li", {}, "nothing to do: the result is the original"));
  if (report.check && report.check.done && report.check.left_out.length === 0)
    badges.push(make("li", { class: "good" }, `verified on ${counted(report.check.runs, "input", "inputs")} in ${shown(report.check.runners.join(" and "))}`));
  if (report.check && !report.check.done) badges.push(make("li", {}, `not verified: ${shown(report.check.reason)}`));
  for (const each of report.check ? report.check.left_out : []) badges.push(make("li", {}, `left out: ${shown(each)}, which changed an output`));
  byId("badges").append(...badges);
  byId("badges").hidden = badges.length === 0;
}

function add_headline() {
  const before = report.nodes_before, after = report.nodes_after;
  const share = Math.min(100, (100 * after) / Math.max(1, before));
  const bar = make("div", { class: "bar", role: "img", "aria-label": `the result has ${share.toFixed(1)} % of the nodes` }, make("i"));
  bar.firstChild.style.width = `${share}%`;
  byId("headline").append(
    make("span", { class: "sizes", id: "sizes-text" }, make("span", { class: "was" }, `${commas(before)} → `), counted(after, "node", "nodes")),
    make("span", { class: `saved${after < before ? "" : " none"}`, id: "saved" }, change(before, after)), bar,
    make("p", { class: "faint exact", id: "exact" }, `${commas(report.bytes_before)} → ${commas(report.bytes_after)} bytes`));
}

function add_facts() {
  const fact = (id, title, value, more) =>
    byId("facts").append(make("div", {}, make("dt", {}, title), make("dd", { class: "value", id }, value), more ? make("dd", { class: "more" }, more) : null));
  fact("bytes", "file", bytes(report.bytes_after), `${change(report.bytes_before, report.bytes_after)}, was ${bytes(report.bytes_before)}`);
  fact("count", "rewrites applied", commas(report.rewrites.reduce((sum, each) => sum + each.count, 0)), counted(report.rewrites.length, "kind", "kinds"));
  const [was, now] = [report.costs_before, report.costs_after];
  if (was && now) {
    fact("macs", "multiply-adds", count(now.macs), `${change(was.macs, now.macs)}, was ${count(was.macs)}`);
    fact("parameters", "parameters", count(now.parameters), `${change(was.parameters, now.parameters)}, was ${count(was.parameters)}`);
    fact("traffic", "read and written", bytes(now.traffic), `${change(was.traffic, now.traffic)}, was ${bytes(was.traffic)}`);
  }
  if (report.check && report.check.done) fact("difference", "largest difference", small(report.check.largest_difference), `a change of the inputs by a millionth: ${small(report.check.floor)}`);
  fact("seconds", "time to optimize", `${report.seconds.toFixed(2)} s`, memory_text(report));
  if (report.remarks.length > 0) {
    byId("note").hidden = false;
    byId("note").textContent = report.remarks.map(shown).join("; ");
  }
  const chips = (asked.length ? asked : ["no options: all exact and reassociating rewrites"]).map((option) => make("li", { class: asked.length ? "mono" : null }, shown(option)));
  byId("asked").append(make("span", { class: "label", id: "asked-label" }, "Asked for"), make("ul", { class: "chips", "aria-labelledby": "asked-label" }, ...chips));
}

// Cells are texts or nodes; `numbers` says which columns are right-aligned.
function plain_table(titles, numbers, rows) {
  const kind = (i) => (numbers.includes(i) ? { class: "number" } : {});
  return make("table", {},
    make("thead", {}, make("tr", {}, ...titles.map((title, i) => make("th", { scope: "col", ...kind(i) }, title)))),
    make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells.map((cell, i) => make("td", kind(i), cell))))));
}

function add_ops() {
  const costs = Boolean(report.costs_before && report.costs_after);
  const changed = report.ops.filter((op) => op.before !== op.after), same = report.ops.filter((op) => op.before === op.after);
  const difference = (op) => (op.before === op.after ? "" : op.after > op.before ? `+${commas(op.after - op.before)}` : `−${commas(op.before - op.after)}`);
  const cost = (op) => (costs ? [count(op.costs_before.macs), count(op.costs_after.macs), count(op.costs_before.parameters), count(op.costs_after.parameters),
    bytes(op.costs_before.weight_bytes), bytes(op.costs_after.weight_bytes)] : []);
  const titles = ["op", "before", "after", ""].concat(costs ? ["MACs", "after", "params", "after", "bytes", "after"] : []);
  byId("ops-table").append(plain_table(titles, [1, 2, 3, 4, 5, 6, 7, 8, 9],
    [...changed, ...same].map((op) => [make("b", {}, shown(op.op)), commas(op.before), commas(op.after), make("span", { class: op.after < op.before ? "good" : null }, difference(op)), ...cost(op)])));
}

function add_rewrites() {
  if (report.rewrites.length === 0) return;
  byId("rewrites").hidden = false;
  byId("rewrites-table").append(plain_table(["rewrite", "count", "what it does"], [1],
    report.rewrites.map((each) => [make("span", { class: "mono" }, shown(each.rewrite)), commas(each.count), shown(each.summary)])));
}

// There may be 100,000 steps, so only the first ones are shown.
function add_steps() {
  if (report.steps.length === 0) return;
  byId("steps").hidden = false;
  const most = 500;
  const texts = report.steps.map((step) => [step.rewrite, step.op, step.node, step.text, ...step.removed, ...step.added].join(" ").toLowerCase());
  const show = () => {
    const wanted = byId("filter").value.trim().toLowerCase();
    const found = report.steps.map((step, i) => [step, i]).filter(([, i]) => texts[i].includes(wanted));
    byId("shown").textContent = `${commas(Math.min(most, found.length))} of ${counted(report.steps.length, "step", "steps")}`;
    byId("steps-table").replaceChildren(plain_table(["#", "rewrite", "op", "node", "nodes removed", "new nodes"], [0], found.slice(0, most).map(([step, i]) =>
      [commas(i + 1), make("span", { class: "mono" }, shown(step.rewrite)), shown(step.op), make("span", { class: "name" }, shown(step.node || step.text)),
        make("span", { class: "name" }, shown(step.removed.join(", "))), make("span", { class: "name" }, shown(step.added.join(", ")))])));
  };
  byId("filter").addEventListener("input", show);
  show();
}

add_header();
add_headline();
add_facts();
add_ops();
add_rewrites();
add_steps();
byId("foot").textContent = `onnxpress ${version}`;
