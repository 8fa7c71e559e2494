// The messages between the page and its worker.
import type { Progress, Request } from "../../core/engine.js";

export interface Job extends Request {
  id: number;
}

export type Told =
  | { id: number; progress: Progress }
  | { id: number; report: unknown; written: Record<string, Uint8Array<ArrayBuffer>> }
  | { id: number; error: { text: string; file: string; where: string; hint: string }; broken: boolean };
