import type { Operation } from "../openapi/operation.ts";
import type { Coverage } from "../result/result.ts";
import type { Run } from "./state.ts";
import { cleanFields } from "./values.ts";

/** Every operation of the program with its calls in the run, including those that were never called. */
export function coverageOf(run: Pick<Run, "known" | "log" | "prepared">): Coverage {
  const operations = inOrder(run.prepared.artifact.program.operations).map(([key, operation]) => {
    const { source, operationId, method, path } = operation;
    const seen = run.log.coverage.get(key);
    return {
      source,
      ...(operationId === undefined ? {} : { operationId }),
      method,
      path,
      calls: seen?.calls ?? 0,
      statuses: seen === undefined ? [] : [...seen.statuses].toSorted((a, b) => a - b),
      asserted: seen?.asserted ?? false,
    };
  });
  const notInInventory = [...run.log.external.values()].map((call) => cleanFields(run.known, call, ["url"]));
  return { operations, notInInventory };
}

const ordered = new WeakMap<object, [key: string, Operation][]>();

/** Sorted once for all runs of a program. */
function inOrder(operations: Readonly<Record<string, Operation>>): [key: string, Operation][] {
  let list = ordered.get(operations);
  if (list === undefined) {
    list = Object.entries(operations).toSorted(([a], [b]) => (a < b ? -1 : 1));
    ordered.set(operations, list);
  }
  return list;
}
