// Where the bytes are: a map of all weights and of what is no weight.
import { Panel, section, table } from "../panel.js";
import type { Info } from "../reports.js";
import { bytes, make, percent, shown } from "../shared.js";
import { coloursOf, treemap, type Part } from "../treemap.js";

export function partsOf(info: Info): Part[] {
  const tensors = info.tensors ?? [];
  const colour = coloursOf(tensors.map((tensor) => tensor.type));
  const parts: Part[] = tensors.map((tensor) => ({
    name: tensor.name, group: tensor.name.split(/[/.]/).filter(Boolean).slice(0, 2).join("."), size: tensor.bytes,
    colour: colour(tensor.type), detail: `${tensor.type}[${tensor.shape.join(",")}] ${tensor.place} ${tensor.scope}`,
  }));
  for (const { part, bytes: size } of info.bytes.parts) {
    if (part !== "weights") parts.push({ name: part, group: "what is no weight", size, colour: 7, detail: "no weight" });
  }
  return parts;
}

export class BytesTab extends Panel {
  protected async fill(): Promise<void> {
    const info = await this.session.report<Info>("info", { tensors: true });
    const colour = coloursOf((info.tensors ?? []).map((tensor) => tensor.type));
    const legend = make("div", { class: "legend" }, ...info.weights.by_type.map((type) =>
      make("span", {}, make("i", { class: `fill${colour(type.name)}` }), `${shown(type.name)} ${bytes(type.bytes)}`)));
    this.append(treemap(partsOf(info), "bytes by tensor"), legend, section("Parts of the file", table([
      { title: "part", text: (part) => shown(part.part) },
      { title: "bytes", number: true, text: (part) => bytes(part.bytes) },
      { title: "share", number: true, text: (part) => percent(part.bytes, info.bytes.total) },
    ], info.bytes.parts, "parts of the file")));
  }
}
