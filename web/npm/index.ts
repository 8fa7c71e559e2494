// The npm package: the tasks of the command as functions, for Node and browsers. Models and results are bytes.
import { Engine, OnnxpressError, type Answer, type Content, type Files, type Progress } from "../core/engine.js";

export { OnnxpressError, type Content, type Files, type Progress };

/** A model with a name for messages, and the files that contain its weights. */
export interface NamedModel {
  /** Default: `model.onnx`. The endings `.onnxtxt` and `.json` mean ONNX text and JSON. */
  name?: string;
  bytes: Uint8Array | ArrayBuffer;
  /** External data, by its location in the model. */
  external?: Record<string, Uint8Array>;
}
export type ModelSource = Uint8Array | ArrayBuffer | NamedModel;

/** Names are those of the command's flags with `_` for `-`; the docs of the command list them. */
export interface TaskOptions {
  [option: string]: unknown;
  /** Called while the task runs. */
  onProgress?: (progress: Progress) => void;
}

export interface ShrinkOptions extends TaskOptions {
  target?: string;
  only?: string[];
  skip?: string[];
  dry_run?: boolean;
}
export interface QuantizeOptions extends TaskOptions {
  /** Weights in fewer bits: `int8`, `int4`, `fp16`, `auto`, ... */
  to?: string;
  /** What layers compute with: `float` (default), `dynamic` or `static`. */
  activations?: string;
  /** The SNR in dB that every output must keep. */
  quality?: number;
  target?: string;
  dry_run?: boolean;
}
export interface OptimizeOptions extends TaskOptions {
  exact?: boolean;
  shrink?: boolean;
  only?: string[];
  also?: string[];
  skip?: string[];
  dry_run?: boolean;
}

/** Reports have all fields of the command's `--json`; the types list only the most useful ones. */
export interface Report {
  file: string;
  [field: string]: unknown;
}
export interface InfoReport extends Report {
  file_bytes: number;
  nodes: { total: number; by_op: { op: string; domain: string; nodes: number }[] };
  weights: { tensors: number; parameters: number; bytes: number };
}
export interface CheckReport extends Report {
  ok: boolean;
  errors: number;
  warnings: number;
  findings: { severity: "error" | "warning" | "note"; code: string; where: string; message: string }[];
}
export interface ProfileReport extends Report {
  /** Null if it is not known. */
  macs: { value: number | null; formula: string; at_least: boolean };
  parameters: number;
}
export interface InferReport extends Report {
  values: number;
  complete: number;
  all: { name: string; type: string; complete: boolean }[];
}
export interface ShrinkReport extends Report {
  before: { file: number; external: number };
  after: { file: number; external: number };
}
export interface QuantizeReport extends ShrinkReport {
  /** Why there is no result: the quality that could not be reached. Empty if there is one. */
  refused: string;
  /** Tensors in fewer bits. */
  rounded: number;
  /** Bits per weight, over all weights. */
  bits: number;
  /** SNR of the worst output for the worst input, in dB; null: not measured, or no change. */
  reached: number | null;
}
export interface OptimizeReport extends Report {
  nodes_before: number;
  nodes_after: number;
}
export interface DiffReport {
  equal: boolean;
  total: number;
  [field: string]: unknown;
}

export interface Written<R> {
  report: R;
  /** The new model. Empty when nothing was written (`dry_run`, or a quality that could not be reached). */
  bytes: Uint8Array<ArrayBuffer>;
  /** Everything that was written, by name: the model, and its external data if it has any. */
  files: Record<string, Uint8Array<ArrayBuffer>>;
}

const kDefaultName = "model.onnx";

interface Loaded {
  name: string;
  files: Files;
}

