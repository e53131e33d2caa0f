import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { type NodeCommand, timeCommand } from "../support/measured-command.ts";
import { installRedocly } from "../support/peers.ts";
import { compareRealDescriptions } from "../support/real-descriptions.ts";
import type { Figure, Finding } from "../support/report.ts";
import { figuresOf, ratios, runRounds } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { largeSpecs, type SpecFile } from "../support/specs.ts";
import { type Target, TARGETS } from "../support/targets.ts";
import { unpackWaymark } from "../support/unpack-waymark.ts";

const folder = path.join(root, ".waymark/bench/cli");

/** The floor of a dry run: a script that reads a file and parses it, with the command's own parser of YAML. */
const PARSE = {
  json: `import { readFileSync } from "node:fs"; JSON.parse(readFileSync(process.argv[1], "utf8"));`,
  yaml: `import { readFileSync } from "node:fs"; import { parse } from "yaml"; parse(readFileSync(process.argv[1], "utf8"));`,
};

/**
 * How long the whole `waymark` process takes, as its package installs it, and that of another checkout with `--before`. It needs no
 * server and no database.
 */
export const measureCli: Scenario = async (_environment, { rounds, before }) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const waymark = await unpackWaymark(folder);
  const earlier = before && (await unpackWaymark(path.join(folder, "before"), path.resolve(before)));
  const redocly = await installRedocly();
  const figures: Figure[] = [];
  const findings: Finding[] = [];
  const measure = async (name: string, commands: Record<string, NodeCommand>) => {
    process.stderr.write(`  ${name}:`);
    const subjects = Object.entries(commands).map(([subject, command]) => ({
      name: subject,
      measure: async () => ({ ms: await timeCommand(command) }),
    }));
    const samples = await runRounds(subjects, rounds);
    figures.push(...figuresOf(samples, [["ms", "ms"]], (subject) => `${name}: ${subject}`));
    return (subject: string, baseline: string) => ratios(samples, "ms", subject, baseline);
  };

  const version = await measure("start", {
    "node -e 0": { args: ["-e", "0"], prints: "" },
    "waymark --version": { args: [waymark, "--version"], prints: "." },
    ...(earlier && { "before: waymark --version": { args: [earlier, "--version"], prints: "." } }),
  });
  findings.push(...quotients(TARGETS.cliVersion, version, ["waymark --version", "node -e 0"], earlier));
  for (const spec of largeSpecs(folder)) {
    const scan = await measure(spec.name, commandsOn(spec, { waymark, earlier, redocly }));
    const json = spec.format === "json";
    const dryRun = json ? TARGETS.cliDryRunJson : TARGETS.cliDryRunYaml;
    findings.push(...quotients(dryRun, scan, ["dry run", "parse alone"], earlier), {
      target: json ? TARGETS.cliLintJson : TARGETS.cliLintYaml,
      values: scan("dry run --lint", "redocly lint"),
    });
  }
  const real = await compareRealDescriptions();
  figures.push(...real.figures);
  findings.push(...real.findings);
  return { scenario: "cli", figures, findings };
};

/** Returns the ratios of the command to its baseline, after those of the other checkout's command, if there is one. */
function quotients(
  target: Target,
  ratiosOf: (subject: string, baseline: string) => number[],
  [subject, baseline]: readonly [string, string],
  earlier: string | undefined,
): Finding[] {
  const after = { target, values: ratiosOf(subject, baseline) };
  if (!earlier) return [after];
  return [{ target, note: "before", isShown: true, values: ratiosOf(`before: ${subject}`, baseline) }, after];
}

function commandsOn(
  spec: SpecFile,
  {
    waymark,
    earlier,
    redocly,
  }: { waymark: string; earlier: string | undefined; redocly: Pick<NodeCommand, "args" | "env"> },
): Record<string, NodeCommand> {
  const options = ["scan", "--dry-run", "--service", "bench", "--spec", spec.file];
  const scan = [waymark, ...options];
  const prints = `Endpoints: ${spec.operations} of at most`;
  return {
    "parse alone": { args: ["--input-type=module", "-e", PARSE[spec.format], spec.file], prints: "" },
    "dry run": { args: scan, prints },
    ...(earlier && { "before: dry run": { args: [earlier, ...options], prints } }),
    "dry run --lint": { args: [...scan, "--lint"], prints },
    "redocly lint": {
      ...redocly,
      args: [...redocly.args, "lint", spec.file],
      prints: "validat",
      // 1 where it finds errors in the spec.
      exitCodes: [0, 1],
    },
  };
}
