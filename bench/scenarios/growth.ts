import { createOrganization } from "@waymark/test-support/stack.ts";
import type { Environment } from "../support/environment.ts";
import { applyLoad, type Server } from "../support/load.ts";
import { LARGE, MAX, type ScanSize, SMALL, TYPICAL } from "../support/payloads.ts";
import { checkIngest, type Product, startProduct } from "../support/product.ts";
import { measureEndpointRows, storeEndpointRows } from "../support/product-state.ts";
import type { Figure } from "../support/report.ts";
import { encodeScans, type ScanBody } from "../support/requests.ts";
import { figuresOf, runRounds, type Sample, type Samples, type Subject } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { seedServices } from "../support/seed.ts";
import { boundServer } from "../support/service-keys.ts";
import { createServiceSet, type ServiceSet } from "../support/services.ts";
import { quantile } from "../support/statistics.ts";

const SIZES: readonly ScanSize[] = [
  { name: "one", endpoints: 1, findings: 0 },
  SMALL,
  TYPICAL,
  LARGE,
  { name: "half", endpoints: 1000, findings: 250 },
  MAX,
];
/** Items of one turn. */
const ITEMS = 40_000;
const REQUESTS = 400;
const CONNECTIONS = [1, 8, 32, 128] as const;
const WORKERS = [1, 2, 4] as const;
const ORGANIZATIONS = [1, 4, 16] as const;
/** Connections of all organizations together; each has an equal share of them. */
const CONNECTIONS_OF_ORGANIZATIONS = 16;
const SERVICES_OF_ORGANIZATION = 10;
/** Endpoint rows that are stored before the scans. docs/performance.md has a model for larger numbers. */
const STORED_ROWS = [0, 1_000_000, 10_000_000] as const;

/** How the cost grows: with items, connections, workers, organizations and with what is stored already. No targets. */
export const measureGrowth: Scenario = async (environment, { rounds }) => {
  const figures = [
    ...(await measureItems(environment, rounds)),
    ...(await measureConnections(environment, rounds)),
    ...(await measureWorkers(environment, rounds)),
    ...(await measureOrganizations(environment, rounds)),
    ...(await measureStoredRows(environment, rounds)),
  ];
  return { scenario: "growth", figures, findings: [] };
};

/** A server, and the services that one of its keys may send scans of. */
interface Sender {
  server: Server;
  set: ServiceSet;
  connections: number;
  requests: number;
}

/** Sends new scans, as the command does, and waits until the last of them is persisted. */
async function measurePersisting(product: Product, senders: readonly Sender[]): Promise<Sample> {
  const loads = senders.map(({ set, ...load }) => {
    const bodies = encodeScans(load.requests, "command", () => set.next("new", { keeps: true }));
    return { ...load, body: (n: number) => bodies[n] as ScanBody, check: checkIngest };
  });
  const start = performance.now();
  const results = await Promise.all(loads.map(({ server, ...load }) => applyLoad(server, load)));
  await product.drained();
  const seconds = (performance.now() - start) / 1000;
  const latencies = results.flatMap(({ latenciesMs }) => latenciesMs);
  return {
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    perSecond: latencies.length / seconds,
  };
}

const toFigures = (samples: Samples): Figure[] =>
  figuresOf(samples, [
    ["p50", "ms", "201, p50"],
    ["p99", "ms", "201, p99"],
    ["perSecond", "1/s", "persisted"],
  ]);

/** A product whose services of one size have their first scan, and no worker yet. */
async function startSeeded(environment: Environment, name: string): Promise<{ product: Product } & Sender> {
  const product = await startProduct(environment, { name: `growth_${name}` });
  const set = createServiceSet(TYPICAL, REQUESTS);
  const { command: server } = await seedServices(product, set);
  return { product, set, server, connections: 8, requests: REQUESTS };
}

