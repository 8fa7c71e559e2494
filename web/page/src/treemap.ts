// A treemap with one tile for each part, in groups; parts that are too small to see are merged into one tile.
import { bytes, counted, make, place, shown, squarify, steppable, sum } from "./shared.js";

export interface Part {
  name: string;
  group: string;
  size: number;
  detail: string;
  /** True for parts other than those that the map is about. */
  rest?: boolean;
}

const kFrame = { x: 0, y: 0, w: 1000, h: 500 };
const bySize = (a: { size: number }, b: { size: number }) => b.size - a.size;

interface Group {
  size: number;
  items: Part[];
}

function grouped(parts: Part[], least: number): Group[] {
  const groups = new Map<string, Group & { rest: Part; count: number }>();
  for (const part of parts) {
    if (part.size <= 0) continue;
    let group = groups.get(part.group);
    if (!group) {
      group = { size: 0, items: [], rest: { ...part, name: "", size: 0, detail: "" }, count: 0 };
      groups.set(part.group, group);
    }
    group.size += part.size;
    if (part.size >= least) {
      group.items.push(part);
    } else {
      group.rest.size += part.size;
      group.count += 1;
    }
  }
  for (const group of groups.values()) {
    if (group.count > 0) group.items.push({ ...group.rest, name: counted(group.count, "smaller one", "smaller ones") });
    group.items.sort(bySize);
  }
  return [...groups.values()].sort(bySize);
}

export function treemap(parts: Part[], label: string, format: (n: number) => string = bytes): HTMLElement {
  const all = sum(parts, (part) => part.size);
  const map = make("div", { class: "map wide", role: "group", "aria-label": `${label}; arrow keys go from tile to tile` });
  const detail = make("div", { class: "detail", "aria-live": "polite" }, make("span", { class: "faint" }, "Point at a tile, or go through them with Tab and the arrow keys."));
  const tiles = new Map<HTMLElement, Part>();
  // Groups of similar size are next to each other, so giving them colours in turn makes neighbours look different.
  squarify(grouped(parts, all / 3000), kFrame).forEach((group, number) => {
    const box = place(make("div", { class: "group" }), group, kFrame);
    for (const each of squarify(group.item.items, group)) {
      const part = each.item;
      const tile = make("div", { class: `tile ${part.rest ? "fill-rest" : `fill${number % 7}`}`, role: "img", "aria-label": `${shown(part.name)}, ${format(part.size)}` },
        make("span", { class: "name" }, shown(part.name)), make("span", { class: "size" }, format(part.size)));
      tiles.set(tile, part);
      box.append(place(tile, each, group));
    }
    map.append(box);
  });
  steppable(map, [...tiles.keys()], (tile) => {
    const part = tiles.get(tile)!;
    const share = all > 0 ? `${((100 * part.size) / all).toFixed(1)} %` : "";
    detail.replaceChildren(make("b", { class: "mono" }, shown(part.name)), make("span", { class: "values" }, `${format(part.size)}, ${share} ${shown(part.detail)}`));
  });
  return make("div", {}, map, detail);
}

/** The same colour for the same word, the most frequent first; the eighth is for all others. */
export function coloursOf(words: string[]): (word: string) => number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const first = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 7).map(([word]) => word);
  return (word) => (first.includes(word) ? first.indexOf(word) : 7);
}
