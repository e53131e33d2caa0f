import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { type NodeCommand, peakMemory, timeCommand } from "../support/measured-command.ts";
import { installRedocly } from "../support/peers.ts";
import { compareRealDescriptions } from "../support/real-descriptions.ts";
import type { Figure, Finding } from "../support/report.ts";
import { ratios, runRounds, type Subject, valuesOf } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { largeSpecs, type SpecFile } from "../support/specs.ts";
import { type Target, TARGETS } from "../support/targets.ts";
import { unpackWaymark } from "../support/unpack-waymark.ts";

const folder = path.join(root, ".waymark/bench/cli");

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
    const samples = await runRounds(Object.entries(commands).map(subjectOf), rounds);
    for (const subject of Object.keys(commands)) {
      for (const [measurement, unit] of [
        ["ms", "ms"],
        ["peakMemory", "MiB"],
      ] as const) {
        const values = valuesOf(samples, subject, measurement);
        figures.push({ subject: `${name}: ${subject}`, measurement, unit, values });
      }
    }
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

/** What a target's command takes, and what that of the other checkout takes, if there is one. */
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

function subjectOf([name, command]: [string, NodeCommand]): Subject {
  const memoryFile = path.join(folder, "peak-memory");
  return {
    name,
    measure: async () => ({
      ms: await timeCommand(command),
      peakMemory: await peakMemory(command, memoryFile),
    }),
  };
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
    "parse alone": {
      args: [path.join(root, `bench/baselines/parse-${spec.format}.mjs`), spec.file],
      prints: "",
    },
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
