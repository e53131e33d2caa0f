import type { Scenario } from "../support/scenario.ts";
import { measureCompletion } from "./persist/completion.ts";
import { measureQueues } from "./persist/queues.ts";
import { measureRows } from "./persist/rows.ts";
import { measureThroughput } from "./persist/throughput.ts";

/** How fast accepted scans become rows: under load, alone, and against the ways there are to insert rows. */
export const measurePersist: Scenario = async (environment, options) => {
  const parts = [
    await measureRows(environment, options),
    await measureCompletion(environment, options),
    await measureThroughput(environment, options),
    await measureQueues(environment, options),
  ];
  return {
    scenario: "persist",
    figures: parts.flatMap(({ figures }) => figures),
    findings: parts.flatMap(({ findings }) => findings),
  };
};
