import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** Bundles the command of a checkout when its bundle is missing or older than its sources. */
export function bundleIfStale() {
  if (!isStale()) return;
  const { status, stderr } = spawnSync(process.execPath, [at("build.mjs")], { encoding: "utf8" });
  if (status === 0) return;
  console.error(`The waymark command could not be built. Run npm install in the checkout first.\n${stderr}`);
  process.exit(4);
}

function isStale() {
  const bundle = at("dist/main.mjs");
  if (!existsSync(bundle)) return true;
  const builtAt = statSync(bundle).mtimeMs;
  const inputs = [at("package.json"), at("build.mjs"), at("../package-lock.json")];
  const packages = readdirSync(at("../packages")).map((name) => `../packages/${name}/src`);
  for (const folder of ["src", ...packages].map(at).filter((name) => existsSync(name))) {
    for (const name of readdirSync(folder, { recursive: true })) {
      const entry = String(name);
      if (entry.endsWith(".ts") && !entry.endsWith(".test.ts")) inputs.push(`${folder}/${entry}`);
    }
  }
  return inputs.some((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > builtAt);
}
