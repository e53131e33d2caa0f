// `npm run check`: runs all checks concurrently, and prints the output of those that fail.
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "./bootstrap/checkout.mjs";

const DEPENDENCY_RULES = "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs";
const CODE = ["packages", "services", "cli", "web", "test", "bench", "scripts"];

/** Scripts with their arguments, relative to the checkout. */
const CHECKS: Record<string, string[]> = {
  // Lint needs the types of every file in any case: checking them as well takes less time than the compiler by itself.
  "types and lint": ["node_modules/oxlint/bin/oxlint", "--type-aware", "--type-check"],
  "dependency rules": [DEPENDENCY_RULES, "--config", ".dependency-cruiser.mjs", ...CODE],
  "dead code": ["node_modules/knip/bin/knip.js", "--no-config-hints"],
  format: ["node_modules/oxfmt/bin/oxfmt", "--check", "."],
  schema: ["scripts/schema.ts", "--check"],
  comments: ["scripts/comments.ts"],
  "paths of the API": ["scripts/api-paths.ts"],
};
/** The command that fixes a failed check, if there is one. */
const FIXES: Record<string, string> = { format: "npx oxfmt", schema: "npm run schema" };

const failed = await Promise.all(Object.entries(CHECKS).map(([name, check]) => run(name, check)));
const names = failed.filter((name) => name !== undefined);
console.log(names.length === 0 ? "\nAll checks passed." : `\nFailed: ${names.join(", ")}.`);
process.exitCode = names.length === 0 ? 0 : 1;

/** @returns the name of the check when it failed */
async function run(name: string, [file = "", ...args]: string[]): Promise<string | undefined> {
  const startedAt = Date.now();
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
  const failure = await promisify(execFile)(process.execPath, [path.join(root, file), ...args], options).then(
    () => undefined,
    (error: Error & { stdout: string; stderr: string }) => error,
  );
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`  ${failure === undefined ? "ok    " : "FAILED"}  ${name} (${seconds} s)`);
  if (failure === undefined) return undefined;
  console.error(`${failure.stdout}${failure.stderr}`.trim() || failure.message);
  if (name in FIXES) console.error(`Fix: ${FIXES[name]}`);
  return name;
}
