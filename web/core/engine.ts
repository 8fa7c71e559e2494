// One instance of the WebAssembly module: files in, a task of the command, a report and files out.
import createModule, { type Module } from "onnxpress-module";

/** What a task is doing: a named stage, or an amount of the work in it. */
export interface Progress {
  stage?: string;
  done?: number;
  total?: number;
}

/** Bytes, or in a worker of a page a `File` or `Blob`, which is read in slices and only as far as needed. */
export type Content = Uint8Array | Blob;

/** Names are relative paths, as in a model's references to external data. */
export type Files = Record<string, Content>;

export interface Request {
  task: string;
  files: Files;
  /** Which of the files are models: one, or two for `diff`. */
  inputs: string[];
  /** The name of the result, for tasks that write one. */
  output?: string;
  tensor?: string;
  graph?: number;
  options?: object;
}

export interface Answer {
  report: unknown;
  /** The result, and the files next to it that it needs. */
  written: Record<string, Uint8Array<ArrayBuffer>>;
}

/** What is wrong, in which file, where in it, and what to do about it: as the command prints it. */
export class OnnxpressError extends Error {
  override name = "OnnxpressError";
  constructor(
    text: string,
    readonly file = "",
    readonly where = "",
    readonly hint = "",
  ) {
    super(text);
  }
}

// Inputs and results are in separate folders, so that a result never replaces its input.
const kInputs = "/in";
const kResults = "/out";

function refuse(name: string): never {
  throw new OnnxpressError(`a file cannot have the name ${JSON.stringify(name.slice(0, 100))}`, "", "", "use a relative path without '..'");
}

function checked(name: string): string {
  const parts = name.split("/");
  if (name.includes("\0") || parts.some((part) => part === "" || part === "." || part === "..") || name.length > 1000) refuse(name);
  return name;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

// Files in memory grow by an eighth, and are copied each time. A result is about as large as its input, so that much room is
// reserved at once; unused room costs nothing.
const kSmall = 1 << 20;
const kMostRoom = 1 << 30;

export class Engine {
  private room = 0;

  private constructor(private readonly module: Module) {
    const memory = module.FS.root.mount.type, grow = memory.expandFileStorage.bind(memory);
    memory.expandFileStorage = (file, bytes) => grow(file, bytes > kSmall ? Math.max(bytes, this.room) : bytes);
  }

  /** `wasm`: the bytes of onnxpress.wasm, in case the module cannot find it by itself. */
  static async start(onProgress?: (progress: Progress) => void, wasm?: ArrayBuffer): Promise<Engine> {
    const module = await createModule({ ...(wasm && { wasmBinary: wasm }), ...(onProgress && { onProgress }) });
    for (const folder of [kInputs, kResults]) module.FS.mkdir(folder);
    return new Engine(module);
  }

  /** Throws OnnxpressError when the library reports an error. Any other error means that this engine is broken: start a new one. */
  run(request: Request): Answer {
    const { FS } = this.module;
    const names = Object.keys(request.files).map(checked);
    const output = request.output === undefined ? "" : `../out/${checked(request.output)}`;
    try {
      this.mount(request.files, names);
      FS.chdir(kInputs);
      this.room = Math.min(kMostRoom, request.inputs.reduce((sum, name) => sum + sizeOf(request.files[name]), 0));
      const { files: _files, ...rest } = request;
      const report = this.call({ ...rest, inputs: request.inputs.map((name) => this.pathOf(name, request.files)), output });
      return { report: unprefixed(report), written: this.take(kResults, "") };
    } finally {
      FS.chdir("/");
      this.clear();
    }
  }

  // All Blobs are mounted in one folder, so that a model finds its external data next to it.
  private mount(files: Files, names: string[]): void {
    const { FS, WORKERFS } = this.module;
    const blobs = names.filter((name) => !(files[name] instanceof Uint8Array));
    if (blobs.length > 0) {
      FS.mount(WORKERFS, { blobs: blobs.map((name) => ({ name, data: files[name] })) }, kInputs);
      if (blobs.length < names.length) throw new OnnxpressError("files must be all bytes or all Blobs");
      return;
    }
    for (const name of names) {
      const path = `${kInputs}/${name}`;
      FS.mkdirTree(folderOf(path));
      FS.writeFile(path, files[name] as Uint8Array, { canOwn: true });
    }
  }

  private pathOf(name: string, files: Files): string {
    if (!Object.hasOwn(files, name)) throw new OnnxpressError(`there is no file ${JSON.stringify(name)}`);
    return name;
  }

  private call(request: object): unknown {
    const pointer = this.module.stringToNewUTF8(JSON.stringify(request));
    const text = this.module.UTF8ToString(this.module._onnxpress_call(pointer));
    this.module._free(pointer);
    const answer = JSON.parse(text) as { report?: unknown; error?: Record<string, string> };
    if (!answer.error) return answer.report;
    const { file, where, hint, text: what } = answer.error;
    throw new OnnxpressError(withoutFolder(what ?? ""), withoutFolder(file ?? ""), where, hint);
  }

  private take(folder: string, prefix: string): Record<string, Uint8Array<ArrayBuffer>> {
    const { FS } = this.module;
    const found: Record<string, Uint8Array<ArrayBuffer>> = {};
    for (const name of FS.readdir(folder)) {
      if (name === "." || name === "..") continue;
      const path = `${folder}/${name}`;
      if (FS.isDir(FS.stat(path).mode)) Object.assign(found, this.take(path, `${prefix}${name}/`));
      else found[prefix + name] = FS.readFile(path);
    }
    return found;
  }

  private clear(): void {
    const { FS } = this.module;
    try {
      FS.unmount(kInputs);
    } catch {
      this.empty(kInputs); // nothing was mounted
    }
    this.empty(kResults);
  }

  private empty(folder: string): void {
    const { FS } = this.module;
    for (const name of FS.readdir(folder)) {
      if (name === "." || name === "..") continue;
      const path = `${folder}/${name}`;
      if (FS.isDir(FS.stat(path).mode)) {
        this.empty(path);
        FS.rmdir(path);
      } else {
        FS.unlink(path);
      }
    }
  }
}

const sizeOf = (content: Content | undefined) => (content instanceof Uint8Array ? content.byteLength : (content?.size ?? 0));

const withoutFolder = (text: string) => text.replaceAll("../out/", "");

// Removes our folders from the paths in a report, so that callers see their own paths.
function unprefixed(report: unknown): unknown {
  if (typeof report !== "object" || report === null) return report;
  const made = report as { output?: unknown; files?: unknown };
  if (typeof made.output === "string") made.output = withoutFolder(made.output);
  if (Array.isArray(made.files)) {
    for (const file of made.files as { path?: unknown }[]) if (typeof file.path === "string") file.path = withoutFolder(file.path);
  }
  return report;
}
