// Bundles the command into cli/dist: ES modules that run on Node 20.19 and need nothing installed. Commands are chunks
// of their own, loaded when they run.
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { thirdPartyLicenses } from "./third-party-licenses.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(folder, "dist");

// The bundler makes a file for each set of modules that the same parts use, and every file costs half a millisecond.
// Parts that are loaded late get what every start loads as one set, by importing where it begins.
const everyStart = path.join(folder, "src/app/run-cli.ts");
/** Files that are imported late somewhere. */
const late = new Set();

// `z` as one object keeps all of zod, its 50 languages too; as a namespace only what is used.
const ownSources = {
  name: "own-sources",
  setup({ onLoad }) {
    onLoad({ filter: /\/(cli|packages)\/.*\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, "utf8");
      const contents = source.replace(/^import \{ z \} from "zod";$/m, 'import * as z from "zod";');
      const start = late.has(file) ? `\nimport ${JSON.stringify(everyStart)};` : "";
      return { contents: contents + start, loader: "ts" };
    });
  },
};

// clipanion's ES modules can be bundled in part. It asks the terminal for its colours, which Waymark doesn't print, and
// the terminal takes 4 ms to load.
const leanClipanion = {
  name: "lean-clipanion",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^clipanion$/ }, ({ kind, resolveDir }) =>
      resolve("clipanion/lib/advanced/index.mjs", { kind, resolveDir }),
    );
    onResolve({ filter: /^\.\.\/platform$/ }, ({ importer, kind, resolveDir }) =>
      importer.includes("clipanion") ? resolve("../platform/browser.mjs", { kind, resolveDir }) : undefined,
    );
  },
};

// What dependencies do that costs time and brings nothing here.
const rewritten = {
  name: "rewritten",
  setup({ onLoad }) {
    const rewrite = (filter, was, is) =>
      onLoad({ filter }, async ({ path: file }) => {
        const source = await readFile(file, "utf8");
        if (!source.includes(was)) throw new Error(`${file} has no ${was} any more: look at cli/build.mjs`);
        return { contents: source.replace(was, is), loader: "js" };
      });
    // yaml looks into the environment at every token whether to log it, which is a fifth of its time.
    rewrite(/\/yaml\/dist\/parse\/parser\.js$/, "node_process.env.LOG_TOKENS", "false");
    // The rule engine compiles a validator for each schema of a spec and uses most of them once: optimizing the code
    // that it compiles takes longer than the code ever runs.
    rewrite(/\/openapi-core\/lib\/rules\/ajv\.js$/, "meta: true,", "meta: true, code: { optimize: false },");
  },
};

// Node makes an ES module of a built-in one by reading all it exports, which loads what lies behind every getter: 20 ms
// for node:http. Required, it costs what is used.
const builtinsRequired = {
  name: "builtins-required",
  setup({ onResolve, onLoad }) {
    const namespace = "builtin";
    onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path: name, kind }) => {
      if (kind !== "import-statement" || !isBuiltin(name)) return undefined;
      return { path: name, namespace, sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace }, ({ path: name }) => ({
      contents: `module.exports = require(${JSON.stringify(name)});`,
    }));
  },
};

const options = {
  entryPoints: {
    main: path.join(folder, "src/main.ts"),
    "sandbox-process": path.join(folder, "../packages/journey-sandbox/src/sandbox-process.ts"),
  },
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minify: true,
  legalComments: "linked",
  // Some dependencies are CommonJS and require Node's own modules.
  banner: {
    js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
  },
  plugins: [ownSources, leanClipanion, rewritten, builtinsRequired],
  write: false,
  logLevel: "warning",
};

// A first look at who imports what: a file that somebody also imports at once is known as late nonetheless.
const { metafile } = await build({ ...options, metafile: true, minify: false });
for (const { imports } of Object.values(metafile.inputs)) {
  for (const { path: file, kind } of imports) {
    if (kind === "dynamic-import") late.add(path.resolve(file));
  }
}
const result = await build(options);
const licenses = {
  path: path.join(dist, "THIRD-PARTY-LICENSES.txt"),
  contents: await thirdPartyLicenses(Object.keys(metafile.inputs)),
};
const outputFiles = [...result.outputFiles, licenses];

await mkdir(dist, { recursive: true });
// Each file appears at once and the entry last: another process may be starting from this folder.
const isEntry = (file) => path.basename(file.path) === "main.mjs";
for (const file of outputFiles.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
  const temporary = `${file.path}.${process.pid}`;
  await writeFile(temporary, file.contents);
  await rename(temporary, file.path);
}

// Chunks of earlier builds stay for a while, for a process that has yet to load them.
const current = new Set(outputFiles.map((file) => path.basename(file.path)));
for (const name of await readdir(dist)) {
  if (current.has(name)) continue;
  const file = path.join(dist, name);
  const stats = await stat(file).catch(() => undefined);
  if (stats && (process.argv.includes("--clean") || Date.now() - stats.mtimeMs > 3_600_000)) {
    await rm(file, { force: true });
  }
}
