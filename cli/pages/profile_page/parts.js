// The data as the command packs it: lists of values in the order of these keys.
const sum = (items, of) => items.reduce((all, item) => all + of(item), 0);
const unpack = (keys, rows) => rows.map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i]])));
const work = (n) => scaled(n, ["", "K", "M", "G", "T", "P", "E"]);
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)}\u00a0%` : "");
const milliseconds = (us) => `${(us / 1000).toPrecision(3)}\u00a0ms`;
const some_of = (texts, most = 8) => `${texts.slice(0, most).join(", ")}${texts.length > most ? ` and ${commas(texts.length - most)} more` : ""}`;
const absent = (value) => value === null || value === undefined;

// Colours by op, the heaviest first; all other ops share one.
function colours_of(ops) {
  const numbers = new Map(ops.slice(0, 7).map((op, i) => [op.op, i]));
  return (op) => (numbers.has(op) ? `fill${numbers.get(op)}` : "fill7");
}

function share_bar(part, whole) {
  const bar = make("span", { class: "share" });
  bar.style.width = `${whole > 0 ? Math.max(0, (5 * part) / whole) : 0}rem`;
  return bar;
}

function table_head(columns, buttons = null) {
  return make("thead", {}, make("tr", {}, ...columns.map((column, i) => make("th", { scope: "col", class: column.number ? "number" : null },
    buttons ? (buttons[i] = make("button", { type: "button" }, column.title)) : column.title))));
}

function table_row(columns, line) {
  return make("tr", {}, ...columns.map((column, i) => {
    const value = column.text(line);
    const node = make(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: column.number ? "number" : null, "data-title": i > 0 ? column.title : null });
    node.append(...(Array.isArray(value) ? value : [value]));
    return node;
  }));
}

const number_column = (title, key, format) => ({ title, number: true, value: (e) => e[key], text: (e) => (absent(e[key]) ? "" : format(e[key])) });
