// Two maps of the file, before and after, on one scale: the same area is the same number of bytes in both.

// Squarified layout (Bruls, Huizing, van Wijk 2000). `items` have a size over 0, largest first.
function squarify(items, box) {
  let { x, y, w, h } = box;
  let left = sum(items, (item) => item.size);
  const out = [];
  for (let i = 0; i < items.length;) {
    const side = Math.min(w, h), scale = (w * h) / left;
    let row = 0, end = i, worst = Infinity;
    for (; end < items.length; ++end) {
      const grown = row + items[end].size, area = grown * scale;
      const worse = Math.max((side * side * items[i].size * scale) / (area * area), (area * area) / (side * side * items[end].size * scale));
      if (worse > worst) break;
      worst = worse;
      row = grown;
    }
    const thickness = (row * scale) / side;
    let along = 0;
    for (; i < end; ++i) {
      const length = (items[i].size / row) * side;
      out.push(w >= h ? { item: items[i], x, y: y + along, w: thickness, h: length } : { item: items[i], x: x + along, y, w: length, h: thickness });
      along += length;
    }
    if (w >= h) x += thickness, w -= thickness;
    else y += thickness, h -= thickness;
    left -= row;
  }
  return out;
}

// Groups of tiles; those that are too small to see are merged into one tile for each colour.
function groups_of(entries, side, least) {
  const groups = new Map();
  for (const entry of entries) {
    if (entry[side] <= 0) continue;
    if (!groups.has(entry.group)) groups.set(entry.group, { name: entry.group, size: 0, items: [], merged: new Map() });
    const group = groups.get(entry.group);
    group.size += entry[side];
    if (entry[side] >= least || entry.state === "rest") {
      group.items.push({ size: entry[side], entry, count: 1 });
      continue;
    }
    if (!group.merged.has(entry.key)) {
      const merged = { key: entry.key, group: entry.group, op: entry.op, state: "many", before: 0, after: 0, elements: 0 };
      group.merged.set(entry.key, { size: 0, entry: merged, count: 0, only: entry });
    }
    const many = group.merged.get(entry.key);
    many.size += entry[side];
    many.count += 1;
    many.entry.before += entry.before;
    many.entry.after += entry.after;
    many.entry.elements += entry.elements || 0;
  }
  const by_size = (a, b) => b.size - a.size;
  for (const group of groups.values()) {
    for (const many of group.merged.values()) {
      if (many.count === 1) many.entry = many.only;
      else many.entry.name = `${commas(many.count)} smaller ones`;
      group.items.push(many);
    }
    group.items.sort(by_size);
  }
  return [...groups.values()].sort(by_size);
}

function place(node, box, frame) {
  const percent = (part, whole) => `${((100 * part) / whole).toFixed(4)}%`;
  node.style.left = percent(box.x - frame.x, frame.w);
  node.style.top = percent(box.y - frame.y, frame.h);
  node.style.width = percent(box.w, frame.w);
  node.style.height = percent(box.h, frame.h);
  return node;
}

// Removes what all names of a group begin and end with, such as "model." and ".weight", which says nothing on a small tile.
function shortener(items) {
  const names = items.filter((item) => item.count === 1).map((item) => item.entry.name);
  if (names.length < 2) return (name) => name;
  const common = (all) => {
    let length = Math.min(...all.map((name) => name.length));
    for (const name of all) while (!name.startsWith(all[0].slice(0, length))) --length;
    return Math.max(...[".", "/", ":"].map((c) => all[0].slice(0, length).lastIndexOf(c))) + 1;
  };
  const head = common(names), tail = common(names.map((name) => [...name].reverse().join("")));
  return (name) => (head + tail < name.length ? name.slice(head, name.length - tail) : name);
}

