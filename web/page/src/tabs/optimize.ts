// Makes the same model with fewer nodes.
import { download, facts, Panel, section, table, useTheCommand } from "../panel.js";
import type { Optimize } from "../reports.js";
import { bytes, change, commas, make, shown } from "../shared.js";
import { tick } from "./shrink.js";

export class OptimizeTab extends Panel {
  private readonly exact = tick("only rewrites that keep every bit");
  private readonly small = tick("shrink as well");
  private readonly result = make("div");

  protected async fill(): Promise<void> {
    if (this.session.isTooLarge) return this.append(useTheCommand(this.session.model.name, "optimize"));
    const button = make("button", { type: "button", class: "main" }, "Optimize");
    button.addEventListener("click", () => void this.optimize());
    this.append(make("div", { class: "settings" }, this.exact.element, this.small.element, button), this.result);
  }

  private async optimize(): Promise<void> {
    await this.guarded(this.result, async (onProgress) => {
      const options = { exact: this.exact.box.checked, shrink: this.small.box.checked };
      const { report, written } = await this.session.write<Optimize>("optimize", this.session.resultName(".optimized.onnx"), options, onProgress);
      this.result.append(
        make("p", {}, ...Object.entries(written).map(([file, content]) => download(file, content))),
        facts([
          ["nodes", `${commas(report.nodes_before)} → ${commas(report.nodes_after)}`, change(report.nodes_before, report.nodes_after)],
          ["size", `${bytes(report.bytes_before)} → ${bytes(report.bytes_after)}`, change(report.bytes_before, report.bytes_after)],
          ["time", `${report.seconds.toFixed(2)} s`],
        ]),
        ...report.remarks.map((remark) => make("p", { class: "note" }, shown(remark))),
        section("Operators", table([
          { title: "operator", text: (op) => shown(op.op) }, { title: "before", number: true, text: (op) => commas(op.before) },
          { title: "after", number: true, text: (op) => commas(op.after) }, { title: "change", number: true, text: (op) => (op.before === op.after ? "" : change(op.before, op.after)) },
        ], report.ops, "operators before and after")),
        section("Rewrites", table([
          { title: "rewrite", text: (each) => each.rewrite }, { title: "what it does", text: (each) => shown(each.summary) }, { title: "how often", number: true, text: (each) => commas(each.count) },
        ], report.rewrites, "rewrites")));
    });
  }
}
