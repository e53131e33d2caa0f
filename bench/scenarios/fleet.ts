import { startProduct } from "../support/product.ts";
import type { Scenario } from "../support/scenario.ts";
import { createFleet } from "./fleet/mix.ts";
import { measureHeap } from "./fleet/heap.ts";
import { findSustainedRate, runSteadily } from "./fleet/steady.ts";

/** With fewer rounds than these, a part of the fleet is enough. */
const ROUNDS_WHOLE = 15;

/** A whole fleet of services for minutes: whether backlog, memory and heap stay constant. */
export const measureFleet: Scenario = async (environment, { rounds }) => {
  const share = Math.min(1, rounds / ROUNDS_WHOLE);
  const product = await startProduct(environment, { name: "fleet" });
  const fleet = await createFleet(product);
  environment.own(await product.startWorker());

  process.stderr.write("  highest sustained rate\n");
  const perSecond = await findSustainedRate(product, fleet, share);
  process.stderr.write(`  steady load, ${Math.round(perSecond)} scans persisted per second at most\n`);
  const steady = await runSteadily(product, fleet, { highestPerSecond: perSecond, share });
  process.stderr.write("  heap\n");
  const heap = await measureHeap(product, share);
  return {
    scenario: "fleet",
    figures: [...steady.figures, ...heap.figures],
    findings: [...steady.findings, ...heap.findings],
  };
};
