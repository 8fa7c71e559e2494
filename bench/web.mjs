// Compares the npm package with the native command on one thread, and with the npm package onnxsim
// (ONNXSIM: a folder where `npm install onnxsim` was run).
//   make npm, then: node bench/web.mjs [MODEL...]     (default: yolov8n and moonshine_tiny_encoder; ONNXPRESS: the command)
// Prints CPU seconds, which depend least on other work on the machine: for the first call in a process, and the least of 20 calls,
// because engines compile code that runs often a second time. For the command, reading and writing files is included; for the package
// it is not.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const command = process.env.ONNXPRESS ?? join(root, "build/onnxpress");
const given = process.argv.slice(2);
const models = given.length ? given : ["yolov8n", "moonshine_tiny_encoder"].map((name) => join(root, "models", `${name}.onnx`));
const kRuns = 20;

// In a separate process, because code that was compiled for one task would also speed up the next one.
const kCalls = `import { readFileSync } from "node:fs";
const [, library, task, model, runs] = process.argv;
const onnxpress = await import(library), start = performance.now();
await onnxpress.load();
const times = [performance.now() - start], bytes = new Uint8Array(readFileSync(model));
for (let i = 0; i < Number(runs); ++i) {
  const model = { name: "model.onnx", bytes: bytes.slice() }, begin = process.cpuUsage();
  await onnxpress[task](model);
  const { user, system } = process.cpuUsage(begin);
  times.push((user + system) / 1e6);
}
console.log(JSON.stringify(times));`;

function calls(task, model, runs) {
  const library = pathToFileURL(join(root, "build/npm/index.js")).href;
  const words = ["--input-type=module", "-e", kCalls, library, task, resolve(model), String(runs)];
  const [start, ...times] = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }));
  return { start, first: times[0], least: Math.min(...times) };
}

// CPU seconds of a child process, by the shell's `times`.
function processSeconds(words, options = {}) {
  const { stderr, status } = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1', "-", ...words], { encoding: "utf8", ...options });
  if (status !== 0) throw new Error(`${words.join(" ")} failed`);
  const [user, system] = stderr.trim().split(" ").map(Number);
  return user + system;
}

function nativeSeconds(task, model) {
  const words = task === "info" || task === "profile" ? [task, model, "--json"] : [task, model, "-o", "/dev/shm/bench-web.onnx"];
  return Math.min(...Array.from({ length: kRuns }, () => processSeconds([command, "--threads", "1", ...words])));
}

// The same for the package onnxsim, which also is a single function.
function onnxsimSeconds(model) {
  const script = 'import { readFileSync } from "node:fs"; import { simplify } from "onnxsim"; await simplify(new Uint8Array(readFileSync(process.argv[1])));';
  return processSeconds([process.execPath, "--input-type=module", "-e", script, resolve(model)], { cwd: process.env.ONNXSIM });
}

const starts = Array.from({ length: 7 }, () => calls("info", models[0], 0).start);
console.log(`start of the module: ${Math.round(Math.min(...starts))} to ${Math.round(Math.max(...starts))} ms in ${starts.length} processes`);
let all = 0;
for (const name of ["onnxpress.wasm", "onnxpress.mjs", "index.js"]) {
  const content = readFileSync(join(root, "build/npm", name));
  all += content.length;
  console.log(`${name}: ${content.length} bytes, ${brotliCompressSync(content).length} after brotli`);
}
for (const model of models) {
  for (const task of ["info", "profile", "optimize", "shrink"]) {
    const ours = calls(task, model, kRuns), theirs = nativeSeconds(task, model);
    console.log(`${basename(model)} ${task}: ${ours.least.toFixed(3)} s (first call ${ours.first.toFixed(3)} s), native ${theirs.toFixed(3)} s, ratio ${(ours.least / theirs).toFixed(2)}`);
    if (task !== "optimize" || !process.env.ONNXSIM) continue;
    const peer = onnxsimSeconds(model);
    console.log(`${basename(model)} onnxsim: ${peer.toFixed(3)} s with its start, ${(peer / ours.first).toFixed(1)} times our first call, ${(peer / ours.least).toFixed(1)} times a later one`);
  }
}
if (process.env.ONNXSIM) {
  const size = execFileSync("du", ["-sb", join(process.env.ONNXSIM, "node_modules")], { encoding: "utf8" }).split("\t")[0];
  console.log(`onnxsim with its dependencies: ${size} bytes; ours: ${all}`);
}
