import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findOrInstall } from "@waymark/test-support/debian-package.ts";
import { metricNames, scrape } from "@waymark/test-support/metrics.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { waitUntil } from "@waymark/test-support/wait-until.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { findFreePort } from "../../scripts/postgres/free-port.ts";

const MANUAL =
  "This test needs a real Prometheus: put prometheus on the PATH (Debian and Ubuntu: apt-get install prometheus; " +
  "macOS: brew install prometheus).";
const READY_MS = 60_000;

/** Metrics that only faults, journeys or time produce: their queries are valid, and find nothing in a healthy stack. */
const EMPTY_WHEN_HEALTHY = [
  "waymark_scan_runs_failed_total",
  "waymark_key_refusals_total",
  "waymark_bodies_refused_total",
  "waymark_journey_runs_ended_total",
  "waymark_journey_runs_recovered_total",
  "waymark_journey_schedule_ticks_total",
  "waymark_housekeeping_deleted_total",
];

const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const { panels } = JSON.parse(read("deploy/grafana/dashboards/waymark.json")) as {
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
};
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr: expr.replaceAll("$__rate_interval", "1m") })),
);

const ports = { api: 0, worker: 0, prometheus: 0 };
const folder = mkdtempSync(path.join(tmpdir(), "waymark-prometheus-"));
let stack: Stack;
let stopPrometheus: () => Promise<void>;

interface Answer {
  status: string;
  error?: string;
  data?: { result: { value: [number, string] }[] };
}
async function ask(expr: string): Promise<Answer> {
  const url = `http://127.0.0.1:${ports.prometheus}/api/v1/query?query=${encodeURIComponent(expr)}`;
  return (await (await fetch(url)).json()) as Answer;
}

/** With the names of the jobs that deploy/prometheus.yml gives them. */
async function startPrometheus(): Promise<() => Promise<void>> {
  const program = await findOrInstall(["prometheus"], { debianPackage: "prometheus", manual: MANUAL });
  if (!("file" in program)) throw new Error(program.whatToDo);
  const jobs = (["api", "worker"] as const).map((name) => ({
    job_name: `waymark-${name}`,
    static_configs: [{ targets: [`127.0.0.1:${ports[name]}`] }],
  }));
  const file = path.join(folder, "prometheus.yml");
  writeFileSync(file, stringify({ global: { scrape_interval: "1s" }, scrape_configs: jobs }));
  const child = spawn(
    program.file,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${ports.prometheus}`,
    ],
    { stdio: "ignore" },
  );
  return async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
}

/** Each process some times, because a rate needs two samples. */
async function untilScraped(): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    const { data } = await ask("min(count_over_time(waymark_queue_usable[1m]))").catch((): Answer => ({
      status: "none",
    }));
    if (Number(data?.result[0]?.value[1] ?? 0) >= 3) return;
    await sleep(250);
  }
  throw new Error(`Prometheus has not scraped both processes within ${READY_MS} ms.`);
}

beforeAll(async () => {
  for (const name of ["api", "worker", "prometheus"] as const) ports[name] = await findFreePort();
  stack = await startStack({
    apiEnv: { METRICS_PORT: String(ports.api) },
    workerEnv: { METRICS_PORT: String(ports.worker), WORKER_ROLES: "scans,journeys" },
  });
  // Before the first sample is taken: what was never counted has no series.
  const sent = await ingest(stack, scanPayload({}));
  await waitForRun(stack, sent.body.scanRunId);
  const sample = async (port: number, name: string) => (await scrape(port)).value(name) ?? 0;
  const persisted = "waymark_batch_duration_seconds_count";
  await waitUntil("its sample of the worker", async () => (await sample(ports.worker, persisted)) > 0);
  const ingested = 'waymark_ingest_duration_seconds_count{path="new"}';
  await waitUntil("its sample of the api", async () => (await sample(ports.api, ingested)) > 0);
  stopPrometheus = await startPrometheus();
  await untilScraped();
});
afterAll(async () => {
  await stopPrometheus();
  await stack[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe("the dashboard", () => {
  it("uses only metrics that api and worker have", async () => {
    const texts = await Promise.all([scrape(ports.api), scrape(ports.worker)]);
    const names = texts.flatMap(({ text }) => metricNames(text));
    const known = new Set([
      ...names.flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
      "up",
    ]);
    const used = queries.flatMap(
      ({ expr }) => expr.match(/\b(waymark_\w+|nodejs_\w+|process_\w+|up)\b/g) ?? [],
    );
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(queries)("$title: Prometheus answers $expr", async ({ expr }) => {
    const { status, error } = await ask(expr);
    expect([status, error]).toEqual(["success", undefined]);
    if (EMPTY_WHEN_HEALTHY.some((name) => expr.includes(name))) return;
    // A scrape that took too long leaves a gap.
    await expect.poll(async () => (await ask(expr)).data?.result.length).toBeGreaterThan(0);
  });

  it("would be refused with a query that Prometheus does not understand", async () => {
    expect((await ask("sum by (waymark_unfinished_scan_runs")).status).toBe("error");
  });

  it("is the one that compose provides, with its data source", () => {
    const { datasources } = parse(read("deploy/grafana/provisioning/datasources/prometheus.yaml")) as {
      datasources: { uid: string; url: string }[];
    };
    expect(datasources).toMatchObject([{ uid: "prometheus", url: "http://prometheus:9090" }]);
    const used = new Set(
      read("deploy/grafana/dashboards/waymark.json").match(/(?<="type": "prometheus",\s+"uid": ")\w+/g),
    );
    expect([...used]).toEqual(["prometheus"]);
    const { providers } = parse(read("deploy/grafana/provisioning/dashboards/waymark.yaml")) as {
      providers: { options: { path: string } }[];
    };
    expect(read("deploy/compose.observability.yaml")).toContain(
      `./grafana/dashboards:${providers[0]?.options.path}:ro`,
    );
  });
});
