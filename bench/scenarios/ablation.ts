import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { applyPatch, copyCheckout } from "../support/copy-checkout.ts";
import type { Figure } from "../support/report.ts";
import { ratios } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { type Comparison, compareSides, type Side } from "../support/sides.ts";

const FOLDER = path.join(root, "bench/ablations");

/** By what is measured: the quotient is above 1 where the trick helps. */
const MEASUREMENTS = {
  "201": [
    ["p50", "201, p50", "without ÷ with"],
    ["p99", "201, p99", "without ÷ with"],
  ],
  persisted: [
    ["perSecond", "persisted/s", "with ÷ without"],
    ["p50", "201 beside the worker, p50", "without ÷ with"],
    ["p99", "201 beside the worker, p99", "without ÷ with"],
    ["apiBytes", "api, peak memory", "without ÷ with"],
    ["workerBytes", "worker, peak memory", "without ÷ with"],
  ],
} as const;

/**
 * What each trick of the product brings: this checkout in turns with a copy that lacks the trick. `NAME.patch` takes it
 * out of the code, `NAME.env` sets variables that switch it off.
 */
export const measureAblations: Scenario = async (environment, { rounds, ablations = [] }) => {
  const files = filesOf(ablations);
  const figures: Figure[] = [];
  for (const file of files) {
    const name = path.parse(file).name;
    process.stderr.write(` ${name}\n`);
    const copy = path.join(root, ".waymark/ablation", name);
    try {
      const without = await takeOut(path.join(FOLDER, file), copy);
      const sides = [{ name: "with", folder: root }, without] as const;
      const comparisons = await compareSides(environment, sides, { rounds, measuresMemory: true });
      figures.push(...comparisons.flatMap((comparison) => figuresOf(name, comparison)));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
  return { scenario: "ablation: above 1, the trick helps", figures, findings: [] };
};

function filesOf(names: readonly string[]): string[] {
  const files = readdirSync(FOLDER).toSorted();
  if (names.length === 0) return files;
  return names.map((name) => {
    const file = files.find((each) => path.parse(each).name === name);
    if (file === undefined) throw new Error(`there is no ablation "${name}" in bench/ablations`);
    return file;
  });
}

async function takeOut(file: string, copy: string): Promise<Side> {
  if (file.endsWith(".env")) {
    return {
      name: "without",
      folder: root,
      env: parseEnv(readFileSync(file, "utf8")) as Record<string, string>,
    };
  }
  await copyCheckout(copy);
  await applyPatch(copy, file);
  return { name: "without", folder: copy };
}

function figuresOf(ablation: string, { size, kind, what, samples }: Comparison): Figure[] {
  return MEASUREMENTS[what].map(([measurement, label, unit]) => {
    const isRate = unit === "with ÷ without";
    const over = isRate ? "with" : "without";
    const under = isRate ? "without" : "with";
    return {
      subject: `${ablation}: ${size.name}, ${kind}`,
      measurement: label,
      unit,
      values: ratios(samples, measurement, over, under),
    };
  });
}
