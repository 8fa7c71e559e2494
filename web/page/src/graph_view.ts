// The parts of a graph that are drawn: its boxes, how they are connected, and what is known about the names it uses.
import type { DrawnGraph, DrawnNode } from "./reports.js";
import { shown } from "./shared.js";

export interface Weight {
  /** The graph that defines it. */
  graph: number;
  /** 0 for a constant, whose size is not in the report. */
  bytes: number;
}

export interface GraphView {
  nodes: DrawnNode[];
  titles: string[];
  edges: [number, number][];
  constants: number;
}

type Terminal = "input" | "output" | "outer value";
const kTerminals: string[] = ["input", "output", "outer value"] satisfies Terminal[];
const isConstant = (node: DrawnNode) => node.op === "Constant" && node.domain === "";

/** Looks names up in a graph and in those around it. */
export class Names {
  private readonly graphs: { types: Map<string, string>; weights: Map<string, number> }[];

  constructor(private readonly all: DrawnGraph[]) {
    this.graphs = all.map((graph) => ({
      types: new Map([...graph.values, ...graph.weights].map(({ name, type }) => [name, type])),
      weights: new Map([...graph.weights.map(({ name, bytes }): [string, number] => [name, bytes]), ...graph.nodes.filter(isConstant).map((node): [string, number] => [node.outputs[0] ?? "", 0])]),
    }));
  }

  type(graph: number, name: string): string {
    return this.search(graph, (at) => this.graphs[at]!.types.get(name)) ?? "";
  }

  weight(graph: number, name: string): Weight | undefined {
    return this.search(graph, (at) => {
      const bytes = this.graphs[at]!.weights.get(name);
      return bytes === undefined ? undefined : { graph: at, bytes };
    });
  }

  private search<T>(graph: number, look: (at: number) => T | undefined): T | undefined {
    for (let at: number | null = graph; at !== null; at = this.all[at]!.parent) {
      const found = look(at);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

const terminal = (name: string, op: Terminal): DrawnNode => ({
  name, op, domain: "", inputs: op === "output" ? [name] : [], captured: [], outputs: op === "output" ? [] : [name], bodies: [], text: "",
});

// Constants and weights have no boxes, because there are more of them than of anything else, and most feed a single node.
export function viewOf(graph: DrawnGraph, number: number, names: Names): GraphView {
  const own = graph.nodes.filter((node) => !isConstant(node));
  const inputs = graph.inputs.filter((name) => !names.weight(number, name)).map((name) => terminal(name, "input"));
  const outputs = graph.outputs.map((name) => terminal(name, "output"));
  const made = new Set([...inputs, ...own].flatMap((node) => node.outputs));
  const read = new Set([...own, ...outputs].flatMap((node) => [...node.inputs, ...node.captured]));
  const outer = [...read].filter((name) => name && !made.has(name) && !names.weight(number, name)).map((name) => terminal(name, "outer value"));
  const nodes = [...inputs, ...outer, ...own, ...outputs];
  const titles = nodes.map((node) => shown(kTerminals.includes(node.op) ? node.name : node.op).slice(0, 28) + (node.bodies.length ? " ▸" : ""));
  return { nodes, titles, edges: edgesOf(nodes), constants: graph.nodes.length - own.length };
}

function edgesOf(nodes: DrawnNode[]): [number, number][] {
  const maker = new Map<string, number>();
  nodes.forEach((node, i) => node.outputs.forEach((name) => name && maker.set(name, i)));
  const edges: [number, number][] = [];
  nodes.forEach((node, i) => {
    for (const from of new Set([...node.inputs, ...node.captured].map((name) => maker.get(name)))) if (from !== undefined && from !== i) edges.push([from, i]);
  });
  return edges;
}
