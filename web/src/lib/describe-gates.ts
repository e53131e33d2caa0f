import type { RunGate } from "@waymark/shared/scans/gates/schema.ts";
import { listWords } from "./list-words.ts";

/** Returns the names of the gates that failed; none where no verdict is known. */
export function namesOfFailed(gates: readonly RunGate[] | null): string[] {
  return (gates ?? []).filter(({ passed }) => !passed).map(({ gate }) => gate);
}

/** Returns the failed gates in words, such as "failed --fail-on high and --fail-on-removed"; undefined if none failed. */
export function describeFailed(failed: readonly string[]): string | undefined {
  return failed.length === 0 ? undefined : `failed ${listWords(failed)}`;
}
