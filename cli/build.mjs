// Bundles the command into cli/dist: ES modules that run on Node 20.19 and need nothing installed. Commands are chunks
// of their own, loaded when they run.
import { execFileSync } from "node:child_process";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { thirdPartyLicenses } from "./third-party-licenses.mjs";

const folder = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(folder, "dist");

// The bundler makes a file for each set of modules that the same parts use, and every file costs half a millisecond.
// Parts that are loaded late import the module of every start, so that its modules are one set for the bundler.
const everyStart = path.join(folder, "src/app/run-cli.ts");
/** Files that are imported late somewhere. */
const late = new Set();

// As an object, `z` would include all of zod, with its 50 languages; as a namespace, only what is used.
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

// Replaces code of dependencies that costs time and has no use here.
const rewritten = {
  name: "rewritten",
  setup({ onLoad }) {
    const rewrite = (filter, ...replacements) =>
      onLoad({ filter }, async ({ path: file }) => {
        let contents = await readFile(file, "utf8");
        for (const [was, is] of replacements) {
          if (!contents.includes(was))
            throw new Error(`${file} has no ${was} any more: look at cli/build.mjs`);
          contents = contents.replace(was, is);
        }
        return { contents, loader: "js" };
      });
    // yaml checks the environment at every token to decide whether to log it, which takes a fifth of its time.
    rewrite(/\/yaml\/dist\/parse\/parser\.js$/, ["node_process.env.LOG_TOKENS", "false"]);
    // The rule engine compiles a validator for each schema of a spec, and uses most of them once: optimizing that code takes
    // longer than running it.
    rewrite(/\/openapi-core\/lib\/rules\/ajv\.js$/, [
      "meta: true,",
      "meta: true, code: { optimize: false },",
    ]);
    // The code that opens standard input takes 5 ms to load: see `openStdin`.
    rewrite(/\/clipanion\/lib\/advanced\/Cli\.mjs$/, ["stdin: process.stdin,", ""]);
    // clipanion makes a state for what follows each option with a value, and copies all options into it. Going back to the
    // state before the option means the same.
    rewrite(
      /\/clipanion\/lib\/core\.mjs$/,
      [
        "const nextNode = injectNode(machine, makeNode());",
        "const nextNode = t + 1 < option.arity ? injectNode(machine, makeNode()) : node;",
      ],
      ["registerShortcut(machine, lastNode, node);", ""],
    );
  },
};

// Importing a built-in module reads all of its exports, and so loads what every getter needs: 20 ms for node:http. `require`
// loads only what is used.
const builtinsRequired = {
  name: "builtins-required",
  setup({ onResolve, onLoad }) {
    const namespace = "builtin";
    onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path: name, kind }) => {
      if (kind !== "import-statement" || !isBuiltin(name)) return undefined;
      return { path: name, namespace, sideEffects: false };
    });
    // The bundler copies a module's members, and merely looking at those of node:util loads 5 ms of others. Inherited ones
    // are not copied. These are the modules that most starts need; no module of them is a function.
    onLoad({ filter: /^node:(crypto|fs|path|url|util)$/, namespace }, ({ path: name }) => ({
      contents: `module.exports = Object.create(require(${JSON.stringify(name)}));`,
    }));
    onLoad({ filter: /.*/, namespace }, ({ path: name }) => ({
      contents: `module.exports = require(${JSON.stringify(name)});`,
    }));
  },
};

const options = {
  entryPoints: {
    main: path.join(folder, "src/main.ts"),
    "lint-worker": path.join(folder, "src/lint/lint-worker.ts"),
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

// A first pass to find what is imported late, even if something else imports it at once.
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
for (const file of outputFiles.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) await put(file);

// The command itself knows its options.
const manual = path.join(dist, "waymark.1");
await put({
  path: manual,
  contents: execFileSync(process.execPath, [path.join(dist, "main.mjs"), "help", "--man"]),
});

// Chunks of earlier builds stay for a while, for a process that has yet to load them.
const current = new Set([...outputFiles.map((file) => path.basename(file.path)), path.basename(manual)]);
for (const name of await readdir(dist)) {
  if (current.has(name)) continue;
  const file = path.join(dist, name);
  const stats = await stat(file).catch(() => undefined);
  // The temporary file of another build that is still writing ends with its process id.
  const isEarlier = process.argv.includes("--clean") && !/\.\d+$/.test(name);
  if (stats && (isEarlier || Date.now() - stats.mtimeMs > 3_600_000)) {
    await rm(file, { force: true });
  }
}

async function put({ path: file, contents }) {
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, contents);
  await rename(temporary, file);
}
