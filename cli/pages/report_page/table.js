// Tables: plain ones for short lists, and the table of all tensors, which can be sorted and filtered.
const class_of = (column) => [column.number ? "number" : column.kind, column.key].filter(Boolean).join(" ");

function cell(tag, column, entry) {
  const role = tag === "th" ? "rowheader" : "cell";  // explicit, because the styles for phones turn the table into blocks
  const node = make(tag, { class: class_of(column), scope: tag === "th" ? "row" : null, role, "data-title": column.title });
  const value = column.text(entry);
  node.append(...(Array.isArray(value) ? value : [value]));
  return node;
}

function row_of(columns, entry) {
  return make("tr", { role: "row" }, ...columns.map((column, i) => cell(i === 0 ? "th" : "td", column, entry)));
}

function head_of(columns, content) {
  const cells = columns.map((column, i) => make("th", { scope: "col", role: "columnheader", class: class_of(column) || null }, content(column, i)));
  return make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...cells));
}

function plain_table(id, columns, lines) {
  byId(id).append(make("table", { role: "table" }, head_of(columns, (column) => column.title), make("tbody", { role: "rowgroup" }, ...lines.map((line) => row_of(columns, line)))));
}

function tensor_columns(report, entries, colours) {
  const name = { title: "tensor", kind: "name", value: (e) => e.name, text: (e) => make("span", { class: "mono" }, shown(e.name) || "(no name)") };
  const swatch = (e) => make("i", { class: `swatch fill${typeof colours.of(e.key) === "number" ? "" : "-"}${colours.of(e.key)}`, "aria-hidden": "true" });
  const number = (title, key, format) => ({ title, key: { largest_error: "error" }[key] || key, number: true, value: (e) => e[key], text: (e) => (e[key] === null || e[key] === undefined ? "" : format(e[key])) });
  const sizes = [number("before", "before", bytes), number("after", "after", bytes)];
  const stored = { title: weights_of(report) ? "stored as / why kept" : "stored as", kind: "text", key: "stored", value: stored_as, text: (e) => [swatch(e), shown(stored_as(e))] };
  if (!weights_of(report)) return [name, ...sizes, { title: "saved", key: "saved", number: true, value: (e) => e.before - e.after, text: (e) => bytes(e.before - e.after) }, stored];
  const columns = [
    name, { title: "op", key: "op", value: (e) => e.op, text: (e) => shown(e.op) }, number("elements", "elements", commas), ...sizes, number("bits", "bits", (n) => n.toFixed(2)),
    { title: "SQNR", key: "sqnr", number: true, value: (e) => (e.state === "changed" ? e.sqnr ?? Infinity : null), text: (e) => (e.state !== "changed" ? "" : e.sqnr === null ? "exact" : decibels(e.sqnr)) },
    number("largest error", "largest_error", small),
  ];
  if (entries.some((entry) => typeof entry.cosine === "number")) columns.push(number("cosine", "cosine", (n) => n.toFixed(6)));
  return [...columns, stored];
}

const collator = new Intl.Collator("en", { numeric: true });
// Empty values come last, whichever way the others are sorted.
function compare(a, b, way) {
  const absent = (value) => value === null || value === undefined || value === "";
  if (absent(a) || absent(b)) return Number(absent(a)) - Number(absent(b));
  return way * (typeof a === "string" ? collator.compare(a, b) : a - b);
}

function add_tensor_table(report, entries, colours) {
  const kMostRows = 10000;  // more rows make browsers slow; the filter searches all tensors
  const columns = tensor_columns(report, entries, colours);
  const rows = new Map(), body = make("tbody", { id: "rows", role: "rowgroup" });
  let sorted = { column: columns.findIndex((column) => column.title === "before"), way: -1 };
  const buttons = [];
  const head = head_of(columns, (column, i) => (buttons[i] = make("button", { type: "button" }, column.title)));
  if (!weights_of(report)) byId("table").classList.add("lossless");
  byId("table").append(make("table", { role: "table", "aria-label": "tensors" }, head, body));
  const words = new Map(entries.map((entry) => [entry, `${entry.name}\n${entry.op}\n${stored_as(entry)}`.toLowerCase()]));
  let order = [], pending = [], timer = 0;

  // Adds the rows in view at once and the others in steps, so that typing and sorting stay quick.
  const add_rows = (most) => {
    clearTimeout(timer);
    body.append(...pending.splice(0, most).map((entry) => {
      if (!rows.has(entry)) rows.set(entry, row_of(columns, entry));
      return rows.get(entry);
    }));
    if (pending.length === 0) body.setAttribute("data-whole", "");
    else timer = setTimeout(() => add_rows(500), 20);
  };
  addEventListener("beforeprint", () => add_rows(kMostRows));
  const wanted = (entry, state, text) =>
    (state === "" || (state === "weights" ? entry.state !== "other" : entry.state === state)) && words.get(entry).includes(text);
  const show = () => {
    const text = byId("filter").value.trim().toLowerCase(), state = weights_of(report) ? byId("state").value : "";
    const found = order.filter((entry) => wanted(entry, state, text));
    body.replaceChildren();
    body.removeAttribute("data-whole");
    pending = found.slice(0, kMostRows);
    add_rows(150);
    const cut = found.length > kMostRows ? `; the first ${commas(kMostRows)} are shown` : "";
    byId("shown").textContent = `${commas(found.length)} of ${counted(entries.length, "tensor", "tensors")}${cut}`;
  };
  const sort = () => {
    const { column, way } = sorted;
    order = [...entries].sort((a, b) => compare(columns[column].value(a), columns[column].value(b), way));
    buttons.forEach((button, i) => button.parentElement.setAttribute("aria-sort", i !== column ? "none" : way > 0 ? "ascending" : "descending"));
    show();
  };
  buttons.forEach((button, i) => button.addEventListener("click", () => {
    sorted = { column: i, way: sorted.column === i ? -sorted.way : columns[i].number ? -1 : 1 };
    sort();
  }));
  byId("filter").addEventListener("input", show);
  byId("state").addEventListener("change", show);
  sort();
}
