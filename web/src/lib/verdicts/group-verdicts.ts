import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import { isSamePath } from "../endpoint/endpoint-address.ts";

/** Verdicts that affect the same operations. */
export interface VerdictGroup {
  key: string;
  operations: Verdict["operations"];
  /** The number of operations, also of those that are not named. */
  operationCount: number;
  verdicts: readonly Verdict[];
}

/** Groups verdicts by the operations that they affect, in the order of their first verdicts: the most severe first. */
export function groupVerdicts(verdicts: readonly Verdict[]): VerdictGroup[] {
  const groups = Map.groupBy(verdicts, ({ operations, operationCount }) =>
    JSON.stringify([operationCount, operations.map(({ kind, method, path }) => [kind, method, path])]),
  );
  return [...groups].map(([key, ofGroup]) => ({
    key,
    operations: ofGroup[0]?.operations ?? [],
    operationCount: ofGroup[0]?.operationCount ?? 0,
    verdicts: ofGroup,
  }));
}

/** The verdicts that affect an endpoint, whatever its path parameters are called. */
export function verdictsOf(
  verdicts: readonly Verdict[],
  { method, path }: { method: string; path: string },
): Verdict[] {
  return verdicts.filter(({ operations }) =>
    operations.some((one) => one.kind === "operation" && one.method === method && isSamePath(one.path, path)),
  );
}

/** True if the operations of a group are gone, so that only the description before has them. */
export function isGone({ verdicts }: Pick<VerdictGroup, "verdicts">): boolean {
  return verdicts.some(({ id }) => /^operation-(?:removed|moved)/.test(id));
}

/** True if the change can be approved: it may break clients, and no approval holds. */
export function needsApproval({ level, approval }: Verdict): boolean {
  return level !== "safe" && approval === null;
}
