import { applyLoad } from "../../support/load.ts";
import { SMALL } from "../../support/payloads.ts";
import { checkIngest, type Product } from "../../support/product.ts";
import type { ScenarioResult } from "../../support/report.ts";
import { encodeScans, type ScanBody } from "../../support/requests.ts";
import { seedServices } from "../../support/seed.ts";
import { createServiceSet } from "../../support/services.ts";
import { TARGETS } from "../../support/targets.ts";

const EARLY = 10_000;
const LATE = 100_000;
const CONNECTIONS = 32;
const SERVICES = 1_000;
/** One in so many is new; the others were sent before. */
const NEW_EVERY = 5;
/** Bodies that are made at once. */
const CHUNK = 2_000;

/** Live objects of the api after many ingests, compared with few: growth is a leak. */
export async function measureHeap(
  product: Product,
  share: number,
): Promise<Omit<ScenarioResult, "scenario">> {
  const repeating = createServiceSet(SMALL, SERVICES, { prefix: "heap" });
  const changing = createServiceSet(SMALL, SERVICES, { prefix: "heap-changing" });
  const [known, fresh] = [await seedServices(product, repeating), await seedServices(product, changing)];
  const server = {
    ...known.command,
    keyOf: (service: string) => (service.startsWith("heap-changing") ? fresh : known).command.keyOf(service),
  };
  let sent = 0;
  const next = () => {
    const isNew = sent++ % NEW_EVERY === 0;
    return isNew ? changing.next("new", { keeps: true }) : repeating.next("repeated", { keeps: true });
  };
  const heapAfter = async (ingests: number) => {
    for (let left = ingests - sent; left > 0; left -= CHUNK) {
      const bodies = encodeScans(Math.min(CHUNK, left), "command", next);
      await applyLoad(server, {
        connections: CONNECTIONS,
        requests: bodies.length,
        body: (n) => bodies[n] as ScanBody,
        check: checkIngest,
      });
    }
    await product.drained();
    return product.api.call<number>("heapUsed");
  };
  const early = await heapAfter(Math.ceil(EARLY * share));
  const late = await heapAfter(Math.ceil(LATE * share));
  const figure = (measurement: string, bytes: number) => ({
    subject: "api heap",
    measurement,
    unit: "MB",
    values: [bytes / 1024 ** 2],
  });
  return {
    figures: [figure("early", early), figure("late", late)],
    findings: [{ target: TARGETS.heap, values: [late / early] }],
  };
}
