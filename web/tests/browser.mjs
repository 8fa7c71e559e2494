// A headless Chromium with the page in it, and helpers for the tests. Records every request and every problem.
//   CHROMIUM: the browser; PICTURES: a folder for screenshots.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../scripts/serve.mjs";

export const folder = mkdtempSync(join(tmpdir(), "onnxpress-page-"));
const pictures = process.env.PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });
export const { server, url } = await serve(0);
export const context = await chromium.launchPersistentContext(join(folder, "profile"), {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, viewport: { width: 1180, height: 900 }, acceptDownloads: true, colorScheme: "light",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
export const page = await context.newPage();
page.setDefaultTimeout(120_000);
const requests = [], problems = [];
context.on("request", (request) => requests.push(request.url()));
page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
page.on("dialog", (dialog) => { problems.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });

export const panel = (name) => page.locator(`#panel-${name}`);
export const tab = async (name) => {
  await page.click(`#tab-${name}`);
  await panel(name).locator(".facts, .map, .error, .settings, .stage").first().waitFor();
};
/** `height`: height of the window, for long tabs. */
export async function picture(name, height) {
  if (!pictures) return;
  const usual = page.viewportSize();
  if (height) await page.setViewportSize({ ...usual, height });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await page.setViewportSize(usual);
}
export const give = (...paths) => page.setInputFiles("op-drop input", paths);
export const step = async (name, work) => {
  const begin = performance.now();
  await work();
  console.log(`page: ${name} (${Math.round(performance.now() - begin)} ms)`);
};

/** Drops a file as a user does, instead of choosing it. Returns a function that drops it, because getting its bytes into the page takes longer. */
export async function readyToDrop(path, name) {
  const data = await page.evaluateHandle(({ text, name: file }) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
    transfer.items.add(new File([bytes], file));
    return transfer;
  }, { text: readFileSync(path).toString("base64"), name });
  return () => page.dispatchEvent("op-drop", "drop", { dataTransfer: data });
}

export async function saved(name, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const path = join(folder, `downloaded-${name}`);
  await download.saveAs(path);
  return readFileSync(path);
}

const axe = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../node_modules/axe-core/axe.min.js"), "utf8");

/** Checks what is on screen with axe-core, which tests pages for people who use screen readers or keyboards or do not see well. */
export async function accessible(what) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  problems.push(...violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${what}: ${id} (${help}): ${node.html.slice(0, 160)} ${node.any.map((each) => each.message).join("; ")}`)));
}

/** Runs the test, then checks what the browser recorded meanwhile; `last` may do things that would count as problems. */
export async function drive(test, last = async () => {}) {
  try {
    await test();
    const foreign = requests.filter((request) => !request.startsWith(url) && !request.startsWith("blob:"));
    assert.deepEqual(foreign, [], "the page must not send requests to other servers");
    assert.deepEqual(problems, []);
    console.log(`page: ${requests.length} requests, all for its own files`);
    await last();
  } finally {
    await context.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
