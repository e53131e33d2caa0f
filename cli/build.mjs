// Bundles the command into cli/dist: ES modules that run on Node 20 and need nothing installed. Commands are chunks
// of their own, loaded when they run.
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(folder, "dist");

const result = await build({
  entryPoints: [path.join(folder, "src/main.ts")],
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minify: true,
  keepNames: true,
  legalComments: "linked",
  // Some dependencies are CommonJS and require Node's own modules.
  banner: {
    js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
  },
  write: false,
  logLevel: "warning",
});

await mkdir(dist, { recursive: true });
// Each file appears at once and the entry last: another process may be starting from this folder.
const isEntry = (file) => path.basename(file.path) === "main.mjs";
for (const file of result.outputFiles.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
  const temporary = `${file.path}.${process.pid}`;
  await writeFile(temporary, file.contents);
  await rename(temporary, file.path);
}

// Chunks of earlier builds stay for a while, for a process that has yet to load them.
const current = new Set(result.outputFiles.map((file) => path.basename(file.path)));
for (const name of await readdir(dist)) {
  if (current.has(name)) continue;
  const file = path.join(dist, name);
  const stats = await stat(file).catch(() => undefined);
  if (stats && (process.argv.includes("--clean") || Date.now() - stats.mtimeMs > 3_600_000)) {
    await rm(file, { force: true });
  }
}
