import { deepStrictEqual } from "node:assert";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { ChangeCounts } from "./evolve.ts";
import { applyLoad, type Server } from "./load.ts";
import { checkIngest, type Product } from "./product.ts";
import { encodeScan } from "./requests.ts";
import { type Scan, SCAN_KINDS, type ServiceSet } from "./services.ts";

/** The changes of an evolving scan are random, so several are checked. */
const SCANS_OF_A_KIND = 3;

/**
 * Sends some scans of every kind and asks the api, once they are persisted, what they changed. A worker must run.
 * @throws Error if one is not as expected
 */
export async function verifyKinds(
  product: Pick<Product, "port" | "apiKey" | "drained">,
  server: Server,
  set: ServiceSet,
): Promise<void> {
  for (const kind of SCAN_KINDS) {
    for (let n = 0; n < Math.min(SCANS_OF_A_KIND, set.names.length); n++) {
      await verify(product, server, set.next(kind, { keeps: true }));
    }
  }
}

async function verify(
  product: Pick<Product, "port" | "apiKey" | "drained">,
  server: Server,
  scan: Scan,
): Promise<void> {
  let scanRunId = "";
  await applyLoad(server, {
    connections: 1,
    requests: 1,
    body: () => encodeScan(scan, "command"),
    check(answer, body) {
      checkIngest(answer, body);
      ({ scanRunId } = JSON.parse(answer.body) as { scanRunId: string });
    },
  });
  await product.drained();
  const run = await read<ScanRun>(product, `/api/scan-runs/${scanRunId}`);
  const changes = await read<ScanChanges>(product, `/api/scan-runs/${scanRunId}/changes?against=previous`);
  const hasSameItems = scan.kind === "repeated" || scan.kind === "description only";
  deepStrictEqual(
    { status: run.status, unchanged: run.unchanged, ...count(changes) },
    { status: "completed", unchanged: hasSameItems, ...scan.changes },
    `a scan that should be "${scan.kind}" is not`,
  );
}

/** The findings of a comparison. A checkout that is compared may be older than one of its fields. */
type Findings = Pick<ScanChanges["findings"], "new" | "fixed"> &
  Partial<Pick<ScanChanges["findings"], "removedWithEndpoint">>;

function count({
  endpoints,
  findings,
}: Pick<ScanChanges, "endpoints"> & { findings: Findings }): ChangeCounts {
  return {
    added: endpoints.added.length,
    removed: endpoints.removed.length,
    changed: endpoints.changed.length,
    newFindings: findings.new.length,
    fixedFindings: findings.fixed.length + (findings.removedWithEndpoint ?? []).length,
  };
}

async function read<T>({ port, apiKey }: Pick<Product, "port" | "apiKey">, path: string): Promise<T> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
  return (await answer.json()) as T;
}
