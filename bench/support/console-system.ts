import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { sharedBrowser } from "@waymark/test-support/browser.ts";
import { createOrganization } from "@waymark/test-support/stack.ts";
import { createJourneyPages, type PageCase } from "@waymark/test-support/console-pages.ts";
import type { Environment } from "./environment.ts";
import { applyLoad } from "./load.ts";
import { MAX } from "./payloads.ts";
import { checkIngest, type Product, startProduct } from "./product.ts";
import { indexEndpointRows, storeCurrentFindings, storeEndpointRows } from "./product-state.ts";
import { encodeScans } from "./requests.ts";
import { seedServices } from "./seed.ts";
import { createServiceSet } from "./services.ts";
import type { SignedIn } from "./visit-page.ts";

export const SERVICES = 46;
/** Scans of each service, for its trend and its plots. */
const SCANS_EACH = 4;
/** Rows of endpoints of earlier scans, beside the current ones. */
const OLD_ENDPOINT_ROWS = 1_000_000;
/** Services of the other organization, with 500 findings each. */
const SERVICES_WITH_FINDINGS = 1_000;

export interface ConsoleSystem extends SignedIn {
  http: HttpClient;
  /** With the key of another organization, which has 500,000 findings and nothing else. */
  findings: HttpClient;
  pages: PageCase[];
  /** The one whose table has 2,000 rows. */
  largeTable: PageCase;
}

/** Api, worker and a browser, with a fleet of large services to look at. */
export async function startConsoleSystem(environment: Environment): Promise<ConsoleSystem> {
  const product = await startProduct(environment, {
    name: "console",
    queue: "postgres",
    env: { JOURNEY_KEYS: `k1:${randomBytes(32).toString("base64")}`, WORKER_ROLES: "scans" },
  });
  const baseUrl = `http://127.0.0.1:${product.port}`;
  const http = createHttpClient(baseUrl, { key: product.apiKey });
  await seedScans(product);
  const worker = await product.startWorker();
  const journeyPages = await createJourneyPages({ http });
  // Users see what is derived, except for some ten seconds after a scan.
  await product.derived();
  // It would collect the rows that follow, to which no scan refers.
  await worker[Symbol.asyncDispose]();
  const oldRows = { from: 0, to: OLD_ENDPOINT_ROWS };
  await storeEndpointRows(product.db, product.organizationId, oldRows);
  await indexEndpointRows(product.db, product.organizationId, oldRows);
  const other = await createOrganization(product.databaseUrl);
  await storeCurrentFindings(product.db, other.organizationId, { services: SERVICES_WITH_FINDINGS });
  const findings = createHttpClient(baseUrl, { key: other.apiKey });
  const { body } = await http.get<{ services: { id: string; name: string; currentScanRunId: string }[] }>(
    "/api/services?limit=200",
  );
  const service = body.services.find(({ name }) => name === `${MAX.name}-0`);
  if (service === undefined) throw new Error("the first service is missing");
  const scanPages = pagesOfScans({ serviceId: service.id, runId: service.currentScanRunId });
  const browser = environment.own(await sharedBrowser());
  const context = await browser.newContext({ baseURL: baseUrl });
  const signedIn = await context.request.post("/api/session", { data: { apiKey: product.apiKey } });
  if (!signedIn.ok()) throw new Error(`signing in was answered with ${signedIn.status()}`);
  const state = await context.storageState();
  await context.close();
  const [largeTable] = scanPages.filter(({ name }) => name === "a run's endpoints");
  if (largeTable === undefined) throw new Error("there is no page with a large table");
  return { http, findings, browser, baseUrl, state, pages: [...scanPages, ...journeyPages], largeTable };
}

async function seedScans(product: Product): Promise<void> {
  const set = createServiceSet(MAX, SERVICES);
  const servers = await seedServices(product, set);
  const worker = await product.startWorker();
  try {
    for (let scan = 1; scan < SCANS_EACH; scan++) {
      const bodies = encodeScans(SERVICES, "command", () => set.next("evolving", { keeps: true }));
      await applyLoad(servers.command, {
        connections: 4,
        requests: bodies.length,
        body: (n) => bodies[n] as (typeof bodies)[number],
        check: checkIngest,
      });
      await product.drained();
    }
  } finally {
    await worker[Symbol.asyncDispose]();
  }
}

const isPlotted = (page: Page) => page.getByRole("img", { name: /^Findings over/ }).waitFor();

/** The number of a run's changes is the last that comes. */
const countsChanges = (page: Page) => page.getByRole("tab", { name: /^Changes \([\d,]+\)$/ }).waitFor();

const showsRun = (page: Page) =>
  Promise.all([
    page.getByText("2,000 of 2,000").waitFor(),
    page
      .getByRole("link", { name: / findings? of / })
      .first()
      .waitFor(),
    countsChanges(page),
  ]);

function pagesOfScans({ serviceId, runId }: { serviceId: string; runId: string }): PageCase[] {
  const run = `/scan-runs/${runId}`;
  return [
    { name: "the overview", path: "/", ready: (page) => page.getByRole("tab", { name: /^Open / }).waitFor() },
    {
      name: "the findings of all services",
      path: "/findings",
      ready: (page) => page.getByRole("table", { name: "Findings" }).waitFor(),
    },
    {
      name: "services",
      path: "/services",
      ready: (page) => page.getByRole("link", { name: `${MAX.name}-0`, exact: true }).waitFor(),
    },
    {
      name: "a service",
      path: `/services/${serviceId}`,
      ready: (page) => Promise.all([page.getByText("2,000 of 2,000").waitFor(), isPlotted(page)]),
    },
    {
      name: "a service's runs",
      path: `/services/${serviceId}?tab=runs`,
      ready: (page) => Promise.all([page.getByRole("cell", { name: "current" }).waitFor(), isPlotted(page)]),
    },
    { name: "a run's endpoints", path: `${run}?tab=endpoints`, ready: showsRun },
    {
      name: "a run's findings",
      path: `${run}?tab=findings`,
      ready: (page) => Promise.all([page.getByText("500 of 500").waitFor(), countsChanges(page)]),
    },
    {
      name: "a run's changes",
      path: run,
      ready: (page) =>
        Promise.all([
          page.getByRole("region", { name: "Verdict" }).waitFor(),
          page.getByText(/This is the first scan of|changes? since/).waitFor(),
        ]),
    },
    {
      name: "API keys",
      path: "/api-keys",
      ready: (page) =>
        page.getByRole("button", { name: `Details of CI of ${MAX.name}-0`, exact: true }).waitFor(),
    },
  ];
}
