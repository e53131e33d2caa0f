import { createHash } from "node:crypto";
import type { OperationName } from "@waymark/openapi/canonical/operation-names.ts";

/** Returns SHA-256 over the methods and paths of operations, whatever their order, in hexadecimal. */
export function operationsHash(operations: readonly OperationName[]): string {
  const hash = createHash("sha256");
  for (const name of namesOf(operations)) hash.update(`${name}\n`);
  return hash.digest("hex");
}

/** The differences between the operations of a description and the endpoints of a run. */
export interface OperationDifference {
  /** Operations without an endpoint. */
  notScanned: string[];
  /** Endpoints without an operation. */
  notDescribed: string[];
}

/** Compares the operations of a description with the endpoints of a run, by method and path. */
export function compareOperations(
  operations: readonly OperationName[],
  endpoints: readonly OperationName[],
): OperationDifference {
  const [described, scanned] = [namesOf(operations), namesOf(endpoints)];
  const [ofDescription, ofRun] = [new Set(described), new Set(scanned)];
  return {
    notScanned: described.filter((name) => !ofRun.has(name)),
    notDescribed: scanned.filter((name) => !ofDescription.has(name)),
  };
}

function namesOf(operations: readonly OperationName[]): string[] {
  // A path may contain a line break.
  const names = operations.map(({ method, path }) => `${method} ${path.replaceAll("\n", String.raw`\n`)}`);
  return [...new Set(names)].toSorted();
}
