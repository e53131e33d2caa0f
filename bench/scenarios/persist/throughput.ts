import { createOrganization } from "@waymark/test-support/stack.ts";
import { startBaseline } from "../../support/baseline.ts";
import type { Environment } from "../../support/environment.ts";
import { applyLoad, type Server } from "../../support/load.ts";
import { MAX, type ScanSize, TYPICAL } from "../../support/payloads.ts";
import { checkCounts, checkIngest, ingestServer, type Product, startProduct } from "../../support/product.ts";
import type { Figure, Finding, ScenarioResult } from "../../support/report.ts";
import { encodeScans, type Manner, type ScanBody } from "../../support/requests.ts";
import {
  ratios,
  runRounds,
  type Sample,
  type Samples,
  type Subject,
  valuesOf,
} from "../../support/rounds.ts";
import type { ScenarioOptions } from "../../support/scenario.ts";
import { type IngestServers, seedServices } from "../../support/seed.ts";
import { createServiceSet, type ScanKind, type ServiceSet } from "../../support/services.ts";
import { quantile } from "../../support/statistics.ts";
import { TARGETS, type Target } from "../../support/targets.ts";

const CONNECTIONS = 8;
/** The targets are about COPY. The others are shown, with this share of the requests: their rate is the same. */
const COPY = "synchronous-copy";
const SHOWN = ["synchronous-json", "synchronous-multi-row", "row-by-row"] as const;
const SHOWN_SHARE = 1 / 16;

interface Case {
  size: ScanSize;
  kind: ScanKind;
  /** Of a turn: some seconds of work, so that how a burst begins and ends is a small part of it. */
  requests: number;
  target: Target;
}

// New scans come last: after them the services have nothing of before.
const CASES: readonly Case[] = [
  { size: MAX, kind: "evolving", requests: 400, target: TARGETS.persistedMaxEvolving },
  { size: MAX, kind: "new", requests: 256, target: TARGETS.persistedMaxNew },
  { size: TYPICAL, kind: "evolving", requests: 2_400, target: TARGETS.persistedTypicalEvolving },
  { size: TYPICAL, kind: "new", requests: 2_400, target: TARGETS.persistedTypicalNew },
];

/** Scans fully persisted per second, with api, worker and database on the same processors. */
export async function measureThroughput(
  environment: Environment,
  { rounds }: ScenarioOptions,
): Promise<Omit<ScenarioResult, "scenario">> {
  const product = await startProduct(environment, { name: "persist" });
  const sets = new Map<ScanSize, { set: ServiceSet; servers: IngestServers }>();
  for (const size of [MAX, TYPICAL]) {
    // As many services as requests in a turn: what a service had before is persisted when its next scan comes.
    const requests = CASES.filter((each) => each.size === size).map((each) => each.requests);
    const set = createServiceSet(size, Math.max(...requests));
    sets.set(size, { set, servers: await seedServices(product, set) });
  }
  environment.own(await product.startWorker());
  const synchronous = await startSynchronousServers(environment);

  const figures: Figure[] = [];
  const findings: Finding[] = [];
  for (const each of CASES) {
    const seeded = sets.get(each.size);
    if (seeded === undefined) throw new Error("the size was not seeded");
    process.stderr.write(`  ${each.size.name}, ${each.kind}:`);
    const samples = await runRounds(subjectsOf({ ...each, ...seeded, product, synchronous }), rounds);
    figures.push(...figuresOf(each, samples));
    findings.push(
      ...(["command", "plain"] as const).map((manner) => ({
        target: each.target,
        ...(manner === "plain" && { note: "the plain request", isShown: true }),
        values: ratios(samples, "perSecond", `waymark, ${manner}`, COPY),
      })),
    );
  }
  return { figures, findings };
}

/** All on one database, of which one at a time writes. */
async function startSynchronousServers(environment: Environment): Promise<Map<string, Server>> {
  const databaseUrl = await environment.createDatabase("synchronous", "waymark");
  const { apiKey } = await createOrganization(databaseUrl);
  const servers = new Map<string, Server>();
  for (const name of [COPY, ...SHOWN]) {
    const { ready } = await startBaseline(environment, `baselines/${name}`, { DATABASE_URL: databaseUrl });
    servers.set(name, ingestServer({ port: ready, apiKey }));
  }
  return servers;
}

interface Turns extends Case {
  product: Product;
  set: ServiceSet;
  servers: IngestServers;
  synchronous: Map<string, Server>;
}

function subjectsOf({ product, servers, synchronous, set, kind, requests }: Turns): Subject[] {
  const bodiesOf = (count: number, manner: Manner, keeps: boolean) =>
    encodeScans(count, manner, () => set.next(kind, { keeps }));
  const waymark = (["command", "plain"] as const).map((manner) => ({
    name: `waymark, ${manner}`,
    measure: () =>
      measureTurn(servers[manner], bodiesOf(requests, manner, true), checkIngest, () => product.drained()),
  }));
  const baselines = [...synchronous].map(([name, server]) => ({
    name,
    measure: () => {
      const count = name === COPY ? requests : Math.ceil(requests * SHOWN_SHARE);
      return measureTurn(server, bodiesOf(count, "command", false), checkCounts("completed"));
    },
  }));
  return [...waymark, ...baselines];
}

/** From the first request until the last scan is persisted. */
async function measureTurn(
  server: Server,
  bodies: readonly ScanBody[],
  check: typeof checkIngest,
  persisted?: () => Promise<void>,
): Promise<Sample> {
  const startedAt = performance.now();
  const { latenciesMs } = await applyLoad(server, {
    connections: CONNECTIONS,
    requests: bodies.length,
    body: (n) => bodies[n] as ScanBody,
    check,
  });
  await persisted?.();
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: bodies.length / seconds, p50: quantile(latenciesMs, 0.5), seconds };
}

function figuresOf({ size, kind }: Case, samples: Samples): Figure[] {
  const measurements = [
    ["perSecond", "persisted", "1/s"],
    ["p50", "201, p50", "ms"],
    ["seconds", "a turn", "s"],
  ] as const;
  return [...samples.keys()].flatMap((subject) =>
    measurements.map(([name, measurement, unit]) => ({
      subject: `${size.name}, ${kind}: ${subject}`,
      measurement,
      unit,
      values: valuesOf(samples, subject, name),
    })),
  );
}
