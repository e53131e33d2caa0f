import { z } from "zod";
import { canonicalDateTime } from "@waymark/shared/lib/date-time/schema.ts";
import { text } from "@waymark/shared/lib/schema.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { HttpMethod, Severity } from "@waymark/shared/scans/schema.ts";
import type { ListedFinding } from "./queries.ts";

/** A complete message would make cursors too long for an address: its beginning and its hash are its place. */
export const MESSAGE_START_CHARS = 100;

const Day = z
  .string()
  .refine(
    (value) => canonicalDateTime(`${value}T00:00:00Z`) !== undefined,
    "must be a day such as 2026-01-31",
  );

/**
 * The position of a finding in the list of all: the values by which it is sorted, and its number among equal ones. Its index in
 * the run is not among them, because it changes when a finding before it is fixed.
 */
export const FindingPosition = z.strictObject({
  severity: Severity,
  code: text({ max: SCAN_LIMITS.codeMax }),
  serviceName: text({ max: SCAN_LIMITS.serviceNameMax }),
  seenOn: Day,
  /** Empty for a finding without a path. */
  path: text({ max: SCAN_LIMITS.pathMax }),
  /** Empty for a finding without a method. */
  method: HttpMethod.or(z.literal("")),
  messageStart: text({ max: MESSAGE_START_CHARS }),
  messageHash: z.string().regex(/^[0-9a-f]{32}$/),
  occurrence: z.int().min(1).max(SCAN_LIMITS.findingsMax),
});
export type FindingPosition = z.infer<typeof FindingPosition>;

/** Returns the position of a listed finding. */
export function positionOfFinding(finding: ListedFinding): FindingPosition {
  const { severity, code, serviceName, seenOn, path, method, messageStart, messageHash, occurrence } =
    finding;
  return {
    severity,
    code,
    serviceName,
    seenOn,
    path: path ?? "",
    method: method ?? "",
    messageStart,
    messageHash,
    occurrence,
  };
}
