// Runs jobs in the worker, one after the other. A job cannot be stopped inside WebAssembly, so cancelling ends the worker and
// starts another one.
import type { Progress } from "../../core/engine.js";
import type { Job, Told } from "./messages.js";

export class Failure extends Error {
  constructor(
    text: string,
    readonly hint = "",
  ) {
    super(text);
  }
}
export class Cancelled extends Error {}

export interface Result<R> {
  report: R;
  written: Record<string, Uint8Array<ArrayBuffer>>;
}

interface Waiting {
  job: Job;
  resolve: (result: Result<unknown>) => void;
  reject: (error: Error) => void;
  onProgress: (progress: Progress) => void;
}

export class Client {
  private worker: Worker | undefined;
  private readonly queue: Waiting[] = [];
  private running: Waiting | undefined;
  private last = 0;

  constructor() {
    this.start();
  }

  run<R>(job: Omit<Job, "id">, onProgress: (progress: Progress) => void = () => {}): Promise<Result<R>> {
    return new Promise((resolve, reject) => {
      this.queue.push({ job: { ...job, id: ++this.last }, resolve: resolve as Waiting["resolve"], reject, onProgress });
      this.next();
    });
  }

  /** Ends the running job and drops those that are waiting. */
  cancel(): void {
    const all = [...(this.running ? [this.running] : []), ...this.queue.splice(0)];
    const worked = this.running !== undefined;
    this.running = undefined;
    if (worked) this.start();
    for (const each of all) each.reject(new Cancelled("cancelled"));
  }

  private start(): void {
    this.worker?.terminate();
    this.worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
    this.worker.onmessage = ({ data }: MessageEvent<Told>) => this.hear(data);
    this.worker.onerror = (event) => this.fail(new Failure(`the worker could not be started: ${event.message}`, "reload the page"));
  }

  private hear(told: Told): void {
    const running = this.running;
    if (!running || told.id !== running.job.id) return;
    if ("progress" in told) return running.onProgress(told.progress);
    this.running = undefined;
    if ("error" in told) {
      if (told.broken) this.start();
      running.reject(new Failure(told.error.text, told.error.hint));
    } else {
      running.resolve(told);
    }
    this.next();
  }

  private fail(error: Failure): void {
    const running = this.running;
    this.running = undefined;
    this.start();
    running?.reject(error);
  }

  private next(): void {
    if (this.running || this.queue.length === 0) return;
    this.running = this.queue.shift()!;
    this.worker!.postMessage(this.running.job);
  }
}
