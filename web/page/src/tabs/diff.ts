// Shows what differs between this model and another one.
import { facts, mono, Panel, section, table } from "../panel.js";
import type { Diff } from "../reports.js";
import { modelAmong } from "../session.js";
import { commas, make, shown } from "../shared.js";

export class DiffTab extends Panel {
  private readonly result = make("div");

  protected async fill(): Promise<void> {
    const input = make("input", { type: "file", multiple: "", "aria-label": "the other model" }) as HTMLInputElement;
    input.addEventListener("change", () => void this.compare([...(input.files ?? [])]));
    this.append(make("div", { class: "settings" }, make("label", {}, "compare with", input)), this.result);
  }

  private async compare(chosen: File[]): Promise<void> {
    const other = modelAmong(chosen);
    if (!other) return this.result.replaceChildren(make("p", { class: "note" }, "Choose one model, with its data files if it has any."));
    await this.guarded(this.result, async (onProgress) => {
      // In separate folders, because both models may have the same name.
      const within = (folder: string, files: object) => Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));
      const { model } = this.session;
      const files = { ...within("before", model.files), ...within("after", other.files) };
      const { report } = await this.session.client.run<Diff>({ task: "diff", files, inputs: [`before/${model.name}`, `after/${other.name}`], options: { limit: 200 } }, onProgress);
      this.result.append(facts([["verdict", report.equal ? "equal" : "different", report.same_bytes ? "the same bytes" : ""], ["differences", commas(report.total)]]));
      if (report.equal) return;
      this.result.append(
        section("By kind", table([
          { title: "what", text: (each) => each.subject }, { title: "added", number: true, text: (each) => commas(each.added) }, { title: "removed", number: true, text: (each) => commas(each.removed) },
          { title: "changed", number: true, text: (each) => commas(each.changed) }, { title: "renamed", number: true, text: (each) => commas(each.renamed) },
        ], report.counts, "differences by kind")),
        section("Differences", table([
          { title: "change", text: (each) => each.change }, { title: "what", text: (each) => mono(each.what) }, { title: "where", text: (each) => mono(each.where) },
          { title: "details", text: (each) => shown(each.details.map(({ what, before, after }) => `${what}: ${before} → ${after}`).join("; ").slice(0, 400)) },
        ], report.differences, "differences")));
    });
  }
}
