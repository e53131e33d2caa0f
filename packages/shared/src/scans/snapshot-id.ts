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
  // Arrays, not objects: the order of fields in the body must not matter. The first element is the version of
  // this very format.
  const canonical = JSON.stringify([
    1,
    content.endpoints.map((e) => [e.method, e.path, e.operationId, e.tags, e.summary]),
    content.findings.map((f) => [f.code, f.severity, f.message, f.method, f.path]),
  ]);
  return createHash("sha256").update(canonical).digest();
}
