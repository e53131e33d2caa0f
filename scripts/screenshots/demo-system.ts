import path from "node:path";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { ingest, waitForRun } from "@waymark/test-support/scans.ts";
import { runNode } from "@waymark/test-support/run-node.ts";
import { createOrganization, startApi, startWorker, waitForScanRun } from "@waymark/test-support/stack.ts";
import { databaseUrl, prepareTemplate, withClient } from "@waymark/test-support/template-database.ts";
import { root } from "../bootstrap/checkout.mjs";
import { startPostgres } from "../postgres/start-postgres.ts";
import { ageData } from "./demo-dates.ts";
import { createDemoKeys } from "./demo-keys.ts";
import { DEMO_SERVICES, demoPayload } from "./demo-services.ts";

const DATABASE = "waymark_screenshots";
const EXAMPLES = [
  { service: "bookshop", spec: "examples/bookshop.openapi.yaml" },
  { service: "orders", spec: "examples/orders.openapi.json" },
  { service: "warehouse", spec: "examples/warehouse.swagger.yaml" },
];

export interface DemoSystem extends AsyncDisposable {
  baseUrl: string;
  apiKey: string;
  /** A completed run of `payments` that changed much, the page of the service itself, and a run that failed. */
  pages: { service: string; run: string; largeRun: string; failedRun: string };
}

/** The whole of Waymark on a database of its own, with the examples and the demo services scanned into it. */
export async function startDemoSystem(): Promise<DemoSystem> {
  const started = new AsyncDisposableStack();
  try {
    const postgres = await startPostgres({ folder: path.join(root, ".waymark/screenshots"), settings: {} });
    started.defer(() => postgres.stop());
    const url = await createDatabase(postgres.databaseUrl);
    const { apiKey } = await createOrganization(url, "Bookshop Inc.");
    const api = started.use(await startApi({ databaseUrl: url }));
    const worker = started.use(await startWorker({ databaseUrl: url }));
    const http = createHttpClient(api.baseUrl, { key: apiKey });

    await scanExamples(api.baseUrl, apiKey);
    const scanned = await scanDemoServices({ http });
    await worker.stop();
    const failedRun = await damageRun({ http }, url);
    const second = started.use(await startWorker({ databaseUrl: url }));
    await waitForScanRun(http, failedRun);
    await second.stop();
    await createDemoKeys(http);
    await withClient(url, ageData);
    return {
      baseUrl: api.baseUrl,
      apiKey,
      pages: { ...scanned, failedRun },
      [Symbol.asyncDispose]: () => started.disposeAsync(),
    };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

async function createDatabase(serverUrl: string): Promise<string> {
  const template = await prepareTemplate(serverUrl);
  await withClient(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${DATABASE} TEMPLATE ${template}`);
  });
  return databaseUrl(serverUrl, DATABASE);
}

/** With the real command, linted. */
async function scanExamples(baseUrl: string, apiKey: string): Promise<void> {
  for (const { service, spec } of EXAMPLES) {
    const args = ["cli/bin/waymark.mjs", "scan", "--service", service, "--spec", spec, "--lint"];
    await runNode(args, { SERVICE_API_KEY: apiKey, SERVICE_API_URL: baseUrl });
  }
}

type Http = Parameters<typeof ingest>[0];

async function scanDemoServices(stack: Http): Promise<Omit<DemoSystem["pages"], "failedRun">> {
  const pages = { service: "", run: "", largeRun: "" };
  for (const service of DEMO_SERVICES) {
    for (let run = 0; run < service.runs; run++) {
      const { body } = await ingest(stack, demoPayload(service, run));
      const { unchanged } = await waitForRun(stack, body.scanRunId);
      if (service.name === "legacy-gateway") pages.largeRun = body.scanRunId;
      if (service.name !== "payments") continue;
      pages.service = body.serviceId;
      if (!unchanged) pages.run = body.scanRunId;
    }
  }
  return pages;
}

/** A run that ends as failed, for want of its rows: the only way that there is to one. */
async function damageRun(stack: Http, url: string): Promise<string> {
  const [service] = DEMO_SERVICES.filter(({ name }) => name === "search");
  if (service === undefined) throw new Error("there is no demo service named search");
  const payload = demoPayload({ ...service, title: "Search, next" }, service.runs - 1);
  // With an endpoint less, or all of its content would be stored, and the run complete at once.
  const endpoints = payload.endpoints.slice(1);
  const { body } = await ingest(stack, { ...payload, endpoints, findings: [] });
  await withClient(url, (client) =>
    client.query("UPDATE scan_payloads SET items = 'x' WHERE scan_run_id = $1", [body.scanRunId]),
  );
  return body.scanRunId;
}
