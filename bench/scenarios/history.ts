import { isDeepStrictEqual } from "node:util";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { createOrganization } from "@waymark/test-support/stack.ts";
import { startBaseline } from "../support/baseline.ts";
import { openConnection } from "../support/connection.ts";
import { NO_CHANGE } from "../support/evolve.ts";
import { HISTORY_PACKAGE, readHistory } from "../support/history.ts";
import type { Server } from "../support/load.ts";
import { checkCounts, checkIngest, ingestServer, type Product, startProduct } from "../support/product.ts";
import { countInsertedRows } from "../support/product-state.ts";
import type { Figure } from "../support/report.ts";
import { encodeScan, type ScanBody } from "../support/requests.ts";
import { runRounds, type Sample, valuesOf } from "../support/rounds.ts";
import type { Scenario } from "../support/scenario.ts";
import { boundServer } from "../support/service-keys.ts";
import { SCAN_KINDS, type ScanKind } from "../support/services.ts";
import { quantile } from "../support/statistics.ts";
import { pause, type ScanTimes, timeScan } from "../support/time-scan.ts";

const SERVICE = "history";

/** The releases of a real API in their order, each sent when the one before is completed, on an idle machine. */
export const measureHistory: Scenario = async (environment, { rounds }) => {
  const bodies = toBodies(await readHistory(SERVICE));
  const product = await startProduct(environment, { name: "history" });
  environment.own(await product.startWorker());
  const baselineUrl = await environment.createDatabase("history_rows", "waymark");
  const { apiKey } = await createOrganization(baselineUrl);
  const { ready: port } = await startBaseline(environment, "baselines/synchronous-copy", {
    DATABASE_URL: baselineUrl,
  });

  process.stderr.write(`  ${bodies.length} releases of ${HISTORY_PACKAGE}:`);
  const samples = await runRounds(
    [
      {
        name: "waymark",
        measure: async () => toSample(bodies, await replay(await newServer(product), bodies, product)),
      },
      {
        name: "synchronous-copy",
        measure: async () => toSample(bodies, await replay(ingestServer({ port, apiKey }), bodies)),
      },
    ],
    rounds,
  );
  const times = [...samples].flatMap(([subject, [first]]) =>
    Object.keys(first ?? {}).map((measurement) => ({
      subject,
      measurement,
      unit: "ms",
      values: valuesOf(samples, subject, measurement),
    })),
  );
  return {
    scenario: "history",
    figures: [...countKinds(bodies), ...times, ...(await measureRows(product, bodies))],
    findings: [],
  };
};

function toBodies(scans: readonly ScanIngestionPayload[]): ScanBody[] {
  return scans.map((scan, n) => {
    const { service, endpoints, findings } = scan;
    const counts = { endpoints: endpoints.length, findings: findings.length };
    const kind = kindOf(scans[n - 1], scan);
    const text = JSON.stringify(scan);
    return encodeScan({ kind, service: service.name, text, ...counts, changes: NO_CHANGE }, "command");
  });
}

function kindOf(before: ScanIngestionPayload | undefined, scan: ScanIngestionPayload): ScanKind {
  if (before === undefined) return "new";
  if (!isDeepStrictEqual(before.endpoints, scan.endpoints)) return "evolving";
  return isDeepStrictEqual(before.spec, scan.spec) ? "repeated" : "description only";
}

/** Content is shared within an organization, so each replay is of one that has none of it yet. */
async function newServer(product: Product): Promise<Server> {
  const { apiKey } = await createOrganization(product.databaseUrl, `History ${crypto.randomUUID()}`);
  return boundServer({ port: product.port, apiKey }, [SERVICE]);
}

async function replay(server: Server, bodies: readonly ScanBody[], product?: Product): Promise<ScanTimes[]> {
  const connection = await openConnection(server.port);
  const check = product === undefined ? checkCounts("completed") : checkIngest;
  const times: ScanTimes[] = [];
  for (const body of bodies) {
    await pause();
    times.push(await timeScan({ server, connection, check, ...(product && { product }) }, body));
  }
  connection.close();
  return times;
}

function toSample(bodies: readonly ScanBody[], times: readonly ScanTimes[]): Sample {
  const sample: Sample = {};
  for (const kind of SCAN_KINDS) {
    const ofKind = times.filter((_, n) => bodies[n]?.kind === kind);
    if (ofKind.length === 0) continue;
    for (const moment of ["answered", "completed"] as const) {
      const name = moment === "answered" ? "201" : "completed";
      sample[`${kind}: ${name}, p50`] = quantile(
        ofKind.map((each) => each[moment]),
        0.5,
      );
    }
  }
  return sample;
}

function countKinds(bodies: readonly ScanBody[]): Figure[] {
  return SCAN_KINDS.map((kind) => ({
    subject: HISTORY_PACKAGE,
    measurement: `releases, ${kind}`,
    unit: "",
    values: [bodies.filter((body) => body.kind === kind).length],
  }));
}

/** Once more, for what is written: the count is the same every time. */
async function measureRows(product: Product, bodies: readonly ScanBody[]): Promise<Figure[]> {
  const server = await newServer(product);
  const before = await countInsertedRows(product.db);
  await replay(server, bodies, product);
  const written = (await countInsertedRows(product.db)) - before;
  const items = bodies.reduce((total, { endpoints, findings }) => total + endpoints + findings, 0);
  const figure = (measurement: string, value: number) => ({
    subject: "all releases",
    measurement,
    unit: "rows",
    values: [value],
  });
  return [figure("written by waymark", written), figure("a row per item and run", items)];
}
