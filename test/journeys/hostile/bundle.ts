import path from "node:path";
import { build } from "esbuild";
import { root } from "../../../scripts/bootstrap/checkout.mjs";

/** Bundles the probe like the command, because loading TypeScript takes memory. Returns its entry. */
export async function bundleProbe(folder: string): Promise<string> {
  await build({
    entryPoints: {
      probe: path.join(root, "test/journeys/hostile/probe.ts"),
      "sandbox-process": path.join(root, "packages/journey-sandbox/src/sandbox-process.ts"),
    },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    banner: {
      js: `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`,
    },
    logLevel: "warning",
  });
  return path.join(folder, "probe.mjs");
}
