// Drives the page in a headless Chromium as its users do: every tab of a real model, downloads with the same bytes as the command's,
// bodies of nodes, keyboard only, a narrow window.
//   ONNXPRESS: the command to compare with; see browser.mjs for more.
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, drive, folder, give, page, panel, picture, readyToDrop, saved, step, tab, url } from "./browser.mjs";
import { models, native } from "./native.mjs";

async function lookAtEveryTab(model) {
  const drop = await readyToDrop(model.path, model.name);
  await step(`overview of ${model.name}`, async () => {
    await drop();
    await panel("overview").locator(".facts").waitFor();
  });
  const info = JSON.parse(native(folder, "info", model.path, "--json").stdout);
  assert.match(await panel("overview").innerText(), new RegExp(info.nodes.total.toLocaleString("en-US")));
  await accessible("overview");
  await picture("overview");
  for (const name of ["bytes", "profile", "check", "shapes", "graph"]) {
    await step(name, () => tab(name));
    assert.equal(await panel(name).locator(".error").count(), 0, name);
    if (name === "graph") await searchGraph();
    if (name === "profile") assert.notEqual(await panel(name).locator(".area").evaluate((area) => getComputedStyle(area).fill), "rgb(0, 0, 0)", "an area without style");
    await accessible(name);
    await picture(name, name === "profile" ? 2000 : undefined);
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
  native(folder, "quantize", model.path, "-o", "rounded.onnx", "--to", "int8");
  native(folder, "optimize", model.path, "-o", "optimized.onnx");
  const shrunk = async (file) => {
    await panel("shrink").locator(".facts").waitFor(); // the estimate
    await panel("shrink").locator("button", { hasText: "Shrink" }).click();
    const made = await saved(file, () => panel("shrink").locator("a[download]").click());
    assert.ok(made.equals(readFileSync(join(folder, file))), `${file}: shrink in the page gives other bytes than the command`);
    await panel("shrink").locator(".map").nth(1).waitFor();
    assert.equal(await panel("shrink").locator(".error").count(), 0);
  };
  await step("shrink", async () => {
    await tab("shrink");
    await shrunk("shrunk.onnx");
  });
  await step("quantize to 8 bits", async () => {
    await panel("shrink").locator("select").first().selectOption("int8");
    await panel("shrink").getByText("numbers are rounded").waitFor();
    await shrunk("rounded.onnx");
    await panel("shrink").getByText("signal to noise").waitFor();
  });
  await accessible("shrink");
  await picture("shrink", 2400);
  await step("optimize", async () => {
    await tab("optimize");
    await panel("optimize").locator("button", { hasText: "Optimize" }).click();
    const made = await saved("optimized.onnx", () => panel("optimize").locator("a[download]").click());
    assert.ok(made.equals(readFileSync(join(folder, "optimized.onnx"))), "optimize in the page gives other bytes than the command");
  });
  await accessible("optimize");
  await picture("optimize");
  await step("diff", async () => {
    await tab("diff");
    await panel("diff").locator("input[type=file]").setInputFiles(join(folder, "optimized.onnx"));
    await panel("diff").locator(".facts").waitFor();
  });
  await accessible("diff");
  await picture("diff");
}

const kNested = `<ir_version: 8, opset_import: ["": 17, "own": 1, "other": 1]>
nested (float[2] x, bool b) => (float[2] y, float[2] z, o) <float[2] w = {1, 2}> {
  ["choice"] y = If (b) <
    then_branch = yes () => (float[2] p) { v = Add (x, w)  ["inner"] p = If (b) <then_branch = a () => (float[2] q) { q = Sub (v, w) }, else_branch = c () => (float[2] r) { r = Neg (v) }> },
    else_branch = no () => (float[2] s) { s = Relu (x) }>
  ["call"] z = own.Twice (x)
  o = other.Unheard (x)
}
<domain: "own", opset_import: ["": 17]>
Twice (k) => (m) { m = Add (k, k) }
`;

// Using only the keyboard, from the main graph into a body, into a nested body, and back; then into a function.
async function openBodies() {
  const path = join(folder, "nested.onnxtxt");
  writeFileSync(path, kNested);
  await give(path);
  for (const name of ["overview", "profile", "check", "shapes"]) { // with numbers that are not known
    await tab(name);
    assert.equal(await panel(name).locator(".error").count(), 0, name);
  }
  await tab("graph");
  const graph = panel("graph"), search = graph.locator("input[type=search]"), canvas = graph.locator("canvas");
  const enter = async (name) => {
    await search.fill(name);
    await canvas.press("Enter");
  };
  assert.equal(await graph.locator(".trail").isVisible(), false);
  await enter("choice");
  assert.match(await graph.locator(".trail").innerText(), /main graph\s*choice, then_branch/);
  await enter("inner");
  assert.match(await graph.locator(".trail").innerText(), /main graph\s*choice, then_branch\s*inner, then_branch/);
  await search.fill("sub");
  const described = await graph.locator(".detail").innerText();
  assert.match(described, /v float\[2\]/); // a type from a graph further out
  await graph.locator("button", { hasText: "weights, 8 B" }).click(); // a weight from there, too
  await graph.locator(".histogram").waitFor();
  await accessible("a body");
  await graph.locator(".trail button", { hasText: "main graph" }).press("Enter");
  assert.equal(await graph.locator(".trail").isVisible(), false);
  assert.match(await graph.locator(".detail").innerText(), /Read by its bodies\s*b bool\s*w float\[2\]/); // still chosen
  await graph.locator("button", { hasText: "Open else_branch, 1 node" }).click();
  await search.fill("relu");
  await graph.locator("h3", { hasText: "Inputs" }).waitFor();
  await graph.locator(".trail button").first().click();
  await enter("call");
  assert.match(await graph.locator(".trail").innerText(), /function own::Twice/);
}

// Hundreds of nodes in each of two bodies.
async function openLargeBody(model) {
  await give(model.path);
  await tab("graph");
  const graph = panel("graph");
  await graph.locator("input[type=search]").fill("if");
  await graph.locator("button", { hasText: "Open then_branch" }).click();
  assert.match(await graph.locator(".trail").innerText(), /then_branch/);
  await graph.locator("input[type=search]").fill("softmax");
  await graph.locator("h3", { hasText: "Inputs" }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
  await picture("body");
}

async function useKeys() {
  await page.focus("#tab-overview");
  await page.keyboard.press("End");
  assert.equal(await page.getAttribute("#tab-diff", "aria-selected"), "true");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-bytes");
  await panel("bytes").locator(".map").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  assert.match(await panel("bytes").locator(".detail").innerText(), /%/);
}

// Nothing may be wider than the screen of a phone, except tables, which scroll by themselves.
async function narrow(model) {
  await page.setViewportSize({ width: 360, height: 740 });
  await give(model.path);
  for (const name of ["overview", "bytes", "profile", "check", "shapes", "graph", "shrink", "optimize", "diff"]) {
    await tab(name);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    await picture(`narrow-${name}`);
    assert.ok(width <= 360, `${name} is ${width} pixels wide`);
  }
  await page.setViewportSize({ width: 1180, height: 900 });
}

await drive(async () => {
  const all = models(25);
  const model = all.find(({ name }) => name === "yolov8n.onnx") ?? all.at(-1);
  assert.ok(model, "this test needs a model: scripts/fetch_models");
  const small = all.find(({ size }) => size > 100_000);
  copyFileSync(small.path, join(folder, small.name));
  await page.goto(url);
  await accessible("start");
  await picture("start");
  await lookAtEveryTab(model);
  await step("bodies and functions", openBodies);
  const nested = all.find(({ name }) => name === "moonshine_tiny_decoder_merged.onnx");
  if (nested) await step("large bodies", () => openLargeBody(nested));
  await give(small.path);
  await shrinkAndOptimize(small);
  await step("keyboard", useKeys);
  await page.click("#theme");
  for (const name of ["overview", "bytes", "profile", "graph", "shrink"]) {
    await tab(name);
    await accessible(`${name}, dark`);
    await picture(`dark-${name}`, name === "profile" ? 2200 : undefined);
  }
  await page.click("#theme");
  await step("narrow", () => narrow(small));
});
