// The main graph, drawn in layers, with the details of the node that was chosen.
import { Drawing } from "../drawing.js";
import { layOut } from "../layout.js";
import { errorBox, Panel } from "../panel.js";
import type { Drawn, DrawnNode, Infer, WeightReport } from "../reports.js";
import { bytes, commas, counted, make, shown } from "../shared.js";
import { coloursOf } from "../treemap.js";

export class GraphTab extends Panel {
  private readonly types = new Map<string, string>();
  private readonly weights = new Map<string, number>();
  private readonly detail = make("div", { class: "detail", "aria-live": "polite" });

  protected async fill(): Promise<void> {
    const graph = await this.session.report<Drawn>("graph");
    const infer = await this.session.report<Infer>("infer", { all: true });
    for (const { name, type } of infer.all) this.types.set(name, type);
    for (const { name, type, bytes: size } of graph.weights) {
      this.types.set(name, type);
      this.weights.set(name, size);
    }
    // Constants have no place of their own: there are more of them than of anything else, and they only feed one node.
    const constants = graph.nodes.filter((node) => node.op === "Constant" && node.domain === "");
    for (const node of constants) this.weights.set(node.outputs[0] ?? "", 0);
    const nodes: DrawnNode[] = [
      ...graph.inputs.filter((name) => !this.weights.has(name)).map((name) => terminal(name, "input")),
      ...graph.nodes.filter((node) => !constants.includes(node)),
      ...graph.outputs.map((name) => terminal(name, "output")),
    ];
    const edges = edgesOf(nodes);
    const colour = coloursOf(nodes.map((node) => node.op));
    const titles = nodes.map((node) => (node.op === "input" || node.op === "output" ? shown(node.name).slice(0, 28) : shown(node.op).slice(0, 28)));
    const drawing = new Drawing(layOut(titles.map((title) => Math.max(60, 8 * title.length + 16)), edges),
      nodes.map((node, i) => ({ title: titles[i]!, colour: colour(node.op) })), (node) => this.describe(nodes[node]!));
    this.detail.replaceChildren(make("span", { class: "faint" }, `${counted(nodes.length, "box", "boxes")}, ${counted(edges.length, "connection", "connections")}; ${counted(constants.length, "constant is", "constants are")} not drawn. Click a box, or use the arrow keys.`));
    this.append(this.controls(nodes, drawing), make("div", { class: "graph" }, make("div", { class: "stage" }, drawing.canvas), this.detail));
    drawing.begin();
  }

  private controls(nodes: DrawnNode[], drawing: Drawing): HTMLElement {
    const search = make("input", { type: "search", placeholder: "name or operator", "aria-label": "search nodes" }) as HTMLInputElement;
    const found = make("span", { class: "faint", role: "status" });
    let at = -1;
    const find = (begin: number) => {
      const wanted = search.value.toLowerCase();
      if (!wanted) return;
      const hits = [...nodes.keys()].filter((i) => `${nodes[i]!.name} ${nodes[i]!.op} ${nodes[i]!.outputs.join(" ")}`.toLowerCase().includes(wanted));
      found.textContent = hits.length ? `${commas(hits.length)} found; Enter goes on` : "none found";
      at = hits.find((i) => i >= begin) ?? hits[0] ?? -1;
      if (at >= 0) drawing.select(at);
    };
    search.addEventListener("input", () => find(0));
    search.addEventListener("keydown", (event) => event.key === "Enter" && find(at + 1));
    const all = make("button", { type: "button", class: "plain" }, "Show all");
    all.addEventListener("click", () => drawing.fit());
    return make("div", { class: "controls" }, search, all, found);
  }

  private describe(node: DrawnNode): void {
    const line = (name: string) => make("li", {}, make("span", { class: "mono" }, shown(name || "(none)")), ` ${shown(this.types.get(name) ?? "")}`,
      this.weights.has(name) ? this.weightButton(name) : null);
    this.detail.replaceChildren(make("b", {}, shown(node.name || "(no name)")), make("span", {}, shown(node.domain ? `${node.domain}::${node.op}` : node.op)),
      ...(node.inputs.length ? [make("h3", {}, "Inputs"), make("ul", {}, ...node.inputs.map(line))] : []),
      ...(node.outputs.length ? [make("h3", {}, "Outputs"), make("ul", {}, ...node.outputs.map(line))] : []),
      ...(node.text ? [make("h3", {}, "As text"), make("pre", { class: "mono" }, shown(node.text.slice(0, 4000)))] : []));
  }

  private weightButton(name: string): HTMLElement {
    const size = this.weights.get(name)!;
    const button = make("button", { type: "button", class: "plain" }, size ? `weights, ${bytes(size)}` : "constant");
    button.addEventListener("click", async () => {
      try {
        button.replaceWith(histogram(await this.session.weight<WeightReport>(name)));
      } catch (error) {
        button.replaceWith(errorBox(error));
      }
    });
    return button;
  }
}

const terminal = (name: string, op: "input" | "output"): DrawnNode => ({ name, op, domain: "", inputs: op === "output" ? [name] : [], outputs: op === "input" ? [name] : [], text: "" });

function edgesOf(nodes: DrawnNode[]): [number, number][] {
  const maker = new Map<string, number>();
  nodes.forEach((node, i) => node.outputs.forEach((name) => name && maker.set(name, i)));
  const edges: [number, number][] = [];
  nodes.forEach((node, i) => {
    for (const from of new Set(node.inputs.map((name) => maker.get(name)))) if (from !== undefined && from !== i) edges.push([from, i]);
  });
  return edges;
}

function histogram(report: WeightReport): HTMLElement {
  const most = Math.max(1, ...report.histogram);
  const bars = report.histogram.map((n) => {
    const bar = make("i");
    bar.style.height = `${(100 * n) / most}%`;
    return bar;
  });
  const number = (n: number) => Number(n.toPrecision(4)).toString();
  const text = `${commas(report.elements)} elements from ${number(report.least)} to ${number(report.most)}, mean ${number(report.mean)}, deviation ${number(report.deviation)}, ${counted(report.zeros, "zero", "zeros")}`;
  return make("div", {}, make("div", { class: "histogram", role: "img", "aria-label": `histogram: ${text}` }, ...bars), make("span", { class: "faint" }, text));
}
