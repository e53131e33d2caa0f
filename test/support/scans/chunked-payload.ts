import { canonicalJson } from "@waymark/server/scans/content/canonical-scan.ts";
import { type ChunkedScan, chunkScan } from "@waymark/server/scans/content/chunked-scan.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";

const DESCRIPTION = { service: { name: "test" }, spec: { hash: "h".repeat(64), format: "openapi" as const } };

/** A content, cut into chunks as in the api. */
export function chunkedContent({
  endpoints,
  findings,
}: Pick<ScanIngestionPayload, "endpoints" | "findings">): ChunkedScan {
  const content = chunkScan(canonicalJson({ ...DESCRIPTION, endpoints, findings }));
  if (content === undefined) throw new Error("an item of the content is not valid");
  return content;
}
