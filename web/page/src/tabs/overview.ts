// The overview: the screen of `onnxpress info`.
import { facts, mono, Panel, section, table } from "../panel.js";
import type { Info } from "../reports.js";
import { bytes, commas, count, counted, make, share_bar, shown, work } from "../shared.js";

export class Overview extends Panel {
  protected async fill(): Promise<void> {
    const info = await this.session.report<Info>("info");
    const opsets = info.opsets.map(({ domain, version }) => `${domain} ${version}`).join(", ");
    const values = (list: { name: string; type: string }[], label: string) =>
      table([{ title: "name", text: (each) => mono(each.name) }, { title: "type", text: (each) => mono(each.type) }], list, label);
    const notes: HTMLElement[] = [];
    if (info.problems + info.repairs > 0) notes.push(make("p", { class: "note" }, `${counted(info.problems + info.repairs, "problem", "problems")}: see the tab Check.`));
    this.append(...notes,
      facts([
        ["size", bytes(info.file_bytes + info.bytes.external), `${commas(info.file_bytes)} bytes${info.bytes.external ? ` and ${bytes(info.bytes.external)} outside` : ""}`],
        ["parameters", count(info.weights.parameters), `${bytes(info.weights.bytes)} in ${counted(info.weights.tensors, "tensor", "tensors")}`],
        ["nodes", commas(info.nodes.total), info.nodes.bodies + info.nodes.functions ? `${commas(info.nodes.main_graph)} in the main graph` : counted(info.nodes.by_op.length, "operator", "operators")],
        ["multiply-adds", info.compute.macs === null ? "unknown" : `${info.compute.at_least ? "≥ " : ""}${work(info.compute.macs)}`, info.compute.inputs.map(shown).join(", ").slice(0, 120)],
        ["opset", shown(opsets), `IR version ${info.ir_version ?? "?"}`],
        ["made by", shown(`${info.producer_name} ${info.producer_version}`.trim()) || "unknown", shown(info.graph).slice(0, 80)],
      ]),
      make("div", { class: "pair" }, section("Inputs", values(info.inputs, "inputs")), section("Outputs", values(info.outputs, "outputs"))),
      make("div", { class: "pair" },
        section("Operators", table([
          { title: "operator", text: (op) => shown(op.domain === "ai.onnx" ? op.op : `${op.domain}::${op.op}`) },
          { title: "nodes", number: true, text: (op) => commas(op.nodes) },
          { title: "", text: (op) => share_bar(op.nodes, info.nodes.total) },
        ], info.nodes.by_op, "operators")),
        section("Largest tensors", table([
          { title: "tensor", text: (tensor) => mono(tensor.name) },
          { title: "type", text: (tensor) => mono(`${tensor.type}[${tensor.shape.join(",")}]`) },
          { title: "bytes", number: true, text: (tensor) => bytes(tensor.bytes) },
        ], info.largest, "largest tensors"))));
  }
}
