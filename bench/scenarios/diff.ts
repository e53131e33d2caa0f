import { compareContracts } from "@waymark/contract-diff/compare-contracts.ts";
import { loadDescription } from "@waymark/contract-diff/read/load-description.ts";
import { readReleases, RELEASES_OF } from "../support/netlify-releases.ts";
import { ratios, runRounds, type Sample, valuesOf } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { TARGETS } from "../support/targets.ts";
import { unionDescription } from "../support/union-description.ts";

interface Pair {
  base: string;
  head: string;
}

/** The verdicts on changes of descriptions, beside the parsing of the same two texts. Both are processor time of this process. */
export const measureDiff: Scenario = async (_, { rounds }) => {
  const texts = await readReleases();
  const releases = texts.slice(1).map((head, index) => ({ base: texts[index] ?? head, head }));
  const measured = {
    [`releases of ${RELEASES_OF}`]: releases,
    "a union of kinds that contain it": [{ base: unionDescription(1), head: unionDescription(2) }],
  };
  const samples = await runRounds(
    [
      { name: "parse", measure: () => measureAll(measured, parseOnly) },
      { name: "compare", measure: () => measureAll(measured, compare) },
    ],
    rounds,
  );
  const names = Object.keys(measured);
  return {
    scenario: "diff",
    figures: names.flatMap((measurement) =>
      ["parse", "compare"].map((subject) => ({
        subject,
        measurement,
        unit: "ms",
        values: valuesOf(samples, subject, measurement),
      })),
    ),
    findings: names.map((measurement, index) => ({
      target: index === 0 ? TARGETS.diffOfReleases : TARGETS.diffOfUnions,
      // Unions that contain themselves take longer than the target: shown until they don't.
      isShown: index > 0,
      values: ratios(samples, measurement, "compare", "parse"),
    })),
  };
};

async function measureAll(
  measured: Record<string, readonly Pair[]>,
  run: (pair: Pair) => Promise<number>,
): Promise<Sample> {
  const sample: Sample = {};
  for (const [name, pairs] of Object.entries(measured)) {
    sample[name] = 0;
    for (const pair of pairs) sample[name] += await run(pair);
  }
  return sample;
}

async function parseOnly(pair: Pair): Promise<number> {
  const before = process.cpuUsage();
  await load(pair);
  return millisecondsSince(before);
}

/** Returns the time of the comparison without that of parsing. */
async function compare(pair: Pair): Promise<number> {
  const [base, head] = await load(pair);
  const before = process.cpuUsage();
  const { verdicts } = compareContracts(base, head, { today: "2026-01-31" });
  if (verdicts.some(({ id }) => id.endsWith("-undecided"))) throw new Error("the comparison reached a limit");
  return millisecondsSince(before);
}

function load({ base, head }: Pair) {
  return Promise.all([
    loadDescription({ text: base, name: "base.yaml" }),
    loadDescription({ text: head, name: "head.yaml" }),
  ]);
}

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
