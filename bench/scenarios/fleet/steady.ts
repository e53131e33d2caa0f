import { applyLoad } from "../../support/load.ts";
import { checkIngest, type Product } from "../../support/product.ts";
import { countStored, countWaiting } from "../../support/product-state.ts";
import type { ScenarioResult } from "../../support/report.ts";
import type { ScanBody } from "../../support/requests.ts";
import { TARGETS } from "../../support/targets.ts";
import type { Fleet } from "./mix.ts";

const CONNECTIONS = 64;
/** About half a minute: a burst is answered faster than anything can be sustained. */
const CALIBRATION_REQUESTS = 12_000;
const LOAD_SHARE = 0.8;
const ENDPOINT_ROWS = 1_000_000;
/** Endpoints of an average scan of the mix, and the share that is new. */
const NEW_ENDPOINTS_PER_SCAN = 241 * 0.2;
const SAMPLE_MS = 250;

/** Scans fully persisted per second when they come as fast as they are answered. */
export async function findSustainedRate(product: Product, fleet: Fleet, share: number): Promise<number> {
  const requests = Math.ceil(CALIBRATION_REQUESTS * share);
  const bodies = fleet.prepare(requests);
  const start = performance.now();
  await applyLoad(fleet.server, {
    connections: CONNECTIONS,
    requests,
    body: (n) => bodies[n] as ScanBody,
    check: checkIngest,
  });
  await product.drained();
  return (requests / (performance.now() - start)) * 1000;
}

interface Observation {
  backlog: number;
  memoryMb: number;
}

/** Evenly spread load below the highest rate, until the rows are there. */
// oxlint-disable-next-line max-lines-per-function -- one measured run, in order
export async function runSteadily(
  product: Product,
  fleet: Fleet,
  { highestPerSecond, share }: { highestPerSecond: number; share: number },
): Promise<Omit<ScenarioResult, "scenario">> {
  const perSecond = highestPerSecond * LOAD_SHARE;
  const requests = Math.ceil((ENDPOINT_ROWS * share) / NEW_ENDPOINTS_PER_SCAN);
  const before = await countStored(product.db);
  const bodies = fleet.prepare(requests);
  const observer = observe(product);
  const { durationMs } = await applyLoad(fleet.server, {
    connections: CONNECTIONS,
    requests,
    perSecond,
    body: (n) => bodies[n] as ScanBody,
    check: checkIngest,
  });
  const observations = await observer.stop();
  await product.drained();

  const after = await countStored(product.db);
  const fresh = bodies.filter(({ kind }) => kind === "new");
  const newScans = fresh.length;
  const newEndpoints = fresh.reduce((total, { endpoints }) => total + endpoints, 0);
  const lost =
    Math.abs(requests - (after.completed - before.completed)) +
    Math.abs(newEndpoints - (after.endpointRows - before.endpointRows));
  // Only new contents wait; this many of them arrive in a second.
  const newPerSecond = (perSecond * newScans) / requests;
  const backlogs = observations.map(({ backlog }) => backlog);
  const memory = Math.max(...observations.map(({ memoryMb }) => memoryMb));
  const longestBacklog = Math.max(...backlogs) / newPerSecond;
  const sentPerSecond = (requests / durationMs) * 1000;
  const figure = (measurement: string, unit: string, values: number[]) => ({
    subject: "fleet",
    measurement,
    unit,
    values,
  });
  return {
    figures: [
      figure("highest rate", "scans/s", [highestPerSecond]),
      figure("rate sent", "scans/s", [sentPerSecond]),
      figure("new endpoint rows", "rows", [newEndpoints]),
      figure("backlog", "runs", backlogs),
      figure("longest backlog", "runs", [Math.max(...backlogs)]),
    ],
    findings: [
      // Less would be another load than the one that the others are for.
      { target: TARGETS.fleetRate, values: [sentPerSecond / perSecond] },
      { target: TARGETS.fleetBacklog, values: [longestBacklog] },
      { target: TARGETS.fleetPersisted, values: [lost] },
      { target: TARGETS.fleetMemory, values: [memory] },
    ],
  };
}

function observe({ db, api }: Product) {
  const observations: Observation[] = [];
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const memoryBytes = await api.call<number>("residentBytes");
      observations.push({ backlog: await countWaiting(db), memoryMb: memoryBytes / 1024 ** 2 });
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  return {
    async stop(): Promise<Observation[]> {
      stopped.abort();
      await running;
      return observations;
    },
  };
}
