import { createHash } from "node:crypto";
import type { ScanIngestionPayload, ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { type TestConsole, startConsole } from "@waymark/test-support/console.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import {
  createHostedOrganization,
  type Stack,
  startWorker,
  waitForScanRun,
} from "@waymark/test-support/stack.ts";
import { withClient } from "@waymark/test-support/template-database.ts";
import { createPullRequest } from "./demo-change.ts";
import { ageData } from "./demo-dates.ts";
import { createDemoDecisions } from "./demo-decisions.ts";
import { createDemoJourneys, type DemoJourneyPages, shareRun, startExampleApi } from "./demo-journeys.ts";
import { createDemoKeys, createDemoPolicies } from "./demo-keys.ts";
import { createDemoPeople } from "./demo-people.ts";
import { DEMO_SERVICES, demoPayload } from "./demo-services.ts";

const EXAMPLES = [
  { service: "bookshop", spec: "examples/bookshop.openapi.yaml" },
  { service: "orders", spec: "examples/orders.openapi.json" },
  { service: "warehouse", spec: "examples/warehouse.swagger.yaml" },
];

/** Ids: runs of `payments`, its first and its last that changed something, its service, the largest run, and runs that failed and were held back. */
export interface DemoPages extends DemoJourneyPages {
  service: string;
  /** A service whose description is stored. */
  bookshop: string;
  /** The path of a link to a run of a journey that failed. */
  sharedRun: string;
  /** A run of a pull request that breaks clients. */
  change: string;
  firstRun: string;
  run: string;
  largeRun: string;
  failedRun: string;
  heldRun: string;
  person: string;
  team: string;
  /** A key of a person. */
  personKey: string;
  /** A key of an organization that has nothing yet. */
  newcomerKey: string;
}

/** The whole of Waymark and a browser, with the examples and the demo services scanned into it. */
export async function startDemoSystem(): Promise<{ console: TestConsole; pages: DemoPages }> {
  await using api = await startExampleApi();
  const console = await startConsole({
    organization: "Bookshop Inc.",
    workerEnv: { WORKER_ROLES: "scans,journeys", JOURNEY_EGRESS_ALLOW: `127.0.0.1:${api.port}` },
  });
  try {
    const { stack } = console;
    const journeyPages = await createDemoJourneys(stack, api);
    const bookshop = await scanExamples(stack);
    const scanned = await scanDemoServices(stack);
    const heldRun = await makeHeldRun(stack);
    const failedRun = await makeFailedRun(stack);
    await createDemoKeys(stack.http);
    await createDemoPolicies(stack.http);
    const people = await createDemoPeople(stack);
    await withClient(stack.databaseUrl, ageData);
    const sharedRun = await shareRun(stack, journeyPages.failedJourneyRun);
    const change = await createPullRequest(stack);
    await createDemoDecisions(stack, change);
    const { apiKey: newcomerKey } = await createHostedOrganization(stack.databaseUrl, "Newcomers Ltd");
    return {
      console,
      pages: {
        ...journeyPages,
        sharedRun,
        ...scanned,
        bookshop,
        change,
        failedRun,
        heldRun,
        ...people,
        newcomerKey,
      },
    };
  } catch (error) {
    await console[Symbol.asyncDispose]();
    throw error;
  }
}

/** With the real command, linted. Returns the id of the first one's service. */
async function scanExamples({ api, apiKey, http }: Stack): Promise<string> {
  for (const { service, spec } of EXAMPLES) {
    const args = ["cli/bin/waymark.mjs", "scan", "--service", service, "--spec", spec, "--lint"];
    await runNode(args, { SERVICE_API_KEY: apiKey, SERVICE_API_URL: api.baseUrl });
  }
  const { body } = await http.get<{ services: { id: string }[] }>("/api/services?name=bookshop");
  return body.services[0]?.id ?? "";
}

type ScannedPages = Pick<DemoPages, "service" | "firstRun" | "run" | "largeRun">;

async function scanDemoServices(stack: Stack): Promise<ScannedPages> {
  const pages = { service: "", firstRun: "", run: "", largeRun: "" };
  for (const service of DEMO_SERVICES) {
    for (let run = 0; run < service.runs; run++) {
      const { body } = await scanFromPipeline(stack, demoPayload(service, run), { commit: run });
      const { unchanged } = await waitForRun(stack, body.scanRunId);
      if (service.name === "legacy-gateway") pages.largeRun = body.scanRunId;
      if (service.name !== "payments") continue;
      pages.service = body.serviceId;
      if (run === 0) pages.firstRun = body.scanRunId;
      if (!unchanged) pages.run = body.scanRunId;
    }
  }
  return pages;
}

/** As a pipeline of a main branch sends it. */
function scanFromPipeline(
  { http }: Stack,
  payload: ScanIngestionPayload,
  { commit, headers = {} }: { commit: number; headers?: Record<string, string> },
) {
  const hash = createHash("sha1").update(`${payload.service.name} ${commit}`).digest("hex");
  return http.post<ScanIngestionResult>("/api/scans/ingest", payload, {
    headers: { "waymark-branch": "main", "waymark-commit": hash, ...headers },
  });
}

/** A run of which a gate of its pipeline failed. */
async function makeHeldRun(stack: Stack): Promise<string> {
  const service = DEMO_SERVICES.find(({ name }) => name === "notifications");
  if (service === undefined) throw new Error("there is no demo service named notifications");
  const payload = demoPayload(service, service.runs - 1);
  const { body } = await scanFromPipeline(
    stack,
    { ...payload, endpoints: payload.endpoints.slice(4) },
    {
      commit: service.runs,
      headers: {
        "waymark-promote": "false",
        "waymark-branch": "shorter-urls",
        "waymark-build-url": "https://ci.example/notifications/builds/412",
      },
    },
  );
  await waitForRun(stack, body.scanRunId);
  return body.scanRunId;
}

/** A run whose rows are damaged while no worker runs: only such a run ends as failed. */
async function makeFailedRun(stack: Stack): Promise<string> {
  await stack.worker.stop();
  const service = DEMO_SERVICES.find(({ name }) => name === "search");
  if (service === undefined) throw new Error("there is no demo service named search");
  const payload = demoPayload({ ...service, title: "Search, next" }, service.runs - 1);
  // One endpoint less: a scan whose whole content is stored already completes without the worker.
  const endpoints = payload.endpoints.slice(1);
  const { body } = await ingest(stack, { ...payload, endpoints, findings: [] });
  await withClient(stack.databaseUrl, (client) =>
    client.query("UPDATE scan_payloads SET items = 'x' WHERE scan_run_id = $1", [body.scanRunId]),
  );
  const worker = await startWorker(stack);
  await waitForScanRun(stack.http, body.scanRunId);
  await worker.stop();
  return body.scanRunId;
}
