// Things that must not harm the page, in a headless Chromium: files that are not models, names that are markup, large files, no network.
//   ONNXPRESS: the command that makes large models; see browser.mjs for more.
import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { context, drive, folder, give, page, panel, server, step, tab, url } from "./browser.mjs";
import { models, native } from "./native.mjs";

async function refuses(name, content, expected) {
  const path = join(folder, name);
  writeFileSync(path, content);
  await give(path);
  const error = panel("overview").locator(".error");
  await error.waitFor();
  assert.match(await error.innerText(), expected, name);
}

// Names that are markup, run a script or change the direction of text must be shown as plain text.
async function hostileNames() {
  const nasty = '<img src=x onerror=alert(1)>"&\u202e';
  const text = `<ir_version: 8, opset_import: ["": 17]>\n"${nasty.replaceAll('"', '\\"')}" (float[2] x) => (float[2] y) {\n  ["<script>alert(2)</script>"] y = Relu (x)\n}\n`;
  const path = join(folder, "<b>name<.onnxtxt");
  writeFileSync(path, text);
  await give(path);
  await panel("overview").locator(".facts, .error").first().waitFor();
  for (const name of ["bytes", "profile", "check", "shapes", "graph"]) await tab(name);
  await panel("graph").locator("input[type=search]").fill("script");
  assert.match(await panel("graph").locator(".detail").innerText(), /<script>alert\(2\)<\/script>/);
  assert.equal(await page.locator("img, main script, main b:has-text('name<')").count(), 0);
}

// Files cut at any place: the page reports it, or shows what is there, and stays responsive.
async function cutFiles(bytes) {
  for (const part of [0, 1, 7, 100, 0.01, 0.3, 0.5, 0.9, 0.999]) {
    const path = join(folder, "cut.onnx");
    writeFileSync(path, bytes.subarray(0, Math.floor(part < 1 ? bytes.length * part : part)));
    await give(path);
    await panel("overview").locator(".error, .facts").first().waitFor();
    await tab("check");
  }
}

async function cancel(model) {
  await give(model.path);
  await tab("shrink");
  await panel("shrink").locator("button", { hasText: "Cancel" }).first().click();
  await panel("shrink").getByText("Cancelled.").waitFor();
  await tab("check");
  assert.match(await panel("check").innerText(), /valid/);
}

async function largeNonsense() {
  const path = join(folder, "large.onnx"), file = openSync(path, "w");
  closeSync(file);
  truncateSync(path, 500_000_000);
  await give(path);
  await panel("overview").locator(".error").waitFor();
}

// The page must respond while its worker reads the file: a click must not wait for it.
async function largeModel() {
  native(folder, "generate", "weights", "-o", "half.onnx", "--bytes", "500MB", "--fill", "zeros");
  await give(join(folder, "half.onnx"));
  const begin = performance.now();
  await page.click("#theme");
  await page.click("#theme");
  assert.ok(performance.now() - begin < 5000, "the page is frozen");
  await panel("overview").locator(".facts").waitFor();
  assert.match(await panel("overview").innerText(), /50\d(\.\d+)?\sMB/);
  for (const name of ["bytes", "profile", "check", "shapes", "graph"]) {
    await tab(name);
    assert.equal(await panel(name).locator(".error").count(), 0, name);
  }
  await tab("shrink");
  await panel("shrink").locator(".facts, .error").first().waitFor();
  assert.match(await panel("shrink").innerText(), /−|-\d/); // nearly everything can be saved, because the weights are zeros
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

// Even a script that got into the page could not send anything: the policy stops it before the network does.
async function policy() {
  const blocked = await page.evaluate(async () => {
    const stopped = [];
    document.addEventListener("securitypolicyviolation", (event) => stopped.push(event.effectiveDirective));
    await fetch("https://example.com/").catch(() => {});
    const image = document.createElement("img"), frame = document.createElement("iframe"), script = document.createElement("script");
    image.src = "https://example.com/x.png";
    frame.src = "https://example.com/";
    script.textContent = "document.title = 'injected'";
    document.body.append(image, frame, script);
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const each of [image, frame, script]) each.remove();
    return stopped;
  });
  assert.deepEqual([...new Set(blocked)].sort(), ["connect-src", "frame-src", "img-src", "script-src-elem"]);
  assert.notEqual(await page.title(), "injected");
}

await drive(async () => {
  const all = models(25), small = all.find(({ size }) => size > 100_000), model = all.at(-1);
  assert.ok(small, "this test needs a model: scripts/fetch_models");
  await page.goto(url);
  const bytes = readFileSync(small.path);
  await step("wrong types", async () => {
    await refuses("half.onnx", bytes.subarray(0, bytes.length / 2), /claims \d+ bytes/);
    await refuses("zip.onnx", Buffer.from("PK\x03\x04 and more"), /not an ONNX model/);
    await refuses("picture.png", Buffer.from("\x89PNG\r\n\x1a\n"), /not an ONNX model/);
    await refuses("empty.onnx", Buffer.alloc(0), /empty/);
    await refuses("words.txt", Buffer.from("these are words"), /./);
  });
  await step("cut files", () => cutFiles(bytes));
  await step("hostile names", hostileNames);
  await step("cancel", () => cancel(model));
  await step("500 MB that are no model", largeNonsense);
  await step("a model of 500 MB", largeModel);
  await step("6 GB of external data", largeExternalData);
  await step("offline", () => worksOffline(small));
}, () => step("policy", policy));
