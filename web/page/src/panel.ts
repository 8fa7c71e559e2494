// The base of every tab: an element that fills itself when it is first shown, shows progress, and shows errors.
import type { Progress } from "../../core/engine.js";
import { Cancelled, Failure } from "./client.js";
import type { Session } from "./session.js";
import { bytes, make, shown, table_head, table_row, type Child, type Column } from "./shared.js";

export abstract class Panel extends HTMLElement {
  protected session!: Session;
  private begun = false;

  /** Called when the tab is chosen. */
  async show(session: Session): Promise<void> {
    this.session = session;
    if (this.begun) return;
    this.begun = true;
    await this.guarded(this, () => this.fill());
  }

  protected abstract fill(): Promise<void>;

  /** Does the work, and shows a progress bar with a button to stop it in `place`. */
  protected async guarded(place: HTMLElement, work: (onProgress: (progress: Progress) => void) => Promise<void>): Promise<void> {
    const busy = new Busy(() => this.session.client.cancel());
    place.replaceChildren(busy.element);
    place.setAttribute("aria-busy", "true");
    try {
      await work((progress) => busy.tell(progress));
    } catch (error) {
      this.begun = place !== this && this.begun; // so that choosing the tab again tries again
      place.replaceChildren(error instanceof Cancelled ? make("p", { class: "lead" }, "Cancelled.") : errorBox(error));
    }
    busy.element.remove();
    place.removeAttribute("aria-busy");
  }
}

export function errorBox(error: unknown): HTMLElement {
  const text = error instanceof Error ? error.message : String(error);
  const hint = error instanceof Failure ? error.hint : "";
  return make("div", { class: "error", role: "alert" }, make("b", {}, shown(text)), hint ? make("span", {}, shown(hint)) : null);
}

class Busy {
  readonly element: HTMLElement;
  private readonly label = make("span", {}, "working");
  private readonly bar = make("progress", { max: 1, "aria-label": "progress" }) as HTMLProgressElement;

  constructor(cancel: () => void) {
    const button = make("button", { type: "button", class: "plain" }, "Cancel");
    button.addEventListener("click", cancel);
    this.element = make("div", { class: "busy", role: "status" }, this.bar, this.label, button);
  }

  tell({ stage, done, total }: Progress): void {
    if (stage !== undefined) {
      this.label.textContent = shown(stage);
      this.bar.removeAttribute("value");
    } else if (total) {
      this.bar.value = Math.min(1, (done ?? 0) / total);
    }
  }
}

/** The text that replaces controls that cannot work. */
export function useTheCommand(name: string, words: string): HTMLElement {
  return make("p", { class: "note" }, "Weights of this size do not fit into the memory of a page. Use the command line instead: ", mono(`onnxpress ${words} ${name}`));
}

export function facts(items: [title: string, value: string, more?: string][]): HTMLElement {
  return make("dl", { class: "facts" }, ...items.map(([title, value, more]) =>
    make("div", {}, make("dt", {}, title), make("dd", { class: "value" }, value), more ? make("dd", { class: "more" }, more) : null)));
}

export function section(title: string, ...children: Child[]): HTMLElement {
  return make("section", {}, make("h2", {}, title), ...children);
}

const kMostRows = 500;

/** A table in a box that scrolls; rows beyond the limit are only counted. */
export function table<T>(columns: Column<T>[], lines: T[], label: string): HTMLElement {
  const rows = lines.slice(0, kMostRows).map((line) => table_row(columns, line));
  const head = table_head(columns);
  // The column of bars has no title, and an empty th is not accessible.
  for (const empty of head.querySelectorAll("th:empty")) empty.replaceWith(make("td"));
  const made = make("table", { "aria-label": label }, head, make("tbody", {}, ...rows));
  const more = lines.length > kMostRows ? make("p", { class: "faint" }, `and ${lines.length - kMostRows} more`) : null;
  return make("div", {}, make("div", { class: "scroll long", tabindex: 0, role: "region", "aria-label": label }, made), more);
}

export function mono(text: string): HTMLElement {
  return make("span", { class: "mono" }, shown(text));
}

/** A link that saves bytes as a file. */
export function download(name: string, content: Uint8Array<ArrayBuffer>): HTMLElement {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  return make("a", { class: "button main", href: url, download: name }, `Download ${shown(name)} (${bytes(content.length)})`);
}
