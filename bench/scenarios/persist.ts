import type { Scenario } from "../support/scenario.ts";
import { measureQueues } from "./persist/queues.ts";
import { measureThroughput } from "./persist/throughput.ts";
import { measureWritten } from "./persist/written.ts";

/** How fast accepted scans become rows, and what Postgres writes for it. */
export const measurePersist: Scenario = async (environment, options) => {
  const parts = [
    await measureThroughput(environment, options),
    await measureWritten(environment, options),
    await measureQueues(environment, options),
  ];
  return {
    scenario: "persist",
    figures: parts.flatMap(({ figures }) => figures),
    findings: parts.flatMap(({ findings }) => findings),
  };
};
