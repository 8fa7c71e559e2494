// Where files are dropped or chosen.
import { make } from "./shared.js";

export class DropZone extends HTMLElement {
  onfiles: (files: File[]) => void = () => {};

  connectedCallback(): void {
    const input = make("input", { type: "file", multiple: "", hidden: "" }) as HTMLInputElement;
    const button = make("button", { type: "button", class: "main" }, "Choose a model");
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      if (input.files?.length) this.onfiles([...input.files]);
      input.value = "";
    });
    this.append(make("h1", {}, "Drop an ONNX model here"), make("p", { class: "lead" }, "with its .data files, if it has any. It is read by this page and never leaves this machine."), button, input);
    // Handled anywhere on the page, because a file that misses the box must not replace the page.
    window.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.classList.add("over");
    });
    window.addEventListener("dragleave", (event) => event.relatedTarget === null && this.classList.remove("over"));
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      this.classList.remove("over");
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) this.onfiles(files);
    });
  }
}
