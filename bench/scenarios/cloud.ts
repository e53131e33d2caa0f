import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { createOrganization } from "@waymark/test-support/stack.ts";
import { type Baseline, startBaseline } from "../support/baseline.ts";
import type { JourneyRuns } from "../support/journey-runs.ts";
import type { MeasuredProcess } from "../support/measured-process.ts";
import { cpuMsOfTree } from "../support/process-tree.ts";
import { type Product, startProduct } from "../support/product.ts";
import { countUnfinishedJourneys, repeatJourneyRun, takeEndedJourneys } from "../support/product-state.ts";
import { ratios, runRounds, type Samples, type Subject, valuesOf } from "../support/rounds.ts";
import type { ScenarioResult } from "../support/report.ts";
import type { Scenario } from "../support/scenario.ts";
import { quantile } from "../support/statistics.ts";
import { TARGETS } from "../support/targets.ts";

const JOURNEYS = path.join(root, "bench/journeys");
const THINGS = {
  journey: path.join(JOURNEYS, "things.arazzo.yaml"),
  overlays: [],
  openapi: path.join(JOURNEYS, "things.openapi.yaml"),
  source: "things",
};
/** Runs of one round. */
const RUNS = 200;
/** Some 600 in each of ten processes. After 100 in each, their code is compiled less, and a run costs a quarter more in them. */
const WARM_UP = 6_000;
const COMMAND_RUNS = 1_000;
const COMMAND_WARM_UP = 5_000;
const STARTS = 15;
const WAITING = 1_000;
/** Starts of another organization's runs while these wait. */
const STARTS_BESIDE = 5;
const PAUSE_MS = 300;

/** An organization with the journey and an environment for it. */
interface Tenant {
  http: HttpClient;
  environmentId: string;
}

interface Cloud {
  product: Product;
  worker: MeasuredProcess;
  target: Baseline;
  tenants: [Tenant, Tenant];
}

/** Journeys in the worker: what they cost, how soon they start, and how soon beside another organization's many. */
export const measureCloud: Scenario = async (environment, { rounds }) => {
  const target = await startBaseline(environment, "subjects/things-server.ts", {});
  const command = await startBaseline(environment, "subjects/journeys.ts", {});
  const product = await startProduct(environment, {
    name: "cloud",
    env: {
      JOURNEY_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      JOURNEY_EGRESS_ALLOW: `127.0.0.1:${target.ready}`,
      WORKER_ROLES: "journeys",
    },
  });
  const other = await createOrganization(product.databaseUrl, "Other");
  const tenants: Cloud["tenants"] = [
    await addTenant(product, product.apiKey, target.ready),
    await addTenant(product, other.apiKey, target.ready),
  ];
  const worker = environment.own(await product.startWorker());
  const cloud = { product, worker, target, tenants };
  process.stderr.write("  cost:");
  const cost = await runRounds([commandRunner(command, target), workerRunner(cloud)], rounds);
  process.stderr.write("  start, idle:");
  const idle = await runRounds([starts(cloud, { name: "idle", count: STARTS })], rounds);
  process.stderr.write(`  start beside ${WAITING}:`);
  const beside = await runRounds([startsBeside(cloud)], rounds);
  if ((await target.process.call<number>("left")) !== 0) throw new Error("a journey left things behind");
  return resultOf({ cost, idle, beside });
};

function resultOf({ cost, idle, beside }: Record<"cost" | "idle" | "beside", Samples>): ScenarioResult {
  const besideName = `start beside ${WAITING}`;
  return {
    scenario: "cloud",
    figures: [
      ...["worker", "command"].flatMap((subject) => [
        { subject, measurement: "per journey", unit: "ms CPU", values: valuesOf(cost, subject, "cpuMs") },
        { subject, measurement: "journeys", unit: "1/s", values: valuesOf(cost, subject, "perSecond") },
      ]),
      { subject: "start, idle", measurement: "p50", unit: "ms", values: valuesOf(idle, "idle", "p50") },
      { subject: "start, idle", measurement: "max", unit: "ms", values: valuesOf(idle, "idle", "max") },
      { subject: besideName, measurement: "max", unit: "ms", values: valuesOf(beside, "beside", "max") },
    ],
    findings: [
      { target: TARGETS.cloudRate, values: ratios(cost, "perCpuSecond", "worker", "command") },
      { target: TARGETS.cloudStart, values: valuesOf(idle, "idle", "p50") },
      { target: TARGETS.cloudFair, values: valuesOf(beside, "beside", "max") },
    ],
  };
}

