import { applyLoad } from "../../support/load.ts";
import {
  createBodies,
  createRandom,
  LARGE,
  MAX,
  type ScanBody,
  SMALL,
  TYPICAL,
} from "../../support/payloads.ts";
import { checkIngest, type Product } from "../../support/product.ts";
import { SERVICES } from "../../support/seed.ts";

const REPEATED_SHARE = 0.8;
const DISTINCT_BODIES = 1_000;
const FIRST_NEW_CONTENT = 1_000_000;
/** How many of a hundred scans have each size. */
const MIX = [
  [SMALL, 30],
  [TYPICAL, 50],
  [LARGE, 15],
  [MAX, 5],
] as const;

/** What a fleet of services sends. */
export interface Fleet {
  /** The next scan: in four of five cases one that was persisted before. */
  next(): ScanBody;
  /** How much of what was handed out was new: so many runs had to wait for a worker, so many rows there must be. */
  newContents(): { scans: number; endpoints: number };
}

/** Has the contents persisted that will come again. */
export async function createFleet(product: Product): Promise<Fleet> {
  const random = createRandom(1);
  const makers = MIX.flatMap(([size, share]) => Array.from({ length: share }, () => createBodies(size)));
  const bodyOf = (content: number): ScanBody => {
    // A content's size is the same whenever it comes.
    const maker = makers[content % makers.length];
    if (maker === undefined) throw new Error("the mix is empty");
    return maker(content, content % SERVICES);
  };
  await applyLoad(product.server, {
    connections: 8,
    requests: DISTINCT_BODIES,
    body: bodyOf,
    check: checkIngest(),
  });
  await product.drained();

  let content = FIRST_NEW_CONTENT;
  let scans = 0;
  let endpoints = 0;
  return {
    next() {
      if (random() < REPEATED_SHARE) return bodyOf(Math.floor(random() * DISTINCT_BODIES));
      // Not in the order of sizes.
      const body = bodyOf(content++ * makers.length + Math.floor(random() * makers.length));
      scans++;
      endpoints += body.size.endpoints;
      return body;
    },
    newContents: () => ({ scans, endpoints }),
  };
}
