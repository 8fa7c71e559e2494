// Installs the npm package into an empty folder, and compares it with the native command: the same JSON, the same bytes.
//   ONNXPRESS: the command; MEGABYTES: the largest model to take (default 500).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { comparable, models, native, root } from "./native.mjs";

const folder = mkdtempSync(join(tmpdir(), "onnxpress-npm-"));
const tarball = readdirSync(join(root, "build")).filter((name) => /^onnxpress-.*\.tgz$/.test(name)).at(-1);
assert.ok(tarball, "there is no package: make npm");
writeFileSync(join(folder, "package.json"), "{}");
execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--offline", join(root, "build", tarball)], { cwd: folder, stdio: "inherit" });
assert.deepEqual(readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")), ["onnxpress"], "it has no dependencies");
const onnxpress = await import(pathToFileURL(join(folder, "node_modules/onnxpress/index.js")));

let compared = 0;
const kRounded = 60e6; // bytes of a model; rounding larger ones takes a minute

function sameReport(name, ours, words) {
  const { stdout, stderr } = native(folder, ...words, "--json");
  assert.ok(stdout, `${words.join(" ")}: ${stderr}`);
  assert.deepEqual(comparable(ours), comparable(JSON.parse(stdout)), `${name}: ${words[0]}`);
  compared += 1;
}

async function compareWritten(task, { name, bytes }, options, flags) {
  const output = name.replace(".onnx", `.${{ shrink: "shrunk", quantize: "quantized", optimize: "optimized" }[task]}.onnx`);
  const { report, bytes: made, files } = await onnxpress[task]({ name, bytes: bytes.slice() }, options);
  sameReport(name, report, [task, name, "-o", output, ...flags]);
  assert.deepEqual(Object.keys(files), [output]);
  assert.ok(readFileSync(join(folder, output)).equals(made), `${name}: ${task} ${flags.join(" ")} gives other bytes than the command`);
}

// There may be nothing to round: then both must report that.
async function compareRounded({ name, bytes }, to) {
  const { stdout, stderr } = native(folder, "quantize", name, "-o", "rounded.onnx", "--to", to, "--json");
  if (stdout) return compareWritten("quantize", { name, bytes }, { to }, ["--to", to]);
  await assert.rejects(onnxpress.quantize({ name, bytes: bytes.slice() }, { to }), (error) => stderr.startsWith(`error: ${error.message}\n`));
}

async function compareModel({ name, path, size = 0 }) {
  copyFileSync(path, join(folder, name));
  const bytes = new Uint8Array(readFileSync(path));
  const model = () => ({ name, bytes: bytes.slice() });
  sameReport(name, await onnxpress.info(model(), { tensors: true }), ["info", name, "--tensors"]);
  sameReport(name, await onnxpress.check(model()), ["check", name]);
  sameReport(name, await onnxpress.profile(model()), ["profile", name]);
  sameReport(name, await onnxpress.infer(model(), { all: true }), ["infer", name, "--all"]);
  await compareWritten("optimize", { name, bytes }, {}, []);
  for (const to of size <= kRounded ? ["int8", "int4", "fp16"] : []) await compareRounded({ name, bytes }, to);
  await compareWritten("shrink", { name, bytes }, {}, []);
  const shrunk = name.replace(".onnx", ".shrunk.onnx");
  const after = { name: shrunk, bytes: new Uint8Array(readFileSync(join(folder, shrunk))) };
  sameReport(name, await onnxpress.diff(model(), after), ["diff", name, shrunk]);
  console.log(`same as the command: ${name}`);
}

// Errors have the text of the command, whatever the bytes are.
async function compareErrors(bytes) {
  const cases = { empty: new Uint8Array(), text: new TextEncoder().encode("this is no model"), cut: bytes.slice(0, bytes.length / 2), zip: new TextEncoder().encode("PK\x03\x04 and more"), zeros: new Uint8Array(100) };
  for (const [kind, content] of Object.entries(cases)) {
    const name = `${kind}.onnx`;
    writeFileSync(join(folder, name), content);
    const { stderr } = native(folder, "info", name);
    const error = await onnxpress.info({ name, bytes: content.slice() }).then(() => undefined, (thrown) => thrown);
    assert.ok(error instanceof onnxpress.OnnxpressError, `${kind}: ${error}`);
    assert.equal(`error: ${error.message}\n${error.hint ? `hint: ${error.hint}\n` : ""}`, stderr, kind);
  }
  await assert.rejects(onnxpress.quantize(bytes.slice(), { ot: "int8" }), /there is no option 'ot'/);
  await assert.rejects(onnxpress.info({ name: "../../etc/x.onnx", bytes: bytes.slice() }), /cannot have the name/);
  await assert.rejects(onnxpress.info("a path"), TypeError);
}

async function compareExternal(name) {
  native(folder, "convert", name, "split.onnx", "--external-data");
  const read = (file) => new Uint8Array(readFileSync(join(folder, file)));
  const split = () => ({ name: "split.onnx", bytes: read("split.onnx"), external: { "split.onnx.data": read("split.onnx.data") } });
  sameReport("split.onnx", await onnxpress.info(split()), ["info", "split.onnx"]);
  const { report, files } = await onnxpress.shrink(split());
  sameReport("split.onnx", report, ["shrink", "split.onnx", "-o", "split.shrunk.onnx"]);
  assert.equal(Object.keys(files).length, 2);
  for (const [file, content] of Object.entries(files)) assert.ok(readFileSync(join(folder, file)).equals(content), `${file} has other bytes`);
  await assert.rejects(onnxpress.shrink({ name: "split.onnx", bytes: read("split.onnx") }), /split\.onnx\.data/);
}

const chosen = models(Number(process.env.MEGABYTES ?? 500));
if (chosen.length === 0) console.log("!!! SKIPPED: there are no models (scripts/fetch_models)");
try {
  assert.match(await onnxpress.version(), /^\d+\.\d+\.\d+/);
  native(folder, "generate", "transformer", "-o", "small.onnx", "--layers", "1", "--hidden", "64", "--heads", "2");
  await compareModel({ name: "tiny.onnx", path: join(folder, "small.onnx") });
  await compareErrors(new Uint8Array(readFileSync(join(folder, "small.onnx"))));
  await compareExternal("small.onnx");
  for (const model of chosen) await compareModel(model);
  console.log(`package: ${compared} reports are those of the command`);
} finally {
  rmSync(folder, { recursive: true });
}
