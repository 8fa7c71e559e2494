// The native command, for comparison, and where test models are.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const program = resolve(process.env.ONNXPRESS ?? join(root, "build/onnxpress"));

/** Runs it in `folder`. Exit code 1 is a valid answer, too. */
export function native(folder, ...words) {
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 30 });
  if (status === null) throw new Error(`cannot run ${program}`);
  return { status, stdout, stderr };
}

/** Real models of at most this many megabytes, the smallest first. */
export function models(megabytes) {
  const folder = join(root, "models");
  if (!existsSync(folder)) return [];
  const all = readdirSync(folder).filter((name) => name.endsWith(".onnx")).map((name) => ({ name, path: join(folder, name), size: statSync(join(folder, name)).size }));
  return all.filter(({ size }) => size <= megabytes * 1e6).sort((a, b) => a.size - b.size);
}

/** Removes times and memory, which depend on the machine; the rest of a report is the same everywhere. */
export function comparable(report) {
  const { seconds, peak_memory, peak_anonymous, ...rest } = report;
  return rest;
}
