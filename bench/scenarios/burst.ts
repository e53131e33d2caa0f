import { setTimeout as sleep } from "node:timers/promises";
import { NO_CHANGE } from "../support/evolve.ts";
import { applyLoad } from "../support/load.ts";
import { type Content, createContents, SMALL, toPayloadText } from "../support/payloads.ts";
import { checkIngest, ingestServer, type Product, startProduct } from "../support/product.ts";
import { countUnderived, DERIVED_KINDS, type DerivedKind } from "../support/product-state.ts";
import type { Finding } from "../support/report.ts";
import { encodeScan, type ScanBody } from "../support/requests.ts";
import type { Scenario } from "../support/scenario.ts";
import type { ScanKind } from "../support/services.ts";
import { TARGETS } from "../support/targets.ts";

const SERVICES = 3_000;
/** A run of fewer rounds, which is a rough look, has fewer services. */
const SERVICES_OF_ROUND = 200;
const CONNECTIONS = 8;
const POLL_MS = 200;

/** Seconds from the first request of a burst. */
interface BurstTimes {
  persisted: number;
  derived: Record<DerivedKind, number>;
}

/** How long it takes until all data is derived when every service is scanned again and one finding of each has changed. */
export const measureBurst: Scenario = async (environment, { rounds }) => {
  const services = Math.min(SERVICES, rounds * SERVICES_OF_ROUND);
  const product = await startProduct(environment, { name: "burst" });
  environment.own(await product.startWorker());
  const contentOf = createContents(SMALL);
  const contents = Array.from({ length: services }, (_, n) => contentOf(n));
  process.stderr.write("  first scans\n");
  await measureScans(product, encode("new", contents));
  process.stderr.write("  the burst\n");
  const { persisted, derived } = await measureScans(
    product,
    encode("evolving", contents.map(withOtherFinding)),
  );
  const subject = `${services} services`;
  const last = Math.max(...Object.values(derived));
  const finding: Finding = { target: TARGETS.burstDerived, isShown: services < SERVICES, values: [last] };
  return {
    scenario: "burst",
    figures: [
      { subject, measurement: "all persisted", unit: "s", values: [persisted] },
      ...DERIVED_KINDS.map((kind) => ({
        subject,
        measurement: `all ${kind} derived`,
        unit: "s",
        values: [derived[kind]],
      })),
      { subject, measurement: "all derived ÷ all persisted", unit: "", values: [last / persisted] },
    ],
    findings: [finding],
  };
};

function encode(kind: ScanKind, contents: readonly Content[]): ScanBody[] {
  return contents.map((content, n) => {
    const service = `service-${n}`;
    const counts = { endpoints: content.endpoints.length, findings: content.findings.length };
    const text = toPayloadText(service, content);
    return encodeScan({ kind, service, text, ...counts, changes: NO_CHANGE }, "plain");
  });
}

function withOtherFinding(content: Content): Content {
  const [first = "", ...others] = content.findings;
  const finding = JSON.parse(first) as { message: string };
  const changed = JSON.stringify({ ...finding, message: `${finding.message}, as before` });
  return { ...content, revision: content.revision + 1, findings: [changed, ...others] };
}

async function measureScans(product: Product, bodies: readonly ScanBody[]): Promise<BurstTimes> {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  await applyLoad(ingestServer(product), {
    connections: CONNECTIONS,
    requests: bodies.length,
    body: (n) => bodies[n] as ScanBody,
    check: checkIngest,
  });
  await product.drained();
  const persisted = elapsed();
  const derived = new Map<DerivedKind, number>();
  while (derived.size < DERIVED_KINDS.length) {
    const left = await countUnderived(product.db);
    for (const kind of DERIVED_KINDS) {
      if (left[kind] === 0 && !derived.has(kind)) derived.set(kind, elapsed());
    }
    await sleep(POLL_MS);
  }
  return { persisted, derived: Object.fromEntries(derived) as Record<DerivedKind, number> };
}
