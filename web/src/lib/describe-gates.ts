import type { RunGate } from "@waymark/shared/scans/gates/schema.ts";

/** Returns the names of the gates that failed; none where no verdict is known. */
export function namesOfFailed(gates: readonly RunGate[] | null): string[] {
  return (gates ?? []).filter(({ passed }) => !passed).map(({ gate }) => gate);
}

/** Returns the failed gates in words, such as "failed --fail-on high and --fail-on-removed"; undefined if none failed. */
export function describeFailed(failed: readonly string[]): string | undefined {
  if (failed.length === 0) return undefined;
  const last = failed.at(-1) ?? "";
  return failed.length === 1 ? `failed ${last}` : `failed ${failed.slice(0, -1).join(", ")} and ${last}`;
}
