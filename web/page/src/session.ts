// One model that was dropped, with its reports so far. Each report is requested only once.
import type { Files, Progress } from "../../core/engine.js";
import type { Client, Result } from "./client.js";

export interface Dropped {
  name: string;
  files: Files;
  size: number;
}

// WebAssembly has 4 GB for everything: the model, the result, and the result read back.
const kMostBytes = 1_500_000_000;

export class Session {
  private readonly reports = new Map<string, Promise<unknown>>();

  constructor(
    readonly client: Client,
    readonly model: Dropped,
  ) {}

  report<R>(task: string, options: object = {}, onProgress?: (progress: Progress) => void): Promise<R> {
    const key = `${task} ${JSON.stringify(options)}`;
    const known = this.reports.get(key);
    if (known) return known as Promise<R>;
    const made = this.client.run<R>({ task, files: this.model.files, inputs: [this.model.name], options }, onProgress).then((result) => result.report);
    made.catch(() => this.reports.delete(key)); // a cancelled report can be requested again
    this.reports.set(key, made);
    return made;
  }

  write<R>(task: string, output: string, options: object, onProgress?: (progress: Progress) => void): Promise<Result<R>> {
    return this.client.run<R>({ task, files: this.model.files, inputs: [this.model.name], output, options }, onProgress);
  }

  weight<R>(graph: number, tensor: string): Promise<R> {
    return this.client.run<R>({ task: "weights", files: this.model.files, inputs: [this.model.name], graph, tensor }).then((result) => result.report);
  }

  /** Only the graph can be shown, because the weights do not fit into the memory of a page. */
  get isTooLarge(): boolean {
    return this.model.size > kMostBytes;
  }

  /** A name for a result: model.onnx -> model.shrunk.onnx. */
  resultName(ending: string): string {
    return this.model.name.replace(/\.[^.]*$/, "") + ending;
  }
}

const kModelEndings = [".onnx", ".onnxtxt", ".json", ".txt"];
const isModel = (name: string) => kModelEndings.some((ending) => name.toLowerCase().endsWith(ending));

/** Which of several files is the model; the others are its external data. Undefined if that is none or more than one. */
export function modelAmong(files: File[]): Dropped | undefined {
  const models = files.length === 1 ? files : files.filter((file) => isModel(file.name));
  if (models.length !== 1) return undefined;
  const all: Files = {};
  for (const file of files) all[file.name] = file;
  return { name: models[0]!.name, files: all, size: files.reduce((sum, file) => sum + file.size, 0) };
}
