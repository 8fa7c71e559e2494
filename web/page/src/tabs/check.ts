// Shows whether the model is valid, and where it is not.
import { facts, mono, Panel, section, table } from "../panel.js";
import type { Check } from "../reports.js";
import { commas, make, shown } from "../shared.js";

export class CheckTab extends Panel {
  protected async fill(): Promise<void> {
    const no_external = this.session.isTooLarge;
    const check = await this.session.report<Check>("check", { no_external });
    if (no_external) this.append(make("p", { class: "note" }, "External data of this size does not fit into the memory of a page, so it was not opened."));
    this.append(facts([
      ["verdict", check.ok ? "valid" : "invalid", `${commas(check.nodes)} nodes and ${commas(check.tensors)} tensors checked`],
      ["errors", commas(check.errors)], ["warnings", commas(check.warnings)], ["notes", commas(check.notes)],
    ]));
    if (check.findings.length === 0) return;
    this.append(section("Findings", table([
      { title: "severity", text: (each) => make("span", { class: `severity-${each.severity}` }, each.severity) },
      { title: "code", text: (each) => each.code }, { title: "where", text: (each) => mono(each.where) }, { title: "message", text: (each) => shown(each.message) },
    ], check.findings, "findings"), check.left_out ? make("p", { class: "faint" }, `and ${commas(check.left_out)} more`) : null));
  }
}
