import path from "node:path";
import { runNode } from "../../test/support/run-node.ts";
import { startBaseline } from "../support/baseline.ts";
import type { Environment } from "../support/environment.ts";
import { applyLoad, type Server } from "../support/load.ts";
import { createBodies, MAX, type ScanBody, type ScanSize, TYPICAL } from "../support/payloads.ts";
import { checkIngest, connectOwner, type Product, startProduct } from "../support/product.ts";
import { ratios, runRounds, type Samples, type Subject, valuesOf } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { createServices, persistBodies, SERVICES } from "../support/seed.ts";
import { quantile } from "../support/statistics.ts";
import { BEFORE_AFTER } from "../support/targets.ts";

const CONNECTIONS = 8;
const DISTINCT_BODIES = 500;
const FIRST_NEW_CONTENT = 1_000_000;
/** Of one turn. What is persisted is measured over turns that last. */
const REQUESTS = { max: { accepted: 60, persisted: 128 }, typical: { accepted: 360, persisted: 1_200 } };

/** What is asked of a side. */
type Compared = Pick<Product, "db" | "server" | "drained"> & { startWorker: () => Promise<AsyncDisposable> };

const SIDES = ["before", "after"] as const;

/**
 * This checkout against another one of the same project, whose packages are installed, in turns on one Postgres: what
 * a change costs or gains. Each side runs its own services, migrations and worker.
 */
export const measureBeforeAfter: Scenario = async (environment, { rounds, before: folder }) => {
  if (folder === undefined) throw new Error("say which checkout came before: --before ../folder");
  const products: Record<(typeof SIDES)[number], Compared> = {
    before: await startBefore(environment, path.resolve(folder)),
    after: await startProduct(environment, { name: "after" }),
  };
  for (const side of SIDES) await createServices(products[side]);
  const figures = [];
  const findings = [];
  for (const size of [MAX, TYPICAL]) {
    const samples = await measureSize(products, size, rounds);
    for (const [name, measurement, unit, target] of MEASUREMENTS) {
      for (const side of SIDES) {
        const values = valuesOf(samples, `${name}, ${side}`, measurement);
        figures.push({ subject: `${size.name}: ${name}, ${side}`, measurement, unit, values });
      }
      const values = ratios(samples, measurement, `${name}, after`, `${name}, before`);
      findings.push({ target, note: `${size.name}, ${name}`, values });
    }
  }
  return { scenario: "before-after", figures, findings };
};

const MEASUREMENTS = [
  ["new content", "p50", "ms", BEFORE_AFTER.p50],
  ["new content", "p99", "ms", BEFORE_AFTER.p99],
  ["repeated content", "p50", "ms", BEFORE_AFTER.p50],
  ["repeated content", "p99", "ms", BEFORE_AFTER.p99],
  ["persisted", "perSecond", "1/s", BEFORE_AFTER.persisted],
] as const;

/** Migrated and started by the other checkout's own code, which knows what its processes want. */
async function startBefore(environment: Environment, folder: string): Promise<Compared> {
  const databaseUrl = await environment.createDatabase("before", "empty");
  await runNode([path.join(folder, "services/api/src/migrate.ts")], { DATABASE_URL: databaseUrl });
  const { process: checkout } = await startBaseline(environment, "subjects/checkout", {
    CHECKOUT: folder,
    DATABASE_URL: databaseUrl,
    REDIS_URL: await environment.startRedis(),
    LOG_FOLDER: environment.logFolder,
  });
  return {
    db: await connectOwner(environment, databaseUrl),
    server: await checkout.call<Server>("server"),
    drained: () => checkout.call("drained"),
    async startWorker() {
      await checkout.call("startWorker");
      return { [Symbol.asyncDispose]: () => checkout.call("stopWorker") };
    },
  };
}

async function measureSize(
  products: Record<(typeof SIDES)[number], Compared>,
  size: ScanSize,
  rounds: number,
): Promise<Samples> {
  const bodies = createBodies(size);
  const requests = size === MAX ? REQUESTS.max : REQUESTS.typical;
  for (const side of SIDES) await persistBodies(products[side], { bodies, count: DISTINCT_BODIES });
  let content = FIRST_NEW_CONTENT;
  const fresh = () => bodies(content++, content % SERVICES);
  const known = (n: number) => bodies(n % DISTINCT_BODIES, n % SERVICES);

  process.stderr.write(`  ${size.name}:`);
  const subjects = SIDES.flatMap((side): Subject[] => {
    const product = products[side];
    // Nobody works here: what waits would only grow.
    const clear = async () => void (await product.db.query("TRUNCATE scan_payloads"));
    return [
      {
        name: `new content, ${side}`,
        measure: () => measureAccepted(product, { body: fresh, requests: requests.accepted }),
        clear,
      },
      {
        name: `repeated content, ${side}`,
        measure: () => measureAccepted(product, { body: known, requests: requests.accepted }),
      },
      {
        name: `persisted, ${side}`,
        measure: () => measurePersisted(product, { body: fresh, requests: requests.persisted }),
      },
    ];
  });
  return runRounds(subjects, rounds);
}

interface Turn {
  body: (n: number) => ScanBody;
  requests: number;
}

async function measureAccepted(product: Compared, turn: Turn): Promise<{ p50: number; p99: number }> {
  const { latenciesMs } = await applyLoad(product.server, {
    ...turn,
    connections: CONNECTIONS,
    check: checkIngest(),
  });
  return { p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) };
}

/** From the first request until nothing waits for the worker any more. */
async function measurePersisted(product: Compared, turn: Turn): Promise<{ perSecond: number }> {
  const worker = await product.startWorker();
  try {
    const startedAt = performance.now();
    await applyLoad(product.server, { ...turn, connections: CONNECTIONS, check: checkIngest("accepted") });
    await product.drained();
    return { perSecond: (turn.requests / (performance.now() - startedAt)) * 1000 };
  } finally {
    await worker[Symbol.asyncDispose]();
  }
}
