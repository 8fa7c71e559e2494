// Numbers as the command prints them, and elements. Texts of a model only ever become text nodes, never markup.
const commas = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");

// Three digits, and never "1000 KB": a number that rounds up to the next unit is shown in that unit.
function scaled(n, units) {
  if (n < 1000) return units[0] ? `${n}\u00a0${units[0]}` : `${n}`;
  let unit = 0;
  for (; n >= 999.5 && unit + 1 < units.length; ++unit) n /= 1000;
  return `${n.toFixed(n < 9.995 ? 2 : n < 99.95 ? 1 : 0)}\u00a0${units[unit]}`;
}
const bytes = (n) => (n < 0 ? "−" : "") + scaled(Math.abs(n), ["B", "KB", "MB", "GB", "TB", "PB", "EB"]);
const count = (n) => scaled(n, ["", "K", "M", "B", "T", "P", "E"]);
const counted = (n, one, many) => `${commas(n)} ${n === 1 ? one : many}`;
const decibels = (db) => `${db.toFixed(1)}\u00a0dB`;
const small = (x) => (x === 0 ? "0" : x >= 0.001 && x < 1000 ? x.toPrecision(3) : x.toExponential(2));

// The most memory at once; systems that do not tell it give 0.
const memory_text = (report) => report.peak_anonymous === 0 ? `${bytes(report.peak_memory)} of memory at most`
  : `${bytes(report.peak_anonymous)} of memory at most, ${bytes(report.peak_memory)} with pages of mapped files`;

function change(before, after) {
  if (before === after || before === 0) return "±0 %";
  const share = (100 * Math.abs(before - after)) / before;
  const text = share < 0.1 ? "<0.1" : share > 99.9 && after > 0 && after < before ? ">99.9" : share.toFixed(1);
  return `${after < before ? "−" : "+"}${text}\u00a0%`;
}

// The error for a ratio in dB, as a percentage of the signal.
function relative(db) {
  const percent = 100 * 10 ** (-db / 20);
  return `${percent >= 10 ? percent.toFixed(0) : percent >= 0.001 ? percent.toPrecision(2) : percent.toExponential(0)}\u00a0%`;
}

// Characters that are invisible or would change the direction of text are spelled out.
function shown(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

const byId = (id) => document.getElementById(id);
function fill(node, properties, children) {
  for (const [key, value] of Object.entries(properties)) {
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const make = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);
const draw = (tag, properties = {}, ...children) =>
  fill(document.createElementNS(document.documentElement.namespaceURI.replace("1999/xhtml", "2000/svg"), tag), properties, children);

// One tab stop for many elements; the arrow keys, Home and End move between them.
function steppable(container, items, show) {
  if (items.length === 0) return;
  let at = 0;
  items.forEach((item, i) => {
    item.tabIndex = i === 0 ? 0 : -1;
    item.addEventListener("pointerenter", () => show(item));
    item.addEventListener("focus", () => { at = i; show(item); });
  });
  container.addEventListener("keydown", (event) => {
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined || to < 0 || to >= items.length) return;
    event.preventDefault();
    items[at].tabIndex = -1;
    items[to].tabIndex = 0;
    items[to].focus();
  });
}
