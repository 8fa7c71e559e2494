// Puts the page together.
const { version, asked, report, files } = JSON.parse(byId("report").textContent);
// A report of `quantize` lists weights, unless the result is a copy of the file.
const weights = weights_of(report);
const base_name = (path) => shown(path.split("/").pop() || path);

function add_header() {
  if ("tensors" in report) {  // the template says `shrink`
    document.title = document.title.replace(/shrink$/, "quantize");
    document.querySelector("header .kind").textContent = "onnxpress quantize";
  }
  byId("name").textContent = base_name(report.file);
  byId("paths").textContent = `${shown(report.file)} → ${report.dry_run ? "nothing was written (dry run)" : report.refused ? "nothing was written" : shown(report.output)}`;
  const badges = [];
  if (report.refused) badges.push(make("li", {}, `refused: ${shown(report.refused)}`));
  if (report.dry_run) badges.push(make("li", {}, "dry run: nothing was written"));
  if (report.unchanged) badges.push(make("li", {}, "cannot get smaller: the result is a copy"));
  if (report.verified) badges.push(make("li", { class: "good" }, "verified: every tensor is the same, bit for bit"));
  if (!weights && !report.unchanged && !report.verified) badges.push(make("li", { class: "good" }, "lossless: computes the same, bit for bit"));
  byId("badges").append(...badges);
  byId("badges").hidden = badges.length === 0;
}

function add_headline() {
  const before = total(report.before), after = total(report.after);
  const bar = make("div", { class: "bar", role: "img", "aria-label": `the result has ${((100 * after) / Math.max(1, before)).toFixed(1)} % of the bytes` }, make("i"));
  bar.firstChild.style.width = `${Math.min(100, (100 * after) / Math.max(1, before))}%`;
  const parts = (size) => (size.external ? ` (${commas(size.external)} of them external data)` : "");
  byId("headline").append(
    make("span", { class: "sizes", id: "sizes-text" }, make("span", { class: "was" }, `${bytes(before)} → `), bytes(after)),
    make("span", { class: `saved${after < before ? "" : " none"}`, id: "saved" }, change(before, after)), bar,
    make("p", { class: "faint exact", id: "exact" }, `${commas(before)}${parts(report.before)} → ${commas(after)}${parts(report.after)} bytes`));
}

function add_facts() {
  const fact = (id, title, value, more) =>
    byId("facts").append(make("div", {}, make("dt", {}, title), make("dd", { class: "value", id }, value), more ? make("dd", { class: "more" }, more) : null));
  const error = (db, what) => `the error is ${relative(db)} of the ${what}`;
  if (weights) {
    if (weights.reached !== null) fact("output-snr", "output SNR", decibels(weights.reached), `${error(weights.reached, "outputs")}, worst output on the worst input`);
    fact("sqnr", "weight SQNR", weights.sqnr === null ? "exact" : decibels(weights.sqnr), weights.sqnr === null ? "no weight changed" : error(weights.sqnr, "weights"));
    fact("bits", "bits per weight", weights.bits.toFixed(2), "with scales and decoding nodes");
    fact("rounded", "weights in fewer bits", commas(weights.rounded), `${commas(weights.kept)} kept as they are`);
  }
  if (report.download) fact("download", "download", bytes(report.download), "after the compressor that was asked for");
  fact("seconds", "time to make it smaller", `${report.seconds.toFixed(2)} s`, memory_text(report));
  if (report.note) {
    byId("note").hidden = false;
    byId("note").textContent = shown(report.note);
  }
  const chips = (asked.length ? asked : ["no options: all lossless methods"]).map((option) => make("li", { class: asked.length ? "mono" : null }, shown(option)));
  byId("asked").append(make("span", { class: "label", id: "asked-label" }, "Asked for"), make("ul", { class: "chips", "aria-labelledby": "asked-label" }, ...chips));
}

function add_kept(entries) {
  const reasons = new Map();
  for (const entry of entries) {
    if (entry.state !== "kept") continue;
    const line = reasons.get(entry.kept) || { reason: entry.kept, count: 0, bytes: 0 };
    line.count += 1;
    line.bytes += entry.after;
    reasons.set(entry.kept, line);
  }
  if (reasons.size === 0) return;
  byId("kept").hidden = false;
  plain_table("kept-table", [
    { title: "why", text: (line) => shown(line.reason) }, { title: "weights", number: true, text: (line) => commas(line.count) },
    { title: "bytes", number: true, text: (line) => bytes(line.bytes) },
  ], [...reasons.values()].sort((a, b) => b.bytes - a.bytes));
}

function add_methods() {
  if (report.methods.length === 0) return;
  byId("methods").hidden = false;
  plain_table("methods-table", [
    { title: "method", text: (line) => shown(line.method) }, { title: "count", number: true, text: (line) => commas(line.count) },
    { title: "saved", number: true, text: (line) => bytes(line.saved) }, { title: "what it does", kind: "text", text: (line) => shown(line.summary) },
  ], report.methods);
}

const entries = entries_of(report, files), rest = rest_of(report, entries, files), colours = colours_of(entries);
const listed = entries.filter((entry) => entry.state !== "same");
add_header();
add_headline();
add_facts();
byId("sizes-lead").textContent = weights
  ? "Each tile is a weight, in groups by the op that takes it, coloured by how it is stored now. The same area is the same number of bytes in both maps."
  : "Each tile is a tensor or another part of the file. Tensors that became smaller are in groups by the method that did it, and coloured by it. The same area is the same number of bytes in both maps.";
add_maps(report, entries, rest, colours);
if (weights) add_chart(report, entries, colours);
add_kept(entries);
byId("tensors").hidden = listed.length === 0;
byId("state-label").hidden = !weights;
byId("tensors-lead").textContent = weights ? "Every weight, and other tensors that lossless methods made smaller." : "Every tensor that became smaller.";
add_tensor_table(report, listed, colours);
add_methods();
byId("foot").textContent = `onnxpress ${version}. Bytes: 1 MB is 1,000,000. This page is one file and loads nothing.`;
