import { createHash } from "node:crypto";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/**
 * Returns the id of a finding: a UUID that follows from its service, code, method, path and message. So a finding keeps its id in
 * every run of its service, also if its severity or its place changes. Equal findings of one run have the same id.
 */
export function findingIdOf(
  serviceId: string,
  { code, method, path, message }: Omit<NormalizedFinding, "severity">,
): string {
  const identity = JSON.stringify([serviceId.toLowerCase(), code, method, path, message]);
  const hex = createHash("sha256").update(identity).digest("hex");
  // Version 8 of RFC 9562: any value.
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
