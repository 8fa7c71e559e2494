// Shows work, parameters and memory, by operator and by node.
import { facts, mono, Panel, section, table } from "../panel.js";
import type { Profile, ProfiledNode } from "../reports.js";
import { bytes, commas, count, draw, make, number_column, percent, share_bar, shown, work } from "../shared.js";
import { treemap } from "../treemap.js";

// The memory in use while each node runs, as an area over the order of nodes.
export function timeline(nodes: ProfiledNode[]): SVGElement {
  const width = 1000, height = 220, left = 74, bottom = 20, top = 8;
  const most = nodes.reduce((largest, node) => Math.max(largest, node.live), 1);
  const step = (width - left) / Math.max(nodes.length, 1);
  const y = (n: number) => top + (height - top - bottom) * (1 - n / most);
  let path = `M${left} ${y(0)}`;
  nodes.forEach((node, i) => (path += `V${y(node.live).toFixed(1)}H${(left + (i + 1) * step).toFixed(1)}`));
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `memory in use by node, at most ${bytes(most)}` });
  for (const part of [0, 0.5, 1]) {
    svg.append(draw("line", { class: "grid", x1: left, x2: width, y1: y(part * most), y2: y(part * most) }),
      draw("text", { x: left - 6, y: y(part * most) + 4, "text-anchor": "end" }, bytes(Math.round(part * most))));
  }
  svg.append(draw("path", { class: "area", d: `${path}V${y(0)}Z` }),
    draw("text", { x: left, y: height - 4 }, "first node"), draw("text", { x: width, y: height - 4, "text-anchor": "end" }, "last node"));
  return svg;
}

const short = (text: string) => (text.length > 120 ? `${shown(text.slice(0, 120))}…` : shown(text));

export class ProfileTab extends Panel {
  protected async fill(): Promise<void> {
    const profile = await this.session.report<Profile>("profile");
    const { macs, memory } = profile;
    const all = macs.value ?? 0, read = profile.read.value ?? 0, written = profile.written.value ?? 0;
    const notes: string[] = [];
    if (profile.assumed.length > 0) notes.push(`Assumed sizes: ${profile.assumed.map(({ symbol, size }) => `${symbol} = ${size}`).join(", ")}.`);
    if (profile.unknown_ops.length > 0) notes.push(`Not counted: ${profile.unknown_ops.join(", ")}.`);
    this.append(
      facts([
        ["multiply-adds", macs.value === null ? "unknown" : `${macs.at_least ? "≥ " : ""}${work(all)}`, macs.formula === commas(all) ? commas(all) : short(macs.formula)],
        ["parameters", count(profile.parameters), `${bytes(profile.weight_bytes)} of weights`],
        ["activations", bytes(memory.peak), `most in use at once; pool ${bytes(memory.pool)}`],
        ["moved", bytes(read + written), `${bytes(read)} read, ${bytes(written)} written`],
      ]),
      ...(notes.length ? [make("p", { class: "note" }, shown(notes.join(" ")))] : []),
      section("Multiply-adds by node", treemap(profile.node_list.map((node) => ({
        name: node.name || node.op, group: node.name.split(/[/.]/).filter(Boolean).slice(0, 2).join(".") || node.op, size: node.macs ?? 0, detail: node.op,
      })), "multiply-adds by node", work)),
      section("Operators", table([
        { title: "operator", text: (op) => shown(op.op) }, number_column("nodes", "nodes", commas), number_column("multiply-adds", "macs", work),
        { title: "share", number: true, text: (op) => percent(op.macs, all) }, { title: "", text: (op) => share_bar(op.macs, all) },
        number_column("parameters", "parameters", count), number_column("read", "read", bytes), number_column("written", "written", bytes),
      ], profile.ops, "operators")),
      section("Memory", make("p", { class: "lead" }, `At most ${bytes(memory.peak)} are in use at once${memory.peak_node ? `, at ${shown(memory.peak_node)}` : ""}.`),
        make("div", { class: "chart", id: "timeline" }, timeline(profile.node_list.filter((node) => node.depth === 0)))),
      section("Nodes, heaviest first", table([
        { title: "node", text: (node) => mono(node.name) }, { title: "operator", text: (node) => shown(node.op) }, number_column("multiply-adds", "macs", work),
        number_column("parameters", "parameters", count), number_column("written", "written", bytes), { title: "result", text: (node) => mono(node.outputs.join(", ")) },
      ], [...profile.node_list].sort((a, b) => (b.macs ?? 0) - (a.macs ?? 0) || (b.written ?? 0) - (a.written ?? 0)), "nodes")));
  }
}
