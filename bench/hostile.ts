// Runs the hostile cases of the tests one by one with the command, and prints them as the table of docs/journeys.md, measured:
// `node bench/hostile.ts [part of a case's name]`. Run it on a quiet machine; `npm test` checks the limits, not the figures.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { HostileCase } from "../test/journeys/hostile/case.ts";
import { sandbox } from "../test/journeys/hostile/case.ts";
import { GROUPS } from "../test/journeys/hostile/groups.ts";
import { runByCommand } from "../test/journeys/hostile/run-command.ts";

const only = process.argv[2] ?? "";
const folder = mkdtempSync(path.join(tmpdir(), "waymark-hostile-"));
const cases: HostileCase[] = [];
for (const group of Object.values(GROUPS)) cases.push(...(await group()));

process.stdout.write("| case | how it ends | seconds | MiB |\n| --- | --- | --- | --- |\n");
for (const { what, end, waits } of cases.filter((one) => one.what.includes(only))) {
  const ended = await end();
  const measured =
    end.scenario === undefined
      ? undefined
      : await runByCommand(folder, end.scenario(), { timeoutSeconds: waits === true ? 1 : 30 });
  const figures =
    measured === undefined ? ["–", "–"] : [(measured.ms / 1000).toFixed(1), String(measured.memoryMiB)];
  process.stdout.write(`| ${[what, ended, ...figures].join(" | ")} |\n`);
}
sandbox[Symbol.dispose]();
rmSync(folder, { recursive: true, force: true });
