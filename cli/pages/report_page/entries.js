// The tensors of a report: weights in fewer bits, weights that were kept, others that a lossless method made smaller, and
// those that stayed the same. Everything else in the file is the rest, so that the parts sum to the file.
const total = (size) => size.file + size.external;
const weights_of = (report) => (report.tensors && report.tensors.length > 0 ? report : null);
const sum = (list, of) => list.reduce((so_far, each) => so_far + of(each), 0);

// A method may work on what another one stored. So lines with the same name are steps on one tensor, unless together they
// save more bytes than it has; then they are different tensors with the same name.
function lossless_by_name(report) {
  const by_name = new Map();
  for (const line of report.others || report.largest) {
    if (!by_name.has(line.tensor)) by_name.set(line.tensor, []);
    by_name.get(line.tensor).push(line);
  }
  const out = new Map();
  for (const [name, lines] of by_name) {
    const before = Math.max(...lines.map((line) => line.before));
    const saved = sum(lines, (line) => line.before - line.after);
    const method = [...new Set(lines.map((line) => line.method))].join(", ");
    if (name !== "" && saved <= before) out.set(name, [{ before, after: before - saved, method }]);
    else out.set(name, lines);
  }
  return out;
}

function weight_entry(line, smaller) {
  const entry = { ...line, name: line.tensor, group: line.op || "other ops", state: line.kept ? "kept" : "changed", key: line.scheme };
  if (!line.kept) return entry;
  entry.key = "kept";
  if (smaller && smaller.length === 1 && smaller[0].before <= line.before) {
    entry.after = Math.max(0, line.after - (smaller[0].before - smaller[0].after));
    entry.bits = line.elements ? (8 * entry.after) / line.elements : 0;
    entry.method = smaller[0].method;
    entry.key = "lossless";
  }
  return entry;
}

function entries_of(report, files) {
  const lossless = lossless_by_name(report);
  const entries = [], listed = new Map();
  const list = (entry) => { entries.push(entry); listed.set(entry.name, (listed.get(entry.name) || 0) + 1); };
  for (const line of report.tensors || []) {
    list(weight_entry(line, line.kept && !listed.has(line.tensor) ? lossless.get(line.tensor) : null));
  }
  const weights = new Set(listed.keys());
  for (const [name, lines] of lossless) {
    if (weights.has(name)) continue;
    for (const line of lines) {
      list({
        name, op: "", kept: "", scheme: "", elements: null, bits: null, sqnr: null, largest_error: null, state: "other",
        before: line.before, after: line.after, method: line.method, group: weights_of(report) ? "other tensors" : line.method,
        key: weights_of(report) ? "lossless" : line.method,
      });
    }
  }
  entries.push(...same_entries(report, files, listed));
  entries.sort((a, b) => b.before - a.before);
  return entries;
}

// Tensors of the file that the report does not list. A name can occur several times: in branches, for example.
function same_entries(report, files, listed) {
  if (!files.before || !files.after) return [];
  const after = new Map();
  for (const tensor of files.after.tensors) after.set(tensor.name, [...(after.get(tensor.name) || []), tensor.bytes]);
  const renamed = report.methods.some((line) => line.method === "shorten-names");
  const entries = [], skip = new Map(listed);
  for (const { name, type, bytes: size } of files.before.tensors) {
    if (name === "" || skip.get(name) > 0) { skip.set(name, (skip.get(name) || 0) - 1); continue; }
    const now = (after.get(name) || []).shift();
    entries.push({
      name, op: "", kept: "", scheme: "", elements: null, bits: null, sqnr: null, largest_error: null, state: "same", key: "kept",
      before: size, after: now ?? (renamed || report.unchanged ? size : 0), group: weights_of(report) ? "other tensors" : `${type}, as it was`,
    });
  }
  return entries;
}

// Names, types, attributes and the like: one entry for each kind. On each side, they add up to the bytes that the listed
// tensors leave. Nodes that decode a tensor are counted with the tensor, so they are subtracted here.
function rest_of(report, entries, files) {
  const left = (side) => Math.max(0, total(report[side]) - sum(entries, (entry) => entry[side]));
  const whole = (name, group) => ({ name, state: "rest", key: "rest", group, before: 0, after: 0 });
  if (!files.before || !files.after) {
    return [{ ...whole(weights_of(report) ? "everything that is not weights" : "everything else", "rest"), before: left("before"), after: left("after") }];
  }
  const kinds = new Map();
  for (const side of ["before", "after"]) {
    const sizes = new Map(files[side].parts.filter((each) => each.part !== "weights").map((each) => [each.part, each.bytes]));
    const other = Math.max(0, files[side].tensor_bytes - sum(entries, (entry) => entry[side]));
    if (other > 0) sizes.set("other tensors", other);
    let off = left(side) - sum([...sizes.values()], (size) => size);
    for (const part of ["structure", "operators", "value names", "attributes", "types and shapes", ...sizes.keys()]) {
      if (off === 0) break;
      const size = Math.max(0, (sizes.get(part) || 0) + off);
      off -= size - (sizes.get(part) || 0);
      sizes.set(part, size);
    }
    for (const [part, size] of sizes) {
      if (!kinds.has(part)) kinds.set(part, whole(part, "not tensors"));
      kinds.get(part)[side] = size;
    }
  }
  return [...kinds.values()];
}

// How an entry is stored, in words, and why it is not stored in fewer bits.
function stored_as(entry) {
  if (entry.state === "rest" || entry.state === "many" || entry.state === "same") return "";
  if (entry.state === "changed") return entry.scheme;
  return [entry.method ? `lossless: ${entry.method}` : "", entry.kept ? `kept: ${entry.kept}` : ""].filter(Boolean).join("; ");
}

// Colours, for the kinds with the most bytes first; beyond seven kinds, the others share the last colour.
function colours_of(entries) {
  const by_key = new Map();
  for (const entry of entries) by_key.set(entry.key, (by_key.get(entry.key) || 0) + entry.before);
  const keys = [...by_key.keys()].filter((key) => key !== "kept").sort((a, b) => by_key.get(b) - by_key.get(a));
  const colours = new Map([["kept", "kept"], ["rest", "rest"]]);
  keys.forEach((key, i) => colours.set(key, Math.min(i, 7)));
  return { of: (key) => colours.get(key), keys, has_kept: by_key.has("kept") };
}

function legend_items(colours) {
  const items = colours.keys.slice(0, 7).map((key) => ({ key, text: key === "lossless" ? "lossless methods" : shown(key) }));
  if (colours.keys.length === 8) items.push({ key: colours.keys[7], text: shown(colours.keys[7]) });
  if (colours.keys.length > 8) items.push({ key: colours.keys[7], text: `${colours.keys.length - 7} others` });
  if (colours.has_kept) items.push({ key: "kept", text: "kept as it is" });
  return items;
}

function show_detail(panel, entry) {
  const values = [];
  const add = (label, value) => values.push(make("span", {}, `${label} `, make("em", {}, value)));
  add("before", bytes(entry.before));
  add("after", `${bytes(entry.after)} (${change(entry.before, entry.after)})`);
  if (entry.op) add("op", shown(entry.op));
  if (entry.elements) add("elements", commas(entry.elements));
  if (entry.bits) add("bits per weight", entry.bits.toFixed(2));
  if (stored_as(entry)) add("stored", shown(stored_as(entry)));
  if (entry.state === "changed") add("SQNR", entry.sqnr === null ? "exact" : decibels(entry.sqnr));
  panel.replaceChildren(make("b", { class: "name" }, shown(entry.name) || "(no name)"), make("div", { class: "values" }, ...values));
}
