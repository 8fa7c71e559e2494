// Shows the types and symbolic shapes of all values, and why some stay unknown.
import { facts, mono, Panel, section, table } from "../panel.js";
import type { Infer } from "../reports.js";
import { commas, make, percent, shown } from "../shared.js";

export class ShapesTab extends Panel {
  protected async fill(): Promise<void> {
    const infer = await this.session.report<Infer>("infer", { all: true });
    const rows = make("div");
    const search = make("input", { type: "search", placeholder: "name or type", "aria-label": "search values" }) as HTMLInputElement;
    const show = () => {
      const wanted = search.value.toLowerCase();
      rows.replaceChildren(table([
        { title: "value", text: (each) => mono(each.name) }, { title: "type", text: (each) => mono(each.type) },
        { title: "", text: (each) => (each.complete ? "" : "not complete") },
      ], infer.all.filter((each) => `${each.name} ${each.type}`.toLowerCase().includes(wanted)), "values"));
    };
    search.addEventListener("input", show);
    show();
    this.append(facts([
      ["values", commas(infer.values)], ["complete", percent(infer.complete, infer.values), "every dim is a size or an expression"],
      ["with rank", percent(infer.with_rank, infer.values)], ["constant", commas(infer.constant), "the same in every run"],
    ]));
    if (infer.losses.length > 0) {
      this.append(section("Where types or shapes become unknown", table([
        { title: "value", text: (each) => mono(each.value) }, { title: "node", text: (each) => mono(`${each.node} (${each.op})`) },
        { title: "why", text: (each) => shown(each.why) }, { title: "values", number: true, text: (each) => commas(each.values) },
      ], infer.losses, "losses")));
    }
    this.append(section("Values", make("div", { class: "controls" }, search), rows));
  }
}
