// Where the bytes are: a map of all weights and of everything else.
import { Panel, section, table } from "../panel.js";
import type { Info } from "../reports.js";
import { bytes, make, percent, shown } from "../shared.js";
import { treemap, type Part } from "../treemap.js";

export function partsOf(info: Info): Part[] {
  const parts: Part[] = (info.tensors ?? []).map((tensor) => ({
    name: tensor.name, group: tensor.name.split(/[/.]/).filter(Boolean).slice(0, 2).join("."), size: tensor.bytes,
    detail: `${tensor.type}[${tensor.shape.join(",")}] ${tensor.place} ${tensor.scope}`,
  }));
  for (const { part, bytes: size } of info.bytes.parts) {
    if (part !== "weights") parts.push({ name: part, group: "everything except weights", size, detail: "no weight", rest: true });
  }
  return parts;
}

export class BytesTab extends Panel {
  protected async fill(): Promise<void> {
    const info = await this.session.report<Info>("info", { tensors: true });
    const types = info.weights.by_type.map((type) => `${shown(type.name)} ${bytes(type.bytes)}`).join(", ");
    const lead = make("p", { class: "lead" }, `Weights: ${types || "none"}. Each layer has a color; striped parts are not weights.`);
    this.append(lead, treemap(partsOf(info), "bytes by tensor"), section("Parts of the file", table([
      { title: "part", text: (part) => shown(part.part) },
      { title: "bytes", number: true, text: (part) => bytes(part.bytes) },
      { title: "share", number: true, text: (part) => percent(part.bytes, info.bytes.total) },
    ], info.bytes.parts, "parts of the file")));
  }
}