/** The journey of all runners, whose first request says which run it is of. */
async function addTenant({ port }: Product, key: string, targetPort: number): Promise<Tenant> {
  const http = createHttpClient(`http://127.0.0.1:${port}`, { key });
  const journey = readFileSync(THINGS.journey, "utf8")
    .replace(
      "  - workflowId: main\n",
      "  - workflowId: main\n    inputs: { type: object, properties: { by: { type: string } } }\n",
    )
    .replace(
      "operationId: createThing\n",
      "operationId: createThing\n        parameters: [{ name: by, in: query, value: $inputs.by }]\n",
    );
  const changes = [
    { path: "things.arazzo.yaml", text: journey, baseVersion: null },
    { path: "things.openapi.yaml", text: readFileSync(THINGS.openapi, "utf8"), baseVersion: null },
  ];
  expectStatus(await http.post("/api/journey-changesets", { changes }), 201);
  const servers = { things: `http://127.0.0.1:${targetPort}` };
  const created = await http.post<{ id: string }>("/api/environments", { name: "bench", servers });
  expectStatus(created, 201);
  return { http, environmentId: created.body.id };
}

function expectStatus({ status, text }: { status: number; text: string }, expected: number): void {
  if (status !== expected) throw new Error(`the api answered ${status}: ${text.slice(0, 500)}`);
}

async function startRun({ http, environmentId }: Tenant, by: string): Promise<string> {
  const started = await http.post<{ runId: string }>("/api/journey-runs", {
    path: "things.arazzo.yaml",
    environmentId,
    inputs: { by },
  });
  expectStatus(started, 202);
  return started.body.runId;
}

function commandRunner({ process: runner }: Baseline, target: Baseline): Subject {
  const url = `http://127.0.0.1:${target.ready}`;
  return {
    name: "command",
    async measure(round) {
      const count = round < 0 ? COMMAND_WARM_UP : COMMAND_RUNS;
      const { perSecond, cpuMs } = await runner.call<JourneyRuns>("run", { files: THINGS, url, count });
      return { perSecond, cpuMs, perCpuSecond: 1_000 / cpuMs };
    },
  };
}

function workerRunner(cloud: Cloud): Subject {
  const { product, worker, tenants } = cloud;
  return {
    name: "worker",
    async measure(round) {
      // Its processes have to be warm, as the command's is.
      const count = round < 0 ? WARM_UP : RUNS;
      const first = await startRun(tenants[0], "first");
      await untilEnded(cloud);
      await repeatJourneyRun(product.db, first, count - 1);
      const cpu = cpuMsOfTree(worker.pid);
      const begin = performance.now();
      // Its announcement wakes the worker. The other organization has none that wait, of which there may be 200.
      await startRun(tenants[1], "last");
      await untilEnded(cloud);
      const ms = performance.now() - begin;
      const cpuMs = (cpuMsOfTree(worker.pid) - cpu) / count;
      await assertPassed(product, count + 1);
      return { perSecond: (count / ms) * 1_000, cpuMs, perCpuSecond: 1_000 / cpuMs };
    },
  };
}

async function untilEnded({ product }: Cloud): Promise<void> {
  while ((await countUnfinishedJourneys(product.db)) > 0) await sleep(25);
}

async function assertPassed({ db }: Product, count: number): Promise<void> {
  const ended = await takeEndedJourneys(db);
  if (ended["passed"] !== count)
    throw new Error(`of ${count} journeys these passed or not: ${JSON.stringify(ended)}`);
}

/** From the 202 to the arrival of the first request, in milliseconds. */
async function timeStart({ target }: Cloud, tenant: Tenant): Promise<number> {
  const by = randomUUID();
  await startRun(tenant, by);
  const accepted = performance.timeOrigin + performance.now();
  for (;;) {
    const at = await target.process.call<number | null>("madeAt", by);
    if (at !== null) return Math.max(0, at - accepted);
    await sleep(5);
  }
}

function starts(cloud: Cloud, { name, count }: { name: string; count: number }): Subject {
  return {
    name,
    async measure() {
      const times: number[] = [];
      for (let n = 0; n < count; n++) {
        await sleep(PAUSE_MS);
        times.push(await timeStart(cloud, cloud.tenants[1]));
      }
      await untilEnded(cloud);
      await assertPassed(cloud.product, count);
      return { p50: quantile(times, 0.5), max: Math.max(...times) };
    },
  };
}

function startsBeside(cloud: Cloud): Subject {
  const { product, tenants } = cloud;
  return {
    name: "beside",
    async measure() {
      const first = await startRun(tenants[0], "first");
      await untilEnded(cloud);
      await repeatJourneyRun(product.db, first, WAITING);
      await startRun(tenants[1], "wakes");
      const times: number[] = [];
      for (let n = 0; n < STARTS_BESIDE; n++) {
        await sleep(PAUSE_MS);
        times.push(await timeStart(cloud, tenants[1]));
        if ((await countUnfinishedJourneys(product.db)) === 0)
          throw new Error("the other organization's runs have ended already");
      }
      await untilEnded(cloud);
      await assertPassed(product, WAITING + 2 + STARTS_BESIDE);
      return { max: Math.max(...times) };
    },
  };
}
