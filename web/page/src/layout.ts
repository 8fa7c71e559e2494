// Places a graph in layers: every node below what it reads from, neighbours near each other. An edge over several layers has a
// bend in each of them, so that it goes around boxes. Linear in nodes and bends: tens of thousands take well under a second.

export interface Placed {
  /** The position of its middle; y is the layer. */
  x: number;
  y: number;
  width: number;
}

export interface Layout {
  /** The nodes, then the bends of edges. */
  nodes: Placed[];
  /** Pairs of node numbers: from, to. */
  edges: [number, number][];
  /** What is drawn: from, to, and which edge it is a part of. Both ends may be bends. */
  links: [number, number, number][];
  width: number;
  height: number;
}

export const kLayerHeight = 64;
const kGap = 20;
const kBendWidth = 4;
const kMostBends = 200_000; // more would cost more time than they are worth

function layersOf(count: number, edges: [number, number][]): number[] {
  const readers: number[][] = Array.from({ length: count }, () => []);
  const waiting = new Int32Array(count);
  for (const [from, to] of edges) {
    readers[from]!.push(to);
    waiting[to]! += 1;
  }
  const layers = new Array<number>(count).fill(0);
  const ready = [...waiting.keys()].filter((node) => waiting[node] === 0);
  for (let i = 0; i < ready.length; ++i) {
    for (const reader of readers[ready[i]!]!) {
      layers[reader] = Math.max(layers[reader]!, layers[ready[i]!]! + 1);
      if (--waiting[reader]! === 0) ready.push(reader);
    }
  }
  return layers; // nodes in a cycle, which no valid model has, stay in layer 0
}

// Orders each layer by the mean position of its neighbours, down and up a few times.
function order(layers: number[][], neighbours: { up: number[][]; down: number[][] }, place: Float64Array): void {
  const sweep = (layer: number[], of: number[][]) => {
    const wish = new Map(layer.map((node) => {
      const all = of[node]!;
      return [node, all.length ? all.reduce((sum, each) => sum + place[each]!, 0) / all.length : place[node]!];
    }));
    layer.sort((a, b) => wish.get(a)! - wish.get(b)!);
    layer.forEach((node, i) => (place[node] = i - layer.length / 2));
  };
  for (let round = 0; round < 3; ++round) {
    for (const layer of layers) sweep(layer, neighbours.up);
    for (let i = layers.length - 1; i >= 0; --i) sweep(layers[i]!, neighbours.down);
  }
}

// Places nodes from left to right, each as near to the mean of what it reads as the node before it allows.
function spread(layers: number[][], up: number[][], nodes: Placed[]): void {
  for (const layer of layers) {
    let right = -Infinity;
    const wishes = layer.map((node) => {
      const all = up[node]!;
      return all.length ? all.reduce((sum, each) => sum + nodes[each]!.x, 0) / all.length : 0;
    });
    let shift = 0;
    layer.forEach((node, i) => {
      const half = nodes[node]!.width / 2;
      nodes[node]!.x = Math.max(wishes[i]!, right + kGap + half);
      shift += nodes[node]!.x - wishes[i]!;
      right = nodes[node]!.x + half;
    });
    shift /= Math.max(layer.length, 1);
    for (const node of layer) nodes[node]!.x -= shift; // nodes were only pushed to the right: move half of that back
  }
}

function bent(depth: number[], widths: number[], edges: [number, number][]): [number, number, number][] {
  const links: [number, number, number][] = [];
  edges.forEach(([from, to], edge) => {
    let last = from;
    for (let layer = depth[from]! + 1; layer < depth[to]! && widths.length < kMostBends; ++layer) {
      depth.push(layer);
      links.push([last, widths.push(kBendWidth) - 1, edge]);
      last = widths.length - 1;
    }
    links.push([last, to, edge]);
  });
  return links;
}

export function layOut(boxes: number[], edges: [number, number][]): Layout {
  const widths = [...boxes];
  const depth = layersOf(widths.length, edges);
  const links = bent(depth, widths, edges);
  const layers: number[][] = [];
  depth.forEach((layer, node) => (layers[layer] ??= []).push(node));
  const up: number[][] = widths.map(() => []), down: number[][] = widths.map(() => []);
  for (const [from, to] of links) {
    up[to]!.push(from);
    down[from]!.push(to);
  }
  const place = new Float64Array(widths.length);
  for (const layer of layers) layer.forEach((node, i) => (place[node] = i - layer.length / 2));
  order(layers, { up, down }, place);
  const nodes = widths.map((width, i) => ({ x: 0, y: depth[i]! * kLayerHeight, width }));
  spread(layers, up, nodes);
  let least = Infinity, most = -Infinity;
  for (const { x, width } of nodes) {
    least = Math.min(least, x - width / 2);
    most = Math.max(most, x + width / 2);
  }
  for (const node of nodes) node.x -= least;
  return { nodes, edges, links, width: nodes.length ? most - least : 0, height: layers.length * kLayerHeight };
}
