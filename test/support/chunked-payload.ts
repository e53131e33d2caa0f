import { canonicalJson } from "@waymark/shared/scans/content/canonical-scan.ts";
import { type ChunkedScan, chunkScan } from "@waymark/shared/scans/content/chunked-scan.ts";
import type { ContentId } from "@waymark/shared/scans/content/content-id.ts";
import type { ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";

const DESCRIPTION = { service: { name: "test" }, spec: { hash: "h".repeat(64), format: "openapi" as const } };

/** A content as the api cuts it, whose chunks can all be packed. */
export function chunkedContent({
  endpoints,
  findings,
}: Pick<ScanIngestionPayload, "endpoints" | "findings">): Omit<ChunkedScan, "pack"> & {
  pack: (chunks: ReadonlySet<ContentId>) => Buffer;
} {
  const content = chunkScan(canonicalJson({ ...DESCRIPTION, endpoints, findings }));
  if (content === undefined) throw new Error("the content can't be cut into chunks");
  return {
    ...content,
    pack(chunks) {
      const packed = content.pack(chunks);
      if (packed === undefined) throw new Error("an item of the content is not valid");
      return packed;
    },
  };
}
