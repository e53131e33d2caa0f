import type { z } from "zod";
import type { FindingCounts } from "@waymark/shared/scans/schema.ts";

/** Returns the number of findings of each severity, from one that leaves out severities without any. */
export function findingCountsOf(found: Readonly<Record<string, number>>): z.infer<typeof FindingCounts> {
  return { info: 0, low: 0, medium: 0, high: 0, critical: 0, ...found };
}
