import type { Server } from "../../support/load.ts";
import { LARGE, MAX, SMALL, TYPICAL } from "../../support/payloads.ts";
import type { Product } from "../../support/product.ts";
import { createRandom } from "../../support/random.ts";
import { encodeScan, encodeScans, type ScanBody } from "../../support/requests.ts";
import { seedServices } from "../../support/seed.ts";
import { boundServer } from "../../support/service-keys.ts";
import { createServiceSet, type ServiceSet } from "../../support/services.ts";

const REPEATED_SHARE = 0.8;
/** How many services send scans of each size: the share of the scans that have it. */
const MIX = [
  [SMALL, 300],
  [TYPICAL, 500],
  [LARGE, 150],
  [MAX, 50],
] as const;
const CHANGING_SERVICES = 50;

/** What a fleet of services sends. */
export interface Fleet {
  server: Server;
  /** The next scans: in four of five cases one that was persisted before, otherwise new ones of another service. */
  prepare(count: number): ScanBody[];
}

/** Has the contents persisted that will come again. */
export async function createFleet(product: Product): Promise<Fleet> {
  const random = createRandom(1);
  const repeated: ScanBody[] = [];
  const changing: ServiceSet[] = [];
  for (const [size, services] of MIX) {
    const set = createServiceSet(size, services);
    await seedServices(product, set);
    const bodies = encodeScans(services, "command", () => set.next("repeated", { keeps: true }));
    repeated.push(...bodies);
    const changingSet = createServiceSet(size, CHANGING_SERVICES, { prefix: `changing-${size.name}` });
    // As often as the mix says: one of these is drawn for each new scan.
    changing.push(...bodies.map(() => changingSet));
  }
  const names = new Set([...repeated.map(({ service }) => service), ...changing.flatMap((set) => set.names)]);
  const draw = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  return {
    server: await boundServer(product, [...names]),
    prepare: (count) =>
      Array.from({ length: count }, () =>
        random() < REPEATED_SHARE
          ? draw(repeated)
          : encodeScan(draw(changing).next("new", { keeps: true }), "command"),
      ),
  };
}
