import type { ScanChanges } from "@waymark/shared/scans/schema.ts";

/** True for a comparison with another run than the one before. */
export function isOtherRun({ against, previous }: Pick<ScanChanges, "against" | "previous">): boolean {
  return against !== null && against !== previous;
}