function filesOf(source: ModelSource, fallback = kDefaultName): Loaded {
  const plain = source instanceof Uint8Array || source instanceof ArrayBuffer;
  const named: NamedModel = plain ? { bytes: source } : source;
  const bytes = named.bytes instanceof ArrayBuffer ? new Uint8Array(named.bytes) : named.bytes;
  if (!(bytes instanceof Uint8Array)) throw new TypeError("a model must be a Uint8Array, an ArrayBuffer, or an object with `bytes`");
  const name = named.name ?? fallback;
  return { name, files: { ...named.external, [name]: bytes } };
}

let engine: Promise<Engine> | undefined;
let listener: ((progress: Progress) => void) | undefined;

/** Loads the WebAssembly module, which the first task would do otherwise. `wasm`: its bytes, in case it cannot be found. */
export async function load(wasm?: ArrayBuffer): Promise<void> {
  engine ??= Engine.start((progress) => listener?.(progress), wasm);
  await engine;
}

/** Frees the module's memory, which grows with the largest model and never shrinks by itself. */
export function unload(): void {
  engine = undefined;
}

interface Call {
  task: string;
  files: Files;
  inputs: string[];
  output?: string;
  options: TaskOptions;
}

// The work itself is synchronous, so calls never overlap inside the module.
async function run({ options, ...call }: Call): Promise<Answer> {
  const { onProgress, ...settings } = options;
  await load();
  const running = await engine!;
  listener = onProgress;
  try {
    return running.run({ ...call, options: settings });
  } catch (error) {
    if (!(error instanceof OnnxpressError)) unload(); // a trap: its memory can no longer be trusted
    throw error;
  } finally {
    listener = undefined;
  }
}

async function ask<R>(task: string, model: ModelSource, options: TaskOptions): Promise<R> {
  const { name, files } = filesOf(model);
  return (await run({ task, files, inputs: [name], options })).report as R;
}

async function write<R>(task: string, ending: string, model: ModelSource, options: TaskOptions): Promise<Written<R>> {
  const { name, files } = filesOf(model);
  const output = name.replace(/\.[^./]*$/, "").replace(/^.*\//, "") + ending;
  const { report, written } = await run({ task, files, inputs: [name], output, options });
  return { report: report as R, bytes: written[output] ?? new Uint8Array(), files: written };
}

/** Reports what is in a model. */
export const info = (model: ModelSource, options: TaskOptions = {}) => ask<InfoReport>("info", model, options);
/** Checks whether a model is valid, and where it is not. */
export const check = (model: ModelSource, options: TaskOptions = {}) => ask<CheckReport>("check", model, options);
/** Counts multiply-adds, parameters and memory, by op and by node. */
export const profile = (model: ModelSource, options: TaskOptions = {}) => ask<ProfileReport>("profile", model, options);
/** Infers types and symbolic shapes of every value (`all: true` lists them). */
export const infer = (model: ModelSource, options: TaskOptions = {}) => ask<InferReport>("infer", model, options);
/** Makes the smallest file that computes the same, bit for bit. */
export const shrink = (model: ModelSource, options: ShrinkOptions = {}) => write<ShrinkReport>("shrink", ".shrunk.onnx", model, options);
/** Stores weights in fewer bits, by a promise of quality or size. */
export const quantize = (model: ModelSource, options: QuantizeOptions = {}) =>
  write<QuantizeReport>("quantize", ".quantized.onnx", model, options);
/** Makes the same model with fewer nodes. */
export const optimize = (model: ModelSource, options: OptimizeOptions = {}) =>
  write<OptimizeReport>("optimize", ".optimized.onnx", model, options);

/** Lists what differs between two models. */
export async function diff(before: ModelSource, after: ModelSource, options: TaskOptions = {}): Promise<DiffReport> {
  const first = filesOf(before, "before.onnx");
  const second = filesOf(after, "after.onnx");
  if (first.name === second.name) throw new TypeError("the two models need different names");
  const files = { ...second.files, ...first.files };
  return (await run({ task: "diff", files, inputs: [first.name, second.name], options })).report as DiffReport;
}

/** The version of the library. */
export async function version(): Promise<string> {
  return (await run({ task: "version", files: {}, inputs: [], options: {} })).report as string;
}
