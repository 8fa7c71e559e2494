// What the page and its worker say to each other.
import type { Files, Progress } from "../../core/engine.js";

export interface Job {
  id: number;
  task: string;
  files: Files;
  inputs: string[];
  output?: string;
  tensor?: string;
  options?: object;
}

export type Told =
  | { id: number; progress: Progress }
  | { id: number; report: unknown; written: Record<string, Uint8Array<ArrayBuffer>> }
  | { id: number; error: { text: string; file: string; where: string; hint: string }; broken: boolean };
