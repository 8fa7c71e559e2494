// The part of the interface of the compiled WebAssembly module that we use.
declare module "onnxpress-module" {
  export interface FileSystem {
    mkdir(path: string): unknown;
    mkdirTree(path: string): unknown;
    chdir(path: string): void;
    rmdir(path: string): void;
    unlink(path: string): void;
    readdir(path: string): string[];
    stat(path: string): { mode: number; size: number };
    isDir(mode: number): boolean;
    writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void;
    readFile(path: string): Uint8Array<ArrayBuffer>;
    mount(type: unknown, options: object, path: string): unknown;
    unmount(path: string): void;
    root: { mount: { type: MemoryFiles } };
  }
  export interface MemoryFiles {
    expandFileStorage(file: object, bytes: number): void;
  }
  export interface Module {
    FS: FileSystem;
    WORKERFS: unknown;
    _onnxpress_call(request: number): number;
    _free(pointer: number): void;
    UTF8ToString(pointer: number): string;
    stringToNewUTF8(text: string): number;
  }
  export interface Given {
    wasmBinary?: ArrayBuffer;
    onProgress?: (progress: { stage?: string; done?: number; total?: number }) => void;
  }
  export default function createModule(given?: Given): Promise<Module>;
}
