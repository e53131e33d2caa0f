import type { Coverage } from "../result/result.ts";
import type { Run } from "./state.ts";

/** Every operation of the program with what the run did to it, those never called included. */
export function coverageOf(run: Run): Coverage {
  const operations = Object.entries(run.prepared.artifact.program.operations)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { source, operationId, method, path }]) => {
      const seen = run.coverage.get(key);
      return {
        source,
        ...(operationId === undefined ? {} : { operationId }),
        method,
        path,
        calls: seen?.calls ?? 0,
        statuses: [...(seen?.statuses ?? [])].toSorted((a, b) => a - b),
        asserted: seen?.asserted ?? false,
      };
    });
  return { operations, notInInventory: [...run.external.values()] };
}
