// The page: accepts files, and shows a model in tabs.
import { Client } from "./client.js";
import { DropZone } from "./drop.js";
import type { Panel } from "./panel.js";
import { modelAmong, Session } from "./session.js";
import { bytes, make, shown } from "./shared.js";
import { BytesTab } from "./tabs/bytes.js";
import { CheckTab } from "./tabs/check.js";
import { DiffTab } from "./tabs/diff.js";
import { GraphTab } from "./tabs/graph.js";
import { OptimizeTab } from "./tabs/optimize.js";
import { Overview } from "./tabs/overview.js";
import { ProfileTab } from "./tabs/profile.js";
import { ShapesTab } from "./tabs/shapes.js";
import { ShrinkTab } from "./tabs/shrink.js";

const kTabs = [
  ["overview", "Overview", Overview], ["bytes", "Bytes", BytesTab], ["profile", "Profile", ProfileTab], ["check", "Check", CheckTab], ["shapes", "Shapes", ShapesTab],
  ["graph", "Graph", GraphTab], ["shrink", "Shrink", ShrinkTab], ["optimize", "Optimize", OptimizeTab], ["diff", "Diff", DiffTab],
] as const;

for (const [name, , panel] of kTabs) customElements.define(`op-${name}`, panel);
customElements.define("op-drop", DropZone);

const client = new Client();
const drop = document.querySelector("op-drop") as DropZone;
const place = document.getElementById("model")!;

function tabs(session: Session): HTMLElement {
  const list = make("div", { class: "tabs", role: "tablist", "aria-label": "views of the model" });
  const panels: HTMLElement[] = [], buttons: HTMLElement[] = [];
  const choose = (which: number, focus: boolean) => {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === which));
      button.tabIndex = i === which ? 0 : -1;
      panels[i]!.hidden = i !== which;
    });
    if (focus) buttons[which]!.focus();
    void (panels[which] as Panel).show(session);
  };
  kTabs.forEach(([name, title], i) => {
    const button = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}` }, title);
    button.addEventListener("click", () => choose(i, false));
    button.addEventListener("keydown", (event) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: kTabs.length - 1 }[event.key];
      if (to === undefined || !buttons[to]) return;
      event.preventDefault();
      choose(to, true);
    });
    buttons.push(button);
    panels.push(make(`op-${name}`, { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}` }));
  });
  list.append(...buttons);
  const all = make("div", {}, list, ...panels);
  queueMicrotask(() => choose(0, false));
  return all;
}

drop.onfiles = (files) => {
  client.cancel();
  place.hidden = false;
  const model = modelAmong(files);
  if (!model) {
    place.replaceChildren(make("div", { class: "error", role: "alert" }, make("b", {}, "There are several files, and it is not clear which one is the model."), "Drop one .onnx file, with its data files if it has any."));
    return;
  }
  drop.classList.add("small");
  document.title = `${model.name} – onnxpress`;
  place.replaceChildren(make("h1", { class: "file" }, shown(model.name)), make("p", { class: "faint" }, bytes(model.size)), tabs(new Session(client, model)));
};

// The system's theme, unless the user chose one here.
const theme = document.getElementById("theme")!;
const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
function setTheme(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  theme.textContent = dark ? "Light" : "Dark";
}
setTheme(isDark());
theme.addEventListener("click", () => setTheme(!isDark()));

if ("serviceWorker" in navigator && location.protocol.startsWith("http")) void navigator.serviceWorker.register("offline.js").catch(() => {});
