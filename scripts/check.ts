// `npm run check`: every check at once, quiet where all is well, each failure with its tool's own words.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { root } from "./bootstrap/checkout.mjs";

interface Check {
  name: string;
  /** Relative to the checkout. */
  script: string;
  args: string[];
  /** What to run where the tool itself can fix the complaint. */
  fix?: string;
  /** Says what is wrong with the output of a run that ended with 0. */
  mistrust?: (output: string) => string | undefined;
}

interface Outcome {
  check: Check;
  output: string;
  problem: string | undefined;
  seconds: number;
}

const SOURCE_FOLDERS = ["packages", "services", "cli", "web", "test", "bench", "scripts"].filter((folder) =>
  existsSync(path.join(root, folder)),
);

const CHECKS: Check[] = [
  { name: "types", script: "node_modules/typescript/bin/tsc", args: ["-p", "."] },
  { name: "types of the console", script: "node_modules/typescript/bin/tsc", args: ["-p", "web"] },
  { name: "lint", script: "node_modules/oxlint/bin/oxlint", args: ["--type-aware"] },
  {
    name: "dependency rules",
    script: "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs",
    args: ["--config", ".dependency-cruiser.mjs", ...SOURCE_FOLDERS],
    // It reports "no violations" where it could parse nothing at all.
    mistrust: (output) => (/\([1-9]\d+ modules/.test(output) ? undefined : "it saw hardly any modules"),
  },
  { name: "dead code", script: "node_modules/knip/bin/knip.js", args: ["--no-config-hints"] },
  {
    name: "format",
    script: "node_modules/prettier/bin/prettier.cjs",
    args: [
      "--check",
      "--log-level=warn",
      "--cache",
      "--cache-location=node_modules/.cache/prettier.json",
      ".",
    ],
    fix: "npx prettier --write .",
  },
  { name: "pages", script: "scripts/check-docs.ts", args: [] },
  { name: "schema", script: "scripts/schema.ts", args: ["--check"], fix: "npm run schema" },
];

const startedAt = Date.now();
const outcomes = await Promise.all(CHECKS.map(run));
for (const { check, output, problem } of outcomes.filter((outcome) => outcome.problem !== undefined)) {
  console.error(`\n── ${check.name}: ${problem} ──\n${output.trim()}`);
  if (check.fix !== undefined) console.error(`Fix: ${check.fix}`);
}
console.log("");
for (const { check, problem, seconds } of outcomes) {
  console.log(`  ${problem === undefined ? "ok    " : "FAILED"}  ${check.name} (${seconds.toFixed(1)} s)`);
}
const failed = outcomes.filter(({ problem }) => problem !== undefined).map(({ check }) => check.name);
const total = ((Date.now() - startedAt) / 1000).toFixed(1);
console.log(failed.length === 0 ? `\nAll checks passed in ${total} s.` : `\nFailed: ${failed.join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function run(check: Check): Promise<Outcome> {
  const child = spawn(process.execPath, [path.join(root, check.script), ...check.args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => (output += chunk));
  }
  const end = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  return {
    check,
    output,
    problem: end === 0 ? check.mistrust?.(output) : `ended with ${end}`,
    seconds: (Date.now() - startedAt) / 1000,
  };
}
