// Drives the page in a headless Chromium: real models, hostile files, the network watched, pictures of every tab.
//   ONNXPRESS: the command to compare with; CHROMIUM: the browser; PICTURES: a folder for screenshots.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, closeSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "../scripts/serve.mjs";
import { models, native } from "./native.mjs";

const folder = mkdtempSync(join(tmpdir(), "onnxpress-page-"));
const pictures = process.env.PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });
const { server, url } = await serve(0);
const context = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, viewport: { width: 1180, height: 900 }, acceptDownloads: true, colorScheme: "light",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = await context.newPage();
page.setDefaultTimeout(120_000);
const requests = [], problems = [];
context.on("request", (request) => requests.push(request.url()));
page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });

const panel = (name) => page.locator(`#panel-${name}`);
const tab = async (name) => {
  await page.click(`#tab-${name}`);
  await panel(name).locator(".facts, .map, .error, .settings, .stage").first().waitFor();
};
const picture = (name) => (pictures ? page.screenshot({ path: join(pictures, `${name}.png`) }) : undefined);
const give = (...paths) => page.setInputFiles("op-drop input", paths);
const step = async (name, work) => {
  const begin = performance.now();
  await work();
  console.log(`page: ${name} (${Math.round(performance.now() - begin)} ms)`);
};

// As a user does it: the file is dropped, not chosen. Gives what drops it, as getting its bytes into the page takes longer.
async function readyToDrop(path, name) {
  const data = await page.evaluateHandle(({ text, name: file }) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
    transfer.items.add(new File([bytes], file));
    return transfer;
  }, { text: readFileSync(path).toString("base64"), name });
  return () => page.dispatchEvent("op-drop", "drop", { dataTransfer: data });
}

async function saved(name, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const path = join(folder, `downloaded-${name}`);
  await download.saveAs(path);
  return readFileSync(path);
}

async function lookAtEveryTab(model) {
  const drop = await readyToDrop(model.path, model.name);
  await step(`overview of ${model.name}`, async () => {
    await drop();
    await panel("overview").locator(".facts").waitFor();
  });
  const info = JSON.parse(native(folder, "info", model.path, "--json").stdout);
  assert.match(await panel("overview").innerText(), new RegExp(info.nodes.total.toLocaleString("en-US")));
  await picture("overview");
  for (const name of ["bytes", "profile", "check", "shapes", "graph"]) {
    await step(name, () => tab(name));
    assert.equal(await panel(name).locator(".error").count(), 0, name);
    if (name === "graph") await searchGraph();
    await picture(name);
  }
  assert.ok((await panel("bytes").locator(".tile").count()) > 10);
  assert.match(await panel("check").innerText(), /valid/);
}

async function searchGraph() {
  await panel("graph").locator("input[type=search]").fill("conv");
  await panel("graph").locator("h3", { hasText: "Inputs" }).waitFor();
  const button = panel("graph").locator("button", { hasText: /weights|constant/ });
  if ((await button.count()) > 0) {
    await button.first().click();
    await panel("graph").locator(".histogram").first().waitFor();
  }
  await panel("graph").locator("canvas").press("ArrowDown");
  await panel("graph").locator("input[type=search]").fill("concat");
  await page.evaluate(() => scrollTo(0, 0));
}

async function shrinkAndOptimize(model) {
  native(folder, "shrink", model.path, "-o", "shrunk.onnx");
  native(folder, "optimize", model.path, "-o", "optimized.onnx");
  await step("shrink", async () => {
    await tab("shrink");
    await panel("shrink").locator(".facts").waitFor();
    await panel("shrink").locator("button", { hasText: "Shrink" }).click();
    const made = await saved("shrunk.onnx", () => panel("shrink").locator("a[download]").click());
    assert.ok(made.equals(readFileSync(join(folder, "shrunk.onnx"))), "shrink in the page gives other bytes than the command");
    await panel("shrink").locator(".map").nth(1).waitFor();
    assert.equal(await panel("shrink").locator(".error").count(), 0);
  });
  await picture("shrink");
  await step("optimize", async () => {
    await tab("optimize");
    await panel("optimize").locator("button", { hasText: "Optimize" }).click();
    const made = await saved("optimized.onnx", () => panel("optimize").locator("a[download]").click());
    assert.ok(made.equals(readFileSync(join(folder, "optimized.onnx"))), "optimize in the page gives other bytes than the command");
  });
  await picture("optimize");
  await step("diff", async () => {
    await tab("diff");
    await panel("diff").locator("input[type=file]").setInputFiles(join(folder, "optimized.onnx"));
    await panel("diff").locator(".facts").waitFor();
  });
  await picture("diff");
}

