// Options, an estimate of what they save, and the smaller model.
import { download, facts, mono, Panel, section, table, useTheCommand } from "../panel.js";
import type { Info, Quantize, Shrink } from "../reports.js";
import { bytes, change, commas, make, number_column, shown } from "../shared.js";
import { treemap } from "../treemap.js";
import { partsOf } from "./bytes.js";

// How weights are stored: options of `quantize`. The first one keeps every bit, which `shrink` does.
const kForms: readonly { name: string; text: string; options?: object }[] = [
  { name: "", text: "lossless: every bit stays" },
  { name: "fp16", text: "float16", options: { to: "fp16" } },
  { name: "int8", text: "8 bits", options: { to: "int8" } },
  { name: "int6", text: "6 bits", options: { to: "int6" } },
  { name: "int4", text: "4 bits", options: { to: "int4" } },
  { name: "small", text: "5 to 7 bits, as each tensor needs", options: { weight_quality: 34 } },
  { name: "tiny", text: "4 to 5 bits, as each tensor needs", options: { weight_quality: 22 } },
];
const kTargets = [["ort", "ONNX Runtime"], ["ort-web-gpu", "ONNX Runtime on WebGPU"], ["any", "any runtime: no decoding nodes"]] as const;

export function choice(label: string, choices: readonly (readonly [string, string])[]): { element: HTMLElement; select: HTMLSelectElement } {
  const select = make("select", {}, ...choices.map(([value, text]) => make("option", { value }, text))) as HTMLSelectElement;
  return { element: make("label", {}, label, select), select };
}

export function tick(label: string): { element: HTMLElement; box: HTMLInputElement } {
  const box = make("input", { type: "checkbox" }) as HTMLInputElement;
  return { element: make("label", { class: "line" }, box, label), box };
}

const total = (size: { file: number; external: number }) => size.file + size.external;

export class ShrinkTab extends Panel {
  private readonly weights = choice("weights", kForms.map(({ name, text }) => [name, text] as const));
  private readonly target = choice("for", kTargets);
  private readonly names = tick("shorten names");
  private readonly estimate = make("div", { "aria-live": "polite" });
  private readonly result = make("div");

  protected async fill(): Promise<void> {
    if (this.session.isTooLarge) return this.append(useTheCommand(this.session.model.name, "shrink"));
    const button = make("button", { type: "button", class: "main" }, "Shrink");
    button.addEventListener("click", () => void this.shrink());
    for (const control of [this.weights.select, this.target.select, this.names.box]) control.addEventListener("change", () => void this.guess());
    this.append(make("div", { class: "settings" }, this.weights.element, this.target.element, this.names.element, button), this.estimate, this.result);
    void this.guess();
  }

  // What the settings ask for: one of two tasks.
  private work(): { task: "shrink" | "quantize"; ending: string; options: object } {
    const target = this.target.select.value;
    const form = kForms.find(({ name }) => name === this.weights.select.value)?.options;
    this.names.box.disabled = form !== undefined;
    if (form) return { task: "quantize", ending: ".quantized.onnx", options: { ...form, target } };
    return { task: "shrink", ending: ".shrunk.onnx", options: { target, shorten_names: this.names.box.checked } };
  }

  // Does the same work as shrinking, but writes nothing.
  private async guess(): Promise<void> {
    this.session.client.cancel();
    this.result.replaceChildren();
    await this.guarded(this.estimate, async (onProgress) => {
      const { task, ending, options } = this.work();
      const { report } = await this.session.write<Shrink | Quantize>(task, this.session.resultName(ending), { ...options, dry_run: true }, onProgress);
      this.estimate.append(facts([
        ["before", bytes(total(report.before))], ["after", bytes(total(report.after)), `${commas(total(report.after))} bytes`],
        ["saved", change(total(report.before), total(report.after)), "rounded" in report && report.rounded > 0 ? "numbers are rounded" : "the same results, bit for bit"],
      ]));
    });
  }

  private async shrink(): Promise<void> {
    await this.guarded(this.result, async (onProgress) => {
      const { task, ending, options } = this.work();
      const name = this.session.resultName(ending);
      const { report, written } = await this.session.write<Shrink | Quantize>(task, name, options, onProgress);
      const links = Object.entries(written).map(([file, content]) => download(file, content));
      this.result.append("refused" in report && report.refused ? make("p", { class: "note" }, shown(report.refused)) : make("p", {}, ...links));
      this.result.append(...this.tables(report));
      if (written[name]) await this.maps(name, written);
    });
  }

  private tables(report: Shrink | Quantize): HTMLElement[] {
    const made = [section("Methods", table([
      { title: "method", text: (each) => each.method }, { title: "what it does", text: (each) => shown(each.summary) },
      { title: "how many", number: true, text: (each) => commas(each.count) }, { title: "saved", number: true, text: (each) => bytes(each.saved) },
    ], report.methods, "methods")), section("Largest savings", table([
      { title: "tensor", text: (each) => mono(each.tensor) }, { title: "method", text: (each) => each.method },
      { title: "before", number: true, text: (each) => bytes(each.before) }, { title: "after", number: true, text: (each) => bytes(each.after) },
    ], "others" in report ? report.others : report.largest, "largest savings"))];
    if ("tensors" in report && report.tensors.length > 0) {
      made.push(section("Errors", table([
        { title: "tensor", text: (each) => mono(each.tensor) }, { title: "operator", text: (each) => shown(each.op) }, { title: "stored as", text: (each) => shown(each.scheme || `as it was: ${each.kept}`) },
        { title: "bits", number: true, text: (each) => each.bits.toFixed(2) }, number_column("signal to noise", "sqnr", (decibels) => `${decibels.toFixed(1)} dB`),
        number_column("largest error", "largest_error", (error) => error.toPrecision(3)), number_column("cosine", "cosine", (cosine) => cosine.toFixed(6)),
      ], report.tensors, "errors")));
    }
    return made;
  }

  private async maps(name: string, written: Record<string, Uint8Array<ArrayBuffer>>): Promise<void> {
    const before = await this.session.report<Info>("info", { tensors: true });
    const files = Object.fromEntries(Object.entries(written).map(([file, content]) => [file, new Blob([content])]));
    const { report: after } = await this.session.client.run<Info>({ task: "info", files, inputs: [name], options: { tensors: true } });
    this.result.append(section("Before and after", make("div", { class: "pair" },
      make("div", {}, make("p", { class: "faint" }, `before ${bytes(before.bytes.total)}`), treemap(partsOf(before), "bytes before")),
      make("div", {}, make("p", { class: "faint" }, `after ${bytes(after.bytes.total)}`), treemap(partsOf(after), "bytes after")))));
  }
}
