// The npm package against the native command with one thread, and against the npm package onnxsim
// (ONNXSIM: a folder where `npm install onnxsim` was run).
//   make npm, then: node bench/web.mjs [MODEL...]     (default: yolov8n and moonshine_tiny_encoder)
// Prints CPU seconds (the best of 7) and what each has to download; reading and writing files is not counted for us.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const command = process.env.ONNXPRESS ?? join(root, "build/onnxpress");
const given = process.argv.slice(2);
const models = given.length ? given : ["yolov8n", "moonshine_tiny_encoder"].map((name) => join(root, "models", `${name}.onnx`));
const kRuns = 7; // WebAssembly gets faster while it runs: the engine compiles it a second time
const results = new Map(); // CPU seconds of our optimize
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

const cpu = ({ user, system }) => (user + system) / 1e6;
async function best(work) {
  let least = Infinity;
  for (let i = 0; i < kRuns; ++i) {
    const begin = process.cpuUsage();
    await work();
    least = Math.min(least, cpu(process.cpuUsage(begin)));
  }
  return least;
}

// Of a child process: what the shell's `times` says.
function nativeSeconds(task, model) {
  let least = Infinity;
  for (let i = 0; i < kRuns; ++i) {
    const words = task === "info" || task === "profile" ? [task, model, "--json"] : [task, model, "-o", "/dev/shm/bench-web.onnx"];
    const { stderr } = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1', "-", command, "--threads", "1", ...words], { encoding: "utf8" });
    const [user, system] = stderr.trim().split(" ").map(Number);
    least = Math.min(least, user + system);
  }
  return least;
}

const onnxpress = await import(pathToFileURL(join(root, "build/npm/index.js")));
const begin = performance.now();
await onnxpress.load();
console.log(`start of the module: ${Math.round(performance.now() - begin)} ms`);
for (const name of ["onnxpress.wasm", "onnxpress.mjs", "index.js"]) {
  const content = readFileSync(join(root, "build/npm", name));
  console.log(`${name}: ${content.length} bytes, ${brotliCompressSync(content).length} after brotli`);
}
for (const model of models) {
  const bytes = new Uint8Array(readFileSync(model));
  for (const task of ["info", "profile", "optimize", "shrink"]) {
    const ours = await best(() => onnxpress[task]({ name: "model.onnx", bytes: bytes.slice() }));
    if (task === "optimize") results.set(model, ours);
    const theirs = nativeSeconds(task, model);
    console.log(`${basename(model)} ${task}: ${ours.toFixed(3)} s, native ${theirs.toFixed(3)} s, ratio ${(ours / theirs).toFixed(2)}`);
  }
}
// Its package is one function as well; timed in a process of its own, as what it runs in stays large.
function onnxsimSeconds(model) {
  const script = 'import { readFileSync } from "node:fs"; import { simplify } from "onnxsim"; await simplify(new Uint8Array(readFileSync(process.argv[1])));';
  const words = [process.execPath, "--input-type=module", "-e", script, model];
  const { stderr, status } = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', "-", ...words], { cwd: process.env.ONNXSIM, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.slice(0, 500));
  return sum(stderr.trim().split("\n").at(-1).split(" ").map(Number));
}

if (process.env.ONNXSIM) {
  for (const model of models) {
    const theirs = onnxsimSeconds(resolve(model)), ours = results.get(model);
    console.log(`${basename(model)} onnxsim: ${theirs.toFixed(3)} s, with its start; our optimize ${ours.toFixed(3)} s, ratio ${(theirs / ours).toFixed(1)}`);
  }
  const size = execFileSync("du", ["-sb", join(process.env.ONNXSIM, "node_modules")], { encoding: "utf8" }).split("\t")[0];
  console.log(`onnxsim with its dependencies: ${size} bytes; ours: ${statSync(join(root, "build/npm/onnxpress.wasm")).size} and a few KB`);
}
