// node scripts/serve.mjs [PORT]: serves web/dist on localhost. Any other web server works as well.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const kTypes = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json" };

/** Port 0: any free port. */
export function serve(port) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    try {
      const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
      const content = await readFile(file);
      response.writeHead(200, { "content-type": kTypes[extname(file)] ?? "application/octet-stream", "cache-control": "no-cache" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve({ server, url: `http://localhost:${server.address().port}/` })));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { url } = await serve(Number(process.argv[2] ?? 8017));
  console.log(`${url}  (stop with Ctrl+C)`);
}
