// The worker: holds the WebAssembly module, so that the page never waits for it.
import { Engine, OnnxpressError } from "../../core/engine.js";
import type { Job, Told } from "./messages.js";

const scope = self as unknown as DedicatedWorkerGlobalScope;
let current = 0;
let toldAt = 0;

function tell(message: Told, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

const engine = Engine.start((progress) => {
  const now = performance.now();
  if (progress.stage === undefined && now - toldAt < 50) return; // the page shows no more than 20 updates per second
  toldAt = now;
  tell({ id: current, progress });
});

scope.onmessage = async ({ data }: MessageEvent<Job>) => {
  const { id, ...request } = data;
  try {
    const running = await engine;
    current = id;
    const { report, written } = running.run(request);
    tell({ id, report, written }, Object.values(written).map((each) => each.buffer));
  } catch (error) {
    const known = error instanceof OnnxpressError;
    const text = known ? error.message : `the WebAssembly module stopped: ${String(error)}`;
    const details = known ? { file: error.file, where: error.where, hint: error.hint } : { file: "", where: "", hint: "the file may be too large for the memory of a page: use the command" };
    tell({ id, error: { text, ...details }, broken: !known });
  }
};
