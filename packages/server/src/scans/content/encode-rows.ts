import type { NormalizedEndpoint, NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import type { ChunkItems } from "./packed-chunks.ts";
import { RowWriter } from "./row-writer.ts";

/** Encodes endpoints as a binary array of `chunk_endpoint_row`. @param type the type's OID in the database */
export function encodeEndpointRows(type: number, chunks: readonly ChunkItems<NormalizedEndpoint>[]): Buffer {
  return encodeRows(type, chunks, (writer, endpoint) => {
    writer.text(endpoint.method);
    writer.text(endpoint.path);
    writer.text(endpoint.operationId);
    writer.textArray(endpoint.tags);
    writer.text(endpoint.summary);
  });
}

/** Encodes findings as a binary array of `chunk_finding_row`. @param type the type's OID in the database */
export function encodeFindingRows(type: number, chunks: readonly ChunkItems<NormalizedFinding>[]): Buffer {
  return encodeRows(type, chunks, (writer, finding) => {
    writer.text(finding.code);
    writer.text(finding.severity);
    writer.text(finding.message);
    writer.text(finding.method);
    writer.text(finding.path);
  });
}

/** Contains a chunk once, even if several runs have sent it. */
function encodeRows<Item>(
  type: number,
  chunks: readonly ChunkItems<Item>[],
  write: (writer: RowWriter, item: Item) => void,
): Buffer {
  const distinct = [...new Map(chunks.map((chunk) => [chunk.id, chunk])).values()];
  const count = distinct.reduce((sum, { items }) => sum + items.length, 0);
  const writer = new RowWriter({ type, count });
  for (const { id, items } of distinct) {
    const chunkId = Buffer.from(id, "hex");
    items.forEach((item, ordinal) => {
      writer.beginRow(7);
      writer.uuid(chunkId);
      writer.integer(ordinal);
      write(writer, item);
      writer.endRow();
    });
  }
  return writer.end();
}