/** One connection, and scans of 1 to 2,500 items. */
async function measureItems(environment: Environment, rounds: number): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_items" });
  const subjects: Subject[] = [];
  for (const size of SIZES) {
    const requests = Math.min(REQUESTS, Math.ceil(ITEMS / (size.endpoints + size.findings)));
    const set = createServiceSet(size, requests);
    const { command: server } = await seedServices(product, set);
    subjects.push({
      name: `${size.endpoints} endpoints, ${size.findings} findings`,
      measure: () => measurePersisting(product, [{ server, set, connections: 1, requests }]),
    });
  }
  environment.own(await product.startWorker());
  process.stderr.write("  items:");
  return toFigures(await runRounds(subjects, rounds));
}

async function measureConnections(environment: Environment, rounds: number): Promise<Figure[]> {
  const { product, ...sender } = await startSeeded(environment, "connections");
  environment.own(await product.startWorker());
  process.stderr.write("  connections:");
  const subjects = CONNECTIONS.map((connections) => ({
    name: `typical, ${connections} connections`,
    measure: () => measurePersisting(product, [{ ...sender, connections }]),
  }));
  return toFigures(await runRounds(subjects, rounds));
}

async function measureWorkers(environment: Environment, rounds: number): Promise<Figure[]> {
  const { product, ...sender } = await startSeeded(environment, "workers");
  process.stderr.write("  workers:");
  const subjects = WORKERS.map((count) => ({
    name: `typical, ${count} workers`,
    async measure() {
      const workers = await Promise.all(Array.from({ length: count }, () => product.startWorker()));
      try {
        return await measurePersisting(product, [sender]);
      } finally {
        await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()));
      }
    },
  }));
  return toFigures(await runRounds(subjects, rounds));
}

/** Sends a fixed number of scans from more and more organizations: each batch is of one of them. */
async function measureOrganizations(environment: Environment, rounds: number): Promise<Figure[]> {
  const product = await startProduct(environment, { name: "growth_organizations" });
  environment.own(await product.startWorker());
  const set = createServiceSet(TYPICAL, SERVICES_OF_ORGANIZATION);
  const servers = [await boundServer(product, set.names)];
  while (servers.length < Math.max(...ORGANIZATIONS)) {
    const { apiKey } = await createOrganization(product.databaseUrl, `Organization ${servers.length}`);
    servers.push(await boundServer({ port: product.port, apiKey }, set.names));
  }
  process.stderr.write("  organizations:");
  const subjects = ORGANIZATIONS.map((count) => ({
    name: `typical, ${count} organizations`,
    measure: () => {
      const share = { connections: CONNECTIONS_OF_ORGANIZATIONS / count, requests: REQUESTS / count };
      return measurePersisting(
        product,
        servers.slice(0, count).map((server) => ({ server, set, ...share })),
      );
    },
  }));
  return toFigures(await runRounds(subjects, rounds));
}

/** Sends scans into larger and larger tables. It measures in stages, not in turns, because the stored rows stay. */
async function measureStoredRows(environment: Environment, rounds: number): Promise<Figure[]> {
  const { product, ...sender } = await startSeeded(environment, "rows");
  environment.own(await product.startWorker());
  await product.drained();
  const figures: Figure[] = [];
  let stored = 0;
  for (const rows of STORED_ROWS) {
    process.stderr.write(`  ${rows} rows stored:`);
    await storeEndpointRows(product.db, product.organizationId, { from: stored, to: rows });
    stored = rows;
    const subject = `typical, ${rows.toLocaleString("en")} rows stored`;
    const measure = () => measurePersisting(product, [sender]);
    figures.push(...toFigures(await runRounds([{ name: subject, measure }], rounds)));
    const { table, index } = await measureEndpointRows(product.db);
    figures.push(
      { subject, measurement: "table, per row", unit: "bytes", values: [table] },
      { subject, measurement: "index, per row", unit: "bytes", values: [index] },
    );
  }
  return figures;
}