async function refuses(name, content, expected) {
  const path = join(folder, name);
  writeFileSync(path, content);
  await give(path);
  const error = panel("overview").locator(".error");
  await error.waitFor();
  assert.match(await error.innerText(), expected, name);
}

// Names that would be markup, run a script or turn the text around: they must be text, and nothing else.
async function hostileNames() {
  const nasty = '<img src=x onerror=alert(1)>"&\u202e';
  const text = `<ir_version: 8, opset_import: ["": 17]>\n"${nasty.replaceAll('"', '\\"')}" (float[2] x) => (float[2] y) {\n  ["<script>alert(2)</script>"] y = Relu (x)\n}\n`;
  const path = join(folder, "<b>name<.onnxtxt");
  writeFileSync(path, text);
  await give(path);
  await panel("overview").locator(".facts, .error").first().waitFor();
  for (const name of ["bytes", "profile", "check", "shapes", "graph"]) await tab(name);
  assert.equal(await page.locator("img, main script, main b:has-text('name<')").count(), 0);
}

async function cancelAndLargeFile(model) {
  await step("cancel", async () => {
    await give(model.path);
    await tab("shrink");
    await panel("shrink").locator("button", { hasText: "Cancel" }).first().click();
    await panel("shrink").getByText("Cancelled.").waitFor();
    await tab("check");
    assert.match(await panel("check").innerText(), /valid/);
  });
  await step("a file of 500 MB that is no model", async () => {
    const path = join(folder, "large.onnx"), file = openSync(path, "w");
    closeSync(file);
    truncateSync(path, 500_000_000);
    await give(path);
    await panel("overview").locator(".error").waitFor();
    await page.click("#theme");
    await page.click("#theme"); // it still answers
  });
}

// More than WebAssembly could ever hold: only the graph is read.
async function largeExternalData() {
  native(folder, "generate", "weights", "-o", "big.onnx", "--bytes", "6GB", "--fill", "zeros", "--external-data", "big.data");
  await give(join(folder, "big.onnx"), join(folder, "big.data"));
  await panel("overview").locator(".facts").waitFor();
  assert.match(await panel("overview").innerText(), /6\.0\d\sGB/);
  for (const name of ["profile", "check", "shapes"]) await tab(name);
  assert.match(await panel("check").innerText(), /does not fit/);
  await page.click("#tab-shrink");
  await panel("shrink").getByText("onnxpress shrink big.onnx").waitFor();
}

async function worksOffline(model) {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => new Promise((resolve) => setTimeout(resolve, 500))));
  await context.setOffline(true);
  server.closeAllConnections();
  await page.reload();
  await give(model.path);
  await panel("overview").locator(".facts").waitFor();
  await context.setOffline(false);
}

try {
  const all = models(25);
  const model = all.find(({ name }) => name === "yolov8n.onnx") ?? all.at(-1);
  assert.ok(model, "this test needs a model: scripts/fetch_models");
  const small = all.find(({ size }) => size > 100_000);
  copyFileSync(small.path, join(folder, small.name));
  await page.goto(url);
  await picture("start");
  await lookAtEveryTab(model);
  await shrinkAndOptimize(small === model ? model : (await give(small.path), small));
  await page.click("#theme");
  await page.click("#tab-overview");
  await picture("dark");
  await page.click("#theme");
  const bytes = readFileSync(small.path);
  await step("hostile files", async () => {
    await refuses("cut.onnx", bytes.subarray(0, bytes.length / 2), /cut|end|truncated|length/i);
    await refuses("zip.onnx", Buffer.from("PK\x03\x04 and more"), /not an ONNX model/);
    await refuses("picture.png", Buffer.from("\x89PNG\r\n\x1a\n"), /./);
    await hostileNames();
  });
  await cancelAndLargeFile(model);
  await step("6 GB of external data", largeExternalData);
  await step("offline", () => worksOffline(small));
  const foreign = requests.filter((request) => !request.startsWith(url) && !request.startsWith("blob:"));
  assert.deepEqual(foreign, [], "the page must not talk to anybody");
  assert.deepEqual(problems, []);
  console.log(`page: ${requests.length} requests, all for its own files`);
} finally {
  await context.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
