// deploy/test.sh: tries the image and the compose file on a Docker engine, and writes docs/reports/deploy-report.md.
import { readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { markdownTable } from "@waymark/test-support/markdown-table.ts";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { toError } from "@waymark/shared/lib/to-error.ts";
import type { Check, Figures } from "./check.ts";
import { comparisons } from "./checks/comparisons.ts";
import { cost } from "./checks/cost.ts";
import { image } from "./checks/image.ts";
import { kills } from "./checks/kills.ts";
import { observability } from "./checks/observability.ts";
import { pages } from "./checks/pages.ts";
import { pooler } from "./checks/pooler.ts";
import { redisOutage } from "./checks/redis-outage.ts";
import { restore } from "./checks/restore.ts";
import { rollingRestart } from "./checks/rolling-restart.ts";
import { scaling } from "./checks/scaling.ts";
import { alerts, goingBack, kubernetes, postgresVersions } from "./checks/tests.ts";
import { startFleet } from "./fleet.ts";
import { makeImages } from "./images.ts";
import { docker, run } from "./run.ts";

const CHECKS: Record<string, Check> = {
  image,
  comparisons,
  kills,
  "rolling-restart": rollingRestart,
  "redis-outage": redisOutage,
  pooler,
  cost,
  scaling,
  restore,
  observability,
  alerts,
  "postgres-versions": postgresVersions,
  "going-back": goingBack,
  kubernetes,
  pages,
};

/** Checks that this machine or this script can't run. */
const NOT_RUN = [
  "a cluster: the manifests are checked against schemas, and no Kubernetes, KEDA or operator of Prometheus runs them",
  "arm64: the image is described for it and built for this machine's architecture only",
  "Citus, and more than one Postgres",
  "Grafana and the collector of traces: Debian has neither; the dashboard's queries are checked with a real Prometheus",
  "a fail-over of Redis by Sentinel, and one of Postgres to a replica",
];

const PASSED = "every check passed";
const FAILED = "**some checks failed**";

interface Outcome {
  title: string;
  what: string;
  seconds: number;
  figures: Figures;
  error?: string;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => CHECKS[name] === undefined);
if (unknown.length > 0) {
  throw new Error(`There is no check ${unknown.join(", ")}. There are: ${Object.keys(CHECKS).join(", ")}.`);
}
const started = new Date();
const commit = await run("git", ["describe", "--always", "--dirty"]);
const images = await makeImages();
const outcomes: Outcome[] = [];
{
  await using fleet = await startFleet(images);
  for (const name of names.length > 0 ? names : Object.keys(CHECKS)) {
    const check = CHECKS[name];
    if (check !== undefined) outcomes.push(await carryOut(check, () => check.run(fleet)));
  }
}
const file = path.join(root, "docs/reports/deploy-report.md");
writeFileSync(file, names.length === 0 ? await report() : replaceSections(readFileSync(file, "utf8")));
const failed = outcomes.filter(({ error }) => error !== undefined).length;
process.stdout.write(`${outcomes.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function carryOut({ title, what }: Check, runCheck: () => Promise<Figures>): Promise<Outcome> {
  process.stdout.write(`${title} …\n`);
  const begin = performance.now();
  const seconds = () => Math.round((performance.now() - begin) / 1000);
  try {
    const figures = await runCheck();
    process.stdout.write(`  ${JSON.stringify(figures)}\n`);
    return { title, what, seconds: seconds(), figures };
  } catch (error) {
    const { message } = toError(error);
    process.stdout.write(`  FAILED: ${message}\n`);
    return { title, what, seconds: seconds(), figures: {}, error: message };
  }
}

async function report(): Promise<string> {
  const engine = await docker("version", "--format", "{{.Server.Version}}, {{.Server.Os}}/{{.Server.Arch}}");
  const facts = [
    ["Result", outcomes.some(({ error }) => error !== undefined) ? FAILED : PASSED],
    ["Date", started.toISOString()],
    ["Duration", `${Math.round((Date.now() - started.getTime()) / 60_000)} min, images included`],
    ["Commit", commit],
    ["Docker engine", engine],
    ["Base images", images.bases],
    ["Machine", `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, ${os.platform()} ${os.release()}`],
  ];
  const usedDebian = images.bases.startsWith("no registry");
  return [
    "# Deployment report",
    "",
    "Written by `deploy/test.sh`: the image of `deploy/Dockerfile`, and `deploy/compose.yaml` with two apis and two workers, on a",
    "Docker engine. Each check is a file in [`test/deploy/fleet/checks`](../../test/deploy/fleet/checks).",
    "",
    ...facts.map(([name, value]) => `- ${name}: ${value}`),
    ...outcomes.flatMap(section),
    "",
    "## Not run",
    "",
    ...(usedDebian ? ["- the published base images: no registry was reachable"] : []),
    ...NOT_RUN.map((line) => `- ${line}`),
    "",
  ].join("\n");
}

/** The report with these checks' sections in place of their earlier ones, each with its own commit. */
function replaceSections(before: string): string {
  const [head = "", ...sections] = before.split(/^(?=## )/m);
  const replaced = sections.map((text) => {
    const outcome = outcomes.find(({ title }) => text.startsWith(`## ${title}\n`));
    if (outcome === undefined) return text;
    const figures = { ...outcome.figures, "run alone, of commit": commit };
    return `${section({ ...outcome, figures })
      .slice(1)
      .join("\n")}\n\n`;
  });
  const result = replaced.some((text) => text.includes("**Failed:**")) ? FAILED : PASSED;
  return `${head.replace(/^- Result: .*$/m, `- Result: ${result}`)}${replaced.join("")}`;
}

function section({ title, what, seconds, figures, error }: Outcome): string[] {
  const rows = Object.entries({ ...figures, "duration (s)": seconds }).map(([name, value]) => [
    name,
    typeof value === "number" ? value.toLocaleString("en-US") : value,
  ]);
  const failure = error === undefined ? [] : ["", `**Failed:** ${error.split("\n")[0]}`];
  return ["", `## ${title}`, "", what, ...failure, "", ...markdownTable(["Figure", "Value"], rows)];
}
