// node scripts/build.mjs npm|page WASM_FOLDER: bundles the npm package into build/npm, or the page into web/dist.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";

const web = resolve(dirname(fileURLToPath(import.meta.url)), ".."), root = resolve(web, "..");
const [what, given = join(root, "build/wasm/web/bridge")] = process.argv.slice(2);
const wasm = resolve(given);

// The compiler's glue code stays a separate file next to the .wasm, which it finds relative to its own address.
const moduleStaysOutside = (path) => ({
  name: "module",
  setup(on) {
    on.onResolve({ filter: /^onnxpress-module$/ }, () => ({ path, external: true }));
  },
});

// Joins scripts of the command's pages (cli/), which are made for that, into one module.
const sharedScripts = {
  name: "shared",
  setup(on) {
    on.onResolve({ filter: /\/shared\.js$/ }, () => ({ path: "shared", namespace: "shared" }));
    on.onLoad({ filter: /.*/, namespace: "shared" }, () => {
      const files = ["profile_page/parts.js", "report_page/numbers.js", "report_page/treemap.js"].map((name) => join(root, "cli/pages", name));
      const names = "sum,work,percent,share_bar,table_head,table_row,number_column,commas,bytes,count,counted,change,shown,make,draw,steppable,squarify,place";
      return { contents: `${files.map((file) => readFileSync(file, "utf8")).join("\n")}\nexport {${names}};`, watchFiles: files };
    });
  },
};

const common = { bundle: true, format: "esm", target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning" };

async function makePackage() {
  const out = join(root, "build/npm");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await build({ ...common, entryPoints: [join(web, "npm/index.ts")], outfile: join(out, "index.js"), plugins: [moduleStaysOutside("./onnxpress.mjs")] });
  for (const name of ["package.json", "README.md"]) cpSync(join(web, "npm", name), join(out, name));
  for (const name of ["onnxpress.mjs", "onnxpress.wasm"]) cpSync(join(wasm, name), join(out, name));
  cpSync(join(root, "LICENSE"), join(out, "LICENSE"));
  makeTypes(out);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", join(root, "build")], { cwd: out, stdio: ["ignore", "inherit", "inherit"] });
}

// Merges two declaration files into one, because the bundle is one file.
function makeTypes(out) {
  const folder = join(root, "build/npm-types");
  rmSync(folder, { recursive: true, force: true });
  const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", folder];
  execFileSync(join(web, "node_modules/.bin/tsc"), ["-p", web, ...options], { stdio: "inherit" });
  const engine = readFileSync(join(folder, "core/engine.d.ts"), "utf8");
  const index = readFileSync(join(folder, "npm/index.d.ts"), "utf8");
  const wanted = engine.split(/\n(?=\/\*\*|export )/).filter((part) => /export (interface Progress|type Content|type Files|declare class OnnxpressError)\b/.test(part));
  const rest = index.replace(/^import .*core\/engine\.js";\n/m, "").replace(/^export \{ OnnxpressError.*\n/m, "");
  writeFileSync(join(out, "index.d.ts"), `${wanted.join("\n")}\n${rest}`);
}

const allFiles = (folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)).filter((path) => statSync(path).isFile()).sort();

async function makePage() {
  const out = join(web, "dist");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const entries = ["app", "worker"].map((name) => join(web, "page/src", `${name}.ts`));
  await build({ ...common, minify: true, entryPoints: entries, outdir: out, plugins: [sharedScripts, moduleStaysOutside("./onnxpress.mjs")] });
  const style = ["cli/pages/report_page/style.css", "cli/pages/profile_page/style.css", "web/page/style.css"].map((name) => readFileSync(join(root, name), "utf8")).join("\n");
  const { outputFiles } = await build({ stdin: { contents: style, loader: "css" }, minify: true, write: false, target: "es2022" });
  writeFileSync(join(out, "style.css"), outputFiles[0].text);
  for (const name of ["index.html", "icon.svg", "manifest.webmanifest"]) cpSync(join(web, "page", name), join(out, name));
  for (const name of ["onnxpress.mjs", "onnxpress.wasm"]) cpSync(join(wasm, name), join(out, name));
  const files = allFiles(out), hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const define = { FILES: JSON.stringify(["./", ...files.map((file) => `./${relative(out, file)}`)]), VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)) };
  await build({ ...common, format: "iife", minify: true, define, entryPoints: [join(web, "page/src/offline.ts")], outfile: join(out, "offline.js") });
  report(out);
}

function report(out) {
  let sum = 0, packed = 0;
  for (const file of allFiles(out)) {
    const content = readFileSync(file), small = brotliCompressSync(content).length;
    sum += content.length;
    packed += small;
    console.log(`${relative(out, file).padEnd(24)} ${String(content.length).padStart(9)} ${String(small).padStart(9)} after brotli`);
  }
  console.log(`${"everything".padEnd(24)} ${String(sum).padStart(9)} ${String(packed).padStart(9)} after brotli`);
}

if (what === "npm") await makePackage();
else if (what === "page") await makePage();
else throw new Error("usage: node scripts/build.mjs npm|page WASM_FOLDER");
