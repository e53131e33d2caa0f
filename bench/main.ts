// Measures Waymark against its floor and its peers on this machine: `npm run bench [-- NAME…] [--rounds N] [--json FILE]`,
// or another checkout against this one: `npm run bench -- before-after --before FOLDER`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { onStopSignal } from "../scripts/dev/stop-signal.ts";
import { measureBeforeAfter } from "./scenarios/before-after.ts";
import { measureBurst } from "./scenarios/burst.ts";
import { measureCli } from "./scenarios/cli.ts";
import { measureCloud } from "./scenarios/cloud.ts";
import { measureCost } from "./scenarios/cost.ts";
import { measureDescriptions } from "./scenarios/descriptions.ts";
import { measureDiff } from "./scenarios/diff.ts";
import { measureCompletion } from "./scenarios/completion.ts";
import { measureConsole } from "./scenarios/console.ts";
import { measureGrowth } from "./scenarios/growth.ts";
import { measureIngest } from "./scenarios/ingest.ts";
import { measureJourneys } from "./scenarios/journeys.ts";
import { measureKeys } from "./scenarios/keys.ts";
import { measurePersist } from "./scenarios/persist.ts";
import { type Environment, startEnvironment } from "./support/environment.ts";
import { formatResult, type ScenarioResult, toJson, verdictOf } from "./support/report.ts";
import type { Scenario } from "./support/scenario.ts";

const SCENARIOS: Record<string, Scenario> = {
  ingest: measureIngest,
  persist: measurePersist,
  completion: measureCompletion,
  burst: measureBurst,
  cost: measureCost,
  descriptions: measureDescriptions,
  diff: measureDiff,
  keys: measureKeys,
  cli: measureCli,
  growth: measureGrowth,
  journeys: measureJourneys,
  cloud: measureCloud,
  console: measureConsole,
};
/** Runs only if named. */
const COMPARISONS: Record<string, Scenario> = { "before-after": measureBeforeAfter };
const ROUNDS_DEFAULT = 15;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: "string" },
    json: { type: "string" },
    rounds: { type: "string", default: String(ROUNDS_DEFAULT) },
  },
});
const rounds = Number(values.rounds);
const names = positionals.length === 0 ? Object.keys(SCENARIOS) : positionals;
const scenarios = { ...SCENARIOS, ...COMPARISONS };
const unknown = names.filter((name) => !Object.hasOwn(scenarios, name));
if (unknown.length > 0 || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(
    `Usage: npm run bench -- [${Object.keys(scenarios).join("|")}] [--rounds N] [--json FILE] [--before FOLDER]\n`,
  );
  process.exit(2);
}

let environment: Environment | undefined;
let stopping: Promise<never> | undefined;
onStopSignal({
  first: () => {
    process.stderr.write("\nstopping\n");
    stopping = stop();
  },
  again: () => process.exit(130),
});

/** The measured processes end with this one, but Postgres would keep running, with gigabytes of data. */
async function stop(): Promise<never> {
  await environment?.[Symbol.asyncDispose]();
  process.exit(130);
}

const results: ScenarioResult[] = [];
try {
  for (const name of names) {
    const scenario = scenarios[name];
    if (scenario === undefined) continue;
    process.stderr.write(`${name}\n`);
    environment = await startEnvironment();
    try {
      const result = await scenario(environment, { rounds, before: values.before });
      results.push(result);
      process.stdout.write(formatResult(result));
    } finally {
      await environment[Symbol.asyncDispose]();
      environment = undefined;
    }
  }
} catch (error) {
  // A stopped measurement fails.
  await stopping;
  process.stderr.write(`\nThe benchmark failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
if (values.json !== undefined) writeFileSync(values.json, toJson(results, rounds));

const missed = results
  .flatMap(({ findings }) => findings)
  .filter((finding) => verdictOf(finding) === "MISSED");
if (rounds < ROUNDS_DEFAULT)
  process.stdout.write(`\nOnly ${rounds} rounds: a rough look, not a measurement.\n`);
process.stdout.write(
  missed.length === 0 ? "\nEvery target is met.\n" : `\n${missed.length} targets are missed.\n`,
);
process.exit(missed.length === 0 ? 0 : 1);
