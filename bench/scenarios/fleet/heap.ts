import { applyLoad } from "../../support/load.ts";
import { createBodies, SMALL } from "../../support/payloads.ts";
import { checkIngest, type Product } from "../../support/product.ts";
import type { ScenarioResult } from "../../support/report.ts";
import { SERVICES } from "../../support/seed.ts";
import { TARGETS } from "../../support/targets.ts";

const EARLY = 10_000;
const LATE = 100_000;
const CONNECTIONS = 32;
/** One in so many is new; the others were sent before. */
const NEW_EVERY = 5;
const FIRST_CONTENT = 500_000_000;

/** Live objects of the api after many ingests against after few: what only grows is a leak. */
export async function measureHeap(
  product: Product,
  share: number,
): Promise<Omit<ScenarioResult, "scenario">> {
  const bodies = createBodies(SMALL);
  let sent = 0;
  const body = () => {
    const n = sent++;
    const content = n % NEW_EVERY === 0 ? n : n % SERVICES;
    return bodies(FIRST_CONTENT + content, content % SERVICES);
  };
  const heapAfter = async (ingests: number) => {
    await applyLoad(product.server, {
      connections: CONNECTIONS,
      requests: ingests - sent,
      body,
      check: checkIngest(),
    });
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
