// Shows one graph at a time, drawn in layers, with the details of the chosen node. Bodies of nodes can be opened; the trail above
// the drawing leads back.
import { Drawing } from "../drawing.js";
import { Names, viewOf, type GraphView, type Weight } from "../graph_view.js";
import { layOut } from "../layout.js";
import { errorBox, Panel } from "../panel.js";
import type { Drawn, DrawnGraph, DrawnNode, WeightReport } from "../reports.js";
import { bytes, commas, counted, make, shown } from "../shared.js";
import { coloursOf } from "../treemap.js";

/** A graph on the path to the one that is shown, and the node that was chosen there. */
interface Step {
  graph: number;
  title: string;
  chosen: number;
}

export class GraphTab extends Panel {
  private graphs: DrawnGraph[] = [];
  private names!: Names;
  private trail: Step[] = [];
  private view!: GraphView;
  private drawing!: Drawing;
  private readonly path = make("nav", { class: "trail", "aria-label": "graphs that were opened" });
  private readonly stage = make("div", { class: "stage" });
  private readonly detail = make("div", { class: "detail", "aria-live": "polite" });

  protected async fill(): Promise<void> {
    this.graphs = (await this.session.report<Drawn>("graph")).graphs;
    this.names = new Names(this.graphs);
    this.append(this.controls(), this.path, make("div", { class: "graph" }, this.stage, this.detail));
    this.open([{ graph: 0, title: "main graph", chosen: -1 }]);
  }

  private get at(): Step {
    return this.trail.at(-1)!;
  }

  private open(trail: Step[]): void {
    this.trail = trail;
    const { graph, chosen } = this.at;
    this.view = viewOf(this.graphs[graph]!, graph, this.names);
    const { nodes, titles, edges, constants } = this.view;
    const colour = coloursOf(nodes.map((node) => node.op));
    this.drawing = new Drawing(layOut(titles.map((title) => Math.max(60, 8 * title.length + 16)), edges),
      nodes.map((node, i) => ({ title: titles[i]!, colour: colour(node.op) })), (node) => this.describe(node), (node) => this.enter(node));
    this.stage.replaceChildren(this.drawing.canvas);
    this.showTrail();
    this.detail.replaceChildren(make("span", { class: "faint" }, `${counted(nodes.length, "box", "boxes")}, ${counted(edges.length, "connection", "connections")}; ${counted(constants, "constant is", "constants are")} not drawn. Click a box, or use the arrow keys.`,
      nodes.some((node) => node.bodies.length) ? " A box with ▸ has a graph inside: double-click it, or press Enter." : ""));
    if (chosen >= 0) this.drawing.select(chosen);
    else this.drawing.begin();
  }

  // A model with a single graph has no trail.
  private showTrail(): void {
    const last = this.trail.length - 1;
    this.path.hidden = last === 0;
    this.path.replaceChildren(make("ol", {}, ...this.trail.map(({ title }, i) => {
      if (i === last) return make("li", { "aria-current": "page" }, shown(title));
      const button = make("button", { type: "button", class: "link" }, shown(title));
      button.addEventListener("click", () => {
        this.open(this.trail.slice(0, i + 1));
        this.drawing.canvas.focus();
      });
      return make("li", {}, button);
    })));
  }

  private enter(node: number, which = 0): void {
    const { name, op, bodies } = this.view.nodes[node]!;
    const body = bodies[which];
    if (!body) return;
    this.at.chosen = node;
    const title = body.attribute ? `${name || op}, ${body.attribute}` : `function ${this.graphs[body.graph]!.function}`;
    this.open([...this.trail, { graph: body.graph, title, chosen: -1 }]);
    this.drawing.canvas.focus();
  }

  private controls(): HTMLElement {
    const search = make("input", { type: "search", placeholder: "name or operator", "aria-label": "search nodes" }) as HTMLInputElement;
    const found = make("span", { class: "faint", role: "status" });
    let at = -1;
    const find = (begin: number) => {
      const wanted = search.value.toLowerCase(), { nodes } = this.view;
      found.textContent = "";
      if (!wanted) return;
      const hits = [...nodes.keys()].filter((i) => `${nodes[i]!.name} ${nodes[i]!.op} ${nodes[i]!.outputs.join(" ")}`.toLowerCase().includes(wanted));
      found.textContent = hits.length ? `${commas(hits.length)} found; Enter goes on` : "none found";
      at = hits.find((i) => i >= begin) ?? hits[0] ?? -1;
      if (at >= 0) this.drawing.select(at);
    };
    search.addEventListener("input", () => find(0));
    search.addEventListener("keydown", (event) => event.key === "Enter" && find(at + 1));
    const all = make("button", { type: "button", class: "plain" }, "Show all");
    all.addEventListener("click", () => this.drawing.fit());
    return make("div", { class: "controls" }, search, all, found);
  }

  private describe(number: number): void {
    const node = this.view.nodes[number]!, { graph } = this.at;
    const line = (name: string) => {
      const weight = this.names.weight(graph, name);
      return make("li", {}, make("span", { class: "mono" }, shown(name || "(none)")), ` ${shown(this.names.type(graph, name))}`, weight ? this.weightButton(name, weight) : null);
    };
    const list = (title: string, names: string[]) => (names.length ? [make("h3", {}, title), make("ul", {}, ...names.map(line))] : []);
    this.detail.replaceChildren(make("h2", {}, shown(node.name || "(no name)")), make("span", {}, shown(node.domain ? `${node.domain}::${node.op}` : node.op)),
      ...this.bodyButtons(number, node), ...list("Inputs", node.inputs), ...list("Read by its bodies", node.captured), ...list("Outputs", node.outputs),
      ...(node.text ? [make("h3", {}, "As text"), make("pre", { class: "mono" }, shown(node.text.slice(0, 4000)))] : []));
  }

  private bodyButtons(number: number, node: DrawnNode): HTMLElement[] {
    if (node.bodies.length === 0) return [];
    return [make("p", { class: "bodies" }, ...node.bodies.map(({ attribute, graph }, which) => {
      const button = make("button", { type: "button", class: "plain" }, `Open ${shown(attribute) || "function"}, ${counted(this.graphs[graph]!.nodes.length, "node", "nodes")}`);
      button.addEventListener("click", () => this.enter(number, which));
      return button;
    }))];
  }

  private weightButton(name: string, weight: Weight): HTMLElement {
    const button = make("button", { type: "button", class: "plain" }, weight.bytes ? `weights, ${bytes(weight.bytes)}` : "constant");
    button.addEventListener("click", async () => {
      try {
        button.replaceWith(histogram(await this.session.weight<WeightReport>(weight.graph, name)));
      } catch (error) {
        button.replaceWith(errorBox(error));
      }
    });
    return button;
  }
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