function make_tile(item, is_first, shorten, colours) {
  const { entry } = item;
  const words = entry.state === "rest" || entry.state === "many" ? entry.name : shown(entry.name);
  const tile = make("div", {
    class: `tile fill${entry.key === "kept" || entry.key === "rest" ? "-" : ""}${colours.of(entry.key)}${entry.state === "many" ? " many" : ""}`,
    role: "img", "data-bytes": item.size, "data-count": item.count,
    "aria-label": `${words}, ${bytes(entry.before)} before, ${bytes(entry.after)} after${entry.state === "changed" ? `, ${stored_as(entry)}` : ""}`,
  });
  if (is_first && entry.state !== "rest") tile.append(make("span", { class: "op" }, shown(entry.group)));
  tile.append(make("span", { class: "name" }, entry.state === "rest" || entry.state === "many" ? words : shown(shorten(entry.name))), make("span", { class: "size" }, bytes(item.size)));
  tile.entry = entry;
  return tile;
}

function make_map(entries, side, least, colours) {
  const frame = { x: 0, y: 0, w: 1000, h: 625 };
  const map = make("div", { class: "map", role: "group", id: `map-${side}`, "aria-label": `sizes ${side}; arrow keys go from tensor to tensor` });
  const tiles = [];
  for (const group of squarify(groups_of(entries, side, least), frame)) {
    const node = place(make("div", { class: "group" }), group, frame);
    const shorten = shortener(group.item.items);
    squarify(group.item.items, group).forEach((box, i) => {
      tiles.push(make_tile(box.item, i === 0, shorten, colours));
      node.append(place(tiles[tiles.length - 1], box, group));
    });
    map.append(node);
  }
  return { map, tiles };
}

// Content that several tensors share is counted with each of them, but their tiles together must not exceed the file.
function fitted(entries, report) {
  let surplus = sum(entries, (entry) => entry.after) - total(report.after);
  if (surplus <= 0) return entries;
  const changed = sum(entries, (entry) => (entry.state === "changed" ? entry.after : 0));
  const share = Math.min(1, surplus / changed);
  return entries.map((entry) => {
    if (entry.state !== "changed" || surplus <= 0) return entry;
    const off = Math.min(surplus, entry.after, Math.ceil(entry.after * share));
    surplus -= off;
    return { ...entry, after: entry.after - off };
  });
}

function add_maps(report, entries, rest, colours) {
  const sizes = { before: total(report.before), after: total(report.after) };
  const largest = Math.max(sizes.before, sizes.after, 1), panel = byId("maps-detail"), sides = [];
  const marked = new Set(), drawn = fitted(entries, report);
  for (const side of ["before", "after"]) {
    const made = make_map([...drawn, ...rest], side, largest / 2500, colours);
    const share = Math.sqrt(sizes[side] / largest);
    const caption = make("figcaption", {}, make("b", {}, side === "before" ? "Before" : "After"), ` ${bytes(sizes[side])}`);
    const figure = make("figure", {}, caption, made.map);
    byId("maps").style.setProperty(`--${side}`, `${share}fr`);
    figure.style.setProperty("--share", `${100 * share}%`);
    byId("maps").insertBefore(figure, panel);
    if (side === "after" && (share < 0.3 || share > 0.75)) byId("maps").classList.add("beneath");
    sides.push(made);
  }
  for (const made of sides) {
    steppable(made.map, made.tiles, (tile) => {
      for (const each of marked) each.classList.remove("twin");
      marked.clear();
      for (const other of sides.flatMap((each) => each.tiles)) if (other.entry === tile.entry) marked.add(other);
      for (const each of marked) each.classList.add("twin");
      show_detail(panel, tile.entry);
    });
  }
  panel.append(make("span", { class: "faint" }, "Point at a tile, or go through them with Tab and the arrow keys: the same tensor is marked in both maps."));
  const rest_text = rest.length === 1 ? rest[0].name : "everything except tensors: names, types, structure, ...";
  for (const { key, text } of [...legend_items(colours), { key: "rest", text: rest_text }]) {
    byId("legend").append(make("span", {}, make("i", { class: `fill${typeof colours.of(key) === "number" ? "" : "-"}${colours.of(key)}` }), text));
  }
}
