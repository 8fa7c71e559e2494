// A graph on a canvas that can be moved and zoomed; only visible parts are drawn, and text only if it is large enough to read.
import type { Layout } from "./layout.js";

export interface Box {
  title: string;
  colour: number;
}

const kBoxHeight = 30;

export class Drawing {
  readonly canvas = document.createElement("canvas");
  private scale = 1;
  private left = 0;
  private top = 0;
  private chosen = -1;
  private asked = false;

  constructor(
    private readonly layout: Layout,
    private readonly boxes: Box[],
    private readonly choose: (node: number) => void,
    private readonly enter: (node: number) => void,
  ) {
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "the graph; arrow keys follow connections, Enter opens a body, plus and minus zoom, 0 shows all");
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
    this.listen();
  }

  /** Shows a node in the middle, at a readable size. */
  select(node: number): void {
    this.chosen = node;
    const { x, y } = this.layout.nodes[node]!;
    this.scale = Math.max(this.scale, 0.9);
    this.left = x - this.canvas.clientWidth / 2 / this.scale;
    this.top = y - this.canvas.clientHeight / 2 / this.scale;
    this.redraw();
    this.choose(node);
  }

  fit(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.scale = Math.min(1, clientWidth / (this.layout.width + 80), clientHeight / (this.layout.height + 80));
    this.left = -(clientWidth / this.scale - this.layout.width) / 2;
    this.top = -(clientHeight / this.scale - this.layout.height) / 2;
    this.redraw();
  }

  /** Shows the beginning of the graph at a readable size, which is what people look at first. */
  begin(): void {
    this.scale = 1;
    const first = this.layout.nodes[0];
    this.left = (first?.x ?? 0) - this.canvas.clientWidth / 2;
    this.top = -60;
    this.redraw();
  }

  redraw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  private draw(): void {
    const { canvas, scale } = this;
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== width * ratio || canvas.height !== height * ratio) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
    }
    const pen = canvas.getContext("2d")!, style = getComputedStyle(canvas);
    const colour = (name: string) => style.getPropertyValue(name);
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, -this.left * scale * ratio, -this.top * scale * ratio);
    pen.clearRect(this.left, this.top, width / scale, height / scale);
    this.drawEdges(pen, colour, width / scale, height / scale);
    this.drawBoxes(pen, colour, width / scale, height / scale);
  }

  private drawEdges(pen: CanvasRenderingContext2D, colour: (name: string) => string, width: number, height: number): void {
    const { nodes, edges, links } = this.layout;
    const half = (node: number) => (node < this.boxes.length ? kBoxHeight / 2 : 0); // bends have no height
    pen.lineWidth = 1 / Math.max(this.scale, 0.4);
    for (const marked of [false, true]) {
      pen.strokeStyle = colour(marked ? "--accent" : "--faint");
      pen.globalAlpha = marked ? 1 : 0.55;
      pen.beginPath();
      for (const [from, to, edge] of links) {
        if (edges[edge]!.includes(this.chosen) !== marked) continue;
        const a = nodes[from]!, b = nodes[to]!, begin = a.y + half(from), end = b.y - half(to);
        if (end < this.top || begin > this.top + height || Math.max(a.x, b.x) < this.left || Math.min(a.x, b.x) > this.left + width) continue;
        pen.moveTo(a.x, begin);
        if (this.scale < 0.25 || a.x === b.x) pen.lineTo(b.x, end);
        else pen.bezierCurveTo(a.x, (begin + end) / 2, b.x, (begin + end) / 2, b.x, end);
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  private drawBoxes(pen: CanvasRenderingContext2D, colour: (name: string) => string, width: number, height: number): void {
    const fills = Array.from({ length: 8 }, (_, i) => colour(`--fill${i}`));
    pen.font = "13px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    this.boxes.forEach(({ title, colour: fill }, i) => {
      const node = this.layout.nodes[i]!;
      const x = node.x - node.width / 2, y = node.y - kBoxHeight / 2;
      if (x + node.width < this.left || x > this.left + width || y + kBoxHeight < this.top || y > this.top + height) return;
      pen.fillStyle = fills[fill]!;
      pen.fillRect(x, y, node.width, kBoxHeight);
      if (i === this.chosen) {
        pen.strokeStyle = colour("--text");
        pen.lineWidth = 2 / this.scale;
        pen.strokeRect(x, y, node.width, kBoxHeight);
      }
      if (this.scale < 0.45) return;
      pen.fillStyle = colour("--text");
      pen.fillText(title, node.x, node.y, node.width - 6);
    });
  }

  private zoom(factor: number, x: number, y: number): void {
    const next = Math.min(3, Math.max(0.01, this.scale * factor));
    this.left += x / this.scale - x / next;
    this.top += y / this.scale - y / next;
    this.scale = next;
    this.redraw();
  }

  private listen(): void {
    const { canvas } = this;
    let from: { x: number; y: number; moved: boolean } | undefined;
    canvas.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      const dx = event.clientX - from.x, dy = event.clientY - from.y;
      if (!from.moved && Math.hypot(dx, dy) < 4) return;
      this.left -= dx / this.scale;
      this.top -= dy / this.scale;
      from = { x: event.clientX, y: event.clientY, moved: true };
      this.redraw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (from && !from.moved) this.click(event);
      from = undefined;
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      this.zoom(2 ** (-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    canvas.addEventListener("dblclick", (event) => {
      const hit = this.boxAt(event);
      if (hit >= 0) this.enter(hit);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private boxAt(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / this.scale + this.left, y = (event.clientY - box.top) / this.scale + this.top;
    return this.layout.nodes.findIndex((node, i) => i < this.boxes.length && Math.abs(node.x - x) <= node.width / 2 && Math.abs(node.y - y) <= kBoxHeight / 2);
  }

  private click(event: PointerEvent): void {
    const hit = this.boxAt(event);
    if (hit < 0) return;
    this.chosen = hit;
    this.redraw();
    this.choose(hit);
  }

  private key(event: KeyboardEvent): void {
    const { clientWidth, clientHeight } = this.canvas;
    const { edges, nodes } = this.layout, at = this.chosen;
    const beside = (direction: number) => {
      const same = [...this.boxes.keys()].filter((node) => nodes[node]!.y === nodes[at]?.y).sort((a, b) => nodes[a]!.x - nodes[b]!.x);
      return same[same.indexOf(at) + direction];
    };
    let next: number | undefined;
    if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 1.4 : 1 / 1.4, clientWidth / 2, clientHeight / 2);
    else if (event.key === "0") this.fit();
    else if (event.key === "Enter" && at >= 0) this.enter(at);
    else if (at < 0 && event.key.startsWith("Arrow")) next = 0;
    else if (event.key === "ArrowDown") next = edges.find(([from]) => from === at)?.[1];
    else if (event.key === "ArrowUp") next = edges.find(([, to]) => to === at)?.[0];
    else if (event.key === "ArrowRight") next = beside(1);
    else if (event.key === "ArrowLeft") next = beside(-1);
    else return;
    event.preventDefault();
    if (next !== undefined && nodes[next]) this.select(next);
  }
}
