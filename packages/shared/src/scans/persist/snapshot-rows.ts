import type { NormalizedEndpoint, NormalizedFinding } from "../schema.ts";
import { snapshotId } from "../snapshot-id.ts";
import { RowWriter } from "./row-writer.ts";

/** The numbers by which a database knows the types `snapshot_endpoint_row` and `snapshot_finding_row`. */
export interface RowTypes {
  endpoint: number;
  finding: number;
}

/** A snapshot's content as Postgres takes it: rows one after the other, to be joined into an array by `rowArray`. */
export interface SnapshotRows {
  id: Buffer;
  endpoints: EncodedRows;
  findings: EncodedRows;
}

export interface EncodedRows {
  count: number;
  bytes: Buffer;
}

/** About what a row takes beside its texts. */
const ROW_OVERHEAD_BYTES = 160;

interface Content {
  endpoints: readonly NormalizedEndpoint[];
  findings: readonly NormalizedFinding[];
}

/** Turns a scan's content into the rows of its snapshot. */
export function encodeSnapshot(content: Content): SnapshotRows {
  return encodeRows(snapshotId(content), content);
}

/** The same with an id that is known. */
export function encodeRows(id: Buffer, { endpoints, findings }: Content): SnapshotRows {
  return { id, endpoints: encodeEndpoints(id, endpoints), findings: encodeFindings(id, findings) };
}

function encodeEndpoints(id: Buffer, endpoints: readonly NormalizedEndpoint[]): EncodedRows {
  const writer = new RowWriter(endpoints.length * (ROW_OVERHEAD_BYTES + 256));
  for (const [ordinal, endpoint] of endpoints.entries()) {
    writer.beginRow(7);
    writer.bytes(id);
    writer.integer(ordinal);
    writer.text(endpoint.method);
    writer.text(endpoint.path);
    writer.text(endpoint.operationId);
    writer.textArray(endpoint.tags);
    writer.text(endpoint.summary);
    writer.endRow();
  }
  return { count: endpoints.length, bytes: writer.end() };
}

function encodeFindings(id: Buffer, findings: readonly NormalizedFinding[]): EncodedRows {
  const writer = new RowWriter(findings.length * (ROW_OVERHEAD_BYTES + 256));
  for (const [ordinal, finding] of findings.entries()) {
    writer.beginRow(7);
    writer.bytes(id);
    writer.integer(ordinal);
    writer.text(finding.code);
    writer.text(finding.severity);
    writer.text(finding.message);
    writer.text(finding.method);
    writer.text(finding.path);
    writer.endRow();
  }
  return { count: findings.length, bytes: writer.end() };
}

/** One binary array parameter of these rows; `type` is the number of the rows' type. */
export function rowArray(type: number, parts: readonly EncodedRows[]): Buffer {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const head = Buffer.alloc(count === 0 ? 12 : 20);
  head.writeInt32BE(count === 0 ? 0 : 1, 0); // dimensions
  head.writeInt32BE(type, 8);
  if (count > 0) {
    head.writeInt32BE(count, 12);
    head.writeInt32BE(1, 16); // first index
  }
  return Buffer.concat([head, ...parts.map((part) => part.bytes)]);
}
