import { createHash } from "node:crypto";
import type { NormalizedEndpoint, NormalizedFinding } from "./schema.ts";

/**
 * The identity of a scan's content: SHA-256 (32 bytes) over its endpoints and findings in their order. Service and
 * spec metadata are not part of it, so that the same content is stored once wherever it comes from.
 */
export function snapshotId(content: {
  endpoints: readonly NormalizedEndpoint[];
  findings: readonly NormalizedFinding[];
}): Buffer {
  // Arrays, not objects: the order of fields in the body must not matter. The first element is the version of this very
  // format. Item by item, so that what is built for one is garbage with the next.
  let canonical = "[1,[";
  let separator = "";
  for (const e of content.endpoints) {
    canonical += separator + JSON.stringify([e.method, e.path, e.operationId, e.tags, e.summary]);
    separator = ",";
  }
  canonical += "],[";
  separator = "";
  for (const f of content.findings) {
    canonical += separator + JSON.stringify([f.code, f.severity, f.message, f.method, f.path]);
    separator = ",";
  }
  return createHash("sha256").update(`${canonical}]]`).digest();
}
